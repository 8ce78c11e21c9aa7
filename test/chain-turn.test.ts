import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRunChain } from '../main/adapters/run-chain.ts'
import { type ChainTurn, withChainTurn } from '../main/app/export/chain-turn.ts'
import { chainFolderOf } from '../main/core/base/layout.ts'
import type { LoggedEntry } from '../main/core/run-chain/entry.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { folderOfTests } from './support/folders.ts'
import { codeOf, must } from './support/outcomes.ts'
import { logged, ranAt } from './support/schedule-kit.ts'

const root = folderOfTests('chain-turn')
const FLEET = 'clinic'
let folders = 0

/** A run chain in a folder of its own, with others who enter missed runs into it. */
function chained() {
  folders += 1
  const out = join(root, String(folders))
  const folder = chainFolderOf(out, FLEET)
  const begun = { id: 'ab'.repeat(32), fleet: FLEET }
  const enters = async (): Promise<boolean> => {
    const chain = await openRunChain(folder, begun, 200)
    if (!chain.ok) return false
    const number = chain.value.chain().entries.length
    const due = `2026-03-0${number + 1}T02:00:00.000Z`
    const gap = { kind: 'gap' as const, due, at: due, fleet: FLEET, why: 'off', signer: 'c'.repeat(64) }
    must(await chain.value.append(logged(gap)))
    await chain.value.close()
    return true
  }
  const kinds = async () => {
    const chain = must(await openRunChain(folder, begun))
    await chain.close()
    return chain.chain().entries.map(({ entry }) => entry.kind)
  }
  const entry: LoggedEntry = ranAt('2026-03-09T02:00:00.000Z')
  const pack = { path: join(out, 'pack.zip'), content: new Map([['data/a', new Uint8Array([1])]]) }
  const ports = createFakePorts()
  const turn = (mayTakeLong: boolean, prepare: (turn: ChainTurn, isThere: boolean) => Promise<void>) =>
    withChainTurn(
      ports,
      { folder, fleet: FLEET, signer: { mayTakeLong }, whenLocked: async () => ({ ok: true, value: null }) },
      async (given) => {
        await prepare(given, await ports.files.isThere(pack.path))
        return await given.enter(pack, entry)
      },
    )
  return { turn, enters, kinds, isWritten: () => ports.files.isThere(pack.path) }
}

test('a signer that answers at once is waited for by others', async () => {
  const { turn, enters, kinds } = chained()
  const entered: boolean[] = []
  must(await turn(false, async () => void entered.push(await enters())))
  expect([entered, await kinds()]).toEqual([[false], ['run']])
})

test('while a person decides, others enter what they have, and the pack is prepared anew', async () => {
  const { turn, enters, kinds } = chained()
  const stated: number[] = []
  must(
    await turn(true, async ({ chain }) => {
      stated.push(chain.entries.length)
      if (stated.length === 1) expect(await enters()).toBe(true)
    }),
  )
  expect([stated, await kinds()]).toEqual([
    [0, 1],
    ['gap', 'run'],
  ])
})

test('a pack that is outdated again is neither sealed nor written', async () => {
  const { turn, enters, kinds, isWritten } = chained()
  const ended = await turn(true, async () => void (await enters()))
  expect([codeOf(ended), await kinds(), await isWritten()]).toEqual(['chain.changed', ['gap', 'gap'], false])
})

test('nothing is prepared again after another failure', async () => {
  const { turn, kinds } = chained()
  let prepared = 0
  const ended = turn(true, async () => {
    prepared += 1
    throw new Error('full')
  })
  await expect(ended).rejects.toThrow('full')
  expect([prepared, await kinds()]).toEqual([1, []])
})

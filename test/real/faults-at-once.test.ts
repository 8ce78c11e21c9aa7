import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDemoSigner } from '../../main/adapters/identity/folder.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { chainsBelow } from '../../main/app/history/rebuild-history.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { bundled } from '../support/bundled.ts'
import { validator } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { exported, packOf } from '../support/kept-runs.ts'
import { killed } from '../support/killed.ts'
import { must } from '../support/outcomes.ts'
import { outcomes, verifySource } from '../support/sample-pack.ts'
import { collectSmall, SMALL_NODES, smallCatalog, smallPorts } from '../support/small-fleet.ts'

const folder = folderOfTests('at-once')
const ports = smallPorts()
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(folder, 'root-'))
})

describe('two processes at once', () => {
  let made: Awaited<ReturnType<typeof bundled>>
  beforeAll(async () => {
    made = await bundled('run-forever.ts')
  })
  afterAll(() => rmSync(made.folder, { recursive: true }))

  test('a run that one of them collects is refused to the other in words, and goes on untouched', async () => {
    // One that was begun and is not sealed: the child goes on with it first.
    mkdirSync(join(root, 'evidence', 'run-1'), { recursive: true })
    const ours = must(await ports.files.hold(join(root, 'evidence', 'run-1')))
    await expect(killed([made.program, root], { said: '\nsealed ', after: 0 })).rejects.toThrow(
      /store\.failed: another process is writing to this folder: .*lock\./,
    )
    expect(readdirSync(join(root, 'evidence', 'run-1')).filter((name) => !name.startsWith('lock.'))).toEqual([])
    await ours.release()
    // The other way round: the child holds it, and we are refused.
    const going = killed([made.program, root], { said: '\nsealed ', after: 0 })
    const inTime = { ...ports.files, hold: (path: string) => ports.files.hold(path, 0) }
    let refused: unknown = null
    while (!existsSync(join(root, 'evidence', 'run-1', 'node-a', 'captures.jsonl'))) await ports.pause(1)
    refused = await collectSmall({ ...ports, files: inTime }, root, 'run-1')
    expect(refused).toMatchObject({ error: { code: 'store.failed', detail: expect.stringContaining('lock.') } })
    expect((await going)[0]).toEqual(['resumes', 'run-1'])
    expect(existsSync(packOf(root, 'run-1'))).toBe(true)
  })

  test('that export into one chain both get in, one after the other', async () => {
    const until = { said: '\nsealed ', after: 4000 }
    const said = await Promise.all([killed([made.program, root], until), killed([made.program, root], until)])
    const sealed = said.map((lines) => lines.flatMap(([word, run = '']) => (word === 'sealed' ? [run] : [])))
    expect(sealed.every((runs) => runs.length > 0)).toBe(true)
    const [chain, ...others] = must(await chainsBelow(ports, root))
    expect(others).toEqual([])
    const entered = chain?.chain.entries.map(({ entry }) => (entry.kind === 'run' ? entry.run : '')) ?? []
    for (const runs of sealed) expect(entered.filter((run) => runs.includes(run))).toEqual(runs)
    // One of the two may go on with a run of the other: it is entered and sealed once.
    expect(new Set(sealed.flat()).size).toBe(sealed.flat().length)
    for (const run of sealed.flat()) {
      const pack = must(await ports.packs.open(packOf(root, run)))
      const says = outcomes(await verifySource(pack, [], { catalog: smallCatalog }))
      await pack.close()
      expect(says).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
    }
  })
})

test('of two that seal one run at once one does; the other is refused, and neither the chain nor the pack has it twice', async () => {
  must(await collectSmall(ports, root, 'run-1'))
  const signer = await createDemoSigner(ports.clock, ports.entropy)
  const both = await Promise.allSettled(
    [1, 2].map(() => exported(ports, root, 'run-1', signer, { catalog: smallCatalog, nodes: SMALL_NODES })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(String(both.map((one) => (one.status === 'rejected' ? one.reason : '')).join(''))).toMatch(/already exists/)
  const [chain] = must(await chainsBelow(ports, root))
  expect(chain?.chain.entries.map(({ entry }) => entry.kind)).toEqual(['run'])
  const pack = must(await ports.packs.open(packOf(root, 'run-1')))
  const says = outcomes(await verifySource(pack, [], { catalog: smallCatalog }))
  await pack.close()
  expect(says).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
})

test('killed 20 times while bytes are put into the pool: what was stored is there, and the pool holds nothing false', async () => {
  const made = await bundled('pool-forever.ts')
  try {
    const stored = new Map<string, string[]>()
    for (let round = 0; round < 20; round += 1) {
      // Some before anything is stored; the others not before a run is, however slow this computer is.
      const said = await killed([made.program, root], {
        said: round % 4 === 0 ? 'ready\n' : ' c15 ',
        after: Math.random() * 60,
      })
      for (const [, run = '', ...rest] of said) stored.set(run, [...(stored.get(run) ?? []), rest.join(' ')])
    }
    const answers = [...stored.values()].flat()
    expect(answers.length).toBeGreaterThan(100)
    const store = must(await openEvidenceStore(root, validator))
    must(await store.sweep())
    for (const [run, own] of stored) {
      const { captures } = must(await store.load(run, 'n1'))
      const held = new Set(captures.map(({ meta, stdout }) => `${meta.command} ${sha256(stdout)}`))
      expect(own.filter((one) => !held.has(one))).toEqual([])
    }
    // After a sweep there is nothing half done, and each name is the digest of its bytes.
    let most = 0
    for (const part of readdirSync(join(root, 'sha256')))
      for (const name of readdirSync(join(root, 'sha256', part))) {
        const path = join(root, 'sha256', part, name)
        expect(lstatSync(path).isFile() && sha256(readFileSync(path))).toBe(name)
        most = Math.max(most, statSync(path).nlink)
      }
    expect(most).toBeGreaterThan(10)
  } finally {
    rmSync(made.folder, { recursive: true })
  }
})

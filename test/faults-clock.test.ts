import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { latestRun, newRunId } from '../main/app/collect/run.ts'
import { chainsBelow, historyView } from '../main/app/history/rebuild-history.ts'
import { retain } from '../main/app/history/retention.ts'
import { listLines } from '../main/cli/commands/history.ts'
import { ok } from '../main/core/base/failure.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { exported, packOf } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'
import { outcomes, verifySource } from './support/sample-pack.ts'

const kit = keepingKit()
const { ports, time, run, names } = kit
let root = ''
beforeEach(() => {
  root = kit.root()
})

const nameAt = (now: string): string => {
  time.now = now
  return newRunId(ports.clock, ports.entropy)
}

const verified = async (name: string, lastHead?: Parameters<typeof verifySource>[2]) => {
  const pack = must(await ports.packs.open(packOf(root, name)))
  const said = await verifySource(pack, [], lastHead)
  await pack.close()
  return said
}

test('a clock that was set back between runs: names, chain, history and retention', async () => {
  const AFTER = '2026-11-20T10:00:00.000Z'
  const BEFORE = '2026-11-10T10:00:00.000Z'
  const [first, second] = [nameAt(AFTER), nameAt(BEFORE)]
  expect(second < first).toBe(true)
  await run(first, AFTER)
  await run(second, BEFORE)
  // The order of the chain is the order of work, whatever the clock said.
  const [chain] = must(await chainsBelow(ports, root))
  expect(chain?.chain.entries.map(({ entry }) => [entry.kind === 'run' ? entry.run : '', entry.at])).toEqual([
    [first, AFTER],
    [second, BEFORE],
  ])
  // The second pack states the first entry; it is the first whose chain has a head before it.
  const { head } = await verified(second)
  if (head === null) throw new Error('no head')
  expect(outcomes(await verified(first))).toMatchObject({ integrity: 'passed', reproducibility: 'passed' })
  expect(outcomes(await verified(second, { lastHead: head }))).toMatchObject({
    integrity: 'passed',
    reproducibility: 'passed',
    continuity: 'passed',
  })
  // Both are listed, each with the time that it says, and none is left out as “after now”.
  expect(await names()).toEqual([second, first])
  const view = must(await historyView(ports, root))
  expect(view.fleets[0]?.reading.runs.map((one) => one.run).sort()).toEqual([second, first].sort())
  expect(view.outside).toEqual([])
  const said = [...listLines(view)].join('\n')
  expect(said).toContain(`${AFTER}  ${first}`)
  expect(said).toContain(`${BEFORE}  ${second}`)
  // By name the latest is the one of the later time; it is complete, so that going on with it changes nothing and is refused.
  expect(must(await latestRun(ports, `${root}/evidence`))).toBe(first)
  // A run of a clock that ran ahead does not hide the one to continue.
  expect(must(await latestRun(ports, `${root}/evidence`, BEFORE))).toBe(second)
  expect((await latestRun(ports, `${root}/evidence`, '2026-11-09T10:00:00.000Z')).ok).toBe(false)
  const before = readFileSync(packOf(root, first))
  await expect(exported(ports, root, first, kit.signer())).rejects.toThrow('already exists')
  expect(readFileSync(packOf(root, first)).equals(before)).toBe(true)
})

test('retention removes nothing because of a clock that was set back, and only lists until it is instructed to remove', async () => {
  await run('run-1', '2026-11-20T10:00:00.000Z')
  const policy = { root, years: 6, why: '', evenInPeriods: false }
  for (const now of ['2026-11-10T10:00:00.000Z', '2001-01-01T00:00:00.000Z']) {
    time.now = now
    const openSigner = async () => ok(kit.signer())
    expect(must(await retain(ports, { ...policy, openSigner }))).toMatchObject({ due: [], stays: [], freed: 0 })
  }
  // Set ahead by mistake, it says what would go; that is all.
  time.now = '2040-01-01T00:00:00.000Z'
  expect(must(await retain(ports, { ...policy, openSigner: null }))).toMatchObject({
    due: [{ run: 'run-1' }],
    applied: false,
  })
  expect(readFileSync(packOf(root, 'run-1')).length).toBeGreaterThan(0)
  expect(await names(root)).toEqual(['run-1'])
  expect(readFileSync(join(root, 'evidence', 'run-1', 'node-a', 'recording.json'), 'utf8')).toContain('run-1')
})

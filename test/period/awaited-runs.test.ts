import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExportedPeriod } from '../../main/app/export/period.ts'
import { parseEntryLine } from '../../main/core/run-chain/entry.ts'
import { must } from '../support/outcomes.ts'
import { entriesIn, filesIn, type PeriodKit, periodKit, reviewedWith } from '../support/period-kit.ts'

let kit: PeriodKit
let made: ExportedPeriod
let pack: string

// Five runs are due, each in time for a month: one took place, and the report is sealed before the others are late.
beforeAll(async () => {
  kit = await periodKit()
  await kit.plan(44_640)
  await kit.run(23)
  kit.at('2026-11-28T09:00:00.000Z')
  made = must(await kit.account('2026-11-23', '2026-11-27'))
  pack = join(kit.folder, 'out', 'period-2026-11-23-2026-11-27.barewitness.zip')
})
afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

test('runs that can still be sealed in time count as not tested', () => {
  const { conclusions } = made.period
  expect(conclusions).toMatchObject({ runs: 1, missed: 4, covered: false })
  expect(conclusions?.controls[0]?.conclusion).toMatchObject({
    server: { state: 'scope-limitation', population: 10, tested: 2 },
    state: 'unable-to-conclude',
  })
})

test('and are named', async () => {
  expect(made.period.notes ?? []).toContainEqual(
    expect.stringMatching(/^4 scheduled runs of the period were not sealed .* until 2026-12-28T02:00:00\.000Z/),
  )
  const { checks } = await reviewedWith(kit, pack)
  expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test('a schedule gives no run longer than a schedule can be made to', async () => {
  const plan = entriesIn(await filesIn(kit.ports, pack)).find(({ entry }) => entry.kind === 'plan')
  const lineOf = (withinMinutes: number): string =>
    JSON.stringify({ entry: { ...plan?.entry, withinMinutes }, signature: plan?.signature })
  const isEntry = (withinMinutes: number): boolean => parseEntryLine(lineOf(withinMinutes)) !== null
  expect([60, 51_240, 60_001, Number.MAX_SAFE_INTEGER].map(isEntry)).toEqual([true, true, false, false])
})

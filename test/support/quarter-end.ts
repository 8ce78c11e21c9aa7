import { statSync } from 'node:fs'
import { exportPeriod } from '../../main/app/export/period.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import { driftBetween } from '../../main/app/history/drift.ts'
import { historyView } from '../../main/app/history/rebuild-history.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { CalendarReading } from '../../main/core/period/calendar.ts'
import type { RunDrift } from '../../schemas/drift.ts'
import type { Period } from '../../schemas/types.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { must } from './outcomes.ts'
import { momentOf, QUARTER_FLEET, type QuarterPlan, type Stage } from './quarter.ts'

/** What a simulated quarter comes to, and how long each step took. */
export interface ClosedQuarter {
  readonly calendar: CalendarReading
  readonly calendarMs: number
  /** Between the first run and the last. */
  readonly drift: RunDrift
  readonly driftMs: number
  readonly period: Period
  /** Path of the sealed pack. */
  readonly pack: string
  readonly packBytes: number
  readonly periodMs: number
  readonly review: VerificationReport
  readonly verifyMs: number
}

/** What a person does at the end: looks at the calendar, compares two days, seals the period with a sample, and has it verified. */
export async function closeQuarter(
  stage: Stage,
  plan: QuarterPlan,
  {
    folder,
    sample,
    seed = 'drawn for the auditor',
  }: { readonly folder: string; readonly sample: number; readonly seed?: string },
): Promise<ClosedQuarter> {
  const { ports, root, chainFolder, signer } = stage
  const [calendar, calendarMs] = await timed(async () => {
    const view = must(await historyView(ports, root))
    const own = view.fleets.find(({ fleet }) => fleet === QUARTER_FLEET)
    if (own === undefined) throw new Error('the history has no chain of the simulated fleet')
    return own.reading
  })
  const [first, last] = [calendar.runs[0]?.run ?? '', calendar.runs.at(-1)?.run ?? '']
  const [compared, driftMs] = await timed(async () =>
    must(await driftBetween(ports, catalog, { root, before: first, after: last })),
  )
  const to = momentOf(plan.from, plan.days - 1, '00:00').slice(0, 10)
  const samples = [{ population: 'node-runs' as const, size: sample, seed }]
  const [exported, periodMs] = await timed(async () =>
    must(
      await exportPeriod(ports, catalog, {
        root,
        chainFolder,
        fleet: QUARTER_FLEET,
        from: plan.from,
        to,
        samples,
        signer,
        stamping: null,
        folder,
      }),
    ),
  )
  const pack = exported.files[0]?.path ?? ''
  const trust = { signers: [new TextEncoder().encode(stage.rootPem)], authorities: [], lists: [] }
  const [reviewed, verifyMs] = await timed(async () =>
    must(await reviewFile(ports, catalog, { path: pack, trust, checkpoint: null, keep: false })),
  )
  return {
    calendar,
    calendarMs,
    drift: compared.drift,
    driftMs,
    period: exported.period,
    pack,
    packBytes: statSync(pack).size,
    periodMs,
    review: reviewed.report,
    verifyMs,
  }
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const begun = performance.now()
  const done = await work()
  return [done, Math.round(performance.now() - begun)]
}

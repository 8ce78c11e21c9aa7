import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FULL_QUARTER, openStage, type QuarterPlan, simulateQuarter } from '../support/quarter.ts'
import { closeQuarter } from '../support/quarter-end.ts'
import { spread } from './measure.ts'
import { peakOf } from './peak.ts'

/**
 * A quarter of daily runs over 50 nodes, as one process: every day is the real export, report and seal included. Then what a person does
 * at its end: the calendar, what changed between two days, the period with 25 sampled node-runs, sealed, and read as an auditor reads it.
 * `days` cuts it short, for a look; the changes of later days are then not in it.
 */
export async function benchQuarter(days: number): Promise<void> {
  const root = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'bwbench-quarter-'))
  const plan: QuarterPlan = { ...FULL_QUARTER, days }
  try {
    const stage = await openStage(root, plan.from)
    const told = await simulateQuarter(stage, plan, ({ day, run, milliseconds }) =>
      print(`day ${day} of ${days}: ${run === null ? 'no run' : `${run}, ${seconds(milliseconds)} s`}`),
    )
    const ran = told.filter(({ run }) => run !== null)
    const perDay = spread(ran.map(({ milliseconds }) => milliseconds))
    const runsPeakMiB = peakOf('self')
    const bytes = sizeOf(root)
    const folder = join(root, 'period')
    mkdirSync(folder)
    const closed = await closeQuarter(stage, plan, { folder, sample: 25 })
    const peakMiB = peakOf('self')
    const { counts } = closed.period.calendar
    print(
      `${days} days, ${plan.nodes} nodes: ${ran.length} packs, ${mib(bytes)} MiB on the disk with reports and tables`,
    )
    print(`one day: ${seconds(perDay.median)} s (${seconds(perDay.min)}–${seconds(perDay.max)}), sealed and kept`)
    print(
      `calendar in ${closed.calendarMs} ms: ${counts.completed} of ${counts.planned} planned runs, ${counts.late} late, ${counts.recorded} recorded gaps, ${counts.unrecorded} unrecorded`,
    )
    print(
      `drift between two days in ${closed.driftMs} ms: ${closed.drift.evidence.length} of evidence, ${closed.drift.rules.length} of rules, ${closed.drift.scope.length} of scope, ${closed.drift.moves.length} parts moved, ${closed.drift.unchanged} of ${closed.drift.compared} nodes unchanged`,
    )
    print(
      `period: ${seconds(closed.periodMs)} s, ${mib(closed.packBytes)} MiB, ${closed.period.deviations.length} deviations, ${closed.period.changes.evidence} changes of evidence, ${closed.period.hardwareChanges.length} parts moved`,
    )
    print(`verify: ${seconds(closed.verifyMs)} s, ${closed.review.ok ? 'accepted' : 'REJECTED'}`)
    for (const { check, outcome, summary } of closed.review.checks) print(`  ${check}: ${outcome}. ${summary}`)
    print(`memory: at most ${runsPeakMiB} MiB during the runs, ${peakMiB} MiB in all`)
    process.stdout.write(
      `${JSON.stringify(
        {
          schema: 'barewitness.bench-quarter/1',
          node: process.version,
          days,
          nodes: plan.nodes,
          packs: ran.length,
          bytes,
          perDay,
          calendarMs: closed.calendarMs,
          driftMs: closed.driftMs,
          periodMs: closed.periodMs,
          packBytes: closed.packBytes,
          verifyMs: closed.verifyMs,
          accepted: closed.review.ok,
          checks: closed.review.checks.map(({ check, outcome, summary }) => ({ check, outcome, summary })),
          counts,
          runsPeakMiB,
          peakMiB,
        },
        null,
        2,
      )}\n`,
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const print = (line: string): void => void process.stderr.write(`${line}\n`)
const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10
const mib = (bytes: number): number => Math.round((bytes / 1024 ** 2) * 10) / 10

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

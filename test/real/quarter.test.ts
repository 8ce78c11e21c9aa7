import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { driftBetween } from '../../main/app/history/drift.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { buildPeriodReport } from '../../main/present/period-report.ts'
import { must } from '../support/outcomes.ts'
import { openStage, type SimulatedDay, SMALL_QUARTER, type Stage, simulateQuarter } from '../support/quarter.ts'
import { type ClosedQuarter, closeQuarter } from '../support/quarter-end.ts'

const exec = promisify(execFile)

/** Twelve days over three nodes, each a real export, with everything that the long one has. */
describe('a simulated stretch of nightly runs', () => {
  let root = ''
  let stage: Stage
  let days: readonly SimulatedDay[] = []
  let closed: ClosedQuarter
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'bw-quarter-'))
    stage = await openStage(root, SMALL_QUARTER.from)
    days = await simulateQuarter(stage, SMALL_QUARTER)
    closed = await closeQuarter(stage, SMALL_QUARTER, { folder: root, sample: 5 })
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const runOf = (day: number): string => days.find((one) => one.day === day)?.run ?? ''
  const drift = async (before: number, after: number) =>
    must(await driftBetween(stage.ports, catalog, { root, before: runOf(before), after: runOf(after) })).drift

  test('the calendar has every day: met, late, recorded and unrecorded', () => {
    expect(closed.period.calendar.counts).toEqual({
      planned: 12,
      completed: 9,
      late: 1,
      recorded: 2,
      unrecorded: 1,
      unplanned: 0,
      days: 12,
      daysWith: 9,
    })
    expect(closed.calendar.unrecorded.map(({ due }) => due)).toEqual(['2026-08-08T03:00:00.000Z'])
    expect(closed.calendar.late.map(({ run }) => run)).toEqual([runOf(7)])
    // One node was away, and later two names were one machine, which counts once.
    expect(closed.calendar.runs.filter(({ answered }) => answered < 3).map(({ run }) => run)).toEqual(
      [6, 7, 11, 12].map(runOf),
    )
  })

  test('hosts that were not touched have an empty drift, although they were asked anew', async () => {
    const { evidence, rules, scope, moves, compared, unchanged } = await drift(1, 2)
    expect({ evidence, rules, scope, moves, compared, unchanged }).toEqual({
      evidence: [],
      rules: [],
      scope: [],
      moves: [],
      compared: 3,
      unchanged: 3,
    })
  })

  test('a setting, an account with its key and a package are each reported as what they are', async () => {
    const asked = (one: Awaited<ReturnType<typeof drift>>): readonly string[] =>
      one.evidence.map(({ node, what }) => `${node} ${what.kind === 'reading' ? what.probe : what.kind}`)
    const weakened = await drift(2, 3)
    expect(asked(weakened)).toEqual(['node-01 sshd.effective'])
    expect(weakened.flips.map(({ check, after }) => [check, after])).toContainEqual([
      'access.sshd.password-auth',
      'not-satisfied',
    ])
    expect(asked(await drift(3, 4))).toEqual(['node-01 accounts.local', 'node-01 authorized-keys'])
    expect(asked(await drift(7, 10))).toContain('node-01 packages.list-dpkg')
  })

  test('the machine under another name is found by its parts and its key', async () => {
    const { moves } = await drift(10, 11)
    const moved = moves.filter(({ from, to }) => from === 'node-02' && to === 'node-03').map(({ kind }) => kind)
    for (const kind of ['board', 'disk', 'host-key']) expect(moved).toContain(kind)
  })

  test('the deviation has its first and last run, and the run that shows it fixed', () => {
    const own = closed.period.deviations.filter(
      ({ node, check }) => node === 'node-01' && check === 'access.sshd.password-auth',
    )
    expect(own.map(({ found, lastSeen, fixed, open }) => [found.run, lastSeen.run, fixed?.run, open])).toEqual([
      [runOf(3), runOf(4), runOf(6), false],
    ])
  })

  test('the period pack is accepted, and the sampled nodes are derived again', () => {
    expect(closed.review.checks.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['integrity', 'passed'],
      ['signature', 'passed'],
      ['time', 'indeterminate'],
      ['completeness', 'passed'],
      ['reproducibility', 'passed'],
      ['continuity', 'indeterminate'],
    ])
    expect(closed.review.ok).toBe(true)
    expect(closed.review.differences).toEqual([])
    expect(closed.period.samples[0]?.sampled).toHaveLength(5)
  })

  test('the steps that its report prints run, and find an altered run', async () => {
    const folder = dirname(closed.pack)
    writeFileSync(join(folder, 'root.pem'), stage.rootPem)
    const document = buildPeriodReport({
      period: closed.period,
      catalog,
      changes: [],
      frameworks: [],
      producer: 'Barewitness',
      signer: { subject: stage.signer.subject, fingerprint: stage.signer.fingerprint },
      packName: basename(closed.pack),
      evidenceDigest: '0'.repeat(64) as never,
      demo: false,
    })
    const steps = document.sections
      .filter(({ id }) => id === 'howto')
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'code' ? [block.lines] : [])))
      .slice(0, -1)
      .flat()
    const script = ['set -e', ...steps].join('\n')
    const { stdout, stderr } = await exec('bash', ['-c', script], { cwd: folder, maxBuffer: 1 << 26 })
    expect(stderr.match(/Verification successful/g)).toHaveLength(1 + closed.period.runs.length)
    for (const { sha256, path } of closed.period.populations) expect(stdout).toContain(`${sha256}  ${path}`)
    expect(stdout).not.toMatch(/FAILED|^data\/runs/m)
    const altered = script
      .replace('unzip -q', 'rm -rf unpacked; unzip -q')
      .replace('for run in', `printf x >> data/runs/${runOf(1)}/data/trace.json\nfor run in`)
    await expect(exec('bash', ['-c', altered], { cwd: folder, maxBuffer: 1 << 26 })).rejects.toThrow(
      /FAILED|trace\.json/,
    )
  })
})

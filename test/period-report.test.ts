import { describe, expect, test } from 'vitest'
import { renderReport } from '../main/adapters/pdf/index.ts'
import type { ReportDocument } from '../main/core/base/report-document.ts'
import { calendarFigures } from '../main/present/period-report/coverage.ts'
import { DAY_STATES, dayState, dayStateWords } from '../main/present/period-report/day-states.ts'
import { buildPeriodReport, calendarRows, controlRows, deviationRows } from '../main/present/period-report.ts'
import { documentText } from '../main/present/report.ts'
import type { CalendarDay, Period } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { linesOf, readReport } from './support/pdf-pages.ts'
import { PERIOD_AS_OF, samplePeriodInput } from './support/report/period-sample.ts'

const input = samplePeriodInput()
const report = buildPeriodReport(input)
const textOf = (document: ReportDocument, ...parts: readonly string[]): string =>
  documentText({
    ...document,
    sections: document.sections.filter(({ id }) => parts.length === 0 || parts.includes(id)),
  }).join('\n')
const day = (change: Partial<CalendarDay>): CalendarDay => ({
  day: '2026-08-01',
  planned: 0,
  completed: 0,
  late: 0,
  recorded: 0,
  unrecorded: 0,
  unplanned: 0,
  declared: 0,
  answered: 0,
  ...change,
})

describe('what a day shows', () => {
  const ran = { planned: 1, completed: 1, declared: 3 }
  test.each([
    [day({}), 'nothing'],
    [day({ unplanned: 1, declared: 3, answered: 3 }), 'unplanned'],
    [day({ ...ran, answered: 3 }), 'completed'],
    [day({ ...ran, late: 1, answered: 3 }), 'late'],
    [day({ ...ran, late: 1, answered: 2 }), 'partial'],
    [day({ ...ran, answered: 0 }), 'no-evidence'],
    // Nothing of the run is at hand.
    [day({ planned: 1, completed: 1 }), 'no-evidence'],
    [day({ planned: 2, completed: 1, recorded: 1, declared: 3, answered: 3 }), 'recorded'],
    [day({ planned: 3, completed: 1, recorded: 1, unrecorded: 1, declared: 3, answered: 3 }), 'unrecorded'],
  ] as const)('%o', (of, state) => {
    expect(dayState(of)).toBe(state)
  })

  test('each state has a letter of its own, and a shape of its own in the picture', () => {
    expect(new Set(DAY_STATES.map((state) => dayStateWords[state].letter)).size).toBe(DAY_STATES.length)
    const days = [
      day({ day: '2026-08-01' }),
      day({ day: '2026-08-02', unplanned: 1, declared: 3, answered: 3 }),
      day({ day: '2026-08-03', ...ran, answered: 3 }),
      day({ day: '2026-08-04', ...ran, late: 1, answered: 3 }),
      day({ day: '2026-08-05', ...ran, answered: 2 }),
      day({ day: '2026-08-06', ...ran }),
      day({ day: '2026-08-07', planned: 1, recorded: 1 }),
      day({ day: '2026-08-08', planned: 1, unrecorded: 1 }),
    ]
    const [figure] = calendarFigures({ days })
    // Ink left away: what is left is how each is drawn.
    const drawn = figure?.legend.map(({ sample }) =>
      JSON.stringify(sample, (key, of) => (key === 'tone' ? undefined : of)),
    )
    expect(drawn).toHaveLength(DAY_STATES.length)
    expect(new Set(drawn).size).toBe(DAY_STATES.length)
  })

  test('a long period is drawn in several pictures, every day once', () => {
    const days = Array.from({ length: 1200 }, (_, index) =>
      day({ day: new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10), ...ran, answered: 3 }),
    )
    const figures = calendarFigures({ days })
    expect(figures).toHaveLength(2)
    expect(figures.flatMap(({ marks }) => marks.filter(({ is }) => is === 'box'))).toHaveLength(1200)
    for (const { width } of figures) expect(width).toBeLessThanOrEqual(600)
  })
})

describe('the period report', () => {
  test('states coverage with its denominators, gaps before anything that evidence shows', () => {
    expect(report.sections.map(({ id }) => id)).toEqual([
      'cover',
      'contents',
      'reading',
      'coverage',
      'gaps',
      'conclusions',
      'deviations',
      'changes',
      'rules',
      'runs',
      'lists',
      'limits',
      'howto',
    ])
    expect(textOf(report, 'cover')).toContain('1 of 92 scheduled runs did not take place and has no missed-run entry')
    expect(textOf(report, 'coverage')).toContain(
      '89 of 92 scheduled runs took place, 1 of them late. 2 of 92 were missed and explained in a signed entry. 1 of 92 was missed without explanation.',
    )
    const gaps = textOf(report, 'gaps')
    expect(gaps.indexOf('Missed runs, unexplained')).toBeLessThan(gaps.indexOf('Missed runs, explained'))
    expect(gaps).toContain('9 Oct 2026')
    expect(gaps).toContain('The network of the site was under maintenance')
    expect(gaps).toContain('On 3 of 92\u00a0days no node was collected')
  })

  test('states on its first page what was concluded, after what was missed', () => {
    const cover = textOf(report, 'cover')
    expect(cover).toContain(
      'HIPAA: 66 in scope, unable to conclude 30, documents outstanding 36\nSOC 2: 33 in scope, unable to conclude 13, documents outstanding 20',
    )
    expect(cover).toContain('3 deviations: 1 remediated, 2 open at period end')
    expect(cover.indexOf('Scheduled runs')).toBeLessThan(cover.indexOf('Controls'))
    const without = samplePeriodInput((period) => ({ ...period, conclusions: null }))
    expect(textOf(buildPeriodReport(without), 'cover')).toContain('Not concluded: the evidence of no run is available')
  })

  test('counts documents of a control in one line, as its state names what is outstanding', () => {
    const said = textOf(report, 'conclusions')
    expect(said).toMatch(/No server test\n0 of 1 held\nDocuments outstanding/)
    expect(said).not.toContain('Documents outstanding: 0 of')
  })

  test('names a document that was inspected and does not support, and states what a conclusion without deviations means', () => {
    const failed = { state: 'deviations', needed: 1, held: 0, outstanding: [], deviations: ['ER-31'] } as const
    const changed = samplePeriodInput((period) => ({
      ...period,
      conclusions: period.conclusions && {
        ...period.conclusions,
        controls: period.conclusions.controls.map((one) => ({
          ...one,
          conclusion: { ...one.conclusion, state: 'deviations', documents: failed },
        })) as never,
      },
    }))
    const said = textOf(buildPeriodReport(changed), 'conclusions')
    expect(said).toContain('Deviations noted in documents: 0 of 1 held\nER-31\n')
    expect(controlRows(changed.period)[1]?.at(-1)).toBe('ER-31')
    expect(said).toContain(
      'every deciding check was satisfied on every declared node to which it applies, in every run',
    )
  })

  test('concludes on each control over node tests, with both parts, when it deviated, and what was not tested', () => {
    const said = textOf(report, 'conclusions')
    expect(said).toContain(
      '89 runs were counted; 3 scheduled runs did not take place in the period, and the evidence of 0 sealed runs is not available.',
    )
    expect(said).toContain('see “Missed runs and days without evidence”')
    expect(said).toContain('Controls: HIPAA Security Rule')
    expect(said).toContain('Unable to conclude; 19 of 460 node tests not performed')
    const [one, ...others] = input.period.conclusions?.controls ?? []
    if (one === undefined) throw new Error('the sample has controls')
    const server = {
      ...one.conclusion.server,
      state: 'deviations',
      population: 460,
      tested: 441,
      deviating: 62,
    } as const
    const moment = (day: number) => ({ run: `r${day}`, at: `2026-08-${day}T02:14:00.000Z` })
    const withDeviations = (open: number, nodes = 3) =>
      textOf(
        buildPeriodReport(
          samplePeriodInput((period) => ({
            ...period,
            conclusions: period.conclusions && {
              ...period.conclusions,
              controls: [
                {
                  conclusion: { ...one.conclusion, state: 'deviations', server },
                  deviations: { nodes, open, first: moment(20), last: moment(29) },
                },
                ...others,
              ],
            },
          })),
        ),
        'conclusions',
      )
    expect(withDeviations(1)).toContain(
      'Deviations noted: deviations in 62 of 441 node tests; 19 not tested\nFirst seen 20 Aug 2026 02:14, last seen 29 Aug 2026 02:14\nOpen on 1 of 3 nodes at the end',
    )
    expect(withDeviations(0)).toContain('Remediated on all 3 nodes by the end')
    expect(withDeviations(1, 1)).toContain('Open on 1 of 1 node at the end')
    expect(withDeviations(0, 1)).toContain('Remediated on the node by the end')
  })

  test('follows a deviation from the run that found it to the one that shows it fixed', () => {
    const said = textOf(report, 'deviations')
    expect(said).toContain('The population is 5 nodes and 12 checks. 3 deviations in total, on 3 combinations')
    expect(said).toContain('1 of 3 was remediated within the period. 2 of 3 are open at period end')
    // Undecided in between does not end it.
    expect(said).toContain('20 Aug 2026 02:14\n2 Sep 2026 02:14\nin 12 runs\n1 run inconclusive\n3 Sep 2026 02:14')
    expect(said).toContain('9 Sep 2026 02:14\n31 Oct 2026 02:14\nin 51 runs\nopen')
  })

  test('a part that went to another node comes first among those that moved', () => {
    const said = textOf(report, 'changes')
    expect(said).toContain('1 of 3 moved between nodes')
    expect(said.indexOf('PHYF001\nnode-01\nnode-05')).toBeGreaterThan(0)
    expect(said.indexOf('PHYF001\nnode-01\nnode-05')).toBeLessThan(said.indexOf('PHYF006\nnot seen before\nnode-01'))
  })

  test('every population has its rows, its digest and its parameters; samples have their seed', () => {
    const said = textOf(report, 'lists')
    for (const { path, sha256, rows, source, how } of input.period.populations)
      for (const part of [path, sha256, String(rows), source, how]) expect(said).toContain(part)
    expect(said).toContain('from the practitioner, 2 November 2026')
    expect(said).toContain('25 of 445 items of data/populations/node-runs.csv; 25 requested')
  })

  test('never gives an opinion, and no word over-claims', () => {
    const said = textOf(report)
    expect(said).not.toMatch(/no exceptions noted/i)
    for (const banned of BANNED) expect(said).not.toMatch(banned)
    expect(said).toContain('It is not an opinion')
    expect(said).toContain('45 CFR 164.316(b)(2)(i)')
  })

  test('a period without anything states this, and nothing in its favour', () => {
    const empty = (period: Period): Period => ({
      ...period,
      plans: [],
      calendar: {
        days: [day({})],
        counts: { planned: 0, completed: 0, late: 0, recorded: 0, unrecorded: 0, unplanned: 0, days: 1, daysWith: 0 },
        without: [{ from: '2026-08-01', to: '2026-08-01', days: 1 }],
      },
      runs: [],
      missedRuns: [],
      rules: [],
      conclusions: null,
      deviations: [],
      hardwareChanges: [],
      populations: [],
      samples: [],
    })
    const said = textOf(buildPeriodReport({ ...samplePeriodInput(empty), changes: [] }))
    expect(said).toContain('The run chain contains no schedule')
    expect(said).toContain('The evidence of no run is available, so no control can be concluded on.')
    expect(said).toContain('On 1 of 1\u00a0days no node was collected in any run')
    expect(said).toContain('No node was tested in any run of the period, so no deviation could be noted.')
    expect(said).not.toContain('No deviations noted on the nodes tested')
    expect(said).toContain('Not tested: operation between runs.')
    expect(said).toContain('No scheduled run was due. 0 unscheduled runs took place.')
    expect(said).toContain('None: no scheduled run was due in the period.')
  })

  test('the words that were recorded for a gap cannot steer the page', () => {
    const hostile = (period: Period): Period => ({
      ...period,
      missedRuns: period.missedRuns.map((gap) => ({ ...gap, why: `a\u202eb\n\u001b[31mc`, signed: false })),
    })
    const said = textOf(buildPeriodReport(samplePeriodInput(hostile)), 'gaps')
    expect(said).not.toMatch(/[\u202e\u001b]/)
    expect(said).toContain('Not signed; no effect')
  })

  test('a large period stays bounded on paper', () => {
    const many = (period: Period): Period => {
      const [one] = period.deviations
      if (one === undefined) throw new Error('the sample has deviations')
      return {
        ...period,
        deviations: Array.from({ length: 5000 }, (_, index) => ({
          ...one,
          node: `node-${index}`,
          found: { run: 'later', at: '2026-08-20T02:14:00.000Z' },
        })),
      }
    }
    const document = buildPeriodReport(samplePeriodInput(many))
    const rows = document.sections
      .find(({ id }) => id === 'deviations')
      ?.blocks.flatMap((block) => (block.kind === 'table' ? [block.rows.length] : []))
    expect(Math.max(...(rows ?? []))).toBe(100)
    expect(textOf(document, 'deviations')).toContain('And 4900 more, in data/period.json in the pack')
  })
})

test('one missed run is counted in the singular', () => {
  const words = textOf(report)
  expect(words).toContain('1 of 92 scheduled runs did not take place and has no missed-run entry')
  expect(words).toContain('1 of 92 was missed without explanation.')
  expect(words).toContain('2 of 92 were missed and explained')
  expect(words).toContain('1 of 3 was remediated within the period. 2 of 3 are open at period end')
})

test('no line of a command is broken on paper, where a shell would run its parts', async () => {
  const commands = report.sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'code' ? block.lines : [])),
  )
  expect(commands.length).toBeGreaterThan(20)
  const pdf = await renderReport(report, { attachments: [], created: PERIOD_AS_OF, placeholder: false })
  const lines = new Set(readReport(pdf).pages.flatMap((page) => linesOf(page).map((line) => line.trim())))
  expect(commands.filter((line) => !lines.has(line.trim()))).toEqual([])
})

test('the tables beside it have one row for each day, each deviation and each control', () => {
  const days = calendarRows(input.period)
  expect(days).toHaveLength(93)
  expect(days[26]).toEqual(['2026-08-26', 'Missed, explained', '1', '0', '0', '1', '0', '0', '0', '0'])
  const deviations = deviationRows(input.period)
  expect(deviations).toHaveLength(4)
  expect(deviations.find(([node]) => node === 'node-02')?.slice(2)).toEqual([
    '20260820t0203z-0020',
    '2026-08-20T02:14:00.000Z',
    '20260902t0203z-0033',
    '2026-09-02T02:14:00.000Z',
    '20260903t0203z-0034',
    '2026-09-03T02:14:00.000Z',
    'no',
    '12',
    '1',
  ])
  const controls = controlRows(input.period)
  expect(controls).toHaveLength(1 + (input.period.conclusions?.controls.length ?? 0))
  expect(controls.find(([, control]) => control?.endsWith('308(a)(8)'))?.slice(2, 9)).toEqual([
    'Unable to conclude',
    'Unable to conclude; 19 of 460 node tests not performed',
    '460',
    '441',
    '0',
    '0',
    '19',
  ])
  for (const table of [days, deviations, controls]) expect(new Set(table.map((row) => row.length)).size).toBe(1)
})

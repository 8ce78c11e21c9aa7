import { describe, expect, test } from 'vitest'
import { findingsView, findingView, shownOf } from '../main/app/evaluate/finding-views.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../main/catalog/definition/remediation.ts'
import { daysBetween } from '../main/core/base/days.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { tally } from '../main/core/conclusion/tally.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { type HomeFacts, homeOf } from '../main/present/home.ts'
import { ENGAGEMENT_STATES, engagementStateWords } from '../schemas/engagement-words.ts'
import type { CountedRows, HomeView, Phrase } from '../schemas/ipc-findings.ts'
import type { ManagementResponse, Register } from '../schemas/types.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import { bigInput } from './support/report/sample.ts'

const DEMO = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']
const recordings = DEMO.map((name) => fixtureRecording(name, catalog.probes))
const population = [...recordings.map(({ recording }) => recording.node.name), 'demo-gone-07', 'demo-changed-08']
const scope = { fleet: 'demo', population, frameworks: ['hipaa', 'soc2'] }

const presented = (register: Register = EMPTY_REGISTER) => {
  const assessment = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME, register })
  const shown = shownOf({ assessment, catalog, register, recordings })
  return { of: 'run', run: 'run-1', assessment, catalog, register, shown, remediations: REMEDIATIONS } as const
}

const FACTS: HomeFacts = {
  fleet: 'demo',
  nodes: 8,
  running: null,
  engagement: 'final',
  fieldwork: '2027-01-10',
  signing: 'here',
  hasIdentity: true,
  dueRuns: { unexplained: [], overdue: [] },
  requests: null,
}

const linesOf = ({ lead, steps }: HomeView): readonly Phrase[] => [
  ...lead,
  ...steps.flatMap(({ lines }) => lines.flat()),
]
const numberIn = (text: string): number => Number(/\d+/.exec(text)?.[0])

describe('a finding in full', () => {
  test('states once that conditions of its severity were not evaluated', () => {
    const source = presented()
    const views = findingsView(source, null).rows.flatMap(({ reference }) => findingView(source, reference) ?? [])
    const reasons = views.map(({ severityReasons }) =>
      severityReasons.filter((reason) => reason.includes('Not evaluated')),
    )
    expect(Math.max(...reasons.map((lines) => lines.length))).toBe(1)
    expect(reasons.flat()).toContain(
      'Not evaluated, as no evidence shows whether they hold: the program is unknown or mines cryptocurrency; the account is one of the system or of monitoring.',
    )
  })
})

describe('the first screen', () => {
  const source = presented()
  const { shown, assessment } = source
  const home = homeOf(FACTS, source)
  const list = findingsView(source, null)
  const found = tally(assessment, catalog.checks)

  /** The rows that a number opens, counted. */
  function rowsOf(counts: CountedRows): number | null {
    switch (counts.rows) {
      case 'findings':
        return list.rows.filter(
          ({ severity, owner }) =>
            (counts.severity === null ||
              (counts.severity === 'severe'
                ? ['critical', 'high'].includes(severity)
                : severity === counts.severity)) &&
            (counts.owner === null || (counts.owner === 'with') === (owner !== null)),
        ).length
      case 'nodes':
        return counts.state === 'all'
          ? assessment.nodes.length
          : assessment.nodes.filter(({ recording }) => (counts.state === 'tested') === (recording !== null)).length
      case 'documents':
        return counts.state === 'outstanding'
          ? shown.figures.documents.needed - shown.figures.documents.held
          : shown.figures.documents.held
      case 'checks':
        return catalog.checks.filter(({ id }) => {
          const { satisfied, 'not-satisfied': against } = found.overNodes(id).counts
          return satisfied + against > 0 && (counts.state === 'decided' || against === 0)
        }).length
      case 'check':
        return counts.nodes.length
      case 'fieldwork':
        return daysBetween(assessment.asOf, `${FACTS.fieldwork}T00:00:00.000Z`)
      default:
        return null
    }
  }

  test('every number of its sentences is the number of rows that it opens', () => {
    const numbers = linesOf(home).filter(({ text }) => /\d/.test(text))
    expect(numbers.length).toBeGreaterThan(8)
    for (const { text, counts } of numbers) {
      expect(counts, text).not.toBeNull()
      const rows = counts === null ? null : rowsOf(counts)
      expect(rows, text).not.toBeNull()
      expect(numberIn(text), text).toBe(rows)
    }
    for (const { part, counts, text } of home.results?.inOrder ?? []) expect(rowsOf(counts), text).toBe(part)
  })

  test('deviations by node, by finding and in total are one number', () => {
    const { results } = home
    const byNode = results?.byNode.reduce((sum, { count }) => sum + count, 0)
    expect(byNode).toBe(shown.figures.deviations)
    expect(list.rows.reduce((sum, { deviations }) => sum + deviations, 0)).toBe(shown.figures.deviations)
    expect(results?.leadingCloses).toBe(results?.leading.reduce((sum, { closes }) => sum + closes, 0))
    expect(results?.leadingCloses).toBeLessThanOrEqual(shown.figures.deviations)
    for (const { of, name, count } of results?.byNode ?? [])
      if (of === 'node') expect(findingsView(source, name).rows, name).toHaveLength(count)
  })

  test('leads with the findings of the report, and counts the further severe ones', () => {
    expect(home.results?.leading.map(({ reference }) => reference)).toEqual(
      shown.leading.map(({ reference }) => reference),
    )
    const severe = shown.findings.filter(({ severity: { level } }) => level === 'critical' || level === 'high')
    const leads = shown.leading.filter((one) => severe.includes(one))
    expect(home.results?.furtherSevere).toBe(severe.length - leads.length)
  })

  test('states findings on a node that was not tested, next to those on the nodes tested', () => {
    const [first] = shown.findings
    const [deviation] = first?.deviations ?? []
    if (first === undefined || deviation === undefined) throw new Error('the demo fleet has findings')
    const refused = { ...first, deviations: [{ ...deviation, subject: 'demo-changed-08' }] }
    const inventory = { rows: 10, matched: 8, excluded: 1, unreconciled: 1 }
    const words = (findings: typeof shown.findings, listed: typeof inventory | null = null) =>
      homeOf(FACTS, { ...source, shown: { ...shown, findings, figures: { ...shown.figures, inventory: listed } } })
        .lead.map(({ text }) => text)
        .join('')
    expect(words([...shown.findings, refused])).toContain(' 6 nodes tested and on 1 not tested: ')
    expect(words([...shown.findings, refused], inventory)).toContain(
      ', on 1 not tested and in the provider inventory: ',
    )
    expect(words(shown.findings)).not.toContain('not tested')
  })

  test('names what can be done about each node that was not seen', () => {
    const lines = home.results?.notSeen ?? []
    expect(lines.filter(({ is }) => is === 'not-tested').map(({ node }) => node)).toEqual([
      'demo-changed-08',
      'demo-gone-07',
    ])
    expect(lines.filter(({ is }) => is === 'limit').every(({ action }) => action === null)).toBe(true)
  })
})

describe('the days until fieldwork', () => {
  const base = presented()
  const lead = (fieldwork: string | null, documents: object = {}): string => {
    const figures = { ...base.shown.figures, documents: { ...base.shown.figures.documents, ...documents } }
    const view = homeOf({ ...FACTS, fieldwork }, { ...base, shown: { ...base.shown, figures } })
    return view.lead.map(({ text }) => text).join('')
  }
  const day = (days: number): string =>
    new Date(Date.parse(FIXTURE_TIME) + days * 86_400_000).toISOString().slice(0, 10)

  test.each([
    [21, { needed: 41, held: 27 }, 'Fieldwork in 21\u00a0days: 14 documents outstanding.'],
    [1, { needed: 2, held: 1 }, 'Fieldwork in 1\u00a0day: 1 document outstanding.'],
    [0, { needed: 2, held: 2 }, 'Fieldwork starts today: no document outstanding.'],
    [-3, { needed: 0, held: 0 }, 'Fieldwork started 3\u00a0days ago.'],
  ])('%d days, %j', (days, documents, sentence) => {
    expect(lead(day(days), documents).endsWith(sentence)).toBe(true)
  })

  test('a day that is not declared or does not exist is not counted', () => {
    for (const fieldwork of [null, '2027-02-30'])
      expect(lead(fieldwork, { needed: 41, held: 27 })).toMatch(/14 of 41 documents are outstanding\.$/)
  })

  test('a day of fieldwork changes nothing that was assessed', () => {
    const { title, steps, results } = homeOf(FACTS, base)
    expect(homeOf({ ...FACTS, fieldwork: day(-3) }, base)).toMatchObject({ title, steps, results })
  })
})

describe('the title and the next step', () => {
  const base = presented()
  const withFindings = (levels: readonly ('critical' | 'high' | 'medium')[]) => {
    const findings = base.shown.findings.filter(({ severity: { level } }) => levels.some((one) => one === level))
    const count = (level: string): number => findings.filter(({ severity }) => severity.level === level).length
    return {
      ...base,
      shown: {
        ...base.shown,
        findings,
        figures: {
          ...base.shown.figures,
          findings: { critical: count('critical'), high: count('high'), medium: count('medium'), low: 0, info: 0 },
          owned: { severe: 0, withOwner: 0 },
          documents: { needed: 4, held: 4, failing: 0, overdue: 0, unassigned: 0 },
        },
      },
    }
  }

  test.each([
    ['nothing declared', { ...FACTS, nodes: 0 }, null, 'import'],
    ['nodes and no run', FACTS, null, 'collect'],
    ['a collection in progress', { ...FACTS, running: { finished: 1, all: 8 } }, base, 'view-collection'],
    [
      'a missed run without a reason',
      { ...FACTS, dueRuns: { unexplained: [{ due: '2026-11-19T02:00:00.000Z' }], overdue: [] } },
      base,
      'missed-runs',
    ],
    ['a request of an auditor', { ...FACTS, requests: { waiting: 1, late: 0, commented: 0 } }, base, 'requests'],
    ['a comment alone', { ...FACTS, requests: { waiting: 0, late: 0, commented: 1 } }, base, 'assign'],
    ['severe findings without an owner', FACTS, base, 'assign'],
    ['no engagement', { ...FACTS, engagement: 'none' }, withFindings(['medium']), 'engagement'],
    ['an engagement not complete', { ...FACTS, engagement: 'incomplete' }, withFindings(['medium']), 'engagement'],
    ['an engagement declared as draft', { ...FACTS, engagement: 'draft' }, withFindings(['medium']), 'export'],
    ['no day of fieldwork', { ...FACTS, fieldwork: null }, withFindings(['medium']), 'audit-day'],
    ['no signing identity', { ...FACTS, hasIdentity: false }, withFindings(['medium']), 'identity'],
    ['no connected sealer', { ...FACTS, signing: 'sealers', hasIdentity: false }, withFindings(['medium']), 'sealer'],
    [
      'no configured sealer',
      { ...FACTS, signing: 'no-sealer', hasIdentity: false },
      withFindings(['medium']),
      'sealer',
    ],
    ['everything done with a sealer', { ...FACTS, signing: 'sealers' }, withFindings(['medium']), 'export'],
    ['everything done', FACTS, withFindings(['medium']), 'export'],
  ] as const)('%s: %#', (_, facts, matter, expected) => {
    const { next, steps } = homeOf(facts, matter)
    expect(next.is).toBe(expected)
    expect(next.reason).not.toBe('')
    if (matter !== null) expect(steps.filter(({ current }) => current)).toHaveLength(1)
  })

  test('the demo fleet is offered only where nothing is declared', () => {
    const nothing: HomeFacts = { ...FACTS, fleet: null, nodes: 0, engagement: 'none' }
    const offered = (facts: HomeFacts): boolean => homeOf(facts, null).isDemoOffered
    expect(offered(nothing)).toBe(true)
    expect(offered({ ...nothing, fleet: 'clinic', nodes: 2 })).toBe(false)
    expect(offered({ ...nothing, fleet: 'clinic' })).toBe(false)
    expect(offered({ ...nothing, engagement: 'incomplete' })).toBe(false)
    expect(offered({ ...nothing, engagement: 'draft' })).toBe(false)
    expect(homeOf(nothing, base).isDemoOffered).toBe(false)
  })

  test.each(ENGAGEMENT_STATES)('the engagement has the same words as before an export: %s', (engagement) => {
    const home = homeOf({ ...FACTS, engagement }, base)
    const lines = home.steps.find(({ id }) => id === 'export')?.lines.flat() ?? []
    expect(lines.map(({ text }) => text)).toContain(engagementStateWords[engagement])
  })

  test('unreconciled rows come before documents, and documents before the identity', () => {
    const quiet = withFindings(['medium'])
    const { figures } = quiet.shown
    const inventory = { rows: 10, matched: 8, excluded: 1, unreconciled: 1 }
    const documents = { needed: 4, held: 1, failing: 0, overdue: 0, unassigned: 3 }
    const step = (changes: object) =>
      homeOf(
        { ...FACTS, hasIdentity: false },
        { ...quiet, shown: { ...quiet.shown, figures: { ...figures, ...changes } } },
      ).next.is
    expect(step({ inventory, documents })).toBe('reconcile')
    expect(step({ documents })).toBe('assign-documents')
  })

  test('the title names the most severe level that there is', () => {
    const title = (matter: typeof base | ReturnType<typeof withFindings> | null) => homeOf(FACTS, matter).title
    expect(title(withFindings(['critical', 'high']))).toMatch(/^\d+ critical findings? on \d of 8 nodes$/)
    expect(title(withFindings(['high', 'medium']))).toMatch(/^No critical findings; \d+ high$/)
    expect(title(withFindings(['medium']))).toMatch(/^\d+ findings?, none critical or high$/)
    expect(title(withFindings([]))).toBe('No deviations noted on 6 of 8 nodes, 2 not tested')
    expect(title(null)).toBe('No evidence yet')
  })

  test('a node that was collected in part leaves the collection open', () => {
    const [first, ...others] = base.assessment.nodes.filter(({ status }) => status === 'complete')
    if (first === undefined) throw new Error('the demo fleet was collected')
    const step = (nodes: typeof base.assessment.nodes) => {
      const figures = { ...base.shown.figures, tested: nodes.length, declared: nodes.length, untested: 0 }
      const view = homeOf(FACTS, {
        ...base,
        assessment: { ...base.assessment, nodes },
        shown: { ...base.shown, figures },
      })
      const { state, lines } = view.steps[0] ?? { state: null, lines: [] }
      return [
        state,
        lines
          .at(-1)
          ?.map(({ text }) => text)
          .join(''),
      ]
    }
    expect(step([first, ...others])).toEqual(['done', 'all tested'])
    expect(step([{ ...first, status: 'partial' }, ...others])).toEqual(['open', 'some collected in part'])
  })

  test('a run without a tested node leads back to the collection, and states no absence of deviations', () => {
    const stopped = assess({ catalog, scope, recordings: [], asOf: FIXTURE_TIME })
    const shown = shownOf({ assessment: stopped, catalog, register: EMPTY_REGISTER, recordings: [] })
    const home = homeOf(FACTS, { ...presented(), assessment: stopped, shown })
    expect(shown.figures.tested).toBe(0)
    expect(home.next.is).toBe('collect')
    expect(home.steps.map(({ id, state, current }) => [id, state, current]).slice(0, 2)).toEqual([
      ['collect', 'open', true],
      ['respond', 'to-do', false],
    ])
    expect(home.results?.noFinding).not.toContain('No deviations noted')
    expect(presentedHome().results?.noFinding).toContain('No deviations noted')
  })
})

const presentedHome = () => homeOf(FACTS, presented())

describe('requests of auditors', () => {
  const notices = (waiting: number, late: number, commented: number) =>
    homeOf({ ...FACTS, requests: { waiting, late, commented } }, null).notices

  test.each([
    [1, 0, 0, 'requests', [1]],
    [3, 0, 0, 'requests', [3]],
    [3, 2, 0, 'late-requests', [3]],
    [1, 1, 2, 'late-requests', [1, 2]],
    [0, 0, 2, 'requests', [2]],
  ] as const)('%d that wait, %d late, %d commented', (waiting, late, commented, is, counted) => {
    const [notice, ...further] = notices(waiting, late, commented)
    expect(further).toEqual([])
    expect(notice).toMatchObject({ is, action: { opens: { rows: 'requests' } } })
    const opening = notice?.phrases.filter(({ counts }) => counts?.rows === 'requests') ?? []
    expect(opening.map(({ text }) => numberIn(text))).toEqual(counted)
    expect(notice?.phrases.every(({ text }) => text !== '')).toBe(true)
  })

  test('nothing is shown where none awaits an answer, and where there is no portal', () => {
    expect(notices(0, 0, 0)).toEqual([])
    expect(homeOf(FACTS, null).notices).toEqual([])
  })
})

describe('findings', () => {
  const response: ManagementResponse = {
    id: '1'.repeat(32),
    check: presented().shown.findings[0]?.check ?? '',
    status: 'in-progress',
    owner: 'K. Adeyemi',
    due: '2026-12-01T23:59:59.999Z',
    plan: 'Remove the account.',
    statedBy: 'M. Ortiz',
    statedAt: '2026-11-01T08:00:00.000Z',
    withdrawn: null,
  }

  test('a finding in full states what the row of the list states, with its evidence and its place', () => {
    const source = presented({ ...EMPTY_REGISTER, responses: [response] })
    const { rows } = findingsView(source, null)
    for (const [at, row] of rows.entries()) {
      const full = findingView(source, row.reference)
      expect(full).toMatchObject(row)
      expect(full?.place).toMatchObject({ at: at + 1, previous: rows[at - 1]?.reference ?? null })
      expect((full?.evidence.length ?? 0) + (full?.furtherNodes.length ?? 0)).toBe(row.deviations)
      if (full !== null && row.what === 'nodes')
        expect(
          row.deviations +
            full.satisfiedNodes +
            row.inconclusive +
            full.notApplicableNodes.length +
            full.untestedNodes.length,
          `${row.check}: every node is counted once`,
        ).toBe(8)
      expect(full?.concerns).toHaveLength(row.controls)
    }
    expect(rows[0]).toMatchObject({ owner: 'K. Adeyemi', due: '2026-12-01', status: 'in-progress' })
    expect(findingView(source, rows[0]?.reference ?? '')?.responses).toMatchObject([
      { id: response.id, isSigned: false },
    ])
    expect(findingView(source, 'F-000000')).toBeNull()
  })

  test('are counted in their own list: informational ones are not among the findings', () => {
    const source = presented()
    const [first, second, ...rest] = source.shown.findings
    if (first === undefined || second === undefined) throw new Error('the demo fleet has findings')
    const moved = { ...source, shown: { ...source.shown, findings: [first, second], informational: rest } }
    expect(findingView(moved, second.reference)?.place).toEqual({
      at: 2,
      all: findingsView(moved, null).rows.length,
      previous: first.reference,
      next: null,
    })
    expect(findingView(moved, rest[0]?.reference ?? '')?.place).toMatchObject({
      at: 1,
      all: rest.length,
      previous: null,
    })
  })

  test('of 1,000 nodes stay small: a row for each check, and the observations of 50 nodes', () => {
    const { assessment, recordings: all, register } = bigInput(1000)
    const shown = shownOf({ assessment, catalog, register, recordings: all })
    const source = { of: 'run', run: 'r', assessment, catalog, register, shown } as const
    const list = findingsView(source, null)
    expect(list.rows.length).toBeGreaterThan(0)
    expect(list.rows.length).toBeLessThanOrEqual(catalog.checks.length + 1)
    expect(JSON.stringify(list).length).toBeLessThan(128 * 1024)
    const most = [...list.rows].sort((a, b) => b.deviations - a.deviations)[0]
    const full = findingView(source, most?.reference ?? '')
    expect(most?.deviations).toBeGreaterThan(50)
    expect(full?.evidence).toHaveLength(50)
    expect(full?.furtherNodes).toHaveLength((most?.deviations ?? 0) - 50)
    expect(JSON.stringify(full).length).toBeLessThan(512 * 1024)
    const home = homeOf(FACTS, { ...source, remediations: REMEDIATIONS })
    expect(JSON.stringify(home).length).toBeLessThan(128 * 1024)
  })
})

import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { type FoundDeviation, HOST_IDENTITY } from '../main/core/finding/finding.ts'
import type { ReportInput } from '../main/present/input.ts'
import { acceptanceSection } from '../main/present/report/acceptance-section.ts'
import { resultCell, SOURCES, testSection } from '../main/present/report/controls/tests-of-controls.ts'
import { findingSection, statusText } from '../main/present/report/findings.ts'
import { chosenFrameworks } from '../main/present/report/parts/wording.ts'
import { buildReport, documentText, matterOf } from '../main/present/report.ts'
import type { ControlCheck } from '../schemas/types.ts'
import { documentFor, registerWith } from './support/conclusion-documents.ts'
import { engagementOf } from './support/engagement.ts'
import { formatSample } from './support/format-sample.ts'
import { sampleInput } from './support/report/sample.ts'

const answeredOnce = (source: ControlCheck['source']): ControlCheck => ({
  check: 'evidence.chain-of-custody',
  role: 'required',
  decides: true,
  source,
  built: false,
  population: 1,
  tested: 1,
  satisfied: 1,
  notSatisfied: 0,
  inconclusive: 0,
  notApplicable: 0,
  informational: 0,
  notTested: 0,
  accepted: 0,
  answeredByDocument: 0,
  notRetested: 0,
})

const input = sampleInput()

/** Sections of a report as text: the findings, then the tests of each framework. */
function pages(of: ReportInput): { readonly findings: string; readonly tests: string } {
  const matter = matterOf(of)
  const told = (sections: Parameters<typeof documentText>[0]['sections']): string =>
    documentText({ ...buildReport(of), sections }).join('\n')
  return {
    findings: told([findingSection(matter)]),
    tests: told(chosenFrameworks(matter).current.map((framework) => testSection(matter, framework))),
  }
}

test('what only the pack shows is not printed as a test with a result, since the report precedes its verification', () => {
  const [line] = resultCell(answeredOnce('pack'), undefined, 0)
  expect(line?.mark).toBe('dot')
  expect(`${SOURCES.pack} ${line?.text}`).not.toMatch(/perform|no deviations/i)
  expect(resultCell(answeredOnce('population'), undefined, 0)[0]?.mark).toBe('ring-tick')
})

test('without a provider inventory, no node is counted for its comparison', () => {
  const check = { ...answeredOnce('population'), satisfied: 0, inconclusive: 1 }
  expect(resultCell(check, undefined, 0)).toEqual([
    { mark: 'diamond-question', text: 'Unable to conclude: no current provider inventory was compared.' },
  ])
})

test('one node is counted in the singular', () => {
  const server = answeredOnce('server')
  const [line] = resultCell(server, undefined, 0)
  expect(line?.text).toBe('No deviations noted: 1 of 1 node tested.')
  const several = { ...server, population: 3, tested: 3, satisfied: 3 }
  expect(resultCell(several, undefined, 0)[0]?.text).toBe('No deviations noted: 3 of 3 nodes tested.')
})

describe('the counts of a result', () => {
  const words = (changes: Partial<ControlCheck>): string | undefined =>
    resultCell({ ...answeredOnce('server'), population: 8, tested: 6, notTested: 2, ...changes }, undefined, 2)[0]?.text

  test('add up to the nodes tested, with those to which the check does not apply', () => {
    expect(words({ satisfied: 3, inconclusive: 1, notApplicable: 2 })).toBe(
      'Unable to conclude: 3 of 6 nodes satisfied. 1 inconclusive, 2 not applicable.',
    )
    expect(words({ population: 6, notTested: 0, satisfied: 5, notApplicable: 1 })).toBe(
      'No deviations noted: 5 of 6 nodes tested. 1 not applicable.',
    )
  })

  test('of a scope limitation state what is missing', () => {
    expect(words({ satisfied: 6 })).toBe(
      'Scope limitation: no deviations noted on 6 of 6 nodes tested; 2 of 8 not tested.',
    )
    expect(words({ satisfied: 5, notApplicable: 1 })).toBe(
      'Scope limitation: no deviations noted on 5 of 6 nodes tested; 2 of 8 not tested. 1 not applicable.',
    )
  })

  test('of a check that applies to no node tested name no satisfied node', () => {
    expect(words({ satisfied: 0, notApplicable: 6 })).toBe(
      'Scope limitation: not applicable on 6 of 6 nodes tested, as observed; 2 of 8 not tested.',
    )
  })
})

test('a status names the nodes of an acceptance that does not cover all deviations', () => {
  const [one] = matterOf(input).shown.findings
  const [deviation] = one?.deviations ?? []
  if (one === undefined || deviation === undefined) throw new Error('no finding')
  const until = (day: string) => ({ expiresAt: `${day}T23:59:59.999Z` }) as never
  const [ended, accepted, never] = [
    { ...deviation, acceptanceExpired: until('2026-11-01') },
    { ...deviation, accepted: until('2027-02-01') },
    deviation,
  ]
  const text = (...deviations: readonly FoundDeviation[]): string =>
    statusText({ ...one, status: 'acceptance-expired', deviations })
  expect(text(ended)).toBe('Risk acceptance expired 1 Nov 2026')
  expect(text(ended, never)).toBe('Risk acceptance expired 1 Nov 2026 on 1 node')
  expect(text(ended, ended, accepted)).toBe(
    'Risk acceptance expired 1 Nov 2026 on 2 nodes; risk accepted on 1 node until 1 Feb 2027',
  )
  expect(statusText({ ...one, status: 'in-progress', deviations: [ended, never] })).toBe(
    'In progress; risk acceptance expired 1 Nov 2026 on 1 node',
  )
})

test('names of deviating nodes are those that the control counts', () => {
  const [one] = matterOf(input).shown.findings
  const [deviation] = one?.deviations ?? []
  if (one === undefined || deviation === undefined) throw new Error('no finding')
  const names = ['in', 'out']
  const found = { ...one, deviations: names.map((subject) => ({ ...deviation, subject })) }
  const cell = (notSatisfied: number) =>
    resultCell(
      { ...answeredOnce('server'), population: 3, tested: 3, satisfied: 3 - notSatisfied, notSatisfied },
      found,
      0,
    )
  expect(cell(2)[0]?.text).toBe(`Deviations noted: 2 of 3 nodes tested: ${names.join(', ')}.`)
  // One of the two is outside of the scope of the control.
  expect(cell(1)[0]?.text).toBe('Deviations noted: 1 of 3 nodes tested.')
})

test('a comparison that is made once states no count of nodes', () => {
  const text = (source: ControlCheck['source']): string | undefined =>
    resultCell(answeredOnce(source), undefined, 0)[0]?.text
  expect(text('population')).toBe('No deviations noted: every row is reconciled.')
  expect(text('runs')).toBe('No deviations noted: the run chain covers the period.')
})

describe('the population that a section states', () => {
  const introOf = (map: readonly string[]): string => {
    const nodes = input.assessment.nodes.map(({ node }) => node)
    const stores = [{ name: 'Images', path: '/srv/ephi', nodes: map, what: 'images' }]
    const scope = { engagement: engagementOf({ nodes, stores }) }
    const inspected = documentFor('ER-12')
    const at = '2026-11-01T00:00:00.000Z'
    const document = { ...inspected, attachedAt: at, inspection: { ...inspected.inspection, at } as never }
    const { tests } = pages(sampleInput({ scope, register: registerWith([document]) }))
    return tests.split('\n').find((line) => line.includes('in scope: ')) ?? ''
  }

  test('is that of all nodes, where all tests have it', () => {
    expect(introOf([])).toContain(
      'The population of each test is the 6 declared nodes, of which 4 were tested; 2 were not',
    )
  })

  test('names apart the nodes that controls on ePHI test', () => {
    const intro = introOf(['gpu-fra-01', 'gpu-fra-02'])
    expect(intro).not.toContain('limits every conclusion.')
    expect(intro).toContain(
      'Controls on ePHI test the 2 nodes that hold or carry it by declaration: 164.308(a)(7)(ii)(A), ',
    )
  })
})

test.each(['encryption.at-rest.ephi-paths', 'encryption.in-transit.ephi-flows'])(
  'the procedure of %s names what is tested where nothing is declared',
  (check) => {
    expect(catalog.severities.find((one) => one.check === check)?.procedure).toContain('where none is declared')
  },
)

describe('a control', () => {
  const { tests } = pages(input)

  test('that documents alone leave open states so once', () => {
    expect(tests).toContain('documents outstanding: 0 of')
    expect(tests).not.toContain('documents outstanding; documents outstanding')
  })

  test('that is addressable is marked, whether a test or a document decides it', () => {
    expect(tests).toContain('164.312(a)(2)(iii) Automatic logoff (addressable)')
    expect(tests).toContain('164.310(a)(2)(i) Contingency operations (addressable)')
    expect(tests).not.toContain('Unique user identification (addressable)')
  })
})

describe('a node that was refused because of its host key', () => {
  const { assessment, catalog, register, recordings } = formatSample()
  const failure = { code: 'ssh.host-key-changed', detail: 'ssh-ed25519 SHA256:other was shown' }
  const nodes = assessment.nodes.map((node) => (node.node === 'demo-missing-07' ? { ...node, failure } : node))
  const of = { ...input, assessment: { ...assessment, nodes }, catalog, register, recordings }
  const { findings, tests } = pages(of)

  test('is counted apart from the nodes tested, and limits the controls of the check', () => {
    expect(findings).toContain('Deviations on 1 of 7 nodes: 6 tested, 1 refused before login.')
    expect(findings).toMatch(/which limits the conclusion on:\s+HIPAA 164\.312\(d\) Person or entity authentication/)
  })

  test('is counted in the same way among all deviations, and was not collected', () => {
    const matter = matterOf(of)
    const told = (section: Parameters<typeof documentText>[0]['sections'][number]): string =>
      documentText({ ...buildReport(of), sections: [section] }).join('\n')
    const deviations = told(acceptanceSection(matter))
    expect(deviations).toContain(`${HOST_IDENTITY}\nOf 7: 6 tested, 1 refused before login.\n1 of 7\n`)
    expect(deviations).not.toContain(`${HOST_IDENTITY}\n1 of 6`)
  })

  test('is named where the check is listed as a test, with its finding', () => {
    const found = matterOf(of).shown.findings.find(({ check }) => check === HOST_IDENTITY)
    expect(tests).toContain(
      '6 of 6 nodes tested; 1 of 7 not tested. Another host key was shown by demo-missing-07, not tested.',
    )
    expect(tests).toContain(found?.reference)
  })
})

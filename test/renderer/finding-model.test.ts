import { describe, expect, test } from 'vitest'
import { FINDING_STATUSES } from '../../main/core/finding/finding.ts'
import {
  closedPhrases,
  deviatingWords,
  FINDING_SORTS,
  filterWords,
  isNoFindingFilter,
  NO_FINDING_FILTER,
  routeOf,
  SEVERE,
  showsFinding,
  sortedFindings,
  statedWords,
  statusMarks,
} from '../../renderer/models/finding-model.ts'
import { chosenWords, draftOf, formOf, lackingIn } from '../../renderer/state/response-model.ts'
import { findingStatusWords } from '../../schemas/conclusion-words.ts'
import type { CountedRows, FindingRow, ResponseView } from '../../schemas/ipc-findings.ts'

const row = (check: string, changes: Partial<FindingRow> = {}): FindingRow => ({
  reference: 'F-000001',
  check,
  property: 'access',
  severity: 'high',
  riskArea: 'accounts',
  title: check,
  condition: `Condition of ${check}`,
  what: 'nodes',
  deviations: 1,
  tested: 6,
  refused: 0,
  inconclusive: 0,
  controls: 0,
  fixedBy: 'tenant',
  status: 'open',
  statusText: 'Open',
  owner: null,
  due: null,
  isOverdue: false,
  response: null,
  ...changes,
})

test('responses of management are counted, and signed ones among them', () => {
  const response = { isSigned: false } as ResponseView
  expect(statedWords([row('a'), row('b', { response }), row('c', { response: { ...response, isSigned: true } })])).toBe(
    '2 with a management response, 1 digitally signed.',
  )
})

test('a node that was refused before login is none of the nodes tested', () => {
  expect(deviatingWords({ deviations: 1, tested: 6, refused: 0 }, 'nodes tested')).toBe('1 of 6 nodes tested')
  expect(deviatingWords({ deviations: 1, tested: 6, refused: 1 }, 'nodes')).toBe(
    '1 of 7 nodes: 6 tested, 1 refused before login',
  )
})

describe('the list of findings', () => {
  const rows = [
    row('a', { severity: 'low', deviations: 5, due: '2026-12-01' }),
    row('b', { severity: 'critical', owner: 'J. Lin' }),
    row('c', { severity: 'critical', riskArea: 'other-parties', status: 'in-progress', due: '2026-11-30' }),
    row('d', { deviations: 3, owner: 'A. Smith' }),
  ]
  const order = (by: (typeof FINDING_SORTS)[number], isReversed = false): string =>
    sortedFindings(rows, { by, isReversed })
      .map(({ check }) => check)
      .join('')

  test('is sorted by severity, then risk area; every column keeps that as its second key', () => {
    expect(order('severity')).toBe('cbda')
    expect(order('nodes')).toBe('adcb')
    expect(order('due')).toBe('cabd')
    expect(order('owner')).toBe('dbca')
    for (const by of FINDING_SORTS) expect([...order(by)].sort().join('')).toBe('abcd')
    expect(order('severity', true)[0]).toBe('a')
  })

  test('is filtered by severity, owner, status and text, each by itself and together', () => {
    const left = (part: object): string =>
      rows
        .filter((one) => showsFinding({ ...NO_FINDING_FILTER, ...part }, one))
        .map(({ check }) => check)
        .join('')
    expect(left({})).toBe('abcd')
    expect(left({ severities: SEVERE })).toBe('bcd')
    expect(left({ severities: SEVERE, owner: { is: 'none' } })).toBe('c')
    expect(left({ owner: { is: 'some' } })).toBe('bd')
    expect(left({ owner: { is: 'named', name: 'J. Lin' } })).toBe('b')
    expect(left({ status: 'in-progress' })).toBe('c')
    expect(left({ text: 'of d smith' })).toBe('d')
  })

  test('a filter has words exactly where it filters something', () => {
    expect(isNoFindingFilter(NO_FINDING_FILTER)).toBe(true)
    expect(filterWords(NO_FINDING_FILTER)).toBe('')
    for (const part of [
      { severities: SEVERE },
      { owner: { is: 'none' } as const },
      { status: 'open' as const },
      { node: 'gpu-1' },
      { text: 'ssh' },
    ]) {
      expect(isNoFindingFilter({ ...NO_FINDING_FILTER, ...part })).toBe(false)
      expect(filterWords({ ...NO_FINDING_FILTER, ...part })).not.toBe('')
    }
  })

  test('knows every status of the engine', () => {
    for (const words of [findingStatusWords, statusMarks]) expect(Object.keys(words)).toEqual([...FINDING_STATUSES])
  })
})

test('every number opens a screen with the filter that it counts', () => {
  const counted: readonly (readonly [CountedRows, object])[] = [
    [
      { rows: 'findings', severity: 'severe', node: null, owner: 'without' },
      { screen: 'findings', filter: { severities: SEVERE, owner: { is: 'none' }, node: null } },
    ],
    [
      { rows: 'findings', severity: 'low', node: 'gpu-1', owner: null },
      { screen: 'findings', filter: { severities: ['low'], owner: null, node: 'gpu-1' } },
    ],
    [
      { rows: 'nodes', state: 'not-tested' },
      { screen: 'properties', filter: { tested: 'not-tested' } },
    ],
    [
      { rows: 'nodes', state: 'all' },
      { screen: 'properties', filter: { tested: null } },
    ],
    [
      { rows: 'checks', state: 'in-order' },
      { screen: 'checks', state: 'in-order' },
    ],
    [
      { rows: 'check', check: 'a.b', nodes: ['gpu-1'] },
      { screen: 'check', check: 'a.b', nodes: ['gpu-1'] },
    ],
    [{ rows: 'population' }, { screen: 'engagement', part: 'population' }],
    [
      { rows: 'controls', framework: 'hipaa', state: 'deviations' },
      { screen: 'controls', framework: 'hipaa', state: 'deviations' },
    ],
  ]
  for (const [counts, route] of counted) expect(routeOf(counts, 'run')).toMatchObject(route)
})

describe('a response', () => {
  const current: ResponseView = {
    id: '1'.repeat(32),
    status: 'in-progress',
    owner: 'J. Lin',
    due: '2026-12-01',
    plan: 'Replace it.',
    cause: null,
    statedBy: 'M. Ortiz',
    statedAt: '2026-11-20T10:00:00.000Z',
    withdrawnAt: null,
    isSigned: false,
  }
  const form = { ...formOf(null), statedBy: 'M. Ortiz' }

  test('to several findings changes only what was filled in; to one, what is emptied is cleared', () => {
    expect(draftOf({ ...form, owner: 'J. Lin' }, ['a', 'b'], null)).toMatchObject({
      owner: 'J. Lin',
      due: null,
      status: null,
      plan: null,
    })
    expect(draftOf({ ...formOf(current), statedBy: 'M. Ortiz', plan: '' }, ['a'], 'acme')).toMatchObject({
      owner: 'J. Lin',
      due: '2026-12-01',
      status: 'in-progress',
      plan: '',
      identity: 'acme',
    })
  })

  test('names what it lacks', () => {
    expect(Object.keys(lackingIn(formOf(null))).sort()).toEqual(['owner', 'statedBy'])
    expect(Object.keys(lackingIn({ ...form, status: 'disputed' }))).toEqual(['plan'])
    expect(lackingIn({ ...form, status: 'in-progress' })).toEqual({})
  })

  test('counts findings and deviations of what is chosen', () => {
    expect(chosenWords([row('a', { deviations: 3 }), row('b')])).toBe('2 findings, 4 deviations')
  })
})

describe('a sentence with links', () => {
  const link = { rows: 'fieldwork' } as const
  const pieces = (...texts: readonly (readonly [string, boolean])[]) =>
    closedPhrases(texts.map(([text, isLink]) => ({ text, counts: isLink ? link : null }))).map(
      ({ text, counts, closing }) => `${counts === null ? text : `[${text}]`}${closing === '' ? '' : `|${closing}`}`,
    )

  test('a link takes the punctuation that follows it along', () => {
    expect(
      pieces(['Fieldwork in 21 days', true], [': ', false], ['14 documents', true], [' outstanding.', false]),
    ).toEqual(['[Fieldwork in 21 days]|:', ' ', '[14 documents]', ' outstanding.'])
    expect(pieces(['one', true], [', ', false], ['two', true], ['.', false])).toEqual(['[one]|,', ' ', '[two]|.'])
  })

  test('nothing is lost or added, and what is no link stays as it is', () => {
    expect(pieces(['a', false], [': ', false], ['b', true], ['c', true], ['', false])).toEqual([
      'a',
      ': ',
      '[b]',
      '[c]',
    ])
  })
})

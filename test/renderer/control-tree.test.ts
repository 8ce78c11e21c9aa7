import { describe, expect, test } from 'vitest'
import {
  checkTally,
  countLine,
  countsOf,
  documentPartOf,
  isApart,
  nodesWith,
  serverPartOf,
  sortedTree,
  stateOf,
  treeOf,
} from '../../renderer/models/control-tree.ts'
import { DOCUMENT_STATES, ROW_STATES, SERVER_STATES } from '../../schemas/conclusion-words.ts'
import type { FrameworkView } from '../../schemas/ipc-results.ts'
import type { DocumentPart, ServerPart } from '../../schemas/types.ts'
import { VERDICTS } from '../../schemas/words.ts'
import { check, concludedOf, controlOf, documentOf, row, view } from './made-up-view.ts'

const server = (state: ServerPart['state'], part: Partial<ServerPart> = {}): ServerPart => ({
  state,
  population: 4,
  tested: 4,
  deviating: 0,
  accepted: 0,
  notRetested: 0,
  ...part,
})
const documents = (state: DocumentPart['state'], part: Partial<DocumentPart> = {}): DocumentPart => ({
  state,
  needed: 2,
  held: 0,
  outstanding: [],
  deviations: [],
  ...part,
})
const hipaa: FrameworkView = {
  id: 'hipaa',
  title: 'HIPAA',
  version: '1',
  status: '',
  proposed: false,
  parts: { documents: [], lines: [] },
  controls: [
    controlOf('312(a)', 'deviations'),
    controlOf('312(b)', 'supported'),
    controlOf('312(c)', null),
    controlOf('308(a)', 'supported', {
      group: '164.308',
      summary: 'Assign an officer.',
      mappings: [],
      documents: [documentOf('ER-05')],
      assessed: concludedOf('supported', { server: server('no-server-test', { population: 0, tested: 0 }) }),
    }),
  ],
}

describe('the tree', () => {
  test('is ordered within its groups: by conclusion the worst first, by a part by its words', () => {
    const ids = (by: string) =>
      sortedTree(treeOf([hipaa], { text: '', state: 'all' }), by).flatMap(({ groups }) =>
        groups.map(({ controls }) => controls.map(({ id }) => id)),
      )
    const given = ids('given')
    expect(given.some((controls) => controls.length > 1)).toBe(true)
    const worst = treeOf([hipaa], { text: '', state: 'all' }).flatMap(({ groups }) =>
      groups.map(({ controls }) =>
        [...controls]
          .sort((a, b) => ROW_STATES.indexOf(stateOf(a)) - ROW_STATES.indexOf(stateOf(b)))
          .map(({ id }) => id),
      ),
    )
    expect(ids('state')).toEqual(worst)
    expect(ids('state')).not.toEqual(given)
    expect(ids('gone')).toEqual(given)
  })

  test('keeps the catalog’s order of groups and counts row states with a denominator', () =>
    expect(
      treeOf([hipaa], { text: '', state: 'all' })[0]?.groups.map(({ title, total, counts }) => [
        title,
        total,
        counts.map(countLine),
      ]),
    ).toEqual([
      ['164.312', 3, ['Deviations noted 1', 'Unable to conclude 1', 'Supported 1, of which 1 with server tests']],
      ['164.308', 1, ['Supported 1, of which 0 with server tests']],
    ]))
  test('a filter by row state leaves fewer rows and the same denominators', () => {
    const [found] = treeOf([hipaa], { text: '', state: 'supported' })
    expect(found?.groups.map(({ controls, total }) => [controls.map(({ id }) => id), total])).toEqual([
      [['312(b)'], 3],
      [['308(a)'], 1],
    ])
    expect(found?.total).toBe(4)
  })
  test('frameworks are counted separately, and each sums to its own controls', () => {
    const soc2 = {
      ...hipaa,
      id: 'soc2',
      controls: [controlOf('CC6.1', 'deviations'), controlOf('A1.2', 'out-of-scope')],
    }
    const sums = treeOf([hipaa, soc2], { text: '', state: 'all' }).map(({ counts, total }) => [
      counts.reduce((sum, { count }) => sum + count, 0),
      total,
    ])
    expect(sums).toEqual([
      [4, 4],
      [2, 2],
    ])
  })
  test.each([
    ['OFFICER', ['308(a)']],
    ['er-05', ['308(a)']],
    ['ssh-algorithms 312(b)', ['312(b)']],
    ['no such words', []],
    ['   ', ['312(a)', '312(b)', '312(c)', '308(a)']],
  ])('text %j', (text, ids) =>
    expect(
      treeOf([hipaa], { text, state: 'all' })[0]?.groups.flatMap(({ controls }) => controls.map(({ id }) => id)),
    ).toEqual(ids),
  )
  test('every row state is counted, worst first', () =>
    expect(countsOf(ROW_STATES.map((state) => controlOf(state, state))).map(({ state }) => state)).toEqual(ROW_STATES))
  test('a row without a conclusion is counted as unable to conclude', () =>
    expect(stateOf({ assessed: null })).toBe('unable-to-conclude'))
})

describe('the two parts of a control', () => {
  const of = (one: ServerPart, other: DocumentPart) => {
    const row = { assessed: concludedOf('deviations', { server: one, documents: other }) }
    return [serverPartOf(row), documentPartOf(row)]
  }
  test.each([
    [
      server('deviations', { tested: 3, deviating: 1 }),
      'not-satisfied',
      'Deviations noted: deviations on 1 of 3 nodes tested; 1 not tested',
    ],
    [server('unable-to-conclude'), 'inconclusive', 'Unable to conclude'],
    [
      server('scope-limitation', { tested: 3 }),
      'inconclusive',
      'Scope limitation: no deviations on 3 nodes tested; 1 not tested',
    ],
    [server('not-tested', { tested: 0 }), 'not-tested', 'Not tested: none of 4 nodes was reached'],
    [server('no-deviations'), 'satisfied', 'No deviations noted: no deviations on 4 nodes tested'],
    [server('not-applicable'), 'not-applicable', 'Not applicable (observed)'],
    [server('no-server-test', { population: 0, tested: 0 }), 'informational', 'No server test'],
  ] as const)('server part %o', (part, tone, label) =>
    expect(of(part, documents('inspected'))[0]).toMatchObject({ tone, label }),
  )
  test.each([
    [documents('deviations', { held: 1 }), 'not-satisfied', 'Deviations noted in documents: 1 of 2 held'],
    [documents('outstanding'), 'not-tested', 'Documents outstanding: 0 of 2 held'],
    [documents('inspected', { held: 2 }), 'satisfied', 'Documents inspected: 2 of 2 held'],
    [documents('none-needed', { needed: 0 }), 'informational', 'No document needed'],
  ] as const)('document part %o', (part, tone, label) =>
    expect(of(server('no-deviations'), part)[1]).toMatchObject({ tone, label }),
  )
  test('one part never takes the tone of the other', () => {
    const [servers, papers] = of(server('deviations', { deviating: 1 }), documents('inspected', { held: 2 }))
    expect([servers?.tone, papers?.tone]).toEqual(['not-satisfied', 'satisfied'])
  })
  test('every state of either part has words', () => {
    for (const state of SERVER_STATES) expect(of(server(state), documents('inspected'))[0]?.meaning).not.toBe('')
    for (const state of DOCUMENT_STATES) expect(of(server('no-deviations'), documents(state))[1]?.meaning).not.toBe('')
    expect([serverPartOf({ assessed: null }).label, documentPartOf({ assessed: null }).label]).toEqual([
      'Not assessed',
      'Not assessed',
    ])
  })
  test('the row state is printed in the list only where the parts do not show it', () =>
    expect(ROW_STATES.filter(isApart)).toEqual(['addressable-decision', 'not-applicable', 'out-of-scope']))
})

describe('numbers that open a list of nodes', () => {
  const accepted = [{ check: 'c', until: '', owner: '' }]
  const made = view(
    [check('c', 'access')],
    [
      row('a', ['satisfied']),
      row('b', ['not-satisfied'], { accepted }),
      row('c', ['not-satisfied']),
      row('d', ['not-tested']),
      row('e', ['satisfied'], { accepted }),
      row('f', ['informational']),
    ],
  )
  test('as many nodes as counted, and every node in one list', () => {
    const tally = checkTally(made, 'c')
    expect([tally?.decidable, tally?.total]).toEqual([5, 6])
    const lists = VERDICTS.map((verdict) => nodesWith(made, 'c', verdict).map(({ node }) => node))
    expect(lists.map((nodes) => nodes.length)).toEqual(VERDICTS.map((verdict) => tally?.counts[verdict]))
    expect(lists.flat().sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(nodesWith(made, 'c', 'accepted').map(({ node }) => node)).toEqual(['b'])
  })
  test('a check that this catalog does not have was collected nowhere', () =>
    expect([nodesWith(made, 'unknown', 'not-tested').length, checkTally(made, 'unknown')]).toEqual([6, null]))
})

import { expect, test } from 'vitest'
import { type PaletteState, paletteEntries } from '../../renderer/palette.ts'

const STATE: PaletteState = {
  review: false,
  nodes: ['db-1', 'overview-node', 'web-1'],
  findings: [{ reference: 'F-20BF8C', condition: 'A password alone opens an SSH session: db-1' }],
  places: ['Frankfurt'],
  canCollect: true,
  canCollectMissing: false,
}
const titles = (typed: string, state: PaletteState = STATE): readonly string[] =>
  paletteEntries(typed, state).map(({ title }) => title)

test('screens and actions are offered before anything is typed, nodes and filters are not', () => {
  expect(titles('')).toContain('Collect evidence')
  expect(titles('')).not.toContain('Collect missing evidence')
  expect(titles('')).not.toContain('db-1')
})

test('what begins with the text comes first', () => {
  expect(titles('over')).toEqual(['Overview', 'overview-node'])
  expect(titles('node')[0]).toBe('Nodes')
})

test('a sentence is offered as the filter that it describes', () => {
  const [first] = paletteEntries('isolation unresolved, in frankfurt', STATE)
  expect(first?.does).toEqual({
    go: {
      screen: 'properties',
      of: 'run',
      filter: { property: 'isolation', state: 'open', place: 'Frankfurt', rights: null, tested: null, named: '' },
    },
  })
})

test('a finding is found by its reference and by its condition, and opens its place', () => {
  for (const typed of ['f-20bf8c', 'password alone'])
    expect(paletteEntries(typed, STATE)[0]?.does).toEqual({
      go: { screen: 'finding', of: 'run', reference: 'F-20BF8C' },
    })
  expect(titles('').some((title) => title.includes('F-20BF8C'))).toBe(false)
})

test('the review window offers nothing that collects, changes or leaves the pack', () => {
  const all = [...titles('', { ...STATE, review: true, canCollect: false })]
  expect(all).not.toContain('Nodes')
  expect(all).not.toContain('Settings')
  expect(all).not.toContain('Collect evidence')
  expect(all).toContain('Verification')
  const [node] = paletteEntries('db-1', { ...STATE, review: true })
  expect(node?.does).toEqual({ go: { screen: 'node', of: 'pack', node: 'db-1' } })
})

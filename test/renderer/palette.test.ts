import { expect, test } from 'vitest'
import type { Route } from '../../renderer/models/routes.ts'
import { type PaletteState, paletteEntries } from '../../renderer/state/palette.ts'

const STATE: PaletteState = {
  review: false,
  nodes: ['db-1', 'overview-node', 'web-1'],
  places: ['Frankfurt'],
  canCollect: true,
  canCollectMissing: false,
  found: [
    {
      group: 'Findings',
      reference: 'F-20BF8C',
      title: 'SSH allows login with a single factor',
      to: { is: 'finding', reference: 'F-20BF8C' },
    },
    {
      group: 'Checks',
      reference: 'access.ssh.mfa',
      title: 'The SSH server asks for two factors.',
      to: { is: 'result', node: 'db-1', property: 'access', check: 'access.ssh.mfa' },
    },
    {
      group: 'Controls',
      reference: '164.312(a)(1)',
      title: 'Access control (HIPAA)',
      to: { is: 'control', framework: 'hipaa', key: 'a1' },
    },
    {
      group: 'Evidence requests',
      reference: 'ER-03',
      title: 'Access policy',
      to: { is: 'documents', find: 'Access policy' },
    },
  ],
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

test.each<[string, Route]>([
  ['F-20BF8C', { screen: 'finding', of: 'run', reference: 'F-20BF8C' }],
  ['single factor', { screen: 'finding', of: 'run', reference: 'F-20BF8C' }],
  ['mfa', { screen: 'why', of: 'run', node: 'db-1', property: 'access', check: 'access.ssh.mfa' }],
  ['164.312', { screen: 'control', of: 'run', framework: 'hipaa', key: 'a1' }],
  ['er-03', { screen: 'documents', of: 'run', find: 'Access policy' }],
  ['help', { screen: 'settings', part: 'about' }],
  ['version', { screen: 'settings', part: 'about' }],
  ['glossary: drift', { screen: 'settings', part: 'about' }],
  ['time-stamping', { screen: 'settings', part: 'time-stamping' }],
])('%j leads to its place', (typed, route) => {
  expect(paletteEntries(typed, STATE)[0]?.does).toEqual({ go: route })
})

test('a reference of a pack opens it in the pack, and the settings are not offered there', () => {
  const pack = { ...STATE, review: true }
  expect(paletteEntries('ER-03', pack)[0]?.does).toEqual({
    go: { screen: 'documents', of: 'pack', find: 'Access policy' },
  })
  expect(titles('glossary', pack)).toEqual([])
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

import { describe, expect, test } from 'vitest'
import { changeFold } from '../../main/core/period/changes.ts'
import { movesIn } from '../../main/core/period/period.ts'
import { type PopulationName, populationsOf } from '../../main/core/period/populations.ts'
import { seenFold } from '../../main/core/period/seen.ts'
import type { RunTrace, TracedNode } from '../../schemas/types.ts'

const SHA = 'a'.repeat(64)
const digits = (letter: string): string => letter.repeat(12)
const DISK = { kind: 'disk', part: 'Samsung PM9A3', value: 'S64GNE0R' } as const
// A node that shows no disk at all shows nothing about disks.
const bootOf = (name: string) => ({ kind: 'disk', part: 'Micron 7450', value: `B-${name}` }) as const
const node = (name: string, changes: Partial<TracedNode> = {}): TracedNode => ({
  node: name,
  status: 'complete',
  failure: null,
  observedAt: '2026-10-01T02:00:00.000Z',
  recording: SHA,
  hostKey: `SHA256:${name}`,
  address: name,
  declared: SHA,
  verdicts: 'mc',
  readings: digits('1') + digits('2'),
  parts: [bootOf(name)],
  accounts: [],
  keys: [],
  ...changes,
})
const unread = (name: string): TracedNode =>
  node(name, {
    status: 'failed',
    failure: 'ssh.unreachable',
    observedAt: null,
    recording: null,
    hostKey: null,
    verdicts: 'tt',
    readings: digits('0') + digits('0'),
    parts: [],
    accounts: null,
    keys: null,
  })
const run = (day: number, ...nodes: readonly TracedNode[]): RunTrace => ({
  schema: 'barewitness.run-trace/1',
  run: `r${day}`,
  fleet: 'clinic',
  asOf: `2026-10-0${day}T02:00:00.000Z`,
  demo: false,
  planned: null,
  engine: '1',
  catalog: { version: '1', digest: SHA, module: SHA },
  rules: SHA,
  scope: [],
  checks: ['access.ssh', 'encryption.swap'],
  probes: ['ssh.config', 'storage.swap'],
  nodes: [...nodes],
})
const at = (day: number) => ({ run: `r${day}`, at: `2026-10-0${day}T02:00:00.000Z` })

function lists(...runs: readonly RunTrace[]) {
  const [seen, changed] = [seenFold(), changeFold()]
  for (const one of runs) {
    seen.add(one)
    changed.add(one)
  }
  const { changes, moves } = changed.finish()
  const all = populationsOf({ ...seen.finish(), runs: [], late: [], changes, deviations: [] })
  const rows = (name: PopulationName) => all.find((one) => one.name === name)?.rows.map(({ cells }) => cells) ?? []
  return { rows, moves: movesIn(moves) }
}

const user = (name: string, uid: number, administrator: boolean | null, login: boolean | null = true) => ({
  name,
  uid,
  login,
  administrator,
})

describe('accounts', () => {
  test('one row each: when first and last seen, in how many runs, and whether it was ever an administrator', () => {
    const { rows } = lists(
      run(1, node('a', { accounts: [user('root', 0, true), user('eve', 1000, true)] })),
      run(2, node('a', { accounts: [user('root', 0, true), user('eve', 1000, false), user('mallory', 1001, null)] })),
      run(3, node('a', { accounts: [user('root', 0, true), user('eve', 1000, false, null)] })),
    )
    expect(rows('accounts')).toEqual([
      [
        'a/eve/1000',
        'a',
        'eve',
        '1000',
        'not collected',
        'no',
        'yes',
        'r1',
        at(1).at,
        'r3',
        at(3).at,
        '3',
        'yes',
        'yes',
      ],
      [
        'a/mallory/1001',
        'a',
        'mallory',
        '1001',
        'yes',
        'not collected',
        'not collected',
        'r2',
        at(2).at,
        'r2',
        at(2).at,
        '1',
        'no',
        'no',
      ],
      ['a/root/0', 'a', 'root', '0', 'yes', 'yes', 'yes', 'r1', at(1).at, 'r3', at(3).at, '3', 'yes', 'yes'],
    ])
  })

  test('a list that could not be read shows nothing: who was there at its last reading was there at the end', () => {
    const { rows } = lists(
      run(1, node('a', { accounts: null })),
      run(2, node('a', { accounts: [user('eve', 1000, false)] })),
      run(3, unread('a')),
    )
    expect(rows('accounts')).toEqual([
      ['a/eve/1000', 'a', 'eve', '1000', 'yes', 'no', 'no', 'r2', at(2).at, 'r2', at(2).at, '1', 'yes', 'yes'],
    ])
  })

  test('a name with another number is another account', () => {
    const { rows } = lists(
      run(1, node('a', { accounts: [user('eve', 1000, false)] })),
      run(2, node('a', { accounts: [user('eve', 0, true)] })),
    )
    expect(rows('accounts').map((row) => [row[0], row[5], row[12], row[13]])).toEqual([
      ['a/eve/0', 'yes', 'no', 'yes'],
      ['a/eve/1000', 'no', 'yes', 'no'],
    ])
  })
})

test('keys: one row for each account and fingerprint', () => {
  const key = (account: string, fingerprint: string) => ({ account, type: 'ssh-ed25519', fingerprint })
  const { rows } = lists(
    run(1, node('a', { keys: [key('eve', 'SHA256:one')] })),
    run(2, node('a', { keys: [key('eve', 'SHA256:one'), key('root', 'SHA256:one')] })),
    run(3, node('a', { keys: [key('root', 'SHA256:one')] })),
  )
  expect(rows('keys')).toEqual([
    ['a/eve/SHA256:one', 'a', 'eve', 'ssh-ed25519', 'SHA256:one', 'r1', at(1).at, 'r2', at(2).at, '2', 'yes', 'no'],
    ['a/root/SHA256:one', 'a', 'root', 'ssh-ed25519', 'SHA256:one', 'r2', at(2).at, 'r3', at(3).at, '2', 'no', 'yes'],
  ])
})

describe('changes', () => {
  const rows = (...runs: readonly RunTrace[]) =>
    lists(...runs)
      .rows('changes')
      .map((row) => row.slice(1))

  test('a reading, from the run that had it to the run that had another', () => {
    const [first, second] = [run(1, node('a')), run(2, node('a', { readings: digits('1') + digits('3') }))]
    expect(rows(first, second)).toEqual([['evidence', 'a', 'storage.swap', '', '', 'r1', at(1).at, 'r2', at(2).at]])
  })

  test('what changed behind a run that did not read the node is reported of the runs that did', () => {
    const changed = node('a', { readings: digits('1') + digits('3') })
    expect(
      rows(run(1, node('a')), run(2, unread('a')), run(3, changed)).filter(([list]) => list === 'evidence'),
    ).toEqual(expect.arrayContaining([['evidence', 'a', 'storage.swap', '', '', 'r1', at(1).at, 'r3', at(3).at]]))
  })

  test('nothing, where nothing changed', () => {
    expect(rows(run(1, node('a')), run(2, node('a')), run(3, node('a')))).toEqual([])
  })
})

describe('parts that moved', () => {
  const withDisk = (name: string) => node(name, { parts: [bootOf(name), DISK] })

  test('from one node to another, once', () => {
    const { moves } = lists(run(1, withDisk('a'), node('b')), run(2, node('a'), withDisk('b')))
    expect(moves).toEqual([{ ...DISK, from: 'a', to: 'b', before: at(1), after: at(2) }])
  })

  test('while its node was not read: once, from the run that saw it there', () => {
    const { moves } = lists(
      run(1, withDisk('a'), node('b')),
      run(2, unread('a'), withDisk('b')),
      run(3, node('a'), withDisk('b')),
    )
    expect(moves).toEqual([{ ...DISK, from: 'a', to: 'b', before: at(1), after: at(2) }])
  })

  test('to a node that was not read, or by way of a shelf: once, from the run that saw it last to the one that saw it next', () => {
    const moved = { ...DISK, from: 'a', to: 'b', before: at(1), after: at(3) }
    for (const between of [unread('b'), node('b')])
      expect(
        lists(run(1, withDisk('a'), node('b')), run(2, node('a'), between), run(3, node('a'), withDisk('b'))).moves,
      ).toEqual([moved])
  })

  test('out of a node and into it again: it was away', () => {
    const { moves } = lists(run(1, withDisk('a')), run(2, node('a')), run(3, withDisk('a')))
    expect(moves.map(({ from, to }) => [from, to])).toEqual([
      ['a', null],
      [null, 'a'],
    ])
  })

  test('one left and another of the same make came: two, each by its own serial number', () => {
    const { moves } = lists(
      run(1, withDisk('a')),
      run(2, node('a', { parts: [bootOf('a'), { ...DISK, value: 'S64GNE0Z' }] })),
    )
    expect(moves.map(({ value, from, to }) => [value, from, to]).sort()).toEqual([
      ['S64GNE0R', 'a', null],
      ['S64GNE0Z', null, 'a'],
    ])
  })
})

import { expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { retentionPlan } from '../main/core/retention/retention.ts'
import type { ChainEntry } from '../main/core/run-chain/entry.ts'

const common = { fleet: 'clinic', signer: sha256('key') }
const run = (name: string, at: string): ChainEntry => {
  return { kind: 'run', run: name, at, nodes: sha256('n'), tagManifest: sha256(name + at), ...common }
}

const period = (at: string): ChainEntry => {
  return { kind: 'period', from: '2019-01-01', to: '2019-03-31', at, tagManifest: sha256(at), ...common }
}

const planOf = (entries: readonly ChainEntry[], evenInPeriods = false) =>
  retentionPlan(
    { id: sha256('chain'), fleet: 'clinic', entries: entries.map((entry) => ({ entry, signature: null }) as never) },
    { asOf: '2026-11-20T10:00:00.000Z', years: 6, evenInPeriods },
  )
const OLD = '2019-02-01T10:00:00.000Z'

test('a run under an account of a period that is younger than the policy stays, unless the policy includes it', () => {
  const recent = [run('r1', OLD), period('2021-01-05T10:00:00.000Z')]
  expect(planOf(recent).stays).toEqual([
    { run: 'r1', why: 'the sealed period report of 2019-01-01 to 2019-03-31 depends on it' },
  ])
  expect(planOf(recent, true).due.map((one) => one.run)).toEqual(['r1'])
  // The last account protects its runs however old it is; an old one that others came after does not.
  const old = [run('r1', OLD), period('2019-04-05T10:00:00.000Z')]
  expect(planOf(old).stays.map((one) => one.run)).toEqual(['r1'])
  const next = { ...period('2019-07-05T10:00:00.000Z'), from: '2019-04-01', to: '2019-06-30' } as ChainEntry
  expect(planOf([...old, next]).due.map((one) => one.run)).toEqual(['r1'])
})

test('a run that was sealed again lately stays with all its packs; names of our own folders are never let go', () => {
  expect(planOf([run('r1', OLD), run('r1', '2026-01-01T00:00:00.000Z')])).toEqual({ due: [], stays: [] })
  for (const name of ['evidence', 'history', 'chains', '../x', 'a/b'])
    expect(planOf([run(name, OLD)])).toMatchObject({ due: [], stays: [{ run: name }] })
})

test('exactly as old as the policy states is kept', () => {
  expect(planOf([run('r1', '2020-11-20T10:00:00.000Z')]).due).toEqual([])
  expect(planOf([run('r1', '2020-11-20T09:59:59.999Z')]).due).toHaveLength(1)
})

import { describe, expect, test } from 'vitest'
import { tenancyForeignMounts } from '../../main/catalog/tenancy/index.ts'
import { type Probe, readProbe } from '../../main/core/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { concludeOn, fixtureOf } from '../support/evaluated.ts'

const PROBES: readonly Probe<unknown>[] = Object.values(tenancyForeignMounts.requires)

function concluded(node: string, without?: string) {
  const by = new Map(fixtureOf(node).captures)
  if (without !== undefined) by.delete(without)
  return concludeOn(
    tenancyForeignMounts,
    node,
    PROBES.map((probe) => [probe.id, readProbe(probe, by)]),
  )
}

describe('no file system or drive of another party', () => {
  test.each([
    ['demo-gpu-01', 'satisfied'],
    ['fx-iso-hostshare', 'not-satisfied'],
    ['fx-iso-netdrive', 'inconclusive'],
    ['demo-guest-03', 'inconclusive'],
  ])('%s: %s', (node, verdict) => {
    const { verdict: got, observations } = concluded(node)
    expect(got, observations.map(({ text }) => text).join('\n')).toBe(verdict)
    for (const { text } of observations) for (const banned of BANNED) expect(text).not.toMatch(banned)
  })

  test('without any one of its readings it is inconclusive', () => {
    for (const key of ['storage.mounts/mountinfo', 'inventory.disks/list', 'storage.remote/lists'])
      expect(concluded('demo-gpu-01', key).verdict, key).toBe('inconclusive')
  })
})

import { describe, expect, test } from 'vitest'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import { readProbe } from '../../main/core/recording/probe.ts'
import { type Check, conclude } from '../../main/core/rules/check.ts'
import { BANNED } from '../../schemas/words.ts'
import { fixtureNames } from '../support/fixtures.ts'
import { sampled } from '../support/thorough.ts'
import { argue, capturesOf, checks, concludeAll, expectedOf, PROBES, readingsFrom } from './isolation-readings.ts'

const DEMO = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-nosudo-06', 'demo-shared-05']
const nodes = [...DEMO, ...fixtureNames().filter((name) => name.startsWith('fx-iso-'))]
const verdictsOf = new Map(nodes.map((node) => [node, concludeAll(node)]))
const SUPPORT_OR_RECORD: ReadonlySet<string> = new Set(['tenancy.iommu'])
const RECORD_ONLY: ReadonlySet<string> = new Set([
  'tenancy.cpu-isolation',
  'location.locale-hints',
  'inventory.hardware',
  'inventory.disks',
  'inventory.network-interfaces',
  'evidence.collector-identity',
])

describe('isolation, location and inventory checks', () => {
  test.each(nodes)('%s comes out as expected', (node) => {
    const expected = expectedOf(node)
    const got = Object.fromEntries(Object.keys(expected).map((id) => [id, verdictsOf.get(node)?.get(id)?.verdict]))
    expect(got).toEqual(expected)
  })

  // What compares nodes ends by comparison: catalog.test.ts has those.
  const alone = checks.filter(({ amongNodes }) => amongNodes === undefined)
  test.each(alone.map(({ id }) => id))('%s has a fixture for every verdict it can give', (id) => {
    const seen = new Set([...verdictsOf.values()].map((verdicts) => verdicts.get(id)?.verdict))
    const decided = SUPPORT_OR_RECORD.has(id) ? ['satisfied', 'informational'] : ['satisfied', 'not-satisfied']
    const wanted = RECORD_ONLY.has(id) ? ['informational'] : decided
    expect([...seen]).toEqual(expect.arrayContaining([...wanted, 'inconclusive']))
  })

  test.each(sampled(nodes, 10))('%s: taking any one capture away never makes a verdict better', (node) => {
    const { captures, context } = capturesOf(node)
    const readings = readingsFrom(captures)
    const positive = (verdict: string | undefined): boolean => verdict === 'satisfied' || verdict === 'not-applicable'
    for (const [key, capture] of captures) {
      const probe = PROBES.find(({ id }) => id === capture.meta.probe)
      if (probe === undefined) continue
      const rest = new Map([...captures].filter(([other]) => other !== key))
      const without = new Map([...readings, [probe.id, readProbe(probe, rest)]])
      const reads = (check: Check): boolean =>
        [...Object.values(check.requires), ...Object.values(check.optional ?? {})].some(({ id }) => id === probe.id)
      for (const check of checks.filter(reads)) {
        const before = verdictsOf.get(node)?.get(check.id)?.verdict
        const after = conclude(check, without, context).verdict
        if (positive(after)) expect(positive(before), `${check.id} without ${key}`).toBe(true)
        const isNeeded = Object.values(check.requires).some(({ id }) => id === probe.id)
        if (isNeeded) expect(after, `${check.id} without ${key}`).toBe('inconclusive')
      }
    }
  })

  // ps(1) lists every account’s processes to any login; nothing of it is withheld by a missing right.
  test('what a collection without rights did not read', () => {
    const without = argue('demo-nosudo-06')
    const limit = without.limitations.find((text) => text.startsWith('The collection had no administrator rights'))
    expect(limit).toContain('lists of container and guest managers were not read')
    expect(limit).not.toContain('processes')
    expect(argue('demo-gpu-01').limitations).not.toContain(limit)
    expect(without.limitations.join()).toContain('InfiniBand, Ethernet or NVLink fabric was not tested')
  })

  test('the argument and the check on hardware come from one path', () => {
    for (const node of nodes) {
      const { environment } = argue(node)
      const verdict = verdictsOf.get(node)?.get('tenancy.no-hypervisor')?.verdict
      expect(verdict, node).toBe(
        environment === 'bare-metal' ? 'satisfied' : environment === 'undetermined' ? 'inconclusive' : 'not-satisfied',
      )
    }
  })

  test('no text for people states more than was observed', () => {
    const said = [...verdictsOf.values()].flatMap((verdicts) =>
      [...verdicts.values()].flatMap(({ observations }) => observations.map(({ text }) => text)),
    )
    const written = [
      ...checks.flatMap(({ expected: claim, limitations }) => [claim, limitations]),
      ...PROBES.flatMap(({ title, why }) => [title, why]),
    ]
    for (const text of [...said, ...written]) for (const banned of BANNED) expect(text).not.toMatch(banned)
    for (const { limitations } of checks) expect(limitations).not.toBe('')
  })

  test('every command is on the list of commands that read', () => {
    for (const { commands } of PROBES)
      for (const command of Object.values(commands)) {
        if (command.kind !== 'run') continue
        const argv = command.argv.map((word) => (typeof word === 'string' ? word : word.glob))
        expect(deniedCommand(argv), argv.join(' ')).toBeNull()
        if (command.as === 'root') expect(command.argv.every((word) => typeof word === 'string')).toBe(true)
      }
  })
})

import { describe, expect, test } from 'vitest'
import { tenancyNetworkNeighbours } from '../../main/catalog/data-protection/network/index.ts'
import { netLinks, netNeighbours } from '../../main/catalog/data-protection/network/links.ts'
import type { Parsed } from '../../main/core/recording/probe.ts'
import { conclude } from '../../main/core/rules/check.ts'
import { BANNED } from '../../schemas/words.ts'
import { answer } from '../support/answers.ts'
import { BASELINE } from '../support/baseline.ts'
import { concludeOn } from '../support/evaluated.ts'

const AT = '2026-11-20T09:12:00.000Z'
const node = { name: 'n', address: '192.0.2.1', port: 22, user: 'bwaudit', sudo: false } as const
const verdict = (...readings: readonly (readonly [string, Parsed<unknown>])[]) =>
  conclude(tenancyNetworkNeighbours, new Map(readings), { node, asOf: AT, observedAt: AT, thresholds: BASELINE })

const ofFixture = (name: string) => concludeOn(tenancyNetworkNeighbours, name)

const GATEWAY = { dst: '192.0.2.254', dev: 'eno1', lladdr: '44:38:39:ff:00:54', state: ['REACHABLE'] }
const LINKS = [
  { ifname: 'eno1', mtu: 1500, address: '3c:ec:ef:00:00:01' },
  { ifname: 'docker0', mtu: 1500, address: '02:42:00:00:00:01', linkinfo: { info_kind: 'bridge' } },
  { ifname: 'br0', mtu: 1500, address: '3c:ec:ef:00:00:01', linkinfo: { info_kind: 'bridge' } },
]
const of = (
  neighbours: readonly object[],
  gateways: readonly object[] = [{ dst: 'default', gateway: '192.0.2.254', dev: 'eno1' }],
) =>
  verdict(
    [
      netNeighbours.id,
      netNeighbours.parse({
        neighbours: answer(JSON.stringify(neighbours)),
        routes: answer(JSON.stringify(gateways)),
        routes6: answer('[]'),
      }),
    ],
    [netLinks.id, netLinks.parse({ links: answer(JSON.stringify(LINKS)) })],
  )

describe('tenancy.network-neighbours', () => {
  test('the demo nodes: another machine, a hypervisor’s bridge, a router alone', () => {
    expect(ofFixture('demo-gpu-01').verdict).toBe('inconclusive')
    expect(ofFixture('demo-metal-04').verdict).toBe('not-satisfied')
    expect(ofFixture('demo-guest-03').verdict).toBe('satisfied')
  })

  test('a router, known by two addresses', () => {
    expect(of([GATEWAY]).verdict).toBe('satisfied')
    expect(of([GATEWAY, { ...GATEWAY, dst: 'fe80::4638:39ff:feff:54' }]).verdict).toBe('satisfied')
  })

  test('guests of others, other machines, no neighbours', () => {
    expect(of([GATEWAY, { ...GATEWAY, dst: '192.0.2.7', lladdr: '52:54:00:12:34:56' }]).verdict).toBe('not-satisfied')
    expect(of([GATEWAY, { ...GATEWAY, dst: '192.0.2.8', lladdr: '3c:ec:ef:12:34:56' }]).verdict).toBe('inconclusive')
    expect(of([]).verdict).toBe('inconclusive')
  })

  test('this system’s own containers are no neighbours; a bridge over the adapter is outside', () => {
    const inside = { dst: '172.17.0.2', dev: 'docker0', lladdr: '02:42:ac:11:00:02', state: ['STALE'] }
    expect(of([GATEWAY, inside]).verdict).toBe('satisfied')
    const overBridge = [{ dst: 'default', gateway: '192.0.2.254', dev: 'br0' }]
    expect(of([{ ...GATEWAY, dev: 'br0' }], overBridge).verdict).toBe('satisfied')
    const guest = { dst: '192.0.2.7', dev: 'br0', lladdr: '52:54:00:12:34:56', state: ['STALE'] }
    expect(of([{ ...GATEWAY, dev: 'br0' }, guest], overBridge).verdict).toBe('not-satisfied')
  })

  test('not read: undecided; and in words that state what was observed', () => {
    expect(verdict().verdict).toBe('inconclusive')
    const said = [
      tenancyNetworkNeighbours.expected,
      tenancyNetworkNeighbours.limitations,
      ...['demo-gpu-01', 'demo-metal-04', 'demo-guest-03'].flatMap((name) =>
        ofFixture(name).observations.map(({ text }) => text),
      ),
    ]
    for (const text of said) for (const banned of BANNED) expect(text).not.toMatch(banned)
  })
})

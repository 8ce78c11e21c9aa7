import { describe, expect, test } from 'vitest'
import { networkKernelParams } from '../../main/catalog/data-protection/network/kernel.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { type Context, conclude } from '../../main/core/rules/check.ts'

const CONTEXT: Context = {
  node: { name: 'n', address: '192.0.2.1', port: 22, user: 'u', sudo: true },
  asOf: '2026-11-30T00:00:00.000Z',
  observedAt: '2026-11-30T00:00:00.000Z',
  thresholds: new Map(),
}

/** The check over a kernel without IPv6, where all that was asked is as it should be, but `rp_filter` as given for each interface. */
function verdictOf(rpFilter: Readonly<Record<string, string>>): string {
  const names = ['lo', 'default', 'eth0', ...Object.keys(rpFilter)]
  const values = new Map([
    ['ipv4/ip_forward', '1'],
    ['ipv4/tcp_syncookies', '1'],
    ['ipv4/icmp_echo_ignore_broadcasts', '1'],
    ['ipv4/conf/all/rp_filter', '0'],
    ['ipv4/conf/all/accept_redirects', '0'],
    ['ipv4/conf/all/accept_source_route', '0'],
    ...names.flatMap((name): [string, string][] => [
      [`ipv4/conf/${name}/rp_filter`, rpFilter[name] ?? '2'],
      [`ipv4/conf/${name}/accept_redirects`, '0'],
      [`ipv4/conf/${name}/accept_source_route`, '0'],
      [`ipv4/conf/${name}/forwarding`, '1'],
    ]),
  ])
  const readings = new Map<string, Parsed<unknown>>([
    ['sysctl.network', known({ values })],
    ['sysctl.network-more', known({ values: new Map([['ipv4/icmp_ignore_bogus_error_responses', '1']]) })],
  ])
  return conclude(networkKernelParams, readings, CONTEXT).verdict
}

// Cilium’s own /etc/sysctl.d/99-zzz-override_cilium.conf: lxc*, cilium_* and all are 0; adapters keep what systemd set.
describe('reverse path filtering that a container network switches off on its own interfaces', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['none', {}, 'satisfied'],
    ['of Cilium', { lxc_health: '0', lxc4f1a2b3c4d5e: '0', cilium_host: '0', cilium_net: '0' }, 'inconclusive'],
    ['ends of pods', { veth1a2b3c4d: '0', cali0123456789a: '0' }, 'inconclusive'],
    ['and on an adapter', { lxc4f1a2b3c4d5e: '0', eth0: '0' }, 'not-satisfied'],
    ['and for new interfaces', { lxc4f1a2b3c4d5e: '0', default: '0' }, 'not-satisfied'],
    ['on a bridge', { br0: '0' }, 'not-satisfied'],
  ])('%s', (_, rpFilter, expected) => expect(verdictOf(rpFilter)).toBe(expected))
})

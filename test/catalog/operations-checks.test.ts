import { describe, expect, test } from 'vitest'
import { THRESHOLDS } from '../../main/catalog/base/thresholds.ts'
import { networkListeningPorts } from '../../main/catalog/data-protection/listeners/index.ts'
import { networkFlowMap } from '../../main/catalog/data-protection/network/flows.ts'
import { availabilityRedundancy, parseRedundancy } from '../../main/catalog/hardware/redundancy/index.ts'
import { backupFreshness } from '../../main/catalog/operations/backup/index.ts'
import { BACKUP_UNITS } from '../../main/catalog/operations/backup/probes.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { type Check, type Context, conclude } from '../../main/core/rules/check.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'
import type { DeclaredNode } from '../../schemas/types.ts'

const context = (node: Partial<DeclaredNode> = {}, hours?: number): Context => ({
  node: { name: 'n', address: '192.0.2.1', port: 22, user: 'u', sudo: true, ...node },
  asOf: '2026-11-20T09:12:00.000Z',
  observedAt: '2026-11-20T09:12:00.000Z',
  thresholds: thresholdValues(
    THRESHOLDS,
    hours === undefined
      ? undefined
      : { name: 'baseline', changes: [{ threshold: 'backup.hours', value: hours, reason: 'weekly copies' }] },
  ),
})
const judge = (check: Check, facts: Readonly<Record<string, unknown>>, where: Context = context()) => {
  const readings = new Map<string, Parsed<unknown>>(
    Object.entries(facts).map(([id, fact]) => [id, fact instanceof Error ? unknown(fact.message) : known(fact)]),
  )
  const { verdict, observations } = conclude(check, readings, where)
  return { verdict, texts: observations.map(({ text }) => text) }
}

describe('ports and declared services', () => {
  const listener = (protocol: 'tcp' | 'udp', port: number, rest = {}) => ({
    protocol,
    address: '0.0.0.0',
    interface: null,
    port,
    loopback: false,
    processes: [],
    ...rest,
  })
  const listeners = [
    listener('udp', 53),
    listener('tcp', 22),
    listener('tcp', 22, { address: '::' }),
    listener('tcp', 9100, { loopback: true }),
  ]
  /** Every list was read, and nothing is forwarded. */
  const nothingForwarded = {
    'firewall.nftables': { inputChains: [], outputChains: [], forwardChains: [], tables: 0, forwards: [] },
    'firewall.legacy': { tables: [] },
    'ipvs.services': { services: [] },
  }
  const services = (...ports: readonly number[]) =>
    ports.map((port) => ({ port, protocol: 'tcp' as const, name: `service ${port}` }))

  test('a protocol is not another, loopback is no port, and each port counts once', () => {
    const { verdict, texts } = judge(
      networkListeningPorts,
      { 'network.listeners': { listeners }, ...nothingForwarded },
      context({ services: services(22, 53) }),
    )
    expect(verdict).toBe('not-satisfied')
    expect(texts).toEqual([
      'udp/53 is open to other machines and was not declared.',
      'Open and declared: “tcp/22: service 22”.',
      'Declared and not open to other machines now: “tcp/53 service 53”.',
    ])
  })

  test('a port that only the second look saw counts as well', () =>
    expect(
      judge(
        networkListeningPorts,
        {
          'network.listeners': { listeners: listeners.slice(1) },
          'network.listener-processes': { listeners: [listener('tcp', 8080, { processes: ['nc'] })] },
        },
        context({ services: services(22) }),
      ),
    ).toMatchObject({ verdict: 'not-satisfied' }))

  // A program that only sends, such as rsyslog to a receiver over UDP, holds a socket that looks in ss like one that serves.
  test.each([
    ['udp', 40_123, 'inconclusive'],
    ['udp', 60_999, 'inconclusive'],
    ['udp', 61_000, 'not-satisfied'],
    ['udp', 32_767, 'not-satisfied'],
    ['udp', 51_820, 'not-satisfied'],
    ['tcp', 40_123, 'not-satisfied'],
  ] as const)('an undeclared port that the kernel may have drawn: %s/%s', (protocol, port, expected) => {
    const sockets = { listeners: [listener('tcp', 22), listener(protocol, port, { processes: ['rsyslogd'] })] }
    const facts = { 'network.listeners': sockets, ...nothingForwarded }
    expect(judge(networkListeningPorts, facts, context({ services: services(22) })).verdict).toBe(expected)
  })

  test('ten thousand strangers are counted, not listed', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => listener('tcp', at + 1))
    const { texts } = judge(
      networkListeningPorts,
      { 'network.listeners': { listeners: many }, ...nothingForwarded },
      context({ services: services(22) }),
    )
    expect(texts.length).toBe(42)
    expect(texts).toContain('9959 more ports were not declared.')
  })
})

test('peers are joined by network, whichever way their address is written', () => {
  const connection = (peer: string, port: number) => ({ peer, port, unsentBytes: 0 })
  const { texts } = judge(networkFlowMap, {
    'network.connections': {
      tcp: [
        connection('203.0.113.7', 443),
        connection('[::ffff:203.0.113.8]', 443),
        connection('[2001:db8:1:2::9]', 443),
        connection('[fe80::1%eth0]', 22),
        connection('198.51.100.7', 50_412),
        connection('127.0.0.1', 9100),
      ],
    },
  })
  expect(texts).toEqual([
    '5 TCP connections with other hosts open: “203.0.113.0/24 port 443: 2”, “198.51.100.0/24 a port of a client’s choosing: 1”, “2001:db8:1:2::/64 port 443: 1”, “fe80:0:0:0::/64 port 22: 1”.',
    '1 connection stayed on the node itself.',
  ])
})

describe('age of the newest copy', () => {
  const job = (unit: string, hoursAgo: number, result = 'success') => ({
    ...(BACKUP_UNITS.find((one) => one.unit === unit) ?? { tool: null, unit, isJob: true }),
    activeState: 'inactive',
    result,
    exitStatus: 0,
    endedAtSeconds: 1_000_000 - hoursAgo * 3600,
  })
  const facts = (...units: readonly object[]) => ({
    'backup.units': { units },
    'system.load': { uptimeSeconds: 1_000_000 },
  })
  test.each([
    [25, undefined, 'satisfied'],
    [27, undefined, 'not-satisfied'],
    [27, 168, 'satisfied'],
  ])('%s hours under a limit of %s', (hours, limit, verdict) =>
    expect(judge(backupFreshness, facts(job('restic-backup', hours)), context({}, limit)).verdict).toBe(verdict),
  )
  test('snapshots on the same drives, failed runs and runs of the future do not count', () => {
    expect(judge(backupFreshness, facts(job('sanoid', 1))).verdict).toBe('inconclusive')
    expect(judge(backupFreshness, facts(job('borgmatic', 1, 'exit-code'))).verdict).toBe('inconclusive')
    expect(judge(backupFreshness, facts(job('restic', -9))).verdict).toBe('inconclusive')
  })

  // pgBackRest has no units of its own: a full copy each week, and a differential one each day under a name of the site’s.
  const FULL = job('pgbackrest-full', 5 * 24)
  const timer = (unit: string, isActive = true) => ({ unit: `${unit}.timer`, isActive })
  const scheduled = (
    timers: readonly object[],
    cron: readonly string[] = [],
    schedules: readonly object[] = [],
    stamps: readonly (readonly [string, number])[] = [],
  ) => ({ 'change.scheduled-jobs': { timers, cron, schedules, stamps: new Map(stamps) } })
  const CRON_D = '/etc/cron.d/pg-backup'
  test.each([
    ['a timer of the site', scheduled([timer('pgbackrest-full'), timer('pgbackrest-diff')]), 'inconclusive'],
    ['a script that cron runs each day', scheduled([], ['/etc/cron.daily/backup-db']), 'inconclusive'],
    ['a table of cron', scheduled([], [CRON_D], [{ file: CRON_D, when: '0 3 * * *' }]), 'inconclusive'],
    ['a table of cron in which every line is a comment', scheduled([], [CRON_D]), 'not-satisfied'],
    ['a timer that does not wait', scheduled([timer('pgbackrest-diff', false)]), 'not-satisfied'],
    ['its own timer', scheduled([timer('pgbackrest-full')]), 'not-satisfied'],
    ['timers of other things', scheduled([timer('logrotate'), timer('dpkg-db-backup')]), 'not-satisfied'],
  ])('an old copy of a known job next to %s', (_, other, verdict) => {
    expect(judge(backupFreshness, { ...facts(FULL), ...other }).verdict).toBe(verdict)
    expect(judge(backupFreshness, { ...facts(job('pgbackrest-full', 5)), ...other }).verdict).toBe('satisfied')
  })

  test('an agent that runs may have made a newer one; one that is stopped has not', () => {
    const agent = (activeState: string) => ({ ...job('veeamservice', 0), activeState, endedAtSeconds: null })
    expect(judge(backupFreshness, facts(FULL, agent('active'))).verdict).toBe('inconclusive')
    expect(judge(backupFreshness, facts(FULL, agent('inactive'))).verdict).toBe('not-satisfied')
  })

  test('so it is where only the stamp of a timer shows that the known job is old', () => {
    const never = { ...FULL, endedAtSeconds: null, exitStatus: null }
    const stamp = ['pgbackrest-full.timer', Date.parse('2026-11-10T00:00:00Z') / 1000] as const
    const at = (...timers: readonly object[]) =>
      judge(backupFreshness, { ...facts(never), ...scheduled(timers, [], [], [stamp]) }).verdict
    expect([at(), at(timer('pgbackrest-diff'))]).toEqual(['not-satisfied', 'inconclusive'])
  })
})

describe('whole parts', () => {
  const facts = (rest: Readonly<Record<string, unknown>>) => ({
    'storage.redundancy': { arrays: [], bonds: [], pools: [], btrfs: [] },
    'storage.block-devices': { devices: new Map(), btrfs: new Map() },
    'net.links': { links: [] },
    'bmc.presence': { device: false, listed: [] },
    ...rest,
  })
  test('nothing at all is no support, and a silent controller leaves it open', () => {
    expect(judge(availabilityRedundancy, facts({})).verdict).toBe('not-applicable')
    const silent = { 'bmc.presence': { device: true, listed: [] }, 'bmc.state': new Error('it did not answer') }
    expect(judge(availabilityRedundancy, facts(silent)).verdict).toBe('inconclusive')
  })
  test('an unknown state is no good one', () =>
    expect(
      judge(
        availabilityRedundancy,
        facts({ 'storage.redundancy': { arrays: [], bonds: [], pools: [{ name: 'p', state: '' }], btrfs: [] } }),
      ).verdict,
    ).toBe('not-satisfied'))
  test('a power supply with a word of its own leaves it open', () => {
    const controller = { sensors: 2, supplies: [{ name: 'PS1', state: 'Humming' }] }
    expect(judge(availabilityRedundancy, facts({ 'bmc.state': controller })).verdict).toBe('inconclusive')
  })
  // IPMI 2.0, table 42-2: states of redundancy, as ipmitool words them.
  test.each([
    ['Fully Redundant', 'satisfied'],
    ['Redundancy Lost', 'not-satisfied'],
    ['Redundancy Degraded', 'not-satisfied'],
    ['Redundancy Degraded from Fully Redundant', 'not-satisfied'],
    ['Non-Redundant: Sufficient from Redundant', 'not-satisfied'],
    // A server with one supply never was redundant, which is not tested.
    ['Non-Redundant: Insufficient Resources', 'inconclusive'],
  ])('power supplies that report %j: %s', (state, expected) => {
    const supplies = [
      { name: 'Power Supply 1', state: 'Presence detected' },
      { name: 'Power Supplies', state },
    ]
    expect(judge(availabilityRedundancy, facts({ 'bmc.state': { sensors: 9, supplies } })).verdict).toBe(expected)
  })
  // bond_procfs.c and bond_enslave(): without an interval the driver never looks at a link, and prints every link as up.
  test.each([
    ['MII Polling Interval (ms): 100', 'up', 'satisfied'],
    ['MII Polling Interval (ms): 0|ARP Polling Interval (ms): 1000', 'up', 'satisfied'],
    ['MII Polling Interval (ms): 0', 'up', 'inconclusive'],
    ['Up Delay (ms): 0', 'up', 'inconclusive'],
    ['MII Polling Interval (ms): 0', 'down', 'not-satisfied'],
  ])('a bond with “%s” and a second link that is %s: %s', (interval, second, expected) => {
    const rows = ['Bonding Mode: fault-tolerance (active-backup)', 'MII Status: up', ...interval.split('|'), '']
    const links = ['Slave Interface: eno1', 'MII Status: up', '', 'Slave Interface: eno2', `MII Status: ${second}`]
    const text = [...rows, ...links].map((row) => `/proc/net/bonding/bond0:${row}\n`).join('')
    const state = parseRedundancy(text)
    expect(state.ok && judge(availabilityRedundancy, facts({ 'storage.redundancy': state.fact })).verdict).toBe(
      expected,
    )
  })
  test('volumes of LVM whose members were not asked for leave it open', () => {
    const devices = new Map([['dm-0', { dmUuid: 'LVM-abc' }]])
    const open = facts({ 'storage.block-devices': { devices, btrfs: new Map() } })
    expect(judge(availabilityRedundancy, open).verdict).toBe('inconclusive')
  })
})

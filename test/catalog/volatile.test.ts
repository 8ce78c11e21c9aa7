import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { canonicalJson } from '../../main/core/base/canonical-json.ts'
import { NOT_COMPARED, plainJson, readingDigest } from '../../main/core/history/trace.ts'
import { known } from '../../main/core/recording/probe.ts'
import { fixtures, probes } from '../support/evaluated.ts'

/** What changes by itself on a host that no one touched is no drift; what an administrator changes is. */

const probeOf = (id: string) => {
  const probe = probes.find((one) => one.id === id)
  if (probe === undefined) throw new Error(`no probe ${id}`)
  return probe
}

const digest = (id: string, fact: unknown): string => readingDigest(probeOf(id), known(fact))

type Row = readonly [probe: string, fact: object, byItself: object, byAdministrator: object]

const gpu = (changes: object = {}) => ({
  driver: '570.1',
  gpus: [
    {
      address: '0000:18:00.0',
      serial: '165',
      uuid: 'GPU-1',
      licence: { product: 'NVIDIA RTX', status: 'Licensed (Expiry: 2026-11-23 1:0:0 GMT)' },
      link: { deviceGeneration: 5, currentGeneration: 5, maxWidth: 16, currentWidth: 16 },
      memory: { totalMib: 81559, usedMib: 10 },
      memoryErrors: {
        uncorrectedNow: 0,
        uncorrectedEver: 0,
        correctedEver: 1,
        replaced: 0,
        isPending: false,
        hasFailed: false,
      },
      processes: [],
      ...changes,
    },
  ],
})
const socket = (port: number, changes: object = {}) => ({
  protocol: 'tcp',
  address: '0.0.0.0',
  interface: null,
  port,
  loopback: false,
  processes: ['sshd'],
  ...changes,
})
const mount = (point: string, changes: object = {}) => ({
  id: '30',
  parent: '1',
  device: '8:1',
  root: '/',
  point,
  fsType: 'ext4',
  source: '/dev/sda1',
  options: ['rw'],
  ...changes,
})
const disk = (name: string, serial: string, celsius: number | null = 30) => ({
  name,
  path: `../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/${name}`,
  model: 'M',
  serial,
  transport: '',
  vendor: 'ATA',
  wwid: '',
  subsystem: '',
  address: '',
  firmware: '1',
  celsius,
})
const log = (path: string, changes: object = {}) => ({
  path,
  mode: 0o640,
  owner: 'root',
  group: 'adm',
  isFolder: false,
  changedAt: 1,
  ...changes,
})
const nic = (name: string, changes: object = {}) => ({
  name,
  mac: '00:00:5e:00:53:01',
  isUp: true,
  driver: 'mlx5_core',
  addressSource: 0,
  ...changes,
})

const ROWS: readonly Row[] = [
  ['host.identity', { hostname: 'a', bootId: '1' }, { hostname: 'a', bootId: '2' }, { hostname: 'b', bootId: '1' }],
  [
    'gpu.nvidia',
    gpu(),
    gpu({ memory: { totalMib: 81559, usedMib: 70000 }, processes: [{ pid: 1 }] }),
    gpu({ serial: '166' }),
  ],
  [
    'gpu.nvidia',
    gpu(),
    gpu({ licence: { product: 'NVIDIA RTX', status: 'Licensed (Expiry: 2026-11-24 1:0:0 GMT)' } }),
    gpu({ licence: { product: 'NVIDIA RTX', status: 'Unlicensed' } }),
  ],
  [
    'network.listeners',
    { listeners: [socket(22), socket(443)] },
    {
      listeners: [
        socket(443),
        socket(45123, { loopback: true, address: '127.0.0.1' }),
        socket(22),
        socket(51000, { protocol: 'udp' }),
      ],
    },
    { listeners: [socket(22), socket(443), socket(8080)] },
  ],
  [
    'network.listener-processes',
    { listeners: [socket(22)] },
    { listeners: [socket(22), socket(45123, { loopback: true })] },
    { listeners: [socket(22, { processes: ['nc'] })] },
  ],
  [
    'network.listeners',
    { listeners: [socket(22)] },
    { listeners: [socket(22)] },
    { listeners: [socket(22), socket(50000)] },
  ],
  [
    'storage.mounts',
    { mounts: [mount('/'), mount('/data')] },
    { mounts: [mount('/data', { id: '99', parent: '7' }), mount('/'), mount('/run/user/1000', { fsType: 'tmpfs' })] },
    { mounts: [mount('/'), mount('/data', { options: ['rw', 'nosuid'] })] },
  ],
  [
    'storage.mounts',
    { mounts: [mount('/run', { fsType: 'tmpfs', options: ['rw', 'size=100k'] })] },
    { mounts: [mount('/run', { fsType: 'tmpfs', options: ['rw', 'size=104k'] })] },
    { mounts: [mount('/run', { fsType: 'tmpfs', options: ['rw', 'noexec', 'size=100k'] })] },
  ],
  [
    'inventory.disks',
    { disks: [disk('sda', 'S1'), disk('sdb', 'S2')] },
    { disks: [disk('sda', 'S2', 44), disk('sdb', 'S1', null)] },
    { disks: [disk('sda', 'S1'), disk('sdb', 'S3')] },
  ],
  [
    'log.files',
    { entries: [log('/var/log/syslog')], isPartial: false, setUpAt: 5 },
    {
      entries: [
        log('/var/log/syslog', { changedAt: 9 }),
        log('/var/log/syslog.1'),
        log('/var/log/syslog.2.gz'),
        log('/var/log/syslog-20261120'),
      ],
      isPartial: false,
      setUpAt: 5,
    },
    { entries: [log('/var/log/syslog', { mode: 0o666 })], isPartial: false, setUpAt: 5 },
  ],
  [
    'net.interfaces',
    { interfaces: [nic('eno1')] },
    { interfaces: [nic('veth1a2b3c4', { driver: null, addressSource: 1 }), nic('eno1')] },
    { interfaces: [nic('eno1', { mac: '00:00:5e:00:53:02' })] },
  ],
  [
    'net.interfaces',
    { interfaces: [nic('br0', { driver: null, addressSource: 1 })] },
    { interfaces: [nic('br0', { driver: null, addressSource: 1, mac: '2e:00:00:00:00:01' })] },
    { interfaces: [nic('br0', { driver: null, addressSource: 1 }), nic('br1', { driver: null, addressSource: 1 })] },
  ],
  [
    'net.neighbours',
    { neighbours: [], gateways: [{ address: '10.0.0.1', device: 'eno1' }] },
    {
      neighbours: [{ address: '10.0.0.9', device: 'eno1', mac: 'x', states: ['STALE'] }],
      gateways: [{ address: '10.0.0.1', device: 'eno1' }],
    },
    { neighbours: [], gateways: [{ address: '10.0.0.2', device: 'eno1' }] },
  ],
  [
    'net.routes',
    { ipv4: [{ to: 'default', via: '10.0.0.1', device: 'eno1', drops: null }], ipv6: [] },
    {
      ipv4: [
        { to: '10.1.0.3', via: null, device: 'cali12ab', drops: null },
        { to: 'default', via: '10.0.0.1', device: 'eno1', drops: null },
      ],
      ipv6: [],
    },
    { ipv4: [], ipv6: [] },
  ],
  [
    'auditd.status',
    { enabled: 1, pid: 700, lost: 0, backlogLimit: 8192, loginUidLocked: false },
    { enabled: 1, pid: 801, lost: 0, backlogLimit: 8192, loginUidLocked: false },
    { enabled: 2, pid: 700, lost: 0, backlogLimit: 8192, loginUidLocked: false },
  ],
  [
    'kernel.protections',
    { lockdown: 'none', tainted: 1 },
    { lockdown: 'none', tainted: 1 | 512 },
    { lockdown: 'none', tainted: 1 | 4096 },
  ],
  [
    'kernel.protections',
    { lockdown: 'none', tainted: 0 },
    { lockdown: 'none', tainted: 16 },
    { lockdown: 'integrity', tainted: 0 },
  ],
  [
    'tpm.presence',
    {
      version: '2',
      registers: new Map([
        [0, 'aa'],
        [10, 'bb'],
      ]),
    },
    {
      version: '2',
      registers: new Map([
        [10, 'cc'],
        [0, 'aa'],
      ]),
    },
    {
      version: '2',
      registers: new Map([
        [0, 'ab'],
        [10, 'bb'],
      ]),
    },
  ],
  [
    'packages.apt',
    { pending: [], isWhole: true, listsChangedAt: 1 },
    { pending: [{ name: 'bash', security: true }], isWhole: true, listsChangedAt: 2 },
    { pending: [], isWhole: false, listsChangedAt: 1 },
  ],
  [
    'packages.dnf',
    { listsChangedAt: 1, heldAt: null },
    { listsChangedAt: 2, heldAt: null },
    { listsChangedAt: 1, heldAt: '9.2' },
  ],
  [
    'memory.edac',
    { controllers: [{ name: 'mc0', corrected: 1, uncorrected: 0 }], days: 3 },
    { controllers: [{ name: 'mc0', corrected: 7, uncorrected: 0 }], days: 4 },
    { controllers: [], days: 3 },
  ],
  [
    'drives.smart-health',
    { drives: new Map([['sda', { passed: true, pendingSectors: 0, replacedSectors: 0, percentUsed: 1 }]]), silent: [] },
    { drives: new Map(), silent: ['sda'] },
    {
      drives: new Map([['sda', { passed: true, pendingSectors: 0, replacedSectors: 0, percentUsed: 1 }]]),
      silent: ['sdb'],
    },
  ],
  [
    'drives.nvme-health',
    { controllers: new Map([['nvme0', { criticalWarning: 0, percentUsed: 1, mediaErrors: 0 }]]), silent: [] },
    { controllers: new Map([['nvme0', { criticalWarning: 2, percentUsed: 2, mediaErrors: 0 }]]), silent: [] },
    { controllers: new Map([['nvme0', { criticalWarning: 8, percentUsed: 1, mediaErrors: 0 }]]), silent: [] },
  ],
  [
    'system.load',
    {
      uptimeSeconds: 1,
      load: [0, 0, 0],
      memory: { totalKib: 131900000, availableKib: 1, swapTotalKib: 0, swapFreeKib: 0 },
    },
    {
      uptimeSeconds: 9,
      load: [3, 2, 1],
      memory: { totalKib: 131900400, availableKib: 5, swapTotalKib: 0, swapFreeKib: 0 },
    },
    {
      uptimeSeconds: 1,
      load: [0, 0, 0],
      memory: { totalKib: 131900000, availableKib: 1, swapTotalKib: 4096, swapFreeKib: 0 },
    },
  ],
  [
    'capacity.filesystems',
    { filesystems: [{ mountpoint: '/', usedPercent: 5 }] },
    { filesystems: [{ mountpoint: '/', usedPercent: 6 }] },
    {
      filesystems: [
        { mountpoint: '/', usedPercent: 5 },
        { mountpoint: '/data', usedPercent: 0 },
      ],
    },
  ],
  [
    'change.scheduled-jobs',
    { timers: [{ unit: 'a.timer', isActive: true }], cron: [], schedules: [], stamps: new Map() },
    {
      timers: [
        { unit: 'run-r1a2b.timer', isActive: true },
        { unit: 'a.timer', isActive: true },
      ],
      cron: [],
      schedules: [],
      stamps: new Map([['a', 1]]),
    },
    { timers: [{ unit: 'a.timer', isActive: true }], cron: ['/etc/cron.d/x'], schedules: [], stamps: new Map() },
  ],
  [
    'virt.guests',
    { found: ['/dev/kvm'], openGuests: 3 },
    { found: ['/dev/kvm'], openGuests: 5 },
    { found: ['/dev/kvm'], openGuests: 0 },
  ],
  [
    'infiniband',
    { adapters: [], ports: [{ adapter: 'mlx5_0', port: '1', partitionKeys: ['ffff'], lid: 4, managerLid: 1 }] },
    { adapters: [], ports: [{ adapter: 'mlx5_0', port: '1', partitionKeys: ['ffff'], lid: 5, managerLid: 2 }] },
    { adapters: [], ports: [{ adapter: 'mlx5_0', port: '1', partitionKeys: ['8001'], lid: 4, managerLid: 1 }] },
  ],
  [
    'login.session',
    { client: { address: 'a', port: 1 }, uid: 0, loginUid: null },
    { client: { address: 'a', port: 2 }, uid: 0, loginUid: null },
    { client: { address: 'a', port: 1 }, uid: 0, loginUid: 1000 },
  ],
  [
    'storage.redundancy',
    {
      arrays: [],
      bonds: [{ name: 'b', mode: 'x', links: [{ name: 'e', isUp: true, failures: 0 }] }],
      pools: [],
      btrfs: [],
    },
    {
      arrays: [],
      bonds: [{ name: 'b', mode: 'x', links: [{ name: 'e', isUp: true, failures: 4 }] }],
      pools: [],
      btrfs: [],
    },
    {
      arrays: [],
      bonds: [{ name: 'b', mode: 'y', links: [{ name: 'e', isUp: true, failures: 0 }] }],
      pools: [],
      btrfs: [],
    },
  ],
  [
    'storage.scrub-timers',
    { timers: [{ unit: 'a', isActive: true, last: '2026-01-01' }] },
    { timers: [{ unit: 'a', isActive: true, last: '2026-02-01' }] },
    { timers: [{ unit: 'a', isActive: false, last: '2026-01-01' }] },
  ],
  [
    'tls.listeners',
    { forwarding: true, ports: [{ host: '127.0.0.1', port: 25, outcome: 'plain', greeting: '220 10:00' }], passed: [] },
    { forwarding: true, ports: [{ host: '127.0.0.1', port: 25, outcome: 'plain', greeting: '220 11:00' }], passed: [] },
    { forwarding: true, ports: [{ host: '127.0.0.1', port: 25, outcome: 'tls', greeting: '' }], passed: [] },
  ],
  [
    'sysctl.network',
    { values: new Map([['ipv4/conf/all/rp_filter', '1']]) },
    {
      values: new Map([
        ['ipv4/conf/veth0a1b/rp_filter', '0'],
        ['ipv4/conf/all/rp_filter', '1'],
      ]),
    },
    { values: new Map([['ipv4/conf/all/rp_filter', '0']]) },
  ],
  [
    'backup.units',
    {
      units: [
        {
          tool: 'restic',
          unit: 'r.service',
          isJob: true,
          activeState: 'inactive',
          result: 'success',
          exitStatus: 0,
          endedAtSeconds: 5,
        },
      ],
    },
    {
      units: [
        {
          tool: 'restic',
          unit: 'r.service',
          isJob: true,
          activeState: 'activating',
          result: 'success',
          exitStatus: 0,
          endedAtSeconds: 6,
        },
      ],
    },
    { units: [] },
  ],
]

describe('what is compared between runs', () => {
  test.each(ROWS)(
    '%s: what changes by itself is no change, what an administrator changes is one',
    (id, fact, itself, other) => {
      expect(digest(id, itself)).toBe(digest(id, fact))
      expect(digest(id, other)).not.toBe(digest(id, fact))
      expect(digest(id, fact)).not.toBe(NOT_COMPARED)
    },
  )

  // Probes without anything volatile: any change shows.
  test.each([
    ['accounts.local', { accounts: [{ name: 'root' }] }, { accounts: [{ name: 'root' }, { name: 'new' }] }],
    ['authorized-keys', { keys: [], unreadable: 0 }, { keys: [{ fingerprint: 'SHA256:a' }], unreadable: 0 }],
    ['packages.list-dpkg', { packages: ['a 1'] }, { packages: ['a 2'] }],
    [
      'sshd.effective',
      { settings: new Map([['permitrootlogin', ['no']]]) },
      { settings: new Map([['permitrootlogin', ['yes']]]) },
    ],
    ['host.serials', { board: '1' }, { board: '2' }],
    ['sudoers.rules', { rules: [] }, { rules: [{ who: ['ALL'] }] }],
    ['storage.crypttab', { entries: [], present: true }, { entries: [], present: false }],
    ['firewall.nftables', { tables: 1 }, { tables: 2 }],
    ['os.identity', { kernel: '6.1' }, { kernel: '6.2' }],
  ])('%s: any change is one', (id, fact, other) => {
    expect(digest(id, other)).not.toBe(digest(id, fact))
  })

  test('reasons are sentences', () => {
    for (const { id, ignoredInDrift } of probes)
      if (ignoredInDrift !== undefined) expect([id, /^[A-Zs].{10,}\.$/.test(ignoredInDrift.why)]).toEqual([id, true])
  })

  test.each(
    probes.filter(({ ignoredInDrift }) => ignoredInDrift !== undefined).map((probe) => [probe.id, probe] as const),
  )('%s: every fact of the recordings has a steady form that is plain data, and is not changed by it', (id, probe) => {
    for (const { readings } of fixtures) {
      const reading = readings.get(id)
      if (reading === undefined || !reading.ok) continue
      const before = canonicalJson(plainJson(reading.fact))
      const steady = probe.ignoredInDrift?.normalize(reading.fact)
      expect(steady).not.toBe(undefined)
      expect(canonicalJson(plainJson(steady))).toBe(
        canonicalJson(plainJson(probe.ignoredInDrift?.normalize(reading.fact))),
      )
      expect(canonicalJson(plainJson(reading.fact))).toBe(before)
    }
  })

  test('most questions are compared in some way', () => {
    const never = catalog.probes.filter(
      ({ ignoredInDrift }) =>
        ignoredInDrift !== undefined && String(ignoredInDrift.normalize).replace(/\s/g, '') === '()=>null',
    )
    expect(never.length).toBeLessThan(40)
  })
})

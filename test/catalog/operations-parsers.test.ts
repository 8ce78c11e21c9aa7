import { describe, expect, test } from 'vitest'
import { firewallNftables } from '../../main/catalog/data-protection/firewall/nftables.ts'
import { proxySettings } from '../../main/catalog/data-protection/network/flows.ts'
import { netRoutes } from '../../main/catalog/data-protection/network/links.ts'
import {
  cpuThrottling,
  driveHealthNvme,
  driveHealthSmart,
  NVME_CONTROLLERS,
  SMART_DRIVES,
} from '../../main/catalog/hardware/hardware-health/drives.ts'
import { bmc } from '../../main/catalog/hardware/management-controller/probes.ts'
import { parseRedundancy, storageDmStatus } from '../../main/catalog/hardware/redundancy/index.ts'
import {
  capacityFilesystems,
  MONITORS,
  servicesFailed,
  servicesMonitoring,
  systemLoad,
} from '../../main/catalog/operations/availability/probes.ts'
import { hoursSince, hoursText, lastRun } from '../../main/catalog/operations/backup/index.ts'
import {
  BACKUP_UNITS,
  backupSettings,
  backupUnits,
  isNamedLikeBackup,
  toolOfSettings,
} from '../../main/catalog/operations/backup/probes.ts'
import { packageLogs } from '../../main/catalog/operations/packages/probes.ts'
import { scheduledJobs, userCrontabs } from '../../main/catalog/operations/scheduled-jobs/index.ts'
import { answer, fact, reason } from '../support/answers.ts'

const gone = (tool: string, path: string): string => `${tool}${path}: No such file or directory\n`

describe('/proc/mdstat, in the form of md_seq_show', () => {
  const arrays = (text: string) =>
    fact(parseRedundancy(text.replace(/^/gm, '/proc/mdstat:'))).arrays.map(
      ({ name, level, isActive, isContainer, wanted, working, failed, isRebuilding }) =>
        [name, level, isActive, isContainer, wanted, working, failed.join(), isRebuilding] as const,
    )

  test('whole, degraded, rebuilt and read-only arrays', () =>
    expect(
      arrays(`Personalities : [raid1] [raid6] [raid5] [raid4]
md0 : active raid1 sdb1[1] sda1[0]
      1046528 blocks super 1.2 [2/2] [UU]

md5 : active raid5 sdd1[3](F) sdc1[2] sdb1[1] sda1[0]
      1464858624 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/3] [UUU_]

md1 : active raid1 nvme1n1p3[2] nvme0n1p3[0]
      936321024 blocks super 1.2 [2/1] [U_]
      [=>...................]  recovery =  8.6% (80523264/936321024) finish=70.9min speed=201114K/sec

md2 : active (auto-read-only) raid1 sdf1[1](W) sde1[0](S)
      10476544 blocks super 1.2 [2/2] [UU]
        resync=PENDING

unused devices: <none>`),
    ).toEqual([
      ['md0', 'raid1', true, false, 2, 2, '', false],
      ['md5', 'raid5', true, false, 4, 3, 'sdd1', false],
      ['md1', 'raid1', true, false, 2, 1, '', true],
      ['md2', 'raid1', true, false, 2, 2, '', true],
    ]))

  test('containers of firmware RAID, and arrays that count no members', () =>
    expect(
      arrays(`Personalities : [raid1] [raid0]
md127 : inactive sdb[1](S) sda[0](S)
      10402 blocks super external:imsm

md126 : active raid1 sda[1] sdb[0]
      468848640 blocks super external:/md127/0 [2/2] [UU]

md3 : active raid0 nvme2n1[1] nvme3n1[0]
      7501212672 blocks super 1.2 512k chunks

md9 : inactive sde1[0](S)
      488254464 blocks super 1.2

unused devices: <none>`),
    ).toEqual([
      ['md127', '', false, true, null, null, '', false],
      ['md126', 'raid1', true, false, 2, 2, '', false],
      ['md3', 'raid0', true, false, null, null, '', false],
      ['md9', '', false, false, null, null, '', false],
    ]))

  test('no arrays, no driver, and an unexpected format', () => {
    expect(arrays('Personalities : \nunused devices: <none>')).toEqual([])
    expect(fact(parseRedundancy('')).arrays).toEqual([])
    expect(reason(parseRedundancy('/proc/mdstat:hello\n'))).toMatch(/an unexpected format/)
    expect(reason(parseRedundancy('/proc/mdstat:      5 blocks\n'))).toMatch(/an unexpected format/)
  })
})

test('bonds, pools and Btrfs volumes stand side by side in one answer', () => {
  const found = fact(
    parseRedundancy(
      [
        '/proc/net/bonding/bond0:Bonding Mode: IEEE 802.3ad Dynamic link aggregation',
        '/proc/net/bonding/bond0:MII Status: up',
        '/proc/net/bonding/bond0:MII Polling Interval (ms): 100',
        '/proc/net/bonding/bond0:',
        '/proc/net/bonding/bond0:Slave Interface: eno1',
        '/proc/net/bonding/bond0:MII Status: up',
        '/proc/net/bonding/bond0:Link Failure Count: 3',
        '/proc/net/bonding/bond0:Slave Interface: eno2',
        '/proc/net/bonding/bond0:MII Status: going down',
        '/proc/spl/kstat/zfs/tank/state:SUSPENDED',
        '/sys/fs/btrfs/aa-bb/devinfo/1/missing:0',
        '/sys/fs/btrfs/aa-bb/devinfo/2/missing:1',
      ].join('\n'),
    ),
  )
  expect(found.bonds).toEqual([
    {
      name: 'bond0',
      mode: 'IEEE 802.3ad Dynamic link aggregation',
      isMonitored: true,
      links: [
        { name: 'eno1', isUp: true, failures: 3 },
        { name: 'eno2', isUp: false, failures: null },
      ],
    },
  ])
  expect(found.pools).toEqual([{ name: 'tank', state: 'SUSPENDED' }])
  expect(found.btrfs).toEqual([{ id: 'aa-bb', devices: 2, missing: 1 }])
})

describe('dmsetup status', () => {
  const read = (text: string, rest = {}) => storageDmStatus.parse({ status: answer(text, rest) })
  test('RAID and multipath, names with blanks, and other targets', () => {
    const found = fact(
      read(
        'my disk: 0 2097152 multipath 2 0 0 0 2 1 A 0 1 2 8:16 A 0 0 1 E 0 1 2 8:32 F 1 0 1 \nvg-lv: 0 209715200 raid raid6_zr 5 AAaA- 1/2 recover 0 0 -\nluks: 0 5 crypt \nthin: 0 9 thin-pool 5 1/2 3/4 - rw discard_passdown queue_if_no_space - 1024 \n',
      ),
    )
    expect(found.multipaths).toEqual([{ name: 'my disk', active: 1, failed: 1 }])
    expect(found.raids).toEqual([{ name: 'vg-lv', level: 'raid6_zr', health: 'AAaA-' }])
  })
  test('nothing mapped, no device mapper, and other forms', () => {
    expect(fact(read('No devices found\n')).raids).toEqual([])
    const none = '/dev/mapper/control: open failed: No such device\nCommand failed.\n'
    expect(fact(read('', { exitCode: 1, errorText: none })).multipaths).toEqual([])
    expect(reason(read('', { exitCode: 1, errorText: 'Permission denied' }))).toMatch(/dmsetup failed/)
    expect(reason(read('hello\n'))).toMatch(/an unexpected format/)
    expect(reason(read('a: 0 1 raid raid1 2 XX 1/1 idle 0 0 -\n'))).toMatch(/an unexpected format/)
  })
})

test('power supplies and sensors beyond their limits, as ipmitool lists them', () => {
  const controller = answer('Device ID                 : 32\n')
  const none = answer('', { exitCode: 1 })
  const sensors = answer(`PS1 Status       | C8h | ok  | 10.1 | Presence detected
PS2 Status       | C9h | cr  | 10.2 | Presence detected, Failure detected
PS1 Temp         | CAh | ok  | 10.1 | 35 degrees C
Fan1             | 30h | nr  |  7.1 | 0 RPM
Voltage 1        | 31h | ns  | 10.1 | No Reading
`)
  const told = fact(bmc.parse({ controller, sensors, inventory: none, events: none, power: none }))
  expect(told.supplies).toEqual([
    { name: 'PS1 Status', state: 'Presence detected' },
    { name: 'PS2 Status', state: 'Presence detected, Failure detected' },
    { name: 'Voltage 1', state: 'No Reading' },
  ])
  expect(told.beyondLimits?.map(({ name }) => name)).toEqual(['PS2 Status', 'Fan1'])
})

// ipmitool sdr elist of an iLO puts what the supply draws before its state, and lists the pair of them as a supply, too.
test('power supplies of iLO: a measured value before the state does not hide it', () => {
  const controller = answer('Device ID                 : 19\n')
  const none = answer('', { exitCode: 1 })
  const sensors = answer(`Power Supply 1   | 06h | ok  | 10.1 | 0 Watts, Presence detected, Failure detected
Power Supply 2   | 07h | ok  | 10.2 | 95 Watts, Presence detected
Power Supplies   | 08h | ok  | 10.3 | Non-Redundant: Sufficient from Redundant
PS 1 Output      | 3Eh | ok  | 10.1 | 50 Watts
PS 1 Presence    | 3Fh | ok  | 10.1 | Device Present
`)
  const told = fact(bmc.parse({ controller, sensors, inventory: none, events: none, power: none }))
  expect(told.supplies).toEqual([
    { name: 'Power Supply 1', state: 'Presence detected, Failure detected' },
    { name: 'Power Supply 2', state: 'Presence detected' },
    { name: 'Power Supplies', state: 'Non-Redundant: Sufficient from Redundant' },
    { name: 'PS 1 Presence', state: 'Device Present' },
  ])
})

describe('health of drives', () => {
  const nvme = (own: Readonly<Record<string, ReturnType<typeof answer>>>) =>
    driveHealthNvme.parse(
      Object.fromEntries(
        NVME_CONTROLLERS.map((name) => [
          name,
          own[name] ?? answer('', { exitCode: 1, errorText: gone('', `/dev/${name}`) }),
        ]),
      ),
    )
  const smart = (own: Readonly<Record<string, ReturnType<typeof answer>>>) =>
    driveHealthSmart.parse(
      Object.fromEntries(
        SMART_DRIVES.map((name) => [
          name,
          own[name] ??
            answer(
              JSON.stringify({
                smartctl: { messages: [{ string: `Smartctl open device: /dev/${name} failed: No such device` }] },
              }),
              { exitCode: 2 },
            ),
        ]),
      ),
    )

  test('nvme-cli 1 and 2, large counters, and drives that report nothing', () => {
    const { controllers, silent } = fact(
      nvme({
        nvme0: answer('{"critical_warning":4,"percent_used":104,"media_errors":17}'),
        nvme1: answer(
          '{"critical_warning":{"value":0,"available_spare":0},"percentage_used":3,"media_errors":"340282366920938463463374607431768211455"}',
        ),
        nvme2: answer('NVMe status: Invalid Log Page', { exitCode: 1 }),
        nvme3: answer('{}'),
      }),
    )
    expect([...controllers]).toEqual([
      ['nvme0', { criticalWarning: 4, percentUsed: 104, mediaErrors: 17 }],
      ['nvme1', { criticalWarning: 0, percentUsed: 3, mediaErrors: 2 ** 128 }],
    ])
    expect(silent).toEqual(['nvme2', 'nvme3'])
  })

  test('smartctl: ATA, SCSI, asleep, and behind a controller', () => {
    const ata = {
      smart_status: { passed: false },
      ata_smart_attributes: {
        table: [
          { id: 5, raw: { value: 8 } },
          { id: 197, raw: { value: 2 } },
        ],
      },
      endurance_used: { current_percent: 27 },
    }
    const scsi = {
      smart_status: { passed: true },
      scsi_grown_defect_list: 0,
      scsi_percentage_used_endurance_indicator: 6,
    }
    const { drives, silent } = fact(
      smart({
        sda: answer(JSON.stringify(ata), { exitCode: 24 }),
        sdb: answer(JSON.stringify(scsi)),
        sdc: answer('{"smartctl":{"messages":[{"string":"Device is in STANDBY mode, exit(2)"}]}}', { exitCode: 2 }),
        sdd: answer('{"smartctl":{"messages":[{"string":"DELL or MegaRaid controller, please try adding -d"}]}}', {
          exitCode: 2,
        }),
      }),
    )
    expect([...drives]).toEqual([
      ['sda', { passed: false, pendingSectors: 2, replacedSectors: 8, percentUsed: 27 }],
      ['sdb', { passed: true, pendingSectors: null, replacedSectors: 0, percentUsed: 6 }],
    ])
    expect(silent).toEqual(['sdc', 'sdd'])
  })
})

test('counts of a processor slowed by heat, and processors without them', () => {
  const path = (cpu: number): string => `/sys/devices/system/cpu/cpu${cpu}/thermal_throttle/package_throttle_count`
  expect(fact(cpuThrottling.parse({ counts: answer(`${path(0)}:3\n${path(1)}:9\n`) })).times).toBe(9)
  const none = answer('', { exitCode: 2, errorText: gone('grep: ', '/sys/devices/…') })
  expect(fact(cpuThrottling.parse({ counts: none })).times).toBeNull()
})

describe('routes', () => {
  const read = (ipv4: string, ipv6 = '[]') => netRoutes.parse({ ipv4: answer(ipv4), ipv6: answer(ipv6) })
  test('gateways, several next hops, another family’s gateway, and routes that drop', () =>
    expect(
      fact(
        read(
          '[{"dst":"default","nexthops":[{"gateway":"192.0.2.1","dev":"a"},{"gateway":"192.0.2.2","dev":"b"}]},{"dst":"10.0.0.0/8","via":{"family":"inet6","host":"fe80::1"},"dev":"c"},{"type":"blackhole","dst":"172.16.0.0/12"},{"dst":"192.0.2.0/24","dev":"a","scope":"link"}]',
          '',
        ),
      ),
    ).toEqual({
      ipv4: [
        { to: 'default', via: '192.0.2.1', device: 'a', drops: null },
        { to: 'default', via: '192.0.2.2', device: 'b', drops: null },
        { to: '10.0.0.0/8', via: 'fe80::1', device: 'c', drops: null },
        { to: '172.16.0.0/12', via: null, device: null, drops: 'blackhole' },
        { to: '192.0.2.0/24', via: null, device: 'a', drops: null },
      ],
      ipv6: [],
    }))
  test('busybox and other forms', () => {
    expect(reason(netRoutes.parse({ ipv4: answer('', { exitCode: 1 }), ipv6: answer('[]') }))).toMatch(/as JSON/)
    expect(reason(read('{}'))).toMatch(/an unexpected format/)
    expect(reason(read('x'))).toMatch(/not JSON/)
  })
})

test('chains of every hook are distinguished', () => {
  const chain = (hook: string, policy: string) => ({
    chain: { family: 'ip', table: 'filter', name: hook.toUpperCase(), type: 'filter', hook, prio: 0, policy },
  })
  const ruleset = {
    nftables: [{ metainfo: {} }, chain('input', 'accept'), chain('forward', 'drop'), chain('output', 'drop')],
  }
  const read = fact(firewallNftables.parse({ ruleset: answer(JSON.stringify(ruleset)) }))
  const ways = [read.inputChains, read.forwardChains, read.outputChains].map((own) => own.map((one) => one.fallsTo))
  expect(ways).toEqual([['accept'], ['drop'], ['drop']])
})

test('a chain that drops by interface only is distinguished from one that lets everything in', () => {
  const match = (key: string, right: string) => ({ match: { op: '!=', left: { meta: { key } }, right } })
  const rule = (chain: string, ...expr: readonly object[]) => ({ rule: { family: 'inet', table: 't', chain, expr } })
  const read = (...rules: readonly object[]) =>
    fact(
      firewallNftables.parse({
        ruleset: answer(
          JSON.stringify({
            nftables: [
              { metainfo: {} },
              { chain: { family: 'inet', table: 't', name: 'in', type: 'filter', hook: 'input', policy: 'accept' } },
              ...rules,
            ],
          }),
        ),
      }),
    ).inputChains.map(({ fallsTo, dropsByInterface }) => [fallsTo, dropsByInterface])
  expect(read(rule('in', match('iifname', 'lo'), { counter: null }, { drop: null }))).toEqual([['accept', true]])
  expect(
    read(rule('in', match('iifname', 'lan0'), { jump: { target: 'wan' } }), rule('wan', { reject: null })),
  ).toEqual([['accept', true]])
  expect(
    read(rule('in', match('iifname', 'lan0'), { goto: { target: 'wan' } }), rule('wan', { accept: null })),
  ).toEqual([['accept', false]])
  expect(read(rule('in', match('mark', '5'), { drop: null }))).toEqual([['accept', false]])
  // A jump that comes back to its own chain ends all the same.
  expect(read(rule('in', match('iif', 'a'), { jump: { target: 'in' } }))).toEqual([['accept', false]])
})

describe('units of systemd', () => {
  test('names of failed units, with and without the dot of older releases', () =>
    expect(
      fact(
        servicesFailed.parse({
          units: answer(
            '● dcgm.service loaded failed failed NVIDIA DCGM service\nnvme-load@a.service loaded failed failed x\n',
          ),
        }),
      ).units,
    ).toEqual(['dcgm.service', 'nvme-load@a.service']))

  const show = (units: readonly string[], own: Readonly<Record<string, string>>) =>
    units.map((unit) => `Id=${unit}\n${own[unit] ?? 'LoadState=not-found\nActiveState=inactive'}\n`).join('\n')

  test('backup jobs: how each ended', () => {
    const names = BACKUP_UNITS.map(({ unit }) => `${unit}.service`)
    const job = (active: string, result: string, status: number, ended: number): string =>
      `LoadState=loaded\nActiveState=${active}\nResult=${result}\nExecMainStatus=${status}\nExecMainExitTimestampMonotonic=${ended}`
    const { units } = fact(
      backupUnits.parse({
        units: answer(
          show(names, {
            'restic-backup.service': job('inactive', 'success', 0, 7_200_000_000),
            'borgmatic.service': job('inactive', 'success', 1, 7_200_000_000),
            'kopia.service': job('activating', 'success', 0, 0),
            'duplicity.service': job('failed', 'timeout', 0, 9),
            'rsnapshot.service': job('inactive', 'success', 0, 0),
            'rclone.service': job('inactive', 'exit-code', 2, 9),
          }),
        ),
      }),
    )
    expect(units.map((unit) => [unit.unit, lastRun(unit).is])).toEqual([
      ['restic-backup', 'succeeded'],
      ['borgmatic', 'warned'],
      ['kopia', 'running'],
      ['duplicity', 'failed'],
      ['rsnapshot', 'not-run'],
      ['rclone', 'failed'],
    ])
    expect(reason(backupUnits.parse({ units: answer('Id=x\n') }))).toMatch(/other units/)
    expect(reason(backupUnits.parse({ units: answer('', { exitCode: 1 }) }))).toMatch(/did not respond/)
  })

  test('ages never turn negative by a moment, and contradictions give none', () => {
    expect(hoursSince(3600, 7200)).toBe(1)
    expect(hoursSince(7230, 7200)).toBe(0)
    expect(hoursSince(99_999, 7200)).toBeNull()
    expect([0.5, 1, 26, 48, 49, 200].map(hoursText)).toEqual([
      'less than an hour',
      '1 hour',
      '26 hours',
      '48 hours',
      '2 days',
      '8 days',
    ])
  })

  test('monitoring agents', () => {
    const names = MONITORS.map(({ unit }) => (unit.includes('.') ? unit : `${unit}.service`))
    const { installed } = fact(
      servicesMonitoring.parse({
        units: answer(show(names, { 'netdata.service': 'LoadState=loaded\nActiveState=active\nSubState=running' })),
      }),
    )
    expect(installed.map(({ monitor, active }) => [monitor.name, active])).toEqual([['Netdata', true]])
  })
})

describe('settings of backup tools', () => {
  const missing = { exitCode: 2, errorText: gone('grep: ', '/etc/borgmatic') }
  test('names of files only, and which tool each belongs to', () => {
    const found = fact(
      backupSettings.parse({
        files: answer('/etc/pgbackrest.conf\n/etc/restic/excludes\n', missing),
        encrypting: answer('/etc/pgbackrest.conf\n', missing),
        clear: answer('', missing),
        locking: answer('', missing),
      }),
    )
    expect(found.encrypting).toEqual(['/etc/pgbackrest.conf'])
    expect(found.files.map(toolOfSettings)).toEqual(['pgBackRest', 'restic'])
    expect(toolOfSettings('/etc/other')).toBeNull()
  })
  test('a file that could not be read leaves everything open', () => {
    const denied = answer('', { exitCode: 2, errorText: 'grep: /etc/borgmatic: Permission denied\n' })
    const none = answer('', { exitCode: 1 })
    expect(reason(backupSettings.parse({ files: none, encrypting: denied, clear: none, locking: none }))).toMatch(
      /could not all be read/,
    )
  })
  test('the patterns name settings and can be granted by every sudo', () => {
    const argv = (name: 'encrypting' | 'clear' | 'locking'): readonly string[] => {
      const command = backupSettings.commands[name]
      return command.kind === 'run' ? command.argv.map(String) : []
    }
    const matches = (name: 'encrypting' | 'clear' | 'locking', line: string): boolean =>
      new RegExp((argv(name)[2] ?? '').replaceAll('[:space:]', '\\s'), 'i').test(line)
    for (const name of ['encrypting', 'clear', 'locking'] as const) {
      expect(argv(name).every((word) => /^[!-~]+$/.test(word) && !/[*?]/.test(word))).toBe(true)
      expect(argv(name)[1]).toContain('l')
    }
    expect(matches('encrypting', 'encryption_passcommand: secret-tool lookup')).toBe(true)
    expect(matches('encrypting', '# encryption_passphrase: x')).toBe(false)
    expect(matches('encrypting', 'repo1-cipher-type=aes-256-cbc')).toBe(true)
    expect(matches('encrypting', '    PKI Encryption = Yes')).toBe(true)
    expect(matches('encrypting', 'type = crypt')).toBe(true)
    expect(matches('clear', 'repo1-cipher-type=none')).toBe(true)
    expect(matches('clear', "GPG_KEY='disabled'")).toBe(true)
    expect(matches('locking', '      append_only: true')).toBe(true)
    expect(matches('locking', '      append_only: false')).toBe(false)
  })
})

test('package logs of Debian, Fedora and SUSE, by count and date', () => {
  const missing = { exitCode: 2, errorText: gone('grep: ', '/var/log/yum.log') }
  const { logs } = fact(
    packageLogs.parse({
      counts: answer('/var/log/dpkg.log:981\n/var/log/zypp/history:0\n', missing),
      since: answer('/var/log/dpkg.log:2025-06-24\n', missing),
      written: answer('1795286754 /var/log/dpkg.log\n', { exitCode: 1 }),
    }),
  )
  expect(logs).toEqual([
    { path: '/var/log/dpkg.log', changes: 981, since: '2025-06-24', writtenAt: 1795286754 },
    { path: '/var/log/zypp/history', changes: 0, since: null, writtenAt: null },
  ])
  const counts = packageLogs.commands.counts
  const pattern = new RegExp(counts.kind === 'run' ? String(counts.argv[2]) : '')
  const kept = [
    '2026-11-20 06:21:40 install libfoo:amd64 <none> 1.2-3',
    '2026-11-20 06:21:40 upgrade libfoo:amd64 1.2-3 1.2-4',
    '2026-11-20T06:21:40+0000 SUBDEBUG Installed: foo-1.2-3.el9.x86_64',
    '2026-11-20 06:21:40|install|libfoo|1.2-3|x86_64|root@host|repo|sum|',
    '2026-11-20 06:21:40|remove |libfoo|1.2-3|x86_64|root@host|',
    'Nov 20 06:21:40 Installed: foo-1.2-3.x86_64',
  ]
  expect(kept.filter((line) => !pattern.test(line))).toEqual([])
  const left = [
    '2026-11-20 06:21:40 status installed libfoo:amd64 1.2-3',
    "2026-11-20 06:21:40|command|root@host|'zypper' 'in' 'x'|",
  ]
  expect(left.filter((line) => pattern.test(line))).toEqual([])
})

describe('jobs that run on their own', () => {
  const schedules = scheduledJobs.commands.schedules
  const pattern = new RegExp((schedules.kind === 'run' ? String(schedules.argv[2]) : '').replaceAll('[:space:]', '\\s'))
  test.each([
    ['17 *\t* * *\troot    cd / && run-parts --report /etc/cron.hourly', '17 *\t* * *\t'],
    ['@daily root TOKEN=abc /usr/bin/backup', '@daily '],
    ['30 3 * * 0 root test -e /run/systemd/system', '30 3 * * 0 '],
    ['*/5 1-6,22 * jan-mar mon root x', '*/5 1-6,22 * jan-mar mon '],
    ['PASSWORD=a b c d e f', null],
    ['MAILTO=root', null],
    ['# 5 5 5 5 5 x', null],
    ['1 2 3 4 5', null],
  ])('of %s only the schedule is printed', (line, printed) => expect(pattern.exec(line)?.[0] ?? null).toBe(printed))

  test('timers, folders, schedules and stamps', () => {
    const found = fact(
      scheduledJobs.parse({
        timers: answer(
          'apt-daily.timer loaded active waiting Daily apt download activities\n* old.timer loaded inactive dead Old\n',
        ),
        cron: answer('/etc/cron.d:\ne2scrub_all\n\n/etc/cron.daily:\nnightly-backup\n', {
          exitCode: 2,
          errorText: gone("ls: cannot access '/etc/cron.hourly'", ''),
        }),
        schedules: answer('/etc/crontab:17 *\t* * *\t\n'),
        stamps: answer('1763600000 /var/lib/systemd/timers/stamp-apt-daily.timer\nhello\n'),
      }),
    )
    expect(found.timers).toEqual([
      { unit: 'apt-daily.timer', isActive: true },
      { unit: 'old.timer', isActive: false },
    ])
    expect(found.cron).toEqual(['/etc/cron.d/e2scrub_all', '/etc/cron.daily/nightly-backup'])
    expect(found.schedules).toEqual([{ file: '/etc/crontab', when: '17 * * * *' }])
    expect([...found.stamps]).toEqual([['apt-daily.timer', 1763600000]])
    expect(found.cron.filter(isNamedLikeBackup)).toEqual(['/etc/cron.daily/nightly-backup'])
    expect(['dpkg-db-backup.timer', '/etc/cron.daily/logrotate'].filter(isNamedLikeBackup)).toEqual([])
  })

  test('accounts with a table: Debian, RHEL, none and unreadable', () => {
    const read = (text: string, errorText: string) =>
      userCrontabs.parse({ tables: answer(text, { exitCode: errorText === '' ? 0 : 2, errorText }) })
    const missing = gone("ls: cannot access '/var/spool/cron/tabs'", '')
    expect(fact(read('/var/spool/cron:\ncrontabs\n\n/var/spool/cron/crontabs:\nroot\n', missing)).accounts).toEqual([
      'root',
    ])
    expect(fact(read('/var/spool/cron:\nmortiz\n', missing)).accounts).toEqual(['mortiz'])
    expect(reason(read('', "ls: cannot open directory '/var/spool/cron': Permission denied\n"))).toMatch(/could not/)
  })
})

test('load, memory and room', () => {
  const uptime = answer('2161348.27 241.10\n')
  const load = answer('41.27 39.80 40.12 12/4711 918223\n')
  const memory = answer('MemTotal:       24684084 kB\nMemAvailable:   23880172 kB\n')
  expect(fact(systemLoad.parse({ uptime, load, memory }))).toEqual({
    uptimeSeconds: 2161348.27,
    load: [41.27, 39.8, 40.12],
    memory: { totalKib: 24684084, availableKib: 23880172, swapTotalKib: 0, swapFreeKib: 0 },
  })
  expect(reason(systemLoad.parse({ uptime: answer('x'), load, memory }))).toMatch(/an unexpected format/)
  const use = answer(
    '{"blockdevices":[{"maj:min":"253:0","fsuse%":null,"mountpoint":null},{"maj:min":"254:0","fsuse%":"18%","mountpoint":"/"},{"maj:min":"254:1","fsuse%":"1%","mountpoint":"[SWAP]"}]}',
  )
  expect(fact(capacityFilesystems.parse({ use })).filesystems).toEqual([{ mountpoint: '/', usedPercent: 18 }])
  expect(reason(capacityFilesystems.parse({ use: answer('{"blockdevices":[]}') }))).toMatch(/no file system/)
  expect(reason(capacityFilesystems.parse({ use: answer('', { exitCode: 1 }) }))).toMatch(/did not report/)
})

test('of a proxy only the name of its setting is asked for', () => {
  const names = proxySettings.commands.names
  const pattern = new RegExp((names.kind === 'run' ? String(names.argv[2]) : '').replaceAll('[:space:]', '\\s'), 'i')
  expect(pattern.exec('https_proxy=http://user:secret@proxy:3128')?.[0]).toBe('https_proxy')
  expect(pattern.exec('export HTTP_PROXY="http://user:secret@proxy"')?.[0]).toBe('export HTTP_PROXY')
  expect(pattern.exec('Acquire::https::Proxy "http://u:p@proxy";')?.[0]).toBe('Acquire::https::Proxy')
  expect(pattern.exec('proxy_password=secret')).toBeNull()
  const read = answer('/etc/environment:https_proxy\n/etc/environment:no_proxy\n', {
    exitCode: 2,
    errorText: gone('grep: ', '/etc/yum.conf'),
  })
  expect(fact(proxySettings.parse({ names: read })).files).toEqual(['/etc/environment'])
})

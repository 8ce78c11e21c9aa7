import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { THRESHOLDS } from '../../main/catalog/base/thresholds.ts'
import { firewallNftables } from '../../main/catalog/data-protection/firewall/nftables.ts'
import { networkKernelParams } from '../../main/catalog/data-protection/network/kernel.ts'
import { availabilityHardwareHealth } from '../../main/catalog/hardware/hardware-health/index.ts'
import { integrityEccMemory } from '../../main/catalog/hardware/memory-errors/index.ts'
import { controllerSteps, redundancyState } from '../../main/catalog/hardware/redundancy/index.ts'
import { integrityStorageChecksums } from '../../main/catalog/hardware/storage-integrity/index.ts'
import { backupFreshness, encryptionAtRestBackupTarget } from '../../main/catalog/operations/backup/index.ts'
import { BACKUP_UNITS, backupSettings, backupUnits } from '../../main/catalog/operations/backup/probes.ts'
import table from '../../main/catalog/operations/end-of-life/end-of-life.json' with { type: 'json' }
import { vulnEol } from '../../main/catalog/operations/end-of-life/index.ts'
import { integrityMalwareProtection } from '../../main/catalog/operations/integrity-monitoring/index.ts'
import { integritySchedules } from '../../main/catalog/operations/integrity-monitoring/probes.ts'
import {
  integrityPackageVerify,
  packagesSumsDpkg,
  packagesVerifyDpkg,
  packagesVerifyRpm,
} from '../../main/catalog/operations/packages/index.ts'
import { packagesSourcesApt, packagesSourcesRpm } from '../../main/catalog/operations/packages/sources.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { type Check, type Context, conclude } from '../../main/core/rules/check.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'
import { answer, fact, reason } from '../support/answers.ts'

/** Answers that look like good news and are none: tools of another make, tables that are not in force, lists that are empty. */

const context = (
  changes: readonly { threshold: string; value: number }[] = [],
  asOf = '2026-11-20T09:12:00.000Z',
): Context => ({
  node: { name: 'n', address: '192.0.2.1', port: 22, user: 'u', sudo: true },
  asOf,
  observedAt: asOf,
  thresholds: thresholdValues(THRESHOLDS, {
    name: 'baseline',
    changes: changes.map((change) => ({ ...change, reason: 'because' })) as never,
  }),
})
const judge = (check: Check, facts: Readonly<Record<string, unknown>>, where = context()) => {
  const readings = new Map<string, Parsed<unknown>>(
    Object.entries(facts).map(([id, one]) => [id, one instanceof Error ? unknown(one.message) : known(one)]),
  )
  const { verdict, observations } = conclude(check, readings, where)
  return { verdict, texts: observations.map(({ direction, text }) => `${direction}: ${text}`) }
}

const debian = { id: 'debian', name: 'Debian', version: '12', supportEnd: null, family: 'debian' }

describe('files against the package database', () => {
  test('busybox’s dpkg and rpm know no comparison', () => {
    const busybox = {
      exitCode: 1,
      errorText: "dpkg: unrecognized option '--verify'\nBusyBox v1.35.0 multi-call binary.\n",
    }
    expect(reason(packagesVerifyDpkg.parse({ files: answer('', busybox) }))).toMatch(/could not compare/)
    const rpm = { exitCode: 1, errorText: "rpm: invalid option -- 'V'\nBusyBox v1.35.0 multi-call binary.\n" }
    expect(reason(packagesVerifyRpm.parse({ files: answer('', rpm) }))).toMatch(/could not compare/)
    expect(reason(packagesVerifyRpm.parse({ files: answer('', { exitCode: 137 }) }))).toMatch(/did not finish/)
  })

  test('a package without sums was not compared', () => {
    const info = '/var/lib/dpkg/info/'
    const missing = { exitCode: 2, errorText: `grep: ${info}sudo.md5sums: No such file or directory\n` }
    const sums = fact(
      packagesSumsDpkg.parse({
        sums: answer(
          [`${info}coreutils.md5sums`, '0\n', `${info}libpam0g:amd64.md5sums`, '12\n'].reduce(
            (all, part, at) => all + (at % 2 === 1 ? '\0' : '') + part,
            '',
          ),
          missing,
        ),
      }),
    )
    expect(sums.packages).toEqual(['libpam0g'])
    const verified = {
      checked: ['libpam0g', 'coreutils'],
      absent: [],
      altered: [],
      missing: [],
      reattributed: [],
      unreadable: [],
      configured: 0,
    }
    const facts = { 'packages.distribution': debian, 'packages.verify-dpkg': verified }
    const without = judge(integrityPackageVerify, { ...facts, 'packages.sums-dpkg': sums })
    expect(without.verdict).toBe('inconclusive')
    expect(without.texts.join()).toContain('no checksums of “coreutils”')
    expect(judge(integrityPackageVerify, facts).verdict).toBe('inconclusive')
    const all = { packages: ['libpam0g', 'coreutils'] }
    expect(judge(integrityPackageVerify, { ...facts, 'packages.sums-dpkg': all }).verdict).toBe('satisfied')
  })
})

describe('package sources', () => {
  const apt = (rows: readonly string[]) =>
    packagesSourcesApt.parse({
      sources: answer(rows.map((row) => `/etc/apt/sources.list.d/a.sources:${row}\n`).join('')),
      settings: answer(''),
    })
  const open = (rows: readonly string[]) => fact(apt(rows)).sources.map(({ unverified }) => unverified)

  test('the empty line between stanzas decides what belongs to which', () => {
    expect(
      open(['1:Types: deb', '2:URIs: http:', '3:Trusted: yes', '5:Enabled: no', '6:Types: deb', '7:URIs: http:']),
    ).toEqual([true])
  })
  test('a number for yes, and an address on the next line', () => {
    expect(open(['1:Types: deb', '2:URIs:', '3:  h', '4:Trusted: 1'])).toEqual([true])
  })
  test('a scheme with a digit; a source without one is of another form', () => {
    expect(open(['1:deb [trusted=with] s3:'])).toEqual([true])
    expect(reason(apt(['1:deb ']))).toMatch(/an unexpected format/)
  })
  test('dnf configured to look elsewhere', () => {
    const sources = answer('/etc/dnf/dnf.conf:[main]\n/etc/dnf/dnf.conf:reposdir=\n')
    expect(reason(packagesSourcesRpm.parse({ sources }))).toMatch(/of the site’s own/)
  })
})

test('a table of the packet filter that is dormant filters nothing, and one with flags that nft garbles is open', () => {
  const ruleset = (flags: object) =>
    fact(
      firewallNftables.parse({
        ruleset: answer(
          JSON.stringify({
            nftables: [
              { metainfo: { version: '1.0.6' } },
              { table: { family: 'inet', name: 'f', handle: 1, ...flags } },
              {
                chain: {
                  family: 'inet',
                  table: 'f',
                  name: 'o',
                  handle: 1,
                  type: 'filter',
                  hook: 'output',
                  prio: 0,
                  policy: 'drop',
                },
              },
            ],
          }),
        ),
      }),
    ).outputChains.map(({ fallsTo }) => fallsTo)
  expect(ruleset({})).toEqual(['drop'])
  expect(ruleset({ flags: ['owner', 'persist'] })).toEqual(['drop'])
  expect(ruleset({ flags: ['dormant'] })).toEqual([])
  expect(ruleset({ flags: 'dormant' })).toEqual([])
  // As nft 1.0.6 prints it on Debian 12: the name of the table in place of its flags.
  expect(ruleset({ flags: 'f' })).toEqual(['unclear'])
})

test('an agent whose start script ended long ago does not run', () => {
  const units = new Map([['falcon-sensor.service', { loaded: true, active: false, lastDay: null, exitStatus: null }]])
  const facts = {
    'integrity.agents': { units },
    'integrity.marks': { changedAt: new Map() },
    'integrity.schedules': { tools: new Map() },
  }
  expect(judge(integrityMalwareProtection, facts).verdict).toBe('not-satisfied')
})

describe('a relaxed limit is in the sentence that it makes true', () => {
  const facts = (days: number) => ({
    'integrity.agents': {
      units: new Map([['clamav-clamonacc.service', { loaded: true, active: true, lastDay: null, exitStatus: null }]]),
    },
    'integrity.marks': {
      changedAt: new Map([['/var/lib/clamav/daily.cvd', Date.parse('2026-11-20T09:12:00Z') / 1000 - days * 86_400]]),
    },
    'integrity.schedules': { tools: new Map() },
  })
  test.each([
    [60, 'satisfied', '60 days, looser than the profile’s 7 days'],
    [40.5, 'satisfied', '40.5 days, looser'],
    [0, 'not-satisfied', '0 days, stricter'],
    [1e308, 'satisfied', '1e+308 days, looser'],
  ])('%d days', (value, verdict, words) => {
    const judged = judge(integrityMalwareProtection, facts(40), context([{ threshold: 'malware.days', value }]))
    expect(judged.verdict).toBe(verdict)
    expect(judged.texts.join()).toContain(words)
  })
  test('names of the prototype are no thresholds', () =>
    expect(
      judge(
        integrityMalwareProtection,
        facts(40),
        context([
          { threshold: '__proto__', value: 90 },
          { threshold: 'constructor', value: 90 },
        ]),
      ).verdict,
    ).toBe('not-satisfied'))
})

describe('backups', () => {
  const show = (own: string) =>
    BACKUP_UNITS.map(({ unit }) =>
      unit === 'restic-backup'
        ? `Id=${unit}.service\nLoadState=loaded\n${own}`
        : `Id=${unit}.service\nLoadState=not-found`,
    ).join('\n\n')
  const whole = 'ActiveState=inactive\nResult=success\nExecMainStatus=0\nExecMainExitTimestampMonotonic=3600000000'
  const judged = (own: string) => {
    const units = backupUnits.parse({ units: answer(show(own)) })
    return judge(backupFreshness, {
      'backup.units': units.ok ? units.fact : new Error(units.reason),
      'system.load': { uptimeSeconds: 7200 },
    }).verdict
  }
  test('a word of the service manager taken away never makes a copy fresh', () => {
    expect(judged(whole)).toBe('satisfied')
    for (const line of whole.split('\n')) expect(judged(whole.replace(line, '')), line).not.toBe('satisfied')
    for (const line of whole.split('\n'))
      expect(judged(whole.replace(/=.*/, '=').replace(line, `${line.split('=')[0]}=`)), line).not.toBe('satisfied')
  })
  test('a status that the unit forgives does not show a whole copy', () =>
    expect(judged(whole.replace('ExecMainStatus=0', 'ExecMainStatus=3'))).toBe('inconclusive'))

  test('settings that were put aside, and a target of rclone that only may be used', () => {
    const read = (text: string) => answer(text, { exitCode: text === '' ? 1 : 0 })
    const settings = fact(
      backupSettings.parse({
        files: read('/root/.config/rclone/rclone.conf\n/etc/borgmatic/config.yaml.bak\n'),
        encrypting: read('/root/.config/rclone/rclone.conf\n/etc/borgmatic/config.yaml.bak\n'),
        clear: read(''),
        locking: read('/etc/borgmatic/config.yaml.bak\n'),
      }),
    )
    expect(settings).toMatchObject({ files: ['/root/.config/rclone/rclone.conf'], locking: [] })
    expect(
      judge(encryptionAtRestBackupTarget, { 'backup.units': { units: [] }, 'backup.settings': settings }).verdict,
    ).toBe('inconclusive')
  })
})

test('cron tables that were put aside start nothing', () =>
  expect(
    fact(integritySchedules.parse({ cron: answer('/etc/cron.d/aide.disabled:aide \n/etc/cron.daily/lynis:lynis\n') }))
      .tools,
  ).toEqual(new Map([['lynis', ['/etc/cron.daily/lynis']]])))

test('a management controller that lists no sensor shows nothing of any', () => {
  const controller = known({ sensors: 0 } as never)
  const steps = controllerSteps({ device: true, listed: [] } as never, controller, () => {
    throw new Error('nothing to read')
  })
  expect(steps.map(({ direction }) => direction)).toEqual(['unclear'])
})

describe('parts of the kernel’s answer', () => {
  test('without the file that is always there, missing files show nothing', () => {
    const gone = { exitCode: 2, errorText: 'grep: /proc/mdstat: No such file or directory\n' }
    expect(redundancyState.parse({ state: answer('', gone) }).ok).toBe(false)
    const there = '/proc/sys/kernel/random/boot_id:7d0c4a52-3f18-4b6e-9a55-21c6f0e4b7d3\n'
    expect(redundancyState.parse({ state: answer(there, gone) }).ok).toBe(true)
  })
  test('a ZFS pool that is mounted nowhere is not “not applicable” when zpool does not answer', () => {
    const facts = {
      'storage.mounts': { mounts: [] },
      'storage.checksum-state': { arrays: [], btrfs: [] },
      'storage.dm-integrity': { layers: [] },
      'storage.zfs-status': new Error('tool absent'),
    }
    const kernel = (pools: readonly object[]) => ({ arrays: [], bonds: [], pools, btrfs: [] })
    expect(judge(integrityStorageChecksums, facts).verdict).toBe('inconclusive')
    expect(
      judge(integrityStorageChecksums, { ...facts, 'storage.redundancy': kernel([{ name: 'tank', state: 'ONLINE' }]) })
        .verdict,
    ).toBe('inconclusive')
    expect(judge(integrityStorageChecksums, { ...facts, 'storage.redundancy': kernel([]) }).verdict).toBe(
      'not-applicable',
    )
  })
  test('SYN cookies that are always sent are on; settings of no interface show nothing', () => {
    const values = new Map([
      ['ipv4/ip_forward', '0'],
      ['ipv4/tcp_syncookies', '2'],
      ['ipv4/conf/all/rp_filter', '1'],
      ['ipv4/conf/all/accept_redirects', '0'],
    ])
    const { verdict, texts } = judge(networkKernelParams, { 'sysctl.network': { values } })
    expect(verdict).toBe('inconclusive')
    expect(texts).toContain('supports: SYN cookies are on.')
  })
})

test('a driver that lists no GPU shows nothing of their memory', () => {
  const { verdict } = judge(integrityEccMemory, {
    'memory.edac': { controllers: [{ name: 'mc0', corrected: 0, uncorrected: 0 }], days: 1 },
    'dmi.table': { corrections: ['Multi-bit ECC'] },
    'gpu.modules': { modules: ['nvidia'], driver: '580.1', gpus: [], dividing: [] },
    'gpu.nvidia': { driver: '580.1', gpus: [] },
  })
  expect(verdict).toBe('inconclusive')
})

test('a GPU on the bus that the driver does not list is reported', () => {
  const { texts } = judge(availabilityHardwareHealth, {
    'inventory.disks': { disks: [] },
    'bmc.presence': { device: false, listed: [] },
    'pci.devices': {
      devices: [
        { vendor: '10de', class: '030200' },
        { vendor: '10de', class: '030200' },
      ],
    },
    'gpu.nvidia': {
      driver: '580.1',
      gpus: [{ ecc: 'N/A', memoryErrors: { replaced: null, isPending: false, hasFailed: false } }],
    },
  })
  expect(texts.join()).toContain('1 NVIDIA GPU of 2 on the bus not listed by the driver')
})

describe('ends of support', () => {
  const at = (asOf: string) =>
    judge(
      vulnEol,
      {
        'packages.distribution': { ...debian, id: 'ubuntu', name: 'Ubuntu', version: '24.04' },
        'gpu.modules': { modules: [], driver: null, gpus: [], dividing: [] },
      },
      context([], asOf),
    ).texts[0]
  test('the last day is still one of support', () => {
    expect(at('2029-05-31T23:59:59.000Z')).toMatch(/^supports: /)
    expect(at('2029-06-01T00:00:00.000Z')).toMatch(/^contradicts: /)
  })

  const read = (name: string): readonly (readonly string[])[] | null => {
    try {
      return readFileSync(`/usr/share/distro-info/${name}.csv`, 'utf8')
        .split('\n')
        .map((line) => line.split(','))
    } catch {
      return null
    }
  }
  // Columns: version, codename, series, created, release, eol, then of Ubuntu eol-server and eol-esm, of Debian eol-lts and eol-elts.
  test.skipIf(read('ubuntu') === null)(
    'dates of Debian and Ubuntu are those of distro-info-data (skipped where it is not installed)',
    () => {
      const expected = (id: 'ubuntu' | 'debian', version: string) => {
        const row = read(id)?.find(([one = '']) => one.replace(' LTS', '') === version)
        // A list that is older than a release knows nothing of it.
        if (row === undefined) return null
        return id === 'ubuntu'
          ? { until: row[5], ...(row[7] ? { subscriptionUntil: row[7] } : {}) }
          : { until: row[6], regularUntil: row[5], subscriptionUntil: row[7] }
      }
      for (const id of ['ubuntu', 'debian'] as const) {
        const releases = table.systems.find((system) => system.id === id)?.releases ?? []
        const compared = releases.filter(({ version }) => expected(id, version) !== null)
        expect(compared.length).toBeGreaterThan(releases.length / 2)
        for (const { version, ...rest } of compared)
          expect({ id, version, ...rest }).toEqual({ id, version, ...expected(id, version) })
      }
    },
  )
})

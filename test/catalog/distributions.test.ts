import { describe, expect, test } from 'vitest'
import { accountsPasswordState } from '../../main/catalog/access/accounts/probes.ts'
import { parseSshdSettings, sshdEffective } from '../../main/catalog/access/sshd/probes.ts'
import { sudoProgram } from '../../main/catalog/access/sudo/probes.ts'
import { storageLsblk } from '../../main/catalog/data-protection/block-devices/index.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { logFiles } from '../../main/catalog/operations/logs/probes.ts'
import { packagesApt, packagesAptArchives } from '../../main/catalog/operations/packages/apt.ts'
import { vulnPatchLevel } from '../../main/catalog/operations/packages/updates.ts'
import { known, type Parsed, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import { conclude } from '../../main/core/rules/check.ts'
import { answer, fact } from '../support/answers.ts'
import { checksOf, probesOf } from '../support/checks-of.ts'
import { concluded, verdict } from '../support/concluded.ts'
import { concludeOn, fixtureOf } from '../support/evaluated.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'

const isolationProbes = probesOf(checksOf('isolation'))

/** What the tools of each distribution answer, from recordings of real ones where they could be had (fx-dist-*: `synthetic` states how). */

const NODES = [
  'fx-dist-amazon',
  'fx-dist-busybox',
  'fx-dist-debian-11',
  'fx-dist-debian-13',
  'fx-dist-rhel',
  'fx-dist-rhel-9',
  'fx-dist-suse',
  'fx-dist-ubuntu',
  'fx-dist-ubuntu-20',
  'fx-dist-ubuntu-24',
] as const
const read = <F>(name: (typeof NODES)[number], probe: Probe<F>) => readProbe(probe, fixtureOf(name).captures)
const factOf = <F>(name: (typeof NODES)[number], probe: Probe<F>): F => {
  const reading = read(name, probe)
  if (!reading.ok) throw new Error(`${name}: ${probe.id}: ${reading.reason}`)
  return reading.fact
}

const isolation = new Set(isolationProbes.map(({ id }) => id))
const own = catalog.probes.filter(({ id }) => !isolation.has(id))

describe.each(NODES)('%s', (name) => {
  test('every question gives a fact, or a reason in words', () => {
    const reasons = own.map((probe) => [probe.id, read(name, probe)] as const)
    const poor = reasons.filter(([, reading]) => !reading.ok && !/^[a-z“A-Z][^\n]{12,200}$/.test(reading.reason))
    expect(poor).toEqual([])
  })
})

describe('the version of sudo', () => {
  test.each([
    ['fx-dist-debian-11', 'sudo', '1.9.5p2', true],
    ['fx-dist-debian-13', 'sudo', '1.9.16p2', true],
    ['fx-dist-ubuntu-20', 'sudo', '1.8.31', true],
    ['fx-dist-ubuntu', 'sudo-rs', '0.2.13', true],
    ['fx-dist-rhel', 'sudo', '1.9.5p2', true],
    ['fx-dist-rhel-9', 'sudo', '1.9.5p2', true],
    ['fx-dist-ubuntu-24', 'sudo', '1.9.15p5', true],
    ['fx-dist-suse', 'sudo', '1.9.15p5', false],
  ] as const)('%s', (node, name, version, hasMergedFolders) => {
    expect(factOf(node, sudoProgram)).toEqual({ name, version, hasMergedFolders })
  })
  test('busybox has none', () => {
    expect(read('fx-dist-busybox', sudoProgram)).toEqual({ ok: false, reason: 'not collected: tool absent (sudo)' })
  })
})

describe('the state of passwords', () => {
  test.each([
    'fx-dist-debian-11',
    'fx-dist-debian-13',
    'fx-dist-ubuntu-20',
    'fx-dist-ubuntu-24',
    'fx-dist-ubuntu',
  ] as const)('%s: with dates of either form, every account is read', (node) => {
    const { states } = factOf(node, accountsPasswordState)
    expect(states.size).toBeGreaterThan(20)
    expect(states.get('root')).toBe('locked')
  })
  test.each(['fx-dist-rhel', 'fx-dist-rhel-9', 'fx-dist-busybox'] as const)(
    '%s: where passwd knows no -a, nothing is claimed',
    (node) => {
      expect(read(node, accountsPasswordState).ok).toBe(false)
    },
  )
})

describe('the settings of the SSH server', () => {
  test.each([
    ['fx-dist-debian-11', 'yes'],
    ['fx-dist-debian-13', 'yes'],
    ['fx-dist-ubuntu-20', 'yes'],
    ['fx-dist-ubuntu', 'yes'],
    ['fx-dist-rhel', 'yes'],
    ['fx-dist-rhel-9', 'yes'],
    ['fx-dist-ubuntu-24', 'no'],
    ['fx-dist-amazon', 'no'],
  ] as const)('%s', (node, passwords) => {
    const { settings } = factOf(node, sshdEffective)
    expect(settings.get('passwordauthentication')).toEqual([passwords])
    expect(settings.get('kbdinteractiveauthentication')).toHaveLength(1)
  })
})

describe('settings that newer OpenSSH prints', () => {
  // OpenSSH 9.9p1 on RHEL 10: keywords since 9.2 (ChannelTimeout), 9.8 (PerSourcePenalties, SshdSessionPath) and Red Hat's own.
  test('values of several words, and keywords that no check asks for', () => {
    const read = parseSshdSettings(
      [
        'port 22',
        'permitrootlogin without-password',
        'requiredrsasize 2048',
        'unusedconnectiontimeout none',
        'channeltimeout none',
        'refuseconnection no',
        'sshdsessionpath /usr/libexec/openssh/sshd-session',
        'ciphers aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr',
        'persourcepenalties crash:90 authfail:5 noauth:1 grace-exceeded:10 refuseconnection:10 max:600 min:15 max-sources4:65536 max-sources6:65536 overflow:permissive overflow6:permissive',
        '',
      ].join('\n'),
    )
    if (!read.ok) throw new Error(read.reason)
    expect(read.fact.settings.get('requiredrsasize')).toEqual(['2048'])
    expect(read.fact.settings.get('persourcepenalties')?.[0]).toMatch(/^crash:90 authfail:5/)
  })
})

describe('what tools print when they fail', () => {
  const asked = fixtureOf('fx-dist-ubuntu').captures.get('log.files/files')
  const { ignoredInDrift: _, ...asks } = logFiles
  const heard: Probe<string, 'files'> = { ...asks, parse: ({ files }) => known(files.errorText) }
  const answering = (stderr: string, exitCode = 1) => {
    if (asked === undefined) throw new Error('no such capture')
    const capture = { ...asked, meta: { ...asked.meta, exitCode }, stderr: new TextEncoder().encode(stderr) }
    return readProbe(heard, new Map([['log.files/files', capture]]))
  }

  test('tools in Rust name the number of the error; it is not part of the words', () => {
    const two =
      "stat: cannot stat '/a': No such file or directory (os error 2)\nstat: cannot stat '/b': Permission denied (os error 13)\n"
    expect(answering(two)).toEqual(
      known("stat: cannot stat '/a': No such file or directory\nstat: cannot stat '/b': Permission denied\n"),
    )
    expect(answering("stat: cannot stat '/a (os error 2)': No such file or directory\n")).toEqual(
      known("stat: cannot stat '/a (os error 2)': No such file or directory\n"),
    )
  })
  test('the usage text of BusyBox is no answer', () => {
    const usage =
      "stat: unrecognized option '--x'\nBusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.\n\nUsage: stat [-ltf] [-c FMT] FILE...\n"
    expect(answering(usage)).toEqual({
      ok: false,
      reason: 'not collected: the short form of stat on this node (BusyBox) cannot answer this',
    })
    expect(answering(usage, 0).ok).toBe(true)
  })
  test('the log files of Ubuntu 26.04, whose coreutils are in Rust, are read', () => {
    expect(factOf('fx-dist-ubuntu', logFiles).entries.map(({ path }) => path)).toContain('/var/log/audit')
  })
})

describe('login modules', () => {
  test('authselect, profile sssd with faillock: untouched settings mean three failures and ten minutes', () => {
    const modules = concluded('fx-dist-rhel-9', 'access.pam.lockout').observations.filter(({ probe }) =>
      probe?.startsWith('pam.'),
    )
    expect(modules.map(({ text }) => text)).toEqual([
      'The login modules of SSH count wrong passwords (pam_faillock authfail).',
      'An account locks after 3 failures (at most 5 failures).',
      'A lock lasts 600 seconds only (at least 900 seconds).',
    ])
  })
  test('pam-auth-update of Ubuntu 24.04', () => {
    expect(verdict('fx-dist-ubuntu-24', 'access.pam.lockout')).toBe('satisfied')
  })
})

describe('BusyBox and nothing else', () => {
  test('nothing is met, and nothing that a missing tool would have shown is held against the node', () => {
    const readings = new Map<string, Parsed<unknown>>(
      catalog.probes.map((probe) => [probe.id, read('fx-dist-busybox', probe)]),
    )
    const context = fixtureOf('fx-dist-busybox').context
    const ends = catalog.checks.map((check) => [check.id, conclude(check, readings, context).verdict] as const)
    expect(ends.filter(([, verdict]) => verdict === 'satisfied')).toEqual([])
    expect(ends.flatMap(([id, verdict]) => (verdict === 'not-satisfied' ? [id] : [])).sort()).toEqual([
      'evidence.collection-completeness',
      'integrity.secure-boot',
      'network.kernel-params',
    ])
  })
})

describe('the tree of block devices', () => {
  test('lsblk of RHEL 8 prints numbers as strings and one mount point', () => {
    const devices = [...factOf('fx-dist-rhel', storageLsblk).devices.values()]
    expect(devices.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
      'luks-5f0c crypt',
      'nvme0n1 disk',
      'nvme0n1p1 part',
      'nvme0n1p2 part',
      'nvme0n1p3 part',
      'rhel-root lvm',
      'rhel-swap lvm',
    ])
  })
  test.each(['fx-dist-debian-11', 'fx-dist-debian-13', 'fx-dist-ubuntu-20', 'fx-dist-ubuntu'] as const)(
    '%s',
    (node) => {
      expect([...factOf(node, storageLsblk).devices.values()].some(({ name }) => name === 'vda')).toBe(true)
    },
  )
})

describe('pending updates', () => {
  // “Suite:” of the Release files; a fresh Debian that names no security archive never has a security update to show.
  test('without the list of a security archive, no waiting update shows nothing', () => {
    const verdictWith = (suites: readonly string[], isWhole = true) =>
      concludeOn(vulnPatchLevel, 'fx-dist-debian-13', [
        ['packages.apt', known({ pending: [], isWhole, listsChangedAt: Date.parse(FIXTURE_TIME) / 1000 })],
        ['packages.apt-archives', known({ suites })],
      ]).verdict
    expect(verdictWith(['stable', 'stable-updates'])).toBe('inconclusive')
    expect(verdictWith([])).toBe('inconclusive')
    expect(verdictWith(['stable', 'stable-security'])).toBe('satisfied')
    expect(verdictWith(['stable', 'stable-security'], false)).toBe('inconclusive')
    expect(factOf('fx-dist-debian-13', packagesAptArchives)).toEqual({ suites: ['stable-security', 'stable'] })
    expect(read('fx-dist-busybox', packagesAptArchives).ok).toBe(false)
  })

  // Where no server is reached, apt-get update ends with status 0 (apt 2.6.1), so that the daily job renews its stamp; next to a source on the
  // node itself, such as CUDA’s local repository, the folder of lists and update-notifier’s stamp are renewed too.
  test('the list of security updates states itself how old it is', () => {
    const lists = (date: string) =>
      fact(
        packagesAptArchives.parse({
          suites: answer(
            `Suite: noble\nDate: Thu, 25 Apr 2024 15:10:33 UTC\nSuite: noble-security\n${date}Suite: local\n`,
          ),
        }),
      )
    expect(lists('Date: Sun, 29 Nov 2026 00:53:13 UTC\n')).toEqual({
      suites: ['noble', 'noble-security', 'local'],
      securityMadeAt: Date.UTC(2026, 10, 29, 0, 53, 13) / 1000,
    })
    for (const none of ['', 'Date: yesterday\n', 'Date: Sun, 29 Foo 2026 00:53:13 UTC\n'])
      expect(lists(none)).toEqual({ suites: ['noble', 'noble-security', 'local'] })

    const now = Date.parse(FIXTURE_TIME) / 1000
    const verdictOf = (days: number) =>
      concludeOn(vulnPatchLevel, 'fx-dist-debian-13', [
        ['packages.apt', known({ pending: [], isWhole: true, listsChangedAt: now })],
        ['packages.apt-archives', known({ suites: ['stable-security'], securityMadeAt: now - days * 86_400 })],
      ]).verdict
    expect([verdictOf(0), verdictOf(7), verdictOf(9), verdictOf(200)]).toEqual([
      ...['satisfied', 'satisfied'],
      ...['inconclusive', 'inconclusive'],
    ])
  })
  test.each([
    ['fx-dist-debian-11', 'openssl'],
    ['fx-dist-ubuntu-20', 'bash'],
    ['fx-dist-ubuntu', 'tzdata'],
  ] as const)('%s: security updates are recognized by the archive they come from', (node, name) => {
    const { pending } = factOf(node, packagesApt)
    expect(pending.find((one) => one.name === name)?.security).toBe(true)
  })
})

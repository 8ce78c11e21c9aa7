import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { rsyslogForwarding } from '../../main/catalog/data-protection/log-forwarding/probes.ts'
import { servicesState } from '../../main/catalog/operations/auditd/index.ts'
import { auditdRules, auditdStatus } from '../../main/catalog/operations/auditd/probes.ts'
import { kernelProtections } from '../../main/catalog/operations/mandatory-access/index.ts'
import { packagesApt } from '../../main/catalog/operations/packages/apt.ts'
import { rebootRequired } from '../../main/catalog/operations/packages/probes.ts'
import { timeChrony, timeTimesyncd } from '../../main/catalog/operations/time/probes.ts'
import { secureBoot } from '../../main/catalog/single-tenancy/boot-integrity/index.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, texts, verdict } from '../support/concluded.ts'

describe('audit', () => {
  test('auditctl -s in both of its forms', () => {
    const lines = 'enabled 2\nfailure 1\npid 1182\nrate_limit 0\nbacklog_limit 8192\nlost 3\nbacklog 0\n'
    const one = 'AUDIT_STATUS: enabled=1 flag=1 pid=1182 rate_limit=0 backlog_limit=320 lost=0 backlog=0\n'
    expect(fact(auditdStatus.parse({ status: answer(lines) }))).toEqual({
      enabled: 2,
      pid: 1182,
      lost: 3,
      backlogLimit: 8192,
      loginUidLocked: null,
    })
    expect(fact(auditdStatus.parse({ status: answer(one) })).enabled).toBe(1)
    expect(auditdStatus.parse({ status: answer('enabled 7\npid 1\n') }).ok).toBe(false)
  })

  test('rules: watches, system calls, rules that keep events out', () => {
    const { rules } = fact(
      auditdRules.parse({
        rules: answer('-w /etc/passwd -p wa -k id\n-a never,exit -F arch=b64 -S openat,open -F dir=/tmp\n'),
      }),
    )
    expect(
      rules.map(({ path, permissions, syscalls, arch, excludes }) => [path, permissions, syscalls, arch, excludes]),
    ).toEqual([
      ['/etc/passwd', 'wa', [], null, false],
      ['/tmp', '', ['openat', 'open'], 'b64', true],
    ])
    expect(fact(auditdRules.parse({ rules: answer('No rules\n') })).rules).toEqual([])
    expect(auditdRules.parse({ rules: answer('') }).ok).toBe(false)
  })

  test('ePHI paths count by the declaration: a folder above covers, an unwatched path contradicts, none leaves it open', () => {
    const ephi = (ephiPaths: readonly string[] | undefined): string =>
      verdict('fx-access-hardened', 'audit.auditd-rules', { ephiPaths })
    expect(ephi(['/data/ephi/scans/'])).toBe('satisfied')
    expect(ephi(['/data/ephi', '/mnt/raw'])).toBe('not-satisfied')
    expect(ephi(['/data/ephi2'])).toBe('not-satisfied')
    expect(ephi(undefined)).toBe('inconclusive')
  })

  test.each([
    ['/etc/rsyslog.conf:*.* @logs.example.net\n', 1, false, false, []],
    ['/etc/rsyslog.conf:*.* @@logs.example.net:6514\n', 1, false, false, [6514]],
    ['/etc/rsyslog.conf:#*.* @@logs.example.net\n', 0, false, false, []],
    [
      '/etc/rsyslog.d/a.conf:action(type="omfwd" target="l.example" port="6514" StreamDriverMode="1" StreamDriverAuthMode="anon")\n',
      1,
      true,
      false,
      [6514],
    ],
    [
      '/etc/rsyslog.d/a.conf:action(type="omrelp" target="l.example" port="20514" tls="on" tls.authMode="name")\n',
      1,
      true,
      true,
      [20514],
    ],
  ])('%j', (text, targets, overTls, authenticated, ports) => {
    // grep leaves comments out on the node; the parser must not count one that slips through.
    const read = fact(rsyslogForwarding.parse({ lines: answer(text) }))
    expect([read.targets.length, read.overTls, read.authenticated, read.ports]).toEqual([
      targets,
      overTls,
      authenticated,
      ports,
    ])
  })
})

describe('time', () => {
  test('chrony reports in its last field that it is not synchronised', () => {
    const sources = answer('^,?,203.0.113.9,0,10,0,4294967295,0,0,0\n')
    const tracking = answer('7F7F0101,,0,0.0,-2.510233,0,0,0,0,0,0,0,0,Not synchronised\n')
    expect(fact(timeChrony.parse({ tracking, sources }))).toEqual({
      synchronized: false,
      stratum: 0,
      measuredAt: 0,
      offsetSeconds: 2.510233,
      usableSources: 0,
    })
    expect(timeChrony.parse({ tracking: answer('506 Cannot talk to daemon\n', { exitCode: 1 }), sources }).ok).toBe(
      false,
    )
  })

  describe('timesyncd', () => {
    const message = (t: readonly unknown[], packets: unknown = 4): readonly unknown[] => [
      ...[0, 4, 4, 2, -24, 1144, 595, [192, 36, 143, 130]],
      ...t,
      ...[false, packets, 1101],
    ]
    const state = (data: Readonly<Record<string, unknown>>) =>
      answer(`${JSON.stringify({ type: 'a{sv}', data: [data] })}\n`)
    const ServerName = { type: 's', data: 'ntp.example' }
    const asked = (values: unknown) => state({ ServerName, NTPMessage: { type: '(uuuuittayttttbtt)', data: values } })
    const mark = answer('1795165332\n')
    const none = answer('', { exitCode: 2, errorText: 'No such file or directory\n' })
    const start = 1_795_165_332_000_000
    const times = (t: readonly number[]): readonly number[] => t.map((seconds) => start + seconds * 1e6)

    test('the offset comes from its four time stamps; without an answer there is none', () => {
      expect(fact(timeTimesyncd.parse({ state: asked(message(times([0, 5, 5, 0]))), mark }))).toEqual({
        server: 'ntp.example',
        offsetSeconds: 5,
        stratum: 2,
        packets: 4,
        respondedAt: start / 1e6,
        marked: true,
      })
      const unanswered = { offsetSeconds: null, stratum: null, packets: 0, respondedAt: null, marked: false }
      for (const nothing of [state({ ServerName }), asked(message([0, 0, 0, 0], 0))])
        expect(fact(timeTimesyncd.parse({ state: nothing, mark: none }))).toEqual({
          server: 'ntp.example',
          ...unanswered,
        })
    })
    test('a service that does not run, and other forms, give no reading', () => {
      const other = [
        answer('', { exitCode: 1, errorText: 'Call failed: The name is not activatable\n' }),
        answer('{'),
        answer('[]'),
        state({}),
        asked('x'),
        asked([1]),
        asked(message(times([0, 5, 5, 0]), 'many')),
      ]
      for (const said of other) expect(timeTimesyncd.parse({ state: said, mark }).ok).toBe(false)
    })
    test('any bytes end in an answer', () => {
      fc.assert(
        fc.property(fc.string(), fc.jsonValue(), (text, value) => {
          for (const said of [text, JSON.stringify({ data: [value] }), JSON.stringify(value)])
            expect(timeTimesyncd.parse({ state: answer(said), mark: answer(text) })).toHaveProperty('ok')
          expect(timeTimesyncd.parse({ state: asked(value), mark })).toHaveProperty('ok')
        }),
        { numRuns: 200 },
      )
    })
  })

  test('a stock Debian with timesyncd is synchronized, a service that was not read leaves it open', () => {
    expect(verdict('demo-metal-04', 'time.sync')).toBe('satisfied')
    expect(texts('fx-access-undecided', 'time.sync')).toContain(
      'unclear: The time service “ntpsec” runs; its state was not read.',
    )
  })

  describe('none of the units asked for runs', () => {
    const off = changed(servicesState, ({ services }) => ({
      services: new Map([...services].map(([unit, state]) => [unit, { ...state, active: false }])),
    }))
    const runs = (...commands: readonly string[]) =>
      changed(tenancyProcesses, ({ processes }) => ({
        isComplete: true,
        processes: [
          ...processes.filter(({ command }) => command !== 'chronyd'),
          ...commands.map((command, at) => ({ pid: 900 + at, user: 'root', command, cgroup: '0::/x' })),
        ],
      }))
    // openntpd.service (its processes are called ntpd), ntpd-rs, ptp4l@eth0.service with phc2sys@eth0.service, Solarflare’s; and a
    // chronyd that an image starts under a unit of its own.
    test.each([[['ntpd', 'ntpd']], [['ntp-daemon']], [['ptp4l', 'phc2sys']], [['sfptpd']], [['chronyd']]])(
      'and %j does: its state was not read',
      (commands) => expect(over('time.sync', off, runs(...commands)).verdict).toBe('inconclusive'),
    )
    test('nor any such program: a deviation', () =>
      expect(over('time.sync', off, runs('ntpsnmpd', 'bash')).verdict).toBe('not-satisfied'))
    test.each([
      ['were not listed', [tenancyProcesses, unknown('the processes could not be listed')] as const],
      ['are hidden in part', changed(tenancyProcesses, (fact) => ({ ...fact, processes: [], isComplete: false }))],
    ])('and the processes %s: open', (_, processes) =>
      expect(over('time.sync', off, processes).verdict).toBe('inconclusive'),
    )
  })
})

describe('integrity', () => {
  const variable = (value: number) => answer('', { bytes: new Uint8Array([6, 0, 0, 0, value]) })
  const absent = answer('', { exitCode: 1, errorText: 'cat: x: No such file or directory\n' })
  const boot = (firmware: string, on: ReturnType<typeof answer>, setup: ReturnType<typeof answer>, shim = absent) =>
    secureBoot.parse({ firmware: answer(firmware), secureBoot: on, setupMode: setup, shim })

  test('efivarfs puts four bytes of attributes before the value', () => {
    expect(fact(boot('acpi\nefi\n', variable(1), variable(0)))).toEqual({
      firmware: 'uefi',
      secureBoot: true,
      setupMode: false,
      shimSkipsChecks: false,
    })
    expect(boot('acpi\nefi\n', answer('', { bytes: new Uint8Array([1]) }), variable(0)).ok).toBe(false)
    expect(fact(boot('acpi\nefi\n', variable(1), variable(0), variable(1))).shimSkipsChecks).toBe(true)
  })

  test('an empty firmware folder is a container and decides nothing; a filled one without efi is another kind of start', () => {
    expect(boot('', absent, absent).ok).toBe(false)
    expect(fact(boot('acpi\nmemmap\n', absent, absent)).firmware).toBe('other')
  })

  test('brackets mark the active lockdown mode', () => {
    const files = answer(
      '/sys/kernel/security/lockdown:none [integrity] confidentiality\n/proc/sys/kernel/tainted:4097\n',
      { exitCode: 2 },
    )
    expect(fact(kernelProtections.parse({ files })).lockdown).toBe('integrity')
    expect(fact(kernelProtections.parse({ files: answer('/proc/sys/kernel/tainted:0\n') })).lockdown).toBe(null)
    expect(texts('fx-access-rhel-weak', 'integrity.kernel-lockdown')).toContain(
      'contradicts: A module without a valid signature was loaded.',
    )
  })
})

describe('updates', () => {
  const lists = answer('1795142400 /var/lib/apt/lists\n')
  const read = (text: string, exitCode = 0) => packagesApt.parse({ upgradable: answer(text, { exitCode }), lists })

  test('any security suite counts, also a second one; other versions of a package are no updates', () => {
    const text =
      'Listing... Done\n' +
      'a/oldstable,oldstable-security 2 all [upgradable from: 1]\n' +
      'a/now 1 all [installed,upgradable to: 2]\n\n' +
      'b/noble-updates 3:1.0-1 amd64 [upgradable from: 3:0.9-1]\n  A summary/with words\n' +
      'c/now 1 amd64 [residual-config]\n' +
      'd/noble-apps-security 1+esm1 amd64 [upgradable from: 1]\n' +
      'e-security/unknown 2 amd64 [upgradable from: 1]\n' +
      'f/stable-security 1 amd64\n'
    expect(fact(read(text))).toEqual({
      pending: [
        { name: 'a', security: true },
        { name: 'b', security: false },
        { name: 'd', security: true },
        { name: 'e-security', security: false },
      ],
      isWhole: true,
      listsChangedAt: 1795142400,
    })
    expect(fact(read('Listing...\n')).pending).toEqual([])
  })

  test('an answer without its heading, or with a line of another form, is no answer', () => {
    const entry = 'a/stable-security 2 all [upgradable from: 1]\n'
    for (const text of [
      '',
      entry,
      `Auflistung…\n${entry}`,
      `Listing...\n${entry}a/stable-sec`,
      'Listing...\nE: broken\n',
    ])
      expect([text, read(text).ok]).toEqual([text, false])
    expect(read(`Listing...\n${entry}`, 100).ok).toBe(false)
  })

  test('old lists keep silence from supporting the claim', () => {
    const said = texts('fx-access-undecided', 'vuln.patch-level')
    expect(said.filter((text) => text.startsWith('unclear: '))).toHaveLength(1)
  })

  // Names of kernels as the distributions gave them out; the older one of each pair runs.
  test.each([
    ['RHEL 8.10', '4.18.0-553.el8_10.x86_64', '4.18.0-553.5.1.el8_10.x86_64'],
    ['RHEL 8.7', '4.18.0-425.3.1.el8.x86_64', '4.18.0-425.10.1.el8_7.x86_64'],
    ['RHEL 9 to its next minor release', '5.14.0-427.42.1.el9_4.x86_64', '5.14.0-503.11.1.el9_5.x86_64'],
    ['Oracle Linux, UEK', '5.15.0-101.103.2.1.el8uek.x86_64', '5.15.0-206.153.7.el8uek.x86_64'],
    ['SLES 15 SP5', '5.14.21-150500.53-default', '5.14.21-150500.55.83-default'],
    ['Ubuntu', '6.8.0-9-generic', '6.8.0-45-generic'],
    ['Debian backports', '6.1.0-0.deb11.7-amd64', '6.1.0-0.deb11.21-amd64'],
    ['Debian 12 after its upgrade to 13', '6.1.0-37-amd64', '6.12.38+deb13-amd64'],
    ['Debian 11 with backports after its upgrade to 12', '6.1.0-0.deb11.21-amd64', '6.1.0-37-amd64'],
    ['Debian 13 from before its release', '6.12.30-amd64', '6.12.38+deb13-amd64'],
    ['Debian 12 backports', '6.12.9+bpo-amd64', '6.12.38+deb12-amd64'],
  ])('a newer kernel of %s waits for a restart', (_, older, newer) => {
    const state = (running: string) =>
      fact(
        rebootRequired.parse({
          running: answer(`${running}\n`),
          boot: answer(`config-${newer}\nvmlinuz-${newer}\nvmlinuz-${older}\n`),
          flag: answer('/run\n', { exitCode: 2 }),
        }),
      )
    expect(over('vuln.reboot-required', [rebootRequired, known(state(older))]).verdict).toBe('not-satisfied')
    expect(over('vuln.reboot-required', [rebootRequired, known(state(newer))]).verdict).toBe('satisfied')
  })

  test('kernels of other kinds are not compared', () => {
    const state = fact(
      rebootRequired.parse({
        running: answer('5.14.0-503.11.1.el9_5.x86_64\n'),
        boot: answer(
          'vmlinuz-5.14.0-503.11.1.el9_5.x86_64\nvmlinuz-5.15.0-206.153.7.el9uek.x86_64\nvmlinuz-6.9.7-1.el9.elrepo.x86_64\nvmlinuz-5.14.0-503.40.1.el9_5.x86_64+rt\n',
        ),
        flag: answer('/run\n', { exitCode: 2 }),
      }),
    )
    expect(over('vuln.reboot-required', [rebootRequired, known(state)]).verdict).toBe('satisfied')
  })

  test('a newer installed kernel of the same kind waits for a restart', () => {
    expect(texts('demo-metal-04', 'vuln.reboot-required')).toContain(
      'contradicts: The kernel “6.1.0-18-amd64” is running while “6.1.0-41-amd64” is installed.',
    )
  })
})

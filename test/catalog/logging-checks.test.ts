import { describe, expect, test } from 'vitest'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import {
  auditdRemote,
  journalUpload,
  rsyslogForwarding,
  syslogNgForwarding,
} from '../../main/catalog/data-protection/log-forwarding/probes.ts'
import { bmcDevice, bmcLan } from '../../main/catalog/hardware/management-controller/probes.ts'
import { servicesState } from '../../main/catalog/operations/auditd/index.ts'
import { auditdStatus, ruleWords } from '../../main/catalog/operations/auditd/probes.ts'
import { auditFiles, logFiles } from '../../main/catalog/operations/logs/probes.ts'
import { timeNtpq, timeSources } from '../../main/catalog/operations/time/probes.ts'
import { clusterKubernetes, clusterSlurm } from '../../main/catalog/single-tenancy/tenancy/schedulers.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import { unknown } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { changed, over, stepText, texts, verdict } from '../support/concluded.ts'

// Elastic’s guide to the auditd module of Auditbeat: “Stop the auditd service”, “Disable auditd from starting on boot”.
describe('another program than auditd receives the kernel’s events', () => {
  const service = (state: string) =>
    changed(servicesState, ({ services }) => ({
      services: new Map([
        ...services,
        ['auditd', { loaded: state !== 'absent', active: state === 'active', enabled: state === 'active' }],
      ]),
    }))
  const status = (pid: number) => changed(auditdStatus, (found) => ({ ...found, pid }))
  const unread = [auditdStatus, unknown('not collected: tool absent')] as const
  const listed = (command: string, isComplete = true) =>
    changed(tenancyProcesses, () => ({
      isComplete,
      processes: [{ pid: 801, user: 'root', command, cgroup: '0::/system.slice/x.service' }],
    }))
  const of = (...facts: Parameters<typeof over>[1][]) => over('audit.auditd-running', ...facts)

  test.each([
    ['Auditbeat in the place of auditd', [service('stopped'), status(801), listed('auditbeat')], 'inconclusive'],
    ['Auditbeat without auditd', [service('absent'), status(801), listed('auditbeat')], 'inconclusive'],
    [
      'Auditbeat by multicast, which registers no process',
      [service('absent'), status(0), listed('auditbeat')],
      'inconclusive',
    ],
    ['Auditbeat without auditctl', [service('absent'), unread, listed('auditbeat')], 'inconclusive'],
    ['a program of another name', [service('stopped'), status(801), listed('osqueryd')], 'inconclusive'],
    ['a program that is not listed', [service('stopped'), status(900), listed('bash', false)], 'inconclusive'],
    ['auditd itself', [service('active'), status(801), listed('auditd')], 'satisfied'],
    ['auditd itself, started by hand', [service('stopped'), status(801), listed('auditd')], 'not-satisfied'],
    ['no program', [service('stopped'), status(0), listed('bash')], 'not-satisfied'],
    ['no program, without auditctl', [service('absent'), unread, listed('bash')], 'not-satisfied'],
  ] as const)('%s', (_, facts, expected) => expect(of(...facts).verdict).toBe(expected))

  test('it is named', () =>
    expect(stepText(of(service('stopped'), status(801), listed('auditbeat')))).toContain(
      'unclear: The audit service (auditd) does not run; “auditbeat” receives the kernel’s events, and what it keeps was not read.',
    ))
})

describe('where logs are sent', () => {
  const rsyslog = (text: string) => fact(rsyslogForwarding.parse({ lines: answer(text) })).each

  test('two targets, one of them in clear text, are two', () => {
    const each = rsyslog(`/etc/rsyslog.d/a.conf:action(type="omfwd" target="a.example" port="6514" protocol="tcp"
/etc/rsyslog.d/a.conf:  StreamDriver="gtls" StreamDriverMode="1" StreamDriverAuthMode="x509/name")
/etc/rsyslog.d/b.conf:action(type="omfwd" target="b.example" port="514" protocol="udp")
`)
    expect(each.map(({ text, encrypted, authenticated }) => [text, encrypted, authenticated])).toEqual([
      ['a.example:6514', true, true],
      ['b.example:514', false, false],
    ])
  })

  test('old-style TLS is set by directives before a TCP target; UDP stays clear', () => {
    const each = rsyslog(`/etc/rsyslog.conf:$DefaultNetstreamDriver gtls
/etc/rsyslog.conf:$ActionSendStreamDriverMode 1
/etc/rsyslog.conf:$ActionSendStreamDriverAuthMode x509/name
/etc/rsyslog.conf:*.* @@(o)[2001:db8::9]:6514;RSYSLOG_SyslogProtocol23Format
/etc/rsyslog.conf:& @udp.example
/etc/rsyslog.conf::msg, contains, "a@b.example" /var/log/mail
`)
    expect(each.map(({ text, encrypted }) => [text, encrypted])).toEqual([
      ['@@[2001:db8::9]:6514', true],
      ['@udp.example', false],
    ])
  })

  test('syslog-ng: sources name no host; peer-verify can be switched off', () => {
    const each = fact(
      syslogNgForwarding.parse({
        lines: answer(`/etc/syslog-ng/syslog-ng.conf:1:source 
/etc/syslog-ng/syslog-ng.conf:2:port(514
/etc/syslog-ng/syslog-ng.conf:3:destination 
/etc/syslog-ng/syslog-ng.conf:4:syslog("a.example"
/etc/syslog-ng/syslog-ng.conf:5:transport("tls
/etc/syslog-ng/syslog-ng.conf:6:port(6514
/etc/syslog-ng/syslog-ng.conf:7:peer-verify(optional-untrusted
/etc/syslog-ng/syslog-ng.conf:8:destination 
/etc/syslog-ng/syslog-ng.conf:9:tcp("b.example"
/etc/syslog-ng/syslog-ng.conf:10:port(601
`),
      }),
    ).each
    expect(each).toEqual([
      { text: 'a.example:6514', encrypted: true, authenticated: false, port: 6514 },
      { text: 'b.example:601', encrypted: false, authenticated: false, port: 601 },
    ])
    expect(
      fact(
        syslogNgForwarding.parse({
          lines: answer('', { exitCode: 2, errorText: 'grep: x: No such file or directory\n' }),
        }),
      ).each,
    ).toEqual([])
  })

  test('the journal’s upload and the audit service', () => {
    const upload = (text: string) => fact(journalUpload.parse({ lines: answer(text, { exitCode: 2 }) })).each
    expect(upload('URL=https://l.example:19532\n')[0]).toMatchObject({
      encrypted: true,
      authenticated: true,
      port: 19532,
    })
    expect(upload('URL=http://l.example/\nTrustedCertificateFile=-\n')[0]).toMatchObject({
      encrypted: false,
      port: 19532,
    })
    expect(upload('URL=l.example\nTrustedCertificateFile=all\n')[0]).toMatchObject({
      encrypted: true,
      authenticated: false,
    })
    expect(upload('')).toEqual([])
    const remote = (active: string, transport: string) =>
      fact(
        auditdRemote.parse({
          lines: answer(
            `/etc/audit/plugins.d/au-remote.conf:active = ${active}\n/etc/audit/audisp-remote.conf:remote_server = a.example\n/etc/audit/audisp-remote.conf:transport = ${transport}\n`,
            { exitCode: 2 },
          ),
        }),
      ).each
    expect(remote('no', 'tcp')).toEqual([])
    expect(remote('yes', 'tcp')[0]?.encrypted).toBe(false)
    expect(remote('yes', 'KRB5')[0]?.encrypted).toBe(true)
  })

  test('an audit forwarder in clear text contradicts logs that are otherwise in order', () => {
    expect(verdict('fx-log-weak', 'audit.log-forwarding')).toBe('not-satisfied')
    expect(texts('fx-log-weak', 'audit.log-forwarding').join('\n')).toContain('clear text for “audit.example.net”')
  })
})

describe('log files', () => {
  const row = (mode: string, owner: string, group: string, path: string): string =>
    `1795165919:${mode}:${owner}:${group}:regular file|${path}\n`

  test('stat prints what is there and complains of the rest', () => {
    const read = fact(
      logFiles.parse({
        files: answer(
          `1777777777:444:root:root:regular file|/etc/machine-id\n1795165919:775:root:syslog:directory|/var/log\n${row('640', 'syslog', 'adm', '/var/log/a b|c')}`,
          {
            exitCode: 1,
            errorText: "stat: cannot statx '/var/log/secure*': No such file or directory\n",
          },
        ),
      }),
    )
    expect(read.setUpAt).toBe(1777777777)
    expect(read.entries.map(({ path, mode, isFolder }) => [path, mode, isFolder])).toEqual([
      ['/var/log', 0o775, true],
      ['/var/log/a b|c', 0o640, false],
    ])
  })

  test('without the folder itself, or with another complaint, nothing is known', () => {
    expect(logFiles.parse({ files: answer(row('640', 'root', 'root', '/var/log/syslog')) }).ok).toBe(false)
    expect(auditFiles.parse({ files: answer('', { exitCode: 1, errorText: 'stat: bad\n' }) }).ok).toBe(false)
    expect(
      reason(
        auditFiles.parse({
          files: answer('', { exitCode: 1, errorText: "stat: '/var/log/audit/audit.log': Permission denied\n" }),
        }),
      ),
    ).toContain('could not be looked at')
    expect(auditFiles.parse({ files: answer('garbage\n') }).ok).toBe(false)
  })

  test('retention is measured: short is contradicted, young is open, unread is open', () => {
    expect(texts('fx-log-weak', 'audit.log-retention')).toContain('contradicts: That is less than 30 days.')
    expect(verdict('fx-log-zone', 'audit.log-retention')).toBe('inconclusive')
    expect(verdict('demo-nosudo-06', 'audit.log-retention')).toBe('inconclusive')
    expect(texts('demo-gpu-01', 'audit.log-retention').join('\n')).toContain('67 days old')
  })
})

describe('audit rules', () => {
  test.each([
    ['-w /etc/passwd -p wa -k id', '-a always,exit -F path=/etc/passwd -F perm=aw -F key=id'],
    ['-a exit,always -F arch=b64 -S execve -F auid!=unset', '-a always,exit -F auid!=-1 -F arch=b64 -S execve -k x'],
    ['-a always,exit -F arch=b64 -S a -S b', '-a always,exit -S b,a -F arch=b64'],
    ['-w /data/ephi/', '-w /data/ephi -p rwxa -k e'],
    // As the CIS Benchmarks have them in files, and as auditctl -l prints them (src/auditctl-listing.c: all calls, and one order of -C).
    [
      '-a always,exit -F path=/usr/bin/chsh -F perm=x -F auid>=1000 -F auid!=unset -k privileged',
      '-a always,exit -S all -F path=/usr/bin/chsh -F perm=x -F auid>=1000 -F auid!=-1 -F key=privileged',
    ],
    [
      '-a always,exit -F arch=b64 -C euid!=uid -F auid!=unset -S execve -k user_emulation',
      '-a always,exit -F arch=b64 -S execve -C uid!=euid -F auid!=-1 -F key=user_emulation',
    ],
    ['-a always,exit -F path=/etc/sudoers -F perm=wa -k scope', '-w /etc/sudoers -p wa -k scope'],
  ])('%s is the same rule as %s', (one, other) => {
    expect(ruleWords(one)).toBe(ruleWords(other))
  })

  test('rules apart are apart', () => {
    expect(ruleWords('-w /etc/passwd -p wa')).not.toBe(ruleWords('-w /etc/passwd -p r'))
    expect(ruleWords('-a always,exit -F arch=b64 -S a')).not.toBe(ruleWords('-a always,exit -F arch=b32 -S a'))
    expect(ruleWords('-D')).toBe('')
  })

  test('a lock on login ids is read', () => {
    const read = fact(auditdStatus.parse({ status: answer('enabled 1\npid 2\nloginuid_immutable 1 locked\n') }))
    expect(read.loginUidLocked).toBe(true)
  })
})

describe('time services', () => {
  test('ntpq of the reference implementation and of ntpsec', () => {
    const text = `     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
*203.0.113.9     .GPS.            1 u   41   64  377    1.190    0.210   0.051
+203.0.113.10    203.0.113.1      2 u   12   64  377    1.441   -0.034   0.087
 198.51.100.1    .INIT.          16 u    -   64    0    0.000    0.000   0.000
`
    const { sources } = fact(timeNtpq.parse({ peers: answer(text) }))
    expect(sources.map(({ use, offsetMilliseconds }) => [use, offsetMilliseconds])).toEqual([
      ['reference', 0.21],
      ['used', 0.034],
      ['unused', 0],
    ])
    // SUSE’s and older settings name the local clock, which is followed when no server responds.
    const local = `${text.slice(0, text.indexOf('*'))}*127.127.1.0     .LOCL.          10 l   50   64  377    0.000    0.000   0.000
 203.0.113.9     .INIT.          16 u    -   64    0    0.000    0.000   0.000
`
    const uses = (peers: string) => fact(timeNtpq.parse({ peers: answer(peers) })).sources.map(({ use }) => use)
    expect(uses(local)).toEqual(['own', 'unused'])
    expect(uses(local.replace('127.127.1.0', 'LOCAL(0)   '))).toEqual(['own', 'unused'])
    expect(uses(local.replace('*127', ' 127').replace(' 203', '*203'))).toEqual(['unused', 'reference'])
    const services = new Map([['ntpsec' as const, { loaded: true, active: true, enabled: true }]])
    const conclusion = over(
      'time.sync',
      changed(servicesState, () => ({ services })),
      [timeNtpq, timeNtpq.parse({ peers: answer(local) })],
    )
    expect(conclusion.verdict).toBe('not-satisfied')
    expect(stepText(conclusion)).toContain('contradicts: The time service follows the clock of the node itself')
    expect(timeNtpq.parse({ peers: answer('ntpq: read: Connection refused\n', { exitCode: 1 }) }).ok).toBe(false)
    expect(deniedCommand(['ntpq', '-pn', '192.0.2.1'])).not.toBeNull()
  })

  test('sources with NTS, with a key, and with neither', () => {
    const text = 'pool 2.debian.pool.ntp.org iburst\nserver a.example iburst nts\nserver b.example key 10\n'
    expect(
      fact(timeSources.parse({ lines: answer(text, { exitCode: 2 }) })).sources.map((one) => one.authentication),
    ).toEqual(['none', 'nts', 'key'])
  })
})

describe('the management controller', () => {
  const channel = answer(
    'Channel 0x1 info:\n  Channel Medium Type   : 802.3 LAN\n  Volatile(active) Settings\n    Access Mode         : always available\n  Non-Volatile Settings\n    Access Mode         : disabled\n',
  )
  const users = answer(
    'Maximum User IDs     : 2\nEnabled User IDs     : 1\n\nUser ID              : 1\nUser Name            : \nFixed Name           : Yes\nIPMI Messaging       : enabled\nPrivilege Level      : ADMINISTRATOR\n\nUser ID              : 2\nUser Name            : a: b\nIPMI Messaging       : enabled\nPrivilege Level      : NO ACCESS\nEnable Status        : disabled\n',
  )
  const read = (list: string, levels: string) =>
    fact(bmcLan.parse({ channel, users, suites: answer(list), privileges: answer(levels) }))

  test('users with and without a name, of versions that print a last field and that do not', () => {
    const { isOpen, users: all } = read(' 11 00 03\n', ' 11 00 04 00 00 00 00 00 00 00\n')
    expect(isOpen).toBe(true)
    expect(all).toEqual([
      { id: 1, name: '', enabled: true, privilege: 'administrator' },
      { id: 2, name: 'a: b', enabled: false, privilege: 'none' },
    ])
  })

  test('privileges stand in the order of the list of suites, not by their numbers', () => {
    expect(read(' 11 00 00 03 11\n', ' 11 00 40 04 00 00 00 00 00 00\n').suites).toEqual([3, 17])
    expect(read(' 11 00 00 03 11\n', ' 11 00 44 04 00 00 00 00 00 00\n').suites).toEqual([0, 3, 17])
    expect(read(' 11 00 03 11\n', ' 11 00 04 00 00 00 00 00 00 00\n').suites).toEqual([3])
    expect(read('Unable to send RAW command\n', ' 11 00\n').suites).toBeNull()
  })

  test('neither a password nor an address can be asked for', () => {
    expect(deniedCommand(['ipmitool', 'lan', 'print', '1'])).not.toBeNull()
    expect(deniedCommand(['ipmitool', 'raw', '0x0c', '0x01', '0x01', '0x18', '0x00', '0x00'])).not.toBeNull()
    expect(deniedCommand(['ipmitool', 'raw', '0x0c', '0x02', '0x01', '0x10', '0x00', '0x00'])).not.toBeNull()
    expect(deniedCommand(['ipmitool', 'user', 'set', 'password', '2'])).not.toBeNull()
    expect(deniedCommand(['ipmitool', 'channel', 'setaccess', '1', '2', 'privilege=4'])).not.toBeNull()
  })

  test('a device that is not there is a fact, one that could not be looked at is none', () => {
    const errorText = ['ipmi0', 'ipmi/0', 'ipmidev/0', 'ipmi1']
      .map((node) => `stat: cannot statx '/dev/${node}': No such file or directory\n`)
      .join('')
    const none = { exitCode: 1, errorText }
    expect(fact(bmcDevice.parse({ nodes: answer('', none) })).nodes).toEqual([])
    expect(bmcDevice.parse({ nodes: answer('', { exitCode: 1, errorText: 'stat: cannot\n' }) }).ok).toBe(false)
  })

  test('a channel that takes no sessions, and a cipher suite that needs no password', () => {
    expect(verdict('fx-log-script', 'tenancy.bmc-exposure')).toBe('satisfied')
    expect(texts('fx-log-weak', 'tenancy.bmc-exposure').join('\n')).toMatch(/Cipher suite 0 is offered[\s\S]*bmcusers/)
  })
})

describe('who a command is tied to', () => {
  test('a login id that is missing, lost on the way to root, or root’s own', () => {
    expect(texts('demo-guest-03', 'audit.command-accountability').join('\n')).toContain('no login id')
    expect(texts('fx-log-weak', 'audit.command-accountability').join('\n')).toContain('did not carry the login id')
    expect(texts('fx-log-script', 'audit.command-accountability').join('\n')).toContain('root itself')
    expect(verdict('fx-log-live', 'audit.command-accountability')).toBe('satisfied')
  })
})

describe('administrators of clusters', () => {
  test('files by their entries; sacctmgr by level', () => {
    const none = Array(6).fill("stat: cannot statx '/root/.kube/config': No such file or directory\n").join('')
    const read = fact(
      clusterKubernetes.parse({
        credentials: answer('600:root:root:/etc/kubernetes/admin.conf\n', { exitCode: 1, errorText: none }),
      }),
    )
    expect(read.files).toEqual([{ path: '/etc/kubernetes/admin.conf', owner: 'root', group: 'root', mode: 0o600 }])
    const slurm = clusterSlurm.parse({ administrators: answer('root|Administrator\n'), operators: answer('') })
    expect(fact(slurm)).toEqual({ administrators: ['root'], operators: [] })
    const failed = answer('sacctmgr: error: slurm_persist_conn_open\n', { exitCode: 1 })
    expect(clusterSlurm.parse({ administrators: failed, operators: answer('') }).ok).toBe(false)
  })

  test('sacctmgr may list administrators and nothing else', () => {
    const list = [
      'sacctmgr',
      '-r',
      '-n',
      '-P',
      'show',
      'user',
      'where',
      'adminlevel=Operator',
      'format=User,AdminLevel',
    ]
    expect(deniedCommand(list)).toBeNull()
    expect(deniedCommand(['sacctmgr', '-r', '-n', '-P', 'show', 'user'])).not.toBeNull()
    expect(deniedCommand(['sacctmgr', '-i', 'modify', 'user', 'a', 'set', 'adminlevel=Administrator'])).not.toBeNull()
  })
})

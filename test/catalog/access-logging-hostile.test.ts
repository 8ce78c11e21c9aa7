import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  accountsLocal,
  accountsPasswordLocks,
  accountsPasswordMethods,
  accountsPasswordState,
} from '../../main/catalog/access/accounts/probes.ts'
import { doorState, loginMethods } from '../../main/catalog/access/authorized-keys/key-files.ts'
import type { AuthorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { pamStack } from '../../main/catalog/access/pam/probes.ts'
import { sessionTimeout } from '../../main/catalog/access/session-timeout/index.ts'
import { sudoersOther, sudoersRules } from '../../main/catalog/access/sudo/probes.ts'
import { anyCommand } from '../../main/catalog/access/sudo/rights.ts'
import { supports, unclear } from '../../main/catalog/base/steps.ts'
import { rsyslogForwarding, syslogNgForwarding } from '../../main/catalog/data-protection/log-forwarding/probes.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { bmcLan } from '../../main/catalog/hardware/management-controller/probes.ts'
import { auditdRules } from '../../main/catalog/operations/auditd/probes.ts'
import { sshSession } from '../../main/catalog/operations/evidence/probes.ts'
import { loginJournal } from '../../main/catalog/operations/login-records/index.ts'
import { missingEntries } from '../../main/catalog/operations/logs/journal.ts'
import { clusterKubernetes, clusterSlurm } from '../../main/catalog/single-tenancy/tenancy/schedulers.ts'
import { known, type Parsed, type Probe, unknown } from '../../main/core/recording/probe.ts'
import type { DraftObservation } from '../../main/core/rules/check.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'

/** Evidence that is empty, partial, forged, or out of time must not support; and hostile texts must not take long to read. */

describe('the login of the collection', () => {
  const id = 'audit.collector-self-record'
  const none = [loginJournal, known({ logins: [] })] as const
  test.each([
    ['OpenSSH_9.2p1', 'not-satisfied'],
    ['dropbear_2022.83', 'inconclusive'],
    ['tinyssh_noversion', 'inconclusive'],
    ['SSH-2.0-OpenSSH_9.6p1', 'not-satisfied'],
    ['unknown', 'not-satisfied'],
  ])('only what OpenSSH writes is looked for: server %j', (serverVersion, verdict) => {
    const session = changed(sshSession, (fact) => ({ ...fact, serverVersion }))
    expect(over(id, none, session).verdict).toBe(verdict)
  })
})

describe('audit rules', () => {
  const rules = (text: string) => known(fact(auditdRules.parse({ rules: answer(text) })))

  test('a watch of one file, which auditctl lists over all calls, is no record of calls', () => {
    const watch =
      '-a always,exit -S all -F path=/usr/bin/passwd -F perm=x -F auid>=1000 -F auid!=-1 -F key=privileged\n'
    const text = stepText(over('audit.auditd-rules', [auditdRules, rules(watch)]))
    expect(text).toContain('contradicts: Not or not wholly recorded: programs being started')
    expect(text).toContain('contradicts: Not or not wholly recorded: kernel modules')
    expect(text).toContain('contradicts: Not or not wholly recorded: mounted file systems')
  })

  test('a rule about one program or about failures covers no topic; rules that leave events out are reported', () => {
    const few =
      '-a always,exit -F arch=b64 -S execve -F exe=/bin/true\n-a always,exit -F arch=b32 -S execve -F exit=-EACCES\n'
    expect(stepText(over('audit.auditd-rules', [auditdRules, rules(few)]))).toContain(
      'wholly recorded: programs being started',
    )
    const hidden = '-a always,exclude -F msgtype=SYSCALL\n'
    expect(stepText(over('audit.auditd-rules', [auditdRules, rules(`${few}${hidden}`)]))).toContain('keep events out')
  })

  // As auditctl -l prints what the CIS Benchmarks (user emulation) and the STIGs (execpriv) have; both record a change of identity.
  test.each([
    ['-C uid!=euid -F auid!=-1 -F key=user_emulation', true],
    ['-C uid!=euid -F euid=0 -F key=execpriv', true],
    ['-F uid=1001 -F key=one', true],
    ['-F auid=1001 -F key=one', true],
    ['-F auid>=1000 -F auid!=-1 -F key=exec', false],
    ['-F key=exec', false],
    // What one service starts is left out; everyone else's is recorded.
    ['-F uid!=998 -F key=exec', false],
  ])('started programs by “-S execve %s”: only a part %j', (fields, isPart) => {
    const both = ['b64', 'b32'].map((arch) => `-a always,exit -F arch=${arch} -S execve ${fields}\n`).join('')
    const said = stepText(over('audit.auditd-rules', [auditdRules, rules(both)]))
    expect(said.includes('Not or not wholly recorded: programs being started')).toBe(isPart)
    expect(said.includes('supports: Recorded: programs being started.')).toBe(!isPart)
  })

  test('a watch for one account does not record who else reads a path', () => {
    const watch = (fields: string) =>
      stepText(
        over('audit.auditd-rules', [
          auditdRules,
          rules(`-a always,exit -S all -F dir=/data/ephi -F perm=rwxa${fields}\n`),
        ]),
      )
    expect(watch('')).toContain('supports: Recorded: reading and writing below “/data/ephi”')
    expect(watch(' -F uid=1001')).toContain('contradicts: Not recorded, or only in part')
  })

  test('commands are written down by rules only where all are, and nothing is left out', () => {
    const id = 'audit.command-accountability'
    const silent = changed(sudoersRules, (policy) => ({ ...policy, logs: false }))
    const all = '-a always,exit -F arch=b64 -S execve -F auid>=1000 -F auid!=-1\n'
    expect(over(id, silent, [auditdRules, rules(all)]).verdict).toBe('satisfied')
    expect(over(id, silent, [auditdRules, rules(`${all}-a never,task\n`)]).verdict).not.toBe('satisfied')
    expect(
      over(id, silent, [auditdRules, rules('-a always,exit -F arch=b64 -S execve -F exe=/bin/true\n')]).verdict,
    ).toBe('not-satisfied')
    expect(
      over(
        id,
        silent,
        [auditdRules, rules(all)],
        changed(statusProbe, (s) => ({ ...s, enabled: 0 as const })),
      ).verdict,
    ).toBe('not-satisfied')
  })
})
const statusProbe = catalog.probes.find(({ id }) => id === 'auditd.status') as Probe<{ readonly enabled: 0 | 1 | 2 }>

describe('accounts', () => {
  const local = (passwd: string, group = 'root:x:0:\n') =>
    accountsLocal.parse({ passwd: answer(passwd), group: answer(group), sources: answer('passwd: files\n') })
  const ROOT = 'root:x:0:0:root:/root:/bin/bash\n'

  test('no groups, or an id that is 0 in 32 bits, is no list of accounts', () => {
    expect(local(ROOT, '').ok).toBe(false)
    expect(local(`${ROOT}eve:x:4294967296:1000::/home/eve:/bin/bash\n`).ok).toBe(false)
  })

  test('a password in the list of accounts, or none at all, counts before the shadow file', () => {
    const accounts = fact(
      local(
        `${ROOT}bare::1001:0::/home/bare:/bin/sh\nold:abJnggxhB/yWI:1002:0::/home/old:/bin/sh\noff:*:1003:0::/home/off:/bin/sh\n`,
      ),
    ).accounts
    expect(accounts.map(({ inPasswd }) => inPasswd)).toEqual([undefined, 'nothing', 'something', undefined])
    const locked = known({ states: new Map(accounts.map(({ name }) => [name, 'locked' as const])) })
    const others = known({ accounts, groups: [], otherSources: [] })
    const unique = over('access.unique-accounts', [accountsLocal, others], [accountsPasswordState, locked])
    expect(stepText(unique)).toContain('contradicts: The account list requires no password for “bare”.')
    expect(over('access.pam.lockout', [accountsLocal, others], [accountsPasswordState, locked]).verdict).not.toBe(
      'not-applicable',
    )
  })

  test.each([
    ['bash', 'satisfied'],
    ['zsh', 'inconclusive'],
    ['sh', 'inconclusive'],
  ])('an idle limit in the files of shells holds for those that read them: %s', (shell, expected) => {
    const accounts = local(`${ROOT}ann:x:1001:1001::/home/ann:/bin/${shell}\n`)
    expect(over('access.session-timeout', [accountsLocal, accounts]).verdict).toBe(expected)
  })

  test('a state that is known of some accounts only decides nothing about the others', () => {
    const partial = known({ states: new Map([['root', 'locked' as const]]) })
    expect(over('access.unique-accounts', [accountsPasswordState, partial]).verdict).not.toBe('satisfied')
    for (const id of ['access.pam.lockout', 'access.pam.password-quality'])
      expect(over(id, [accountsPasswordState, partial]).verdict).not.toBe('not-applicable')
  })

  test('without a lock and rules for passwords, a node of which it is unknown whether it has a password is not faulted', () => {
    const withoutLock = changed(pamStack, ({ services }) => ({
      services: new Map(
        [...services].map(([service, entries]) => [
          service,
          entries.filter(({ module }) => !/^pam_(faillock|tally2|pwquality|cracklib|passwdqc)$/.test(module)),
        ]),
      ),
    }))
    const untold = [accountsPasswordState, accountsPasswordLocks, accountsPasswordMethods].map(
      (probe) => [probe as Probe<unknown>, unknown('not asked')] as const,
    )
    for (const id of ['access.pam.lockout', 'access.pam.password-quality']) {
      expect(over(id, withoutLock).verdict).toBe('not-satisfied')
      expect(over(id, withoutLock, ...untold).verdict).toBe('inconclusive')
    }
  })

  test('a scheme that lslogins does not name is named as such: it may be DES, and may be yescrypt', () => {
    const [, before] = changed(accountsPasswordMethods, (fact) => fact)
    const usable = changed(accountsPasswordState, ({ states }) => ({
      states: new Map([...states, ['mortiz', 'usable' as const]]),
    }))
    const unnamed = changed(accountsPasswordMethods, ({ accounts }) => ({
      accounts: new Map([...accounts].map(([name, one]) => [name, name === 'mortiz' ? { ...one, method: null } : one])),
    }))
    expect(unnamed[1]).not.toEqual(before)
    const found = over('access.pam.password-quality', usable, unnamed)
    expect(found.verdict).toBe('inconclusive')
    expect(stepText(found)).toContain('names neither yescrypt nor DES')
    expect(stepText(found)).not.toContain('Every password here is stored by')
  })

  test('a name that is given twice, and a second root', () => {
    const twice = local(`${ROOT}ann:x:1001:0::/home/ann:/bin/bash\nann:x:1002:0::/home/ann:/bin/bash\n`)
    expect(stepText(over('access.unique-accounts', [accountsLocal, twice]))).toContain('more than one account: “ann”')
    const toor = local(`${ROOT}toor:x:0:0::/home/toor:/bin/bash\n`)
    expect(stepText(over('access.service-accounts', [accountsLocal, toor]))).toContain('root by their user id: “toor”')
  })

  test('passwd: a name with a blank cannot pass for another account', () => {
    expect(accountsPasswordState.parse({ states: answer('root L L 2026-01-01 0 99999 7 -1\n') }).ok).toBe(false)
  })

  // Rows from lslogins of util-linux 2.38.1 over prepared files; DENY for “*” as in 2.32 and 2.37 (login-utils/lslogins.c).
  test('lslogins: locked and set are read, everything else stays open', () => {
    const row = (name: string, lock: string, deny: string, method = '') =>
      `USER="${name}" PWD-LOCK="${lock}" PWD-DENY="${deny}" PWD-METHOD="${method}"\n`
    const { states } = fact(
      accountsPasswordLocks.parse({
        accounts: answer(
          row('bang', '1', '0') +
            row('star', '0', '1') +
            row('lsha', '0', '1', 'SHA-512') +
            row('sha', '0', '0', 'SHA-512') +
            row('emptyOrStar', '0', '0') +
            row('noshadow', '', ''),
        ),
      }),
    )
    expect([...states]).toEqual([
      ['bang', 'locked'],
      ['star', 'locked'],
      ['lsha', 'locked'],
      ['sha', 'usable'],
    ])
    const untold = unknown('passwd could not list the state of all accounts')
    const open = known({ states: new Map([['root', 'locked' as const]]) })
    expect(over('access.unique-accounts', [accountsPasswordState, untold], [accountsPasswordLocks, open]).verdict).toBe(
      'inconclusive',
    )
    expect(over('access.service-accounts', [accountsPasswordState, untold]).verdict).toBe('satisfied')
  })

  test('a list of lslogins that ended early decides nothing about the accounts that it does not name', () => {
    const methods = catalog.probes.find(({ id }) => id === 'accounts.password-methods')
    if (methods === undefined) throw new Error('no such probe')
    const one = { method: 'SHA-512', changed: null, maxDays: null }
    const reading = known({ accounts: new Map([['mortiz', one]]) })
    expect(stepText(over('access.pam.password-quality', [methods, reading]))).toContain(
      'unclear: Whether a password is stored',
    )
  })

  test('what nothing seems to open is open to question where keys come from elsewhere, or a line was not read', () => {
    const account = { name: 'ubuntu', uid: 1000, gid: 1000, home: '/home/ubuntu', shell: '/bin/bash' }
    const passwords = known({ states: new Map([['ubuntu', 'locked' as const]]) })
    const nowhereElse = supports('no other source', null)
    const state = (
      sources: readonly DraftObservation[],
      unreadable = 0,
      doubtful: AuthorizedKeys['doubtful'] = [],
      links: AuthorizedKeys['links'] = [],
    ): ReturnType<typeof doorState> =>
      doorState(loginMethods(account, { passwords, keys: known({ keys: [], unreadable, doubtful, links }), sources }))
    expect(state([nowhereElse])).toBe('closed')
    expect(state([])).toBe('unclear')
    expect(state([nowhereElse, unclear('another source', null)])).toBe('unclear')
    expect(state([nowhereElse], 1)).toBe('unclear')
    const link = { path: '/home/ubuntu/.ssh/authorized_keys', why: 'link' } as const
    for (const doubtful of [[link], null]) expect(state([nowhereElse], 0, doubtful)).toBe('unclear')
    for (const links of [['/home/ubuntu'], null]) expect(state([nowhereElse], 0, [], links)).toBe('unclear')
    expect(state([nowhereElse], 0, [], ['/home/other'])).toBe('closed')
  })
})

describe('administrators beside sudo', () => {
  const roster = (...facts: Parameters<typeof over>[1][]) => over('access.roster-match', ...facts)
  const slurm = (...administrators: readonly string[]) => known({ administrators, operators: [] })

  test('an administrator of Slurm who is not on the roster contradicts; a list that was not given adds nothing', () => {
    expect(roster([clusterSlurm, slurm('root', 'mortiz')]).verdict).toBe('satisfied')
    expect(roster([clusterSlurm, slurm('root', 'eve')]).verdict).toBe('not-satisfied')
    expect(stepText(roster([clusterSlurm, slurm('eve')]))).toContain('not on the declared roster: “eve”.')
    expect(roster([clusterSlurm, unknown('not collected: tool absent (sacctmgr)')]).verdict).toBe('satisfied')
    expect(roster([clusterSlurm, unknown('the accounting service did not list its administrators')]).verdict).toBe(
      'inconclusive',
    )
  })

  test('a cluster administrator’s credential that others can read is a right beside sudo', () => {
    const file = (path: string, mode: number, group = 'root') =>
      known({ files: [{ path, owner: 'root', group, mode }] })
    const text = (reading: Parsed<unknown>) => stepText(over('access.sudo-policy', [clusterKubernetes, reading]))
    expect(text(file('/etc/rancher/k3s/k3s.yaml', 0o644))).toContain(
      'contradicts: Others than root can read a Kubernetes',
    )
    expect(text(file('/etc/rancher/k3s/k3s.yaml', 0o640, 'ops'))).toContain('contradicts: Others than root')
    expect(text(file('/etc/rancher/k3s/k3s.yaml', 0o600))).not.toContain('Kubernetes')
    // MicroK8s gives its credentials to a group of its own, which is empty until someone joins.
    const microk8s = file('/var/snap/microk8s/current/credentials/client.config', 0o660, 'microk8s')
    const withGroup = (...members: string[]) =>
      stepText(
        over(
          'access.sudo-policy',
          [clusterKubernetes, microk8s],
          changed(accountsLocal, (all) => ({
            ...all,
            groups: [...all.groups, { name: 'microk8s', gid: 997, members }],
          })),
        ),
      )
    expect(withGroup()).not.toContain('Kubernetes')
    expect(withGroup('mortiz')).toContain('contradicts: Others than root can read a Kubernetes')
    expect(text(file('/root/.kube/config', 0o644))).not.toContain('Kubernetes')
    expect(text(unknown('not read'))).toContain('unclear: Credentials of Kubernetes')
  })

  test('status 0 and no word is not “none of them is there”', () => {
    expect(clusterKubernetes.parse({ credentials: answer('') }).ok).toBe(false)
    expect(sudoersOther.parse({ files: answer('') }).ok).toBe(false)
  })

  test('a folder, any program in it, and an open pattern are any command; log_allowed and scoped settings are read', () => {
    const rule = (command: string) =>
      anyCommand({ who: ['a'], runAs: ['root'], commands: [command], asksPassword: true })
    for (const command of ['/usr/bin/', '/usr/bin/*', '^/usr/bin/.*$', '/usr/bin/env', '/bin/csh'])
      expect([command, rule(command)]).toEqual([command, true])
    for (const command of ['/usr/bin/apt-get update', '/usr/bin/apt-*', 'list'])
      expect([command, rule(command)]).toEqual([command, false])
    const policy = (...Defaults: readonly unknown[]) =>
      fact(sudoersRules.parse({ rules: answer(JSON.stringify({ Defaults })) }))
    expect(policy({ Options: [{ log_allowed: false }] }).logs).toBe(false)
    expect(policy({ Binding: [{ username: 'eve' }], Options: [{ syslog: false }] }).scoped).toEqual(['syslog'])
    const scoped = changed(sudoersRules, (one) => ({ ...one, scoped: ['syslog'] }))
    expect(stepText(over('access.sudo-policy', scoped))).toContain('unclear: For some users, hosts or commands')
  })
})

describe('logs', () => {
  const probe = (id: string): Probe<never> => {
    const found = catalog.probes.find((candidate) => candidate.id === id)
    if (found === undefined) throw new Error(`no such probe: ${id}`)
    return found as Probe<never>
  }

  test('a journal without files of the system’s own has no numbering to judge', () => {
    const file = { chain: 'a', first: 1, last: 9, oldest: {}, newest: {} }
    expect(missingEntries([{ ...file, path: '/var/log/journal/x/user-1000.journal' } as never])).toBe(0)
    const users = changed(probe('journal.state') as Probe<{ files: { path: string }[] }>, (state) => ({
      ...state,
      files: state.files.map((one) => ({ ...one, path: one.path.replace('/system', '/user-1000') })),
    }))
    expect(stepText(over('audit.log-continuity', users))).toContain(
      'unclear: None of the journal’s files is the system’s own',
    )
  })

  test('entries from the future, and a last boot that is not the running one', () => {
    const later = changed(probe('time.now') as Probe<{ seconds: number }>, (now) => ({
      ...now,
      seconds: now.seconds - 86_400,
    }))
    expect(stepText(over('audit.log-continuity', later))).toContain(
      'contradicts: The journal has entries from the future.',
    )
    const other = changed(probe('host.identity') as Probe<{ bootId: string }>, (host) => ({
      ...host,
      bootId: '00000000-0000-4000-8000-000000000000',
    }))
    expect(stepText(over('audit.log-continuity', other))).toContain(
      'contradicts: The journal does not cover the running system.',
    )
  })

  test('a login in the days to come is no recent one', () => {
    const last = new Map([['mortiz', Date.parse('2099-01-01T00:00:00Z')]])
    const reading = known({ last, since: null })
    const facts = ['accounts.last-login', 'accounts.lastlog'].map((id) => [probe(id), reading] as const)
    expect(stepText(over('access.stale-accounts', ...facts))).toContain(
      'unclear: The record has a login of “mortiz” on 2099',
    )
  })

  test('another login of the same person on a terminal is not the one of this collection', () => {
    const none = [probe('login.journal'), unknown('the journal did not answer for SSH logins')] as const
    const own = changed(probe('login.records') as Probe<object>, (records) => ({
      ...records,
      logins: [{ user: 'bwaudit', from: '198.51.100.7', at: { wallSeconds: 0, zone: '' } }],
    }))
    expect(over('audit.collector-self-record', none, own).verdict).toBe('inconclusive')
  })

  test('audit records alone are not the system’s log', () => {
    const target = { text: 'logs.example', encrypted: true, authenticated: true, port: 6514 }
    const conclusion = over(
      'audit.log-forwarding',
      [probe('auditd.remote'), known({ each: [target] })],
      [probe('rsyslog.forwarding'), known({ each: [], targets: [], overTls: false, authenticated: false, ports: [] })],
    )
    expect(conclusion.verdict).not.toBe('satisfied')
  })

  test('one left-over file does not make the logs old', () => {
    const young = changed(probe('log.files') as Probe<{ entries: object[] }>, (files) => ({
      ...files,
      setUpAt: null,
      entries: [0, 1, 2, 2000].map((days) => ({
        path: `/var/log/syslog.${days}`,
        mode: 0o640,
        owner: 'syslog',
        group: 'adm',
        isFolder: false,
        changedAt: Date.parse(FIXTURE_TIME) / 1000 - days * 86_400,
      })),
    }))
    expect(stepText(over('audit.log-retention', young))).toContain(
      'The oldest record in text log files that could be measured is 2 days old.',
    )
  })

  test('a target in a comment of syslog-ng is none; TLS of rsyslog holds for what follows it', () => {
    const path = '/etc/syslog-ng/syslog-ng.conf'
    const text = `${path}:3:#\n${path}:3:network("old.example"\n${path}:3:transport("tls\n${path}:4:network("new.example"\n`
    expect(fact(syslogNgForwarding.parse({ lines: answer(text) })).each.map(({ text: target }) => target)).toEqual([
      'new.example',
    ])
    const rsyslog = fact(
      rsyslogForwarding.parse({
        lines: answer('/etc/rsyslog.conf:*.* @@a.example:514\n/etc/rsyslog.conf:$ActionSendStreamDriverMode 1\n'),
      }),
    )
    expect(rsyslog.each.map(({ encrypted }) => encrypted)).toEqual([false])
  })
})

describe('secrets', () => {
  // The very words that are run, over settings with passwords in likely places.
  test('what rsyslog’s other outputs hold is not printed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'barewitness-rsyslog-'))
    const kept = [
      '*.* @@logs.example:6514',
      '& @udp.example',
      '  @@[2001:db8::9]:514',
      'action(type="omfwd" target="a.example"',
    ]
    const hidden = [
      'action(type="omelasticsearch" server="https://writer:CANARY@store.example" pwd="CANARY")',
      'action(type="ommail" mailfrom="a@b.example" pass="CANARY")',
      '*.* :ommysql:db.example,logs,writer,CANARY@1',
      'action(name="k" pwd="CANARY" type="omkafka" confParam=["security.protocol=SASL_SSL","sasl.password=CANARY"])',
      '  uid="writer" pwd="CANARY" type="omhttp"',
    ]
    writeFileSync(join(folder, 'all.conf'), `${[...kept, ...hidden].join('\n')}\n`)
    const { lines } = rsyslogForwarding.commands
    const pattern = lines.kind === 'run' ? lines.argv[4] : undefined
    const printed = execFileSync('grep', ['-r', '-ho', '-E', String(pattern), folder], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    // Of outputs of other kinds nothing is printed after their kind.
    const begun = ['action(type="omelasticsearch', 'action(type="ommail', 'action(']
    expect(printed).toBe(`${[...kept, ...begun].join('\n')}\n`)
  })
})

describe('long hostile texts', () => {
  const MIB = 1_048_576
  /** The square of a MiB is beyond the limit of a test. */
  const soon = (read: () => unknown): unknown => read()

  test('each is read in a time that grows with its length', () => {
    soon(() => auditdRules.parse({ rules: answer(`-w ${'/'.repeat(MIB)}x -p wa\n`) }))
    soon(() => rsyslogForwarding.parse({ lines: answer(`/etc/rsyslog.conf:x${' '.repeat(MIB)}omfwd\n`) }))
    soon(() =>
      rsyslogForwarding.parse({ lines: answer(`/a:action(type="omfwd" target=\n${'/a:Target=x\n'.repeat(40_000)}`) }),
    )
    soon(() => rsyslogForwarding.parse({ lines: answer('/a:*.* @@h:1\n'.repeat(40_000)) }))
    const blank = answer('\n'.repeat(65_536))
    soon(() => bmcLan.parse({ channel: blank, users: blank, suites: blank, privileges: blank }))
    soon(() =>
      sessionTimeout.parse({ shell: answer(''), logind: answer(`/l:StopIdleSessionSec=5${' '.repeat(MIB)}x\n`) }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocalAccounts } from '../../main/catalog/access/accounts/probes.ts'
import { readSshdStart } from '../../main/catalog/access/sshd/command-line.ts'
import { firstMethods } from '../../main/catalog/access/sshd/offered-methods.ts'
import { type SshdContexts, type SshdSettings, sshProcesses } from '../../main/catalog/access/sshd/probes.ts'
import { type Listener, parseListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import {
  askedNames,
  MOST_SSH_SERVERS,
  type SshServers,
  sshListeners,
  sshServers,
  sshTargets,
} from '../../main/catalog/data-protection/ssh-encryption/probes.ts'
import { redact } from '../../main/core/collector/redact.ts'
import { NO_SUCH_ACCOUNT } from '../../main/core/fleet/ssh-methods.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

const model = fixtureOf('demo-gpu-01')
const factOf = <T>(id: string): T => (model.readings.get(id) as { fact: T }).fact

const CHECKS = [
  'access.sshd.root-login',
  'access.sshd.password-auth',
  'access.sshd.allow-list',
  'access.session-timeout',
  'access.sshd.connection-limits',
] as const

/** The verdicts of the model node with some readings replaced, and which of its steps speak against. */
function judged(
  changes: Readonly<Record<string, Parsed<unknown>>>,
  port = 22,
  ids: readonly string[] = CHECKS,
): readonly string[] {
  const node = { ...model.context.node, port }
  return ids.map((id) => concludeOn(checkOf(id), model.name, Object.entries(changes), { node }).verdict)
}

const settings = (changes: Readonly<Record<string, string>>): Parsed<SshdSettings> => {
  const base = factOf<SshdSettings>('sshd.effective').settings
  return known({
    settings: new Map([...base, ...Object.entries(changes).map(([key, value]) => [key, [value]] as const)]),
  })
}

const wire = (change: (servers: SshServers) => SshServers): Parsed<SshServers> =>
  known(change(factOf<SshServers>('ssh.servers')))
const each = (change: (server: SshServers['servers'][number]) => object): Parsed<SshServers> =>
  wire((all) => ({ ...all, servers: all.servers.map((server) => ({ ...server, ...change(server) })) }))
const offering =
  (...methods: string[]) =>
  ({ answers }: SshServers['servers'][number]) => ({
    answers: answers.map((one) => ({ ...one, methods })),
  })
const started = (line: string): Parsed<unknown> => sshProcesses.parse({ processes: answer(`${line}\n`) })
const titled = (args: string): Parsed<unknown> =>
  started(`   2101 sshd: /usr/sbin/sshd ${args} [listener] 0 of 10-100 startups`)

const masked = (line: string): string => {
  const left = Buffer.from(redact(Buffer.from(line)).bytes).toString()
  expect(left).not.toBe(line)
  return left
}

/** Sockets of the model node, with more lines of `ss -H -tulnp`. */
const withSockets = (...lines: string[]): Record<string, Parsed<unknown>> => {
  const add = (id: string, text: string): Parsed<unknown> =>
    known({ listeners: [...factOf<{ listeners: Listener[] }>(id).listeners, ...fact(parseListeners(text)).listeners] })
  return {
    'network.listeners': add('network.listeners', lines.map((line) => line.replace(/users:.*/, '')).join('\n')),
    'network.listener-processes': add('network.listener-processes', lines.join('\n')),
  }
}

const socket = (port: number, owner: string, pid: number, host = '0.0.0.0'): string =>
  `tcp LISTEN 0 128 ${host}:${port} 0.0.0.0:* users:(("${owner}",pid=${pid},fd=3))`

/** The checks that rest on keys being read from nowhere else, the one on two factors, and the one on modules that the server asks. */
const RESTING = [
  'access.authorized-keys',
  'access.key-per-account',
  'access.leaver-accounts',
  'access.provider-access',
  'access.sshd.mfa',
  'access.pam.lockout',
] as const
const resting = (changes: Readonly<Record<string, Parsed<unknown>>>): readonly string[] =>
  judged({ ...TWO_FACTORS, ...changes }, 22, RESTING)
const TWO_FACTORS = {
  'sshd.effective': settings({ authenticationmethods: 'publickey,password' }),
  'sshd.contexts': known({
    contexts: factOf<SshdContexts>('sshd.contexts').contexts.map((context) => ({
      ...context,
      settings: new Map([...context.settings, ['authenticationmethods', ['publickey,password']]]),
    })),
  }),
}

const all = (checks: readonly string[], verdict: string): readonly string[] => checks.map(() => verdict)
const MET = all(CHECKS, 'satisfied')
const UNDECIDED = all(CHECKS, 'inconclusive')

describe('which SSH servers run, and whose settings were read', () => {
  test('on the model node all evidence is there', () => {
    expect(judged({})).toEqual(MET)
    expect(resting({})).toEqual(all(RESTING, 'satisfied'))
  })

  test.each([['network.listeners'], ['network.listener-processes'], ['ssh.processes'], ['ssh.servers']])(
    'without %s nothing is supported',
    (id) => {
      expect(judged({ [id]: unknown('not collected') })).toEqual(UNDECIDED)
      expect(resting({ [id]: unknown('not collected') })).toEqual(all(RESTING, 'inconclusive'))
    },
  )

  test.each<[string, Record<string, Parsed<unknown>>]>([
    ['a second sshd on a port that the settings do not name', withSockets(socket(2222, 'sshd', 2300))],
    ['dropbear on another port', withSockets(socket(2222, 'dropbear', 2300))],
    ['a second sshd on the loopback address', withSockets(socket(2222, 'sshd', 2300, '127.0.0.1'))],
    ['another configuration file', { 'ssh.processes': titled('-D -f /etc/ssh/sshd2_config') }],
    ['an option whose words cannot be separated', { 'ssh.processes': titled('-D --unknown') }],
    [
      'an option whose value was masked with what followed',
      {
        'ssh.processes': started(
          masked(`   2101 /usr/sbin/sshd -D -o SetEnv=LICENCE=${'a1'.repeat(9)} -o PermitRootLogin=yes`),
        ),
      },
    ],
    ['a title that was cut', { 'ssh.processes': started('   2101 sshd: /usr/sbin/sshd -D -o PermitRoot') }],
    ['a process that was not listed', { 'ssh.processes': started('   9999 /usr/sbin/sshd -D') }],
    ['a program in another place', { 'ssh.processes': started('   2101 /opt/ssh/sbin/sshd -D') }],
    ['a server that calls itself dropbear', { 'ssh.servers': each(() => ({ version: 'dropbear_2022.83' })) }],
    ['a port that was not asked', { 'ssh.servers': wire((all) => ({ ...all, servers: [] })) }],
    [
      'a transport that reaches no ports',
      { 'ssh.servers': wire((all) => ({ ...all, forwarding: false, servers: [] })) },
    ],
    ['a server that answers otherwise each time', { 'ssh.servers': each(() => ({ isMixed: true })) }],
    [
      'another host key than the session saw',
      { 'ssh.servers': each(() => ({ hostKey: { type: 'ssh-ed25519', fingerprint: `SHA256:${'B'.repeat(43)}` } })) },
    ],
    [
      'a server that does not forward',
      {
        'ssh.servers': each(({ answers }) => ({
          answers: answers.slice(0, 1).map((one) => ({ ...one, outcome: 'refused', methods: [] })),
        })),
      },
    ],
    ['settings for another port', { 'sshd.effective': settings({ port: '2200' }) }],
    [
      'questions by keyboard where the settings have none',
      { 'ssh.servers': each(offering('publickey', 'keyboard-interactive')) },
    ],
  ])('%s: undecided', (_, changes) => {
    const verdicts = judged(changes)
    expect(verdicts).not.toContain('satisfied')
    expect(verdicts).not.toContain('not-satisfied')
    expect(resting(changes)).toEqual(all(RESTING, 'inconclusive'))
  })

  test.each(['AuthorizedKeysFile=/srv/keys/%u', 'AuthorizedKeysCommand=/srv/more-keys', 'TrustedUserCAKeys=/srv/ca'])(
    'keys from elsewhere by an option of the start: %s',
    (option) =>
      expect(judged({ 'ssh.processes': titled(`-D -o ${option}`) }, 22, RESTING.slice(0, 4))).toEqual(
        all(RESTING.slice(0, 4), 'inconclusive'),
      ),
  )

  test.each([
    ['authorizedkeysfile', '/srv/keys/%u', 'inconclusive'],
    ['authorizedkeysfile', '.ssh/authorized_keys /srv/keys/%u', 'inconclusive'],
    ['authorizedkeysfile', '%h/.ssh/authorized_keys', 'satisfied'],
    ['authorizedkeyscommand', '/srv/more-keys', 'inconclusive'],
    ['authorizedkeyscommand', 'none', 'satisfied'],
    ['trustedusercakeys', '/srv/ca', 'inconclusive'],
  ])('a Match block that sets %s to “%s”: %s', (key, value, verdict) => {
    const conditions = known({ blocks: [{ condition: 'Group sftp', settings: [[key, value]] }], unread: [] })
    expect(judged({ 'sshd.conditions': conditions }, 22, RESTING.slice(0, 3))).toEqual(
      all(RESTING.slice(0, 3), verdict),
    )
  })

  test.each([
    ['no', 'inconclusive'],
    ['yes', 'satisfied'],
  ])('a lock after wrong passwords, with UsePAM %s: %s', (value, verdict) =>
    expect(judged({ 'sshd.effective': settings({ usepam: value }) }, 22, ['access.pam.lockout'])).toEqual([verdict]),
  )

  test('another SSH server leaves open which accounts of services have keys', () => {
    const id = 'access.service-accounts'
    const local = factOf<LocalAccounts>('accounts.local')
    const backup = local.accounts.map((one) =>
      one.name === 'backup' ? { ...one, shell: '/bin/bash', home: '/home/backup' } : one,
    )
    expect(backup).not.toEqual(local.accounts)
    const shell = { 'accounts.local': known({ ...local, accounts: backup }) }
    expect(judged(shell, 22, [id])).toEqual(['satisfied'])
    expect(judged({ ...shell, ...withSockets(socket(2222, 'dropbear', 2300)) }, 22, [id])).toEqual(['inconclusive'])
  })

  test('a session at a port that no SSH server has was carried by something else', () => {
    const session = known({ ...factOf<object>('login.session'), serverPort: 2222 })
    expect(judged({ 'login.session': session }, 2222)).toEqual(UNDECIDED)
  })

  test.each([
    ['-D'],
    ['-D -e -q'],
    ['-D -f /etc/ssh/sshd_config'],
    ['-D -oCiphers=aes256-gcm@openssh.com -oMACs=hmac-sha2-256 -o KexAlgorithms=curve25519-sha256'],
  ])('options that change nothing of a login leave the settings as they are: %s', (args) =>
    expect(judged({ 'ssh.processes': titled(args) })).toEqual(MET),
  )

  test('an option affects the checks that read its keyword', () => {
    expect(judged({ 'ssh.processes': titled('-D -o PermitRootLogin=yes') })).toEqual([
      'inconclusive',
      'satisfied',
      'satisfied',
      'satisfied',
      'satisfied',
    ])
    expect(judged({ 'ssh.processes': titled('-D -o PasswordAuthentication=yes -o AllowUsers=root') })).toEqual([
      'satisfied',
      'inconclusive',
      'inconclusive',
      'satisfied',
      'satisfied',
    ])
    expect(judged({ 'ssh.processes': titled('-D -g 0') })).toEqual([
      'satisfied',
      'satisfied',
      'satisfied',
      'satisfied',
      'inconclusive',
    ])
    expect(judged({ 'ssh.processes': titled('-D -o ClientAliveInterval=0') })).toEqual([
      'satisfied',
      'satisfied',
      'satisfied',
      'inconclusive',
      'satisfied',
    ])
  })

  test('a file that allows what no server that runs has contradicts nothing', () => {
    const careless = settings({ permitrootlogin: 'yes', passwordauthentication: 'yes', allowgroups: 'root' })
    expect(judged({ 'sshd.effective': careless }).slice(0, 2)).toEqual(['not-satisfied', 'not-satisfied'])
    expect(judged({ 'sshd.effective': careless, 'ssh.processes': titled('-D -f /srv/ssh/config') })).toEqual(UNDECIDED)
  })

  test('a server that offers a password contradicts that passwords are off, and shows nothing about root', () => {
    const both = each(offering('publickey', 'password'))
    expect(judged({ 'ssh.servers': both }).slice(0, 2)).toEqual(['inconclusive', 'not-satisfied'])
  })

  test('a program without settings for single accounts is believed where it offers keys only', () => {
    const [server] = factOf<SshServers>('ssh.servers').servers
    if (server === undefined) throw new Error('no server')
    const beside = wire((all) => ({
      ...all,
      servers: [...all.servers, { ...server, port: 2222, version: 'dropbear_2022.83' }],
    }))
    const verdicts = judged({ ...withSockets(socket(2222, 'dropbear', 2300)), 'ssh.servers': beside })
    expect(verdicts).toEqual(['inconclusive', 'satisfied', 'inconclusive', 'inconclusive', 'inconclusive'])
  })

  test.each([
    ['root', ['not-satisfied', 'not-satisfied', 'inconclusive', 'inconclusive']],
    ['declared', ['satisfied', 'not-satisfied', 'satisfied', 'satisfied']],
    ['nobody', ['satisfied', 'not-satisfied', 'not-satisfied', 'satisfied']],
  ] as const)('a server that lets %s in without anything contradicts', (who, expected) => {
    const open = each(({ answers }) => ({
      answers: answers.map((one) => (one.who === who ? { ...one, outcome: 'accepted', methods: [] } : one)),
    }))
    const verdicts = judged({ 'ssh.servers': open })
    for (const [index, verdict] of expected.entries())
      if (verdict === 'not-satisfied')
        expect([who, CHECKS[index], verdicts[index]]).toEqual([who, CHECKS[index], verdict])
  })

  test('ports that a login holds open are no SSH servers', () => {
    const forwards = {
      ...withSockets(socket(6010, 'sshd', 20_415, '127.0.0.1'), socket(8022, 'sshd', 20_415)),
      'ssh.processes': factOf<object>('ssh.processes'),
    }
    expect(judged({ ...forwards, 'ssh.processes': known(factOf('ssh.processes')) })).toEqual(MET)
  })
})

describe('the algorithms of every SSH server that others can reach', () => {
  const ID = 'encryption.in-transit.ssh-algorithms'
  const concluded = (changes: Readonly<Record<string, Parsed<unknown>>>) =>
    concludeOn(checkOf(ID), model.name, Object.entries(changes))
  const [first] = factOf<SshServers>('ssh.servers').servers
  if (first?.offer === undefined || first.offer === null) throw new Error('no offer')
  const { offer } = first
  const beside = (change: object, ...sockets: string[]): Record<string, Parsed<unknown>> => ({
    ...withSockets(...(sockets.length > 0 ? sockets : [socket(2222, 'dropbear', 2300)])),
    'ssh.servers': wire((all) => ({ ...all, servers: [...all.servers, { ...first, port: 2222, ...change }] })),
  })
  const weak = { offer: { ...offer, cipherToNode: ['3des-cbc'], cipherFromNode: ['3des-cbc'] } }
  const nobody = unknown('not collected')
  // Whether two sockets are one server is told by its process alone, so that without it both are asked.
  const both = { 'ssh.servers': wire((all) => ({ ...all, servers: [...all.servers, { ...first, host: '::1' }] })) }

  test.each<[string, Record<string, Parsed<unknown>>, string]>([
    ['the session’s server alone', {}, 'satisfied'],
    ['another with the same offer', beside({}), 'satisfied'],
    ['another with a weak offer', beside(weak), 'not-satisfied'],
    ['another whose offer was not recorded', beside({ offer: null }), 'inconclusive'],
    ['another that answers otherwise each time', beside({ isMixed: true }), 'inconclusive'],
    ['another that was not asked', withSockets(socket(2222, 'dropbear', 2300)), 'inconclusive'],
    ['a weak one for the node alone', beside(weak, socket(2222, 'sshd', 2300, '127.0.0.1')), 'satisfied'],
    ['two at the session’s port, one unheard', withSockets(socket(22, 'dropbear', 2300, '10.20.0.11')), 'inconclusive'],
    ['no list of sockets', { 'network.listeners': nobody }, 'inconclusive'],
    ['no processes, and every port heard', { ...both, 'network.listener-processes': nobody }, 'satisfied'],
    ['no processes, and one family unheard', { 'network.listener-processes': nobody }, 'inconclusive'],
    [
      'no processes, and a port that was not heard',
      { ...withSockets(socket(2222, 'dropbear', 2300)), ...both, 'network.listener-processes': nobody },
      'inconclusive',
    ],
    ['nothing asked, and one server', { 'ssh.servers': nobody }, 'satisfied'],
    [
      'settings of another server, and no offer seen',
      {
        'ssh.offers': nobody,
        'sshd.effective': settings({ ciphers: '3des-cbc' }),
        'ssh.processes': titled('-D -f /srv/ssh/config'),
      },
      'inconclusive',
    ],
    [
      'its own settings, and no offer seen',
      { 'ssh.offers': nobody, 'sshd.effective': settings({ ciphers: '3des-cbc' }) },
      'not-satisfied',
    ],
  ])('%s', (_, changes, verdict) => expect(concluded(changes).verdict).toBe(verdict))

  test('the port is named', () => {
    for (const change of [weak, { offer: null }])
      expect(
        concluded(beside(change)).observations.some(
          ({ text, direction }) => direction !== 'supports' && /tcp\/2222/.test(text),
        ),
      ).toBe(true)
  })
})

describe('what a login may begin with', () => {
  const methods = (changes: Readonly<Record<string, string>>): readonly string[] => [
    ...firstMethods({ settings: new Map(Object.entries(changes).map(([key, value]) => [key, [value]])) }),
  ]
  test.each<[Record<string, string>, readonly string[]]>([
    [{}, ['publickey', 'password', 'keyboard-interactive']],
    [{ passwordauthentication: 'no', kbdinteractiveauthentication: 'no' }, ['publickey']],
    [{ authenticationmethods: 'any', passwordauthentication: 'no', kbdinteractiveauthentication: 'no' }, ['publickey']],
    [{ authenticationmethods: 'publickey,password publickey,keyboard-interactive:pam' }, ['publickey']],
    [{ authenticationmethods: 'password,publickey' }, ['password']],
    [
      { hostbasedauthentication: 'yes', pubkeyauthentication: 'no', kbdinteractiveauthentication: 'no' },
      ['password', 'hostbased'],
    ],
  ])('%j', (changes, expected) => expect(methods(changes)).toEqual(expected))
})

describe('the command line of sshd', () => {
  test.each<[string, string | null, readonly string[]]>([
    ['', null, []],
    ['-D', null, []],
    ['-De4', null, []],
    ['-f /x -D', '/x', []],
    ['-D -f/x', '/x', []],
    ['-p 2222', null, ['port']],
    ['-oPermitRootLogin=yes', null, ['permitrootlogin']],
    ['-D -o PermitRootLogin yes', null, ['permitrootlogin']],
    // ec2-instance-connect.conf of Ubuntu’s images for Amazon, as ps prints it with OpenSSH 9.6.
    [
      '-D -o AuthorizedKeysCommand /usr/share/ec2-instance-connect/eic_run_authorized_keys %u %f -o AuthorizedKeysCommandUser ec2-instance-connect',
      null,
      ['authorizedkeyscommand', 'authorizedkeyscommanduser'],
    ],
    ['-oIPQoS=af21 cs1 -oPermitRootLogin=yes', null, ['ipqos', 'permitrootlogin']],
    [
      '-o ChallengeResponseAuthentication=yes -g 10 -h /k',
      null,
      ['kbdinteractiveauthentication', 'logingracetime', 'hostkey'],
    ],
  ])('%s', (line, file, sets) => {
    const start = readSshdStart(line.split(' ').filter((word) => word !== ''))
    expect([start?.file, [...(start?.sets ?? ['?'])]]).toEqual([file, sets])
  })

  test.each([
    ['-Z'],
    ['-D extra'],
    ['--help'],
    ['-f'],
    ['-f -D'],
    ['-o'],
    ['-o =yes'],
    ['-o Banner -D'],
    ['-o AuthorizedKeysCommand /x -E -oPermitRootLogin=yes'],
    ['-o AuthorizedKeysCommand /x --file y'],
    ['-i'],
    ['-t'],
  ])('%s is not understood', (line) => expect(readSshdStart(line.split(' '))).toBeNull())
})

describe('processes of SSH servers', () => {
  const rows = (text: string) => fact(sshProcesses.parse({ processes: answer(text) })).processes
  test('listeners of old and new versions, and sessions', () =>
    expect(
      rows(
        '    812 sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups\n  900 /usr/sbin/sshd -D\n 1000 sshd: anna@pts/0\n 1001 sshd: anna [priv]\n 1002 sshd: [accepted]\n 1003 /usr/sbin/dropbear -F -E\n',
      ).map(({ pid, isSession, words }) => [pid, isSession, words.join(' ')]),
    ).toEqual([
      [812, false, '/usr/sbin/sshd -D'],
      [900, false, '/usr/sbin/sshd -D'],
      [1000, true, ''],
      [1001, true, ''],
      [1002, true, ''],
      [1003, false, '/usr/sbin/dropbear -F -E'],
    ]))
  test('no process of such a name is an answer; complaints and other forms are none', () => {
    expect(fact(sshProcesses.parse({ processes: answer('', { exitCode: 1 }) })).processes).toEqual([])
    expect(reason(sshProcesses.parse({ processes: answer('', { exitCode: 1, errorText: 'error: no\n' }) }))).toMatch(
      /ps/,
    )
    expect(reason(sshProcesses.parse({ processes: answer('PID CMD\n') }))).toMatch(/not a process/)
  })
})

describe('whom to ask', () => {
  const listed = (text: string): readonly Listener[] => fact(parseListeners(text)).listeners
  const signs = { sshPorts: [22], processes: [], tls: null }
  test('by name, by port, and once for both families', () => {
    const all = listed(
      [
        socket(22, 'sshd', 1),
        'tcp LISTEN 0 128 [::]:22 [::]:* users:(("sshd",pid=1,fd=4))',
        socket(2222, 'dropbear', 2),
        socket(8443, 'nginx', 3),
        'udp UNCONN 0 0 0.0.0.0:22 0.0.0.0:*',
      ].join('\n'),
    )
    const found = sshListeners(all, all, signs)
    expect(found.map(({ port }) => port)).toEqual([22, 22, 2222])
    expect(sshTargets(found, { own: new Set(), loopback: [] })).toEqual({
      ask: [
        { host: '127.0.0.1', port: 22 },
        { host: '127.0.0.1', port: 2222 },
      ],
      passed: [],
    })
  })
  test('no more than the limit, no address of others, and no port behind another socket', () => {
    const ports = Array.from({ length: MOST_SSH_SERVERS + 2 }, (_, index) => 3000 + index)
    const many = listed(ports.map((port) => socket(port, 'sshd', port)).join('\n'))
    const { ask, passed } = sshTargets(many, { own: new Set(), loopback: [] })
    expect([ask.length, passed.map(({ why }) => why)]).toEqual([MOST_SSH_SERVERS, ['limit', 'limit']])
    const foreign = listed(socket(22, 'sshd', 1, '198.51.100.9'))
    expect(sshTargets(foreign, { own: new Set(), loopback: [] }).passed.map(({ why }) => why)).toEqual(['foreign'])
    const behind = listed(socket(2222, 'sshd', 1))
    const before = listed(socket(2222, 'nginx', 2, '127.0.0.1'))
    expect(sshTargets(behind, { own: new Set(), loopback: before }).passed.map(({ why }) => why)).toEqual(['hidden'])
  })
  test.each([
    [{ user: 'bwaudit' }, ['root', 'bwaudit', NO_SUCH_ACCOUNT]],
    [{ user: 'bwaudit', roster: ['root', 'bwaudit', 'anna'] }, ['root', 'anna', NO_SUCH_ACCOUNT]],
    [{ user: 'root' }, ['root', NO_SUCH_ACCOUNT]],
    [{ user: 'bwaudit', roster: ['bad name', 'anna'] }, ['root', 'anna', NO_SUCH_ACCOUNT]],
  ])('%j', (node, users) => expect(askedNames(node).map(({ user }) => user)).toEqual(users))
})

test('any bytes in place of an answer give a reason or a fact, and no other end', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const read of [
        sshProcesses.parse({ processes: answer(text) }),
        sshServers.parse({ servers: answer(text) }),
        sshServers.parse({ servers: answer(JSON.stringify({ forwarding: 'used', asked: [text], passed: [] })) }),
      ])
        expect(typeof read.ok).toBe('boolean')
      readSshdStart(text.split(' '))
    }),
  )
})

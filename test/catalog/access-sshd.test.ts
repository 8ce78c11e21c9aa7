import { describe, expect, test } from 'vitest'
import {
  type SshdContexts,
  type SshdSettings,
  sshdConditions,
  sshdContexts,
  sshdEffective,
} from '../../main/catalog/access/sshd/probes.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import type { Conclusion } from '../../main/core/rules/check.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

// As OpenSSH 9.2 on Debian 12 prints it, cut to what matters. 8.0 to 8.6 print challengeresponseauthentication beside
// kbdinteractiveauthentication; 8.5 renamed pubkeyacceptedkeytypes to pubkeyacceptedalgorithms; 9.8 added the penalties.
const PRINTED = `port 22
permitrootlogin no
pubkeyauthentication yes
passwordauthentication no
kbdinteractiveauthentication no
ciphers chacha20-poly1305@openssh.com,aes128-ctr
authenticationmethods any
allowusers mortiz
`
const printed = (changes: Readonly<Record<string, string>> = {}): string =>
  PRINTED.replace(/^(\w+) .*$/gm, (line, key: string) => (changes[key] === undefined ? line : `${key} ${changes[key]}`))

describe('what kinds of logins meet', () => {
  const four = (one: ReturnType<typeof answer>, rest = answer(PRINTED)) => ({
    rootPublic: rest,
    rootPrivate: one,
    nobodyPublic: rest,
    nobodyPrivate: rest,
  })

  test('four answers, each with its user and address', () => {
    const { contexts } = fact(sshdContexts.parse(four(answer(printed({ permitrootlogin: 'without-password' })))))
    expect(contexts.map(({ user, address, settings }) => [user, address, settings.get('permitrootlogin')])).toEqual([
      ['root', '192.0.2.254', ['no']],
      ['root', '10.0.0.1', ['without-password']],
      ['nobody', '192.0.2.254', ['no']],
      ['nobody', '10.0.0.1', ['no']],
    ])
  })

  test.each([
    ['Missing privilege separation directory: /run/sshd\n', 255],
    ['Unable to load host key: /etc/ssh/ssh_host_rsa_key\nsshd: no hostkeys available -- exiting.\n', 1],
  ])('a server that prints no settings is not collected: %j', (errorText, exitCode) => {
    const failed = answer('', { exitCode, errorText })
    expect(reason(sshdContexts.parse(four(failed)))).toMatch(/^not collected: sshd did not print its settings/)
    expect(reason(sshdEffective.parse({ settings: failed }))).toMatch(/^not collected: sshd did not print its settings/)
  })

  test('other forms are no answer', () => {
    for (const text of ['', 'port 22\n', '\u0000', '{"port":22}'])
      expect(sshdContexts.parse(four(answer(text))).ok).toBe(false)
  })
})

const settingsOf = (general: SshdSettings, changes: Readonly<Record<string, string>>): SshdSettings => ({
  settings: new Map([...general.settings, ...Object.entries(changes).map(([key, value]) => [key, [value]] as const)]),
})

/** A check on the hardened node with other Match blocks, and with what root from a private address meets. */
function judged(
  id: string,
  match: string,
  changes: Readonly<Record<string, string>> | null = {},
  general: Readonly<Record<string, string>> = {},
): Conclusion {
  const node = fixtureOf('fx-access-hardened')
  const sshd = settingsOf(fact(node.readings.get(sshdEffective.id) as Parsed<SshdSettings>), general)
  const contexts = fact(node.readings.get(sshdContexts.id) as Parsed<SshdContexts>).contexts.map((context) => ({
    ...context,
    ...settingsOf(sshd, context.user === 'root' && context.address === '10.0.0.1' ? (changes ?? {}) : {}),
  }))
  const text = match.replace(/^/gm, '/etc/ssh/sshd_config:')
  return concludeOn(checkOf(id), node.name, [
    [sshdEffective.id, known(sshd)],
    [sshdContexts.id, changes === null ? unknown('this was not collected') : known({ contexts })],
    [sshdConditions.id, sshdConditions.parse({ settings: answer(match === '' ? '' : text) })],
  ])
}

const verdictOf = (...input: Parameters<typeof judged>): string => judged(...input).verdict

const IDS = ['root-login', 'password-auth', 'mfa', 'allow-list'].map((name) => `access.sshd.${name}`)
const LEGACY = 'Match User legacy\n  PasswordAuthentication yes\n  AuthenticationMethods password'

describe('Match blocks', () => {
  test.each(IDS)('%s: without any it holds; where nothing was asked it stays open', (id) => {
    expect(verdictOf(id, 'Include /etc/ssh/sshd_config.d/*.conf')).toBe('satisfied')
    expect(verdictOf(id, '', null)).toBe('inconclusive')
  })

  // sshd -T prints “no” for this, and with -C user=legacy “yes” (tried with OpenSSH 9.2); that name cannot be asked for.
  test('a password for one named user is found by the block’s own text', () => {
    const keysOnly = { authenticationmethods: 'any', kbdinteractiveauthentication: 'no' }
    const { verdict, observations } = judged(
      'access.sshd.password-auth',
      'Match User legacy\n  PasswordAuthentication yes',
      {},
      keysOnly,
    )
    expect(verdict).toBe('not-satisfied')
    expect(observations.filter(({ direction }) => direction === 'contradicts').map(({ text }) => text)).toEqual([
      'For connections that match “User legacy”, passwordauthentication is set to “yes”.',
    ])
    expect(verdictOf('access.sshd.password-auth', LEGACY)).toBe('inconclusive')
    expect(verdictOf('access.sshd.mfa', LEGACY)).toBe('not-satisfied')
  })

  // sshd_config(5): a client host that is trusted, and no password. Clusters for HPC let their nodes in that way (ssh-keysign(8)).
  test('hosts that are trusted are no password: in the settings, in a block, and for some logins', () => {
    const id = 'access.sshd.password-auth'
    const any = { authenticationmethods: 'any', kbdinteractiveauthentication: 'no' }
    const trusting = { ...any, hostbasedauthentication: 'yes' }
    for (const found of [
      judged(id, '', {}, trusting),
      judged(id, 'Match Address 10.0.0.0/8\n  HostbasedAuthentication yes', {}, any),
      judged(id, '', { hostbasedauthentication: 'yes' }, any),
    ]) {
      expect(found.verdict).toBe('inconclusive')
      expect(found.observations.filter(({ direction }) => direction === 'contradicts')).toEqual([])
    }
    expect(verdictOf(id, '', {}, { ...trusting, passwordauthentication: 'yes' })).toBe('not-satisfied')
  })

  test('blocks that only tighten, or set other things, change nothing', () => {
    const harmless =
      'Match Group sftp\n  PasswordAuthentication no\n  PermitRootLogin no\n  AllowUsers sftp\n  AuthenticationMethods publickey,keyboard-interactive'
    for (const id of IDS) expect([id, verdictOf(id, harmless)]).toEqual([id, 'satisfied'])
  })

  test.each([
    ['access.sshd.root-login', { permitrootlogin: 'yes', allowusers: 'root', allowgroups: 'root' }],
    ['access.sshd.password-auth', { passwordauthentication: 'yes', authenticationmethods: 'any' }],
    ['access.sshd.mfa', { authenticationmethods: 'any' }],
    ['access.sshd.allow-list', { allowgroups: '*' }],
  ] as const)('%s: the worst of the contexts decides, in any position of its block', (id, changes) => {
    const { verdict, observations } = judged(id, '', changes)
    expect(verdict).toBe('not-satisfied')
    const [said] = observations.filter(({ direction }) => direction === 'contradicts')
    expect(said?.text).toMatch(/^For root from 10\.0\.0\.1, the SSH server applies other settings: /)
    expect(said?.probe).toBe('sshd.contexts')
  })

  test('a context that differs and holds supports the claim', () => {
    expect(verdictOf('access.sshd.allow-list', '', { allowgroups: 'backup' })).toBe('satisfied')
    expect(verdictOf('access.sshd.mfa', '', { authenticationmethods: 'publickey,password' })).toBe('satisfied')
  })

  test('files that were not searched, and files included inside a block, leave it open', () => {
    expect(verdictOf('access.sshd.root-login', 'Include /opt/site/sshd.conf')).toBe('inconclusive')
    expect(verdictOf('access.sshd.root-login', 'Match User x\n  Include sshd_config.d/x.conf')).toBe('inconclusive')
    expect(verdictOf('access.sshd.root-login', 'Include /etc/crypto-policies/back-ends/opensshserver.config')).toBe(
      'satisfied',
    )
  })

  test('a block may loosen which keys count where only tokens make two factors', () => {
    const tokens = {
      authenticationmethods: 'any',
      pubkeyacceptedalgorithms: 'sk-ssh-ed25519@openssh.com',
      pubkeyauthoptions: 'verify-required',
      kbdinteractiveauthentication: 'no',
      passwordauthentication: 'no',
    }
    expect(verdictOf('access.sshd.mfa', '', {}, tokens)).toBe('satisfied')
    const block = 'Match User old\n  PubkeyAcceptedAlgorithms +ssh-ed25519'
    expect(verdictOf('access.sshd.mfa', block, {}, tokens)).toBe('inconclusive')
  })

  test('SUSE keeps the file below /usr/etc; without either file nothing is known', () => {
    const none = 'grep: /etc/ssh/sshd_config: No such file or directory\n'
    const text = '/usr/etc/ssh/sshd_config:Include /etc/ssh/sshd_config.d/*.conf\n'
    const read = (more: string, errorText: string) =>
      sshdConditions.parse({ settings: answer(more, { exitCode: 2, errorText }) })
    expect(fact(read(text, none))).toEqual({ blocks: [], unread: [] })
    expect(read('', `${none}grep: /usr/etc/ssh/sshd_config: No such file or directory\n`).ok).toBe(false)
  })
})

import { describe, expect, test } from 'vitest'
import { pamStack } from '../../main/catalog/access/pam/probes.ts'
import {
  type SshdContexts,
  type SshdSettings,
  sshdConditions,
  sshdContexts,
  sshdEffective,
  sshProcesses,
} from '../../main/catalog/access/sshd/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

const ID = 'access.sshd.mfa'

/** The check on the hardened node with other settings, and what else is given. */
function withSettings(
  changes: Readonly<Record<string, string>>,
  more: readonly (readonly [string, Parsed<unknown>])[] = [],
  node = 'fx-access-hardened',
) {
  const { settings } = fact(fixtureOf(node).readings.get(sshdEffective.id) as Parsed<SshdSettings>)
  const set = Object.entries(changes).map(([key, value]) => [key, [value]] as const)
  return concludeOn(checkOf(ID), node, [
    [sshdEffective.id, known({ settings: new Map([...settings, ...set]) })],
    ...more,
  ])
}

const TOKENS = {
  authenticationmethods: 'any',
  passwordauthentication: 'no',
  kbdinteractiveauthentication: 'no',
  pubkeyacceptedalgorithms: 'sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com',
  pubkeyauthoptions: 'verify-required',
}

// sshd_config(5), AuthenticationMethods: “any” lets a login succeed by any one method. 50-redhat.conf sets GSSAPIAuthentication yes.
describe('keys on verified tokens are two factors only where no other method opens a login', () => {
  test.each([
    ['as Debian has it', {}, 'satisfied'],
    ['with Kerberos, as Red Hat ships it', { gssapiauthentication: 'yes' }, 'inconclusive'],
    ['with hosts that are trusted', { hostbasedauthentication: 'yes' }, 'inconclusive'],
    [
      'with Kerberos, which no chain of methods has',
      { gssapiauthentication: 'yes', authenticationmethods: 'publickey' },
      'satisfied',
    ],
  ])('%s', (_, changes, expected) => expect(withSettings({ ...TOKENS, ...changes }).verdict).toBe(expected))

  test('a Match block that admits hosts leaves it open', () => {
    const settings = answer(
      '/etc/ssh/sshd_config:Match Address 10.0.0.0/8\n/etc/ssh/sshd_config:  HostbasedAuthentication yes\n',
    )
    expect(withSettings(TOKENS, [[sshdConditions.id, sshdConditions.parse({ settings })]]).verdict).toBe('inconclusive')
    const off = answer(settings.text.replace('yes', 'no'))
    expect(withSettings(TOKENS, [[sshdConditions.id, sshdConditions.parse({ settings: off })]]).verdict).toBe(
      'satisfied',
    )
  })
})

// duo.com/docs/duounix: login_duo asks after the login, by ForceCommand; its text is masked before storage.
describe('a command that every login starts may ask for the second factor', () => {
  test.each([
    ['a program', '[redacted:command]', 'inconclusive'],
    ['file transfer alone', 'internal-sftp', 'not-satisfied'],
    ['none', 'none', 'not-satisfied'],
  ])('%s', (_, forcecommand, expected) =>
    expect(withSettings({ authenticationmethods: 'any', forcecommand }).verdict).toBe(expected),
  )
})

// pam_google_authenticator(8): with nullok, a person without a secret is passed over, and the modules behind decide.
describe('a second factor that some people lack', () => {
  const withModules = (...sshd: readonly string[]) => {
    const rows = (text: readonly string[]) => text.map((row) => `/etc/pam.d/sshd\0${row}\n`).join('')
    const modules = pamStack.parse({
      names: answer(rows(sshd).replace(/(\.so).*$/gm, '$1')),
      arguments: answer(rows(sshd)),
    })
    return withSettings({ authenticationmethods: 'publickey,keyboard-interactive' }, [[pamStack.id, modules]])
  }
  const OTP = 'auth required pam_google_authenticator.so nullok'
  test.each([
    ['alone', [OTP, 'auth required pam_permit.so'], 'not-satisfied', 'without a registered device'],
    [
      'before the password, as in Debian',
      [
        OTP,
        'auth [success=1 default=ignore] pam_unix.so nullok',
        'auth requisite pam_deny.so',
        'auth required pam_permit.so',
      ],
      'satisfied',
      'require the account’s password (pam_unix)',
    ],
    [
      'in place of the password',
      ['auth sufficient pam_u2f.so nouserok', 'auth required pam_unix.so'],
      'inconclusive',
      '“pam_u2f” can let a login past',
    ],
    [
      'before a password that a jump leads past',
      [
        OTP,
        'auth [success=1 default=ignore] pam_access.so',
        'auth required pam_unix.so',
        'auth required pam_permit.so',
      ],
      'inconclusive',
      '“pam_access” can let a login past',
    ],
    [
      'before a password that decides nothing',
      [OTP, 'auth optional pam_unix.so'],
      'not-satisfied',
      'without a registered device',
    ],
  ])('%s', (_, sshd, verdict, part) => {
    const found = withModules(...sshd)
    expect([found.verdict, stepText(found)]).toEqual([verdict, expect.stringContaining(part)])
  })
})

// crypto-policies(7) of Red Hat 8: sshd.service starts sshd with $CRYPTO_POLICY, which goes before the configuration file.
describe('algorithms on the command line, as on Red Hat 8', () => {
  const { readings } = fixtureOf('demo-gpu-01')
  const { contexts } = fact(readings.get(sshdContexts.id) as Parsed<SshdContexts>)
  const { processes } = fact(readings.get(sshProcesses.id) as ReturnType<typeof sshProcesses.parse>)
  const started = (changes: Readonly<Record<string, string>>, words = '') => {
    const line = `${processes[0]?.pid} /usr/sbin/sshd -D -oMACs=hmac-sha2-256 -oPubkeyAcceptedKeyTypes=ssh-ed25519${words}\n`
    const set = Object.entries(changes).map(([key, value]) => [key, [value]] as const)
    return withSettings(
      changes,
      [
        [sshProcesses.id, sshProcesses.parse({ processes: answer(line) })],
        [
          sshdContexts.id,
          known({ contexts: contexts.map((one) => ({ ...one, settings: new Map([...one.settings, ...set]) })) }),
        ],
      ],
      'demo-gpu-01',
    ).verdict
  }
  const chain = { authenticationmethods: 'publickey,password' }
  const any = { authenticationmethods: 'any', pubkeyauthoptions: 'none' }

  test.each([
    ['leave a chain of two kinds what it is', chain, '', 'satisfied'],
    ['other methods there do not', chain, ' -oAuthenticationMethods=any', 'inconclusive'],
    ['make no second factor of a key', any, '', 'not-satisfied'],
    ['methods there may', any, ' -oAuthenticationMethods=publickey,password', 'inconclusive'],
    ['options of keys there may', any, ' -oPubkeyAuthOptions=verify-required', 'inconclusive'],
    ['decide where keys must be verified', { ...TOKENS }, '', 'inconclusive'],
  ] as const)('%s', (_, changes, words, expected) => expect(started(changes, words)).toBe(expected))
})

import { describe, expect, test } from 'vitest'
import { pamStack } from '../../main/catalog/access/pam/probes.ts'
import {
  type SshdContexts,
  type SshdSettings,
  sshdConditions,
  sshdContexts,
  sshdEffective,
} from '../../main/catalog/access/sshd/probes.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

/** The check where a key and then the prompts of these login modules are required. */
function withModules(sshd: readonly string[], more: Readonly<Record<string, readonly string[]>> = {}) {
  const names = Object.entries({ sshd, ...more })
    .flatMap(([file, rows]) => rows.map((row) => `/etc/pam.d/${file}\0${row}\n`))
    .join('')
  const modules = pamStack.parse({ names: answer(names), arguments: answer('', { exitCode: 1 }) })
  return concludeOn(checkOf('access.sshd.mfa'), 'fx-access-hardened', [[pamStack.id, modules]])
}

// As authselect (sssd profile) and Debian write them.
const PASSWORD_AUTH = [
  'auth        required      pam_env.so',
  'auth        [default=1 ignore=ignore success=ok]         pam_usertype.so',
  'auth        [default=1 ignore=ignore success=ok]         pam_localuser.so',
  'auth        sufficient    pam_unix.so',
  'auth        sufficient    pam_sss.so',
  'auth        required      pam_deny.so',
]
const COMMON_AUTH = [
  'auth	[success=1 default=ignore]	pam_unix.so',
  'auth	requisite			pam_deny.so',
  'auth	required			pam_permit.so',
]
const OTP = 'auth required pam_google_authenticator.so'
const FROM_HERE = 'auth [success=1 default=ignore] pam_access.so'

describe('a prompt after the key counts only where no module lets a login past it', () => {
  test.each([
    ['a second factor alone', [OTP, 'auth required pam_permit.so'], 'satisfied', 'pam_google_authenticator'],
    [
      'none for logins from the site',
      [FROM_HERE, OTP, 'auth required pam_permit.so'],
      'inconclusive',
      'Before a prompt, “pam_access” can let a login past',
    ],
    ['none for members of a group', ['auth sufficient pam_succeed_if.so', OTP], 'inconclusive', '“pam_succeed_if”'],
    ['a password in its place', [FROM_HERE, OTP, '@include common-auth'], 'satisfied', 'pam_google_authenticator'],
    ['a second factor, then what lets in', [OTP, 'auth sufficient pam_access.so'], 'satisfied', ''],
    ['the modules of Red Hat', ['auth substack password-auth', 'auth include postlogin'], 'satisfied', ''],
    ['the modules of Debian', ['@include common-auth'], 'satisfied', 'pam_unix'],
  ])('%s', (_, sshd, verdict, part) => {
    const found = withModules(sshd, { 'password-auth': PASSWORD_AUTH, 'common-auth': COMMON_AUTH })
    expect([found.verdict, stepText(found)]).toEqual([verdict, expect.stringContaining(part)])
  })
})

/** Logins by prompts alone, with these login modules; null where they were not read. */
function byPrompts(
  sshd: readonly string[] | null,
  changes: Readonly<Record<string, string>> = {},
  match = '',
  id = 'access.sshd.password-auth',
) {
  const node = fixtureOf('fx-access-hardened')
  const with_ = ({ settings }: SshdSettings): SshdSettings => ({
    settings: new Map([
      ...settings,
      ...Object.entries({
        authenticationmethods: 'any',
        passwordauthentication: 'no',
        kbdinteractiveauthentication: 'yes',
        usepam: 'yes',
        ...changes,
      }).map(([key, value]) => [key, [value]] as const),
    ]),
  })
  const general = with_(fact(node.readings.get(sshdEffective.id) as Parsed<SshdSettings>))
  const contexts = fact(node.readings.get(sshdContexts.id) as Parsed<SshdContexts>).contexts.map((context) => ({
    ...context,
    ...with_(context),
  }))
  const rows = (sshd ?? []).map((row) => `/etc/pam.d/sshd\0${row}\n`).join('')
  const common = COMMON_AUTH.map((row) => `/etc/pam.d/common-auth\0${row}\n`).join('')
  return concludeOn(checkOf(id), node.name, [
    [sshdEffective.id, known(general)],
    [sshdContexts.id, known({ contexts })],
    [sshdConditions.id, sshdConditions.parse({ settings: answer(match) })],
    [
      pamStack.id,
      sshd === null
        ? unknown('not read')
        : pamStack.parse({ names: answer(`${rows}${common}`), arguments: answer(rows) }),
    ],
  ])
}

describe('prompts of login modules that ask for a second factor are no password alone', () => {
  // Duo’s documentation of pam_duo for Ubuntu and for Red Hat.
  const DUO = [
    'auth requisite pam_unix.so nullok_secure',
    'auth [success=1 default=ignore] pam_duo.so',
    'auth requisite pam_deny.so',
    'auth required pam_permit.so',
  ]
  const DUO_RED_HAT = ['auth requisite pam_unix.so', 'auth sufficient pam_duo.so', 'auth required pam_deny.so']
  test.each<[string, readonly string[] | null, Readonly<Record<string, string>>, string]>([
    ['a one-time password after it', ['@include common-auth', OTP], {}, 'inconclusive'],
    ['Duo on Ubuntu', DUO, {}, 'inconclusive'],
    ['Duo on Red Hat', DUO_RED_HAT, {}, 'inconclusive'],
    ['the password alone', ['@include common-auth'], {}, 'not-satisfied'],
    ['one that is optional', ['@include common-auth', 'auth optional pam_duo.so'], {}, 'not-satisfied'],
    ['one that passes over some', ['@include common-auth', `${OTP} nullok`], {}, 'not-satisfied'],
    ['a directory', ['auth sufficient pam_unix.so', 'auth required pam_sss.so'], {}, 'not-satisfied'],
    ['modules that are not asked', ['@include common-auth', OTP], { usepam: 'no' }, 'not-satisfied'],
    ['the server’s own password', ['@include common-auth', OTP], { passwordauthentication: 'yes' }, 'not-satisfied'],
    ['modules that were not read', null, {}, 'not-satisfied'],
  ])('%s', (_, sshd, changes, verdict) => expect(byPrompts(sshd, changes).verdict).toBe(verdict))

  test('the step names the module', () =>
    expect(stepText(byPrompts(DUO))).toContain(
      'unclear: “kbdinteractiveauthentication” is on, and its prompts include “pam_duo”; whether they always ask for more than a password was not evaluated.',
    ))

  // One kind of factor for a key, where keys are accepted; password and one-time password where prompts alone are.
  test.each([
    ['prompts alone', DUO, { pubkeyauthentication: 'no' }, 'inconclusive'],
    ['prompts alone, for a password', ['@include common-auth'], { pubkeyauthentication: 'no' }, 'not-satisfied'],
    ['a key or prompts', DUO, { pubkeyauthentication: 'yes' }, 'not-satisfied'],
    ['Kerberos or prompts', DUO, { pubkeyauthentication: 'no', gssapiauthentication: 'yes' }, 'not-satisfied'],
  ])('two factors where logins take %s', (_, sshd, changes, verdict) =>
    expect(byPrompts(sshd, { gssapiauthentication: 'no', ...changes }, '', 'access.sshd.mfa').verdict).toBe(verdict),
  )

  test('a Match block that turns prompts on is judged with the same modules', () => {
    const match = '/etc/ssh/sshd_config:Match Group staff\n/etc/ssh/sshd_config:  KbdInteractiveAuthentication yes\n'
    const off = { kbdinteractiveauthentication: 'no' }
    expect(byPrompts(DUO, off, match).verdict).toBe('inconclusive')
    expect(byPrompts(['@include common-auth'], off, match).verdict).toBe('not-satisfied')
    expect(byPrompts(DUO, off, match.replace('Kbd', 'Password').replace('Interactive', '')).verdict).toBe(
      'not-satisfied',
    )
  })
})

import { describe, expect, test } from 'vitest'
import { pamStack } from '../../main/catalog/access/pam/probes.ts'
import { answer } from '../support/answers.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

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

import { describe, expect, test } from 'vitest'
import { pamAccessRules, pamStack } from '../../main/catalog/access/pam/probes.ts'
import { answer } from '../support/answers.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

const ID = 'access.sshd.allow-list'

/** The check where /etc/pam.d/sshd has these lines, as `grep -o` prints them, and access.conf is that of Slurm’s documentation. */
function concluded(sshd: readonly string[], more: Readonly<Record<string, readonly string[]>> = {}) {
  const files = Object.entries({ sshd, ...more })
  const names = files.flatMap(([file, rows]) => rows.map((row) => `/etc/pam.d/${file}\0${row}\n`)).join('')
  const rows = sshd.filter((row) => /pam_access/.test(row)).map((row) => `/etc/pam.d/sshd\0${row}\n`)
  // As grep(1) prints them with -o: up to the name of the module.
  const bare = names.replace(/(\.so).*$/gm, '$1')
  return concludeOn(checkOf(ID), 'fx-accounts-declared', [
    [pamStack.id, pamStack.parse({ names: answer(bare), arguments: answer(rows.join('')) })],
    [
      pamAccessRules.id,
      pamAccessRules.parse({
        rules: answer('/etc/security/access.conf:+:(wheel):ALL\n/etc/security/access.conf:-:ALL:ALL\n'),
      }),
    ],
  ])
}

const LAST = 'account    include      password-auth'
// As authselect (sssd profile) writes it.
const PASSWORD_AUTH = [
  'account     required      pam_unix.so',
  'account     sufficient    pam_localuser.so',
  'account     sufficient    pam_usertype.so',
  'account     required      pam_permit.so',
]

// slurm.schedmd.com/pam_slurm_adopt.html, “Administrative Access Configuration”, has the first two; pam.conf(5) the meaning of the words.
describe('pam_access limits who gets in only where its refusal counts and nothing lets an account in before it', () => {
  test.each([
    [
      'those with a job are let in first',
      ['account    sufficient    pam_slurm_adopt.so', 'account    required      pam_access.so'],
      'inconclusive',
      'unclear: Whom “pam_slurm_adopt” lets in is not asked for by the rules of pam_access',
    ],
    [
      'its refusal leaves it to Slurm',
      ['account    sufficient    pam_access.so', 'account    required      pam_slurm_adopt.so'],
      'inconclusive',
      '“pam_slurm_adopt” may limit who gets in',
    ],
    [
      'Slurm alone, which admits those with a job',
      ['account    required      pam_nologin.so', '-account    required      pam_slurm_adopt.so'],
      'inconclusive',
      '“pam_slurm_adopt” may limit who gets in',
    ],
    [
      'a rule over accounts in its place, as over members of a group',
      ['account    required      pam_succeed_if.so user ingroup ssh-users', LAST],
      'inconclusive',
      '“pam_succeed_if” may limit who gets in',
    ],
    [
      'a rule over accounts that refuses no one, as older releases of Red Hat have it',
      ['account    sufficient    pam_succeed_if.so uid < 1000 quiet', 'account required pam_unix.so'],
      'not-satisfied',
      'every account with a shell may try',
    ],
    [
      'its refusal is ignored, and nothing else refuses',
      ['account    optional    pam_access.so', 'account    required      pam_unix.so'],
      'not-satisfied',
      'every account with a shell may try',
    ],
    [
      'it comes after what lets every local account in',
      [LAST, 'account    required      pam_access.so'],
      'inconclusive',
      '“pam_localuser”, “pam_usertype”',
    ],
    [
      'a jump leads past it',
      ['account [success=1 default=ignore] pam_localuser.so', 'account required pam_access.so'],
      'inconclusive',
      '“pam_localuser”',
    ],
    ['it comes first', ['account    required      pam_access.so', LAST], 'satisfied', '“(wheel)”'],
    [
      'its rules are in a file of their own',
      ['account required pam_access.so accessfile=/etc/security/access-sshd.conf', LAST],
      'inconclusive',
      'by rules in “/etc/security/access-sshd.conf” that were not read',
    ],
    [
      'its rules are in the usual file, which is named',
      ['account required pam_access.so nodefgroup accessfile=/etc/security/access.conf', LAST],
      'satisfied',
      '“(wheel)”',
    ],
    ['its refusal ends it', ['account    requisite     pam_access.so', LAST], 'satisfied', '“(wheel)”'],
    [
      'its refusal counts by actions',
      ['account [success=ok default=ignore perm_denied=die] pam_access.so', LAST],
      'satisfied',
      '“(wheel)”',
    ],
    [
      'its refusal is ignored by actions',
      ['account [default=bad perm_denied=ignore] pam_access.so', 'account required pam_unix.so'],
      'not-satisfied',
      'every account with a shell may try',
    ],
    [
      'a jump that ends before it',
      [
        'account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so',
        'account requisite pam_deny.so',
        'account required pam_access.so',
      ],
      'satisfied',
      '“(wheel)”',
    ],
  ])('%s', (_, sshd, verdict, part) => {
    const found = concluded(sshd, { 'password-auth': PASSWORD_AUTH })
    const texts = found.observations.map(({ direction, text }) => `${direction}: ${text}`).join('\n')
    expect([found.verdict, texts]).toEqual([verdict, expect.stringContaining(part)])
  })
})

import { describe, expect, test } from 'vitest'
import { waysIn } from '../../main/catalog/access/accounts/leavers.ts'
import {
  type Account,
  accountsLocal,
  accountsPasswordLocks,
  accountsPasswordState,
  type PasswordState,
} from '../../main/catalog/access/accounts/probes.ts'
import { type AuthorizedKey, authorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { sshdEffective } from '../../main/catalog/access/sshd/probes.ts'
import { unknown } from '../../main/core/recording/probe.ts'
import type { DeclaredAccount } from '../../schemas/types.ts'
import { changed, overDeclared, stepText, texts, verdict } from '../support/concluded.ts'

const ID = 'access.leaver-accounts'
const PAST = '2026-11-19'
const key = (
  path: string,
  fingerprint = `SHA256:${'A'.repeat(43)}`,
  options: readonly string[] = [],
): AuthorizedKey => ({
  path,
  type: 'ssh-ed25519',
  bits: 256,
  fingerprint,
  options,
})

const shell = { name: 'pat', uid: 1010, gid: 1010, home: '/home/pat', shell: '/bin/bash' }
const noShell = { ...shell, shell: '/usr/sbin/nologin' }
const one = [key('/home/pat/.ssh/authorized_keys')]

describe('what still opens an account', () => {
  test.each([
    [shell, true, [], 'password'],
    [shell, false, one, 'key'],
    [shell, false, [], 'none'],
    [shell, null, [], 'unread'],
    [shell, false, null, 'unread'],
    [shell, true, null, 'password'],
    [shell, null, one, 'key'],
    [noShell, false, one, 'key'],
    [noShell, false, [], 'none'],
    [noShell, true, [], 'no-shell'],
    [noShell, null, null, 'unread'],
  ] as const)('%j, password %j, keys %j: %s', (account, password, keys, expected) =>
    expect(waysIn(account, { password, keys })).toBe(expected),
  )
})

/** The model node with one more account, “pat”, of the given kind. */
function withPat(
  {
    account = {},
    password = 'usable',
    keys = [],
  }: { account?: Partial<Account>; password?: PasswordState; keys?: readonly AuthorizedKey[] },
  { until, group = null }: { until?: string; group?: string | null } = { until: PAST },
  ...more: Parameters<typeof changed>[]
) {
  const declared: DeclaredAccount[] = until === undefined ? [] : [{ account: 'pat', kind: 'person', until }]
  return overDeclared(
    { accounts: declared },
    ID,
    changed(accountsLocal, (local) => ({
      ...local,
      accounts: [...local.accounts, { ...shell, ...account }],
      groups: local.groups.map((one) => (one.name === group ? { ...one, members: [...one.members, 'pat'] } : one)),
    })),
    changed(accountsPasswordState, ({ states }) => ({ states: new Map([...states, ['pat', password]]) })),
    changed(authorizedKeys, (found) => ({ ...found, keys: [...found.keys, ...keys] })),
    ...more.map((change) => changed(...change)),
  )
}

describe('accounts of people who left', () => {
  test.each([
    ['a password', { password: 'usable' as const }, 'not-satisfied'],
    ['an empty password', { password: 'none' as const }, 'not-satisfied'],
    ['a key', { password: 'locked' as const, keys: one }, 'not-satisfied'],
    [
      'a key and no shell',
      { password: 'locked' as const, account: { shell: '/usr/sbin/nologin' }, keys: one },
      'not-satisfied',
    ],
    ['neither', { password: 'locked' as const }, 'satisfied'],
    ['neither, and no shell', { password: 'locked' as const, account: { shell: '/usr/sbin/nologin' } }, 'satisfied'],
    ['a password and no shell', { account: { shell: '/usr/sbin/nologin' } }, 'inconclusive'],
    [
      'nothing known, with a home folder that was not searched',
      { password: 'locked' as const, account: { home: '/srv/pat' } },
      'inconclusive',
    ],
  ])('%s: %s', (_, pat, expected) => expect(withPat(pat).verdict).toBe(expected))

  test('the last day counts as a day', () => {
    expect(withPat({}, { until: '2026-11-20' }).verdict).toBe('satisfied')
    expect(withPat({}, { until: '2026-11-19' }).verdict).toBe('not-satisfied')
  })

  test('rights of root are named', () => {
    expect(stepText(withPat({}, { until: PAST, group: 'sudo' }))).toContain(
      'contradicts: The last day declared for “pat” was 2026-11-19, and the account still has a login shell and a password; it has administrator rights by group “sudo”.',
    )
    expect(stepText(withPat({ password: 'locked', account: { uid: 0 }, keys: one }))).toContain(
      '1 SSH key still opens the account; it is root by its user id.',
    )
  })

  test('a key of theirs that opens another account, root among them', () => {
    const keys = [...one, key('/root/.ssh/authorized_keys')]
    expect(stepText(withPat({ password: 'locked', keys }))).toMatch(
      /contradicts: SHA256:A{43}, a key of a former user, also opens “root”\./,
    )
  })

  test('more of them than are listed lose no contradiction', () => {
    const closed = Array.from({ length: 40 }, (_, index) => ({
      ...shell,
      name: `gone${index}`,
      uid: 2000 + index,
      home: `/home/gone${index}`,
    }))
    const all = [...closed, shell]
    const found = overDeclared(
      { accounts: all.map(({ name }) => ({ account: name, kind: 'person' as const, until: PAST })) },
      ID,
      changed(accountsLocal, (local) => ({ ...local, accounts: [...local.accounts, ...all] })),
      changed(accountsPasswordState, ({ states }) => ({
        states: new Map([
          ...states,
          ...closed.map(({ name }) => [name, 'locked'] as const),
          ['pat', 'usable'] as const,
        ]),
      })),
    )
    expect(found.verdict).toBe('not-satisfied')
    expect(found.observations.length).toBeLessThan(30)
  })
})

describe('what it takes to support the claim', () => {
  test('a declaration, by names or by accounts, of every account that can be opened', () => {
    expect(verdict('demo-gpu-01', ID)).toBe('satisfied')
    expect(verdict('demo-gpu-01', ID, { roster: undefined })).toBe('inconclusive')
    expect(texts('demo-gpu-01', ID, { roster: undefined }).join()).toContain('Declare each account in the fleet file')
    const accounts = ['mortiz', 'root', 'jlin', 'bwaudit'].map((account) => ({ account, kind: 'person' as const }))
    expect(verdict('demo-gpu-01', ID, { roster: undefined, accounts })).toBe('satisfied')
    expect(verdict('demo-gpu-01', ID, { roster: undefined, accounts: accounts.slice(1) })).toBe('inconclusive')
    expect(texts('demo-shared-05', ID)).toEqual([
      expect.stringMatching(
        /^unclear: 2 accounts that can be opened, or may be, are not declared, .*: “acme-ops”, “acme-train”\. Declare each/,
      ),
    ])
  })

  test.each([
    ['no key files', [authorizedKeys, unknown('not every folder could be searched')]],
    [
      'keys from a program',
      changed(sshdEffective, ({ settings }) => ({
        settings: new Map([...settings, ['authorizedkeyscommand', ['/srv/keys']]]),
      })),
    ],
    [
      'certificates',
      changed(sshdEffective, ({ settings }) => ({
        settings: new Map([...settings, ['trustedusercakeys', ['/etc/ssh/ca.pub']]]),
      })),
    ],
    [
      'a certificate authority in a key file',
      changed(authorizedKeys, (found) => ({
        ...found,
        keys: [...found.keys, key('/home/jlin/.ssh/authorized_keys', 'SHA256:ca', ['cert-authority'])],
      })),
    ],
    ['accounts of a directory', changed(accountsLocal, (local) => ({ ...local, otherSources: ['ldap'] }))],
    [
      'a key file that is a link',
      changed(authorizedKeys, (found) => ({
        ...found,
        doubtful: [{ path: '/home/jlin/.ssh/authorized_keys', why: 'link' as const }],
      })),
    ],
  ] as const)('with %s it is undecided', (_, change) =>
    expect(overDeclared({}, ID, change).verdict).toBe('inconclusive'),
  )

  test('passwords that were not read matter for accounts that are not declared or are past their day', () => {
    const unread = [accountsPasswordState, accountsPasswordLocks].map((probe) => [probe, unknown('not read')] as const)
    expect(overDeclared({}, ID, ...unread).verdict).toBe('satisfied')
    const accounts = [{ account: 'jlin', kind: 'person' as const, until: PAST }]
    const withoutKeys = changed(authorizedKeys, (found) => ({
      ...found,
      keys: found.keys.filter(({ path }) => !path.includes('jlin')),
    }))
    expect(overDeclared({ accounts }, ID, ...unread, withoutKeys).verdict).toBe('inconclusive')
    expect(overDeclared({ accounts }, ID, ...unread).verdict).toBe('not-satisfied')
  })

  test('on recorded nodes: one that was kept and closed, one that was not', () => {
    expect(texts('fx-accounts-declared', ID)).toContain(
      'supports: The last day declared for “kept” was 2026-06-30; the account is kept, its password is locked and no SSH key opens it.',
    )
    expect(texts('fx-accounts-neglected', ID)).toContain(
      'contradicts: The last day declared for “pat” was 2026-03-31, and the account still has a login shell and a password.',
    )
  })
})

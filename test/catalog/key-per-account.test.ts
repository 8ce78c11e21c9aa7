import { describe, expect, test } from 'vitest'
import { type Account, accountsLocal } from '../../main/catalog/access/accounts/probes.ts'
import { keyHolders } from '../../main/catalog/access/authorized-keys/index.ts'
import { type AuthorizedKey, authorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { sshdConditions, sshdEffective } from '../../main/catalog/access/sshd/probes.ts'
import { sshServers } from '../../main/catalog/data-protection/ssh-encryption/probes.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { changed, over, stepText, texts } from '../support/concluded.ts'

const ID = 'access.key-per-account'
const account = (name: string, home: string, shell = '/bin/bash', uid = 1000): Account => ({
  name,
  uid,
  gid: uid,
  home,
  shell,
})
const key = (home: string, fingerprint: string, ...options: string[]): AuthorizedKey => ({
  path: `${home}/.ssh/authorized_keys`,
  type: 'ssh-ed25519',
  bits: 256,
  fingerprint,
  options,
})

describe('the accounts that a key opens', () => {
  const holders = (keys: readonly AuthorizedKey[], ...accounts: Account[]): Record<string, readonly string[]> =>
    Object.fromEntries([...keyHolders(keys, accounts)].map(([print, found]) => [print, found.map(({ name }) => name)]))

  test('by home folder, with or without a slash at its end; twice in one file counts once', () => {
    expect(
      holders(
        [key('/home/a', 'K'), key('/home/a', 'K'), key('/home/b', 'K'), key('/home/b', 'L')],
        account('a', '/home/a/'),
        account('b', '/home/b'),
      ),
    ).toEqual({ K: ['a', 'b'], L: ['b'] })
  })

  test('a copy outside any home folder opens nothing', () => {
    const copy = { ...key('/home/a', 'K'), path: '/home/a/backup/authorized_keys' }
    expect(holders([key('/home/a', 'K'), copy, key('/home/old', 'K')], account('a', '/home/a'))).toEqual({ K: ['a'] })
  })

  test('keys of certificate authorities are no keys of accounts', () =>
    expect(holders([key('/home/a', 'CA', 'cert-authority')], account('a', '/home/a'))).toEqual({}))

  test('one home folder of several accounts: those that can start a session, as root and operator on Red Hat', () => {
    const root = account('root', '/root', '/bin/bash', 0)
    expect(holders([key('/root', 'K')], root, account('operator', '/root', '/sbin/nologin', 11))).toEqual({
      K: ['root'],
    })
    expect(holders([key('/root', 'K')], root, account('toor', '/root', '/bin/sh', 0))).toEqual({ K: ['root', 'toor'] })
  })

  test('many accounts with one home folder and many keys take no long time', () => {
    const accounts = Array.from({ length: 50_000 }, (_, index) => account(`u${index}`, '/home/all'))
    const keys = Array.from({ length: 20_000 }, (_, index) => key('/home/all', `K${index}`))
    expect(keyHolders(keys, accounts).get('K19999')).toHaveLength(100)
  })
})

/** The model node with a key of jlin’s in the file of one more account. */
function sharedWith(other: Account, permitRootLogin = 'no') {
  return over(
    ID,
    changed(accountsLocal, (local) => ({
      ...local,
      accounts: [...local.accounts.filter(({ name }) => name !== other.name), other],
    })),
    changed(authorizedKeys, (found) => {
      const jlin = found.keys.find(({ path }) => path.startsWith('/home/jlin/'))
      if (jlin === undefined) throw new Error('no key')
      return { ...found, keys: [...found.keys, { ...jlin, path: `${other.home}/.ssh/authorized_keys` }] }
    }),
    changed(sshdEffective, ({ settings }) => ({
      settings: new Map([...settings, ['permitrootlogin', [permitRootLogin]]]),
    })),
  )
}

describe('one key for several accounts', () => {
  test('is not met, with the key and the accounts named', () => {
    const found = sharedWith(account('ops', '/home/ops', '/bin/bash', 1010))
    expect(found.verdict).toBe('not-satisfied')
    expect(stepText(found)).toMatch(/contradicts: SHA256:\S+ opens several accounts: “jlin”, “ops”\./)
    expect(texts('demo-metal-04', ID)).toContainEqual(
      expect.stringMatching(/^contradicts: SHA256:\S+ opens several accounts: “root”, “debian”\.$/),
    )
    expect(texts('demo-shared-05', ID)).toContainEqual(
      expect.stringMatching(/^contradicts: SHA256:\S+ opens several accounts: “acme-ops”, “acme-train”\.$/),
    )
  })

  test.each([
    ['an account without a login shell', account('svc', '/home/svc', '/usr/sbin/nologin', 990), 'no', 'inconclusive'],
    ['root, whom the server refuses', account('root', '/root', '/bin/bash', 0), 'no', 'inconclusive'],
    [
      'root, whom the server takes with a key',
      account('root', '/root', '/bin/bash', 0),
      'prohibit-password',
      'not-satisfied',
    ],
  ])('with %s', (_, other, permit, expected) => expect(sharedWith(other, permit).verdict).toBe(expected))
})

describe('what was not read leaves it undecided', () => {
  test.each([
    ['lines', changed(authorizedKeys, (found) => ({ ...found, unreadable: 1 }))],
    ['links', changed(authorizedKeys, (found) => ({ ...found, doubtful: null }))],
    [
      'home folders elsewhere',
      changed(accountsLocal, (local) => ({ ...local, accounts: [...local.accounts, account('x', '/srv/x')] })),
    ],
    [
      'keys from a program',
      changed(sshdEffective, ({ settings }) => ({
        settings: new Map([...settings, ['authorizedkeyscommand', ['/srv/keys']]]),
      })),
    ],
    [
      'principals',
      changed(sshdEffective, ({ settings }) => ({
        settings: new Map([...settings, ['authorizedprincipalsfile', ['/etc/ssh/p/%u']]]),
      })),
    ],
    ['Match blocks', [sshdConditions, unknown('not read')]],
    ['the key files', [authorizedKeys, unknown('not read')]],
  ] as const)('%s', (_, change) => expect(over(ID, change).verdict).toBe('inconclusive'))

  test('a node without keys in its files has none for several accounts', () =>
    expect(
      over(
        ID,
        changed(authorizedKeys, (found) => ({ ...found, keys: [] })),
      ).verdict,
    ).toBe('satisfied'))
})

describe('a node on which no key can log in', () => {
  const off = changed(sshdEffective, ({ settings }) => ({
    settings: new Map([
      ...settings,
      ['pubkeyauthentication', ['no']],
      ['passwordauthentication', ['yes']],
      ['authenticationmethods', ['any']],
    ]),
  }))
  const offers = (...methods: string[]) =>
    changed(sshServers, (all) => ({
      ...all,
      servers: all.servers.map((server) => ({
        ...server,
        answers: server.answers.map((one) => ({ ...one, methods })),
      })),
    }))
  const match = (value: string) =>
    [
      sshdConditions,
      known({ blocks: [{ condition: 'User x', settings: [['pubkeyauthentication', value]] }], unread: [] }),
    ] as const

  test('is one whose servers are shown to refuse keys', () => {
    expect(over(ID, off, offers('password')).verdict).toBe('not-applicable')
    expect(over(ID, off, offers('password'), match('no')).verdict).toBe('not-applicable')
  })
  test.each([
    ['a server that offers keys all the same', [off, offers('publickey', 'password')]],
    ['a Match block that allows them', [off, offers('password'), match('yes')]],
    ['servers that were not heard', [off, [sshServers, unknown('not collected')] as const]],
  ])('and not %s', (_, changes) => expect(over(ID, ...changes).verdict).not.toBe('not-applicable'))
})

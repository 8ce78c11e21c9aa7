import { describe, expect, test } from 'vitest'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

// /etc/passwd of the setup package of Red Hat: “operator:x:11:0:operator:/root:/sbin/nologin”.
const OPERATOR = { name: 'operator', uid: 11, gid: 0, home: '/root', shell: '/sbin/nologin' }
const FTP = { name: 'ftp', uid: 14, gid: 50, home: '/home/ftp', shell: '/sbin/nologin' }

type Fact<T> = { readonly fact: T }

/** The check over a node to whose accounts one is added, with one more key in the file at `path`. */
function over(id: string, added: typeof OPERATOR, path: string) {
  const node = 'fx-access-rhel'
  const { readings } = fixtureOf(node)
  const local = (readings.get('accounts.local') as Fact<{ readonly accounts: readonly object[] }>).fact
  const found = (readings.get('authorized-keys') as Fact<{ readonly keys: readonly object[] }>).fact
  const { states } = (readings.get('accounts.password-state') as Fact<{ states: ReadonlyMap<string, string> }>).fact
  const changed: [string, Parsed<unknown>][] = [
    ['accounts.local', known({ ...local, accounts: [...local.accounts, added] })],
    [
      'authorized-keys',
      known({ ...found, keys: [...found.keys, { ...found.keys[0], path, fingerprint: 'SHA256:new' }] }),
    ],
    ['accounts.password-state', known({ states: new Map([...states, [added.name, 'locked']]) })],
  ]
  return concludeOn(checkOf(id), node, changed).verdict
}

describe('an account without a login shell in the home folder of one that has it', () => {
  test.each(['access.service-accounts', 'access.leaver-accounts', 'access.key-per-account', 'access.stale-accounts'])(
    '%s: a key in the folder is that of the account that can log in',
    (id) => expect(over(id, OPERATOR, '/root/.ssh/authorized_keys')).toBe('satisfied'),
  )

  test('in a home folder of its own, a key is its own', () => {
    expect(over('access.service-accounts', FTP, '/home/ftp/.ssh/authorized_keys')).toBe('not-satisfied')
    expect(over('access.leaver-accounts', FTP, '/home/ftp/.ssh/authorized_keys')).toBe('inconclusive')
  })
})

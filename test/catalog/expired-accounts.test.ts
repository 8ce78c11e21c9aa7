import { describe, expect, test } from 'vitest'
import {
  accountsLocal,
  accountsPasswordMethods,
  accountsPasswordState,
} from '../../main/catalog/access/accounts/probes.ts'
import { authorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { pamStack } from '../../main/catalog/access/pam/probes.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, overDeclared, stepText } from '../support/concluded.ts'
import { fixtureOf } from '../support/evaluated.ts'

const OBSERVED = fixtureOf('demo-gpu-01').context.observedAt
const dayFrom = (days: number): string => new Date(Date.parse(OBSERVED) + days * 86_400_000).toISOString().slice(0, 10)

/** As lslogins prints it: for `usermod --expiredate 1` it names the second day of 1970 (tried with util-linux 2.38). */
const row = (expires: string): string =>
  `USER="pat" PWD-METHOD="SHA-512" PWD-CHANGE="2026-01-05" PWD-MAX="99999" PWD-EXPIR="${expires}"\n`
const entryOf = (text: string) => fact(accountsPasswordMethods.parse({ accounts: answer(text) })).accounts.get('pat')

/** The model node with an account that a key opens, of a person who left, with a day on which the account expires. */
function judged(id: string, expires: string, modules?: string) {
  const entry = entryOf(row(expires))
  if (entry === undefined) throw new Error('no entry')
  return overDeclared(
    id === 'access.leaver-accounts' ? { accounts: [{ account: 'pat', kind: 'person', until: '2026-11-19' }] } : {},
    id,
    changed(accountsLocal, (local) => ({
      ...local,
      accounts: [...local.accounts, { name: 'pat', uid: 1010, gid: 1010, home: '/home/pat', shell: '/bin/bash' }],
    })),
    changed(accountsPasswordState, ({ states }) => ({ states: new Map([...states, ['pat', 'locked'] as const]) })),
    changed(accountsPasswordMethods, ({ accounts }) => ({ accounts: new Map([...accounts, ['pat', entry]]) })),
    changed(authorizedKeys, (found) => ({
      ...found,
      keys: [
        ...found.keys,
        {
          path: '/home/pat/.ssh/authorized_keys',
          type: 'ssh-ed25519',
          bits: 256,
          fingerprint: `SHA256:${'A'.repeat(43)}`,
          options: [],
        },
      ],
    })),
    ...(modules === undefined
      ? []
      : [[pamStack, pamStack.parse({ names: answer(modules), arguments: answer('', { exitCode: 1 }) })] as const]),
  )
}

describe('when an account expires', () => {
  test('is read from the column PWD-EXPIR, which earlier collections did not ask for', () => {
    expect(entryOf(row('1970-01-02'))?.expires).toBe(86_400_000)
    expect(entryOf(row(''))?.expires).toBeUndefined()
    expect(entryOf(row('').replace(/ PWD-EXPIR=""/, ''))?.expires).toBeUndefined()
    // shadow(5): 0 is read as never, or as the first day of 1970.
    expect(entryOf(row('1970-01-01'))?.expires).toBeUndefined()
  })
})

// usermod(8), --lock: an account is locked whole, and not its password alone, by an expiry date of 1 as well.
describe('an account of a person who left', () => {
  const ID = 'access.leaver-accounts'
  test.each([
    ['expired long ago', '1970-01-02', 'satisfied'],
    ['expired yesterday', dayFrom(-2), 'satisfied'],
    ['expires tomorrow', dayFrom(1), 'not-satisfied'],
    ['never expires', '', 'not-satisfied'],
  ])('%s', (_, expires, expected) => expect(judged(ID, expires).verdict).toBe(expected))

  test('where no module of SSH looks at the date, it is open', () => {
    const found = judged(ID, '1970-01-02', '/etc/pam.d/sshd\0account required pam_permit.so\n')
    expect(found.verdict).toBe('inconclusive')
    expect(stepText(found)).toContain('expired on 1970-01-02')
  })
})

test('an account that has expired is none that goes unused', () => {
  expect(judged('access.stale-accounts', '1970-01-02').verdict).toBe('satisfied')
  expect(judged('access.stale-accounts', '').verdict).not.toBe('satisfied')
})

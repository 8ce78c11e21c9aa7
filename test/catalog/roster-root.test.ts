import { describe, expect, test } from 'vitest'
import { accountsLocal, accountsPasswordState } from '../../main/catalog/access/accounts/probes.ts'
import { authorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { unknown } from '../../main/core/recording/probe.ts'
import { changed, overDeclared, stepText } from '../support/concluded.ts'

/** The accounts of the model node but root, as a list of people and services has them. */
const ROSTER = ['bwaudit', 'mortiz', 'jlin']

const keysOfRoot = (count: 0 | 1) =>
  changed(authorizedKeys, ({ keys, ...rest }) => {
    const others = keys.filter(({ path }) => !path.startsWith('/root/'))
    const own = keys.slice(0, count).map((key) => ({ ...key, path: '/root/.ssh/authorized_keys' }))
    return { ...rest, keys: [...others, ...own] }
  })
const passwordOfRoot = (state: 'locked' | 'usable') =>
  changed(accountsPasswordState, ({ states }) => ({ states: new Map([...states, ['root', state]]) }))
const over = (...facts: Parameters<typeof overDeclared>[2][]) =>
  overDeclared({ roster: ROSTER, accounts: undefined }, 'access.roster-match', ...facts)

describe('root is not on the roster', () => {
  // As Debian, Ubuntu, Red Hat and SUSE leave it where another account was set up for administration.
  test('and neither a password nor a key opens it', () => {
    const found = over(passwordOfRoot('locked'), keysOfRoot(0))
    expect([found.verdict, stepText(found)]).toEqual([
      'satisfied',
      expect.stringContaining(
        'supports: All accounts with a login shell are on the declared roster, but for 1 account of the system.',
      ),
    ])
  })

  test('and a password or a key opens it', () => {
    expect(over(passwordOfRoot('usable'), keysOfRoot(0)).verdict).toBe('not-satisfied')
    expect(over(passwordOfRoot('locked'), keysOfRoot(1)).verdict).toBe('not-satisfied')
  })

  test('and whether something opens it was not read', () => {
    expect(over(passwordOfRoot('locked'), [authorizedKeys, unknown('not collected')]).verdict).toBe('inconclusive')
  })

  // Alpine and older Red Hat list root as a member of wheel; root gains nothing by it.
  test('and is a member of a group of administrators', () => {
    const inWheel = changed(accountsLocal, ({ groups, ...local }) => ({
      ...local,
      groups: [...groups, { name: 'wheel', gid: 10, members: ['root'] }],
    }))
    expect(over(inWheel, passwordOfRoot('locked'), keysOfRoot(0)).verdict).toBe('satisfied')
  })
})

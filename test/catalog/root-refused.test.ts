import { describe, expect, test } from 'vitest'
import { accountsLocal, type LocalAccounts } from '../../main/catalog/access/accounts/probes.ts'
import {
  type SshdSettings,
  sshdConditions,
  sshdContexts,
  sshdEffective,
} from '../../main/catalog/access/sshd/probes.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

const NODE = 'fx-access-hardened'
const { settings } = fact(fixtureOf(NODE).readings.get(sshdEffective.id) as Parsed<SshdSettings>)
const local = fact(fixtureOf(NODE).readings.get(accountsLocal.id) as Parsed<LocalAccounts>)

type Lists = Readonly<Record<string, readonly string[]>>

/** The check where PermitRootLogin is “yes”, as Red Hat 8 ships it, with lists of users or groups as `sshd -T` prints them. */
function judged(
  lists: Lists,
  {
    root = lists,
    match = '',
    members = [],
    sources = [],
    isRead = true,
    toor = false,
  }: {
    root?: Lists
    match?: string
    members?: readonly string[]
    sources?: readonly string[]
    isRead?: boolean
    /** Whether another account has the number of root. */
    toor?: boolean
  } = {},
): string {
  const without = [...settings].filter(([key]) => !/^allow(users|groups)$/.test(key))
  const withLists = (changes: Lists) =>
    new Map<string, readonly string[]>([...without, ['permitrootlogin', ['yes']], ...Object.entries(changes)])
  const contexts = (['root', 'nobody'] as const).flatMap((user) =>
    ['192.0.2.254', '10.0.0.1'].map((address) => ({
      user,
      address,
      settings: withLists(user === 'root' ? root : lists),
    })),
  )
  const lines = match.replace(/^(?=.)/gm, '/etc/ssh/sshd_config:')
  const groups = [...local.groups, { name: 'admins', gid: 990, members }]
  const [first] = local.accounts
  const accounts =
    toor && first !== undefined ? [...local.accounts, { ...first, name: 'toor', uid: 0 }] : local.accounts
  return concludeOn(checkOf('access.sshd.root-login'), NODE, [
    [sshdEffective.id, known({ settings: withLists(lists) })],
    [sshdContexts.id, known({ contexts })],
    [sshdConditions.id, sshdConditions.parse({ settings: answer(lines) })],
    [accountsLocal.id, isRead ? known({ ...local, accounts, groups, otherSources: sources }) : unknown('refused')],
  ]).verdict
}

// sshd_config(5), AllowUsers: login is allowed only for names that match one of the patterns; AllowGroups the same for groups.
describe('a list of users or groups that root is not on refuses root', () => {
  test.each([
    ['no list', {}, 'not-satisfied'],
    ['users without root', { allowusers: ['mortiz', 'jlin@10.0.0.*'] }, 'satisfied'],
    ['users with root', { allowusers: ['mortiz', 'root'] }, 'not-satisfied'],
    ['users with root from one place', { allowusers: ['mortiz', 'root@10.0.0.1'] }, 'not-satisfied'],
    ['a pattern', { allowusers: ['r*'] }, 'not-satisfied'],
    ['users, in one line', { allowusers: ['mortiz root'] }, 'not-satisfied'],
    ['groups without root', { allowgroups: ['admins'] }, 'satisfied'],
    ['the group of root', { allowgroups: ['admins', 'root'] }, 'not-satisfied'],
    ['a pattern of groups', { allowgroups: ['adm*'] }, 'not-satisfied'],
  ] as const)('%s', (_, lists, expected) => expect(judged(lists)).toBe(expected))

  test('a group that root is in admits root', () => {
    expect(judged({ allowgroups: ['admins'] }, { members: ['root'] })).toBe('not-satisfied')
  })

  test('another account with the number of root, and accounts that were not read', () => {
    const lists = { allowusers: ['mortiz', 'toor'] }
    expect(judged(lists)).toBe('satisfied')
    expect(judged(lists, { toor: true })).toBe('not-satisfied')
    expect(judged(lists, { isRead: false })).toBe('not-satisfied')
  })

  test('groups that a directory may extend show nothing', () => {
    expect(judged({ allowgroups: ['admins'] }, { sources: ['ldap'] })).toBe('not-satisfied')
  })

  test('another list for root in a Match block', () => {
    const lists = { allowusers: ['mortiz'] }
    expect(judged(lists, { root: { allowusers: ['root'] } })).toBe('not-satisfied')
    expect(judged(lists, { match: 'Match Address 192.0.2.7\n  AllowUsers root\n' })).toBe('not-satisfied')
    expect(judged(lists, { match: 'Match Address 192.0.2.7\n  AllowUsers jlin\n' })).toBe('satisfied')
    expect(judged(lists, { match: 'Match Address 192.0.2.7\n  AllowGroups admins\n' })).toBe('satisfied')
    expect(judged(lists, { match: 'Match Address 192.0.2.7\n  PermitRootLogin yes\n' })).toBe('satisfied')
    expect(judged({}, { match: 'Match Address 192.0.2.7\n  AllowUsers jlin\n' })).toBe('not-satisfied')
  })
})

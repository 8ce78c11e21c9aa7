import { describe, expect, test } from 'vitest'
import { accountsLocal } from '../../main/catalog/access/accounts/probes.ts'
import { type AuthorizedKey, authorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { changed, over, stepText } from '../support/concluded.ts'

const key = (path: string): AuthorizedKey => ({
  path,
  type: 'ssh-rsa',
  bits: 1024,
  fingerprint: 'SHA256:copy',
  options: [],
})
const withKey = (path: string) => changed(authorizedKeys, (found) => ({ ...found, keys: [...found.keys, key(path)] }))

/** Copies of key files, and those of accounts that were removed: sshd opens no account by them (sshd_config(5), AuthorizedKeysFile). */
const COPIES = [
  '/home/mortiz/backup/.ssh/authorized_keys',
  '/home/old/.ssh/authorized_keys',
  '/root/old/authorized_keys',
]

describe('keys in files that are no account’s', () => {
  test.each(COPIES)('%s: a weak key there is no deviation, and not shown to open nothing', (path) => {
    const conclusion = over('access.authorized-keys', withKey(path))
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toContain(
      `unclear: SHA256:copy is ssh-rsa with 1024 bits, in a file of no local account: “${path}”.`,
    )
  })

  test('one in an account’s own file is a deviation, whatever its shell', () => {
    expect(over('access.authorized-keys', withKey('/home/mortiz/.ssh/authorized_keys2')).verdict).toBe('not-satisfied')
    const closed = changed(accountsLocal, (local) => ({
      ...local,
      accounts: local.accounts.map((one) => (one.name === 'mortiz' ? { ...one, shell: '/usr/sbin/nologin' } : one)),
    }))
    expect(over('access.authorized-keys', closed, withKey('/home/mortiz/.ssh/authorized_keys')).verdict).toBe(
      'not-satisfied',
    )
  })

  test.each(COPIES)('%s: not access of a provider', (path) => {
    const conclusion = over('access.provider-access', withKey(path))
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toContain('unclear: SSH keys are in files of no local account: ')
  })

  test('an undeclared account’s own file is one; a slash at the end of a home folder changes nothing', () => {
    const eve = { name: 'eve', uid: 1500, gid: 1500, home: '/home/eve/', shell: '/bin/bash' }
    const local = changed(accountsLocal, (all) => ({ ...all, accounts: [...all.accounts, eve] }))
    const said = stepText(over('access.provider-access', local, withKey('/home/eve/.ssh/authorized_keys')))
    expect(said).toContain('contradicts: SSH keys lie with accounts that are not declared: “/home/eve”.')
  })
})

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type SafeStorage, systemVault } from '../../main/electron/vault.ts'

const fresh = (): string => mkdtempSync(join(tmpdir(), 'barewitness-vault-'))

describe('16: the vault', () => {
  const turn = (text: string): string => [...text].reverse().join('')
  const modern: SafeStorage = {
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (plain) => Buffer.from(`locked ${turn(plain)}`),
    decryptStringAsync: async (locked) => {
      const text = locked.toString()
      if (!text.startsWith('locked ')) throw new Error('another user’s')
      return { result: turn(text.slice(7)) }
    },
    getSelectedStorageBackend: () => 'gnome_libsecret',
  }
  const without: readonly (readonly [
    string,
    { readonly [K in keyof SafeStorage]: SafeStorage[K] | undefined },
    NodeJS.Platform,
  ])[] = [
    ['a runtime with the synchronous half only', { encryptStringAsync: undefined }, 'darwin'],
    ['a system that says no', { isAsyncEncryptionAvailable: async () => false }, 'darwin'],
    ['a system that fails', { isAsyncEncryptionAvailable: () => Promise.reject(new Error()) }, 'win32'],
    ['Linux without a keyring', { getSelectedStorageBackend: () => 'basic_text' }, 'linux'],
    ['Linux that does not know', { getSelectedStorageBackend: () => 'unknown' }, 'linux'],
    ['an unknown keyring', { getSelectedStorageBackend: () => 'constructor' }, 'linux'],
  ]
  test.each(without)('is none on %s', async (_name, different, platform) =>
    expect(await systemVault({ ...modern, ...different } as SafeStorage, platform, join(fresh(), 's'))).toBe(null),
  )
  test.each([
    ['darwin', 'the macOS Keychain'],
    ['win32', 'Windows data protection (DPAPI) for your account'],
    ['linux', 'the keyring of this desktop'],
  ] as const)('on %s is %s', async (platform, described) =>
    expect((await systemVault(modern, platform, join(fresh(), 's')))?.described).toBe(described),
  )
  test('keeps secrets encrypted, in one file that only this user can read', async () => {
    const file = join(fresh(), 'secrets.json')
    const vault = await systemVault(modern, 'darwin', file)
    expect(await vault?.read('a')).toBe(null)
    await Promise.all([vault?.write('a', 'canary-one'), vault?.write('b', 'canary-two')])
    expect([await vault?.read('a'), await vault?.read('b'), await vault?.read('c')]).toEqual([
      'canary-one',
      'canary-two',
      null,
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain('canary')
    expect(await vault?.write('__proto__', 'x')).toMatchObject({ ok: false, error: { code: 'store.failed' } })
  })
  test('never loses what it keeps to a file that it cannot read now, or could not read later', async () => {
    const file = join(fresh(), 'secrets.json')
    const vault = await systemVault(modern, 'darwin', file)
    await vault?.write('a', 'canary-one')
    const kept = readFileSync(file, 'utf8')
    renameSync(file, `${file}.away`)
    mkdirSync(file)
    expect(await vault?.write('b', 'x')).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    rmdirSync(file)
    for (const damaged of [kept.slice(0, -9), '[]', '{"secrets":7}']) {
      writeFileSync(file, damaged)
      expect(await vault?.write('b', 'x')).toMatchObject({ ok: false, error: { code: 'store.failed' } })
      expect(readFileSync(file, 'utf8')).toBe(damaged)
    }
    renameSync(`${file}.away`, file)
    for (let count = 0; count < 12; count++) await vault?.write(`big-${count}`, 'x'.repeat(100_000))
    expect(await vault?.write('big-12', 'x'.repeat(100_000))).toMatchObject({ ok: false })
    expect(await vault?.read('a')).toBe('canary-one')
  })
  test('of another user, or a file that is none, holds nothing', async () => {
    const file = join(fresh(), 'secrets.json')
    const vault = await systemVault(modern, 'darwin', file)
    for (const text of ['', '[]', '{"secrets":{"a":"AAAA"}}', '{"secrets":7}']) {
      writeFileSync(file, text)
      expect(await vault?.read('a')).toBe(null)
    }
  })
})

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { IdentityInfo } from '../../main/core/ports/identities.ts'
import { folderOfTests } from '../support/folders.ts'
import { testUnless } from '../support/needing.ts'
import { testCa } from '../support/test-ca.ts'

// The program as a person runs it.
const PROGRAM = [resolve('out/main/cli.js')]
const SECRET = 'correct horse battery staple'
const openssl = spawnSync('openssl', ['version']).status === 0
const home = folderOfTests('identity-cli')
const at = (...parts: readonly string[]): string => join(home, ...parts)
const inFolder = ['--identity-folder', at('ids')]
const byFile = [...inFolder, '--passphrase-file', at('secret')]
const identity = (...argv: readonly string[]) =>
  spawnSync(process.execPath, [...PROGRAM, 'identity', ...argv], { encoding: 'utf8', input: '' })
const listed = (): readonly IdentityInfo[] => JSON.parse(identity('list', '--json', ...inFolder).stdout)

beforeAll(() => {
  writeFileSync(at('secret'), `${SECRET}\n`, { mode: 0o600 })
  const created = identity('create', 'clinic', '--subject', 'Clinic', ...byFile)
  expect(created.status, created.stderr).toBe(0)
})

describe('identity, on the command line', () => {
  test('backup, restore, trust and list', () => {
    const backup = identity('backup', 'clinic', '--to', at('clinic.backup'), ...inFolder)
    expect([backup.status, backup.stdout]).toEqual([0, ''])
    expect(backup.stderr).toContain('The strength of the passphrase protects')
    expect(identity('restore', at('clinic.backup'), ...inFolder).status).toBe(2)
    const restored = identity('restore', at('clinic.backup'), '--identity-folder', at('restored'))
    expect([restored.status, existsSync(at('restored/clinic/key.json'))], restored.stderr).toEqual([0, true])
    const trust = identity('trust', 'clinic', ...inFolder)
    expect(trust.stdout).toBe(readFileSync(at('ids/clinic/root.pem'), 'utf8'))
    expect(trust.stderr).toContain(listed()[0]?.fingerprint)
    expect(identity('list', ...inFolder).stderr).toMatch(/^clinic {2}local {2}Clinic {2}[0-9a-f]{64} {2}valid until 20/)
  })

  testUnless(openssl ? null : 'openssl is not installed', 'openssl understands the revocation list', () => {
    const before = listed()[0]?.fingerprint ?? ''
    expect(identity('rotate', 'clinic', '--reason', 'test', ...byFile).status).toBe(0)
    expect(identity('take-root-offline', 'clinic', '--to', at('root.key'), ...inFolder).status).toBe(0)
    const argv = ['revoke', 'clinic', '--leaf', before, '--reason', 'superseded', ...byFile]
    expect(identity(...argv).stderr).toContain('--root-key')
    expect(identity(...argv, '--reason', 'boredom', '--root-key', at('root.key')).status).toBe(2)
    const revoked = identity(...argv, '--root-key', at('root.key'))
    expect(revoked.status, revoked.stderr).toBe(0)
    const run = (...words: readonly string[]) =>
      spawnSync('openssl', words, { cwd: at('ids/clinic'), encoding: 'utf8' })
    const text = run('crl', '-in', 'crl.pem', '-noout', '-text').stdout
    expect(text).toMatch(/X509v3 CRL Number: \n +3\n/)
    expect(text).toMatch(/X509v3 CRL Reason Code: \n +Superseded\n/)
    expect(run('crl', '-in', 'crl.pem', '-noout', '-CAfile', 'root.pem').stderr).toContain('verify OK')
    const verify = (leaf: string) =>
      run('verify', '-x509_strict', '-crl_check', '-CAfile', 'root.pem', '-CRLfile', 'crl.pem', leaf)
    expect(verify('leaf.pem').stdout).toBe('leaf.pem: OK\n')
    expect(verify(`retired/${before}/leaf.pem`).stderr).toContain('certificate revoked')
    expect(identity('list', ...inFolder).stderr).toContain(`  retired  ${before}  valid until`)
  })
})

describe('a passphrase', () => {
  const proc = existsSync('/proc/self/cmdline')
  testUnless(proc ? null : 'there is no /proc', 'is visible to no observer of the process', async () => {
    const argv = [...PROGRAM, 'identity', 'create', 'watched', '--subject', 'Watched', ...inFolder]
    const child = spawn(process.execPath, [...argv, '--passphrase-fd', '3'], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    const said: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => said.push(chunk))
    const ended = new Promise<number | null>((done) => child.on('close', done))
    const way = child.stdio[3] as Writable
    way.write(SECRET)
    // It waits for the end of the line or of the file: long enough to look.
    await sleep(1500)
    const looks: string[] = []
    const look = (): void => {
      for (const file of ['cmdline', 'environ', 'comm'])
        try {
          looks.push(readFileSync(`/proc/${child.pid}/${file}`, 'latin1'))
        } catch {
          return
        }
    }
    look()
    way.end('\n')
    while (child.exitCode === null) {
      look()
      await sleep(20)
    }
    expect(await ended, Buffer.concat(said).toString()).toBe(0)
    expect(looks.length).toBeGreaterThan(5)
    expect(looks[0]).toContain('watched')
    expect(looks.filter((seen) => seen.includes(SECRET) || seen.includes('horse'))).toEqual([])
    expect(Buffer.concat(said).toString()).not.toContain('horse')
    for (const file of readdirSync(at('ids/watched')))
      expect(readFileSync(at('ids/watched', file), 'utf8')).not.toContain('horse')
  })

  const other = ['create', 'other', '--subject', 'Other', ...inFolder]
  test('is no word of the command line, and is not looked for in the environment', () => {
    expect(identity(...other, '--passphrase', SECRET).status).toBe(2)
    const env = { ...process.env, PASSPHRASE: SECRET, BAREWITNESS_PASSPHRASE: SECRET }
    const run = spawnSync(process.execPath, [...PROGRAM, 'identity', ...other], {
      encoding: 'utf8',
      env,
      input: SECRET,
    })
    expect([run.status, run.stderr.includes('no terminal for the passphrase prompt')]).toEqual([2, true])
    expect(existsSync(at('ids/other'))).toBe(false)
  })

  test('is not taken from a file that others can read, or that is not ours', () => {
    writeFileSync(at('open'), SECRET)
    chmodSync(at('open'), 0o640)
    const readable = identity(...other, '--passphrase-file', at('open'))
    expect([readable.status, readable.stderr.includes('chmod 600')]).toEqual([2, true])
    expect(identity(...other, '--passphrase-file', at('nowhere')).status).toBe(2)
    expect(identity(...other, '--passphrase-file', home).stderr).toMatch(/is a folder/)
    expect(identity(...other, '--passphrase-fd', '77').stderr).toContain('file descriptor 77 cannot be read')
    expect(identity(...other, '--passphrase-fd', 'x').stderr).toContain('--passphrase-fd must be')
    writeFileSync(at('short'), 'seven..', { mode: 0o600 })
    expect(identity(...other, '--passphrase-file', at('short')).stderr).toContain('at least 8 characters')
    expect(existsSync(at('ids/other'))).toBe(false)
  })

  const root = process.getuid?.() === 0
  testUnless(root ? null : 'only root can make one', "of another user's file is refused", async () => {
    writeFileSync(at('theirs'), SECRET, { mode: 0o600 })
    chownSync(at('theirs'), 65534, 65534)
    expect(statSync(at('theirs')).uid).toBe(65534)
    expect(identity(...other, '--passphrase-file', at('theirs')).stderr).toContain('belongs to another user')
  })

  testUnless(
    openssl ? null : 'openssl is not installed',
    'of a PKCS#12 file and that of the new identity are two',
    () => {
      const ca = testCa(at('ca'))
      ca.openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', 'one.key')
      ca.openssl('pkey', '-in', 'one.key', '-pubout', '-out', 'one.pub')
      ca.certify('one.pub', 'one')
      writeFileSync(at('old'), 'old', { mode: 0o600 })
      const files = ['-inkey', 'one.key', '-in', 'one.pem', '-certfile', 'issuer.pem', '-out', 'one.p12']
      ca.openssl('pkcs12', '-export', ...files, '-passout', `file:${at('old')}`)
      const p12 = ['--p12', at('ca/one.p12'), '--p12-passphrase-file', at('old')]
      const argv = ['import', 'one', ...p12, '--crl', ...ca.crls, ...byFile]
      expect(identity(...argv).stderr).toContain('the issuer of “O=Test Org, CN=issuer” is missing')
      const imported = identity(...argv, '--chain', at('ca/root.pem'))
      expect(imported.status, imported.stderr).toBe(0)
      expect(listed()).toContainEqual(expect.objectContaining({ name: 'one', kind: 'imported' }))
      const swapped = ['import', 'two', '--p12', at('ca/one.p12'), '--p12-passphrase-file', at('secret'), ...byFile]
      expect(identity(...swapped).stderr).toContain('passphrase does not open')
    },
  )
})

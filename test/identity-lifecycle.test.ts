import { X509Certificate } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listToContinue } from '../main/adapters/identity/certificates.ts'
import { createIdentities } from '../main/adapters/identity/index.ts'
import { signDetached } from '../main/adapters/seal/cms.ts'
import { readCertificate, readRevocationList } from '../main/adapters/seal/x509.ts'
import { fromPem } from '../main/core/base/pem.ts'
import type { Clock } from '../main/core/ports/ports.ts'
import { realEntropy } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'

const PASSPHRASE = 'correct horse battery'
const home = folderOfTests('lifecycle')
const folder = join(home, 'identities')
const kept = join(home, 'kept')
const START = '2026-11-01T12:00:00.000Z'
let now = START
const clock: Clock = { now: () => now, ticks: () => 0n }
const identities = createIdentities(clock, realEntropy, folder)

const at = (...parts: readonly string[]): string => join(folder, 'clinic', ...parts)
const text = (...parts: readonly string[]): string => readFileSync(at(...parts), 'utf8')
const certificate = (...parts: readonly string[]) =>
  readCertificate(fromPem('CERTIFICATE', text(...parts))[0] ?? new Uint8Array())
const list = (): Uint8Array => fromPem('X509 CRL', text('crl.pem'))[0] ?? new Uint8Array()
const fingerprint = (): string => certificate('leaf.pem')?.fingerprint ?? ''
const rotate = (changes: object = {}) =>
  identities.rotate({ folder, name: 'clinic', passphrase: PASSPHRASE, why: 'yearly', ...changes })
const revoke = (leaf: string, changes: object = {}) =>
  identities.revoke({ folder, name: 'clinic', passphrase: PASSPHRASE, leaf, reason: 'superseded', ...changes })

beforeAll(async () => {
  const created = await identities.create({ folder: kept, name: 'clinic', subject: 'Clinic', passphrase: PASSPHRASE })
  expect(created).toMatchObject({ ok: true, value: { kind: 'local', retired: [] } })
})
beforeEach(() => {
  now = START
  rmSync(folder, { recursive: true, force: true })
  cpSync(kept, folder, { recursive: true })
})

describe('rotation', () => {
  test('makes a new key under the same root and keeps the old certificate, not the old key', async () => {
    const [leaf, root, key] = [fingerprint(), text('root.pem'), text('key.json')]
    now = '2027-11-01T12:00:00.000Z'
    const rotated = await rotate()
    expect(rotated).toMatchObject({
      ok: true,
      value: { kind: 'local', subject: 'Clinic', notAfter: '2029-10-31T11:55:00.000Z' },
    })
    expect(text('root.pem')).toBe(root)
    expect(fingerprint()).not.toBe(leaf)
    expect(certificate('retired', leaf, 'leaf.pem')?.fingerprint).toBe(leaf)
    expect(text('key.json')).not.toBe(key)
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))
    const files = all.filter((path) => statSync(path).isFile())
    expect(files.filter((path) => readFileSync(path, 'utf8') === key)).toEqual([])
    for (const path of all) expect(statSync(path).mode & 0o077, path).toBe(0)
    expect(readdirSync(folder)).toEqual(['clinic'])
    expect(JSON.parse(text('rotations.jsonl'))).toEqual({ from: leaf, to: fingerprint(), at: now, why: 'yearly' })
    expect(readRevocationList(list())?.revoked).toEqual([])
    expect(listToContinue(list())).toMatchObject({ number: 2n, until: Date.parse('2029-11-01T11:55:00.000Z') })
    const issuer = new X509Certificate(text('root.pem'))
    expect(new X509Certificate(text('leaf.pem')).verify(issuer.publicKey)).toBe(true)
    expect(await identities.list(folder)).toMatchObject({
      value: [{ fingerprint: fingerprint(), retired: [{ fingerprint: leaf, notAfter: '2028-10-31T11:55:00.000Z' }] }],
    })
    const opened = await identities.open(folder, 'clinic', PASSPHRASE)
    expect(opened).toMatchObject({ ok: true, value: { fingerprint: fingerprint() } })
    if (opened.ok) expect((await signDetached(opened.value, new Uint8Array(3))).length).toBeGreaterThan(500)
  })

  test('goes on, line by line', async () => {
    const seen = [fingerprint()]
    for (const why of ['one', 'two']) {
      expect(await rotate({ why })).toMatchObject({ ok: true })
      seen.push(fingerprint())
    }
    const lines = text('rotations.jsonl').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { from: seen[0], to: seen[1], why: 'one' },
      { from: seen[1], to: seen[2], why: 'two' },
    ])
    expect(listToContinue(list()).number).toBe(3n)
    expect(readdirSync(at('retired')).sort()).toEqual(seen.slice(0, 2).sort())
  })

  test('ends with the root, and is refused near its end', async () => {
    now = '2036-07-01T00:00:00.000Z'
    expect(await rotate()).toMatchObject({ ok: true, value: { notAfter: certificate('root.pem')?.notAfter } })
    now = '2036-10-01T00:00:00.000Z'
    expect(await rotate()).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining('identity create') },
    })
  })

  test.each([
    ['another passphrase', { passphrase: 'correct horse batterz' }, 'identity.passphrase-wrong'],
    ['no reason', { why: ' ' }, 'input.refused'],
    ['a reason that cannot be shown', { why: 'a\u202eb' }, 'input.refused'],
    ['another identity', { name: 'nobody' }, 'identity.missing'],
    ['a root key that is none', { rootKey: new Uint8Array(3) }, 'identity.unreadable'],
  ])('is refused for %s, and changes nothing', async (_what, changes, code) => {
    const before = text('key.json')
    expect(await rotate(changes)).toMatchObject({ ok: false, error: { code } })
    expect([text('key.json'), existsSync(at('retired'))]).toEqual([before, false])
  })

  test('a certificate that has ended seals no more', async () => {
    now = '2028-11-01T00:00:00.000Z'
    expect(await identities.open(folder, 'clinic', PASSPHRASE)).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining('expired at 2028-10-31T11:55:00.000Z') },
    })
    await rotate()
    expect(await identities.open(folder, 'clinic', PASSPHRASE)).toMatchObject({ ok: true })
  })
})

describe('revocation', () => {
  test('of a retired leaf is on the list that later seals carry', async () => {
    const leaf = fingerprint()
    const serial = certificate('leaf.pem')?.serial
    await rotate()
    now = '2026-11-05T12:00:00.000Z'
    expect(await revoke(leaf, { from: '2026-11-03T00:00:00.000Z', reason: 'key-compromise' })).toMatchObject({
      ok: true,
    })
    const opened = await identities.open(folder, 'clinic', PASSPHRASE)
    expect(opened).toMatchObject({ ok: true })
    const facts = readRevocationList((opened.ok ? opened.value.crls[0] : undefined) ?? new Uint8Array())
    expect(facts).toMatchObject({
      thisUpdate: '2026-11-05T12:00:00.000Z',
      nextUpdate: '2028-11-01T11:55:00.000Z',
      revoked: [{ serial, at: '2026-11-03T00:00:00.000Z' }],
    })
    const before = listToContinue(list())
    expect(before.number).toBe(3n)
    // ENUMERATED 1, keyCompromise.
    expect(Buffer.from(before.entries[0] ?? []).toString('hex')).toContain('0603551d1504030a0101')
    await rotate()
    expect(listToContinue(list())).toMatchObject({ number: 4n, entries: before.entries })
  })

  test('of the present leaf ends its use', async () => {
    expect(await revoke(fingerprint(), { reason: 'cessation' })).toMatchObject({ ok: true })
    expect(await identities.open(folder, 'clinic', PASSPHRASE)).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining(`revoked at ${START}`) },
    })
    await rotate()
    expect(await identities.open(folder, 'clinic', PASSPHRASE)).toMatchObject({ ok: true })
  })

  test('happens once, for leaves of this identity, and not in the future', async () => {
    const leaf = fingerprint()
    for (const [changes, code] of [
      [{ from: '2026-11-02T00:00:00.000Z' }, 'input.refused'],
      [{ from: '2020-01-01T00:00:00.000Z' }, 'input.refused'],
      [{ from: 'yesterday' }, 'input.refused'],
      [{ leaf: 'ab'.repeat(32) }, 'input.refused'],
      [{ passphrase: 'x' }, 'identity.passphrase-wrong'],
    ] as const)
      expect(await revoke(leaf, changes)).toMatchObject({ ok: false, error: { code } })
    expect(await revoke(leaf)).toMatchObject({ ok: true })
    expect(await revoke(leaf)).toMatchObject({
      error: { code: 'input.refused', detail: expect.stringContaining('is already on the revocation list') },
    })
  })

  test('a list of another identity makes the identity unreadable', async () => {
    const other = await identities.create({ folder, name: 'other', subject: 'Other', passphrase: PASSPHRASE })
    expect(other.ok).toBe(true)
    writeFileSync(at('crl.pem'), readFileSync(join(folder, 'other/crl.pem')))
    expect(await identities.open(folder, 'clinic', PASSPHRASE)).toMatchObject({
      error: { code: 'identity.unreadable' },
    })
  })
})

describe('a root taken offline', () => {
  const away = join(home, 'root-key.json')
  beforeEach(() => rmSync(away, { force: true }))

  test('is asked for when something is to be issued, and not to seal', async () => {
    expect(await identities.takeRootOffline(folder, 'clinic', away)).toMatchObject({ ok: true })
    expect([existsSync(at('root-key.json')), statSync(away).mode & 0o777]).toEqual([false, 0o600])
    expect(await identities.open(folder, 'clinic', PASSPHRASE)).toMatchObject({ ok: true })
    expect(await rotate()).toMatchObject({
      error: { code: 'input.refused', detail: expect.stringContaining('--root-key') },
    })
    const rootKey = new Uint8Array(readFileSync(away))
    expect(await rotate({ rootKey })).toMatchObject({ ok: true })
    expect(await revoke(fingerprint(), { rootKey })).toMatchObject({ ok: true })
    expect(existsSync(at('root-key.json'))).toBe(false)
    expect(await identities.takeRootOffline(folder, 'clinic', `${away}2`)).toMatchObject({
      error: { code: 'input.refused' },
    })
  })

  test('never goes over a file, and another root’s key is not taken for it', async () => {
    writeFileSync(away, 'precious')
    expect(await identities.takeRootOffline(folder, 'clinic', away)).toMatchObject({ error: { code: 'store.failed' } })
    expect([readFileSync(away, 'utf8'), existsSync(at('root-key.json'))]).toEqual(['precious', true])
    await identities.create({ folder, name: 'other', subject: 'Other', passphrase: PASSPHRASE })
    const rootKey = new Uint8Array(readFileSync(join(folder, 'other/root-key.json')))
    expect(await rotate({ rootKey })).toMatchObject({ error: { code: 'identity.unreadable' } })
    const leafKey = new Uint8Array(readFileSync(at('key.json')))
    expect(await rotate({ rootKey: leafKey })).toMatchObject({ error: { code: 'identity.unreadable' } })
  })
})

describe('a backup', () => {
  const file = join(home, 'clinic.backup')
  const back = join(home, 'back')
  beforeEach(() => {
    rmSync(file, { force: true })
    rmSync(back, { recursive: true, force: true })
  })
  const restore = (value: unknown) => identities.restore(back, new TextEncoder().encode(JSON.stringify(value)))

  test('brings everything back, and is never written over', async () => {
    await rotate()
    expect(await identities.backup(folder, 'clinic', file)).toMatchObject({ ok: true, value: { name: 'clinic' } })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toMatch(/PRIVATE KEY|correct horse/)
    expect(await identities.backup(folder, 'clinic', file)).toMatchObject({ error: { code: 'store.failed' } })
    const bytes = new Uint8Array(readFileSync(file))
    expect(await identities.restore(folder, bytes)).toMatchObject({ error: { code: 'identity.exists' } })
    expect(await identities.restore(back, bytes)).toMatchObject({ ok: true, value: { fingerprint: fingerprint() } })
    const paths = (where: string) => readdirSync(where, { recursive: true, encoding: 'utf8' }).sort()
    expect(paths(back)).toEqual(paths(folder))
    expect(paths(back)).toContain('clinic/rotations.jsonl')
    const opened = await createIdentities(clock, realEntropy, back).open(back, 'clinic', PASSPHRASE)
    expect(opened).toMatchObject({ ok: true })
  })

  test('whose parts do not belong together is refused', async () => {
    await identities.backup(folder, 'clinic', file)
    await identities.create({ folder, name: 'other', subject: 'Other', passphrase: PASSPHRASE })
    const backup = JSON.parse(readFileSync(file, 'utf8')) as { name: string; files: Record<string, string> }
    const other = (path: string): string => readFileSync(join(folder, 'other', path), 'utf8')
    for (const path of ['leaf.pem', 'root.pem', 'crl.pem', 'key.json', 'root-key.json'])
      expect(await restore({ ...backup, files: { ...backup.files, [path]: other(path) } }), path).toMatchObject({
        error: { code: 'identity.unreadable' },
      })
    expect(await restore({ ...backup, name: 'renamed' })).toMatchObject({ error: { code: 'identity.unreadable' } })
    const stranger = { [`retired/${'ab'.repeat(32)}/leaf.pem`]: other('leaf.pem') }
    expect(await restore({ ...backup, files: { ...backup.files, ...stranger } })).toMatchObject({
      error: { code: 'identity.unreadable' },
    })
    expect(existsSync(back)).toBe(false)
    expect(await restore(backup)).toMatchObject({ ok: true })
  })

  test.each([
    ['a path out of it', { format: 'barewitness-identity-backup/1', name: 'x', files: { '../evil': 'x' } }],
    ['a name out of it', { format: 'barewitness-identity-backup/1', name: '../x', files: {} }],
    ['a file that is no text', { format: 'barewitness-identity-backup/1', name: 'x', files: { 'leaf.pem': 1 } }],
    ['another format', { format: 'barewitness-identity-backup/2', name: 'x', files: {} }],
    ['null', null],
  ])('with %s is none', async (_what, value) => {
    expect(await restore(value)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(existsSync(back)).toBe(false)
  })

  test('of any bytes: there is an answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => new TextEncoder().encode(json)),
        ),
        async (bytes) => {
          expect((await identities.restore(back, bytes)).ok).toBe(false)
        },
      ),
    )
  })
})

test('an interrupted change is reported, and what was before is still there', async () => {
  cpSync(at(), join(folder, '.before-clinic'), { recursive: true })
  rmSync(at(), { recursive: true })
  expect(await identities.open(folder, 'clinic', PASSPHRASE)).toMatchObject({
    error: { code: 'identity.unreadable', detail: expect.stringContaining('.before-clinic to') },
  })
})

test('trust is handed out as certificate and fingerprints', async () => {
  expect(await identities.trust(folder, 'clinic')).toEqual({
    ok: true,
    value: {
      rootPem: text('root.pem'),
      rootFingerprint: certificate('root.pem')?.fingerprint,
      leafFingerprint: fingerprint(),
    },
  })
})

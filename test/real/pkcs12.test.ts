import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIdentities } from '../../main/adapters/identity/index.ts'
import { pkcs12Key, readPkcs12 } from '../../main/adapters/identity/pkcs12.ts'
import { signDetached } from '../../main/adapters/seal/cms.ts'
import { realClock, realEntropy } from '../support/deps.ts'
import { describeUnless } from '../support/needing.ts'
import { type TestCa, testCa } from '../support/test-ca.ts'

const version = spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? ''
const missing = /^OpenSSL 3/.test(version) ? null : 'OpenSSL 3 is not installed'
const OLD = 'old passphrase'
const NEW = 'correct horse battery'
const content = new TextEncoder().encode('evidence\n')

describeUnless(missing, 'PKCS#12 files made by openssl', () => {
  let ca: TestCa
  let folder = ''
  const at = (name: string): string => join(ca.folder, name)
  const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(at(name)))
  /** Exports a key with its certificates. The passphrase goes by a file, as in life. */
  const p12 = (name: string, key: string, ...more: readonly string[]): Uint8Array => {
    const chain = more.includes('-certfile') || more.includes('-nochain') ? [] : ['-certfile', 'chain.pem']
    const options = more.filter((word) => word !== '-nochain')
    const input = ['-export', '-inkey', `${key}.key`, '-in', `${key}.pem`, ...chain, '-out', `${name}.p12`]
    ca.openssl('pkcs12', ...input, '-passout', 'file:old', ...options)
    return bytesOf(`${name}.p12`)
  }
  const identities = () => createIdentities(realClock, realEntropy, folder)
  const take = (name: string, file: Uint8Array, changes: object = {}) =>
    identities().importPkcs12({
      folder,
      name,
      p12: file,
      p12Passphrase: OLD,
      passphrase: NEW,
      certificates: [],
      crls: [],
      ...changes,
    })

  beforeAll(() => {
    ca = testCa(mkdtempSync(join(tmpdir(), 'bw-p12-')))
    folder = at('identities')
    writeFileSync(at('old'), `${OLD}\n`, { mode: 0o600 })
    const key = (name: string, ...options: string[]): void => {
      ca.openssl('genpkey', ...options, '-out', `${name}.key`)
      ca.openssl('pkey', '-in', `${name}.key`, '-pubout', '-out', `${name}.pub`)
      ca.certify(`${name}.pub`, name, name === 'server' ? 'server' : 'leaf')
    }
    key('ec', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256')
    key('rsa', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048')
    key('weak', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024')
    key('p384', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384')
    key('server', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256')
    const text = (name: string): string => readFileSync(at(name), 'latin1')
    writeFileSync(at('chain.pem'), text('issuer.pem') + text('root.pem'))
    writeFileSync(at('odd.pem'), text('root.pem') + text('weak.pem') + text('issuer.pem') + text('rsa.pem'))
  })
  afterAll(() => rmSync(ca.folder, { recursive: true, force: true }))

  const DES3 = ['-legacy', '-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES']
  const FORMS: readonly (readonly [string, readonly string[]])[] = [
    ['as openssl makes them today', []],
    ['AES-128', ['-keypbe', 'AES-128-CBC', '-certpbe', 'AES-128-CBC']],
    ['AES-192, MAC by SHA-512', ['-keypbe', 'AES-192-CBC', '-certpbe', 'AES-192-CBC', '-macalg', 'sha512']],
    ['3DES throughout', DES3],
    ['certificates in the clear', ['-certpbe', 'NONE']],
    ['key in the clear, MAC by SHA-1', ['-keypbe', 'NONE', '-macalg', 'sha1']],
    ['many rounds', ['-iter', '100000']],
    ['one round', ['-nomaciter', '-noiter']],
  ]

  test.each(['ec', 'rsa'].flatMap((key) => FORMS.map(([form, options]) => [key, form, options] as const)))(
    '%s, %s',
    async (key, _form, options) => {
      const file = p12('form', key, ...options)
      const read = await readPkcs12(file, OLD)
      expect(read).toMatchObject({ ok: true, value: { certificates: { length: 3 } } })
      if (!read.ok) return
      const exported = read.value.key.export({ type: 'pkcs8', format: 'pem' })
      expect(exported).toBe(ca.openssl('pkcs8', '-topk8', '-nocrypt', '-in', `${key}.key`))
      expect(await readPkcs12(file, 'old passphrasf')).toMatchObject({ error: { code: 'identity.passphrase-wrong' } })
    },
  )

  test.each([
    ['certificates', ['-legacy']],
    ['key and certificates', ['-legacy', '-keypbe', 'PBE-SHA1-RC2-40', '-certpbe', 'PBE-SHA1-RC2-128']],
  ])(
    'RC2 for %s: refused, and following the refusal’s instruction makes a file that is read',
    async (_what, options) => {
      const old = p12('old-file', 'ec', ...options)
      expect(await readPkcs12(old, OLD)).toMatchObject({
        error: { code: 'key.refused', detail: expect.stringContaining('openssl pkcs12 -export -in KEY.pem') },
      })
      // Of one file for both, openssl would take the second line as the output password (openssl-passphrase-options(1)).
      const words = ['-passin', 'file:old', '-passout', `pass:${OLD}`]
      ca.openssl('pkcs12', '-legacy', '-in', 'old-file.p12', '-out', 'KEY.pem', ...words)
      ca.openssl('pkcs12', '-export', '-in', 'KEY.pem', '-out', 'NEW.p12', ...words)
      expect(await readPkcs12(bytesOf('NEW.p12'), OLD)).toMatchObject({ ok: true })
    },
  )

  test.each(['ec', 'rsa'])('%s: imported, it seals and openssl verifies it', async (key) => {
    const crls = ca.crls.map((path) => new Uint8Array(readFileSync(path)))
    expect(await take(`in-${key}`, p12('whole', key, ...DES3), { crls })).toMatchObject({
      ok: true,
      value: { kind: 'imported', subject: `O=Test Org, CN=${key}` },
    })
    expect(readdirSync(join(folder, `in-${key}`)).sort()).toEqual([
      'chain.pem',
      'crl.pem',
      'key.json',
      'leaf.pem',
      'root.pem',
    ])
    expect(await identities().open(folder, `in-${key}`, OLD)).toMatchObject({
      error: { code: 'identity.passphrase-wrong' },
    })
    const opened = await identities().open(folder, `in-${key}`, NEW)
    expect(opened).toMatchObject({
      ok: true,
      value: { keyType: key.toUpperCase(), chain: { length: 2 }, crls: { length: 2 } },
    })
    if (!opened.ok) return
    writeFileSync(at('content'), content)
    writeFileSync(at('seal.p7s'), await signDetached(opened.value, content))
    const seal = ['-cades', '-binary', '-inform', 'DER', '-in', 'seal.p7s', '-content', 'content']
    ca.openssl('cms', '-verify', ...seal, '-CAfile', 'root.pem', '-purpose', 'any', '-out', 'verified')
    expect(readFileSync(at('verified'), 'utf8')).toBe('evidence\n')
  })

  test('a chain in odd order, with strangers between, is put in order', async () => {
    expect(await take('odd', p12('odd', 'ec', '-certfile', 'odd.pem'))).toMatchObject({ ok: true })
    const opened = await identities().open(folder, 'odd', NEW)
    expect(opened.ok && opened.value.chain.map((one) => Buffer.from(one).toString('base64'))).toEqual(
      ['issuer.pem', 'root.pem'].map((name) =>
        ca.openssl('x509', '-in', name, '-outform', 'PEM').replaceAll(/-----.*-----|\n/g, ''),
      ),
    )
  })

  test('what is missing of a chain is named, and may come from another file', async () => {
    const alone = p12('alone', 'ec', '-nochain')
    expect(await take('alone', alone)).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringMatching(/the issuer of “O=Test Org, CN=ec” is missing/) },
    })
    expect(await take('alone', alone, { certificates: [bytesOf('issuer.pem')] })).toMatchObject({
      error: {
        code: 'key.refused',
        detail: expect.stringMatching(/the issuer of “O=Test Org, CN=issuer” is missing/),
      },
    })
    ca.openssl('x509', '-in', 'root.pem', '-outform', 'DER', '-out', 'root.der')
    const certificates = [bytesOf('issuer.pem'), bytesOf('root.der')]
    expect(await take('alone', alone, { certificates })).toMatchObject({ ok: true })
  })

  test.each([
    ['an RSA key of 1024 bits', 'weak', 'neither P-256 nor RSA'],
    ['a key of another curve', 'p384', 'neither P-256 nor RSA'],
    ['a certificate for servers', 'server', 'for other purposes'],
  ])('%s is refused', async (_what, key, why) => {
    expect(await take('unfit', p12('unfit', key))).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining(why) },
    })
    expect(readdirSync(folder)).not.toContain('unfit')
  })

  test('a file without MAC, and a revocation list of others, are refused', async () => {
    expect(await take('no', p12('no-mac', 'ec', '-nomac'))).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining('no MAC') },
    })
    expect(await take('no', p12('fine', 'ec'), { crls: [content] })).toMatchObject({ error: { code: 'key.refused' } })
  })

  test('a revoked certificate is refused', async () => {
    ca.openssl(
      'ca',
      '-config',
      'ca.cnf',
      '-name',
      'list',
      '-revoke',
      'ec.pem',
      '-cert',
      'issuer.pem',
      '-keyfile',
      'issuer.key',
    )
    const list = ['-gencrl', '-config', 'ca.cnf', '-name', 'list', '-cert', 'issuer.pem', '-keyfile', 'issuer.key']
    ca.openssl('ca', ...list, '-out', 'revoked.pem')
    expect(await take('revoked', p12('revoked', 'ec'), { crls: [bytesOf('revoked.pem')] })).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining('was revoked at') },
    })
  })

  test('damage is distinguished from a wrong passphrase where a part still opens', async () => {
    const file = p12('damaged', 'ec')
    const altered = new Uint8Array(file)
    // The last octet of the MAC's salt or digest: every encrypted part is whole.
    altered[file.length - 20] = (altered[file.length - 20] ?? 0) ^ 1
    expect(await readPkcs12(altered, OLD)).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining('damaged') },
    })
    expect(await readPkcs12(altered, 'another')).toMatchObject({ error: { code: 'identity.passphrase-wrong' } })
    expect(await readPkcs12(file.subarray(0, -1), OLD)).toMatchObject({ error: { code: 'key.refused' } })
  })

  test('whatever octet is changed, there is an answer, and the key is never another', async () => {
    const file = p12('mutated', 'ec', ...DES3)
    const whole = await readPkcs12(file, OLD)
    const key = whole.ok ? whole.value.key.export({ format: 'jwk' }).d : ''
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const altered = new Uint8Array(file)
        altered[place] = (altered[place] ?? 0) ^ change
        const read = await readPkcs12(altered, OLD)
        if (read.ok) expect(read.value.key.export({ format: 'jwk' }).d).toBe(key)
        else expect(['key.refused', 'identity.passphrase-wrong']).toContain(read.error.code)
      }),
      { numRuns: 200 },
    )
  })

  test.each(['sha1', 'sha256', 'sha384', 'sha512'] as const)('keys by %s are those of openssl', (hashName) => {
    const password = 'sesam öffne'
    const salt = Buffer.from('0102030405060708090a', 'hex')
    const utf16 = Buffer.from(`${password}\0`, 'utf16le').swap16().toString('hex')
    for (const [purpose, length] of [
      [1, 77],
      [2, 8],
      [3, 64],
    ] as const) {
      const options = [
        `digest:${hashName}`,
        `hexpass:${utf16}`,
        `hexsalt:${salt.toString('hex')}`,
        'iter:5',
        `id:${purpose}`,
      ]
      const argv = options.flatMap((option) => ['-kdfopt', option])
      const made = execFileSync('openssl', ['kdf', '-keylen', String(length), '-binary', ...argv, 'PKCS12KDF'])
      const key = pkcs12Key({ hashName, password, salt, rounds: 5, purpose, length })
      expect(key.toString('hex')).toBe(made.toString('hex'))
    }
  })
})

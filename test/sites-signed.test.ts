import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { readSites } from '../main/adapters/declarations/sites-file.ts'
import { readSigned, signerOf } from '../main/core/der/cms-plain.ts'
import type { SitesInFile } from '../schemas/types.ts'
import { folderOfTests } from './support/folders.ts'
import { describeUnless } from './support/needing.ts'

const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? null : 'openssl is not installed'

// A list of sites signed by a provider with the tool that everyone has.
describeUnless(noOpenssl, 'a list of sites that openssl signed', () => {
  const folder = folderOfTests('sites-signed')
  const openssl = (...argv: string[]): string =>
    execFileSync('openssl', argv, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const TABLE = 'serial,site,country\r\nSN-1001,FRA-2,DE\n'
  const KEYS = {
    rsa: ['rsa:2048'],
    p256: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    p384: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
    weak: ['rsa:1024'],
    ed: ['ed25519'],
  } as const
  type Key = keyof typeof KEYS

  beforeAll(() => {
    writeFileSync(join(folder, 'sites.csv'), TABLE)
    for (const [name, key] of Object.entries(KEYS)) {
      const about = ['-nodes', '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/O=Hostrunway/CN=${name}`]
      openssl('req', '-x509', '-newkey', ...key, ...about)
    }
  })

  const sign = (key: Key, form: 'PEM' | 'DER' | 'SMIME', ...more: string[]): string => {
    const name = `${key}-${form}${more.join('')}`.replaceAll(/[^a-zA-Z0-9-]/g, '')
    const how = ['-signer', `${key}.pem`, '-inkey', `${key}.key`, '-outform', form, '-out', name, ...more]
    openssl('cms', '-sign', '-binary', '-in', 'sites.csv', ...how)
    return name
  }
  const printed = (key: Key): string =>
    openssl('x509', '-in', `${key}.pem`, '-noout', '-fingerprint', '-sha256').trim().split('=')[1] ?? ''
  const read = (signature: string, more: Partial<SitesInFile> = {}) =>
    readSites(
      { file: 'sites.csv', source: 'Hostrunway', on: '2026-11-01', declaredBy: 'M. Ortiz', signature, ...more },
      join(folder, 'fleet.yaml'),
    )
  const refusal = async (signature: string, more: Partial<SitesInFile> = {}): Promise<string> => {
    const sites = await read(signature, more)
    return sites.ok ? 'accepted' : sites.error.detail
  }

  it.each([
    ['rsa', 'PEM', []],
    ['rsa', 'DER', []],
    ['p256', 'PEM', []],
    ['p384', 'DER', []],
    ['p384', 'PEM', ['-md', 'sha384']],
    ['rsa', 'PEM', ['-md', 'sha512']],
    ['rsa', 'DER', ['-nodetach']],
    ['rsa', 'DER', ['-stream', '-nodetach']],
    ['p256', 'PEM', ['-certfile', 'rsa.pem']],
    ['p256', 'DER', ['-keyid', '-nosmimecap']],
    ['rsa', 'PEM', ['-cades']],
  ] as const)('is read with a key of %s as %s %j, by the certificate that openssl prints', async (key, form, more) => {
    const sites = await read(sign(key, form, ...more))
    expect(sites.ok ? sites.value.sites.signature : sites.error.detail).toMatchObject({
      subject: `O=Hostrunway, CN=${key}`,
      fingerprint: printed(key).replaceAll(':', '').toLowerCase(),
    })
    expect(sites.ok && sites.value.sites.signer).toBeUndefined()
  })

  it.each([
    ['of another form', 'rsa', 'SMIME', [], 'not a supported signature'],
    ['without its certificate', 'rsa', 'PEM', ['-nocerts'], 'without the certificate of its signer'],
    ['without signed attributes', 'rsa', 'PEM', ['-noattr'], 'not a supported signature'],
    ['of RSASSA-PSS', 'rsa', 'PEM', ['-keyopt', 'rsa_padding_mode:pss'], 'not a supported signature'],
    ['of SHA-1', 'rsa', 'PEM', ['-md', 'sha1'], 'not a supported signature'],
    ['of two signers', 'rsa', 'PEM', ['-signer', 'p256.pem', '-inkey', 'p256.key'], 'not a supported signature'],
    ['of a short key', 'weak', 'PEM', [], 'the key of none of its certificates'],
  ] as const)('is refused %s', async (_, key, form, more, expected) => {
    expect(await refusal(sign(key, form, ...more))).toContain(expected)
  })

  it('is refused where the list was changed, and where the signature was', async () => {
    const name = sign('p256', 'DER')
    writeFileSync(join(folder, 'moved.csv'), TABLE.replace('DE', 'US'))
    expect(await refusal(name, { file: 'moved.csv' })).toContain('is invalid: it is over other bytes than these')
    const [der, content] = [new Uint8Array(readFileSync(join(folder, name))), new TextEncoder().encode(TABLE)]
    const good = readSigned(der)
    const signer = good === null ? null : signerOf(good, content)
    if (signer?.ok !== true) throw new Error('it does not stand')
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const message = readSigned(der.map((byte, place) => (place === at ? byte ^ by : byte)))
        const told = message === null ? null : signerOf(message, content)
        // Whatever is changed of the signature itself ends it; a changed certificate has another fingerprint.
        const isSame = told?.ok === true && told.value.fingerprint === signer.value.fingerprint
        const isAround =
          message !== null && Buffer.compare(message.signature, good?.signature ?? new Uint8Array()) === 0
        expect(!isSame || isAround).toBe(true)
      }),
    )
  })

  it('is of the signer that the customer was given, or refused', async () => {
    const name = sign('rsa', 'PEM')
    const told = printed('rsa')
    const kept = await read(name, { signer: told })
    expect(kept.ok && kept.value.sites.signer).toBe(told.replaceAll(':', '').toLowerCase())
    expect(await refusal(name, { signer: printed('p256') })).toMatch(
      /^sites\.signer: “sites\.csv” is signed by “O=Hostrunway, CN=rsa” with another certificate, [0-9a-f]{64}$/,
    )
    const { signature: _, ...unsigned } = {
      file: 'sites.csv',
      source: 'x',
      on: '2026-11-01',
      declaredBy: 'x',
      signature: '',
    }
    const refused = await readSites({ ...unsigned, signer: told }, join(folder, 'fleet.yaml'))
    expect(refused.ok ? '' : refused.error.detail).toContain('has no signature (sites.signature)')
  })
})

import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { makeIdentity } from '../../main/adapters/identity/certificates.ts'
import { signerOf } from '../../main/adapters/identity/folder.ts'
import { fromPem } from '../../main/core/base/pem.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { realClock, realEntropy } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { padesSuite } from '../support/pades-suite.ts'
import { softhsmSigner, whyNoSoftHsm } from '../support/softhsm.ts'
import { testCa } from '../support/test-ca.ts'

const folder = folderOfTests('barewitness-rsa')

function localIdentity(): Signer {
  const request = { commonName: 'Local', rootCommonName: 'Local root', now: realClock.now(), entropy: realEntropy }
  const made = makeIdentity(request)
  return signerOf({ ...made, subject: 'Local', key: made.leafKey })
}

/** RSA-3072 under an authority with an issuer between, certified by openssl as certification authorities do. */
function rsaUnderIssuer(): Signer {
  const ca = testCa(join(folder, 'ca'))
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 })
  writeFileSync(join(folder, 'rsa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  const read = (path: string, label: string): Uint8Array =>
    fromPem(label, readFileSync(path, 'latin1'))[0] ?? new Uint8Array()
  const certificate = read(ca.certify(join(folder, 'rsa.pub'), 'RSA signer'), 'CERTIFICATE')
  return {
    certificate,
    chain: [read(join(ca.folder, 'issuer.pem'), 'CERTIFICATE'), ca.root],
    crls: ca.crls.map((path) => read(path, 'X509 CRL')),
    keyType: 'RSA',
    fingerprint: createHash('sha256').update(certificate).digest('hex'),
    subject: 'RSA signer',
    sign: async (data) => new Uint8Array(sign('sha256', data, privateKey)),
  }
}

const noOpenssl = spawnSync('openssl', ['version']).error === undefined ? null : 'openssl is not installed'
padesSuite('a local identity (P-256)', localIdentity)
padesSuite('an RSA-3072 key under an issuer', rsaUnderIssuer, noOpenssl)

// A key that never leaves its token, of both kinds.
const noToken = whyNoSoftHsm()
for (const kind of ['EC', 'RSA'] as const) {
  let stop = (): void => {}
  afterAll(() => stop())
  padesSuite(
    `a key on a PKCS #11 token, ${kind}`,
    async () => {
      const token = await softhsmSigner(kind)
      stop = token.stop
      return token.signer
    },
    noToken,
  )
}

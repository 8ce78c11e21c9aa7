import { webcrypto } from 'node:crypto'
import * as pkijs from 'pkijs'

const pem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`

const LOOPBACK = new Uint8Array([127, 0, 0, 1])

/** A self-signed certificate for a server at 127.0.0.1, with its key. */
export async function newCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const engine = new pkijs.CryptoEngine({ crypto: webcrypto as unknown as Crypto, name: 'node' })
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { Utf8String, Integer, OctetString } = await import('asn1js')
  const certificate = new pkijs.Certificate()
  certificate.version = 2
  certificate.serialNumber = new Integer({ value: 1 })
  for (const name of [certificate.subject, certificate.issuer])
    name.typesAndValues.push(
      new pkijs.AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: 'loopback' }) }),
    )
  certificate.notBefore.value = new Date('2020-01-01T00:00:00Z')
  certificate.notAfter.value = new Date('2049-01-01T00:00:00Z')
  const address = new pkijs.GeneralName({ type: 7, value: new OctetString({ valueHex: LOOPBACK.buffer }) })
  certificate.extensions = [
    new pkijs.Extension({
      extnID: '2.5.29.17',
      extnValue: new pkijs.GeneralNames({ names: [address] }).toSchema().toBER(false),
    }),
  ]
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey as CryptoKey, engine)
  await certificate.sign(keys.privateKey as CryptoKey, 'SHA-256', engine)
  return {
    cert: pem('CERTIFICATE', certificate.toSchema(true).toBER(false)),
    key: pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
  }
}

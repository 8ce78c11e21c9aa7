import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signerOf } from '../../main/adapters/identity/folder.ts'
import { fromPem } from '../../main/core/base/pem.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { testCa } from './test-ca.ts'

/** A certification authority that signs revocation lists as told. */
export interface RevokingCa {
  readonly root: Uint8Array
  readonly issuerSerial: string
  /** A new key, certified by the issuer under this serial number (hex). Its chain is the issuer and the root; it has no lists. */
  readonly issue: (name: string, serial: string) => Signer
  readonly list: (by: 'issuer' | 'root', entries: readonly Revoked[], days?: number) => Uint8Array
}

export interface Revoked {
  readonly serial: string
  readonly at: Date
  /** As openssl ca keeps it in its index: `keyCompromise`, `keyTime,20260101000000Z`, … */
  readonly reason?: string
}

/** Makes one. Needs openssl. */
export function revokingCa(folder: string): RevokingCa {
  const ca = testCa(folder)
  const one = (name: string, label: string): Uint8Array =>
    fromPem(label, readFileSync(join(folder, name), 'latin1'))[0] ?? new Uint8Array()
  const issuer = one('issuer.pem', 'CERTIFICATE')
  return {
    root: ca.root,
    issuerSerial: new X509Certificate(issuer).serialNumber,
    issue: (name, serial) => {
      ca.openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`)
      ca.openssl('pkey', '-in', `${name}.key`, '-pubout', '-out', `${name}.pub`)
      // openssl adds one to what it finds here.
      writeFileSync(join(folder, 'issuer.srl'), `${(BigInt(`0x${serial}`) - 1n).toString(16).padStart(4, '0')}\n`)
      ca.certify(`${name}.pub`, name)
      const leaf = one(`${name}.pem`, 'CERTIFICATE')
      const key = createPrivateKey(readFileSync(join(folder, `${name}.key`)))
      const { subject } = new X509Certificate(leaf)
      const signer = signerOf({ leaf, root: ca.root, crl: new Uint8Array(), subject, key })
      return { ...signer, chain: [issuer, ca.root], crls: [] }
    },
    list: (by, entries, days = 300) => {
      writeFileSync(join(folder, 'index.txt'), entries.map(indexLine).join(''))
      const signedBy = ['-cert', `${by}.pem`, '-keyfile', `${by}.key`, '-crldays', String(days), '-out', 'list.pem']
      ca.openssl('ca', '-gencrl', '-config', 'ca.cnf', '-name', 'list', ...signedBy)
      return one('list.pem', 'X509 CRL')
    },
  }
}

const indexLine = ({ serial, at, reason }: Revoked): string =>
  `R\t491231000000Z\t${digits(at).slice(2)}${reason === undefined ? '' : `,${reason}`}\t${serial}\tunknown\t/CN=x\n`

/** GeneralizedTime; without its first two digits, UTCTime. */
export const digits = (at: Date): string => `${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { OID } from '../../main/adapters/seal/oids.ts'
import {
  bits,
  der,
  nothing,
  octets,
  oid,
  sequence,
  setOf,
  small,
  text,
  time,
  unsigned,
  yes,
} from '../../main/core/der/read.ts'

/** `EC384` signs with SHA-384, `RSA4096` with SHA-512, the others with SHA-256. */
export type TsaKeyType = 'EC' | 'EC384' | 'RSA' | 'RSA4096'

export interface TsaKey {
  readonly type: TsaKeyType
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export function newKey(type: TsaKeyType): TsaKey {
  if (type === 'EC') return { type, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
  if (type === 'EC384') return { type, ...generateKeyPairSync('ec', { namedCurve: 'P-384' }) }
  return { type, ...generateKeyPairSync('rsa', { modulusLength: type === 'RSA' ? 2048 : 4096 }) }
}

export const hashOf = (type: TsaKeyType): 'sha256' | 'sha384' | 'sha512' =>
  type === 'EC384' ? 'sha384' : type === 'RSA4096' ? 'sha512' : 'sha256'

export const signatureAlgorithmOf = (type: TsaKeyType): Uint8Array =>
  ({
    EC: sequence(oid(OID.ecdsaWithSha256)),
    EC384: sequence(oid(OID.ecdsaWithSha384)),
    RSA: sequence(oid(OID.sha256WithRsa), nothing()),
    RSA4096: sequence(oid(OID.sha512WithRsa), nothing()),
  })[type]

export const signedBy = (key: TsaKey, data: Uint8Array): Uint8Array =>
  new Uint8Array(sign(hashOf(key.type), data, key.privateKey))

const withSignature = (tbs: Uint8Array, by: TsaKey): Uint8Array =>
  sequence(tbs, signatureAlgorithmOf(by.type), bits(signedBy(by, tbs)))

export const nameOf = (commonName: string): Uint8Array =>
  sequence(setOf(sequence(oid(OID.commonName), text(commonName))))

const extension = (id: string, critical: boolean, value: Uint8Array): Uint8Array =>
  sequence(oid(id), ...(critical ? [yes()] : []), octets(value))

export interface CertificateRequest {
  readonly subject: string
  readonly issuer: string
  readonly key: TsaKey
  readonly by: TsaKey
  readonly from: string
  readonly until: string
  /** Null for a certificate that issues others. */
  readonly purposes: { readonly ids: readonly string[]; readonly critical: boolean } | null
  readonly pathLength?: number
  readonly demo?: boolean
  readonly listAt?: string | undefined
  readonly extensions?: readonly Uint8Array[]
}

export function certificateFor(request: CertificateRequest): Uint8Array {
  const { purposes } = request
  const leaf = purposes !== null
  const most = request.pathLength === undefined ? [] : [small(request.pathLength)]
  const url = request.listAt
  return withSignature(
    sequence(
      der(0xa0, small(2)),
      unsigned(new Uint8Array([0x4a, ...randomBytes(8)])),
      signatureAlgorithmOf(request.by.type),
      nameOf(request.issuer),
      sequence(time(new Date(request.from)), time(new Date(request.until))),
      nameOf(request.subject),
      new Uint8Array(request.key.publicKey.export({ type: 'spki', format: 'der' })),
      der(
        0xa3,
        sequence(
          extension(OID.basicConstraints, true, leaf ? sequence() : sequence(yes(), ...most)),
          extension(OID.keyUsage, true, leaf ? bits(new Uint8Array([0x80]), 7) : bits(new Uint8Array([0x06]), 1)),
          ...(leaf ? [extension(OID.extendedKeyUsage, purposes.critical, sequence(...purposes.ids.map(oid)))] : []),
          ...(request.demo === true ? [extension(OID.demoMark, false, text('DEMO'))] : []),
          ...(url === undefined ? [] : [extension(OID.crlDistributionPoints, false, distributionPoint(url))]),
          ...(request.extensions ?? []),
        ),
      ),
    ),
    request.by,
  )
}

const distributionPoint = (url: string): Uint8Array =>
  sequence(sequence(der(0xa0, der(0xa0, der(0x86, new TextEncoder().encode(url))))))

export interface ListRequest {
  readonly issuer: string
  readonly by: TsaKey
  readonly from: string
  readonly until: string
  /** The INTEGER of each serial number, and since when. */
  readonly revoked: readonly { readonly serial: Uint8Array; readonly at: string }[]
}

export const listFor = ({ issuer, by, from, until, revoked }: ListRequest): Uint8Array =>
  withSignature(
    sequence(
      small(1),
      signatureAlgorithmOf(by.type),
      nameOf(issuer),
      time(new Date(from)),
      time(new Date(until)),
      ...(revoked.length === 0
        ? []
        : [sequence(...revoked.map(({ serial, at }) => sequence(serial, time(new Date(at)))))]),
    ),
    by,
  )

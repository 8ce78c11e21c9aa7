import { canonicalJson } from './canonical-json.ts'
import { type Sha256, sha256 } from './digest.ts'
import { evidenceDigest, manifestLines, PATHS, type PackFiles } from './pack-files.ts'
import { pem } from './pem.ts'
import type { Signer } from './ports.ts'
import { type StatementInput, statementFor } from './statement.ts'
import { verifyText } from './verify-text.ts'

export { assessmentBytes, evidenceDigest, PATHS, type PackFiles, payloadFiles } from './pack-files.ts'

export const PACK_EXTENSION = '.barewitness.zip'

export interface PackInput extends StatementInput {
  /** From payloadFiles(), with the report added under PATHS.report. */
  readonly payload: PackFiles
  readonly signer: Pick<Signer, 'certificate' | 'chain' | 'crls' | 'fingerprint' | 'subject'>
  /** The archive's file name, for VERIFY.txt. */
  readonly packName: string
}

export interface AssembledPack {
  /** Every file but the seal. */
  readonly files: PackFiles
  /** The bytes to seal: put the signature over them at PATHS.seal. */
  readonly toSeal: Uint8Array
  readonly evidenceDigest: Sha256
}

export const BAG_DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'

/**
 * A BagIt 1.0 bag (RFC 8493) around a payload. The tag manifest lists every other file outside the payload, certificates and revocation
 * lists included, so that the one signature over it covers every byte of the pack but its own.
 */
export function assemblePack(input: PackInput): AssembledPack {
  const { payload, signer, assessment } = input
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
  const digest = evidenceDigest(payload)
  const bytes = [...payload.values()].reduce((sum, { length }) => sum + length, 0)
  const info = [
    ['Bag-Software-Agent', input.producer],
    ['Bagging-Date', assessment.asOf.slice(0, 10)],
    ['External-Identifier', input.run],
    ['Payload-Oxum', `${bytes}.${payload.size}`],
    ['Pack-Version', '1'],
    ['Evidence-Digest', digest],
    ['Signer-Fingerprint', signer.fingerprint],
    ...(assessment.demo ? [['Demo-Data', 'yes']] : []),
  ]
  const help = verifyText({
    packName: input.packName,
    fingerprint: signer.fingerprint,
    rootFingerprint: sha256(signer.chain.at(-1) ?? signer.certificate),
    subject: signer.subject,
    evidenceDigest: digest,
    demo: assessment.demo,
    revocationLists: signer.crls.map((_, index) => revocationListPath(index)),
  })
  const tags = new Map<string, Uint8Array>([
    [PATHS.bag, utf8(BAG_DECLARATION)],
    [PATHS.info, utf8(info.map(([name, value]) => `${name}: ${value}\n`).join(''))],
    [PATHS.manifest, utf8(manifestLines(payload))],
    [PATHS.statement, utf8(`${canonicalJson(statementFor(payload, input))}\n`)],
    [PATHS.help, utf8(help)],
    [PATHS.chain, utf8([signer.certificate, ...signer.chain].map((der) => pem('CERTIFICATE', der)).join(''))],
    ...signer.crls.map((der, index) => [revocationListPath(index), utf8(pem('X509 CRL', der))] as const),
  ])
  const toSeal = utf8(manifestLines(tags))
  return { files: new Map([...payload, ...tags, [PATHS.tagManifest, toSeal]]), toSeal, evidenceDigest: digest }
}

const revocationListPath = (index: number): string => `signature/crls/crl-${index + 1}.pem`

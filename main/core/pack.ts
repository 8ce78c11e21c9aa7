import { canonicalJson } from './canonical-json.ts'
import { type Sha256, sha256 } from './digest.ts'
import { evidenceDigestOf, manifestLines, PATHS, type PackFiles, sizeOf } from './pack-files.ts'
import { pem } from './pem.ts'
import type { Signer } from './ports.ts'
import { CHAIN_PATHS } from './run-chain/files.ts'
import { inclusionRecipe } from './run-chain/recipe.ts'
import { type StatementInput, statementFor } from './statement.ts'
import { VERIFY_SH } from './verify-sh.ts'
import { type Recipe, verifyText } from './verify-text.ts'

export { assessmentBytes, evidenceDigestOf, manifestLines, PATHS, type PackFiles, payloadFiles } from './pack-files.ts'

export const PACK_EXTENSION = '.barewitness.zip'

export interface PackInput extends StatementInput {
  /** From payloadFiles(), with the report added under PATHS.report. */
  readonly payload: PackFiles
  readonly signer: Pick<Signer, 'certificate' | 'chain' | 'crls' | 'fingerprint' | 'subject'>
  /** The authority that will stamp the seal, when one was asked already: for its own check in later years. */
  readonly authority?: StampAuthority | null
  /** Listed and sealed files outside the payload. */
  readonly tags?: ReadonlyMap<string, Uint8Array>
  /** The archive's file name, for VERIFY.txt. */
  readonly packName: string
}

export interface StampAuthority {
  readonly name: string
  /** DER, leaf first. */
  readonly chain: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
}

export interface AssembledPack {
  /** Every file outside the payload, but the seal. */
  readonly tags: ReadonlyMap<string, Uint8Array>
  /** The bytes to seal: put the signature over them at PATHS.seal. */
  readonly toSeal: Uint8Array
  readonly evidenceDigest: Sha256
}

export const BAG_DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'

/**
 * A BagIt 1.0 bag (RFC 8493) around a payload. The tag manifest lists every other file outside the payload, certificates and revocation
 * lists included, so that the one signature over it covers every byte of the pack but its own and the time-stamps over it.
 */
export function assemblePack(input: PackInput): AssembledPack {
  const { payload, signer, assessment, authority } = input
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
  const manifest = manifestLines(payload)
  const digest = evidenceDigestOf(manifest)
  const bytes = [...payload.values()].reduce((sum, content) => sum + sizeOf(content), 0)
  const info = [
    ['Bag-Software-Agent', input.producer],
    ['Bagging-Date', assessment.asOf.slice(0, 10)],
    ['External-Identifier', input.run],
    ['Payload-Oxum', `${bytes}.${payload.size}`],
    ['Pack-Version', '2'],
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
    revocationLists: signer.crls.map((_, index) => listPath('signature/crls/', index)),
    timestamp: authority == null ? null : { authority: authority.name },
    recipes: payload.has(CHAIN_PATHS.inclusion) ? [CHAIN_RECIPE] : [],
  })
  const tags = new Map<string, Uint8Array>([
    ...(input.tags ?? []),
    [PATHS.bag, utf8(BAG_DECLARATION)],
    [PATHS.info, utf8(info.map(([name, value]) => `${name}: ${value}\n`).join(''))],
    [PATHS.manifest, utf8(manifest)],
    [PATHS.statement, utf8(`${canonicalJson(statementFor(payload, manifest, input))}\n`)],
    [PATHS.help, utf8(help)],
    [PATHS.verifyScript, utf8(VERIFY_SH)],
    [PATHS.chain, certificates([signer.certificate, ...signer.chain])],
    ...revocationLists('signature/crls/', signer.crls),
    ...(authority == null
      ? []
      : [[PATHS.tsaChain, certificates(authority.chain)] as const, ...revocationLists(PATHS.tsaLists, authority.crls)]),
  ])
  const toSeal = utf8(manifestLines(tags))
  return { tags: new Map([...tags, [PATHS.tagManifest, toSeal]]), toSeal, evidenceDigest: digest }
}

const CHAIN_RECIPE: Recipe = {
  title: 'That the pack before this one is in the chain of runs that this pack states (in the folder unpacked/pack)',
  lines: ['( set -eu', ...inclusionRecipe(), ')'],
}

const certificates = (chain: readonly Uint8Array[]): Uint8Array =>
  new TextEncoder().encode(chain.map((der) => pem('CERTIFICATE', der)).join(''))

const revocationLists = (folder: string, lists: readonly Uint8Array[]): readonly (readonly [string, Uint8Array])[] =>
  lists.map((der, index) => [listPath(folder, index), new TextEncoder().encode(pem('X509 CRL', der))])

const listPath = (folder: string, index: number): string => `${folder}crl-${index + 1}.pem`

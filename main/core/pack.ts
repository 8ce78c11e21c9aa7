import { canonicalJson } from './canonical-json.ts'
import { type Sha256, sha256 } from './digest.ts'
import {
  type ManifestDigests,
  manifestLines,
  manifestOf,
  PATHS,
  type PackContent,
  type PackFiles,
  sizeOf,
} from './pack-files.ts'
import { pem } from './pem.ts'
import type { Signer } from './ports.ts'
import { CHAIN_PATHS } from './run-chain/files.ts'
import { inclusionRecipe } from './run-chain/recipe.ts'
import { type StatementInput, statementFor } from './statement.ts'
import { VERIFY_SH } from './verify-sh.ts'
import { type Recipe, verifyText } from './verify-text.ts'

export { assessmentBytes, evidenceDigestOf, manifestLines, PATHS, type PackFiles, payloadFiles } from './pack-files.ts'

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
  readonly tags: ReadonlyMap<string, PackContent>
  /** VERIFY.txt, one of them. */
  readonly help: Uint8Array
  /** The bytes to seal: put the signature over them at PATHS.seal. */
  readonly toSeal: Uint8Array
  readonly evidenceDigest: Sha256
}

export const BAG_DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'

/** The pack of a run: see assembleBag(). */
export const assemblePack = (input: PackInput): AssembledPack => assembleBag(bagOfRun(input))

/** What the pack of a run is made of. */
export const bagOfRun = <T extends PackInput>(input: T): T & BagInput => ({
  ...input,
  identifier: input.run,
  asOf: input.assessment.asOf,
  demo: input.assessment.demo,
  statement: (manifest: ManifestDigests) => statementFor(input.payload, manifest, input),
})

/** What a sealed pack of any kind is made of. */
export interface BagInput
  extends Pick<PackInput, 'payload' | 'signer' | 'authority' | 'tags' | 'packName' | 'producer'> {
  /** What the pack is of, in one word. */
  readonly identifier: string
  readonly asOf: string
  readonly demo: boolean
  /** The content of statement.json, over the payload manifest. */
  readonly statement: (manifest: ManifestDigests) => unknown
  /** Of VERIFY.txt: where raw answers lie. The folder of a run's own pack unless told otherwise. */
  readonly nodes?: string
}

/**
 * A BagIt 1.0 bag (RFC 8493) around a payload. The tag manifest lists every other file outside the payload, certificates and revocation
 * lists included, so that the one signature over it covers every byte of the pack but its own and the time-stamps over it.
 */
export function assembleBag(input: BagInput): AssembledPack {
  const { payload, signer, authority, demo } = input
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
  const manifest = manifestOf(payload)
  const digest = manifest.evidenceDigest
  let bytes = 0
  for (const content of payload.values()) bytes += sizeOf(content)
  const help = utf8(
    verifyText({
      packName: input.packName,
      fingerprint: signer.fingerprint,
      rootFingerprint: sha256(signer.chain.at(-1) ?? signer.certificate),
      subject: signer.subject,
      evidenceDigest: digest,
      demo,
      revocationLists: signer.crls.map((_, index) => listPath('signature/crls/', index)),
      timestamp: authority == null ? null : { authority: authority.name },
      recipes: payload.has(CHAIN_PATHS.inclusion) ? [CHAIN_RECIPE] : [],
      ...(input.nodes === undefined ? {} : { nodes: input.nodes }),
    }),
  )
  const tags = new Map<string, PackContent>([
    ...(input.tags ?? []),
    [PATHS.bag, utf8(BAG_DECLARATION)],
    [
      PATHS.info,
      utf8(
        bagInfo({
          ...input,
          oxum: `${bytes}.${payload.size}`,
          evidenceDigest: digest,
          fingerprint: signer.fingerprint,
        }),
      ),
    ],
    [PATHS.manifest, manifest.content],
    [PATHS.statement, utf8(`${canonicalJson(input.statement(manifest))}\n`)],
    [PATHS.help, help],
    [PATHS.verifyScript, utf8(VERIFY_SH)],
    [PATHS.chain, certificates([signer.certificate, ...signer.chain])],
    ...revocationLists('signature/crls/', signer.crls),
    ...(authority == null
      ? []
      : [[PATHS.tsaChain, certificates(authority.chain)] as const, ...revocationLists(PATHS.tsaLists, authority.crls)]),
  ])
  const toSeal = utf8(manifestLines(tags))
  return { tags: new Map([...tags, [PATHS.tagManifest, toSeal]]), help, toSeal, evidenceDigest: digest }
}

/** bag-info.txt (RFC 8493 §2.2.2), whose lines all follow from the rest of the pack. */
export const bagInfo = (of: {
  readonly producer: string
  readonly asOf: string
  readonly identifier: string
  readonly oxum: string
  readonly evidenceDigest: string
  readonly fingerprint: string
  readonly demo: boolean
}): string =>
  [
    ['Bag-Software-Agent', of.producer],
    ['Bagging-Date', of.asOf.slice(0, 10)],
    ['External-Identifier', of.identifier],
    ['Payload-Oxum', of.oxum],
    ['Pack-Version', '2'],
    ['Evidence-Digest', of.evidenceDigest],
    ['Signer-Fingerprint', of.fingerprint],
    ...(of.demo ? [['Demo-Data', 'yes']] : []),
  ]
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')

/** How the run chain is recomputed by hand, where the pack has the inclusion of the preceding one. */
export const CHAIN_RECIPE: Recipe = {
  title: 'The previous pack is in the run chain of this pack (run in the folder unpacked/pack)',
  lines: ['( set -eu', ...inclusionRecipe(), ')'],
}

const certificates = (chain: readonly Uint8Array[]): Uint8Array =>
  new TextEncoder().encode(chain.map((der) => pem('CERTIFICATE', der)).join(''))

const revocationLists = (folder: string, lists: readonly Uint8Array[]): readonly (readonly [string, Uint8Array])[] =>
  lists.map((der, index) => [listPath(folder, index), new TextEncoder().encode(pem('X509 CRL', der))])

const listPath = (folder: string, index: number): string => `${folder}crl-${index + 1}.pem`

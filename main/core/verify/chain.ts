import type { VerificationAnswer } from '../../../schemas/verification.ts'
import { PATHS } from '../pack-files.ts'
import type { PackSource, SealReader, SealReading } from '../ports.ts'
import { chainAnswer } from '../run-chain/answer.ts'
import type { PackedEntry } from '../run-chain/entry.ts'
import type { ChainHead } from '../run-chain/head.ts'
import { type ChainReading, readChainFiles, type SignatureProblems } from '../run-chain/read.ts'
import { bytesOf, textOf } from './read.ts'

/**
 * The chain that a pack says it extends, and the entry that stands for the pack itself. `own` is null when there is none to speak of;
 * `stated` is the chain whether or not it is to be relied on.
 */
export type PackChain = { readonly stated: ChainReading | null } & (
  | { readonly answer: VerificationAnswer; readonly reading: ChainReading; readonly own: PackedEntry }
  | { readonly answer: VerificationAnswer; readonly own: null }
)

/** Reads the chain of runs in a pack and compares it with the head that the reader kept. */
export async function chainOf(
  {
    source,
    seal,
    lastHead,
    trusted,
  }: {
    readonly source: PackSource
    readonly seal: SealReader
    readonly lastHead: ChainHead | null
    /** The reader trusts the key of the pack. */
    readonly trusted: boolean
  },
  /** The entry that stands for the pack, of its tag manifest and its signer; null when the pack does not say enough. */
  ownOf: ((tagManifest: Uint8Array, signer: string) => PackedEntry) | null,
  reading: SealReading | null,
): Promise<PackChain> {
  const tagManifest = await bytesOf(source, PATHS.tagManifest)
  const signer = reading?.problems.length === 0 ? reading.signer : null
  const own = ownOf === null || tagManifest === null || signer == null ? null : ownOf(tagManifest, signer.fingerprint)
  const chain = await readChainFiles((path) => textOf(source, path), gapSignatures(seal))
  const answer = chainAnswer(chain, own, lastHead)
  if (own === null || chain === null || chain.problems.length > 0 || !isKnown(own, chain, trusted))
    return { answer: answer.outcome === 'yes' ? NOBODY_KNOWN : answer, own: null, stated: chain }
  return { answer, reading: chain, own, stated: chain }
}

/** Anybody can work out what would follow the last pack, so only a trusted key, or one that entered earlier packs, goes on with a chain. */
const isKnown = (own: PackedEntry, { entries }: ChainReading, trusted: boolean): boolean =>
  trusted || entries.some(({ entry }) => entry.signer === own.signer)

const NOBODY_KNOWN: VerificationAnswer = {
  question: 'chain-continuous',
  outcome: 'not-shown',
  summary: 'What it states fits what you last saw, and nothing shows that it is by the same owner.',
  details: ['Its key is not one that you trust, nor one that sealed an earlier pack of the chain.'],
}

/**
 * A gap is signed by the key that it names. Under which root, and when that key was made or ended, is not judged here: an owner may have had
 * another root of the same name by then.
 */
const gapSignatures =
  (seal: SealReader): SignatureProblems =>
  async (content, signature, signer) => {
    const reading = await seal.read({
      content,
      signature,
      chain: [],
      crls: [],
      timestamps: [],
      tsaChain: [],
      tsaCrls: [],
      freshCrls: [],
    })
    return reading.problems.length > 0 || reading.signer?.fingerprint === signer
      ? reading.problems
      : ['It was signed by another key than the one it names.']
  }

import type { VerificationCheckResult } from '../../../schemas/verification.ts'
import { PATHS } from '../../core/pack-files.ts'
import type { PackSource, SealReader, SealReading } from '../../core/ports.ts'
import { chainAnswer } from '../../core/run-chain/answer.ts'
import type { PackedEntry } from '../../core/run-chain/entry.ts'
import type { Checkpoint } from '../../core/run-chain/head.ts'
import { type ChainReading, readChainFiles, type SignatureProblems } from '../../core/run-chain/read.ts'
import { bytesOf, textOf } from './read.ts'

/**
 * The run chain that a pack states it extends, and the entry of the pack itself. `own` is null when there is none;
 * `stated` is the chain whether or not it is reliable.
 */
export type PackChain = { readonly stated: ChainReading | null } & (
  | { readonly answer: VerificationCheckResult; readonly reading: ChainReading; readonly own: PackedEntry }
  | { readonly answer: VerificationCheckResult; readonly own: null }
)

/** Reads the run chain in a pack and compares it with the reader’s checkpoint. */
export async function chainOf(
  {
    source,
    seal,
    checkpoint,
    trusted,
  }: {
    readonly source: PackSource
    readonly seal: SealReader
    readonly checkpoint: Checkpoint | null
    /** The reader trusts the key of the pack. */
    readonly trusted: boolean
  },
  /** Builds the entry of the pack from its tag manifest and signer; null when the pack lacks the data for it. */
  ownOf: ((tagManifest: Uint8Array, signer: string) => PackedEntry) | null,
  reading: SealReading | null,
): Promise<PackChain> {
  const tagManifest = await bytesOf(source, PATHS.tagManifest)
  const signer = reading?.problems.length === 0 ? reading.signer : null
  const own = ownOf === null || tagManifest === null || signer == null ? null : ownOf(tagManifest, signer.fingerprint)
  const chain = await readChainFiles((path) => textOf(source, path), gapSignatures(seal))
  const answer = chainAnswer(chain, own, checkpoint)
  if (own === null || chain === null || chain.problems.length > 0 || !isKnown(own, chain, trusted))
    return { answer: answer.outcome === 'passed' ? NOBODY_KNOWN : answer, own: null, stated: chain }
  return { answer, reading: chain, own, stated: chain }
}

/** Anyone can compute a valid next entry, so only a trusted key, or a key that sealed earlier packs, can extend a chain. */
const isKnown = (own: PackedEntry, { entries }: ChainReading, trusted: boolean): boolean =>
  trusted || entries.some(({ entry }) => entry.signer === own.signer)

const NOBODY_KNOWN: VerificationCheckResult = {
  check: 'continuity',
  outcome: 'indeterminate',
  summary: 'Extends your checkpoint, but the signer is not confirmed.',
  details: ['You do not trust its key, and the key sealed no earlier pack of the run chain.'],
  needs: 'signer',
}

/**
 * A missed-run entry is signed by the key that it names. The root and validity of that key are not evaluated here: the owner may have had
 * a different root of the same name at that time.
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
      : ['It was signed by a different key from the one it names.']
  }

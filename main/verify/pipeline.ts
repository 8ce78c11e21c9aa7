import type {
  VerificationCheckResult,
  VerificationProgress,
  VerificationReport,
  VerificationStep,
} from '../../schemas/verification.ts'
import { bounded } from '../core/base/budgets.ts'
import { plain } from '../core/base/plain-text.ts'
import type { PackSource, SealReader, SealReading } from '../core/ports/ports.ts'
import { NO_SEAL, namedAuthority, readSealOf, signedBy, signerOf, statusOfSigner } from './steps/signature.ts'
import { existedBy, type ShownTime, shownTime } from './steps/time.ts'
import type { Trust } from './steps/trust.ts'

/**
 * The steps of every verification, of a pack, a report, a period report, an excerpt or a redacted copy:
 *
 * 1. read the seal and its time-stamps, and the time that they confirm (sealStep),
 * 2. compare the files with the sealed list: integrity,
 * 3. compare the contents with each other: completeness,
 * 4. derive the verdicts again from the captures: reproducibility,
 * 5. follow the run chain: continuity,
 * 6. conclude from all of them, with the signature and the time of the first step (conclusion).
 *
 * Each kind has its own steps 2 to 5. A failed step prevents no other.
 */

/** The reader’s trust, and the time and the file of a verification. */
export interface Asked {
  readonly trust: Trust
  /** UTC, ISO 8601. */
  readonly verifiedAt: string
  /** The file’s name, for display. */
  readonly file: string
  /** Called with each step as it begins, and with each node in the fourth step. It has no influence on the outcome. */
  readonly onStep?: ((progress: VerificationProgress) => void) | undefined
  /** Called with the result of each check as soon as it is final. It has no influence on the outcome. */
  readonly onResult?: OnResult | undefined
}

export type OnResult = (kind: VerificationReport['kind'], result: VerificationCheckResult) => void

/** Reports results that are final before the others are available. */
export function concludes(
  { onResult }: Pick<Asked, 'onResult'>,
  kind: VerificationReport['kind'],
  results: readonly VerificationCheckResult[],
): void {
  for (const result of results) onResult?.(kind, bounded(result))
}

/** Reports a step in which nothing is counted. */
export const begins = ({ onStep }: Pick<Asked, 'onStep'>, step: VerificationStep): void =>
  onStep?.({ step, done: 0, total: 0 })

/** The seal of a file and the time at which it is known to have existed. */
interface Sealed {
  readonly seal: SealReading | null
  readonly time: ShownTime
  /** The file contains the complete chain of its signer up to the root. */
  readonly wholeChain: boolean
  /** The sealed contents require a time-stamp. */
  readonly isStampExpected: boolean
  /** Message where there is no seal to read. */
  readonly absent: string
}

/** Reads the seal of a pack, or of a folder in the form of a pack. */
export const sealStep = async (source: PackSource, reader: SealReader, asked: Asked): Promise<Sealed> =>
  await sealedPack(source, await readSealOf(source, reader, asked.trust), asked)

/** As sealStep(), for a seal that was read before. */
export async function sealedPack(source: PackSource, seal: SealReading | null, asked: Asked): Promise<Sealed> {
  const named = await namedAuthority(source)
  return {
    seal,
    time: shownTime(seal?.timestamps ?? [], { ...asked, ...named }),
    wholeChain: true,
    isStampExpected: named.wholeChains,
    absent: NO_SEAL,
  }
}

/** Fingerprint of the signer of a valid seal; null without one. */
export const validSigner = ({ seal }: Sealed): string | null =>
  seal?.problems.length === 0 ? (seal.signer?.fingerprint ?? null) : null

/** Whether the reader trusts the signer. */
export const isTrusted = ({ seal }: Sealed, { trust }: Asked): boolean =>
  seal !== null && statusOfSigner(seal, trust) !== 'unknown'

/** The results of the steps of one kind. */
interface Found {
  readonly integrity: VerificationCheckResult
  readonly completeness: VerificationCheckResult
  readonly reproducibility: VerificationCheckResult
  readonly continuity: VerificationCheckResult
  /** The evaluation date that the signer states. */
  readonly statedAt: string | null
  /** Whether the contents are marked as demo data. */
  readonly demo: boolean
  readonly rules: VerificationReport['rules']
  readonly differences: VerificationReport['differences']
}

/** The two checks of the seal: signature and time. */
export const sealChecks = (
  { trust, verifiedAt }: Pick<Asked, 'trust' | 'verifiedAt'>,
  { seal, time, wholeChain, isStampExpected, absent }: Sealed,
  statedAt: string | null,
): readonly VerificationCheckResult[] => [
  signedBy(seal, { trust, time, verifiedAt, wholeChain, absent }),
  existedBy(time, { stamps: seal?.timestamps.length ?? 0, expected: isStampExpected, statedAt }),
]

/** The last step: the six checks in their order. The file verifies unless one of them fails. */
export function conclusion(
  kind: VerificationReport['kind'],
  asked: Asked,
  sealed: Sealed,
  { integrity, completeness, reproducibility, continuity, statedAt, demo, rules, differences }: Found,
): VerificationReport {
  const { trust, verifiedAt, file } = asked
  const { seal, time } = sealed
  const checks = [integrity, ...sealChecks(asked, sealed, statedAt), completeness, reproducibility, continuity]
  return {
    schema: 'barewitness.verification/2',
    file: plain(file),
    kind,
    verifiedAt,
    ok: checks.every(({ outcome }) => outcome !== 'failed'),
    demo: seal?.demo === true || demo,
    checks: checks.map(bounded),
    rules,
    differences,
    signer: signerOf(seal, trust, time.at ?? verifiedAt),
  }
}

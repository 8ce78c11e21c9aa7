import type { AssessmentIndex, CatalogReference, ChosenProfile } from '../../../schemas/types.ts'
import type { RulesReading } from '../../../schemas/verification.ts'
import { profileWords } from '../../../schemas/words.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import {
  type AboutRules,
  type Assessor,
  assessorOf,
  type KeptRules,
  type PackAssessor,
} from '../../core/conclusion/assessor.ts'
import { NOTHING_SHARED } from '../../core/recording/same-machine.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { relaxedThresholds, type Threshold } from '../../core/rules/profile.ts'
import type { PackReading } from './read.ts'

/**
 * Compares the rules stated by a pack with the rules `here`. `same`: identical. `falsified`: the same
 * version with a different rules module or catalog from that version. `unknown`: a version that is not available here.
 */
export type RulesStatus = RulesReading['status']

export function statusOfRules(stated: CatalogReference, here: CatalogReference): RulesStatus {
  if (stated.version !== here.version) return 'unknown'
  return stated.module === here.module && stated.digest === here.digest ? 'same' : 'falsified'
}

/** The available rules that best match the ones stated by a pack, with the result of the comparison. */
export interface RulesAtHand extends AboutRules {
  readonly assess: Assessor
  readonly status: RulesStatus
}

/** The rules of this program and the retained rules of earlier versions. */
export interface RulesSources {
  readonly catalog: Catalog
  readonly kept: KeptRules
}

export async function rulesAtHand(
  sources: RulesSources,
  { catalog: stated, scope }: Pick<AssessmentIndex, 'catalog' | 'scope'>,
): Promise<RulesAtHand> {
  const assess = await assessorOf(sources, stated.version)
  const about = await assess.about(scope)
  return { ...about, assess, status: statusOfRules(stated, about.reference) }
}

/** The rules applied to a pack; null where it lacks data for an evaluation. */
export const assessorOfPack = async (
  rules: RulesAtHand | null,
  { scope, assessment }: Pick<PackReading, 'scope' | 'assessment'>,
): Promise<PackAssessor | null> =>
  rules === null || scope === null || assessment === null
    ? null
    : rules.assess.pack({ scope, shared: assessment.shared ?? NOTHING_SHARED })

/** Machine-readable result about the rules. */
export const rulesReading = (
  stated: CatalogReference,
  status: RulesStatus,
  { stated: results, identical }: { readonly stated: number; readonly identical: number },
): RulesReading => ({
  status,
  version: plain(stated.version, 40),
  results,
  unconfirmed: results - identical,
})

/** Why the stated rules are not those of the version they name. */
export function falsifiedRules(stated: CatalogReference, here: CatalogReference): string {
  const differs = (['module', 'digest'] as const)
    .filter((part) => stated[part] !== here[part])
    .map((part) => `the SHA-256 of its ${PARTS[part]} is ${here[part]}, but ${quote(stated[part], 64)} is stated`)
  return `The stated rules are not those of version ${quote(stated.version, 40)}: ${differs.join('; ')}.`
}

const PARTS = { module: 'module', digest: 'catalog' } as const

/** Summary for rules that are not available here: what cannot be confirmed without them, and what the rules of this program give. */
export function unknownRules(
  version: string,
  { stated, identical }: { readonly stated: number; readonly identical: number },
): string {
  const open =
    identical === stated ? 'No result is confirmed' : `${stated - identical} of ${stated} results not confirmed`
  return `${open}: rules version ${quote(version, 40)} is not available here. With the rules of this program, ${identical} of ${stated} verdicts are reproduced. Verify with a version of Barewitness that includes those rules.`
}

/** Notes on thresholds: the sealing party chose them, and verdicts with relaxed thresholds are reproducible too. */
interface ProfileNotes {
  /** Sentence that follows the count of verdicts. */
  readonly sentence: string
  /** Every relaxed threshold, one sentence each. */
  readonly relaxed: readonly string[]
}

export function profileNotes(thresholds: readonly Threshold[], chosen: ChosenProfile | undefined): ProfileNotes {
  const limits = relaxedThresholds(thresholds, chosen)
  const count =
    limits.length === 0 ? '' : `, with ${limits.length === 1 ? 'one threshold' : `${limits.length} thresholds`} relaxed`
  return {
    sentence: `Threshold profile: “${profileWords[chosen?.name ?? 'baseline'].label}”${count}.`,
    relaxed: limits.map(
      ({ threshold, shown, shownBefore, source }) =>
        `Relaxed threshold: ${threshold.title}: ${shown} instead of ${shownBefore}. Reason: ${quote(source, 500)}.`,
    ),
  }
}

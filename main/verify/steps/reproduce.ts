import { locationVerdictWords } from '../../../schemas/location-words.ts'
import type {
  Assessment,
  AssessmentIndex,
  CatalogReference,
  ChosenProfile,
  NodeAssessment,
} from '../../../schemas/types.ts'
import type { Difference, RulesReading } from '../../../schemas/verification.ts'
import { profileWords, type Verdict, verdictWords } from '../../../schemas/words.ts'
import {
  type AboutRules,
  type AssessedWhole,
  type Assessor,
  assessorOf,
  type KeptRules,
  type PackAssessor,
} from '../../core/assessor.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { NodeVerdicts } from '../../core/conclusion/documents.ts'
import { plain, quote } from '../../core/plain-text.ts'
import { type Threshold, thresholdValues } from '../../core/profile.ts'
import { compare } from '../../core/recording.ts'
import { NOTHING_SHARED } from '../../core/same-machine.ts'
import type { NodeReading } from './entries.ts'
import type { PackReading } from './read.ts'

/** Comparison of the stated results of one node with those derived here. */
export interface NodeComparison {
  readonly differences: readonly Difference[]
  /** Other differences, one sentence each. */
  readonly details: readonly string[]
  readonly stated: number
  readonly identical: number
  /** The derived verdicts on which conclusions are based. */
  readonly verdicts: NodeVerdicts | null
}

/** Compares the stated assessment of one node with the derived one: verdicts, isolation, location, then every byte. */
export function compareNode({ node, stated, derived }: NodeReading): NodeComparison {
  const nothing = { differences: [], stated: stated?.results.length ?? 0, identical: 0, verdicts: null }
  if (derived === null) return { ...nothing, details: [] }
  if ('threw' in derived)
    return {
      ...nothing,
      details: [`Node ${quote(node)}: the captures cannot be evaluated: ${quote(derived.threw)}.`],
    }
  const verdicts: NodeVerdicts = {
    node,
    results: derived.results.map(({ check, verdict }) => ({ check, verdict })),
    ...(derived.stale ? { stale: true } : {}),
    ...(derived.machine === undefined ? {} : { machine: derived.machine }),
  }
  if (stated === null)
    return { ...nothing, verdicts, details: [`Node ${quote(node)}: no readable results are stated.`] }
  const before = verdictsOf(stated)
  const again = verdictsOf(derived)
  const differences = [...new Set([...before.keys(), ...again.keys()])].sort(compare).flatMap((check): Difference[] => {
    const [one, other] = [before.get(check) ?? null, again.get(check) ?? null]
    return one === other ? [] : [{ node, check, stated: one, derived: other }]
  })
  const said = [
    ...differences.map(
      ({ check, stated: one, derived: other }) =>
        `Node ${quote(node)}, check ${quote(check)}: stated ${word(one)}, derived ${word(other)}.`,
    ),
    ...isolation(stated, derived),
    ...location(stated, derived),
    ...(before.size === stated.results.length ? [] : [`Node ${quote(node)}: a result is stated more than once.`]),
  ]
  const identical = [...before].filter(([check, verdict]) => again.get(check) === verdict).length
  return { differences, details: said, stated: before.size, identical, verdicts }
}

/** Differences in the text of observations only: with the same rules, these also show an edit. */
export function wordingDiffers({ node, stated, derived }: NodeReading): readonly string[] {
  if (stated === null || derived === null || 'threw' in derived || canonicalJson(stated) === canonicalJson(derived))
    return []
  const again = new Map(derived.results.map((found) => [found.check, canonicalJson(found)]))
  return [
    `Node ${quote(node)}: the assessment in the pack differs from the derived one in its observations.`,
    ...stated.results
      .filter((found) => again.get(found.check) !== canonicalJson(found))
      .map(({ check }) => `Node ${quote(node)}, check ${quote(check)}: same verdict, different observations.`),
  ]
}

/** Compares controls and other pack-level results with those derived from the verdicts reproduced here. */
export function compareWhole(
  assessment: AssessmentIndex,
  derived: AssessedWhole,
  rules: RulesStatus,
): { readonly details: readonly string[]; readonly wording: boolean } {
  const { schema: _, nodes: __, ...stated } = assessment
  return {
    details: [
      ...controls(assessment, derived),
      ...(canonicalJson(assessment.reconciliation ?? null) === canonicalJson(derived.reconciliation ?? null)
        ? []
        : ['The population reconciliation differs from the stated one.']),
      ...(canonicalJson(assessment.shared ?? null) === canonicalJson(derived.shared ?? null)
        ? []
        : ['Nodes that are one machine or share a host key differ from those stated.']),
    ],
    wording:
      canonicalJson({
        ...stated,
        engine: derived.engine,
        catalog: (rules === 'same' ? stated : derived).catalog,
      }) !== canonicalJson(derived),
  }
}

const word = (verdict: Verdict | null): string => (verdict === null ? 'none' : `“${verdictWords[verdict].label}”`)

const verdictsOf = ({ results }: NodeAssessment): ReadonlyMap<string, Verdict> =>
  new Map(results.map(({ check, verdict }) => [check, verdict]))

function isolation(stated: NodeAssessment, derived: NodeAssessment): readonly string[] {
  const [one, other] = [isolationText(stated), isolationText(derived)]
  if (one !== other)
    return [`Node ${quote(stated.node)}, isolation: stated ${quote(one, 600)}, derived ${quote(other, 600)}.`]
  return canonicalJson(stated.isolation) === canonicalJson(derived.isolation)
    ? []
    : [`Node ${quote(stated.node)}, isolation: same results, different isolation analysis.`]
}

function isolationText({ isolation: found }: NodeAssessment): string {
  if (found === null) return 'nothing'
  const devices = found.attachments.map(({ kind, device, attachment }) => `${kind} ${device} ${attachment}`)
  return [found.environment, found.platform ?? 'no platform', found.tenancy, `grade ${found.grade}`, ...devices].join(
    ', ',
  )
}

/** Packs from before location analysis have no location results. */
function location(stated: NodeAssessment, derived: NodeAssessment): readonly string[] {
  if (stated.location === undefined) return []
  const [one, other] = [locationText(stated), locationText(derived)]
  return one === other
    ? []
    : [`Node ${quote(stated.node)}, location: stated ${quote(one, 600)}, derived ${quote(other, 600)}.`]
}

const locationText = ({ location: found }: NodeAssessment): string =>
  found == null || found.results.length === 0
    ? 'nothing'
    : found.results.map(({ title, result }) => `${title}: ${locationVerdictWords[result].label}`).join(', ')

type Controls = Pick<Assessment, 'controls'>

/**
 * Conclusions that differ, each with its state. They are compared as canonical JSON: earlier rules use a different form,
 * and then both sides have it.
 */
function controls(stated: Controls, derived: Controls): readonly string[] {
  const found = (of: Controls): ReadonlyMap<string, Controls['controls'][number]> =>
    new Map(of.controls.map((one) => [`${one.framework} ${one.control}`, one]))
  const [one, other] = [found(stated), found(derived)]
  const text = (of: typeof one, key: string): string => canonicalJson(of.get(key) ?? null)
  const word = (of: typeof one, key: string): string => plain(String(of.get(key)?.state ?? 'nothing'))
  return [...new Set([...one.keys(), ...other.keys()])]
    .sort(compare)
    .filter((key) => text(one, key) !== text(other, key))
    .map((key) => {
      const [before, after] = [word(one, key), word(other, key)]
      return before === after
        ? `Control ${plain(key)}: stated and derived ${before}, based on different results.`
        : `Control ${plain(key)}: stated ${before}, derived ${after}.`
    })
}

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

/** Sources of the rules of this program and of earlier versions. */
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

/** Summary for rules that are not available here: the number of results not confirmed. */
export const unknownRules = (
  version: string,
  { stated, identical }: { readonly stated: number; readonly identical: number },
): string =>
  `${stated - identical} of ${stated} results not confirmed: rules version ${quote(version, 40)} is not available here. With the rules of this program, ${identical} of ${stated} verdicts are reproduced. Verify with a version of Barewitness that includes those rules.`

/** Notes on thresholds: the sealing party chose them, and verdicts with relaxed thresholds are reproducible too. */
interface ProfileNotes {
  /** Sentence that follows the count of verdicts. */
  readonly sentence: string
  /** Every relaxed threshold, one sentence each. */
  readonly relaxed: readonly string[]
}

export function profileNotes(thresholds: readonly Threshold[], chosen: ChosenProfile | undefined): ProfileNotes {
  const limits = [...thresholdValues(thresholds, chosen).values()].filter(({ moved }) => moved === 'looser')
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

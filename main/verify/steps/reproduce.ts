import { rowStateWords } from '../../../schemas/conclusion-words.ts'
import { locationVerdictWords } from '../../../schemas/location-words.ts'
import type { Assessment, AssessmentIndex, NodeAssessment } from '../../../schemas/types.ts'
import type { Difference } from '../../../schemas/verification.ts'
import { canonicalJson, isSameJson } from '../../core/base/canonical-json.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import type { AssessedWhole } from '../../core/conclusion/assessor.ts'
import { compare } from '../../core/recording/recording.ts'
import type { NodeVerdicts } from '../../core/register/documents.ts'
import type { NodeReading } from './entries.ts'
import { differencesOn, verdictsOf, verdictText } from './result.ts'
import type { RulesStatus } from './rules.ts'

/** Comparison of the stated results of one node with those derived here. */
interface NodeComparison {
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
  const differences = differencesOn(node, before, again)
  const sentences = [
    ...differences.map(
      ({ check, stated: one, derived: other }) =>
        `Node ${quote(node)}, check ${quote(check)}: stated ${verdictText(one)}, derived ${verdictText(other)}.`,
    ),
    ...isolation(stated, derived),
    ...location(stated, derived),
    ...(before.size === stated.results.length ? [] : [`Node ${quote(node)}: a result is stated more than once.`]),
  ]
  const identical = [...before].filter(([check, verdict]) => again.get(check) === verdict).length
  return { differences, details: sentences, stated: before.size, identical, verdicts }
}

/** Differences in the text of observations only: with the same rules, these also show an edit. */
export function wordingDiffers({ node, stated, derived }: NodeReading): readonly string[] {
  if (stated === null || derived === null || 'threw' in derived || isSameJson(stated, derived)) return []
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

function isolation(stated: NodeAssessment, derived: NodeAssessment): readonly string[] {
  const [one, other] = [isolationText(stated), isolationText(derived)]
  if (one !== other)
    return [`Node ${quote(stated.node)}, isolation: stated ${quote(one, 600)}, derived ${quote(other, 600)}.`]
  return isSameJson(stated.isolation, derived.isolation)
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
 * Conclusions that differ, each with its state. They are compared as canonical JSON: earlier rules use a different form, and then both sides have
 * it.
 */
function controls(stated: Controls, derived: Controls): readonly string[] {
  const found = (of: Controls): ReadonlyMap<string, Controls['controls'][number]> =>
    new Map(of.controls.map((one) => [`${one.framework} ${one.control}`, one]))
  const [one, other] = [found(stated), found(derived)]
  const text = (of: typeof one, key: string): string => canonicalJson(of.get(key) ?? null)
  const word = (of: typeof one, key: string): string => stateText(of.get(key)?.state)
  return [...new Set([...one.keys(), ...other.keys()])]
    .sort(compare)
    .filter((key) => text(one, key) !== text(other, key))
    .map((key) => {
      const [before, after] = [word(one, key), word(other, key)]
      return before === after
        ? `${controlText(key)}: stated and derived ${before}, based on different results.`
        : `${controlText(key)}: stated ${before}, derived ${after}.`
    })
}

/** “soc2 soc2:CC6.1” as “Control CC6.1 (soc2)”. */
const controlText = (key: string): string => plain(key).replace(/^(\S+) (?:\1:)?(.+)$/, 'Control $2 ($1)')

/** The label of a state; one that is not known is quoted as the pack states it. */
const stateText = (state: string | undefined): string =>
  state === undefined ? 'nothing' : quote(new Map(Object.entries(rowStateWords)).get(state)?.label ?? state)

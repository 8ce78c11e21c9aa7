import type { Assessment } from '../../../schemas/types.ts'
import type { Difference } from '../../../schemas/verification.ts'
import { type Verdict, verdictWords } from '../../../schemas/words.ts'
import type { AssessInput } from '../assess.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type Catalog, catalogDigest } from '../catalog.ts'
import { plain, quote } from '../plain-text.ts'
import { compare } from '../recording.ts'
import type { PackReading } from './read.ts'

export interface Rederivation {
  /** Evaluated here; null when the pack does not hold what that takes. */
  readonly derived: Assessment | null
  readonly differences: readonly Difference[]
  /** Anything that came out differently, one sentence each. */
  readonly details: readonly string[]
  /** Whether the pack was evaluated with the rules we have. */
  readonly sameRules: boolean
  readonly stated: number
  readonly identical: number
}

const NOTHING = { derived: null, differences: [], sameRules: false, stated: 0, identical: 0 }

/** Evaluates the raw answers again, with the pack's scope and moment and our catalog, and compares every result. */
export function rederive(
  { scope, assessment, recordings }: PackReading,
  catalog: Catalog,
  assess: (input: AssessInput) => Assessment,
): Rederivation {
  if (scope === null || assessment === null)
    return { ...NOTHING, details: ['The pack lacks what an evaluation takes.'] }
  const { asOf, ...declared } = scope
  let derived: Assessment
  try {
    derived = assess({ catalog, scope: declared, recordings, asOf })
  } catch (thrown) {
    // Whatever a pack holds must not end the other answers; a rule that throws is our mistake, and is named.
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return { ...NOTHING, details: [`The raw evidence cannot be evaluated: ${quote(why)}.`] }
  }
  const sameRules = assessment.catalog.digest === catalogDigest(catalog) && assessment.engine === derived.engine
  const stated = verdicts(assessment)
  const again = verdicts(derived)
  const differences = [...new Set([...stated.keys(), ...again.keys()])].sort(compare).flatMap((key): Difference[] => {
    const [one, other] = [stated.get(key) ?? null, again.get(key) ?? null]
    const [node = '', check = ''] = key.split('\n')
    return one === other ? [] : [{ node, check, stated: one, derived: other }]
  })
  const details = [
    ...differences.map(
      ({ node, check, stated: one, derived: other }) =>
        `Node ${quote(node)}, check ${quote(check)}: stated ${word(one)}, derived ${word(other)}.`,
    ),
    ...isolation(assessment, derived),
    ...controls(assessment, derived),
    ...(sameRules && !hasRepeats(assessment, stated)
      ? []
      : sameRules
        ? ['The assessment states a result more than once.']
        : []),
  ]
  const wording =
    sameRules && details.length === 0 && canonicalJson(assessment) !== canonicalJson(derived)
      ? [
          'The assessment in the pack differs from the derived one in what it says of its reasons.',
          ...whereReasonsDiffer(assessment, derived),
        ]
      : []
  const identical = [...stated].filter(([key, verdict]) => again.get(key) === verdict).length
  return { derived, differences, details: [...details, ...wording], sameRules, stated: stated.size, identical }
}

const word = (verdict: Verdict | null): string => (verdict === null ? 'nothing' : `“${verdictWords[verdict].label}”`)

const verdicts = ({ nodes }: Assessment): ReadonlyMap<string, Verdict> =>
  new Map(nodes.flatMap(({ node, findings }) => findings.map(({ check, verdict }) => [`${node}\n${check}`, verdict])))

const hasRepeats = ({ nodes }: Assessment, found: ReadonlyMap<string, Verdict>): boolean =>
  nodes.reduce((sum, { findings }) => sum + findings.length, 0) !== found.size

function isolation(stated: Assessment, derived: Assessment): readonly string[] {
  const again = new Map(derived.nodes.map((entry) => [entry.node, isolationText(entry)]))
  const dossiers = new Map(derived.nodes.map((entry) => [entry.node, canonicalJson(entry.isolation)]))
  return stated.nodes.flatMap((entry) => {
    const [one, other] = [isolationText(entry), again.get(entry.node) ?? 'nothing']
    if (one === other)
      return canonicalJson(entry.isolation) === (dossiers.get(entry.node) ?? '')
        ? []
        : [`Node ${quote(entry.node)}, isolation: the answers come out the same, and the dossier behind them does not.`]
    return [`Node ${quote(entry.node)}, isolation: stated ${quote(one, 600)}, derived ${quote(other, 600)}.`]
  })
}

function isolationText({ isolation: found }: Assessment['nodes'][number]): string {
  if (found === null) return 'nothing'
  const devices = found.locality.map(({ kind, device, is }) => `${kind} ${device} ${is}`)
  return [found.layer, found.platform ?? 'no platform', found.tenancy, `grade ${found.grade}`, ...devices].join(', ')
}

function controls(stated: Assessment, derived: Assessment): readonly string[] {
  const states = (of: Assessment): ReadonlyMap<string, string> =>
    new Map(
      of.controls.map(({ framework, control, state, nodePart }) => [
        `${framework} ${control}`,
        `${state} (${nodePart ?? 'no node part'})`,
      ]),
    )
  const [one, other] = [states(stated), states(derived)]
  return [...new Set([...one.keys(), ...other.keys()])]
    .sort(compare)
    .filter((key) => one.get(key) !== other.get(key))
    .map(
      (key) =>
        `Control ${plain(key)}: stated ${plain(one.get(key) ?? 'nothing')}, derived ${plain(other.get(key) ?? 'nothing')}.`,
    )
}

function whereReasonsDiffer(stated: Assessment, derived: Assessment): readonly string[] {
  const again = new Map(
    derived.nodes.flatMap(({ node, findings }) =>
      findings.map((found) => [`${node}\n${found.check}`, canonicalJson(found)]),
    ),
  )
  return stated.nodes.flatMap(({ node, findings }) =>
    findings
      .filter((found) => again.get(`${node}\n${found.check}`) !== canonicalJson(found))
      .map(({ check }) => `Node ${quote(node)}, check ${quote(check)}: same verdict, other reasons.`),
  )
}

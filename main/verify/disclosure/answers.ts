import type { NodeAssessment } from '../../../schemas/types.ts'
import type { CheckOutcome, Difference, RulesReading, VerificationCheckResult } from '../../../schemas/verification.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { quote } from '../../core/base/plain-text.ts'
import type { PackScope } from '../../core/conclusion/assess.ts'
import { type Assessor, assessorOf, type PackAssessor } from '../../core/conclusion/assessor.ts'
import { compare } from '../../core/recording/recording.ts'
import { NOTHING_SHARED } from '../../core/recording/same-machine.ts'
import type { NodeVerdicts } from '../../core/register/documents.ts'
import { EMPTY_REGISTER } from '../../core/register/register.ts'
import { compareNode, compareWhole, wordingDiffers } from '../steps/reproduce.ts'
import { checkResult, differencesOn, verdictsOf, verdictText } from '../steps/result.ts'
import {
  falsifiedRules,
  profileNotes,
  type RulesAtHand,
  type RulesSources,
  rulesReading,
  statusOfRules,
  unknownRules,
} from '../steps/rules.ts'
import { PART_CLASSES, partClassWords } from './cuts/classes.ts'
import type { DisclosureCounts } from './notes.ts'
import type { DisclosureReading } from './read.ts'
import { contentOf, type DisclosedContent, type DisclosedNode, isWithoutGap, loadedFrom } from './rebuild.ts'
import { absentNodes, type Basis, basesIn, type Underivable, underivable } from './underivable.ts'

interface DisclosureAnswers {
  /** The other checks concern the seal, which is that of the pack. */
  readonly integrity: VerificationCheckResult
  readonly completeness: VerificationCheckResult
  readonly reproducibility: VerificationCheckResult
  /** Null where the rules of the evaluation are redacted. */
  readonly rules: RulesReading | null
  readonly differences: readonly Difference[]
  readonly underivable: Underivable
  readonly verdicts: { readonly stated: number; readonly rederived: number; readonly identical: number }
  /** Whether any disclosed part marks demo data. */
  readonly demo: boolean
  /** The evaluation date stated by the signer; null where it is redacted. */
  readonly statedAt: string | null
}

/**
 * Verification of a redacted copy: whether the seal covers every disclosed byte, what is redacted, and which verdicts are
 * reproduced here. `sealProblems`: null where there is no seal; `declared`: declaredInCopy(). Never throws, whatever the copy contains.
 */
export async function disclosureAnswers(
  reading: DisclosureReading,
  sources: RulesSources,
  sealProblems: readonly string[] | null,
  declared: (content: DisclosedContent) => Promise<readonly string[]> = async () => [],
): Promise<DisclosureAnswers> {
  const read = contentOf(reading.units)
  // Units that differ from the sealed ones are omitted: a missing node then shows nothing.
  const content = { ...read, arePathsOpen: read.arePathsOpen && reading.problems.length === 0 }
  const rules = await rulesOfCopy(content, sources)
  const listed = underivable(rules.reads, content)
  const again = await rederive(content, rules)
  return {
    integrity: intact(reading, sealProblems),
    completeness: complete(reading, content, { listed, declared: await declared(content) }),
    reproducibility: withProfile(reproducible(content, rules, listed, again), content, rules),
    rules: content.rules === null ? null : rulesReading(content.rules.catalog, rules.status, again),
    differences: again.differences,
    underivable: listed,
    verdicts: { stated: again.stated, rederived: again.rederived, identical: again.identical },
    demo: content.demo,
    statedAt: content.scope?.asOf ?? null,
  }
}

/**
 * The rules stated by a copy, where they are available here. Their catalog contains customer frameworks, which only a disclosed scope
 * shows; the rules module is the same with and without them.
 */
async function rulesOfCopy(
  { rules, scope }: Pick<DisclosedContent, 'rules' | 'scope'>,
  sources: RulesSources,
): Promise<RulesAtHand> {
  const assess = await assessorOf(sources, rules?.catalog.version)
  const about = await assess.about(scope ?? {})
  const reference =
    rules === null || scope !== null ? about.reference : { ...about.reference, digest: rules.catalog.digest }
  return { ...about, reference, assess, status: rules === null ? 'unknown' : statusOfRules(rules.catalog, reference) }
}

function intact(
  { problems, units, counts }: DisclosureReading,
  sealProblems: readonly string[] | null,
): VerificationCheckResult {
  const check = 'integrity'
  if (problems.length > 0)
    return checkResult(check, 'failed', 'The copy differs from the sealed contents of the pack.', problems)
  const details = withheldText(counts)
  if (sealProblems === null || sealProblems.length > 0)
    return checkResult(
      check,
      'indeterminate',
      'Every disclosed byte matches the list, but no valid seal covers the list.',
      details,
    )
  const summary = `Every disclosed byte of the ${units.length} files is covered by the seal. Parts are redacted.`
  return checkResult(check, 'passed', summary, details)
}

function withheldText({ redacted, units, whollyOpen, pathsRedacted }: DisclosureCounts): readonly string[] {
  const classes = PART_CLASSES.flatMap((one) => {
    const count = redacted[one]
    return count === undefined
      ? []
      : [`Redacted: ${partClassWords[one]}, ${count} ${count === 1 ? 'place' : 'places'}.`]
  })
  return [
    `${whollyOpen} of ${units} files are disclosed completely.`,
    ...(pathsRedacted === 0 ? [] : [`The names of ${pathsRedacted} files are partially redacted.`]),
    ...classes,
  ]
}

/** A redacted copy cannot show completeness; only the pack can. The owner’s statements about the copy must still be correct. */
function complete(
  { notes }: DisclosureReading,
  { nodes }: DisclosedContent,
  { listed, declared }: { readonly listed: Underivable; readonly declared: readonly string[] },
): VerificationCheckResult {
  const check = 'completeness'
  if (declared.length > 0)
    return checkResult(check, 'failed', 'The disclosed declarations or the register are inconsistent.', declared)
  if (notes !== null && canonicalJson(notes.underivable) !== canonicalJson(listed))
    return checkResult(
      check,
      'failed',
      'The list of verdicts that cannot be reproduced does not match the redacted parts.',
      [`The owner lists ${notes.underivable.verdicts.length} verdicts; ${listed.verdicts.length} were found here.`],
    )
  return checkResult(
    check,
    'indeterminate',
    `Redacted copy of ${nodes.length} nodes. Verify the pack to check completeness.`,
    notes === null
      ? []
      : [
          `Redacted by ${quote(notes.who)} at ${quote(notes.when)}. Reason: ${quote(notes.why, 400)}.`,
          'This statement is not covered by the seal: any holder of a copy can redact more and state any name.',
        ],
  )
}

/** Thresholds of the verdicts, where the scope is disclosed. */
function withProfile(
  answer: VerificationCheckResult,
  { scope }: DisclosedContent,
  { thresholds }: RulesAtHand,
): VerificationCheckResult {
  if (scope === null) return answer
  const { sentence, relaxed } = profileNotes(thresholds, scope.profile)
  return { ...answer, summary: `${answer.summary} ${sentence}`, details: [...answer.details, ...relaxed] }
}

function reproducible(
  { rules, arePathsOpen }: DisclosedContent,
  { reference, status: known }: RulesAtHand,
  listed: Underivable,
  again: Rederived,
): VerificationCheckResult {
  const not = listed.verdicts.map(
    ({ node, check, verdict }) =>
      `Node ${quote(node)}, check ${quote(check)}: stated ${verdictText(verdict)}, depends on redacted parts.`,
  )
  const unstated = listed.unstated.map((node) => `Node ${quote(node)}: its stated results are redacted.`)
  const details = [...again.details, ...unstated, ...not]
  const count = `${again.identical} of ${again.stated} stated verdicts reproduced`
  const result = (outcome: CheckOutcome, summary: string): VerificationCheckResult =>
    checkResult('reproducibility', outcome, summary, details)
  if (rules !== null && known === 'falsified') return result('failed', falsifiedRules(rules.catalog, reference))
  if (rules !== null && known === 'unknown') return result('indeterminate', unknownRules(rules.catalog.version, again))
  if (again.details.length > 0)
    return rules === null
      ? result('indeterminate', `Results differ, and the rules of the evaluation are redacted; ${count}.`)
      : result('failed', `Results differ; ${count}.`)
  if (again.isWhole && arePathsOpen && not.length + unstated.length === 0 && again.stated > 0)
    return result('passed', `${count}; none depends on redacted parts.`)
  return result(
    'indeterminate',
    not.length + unstated.length > 0
      ? `${count}; ${not.length} depend on redacted parts.`
      : `${count}; the redacted parts prevent a full comparison. Verify the pack.`,
  )
}

interface Rederived {
  readonly differences: readonly Difference[]
  /** Differences, one sentence each. */
  readonly details: readonly string[]
  readonly stated: number
  readonly rederived: number
  readonly identical: number
  /** Whether every node and the whole were compared as on the pack. */
  readonly isWhole: boolean
}

/** Evaluates every node from the disclosed captures and compares results that do not depend on redacted parts. Never throws. */
async function rederive(content: DisclosedContent, rules: RulesAtHand): Promise<Rederived> {
  const basisOf = basesIn(rules.reads, content)
  const judged = content.nodes.flatMap((node) => (node.entry === null ? [] : [{ node, entry: node.entry }]))
  const scope = content.scope ?? NO_SCOPE
  const assess = await judgeOfNodes(rules.assess, scope, content.nodes)
  const nodes: NodeAgain[] = []
  for (const { node, entry } of judged) {
    const basis = basisOf(node)
    const derived = await assessedHere(node, assess)
    nodes.push(nodeAgain({ node, entry, basis }, derived === null ? null : underived(derived, entry, basis)))
  }
  const absent = absentNodes(content)
  const isEveryNode = absent.length === 0 && nodes.length === content.nodes.length && nodes.every((one) => one.isWhole)
  const whole = isEveryNode ? await wholeAgain(content, { assess, rules }, nodes) : null
  return {
    differences: nodes.flatMap(({ differences }) => differences),
    details: [
      ...nodes.flatMap(({ details }) => details),
      ...(content.arePathsOpen ? absent.map((node) => `Node ${quote(node)}: no results are stated.`) : []),
      ...(whole ?? []),
    ],
    stated: sum(nodes, ({ stated }) => stated),
    rederived: sum(nodes, ({ rederived }) => rederived),
    identical: sum(nodes, ({ rederived, differences }) => rederived - differences.filter(isStated).length),
    isWhole: whole !== null,
  }
}

/** Where the scope is redacted, derived results are not used. */
const NO_SCOPE: PackScope = { fleet: '', population: [], frameworks: [], asOf: '' }

/** The rules applied to these nodes: facts shared between nodes are derived first. */
async function judgeOfNodes(judge: Assessor, scope: PackScope, nodes: readonly DisclosedNode[]): Promise<PackAssessor> {
  const alone = await judge.pack({ scope, shared: NOTHING_SHARED })
  const derived: NodeAssessment[] = []
  for (const node of nodes) {
    const one = node.entry === null ? null : await assessedHere(node, alone)
    if (one !== null) derived.push(one)
  }
  const { shared = NOTHING_SHARED } = await alone
    .whole(derived, { demo: false, register: EMPTY_REGISTER })
    .catch(() => ({ shared: NOTHING_SHARED }))
  return judge.pack({ scope, shared })
}

const isStated = ({ stated }: Difference): boolean => stated !== null
const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0)

/** A node with stated results, and which of them can be derived from the copy. */
interface StatedNode {
  readonly node: DisclosedNode
  readonly entry: NodeAssessment
  readonly basis: Basis
}

interface NodeAgain extends Omit<Rederived, 'identical'> {
  readonly verdicts: NodeVerdicts | null
}

/** Results that depend on redacted parts of other nodes are taken as stated. */
function underived(derived: NodeAssessment, entry: NodeAssessment, { canDerive }: Basis): NodeAssessment {
  const stated = new Map(entry.results.map((found) => [found.check, found]))
  return {
    ...derived,
    results: derived.results.map((found) => (canDerive(found.check) ? found : (stated.get(found.check) ?? found))),
  }
}

function nodeAgain(judged: StatedNode, derived: NodeAssessment | null): NodeAgain {
  const { node, entry, basis } = judged
  const counts = {
    stated: entry.results.length,
    rederived: entry.results.filter(({ check }) => basis.canDerive(check)).length,
  }
  const [one, other] = [openly(node, entry), derived === null ? null : openly(node, derived)]
  if (!basis.isWhole || !basis.isLocated || other === null || !isWithoutGap([one, other]))
    return { ...counts, ...inPart(judged, derived), isWhole: false, verdicts: null }
  const reading = { node: node.label, recording: null, stated: one, derived: other, traced: null, problems: [] }
  const { differences, details, verdicts } = compareNode(reading)
  const wording = details.length === 0 ? wordingDiffers(reading) : []
  return { ...counts, differences, details: [...details, ...wording], isWhole: true, verdicts }
}

/** Without the recording’s digest where it or its bytes are partially redacted: no verdict depends on it. */
const openly = ({ entry, recording }: DisclosedNode, assessment: NodeAssessment): NodeAssessment =>
  isWithoutGap([entry?.recording ?? null, recording?.recording ?? null])
    ? assessment
    : { ...assessment, recording: null }

/** Compares the derivable results of a partially disclosed node. Every check has one result. */
function inPart(
  { node, entry, basis }: StatedNode,
  derived: NodeAssessment | null,
): Pick<NodeAgain, 'differences' | 'details'> {
  const stated = verdictsOf(entry)
  const again = verdictsOf(derived ?? { results: [] })
  const differences = differencesOn(node.label, stated, again).filter(({ check }) => basis.canDerive(check))
  const named = `Node ${quote(node.label)}`
  const missing = [...again.keys()].filter((check) => !stated.has(check) && !basis.canDerive(check)).sort(compare)
  const isolation = isWithoutGap([entry.isolation, derived?.isolation ?? null]) && basis.isWhole
  return {
    differences,
    details: [
      ...differences.map(
        (found) =>
          `${named}, check ${quote(found.check)}: stated ${verdictText(found.stated)}, derived ${verdictText(found.derived)}.`,
      ),
      ...missing.map((check) => `${named}, check ${quote(check)}: no result is stated.`),
      ...(stated.size === entry.results.length ? [] : [`${named}: a result is stated more than once.`]),
      ...(isolation && canonicalJson(entry.isolation) !== canonicalJson(derived?.isolation ?? null)
        ? [`${named}: the isolation results differ.`]
        : []),
    ],
  }
}

/** Differences of the whole; null where it cannot be compared. */
async function wholeAgain(
  { scope, index, register, demo }: DisclosedContent,
  { assess, rules }: { readonly assess: PackAssessor; readonly rules: RulesAtHand },
  nodes: readonly NodeAgain[],
): Promise<readonly string[] | null> {
  if (scope === null || index === null || register === null || !isWithoutGap(scope)) return null
  const verdicts = nodes.flatMap((one) => (one.verdicts === null ? [] : [one.verdicts]))
  try {
    const whole = compareWhole(index, await assess.whole(verdicts, { demo, register }), rules.status)
    const isSilent = whole.wording && whole.details.length === 0
    return isSilent ? ['The stated assessment as a whole differs from the derived one.'] : whole.details
  } catch {
    return ['The stated assessment as a whole cannot be compared.']
  }
}

/** Null where it cannot be evaluated, which differs from the stated results. */
async function assessedHere({ label, recording }: DisclosedNode, judge: PackAssessor): Promise<NodeAssessment | null> {
  try {
    const judged = await judge.node(label, recording === null ? null : loadedFrom(recording))
    return 'threw' in judged ? null : judged.assessment
  } catch {
    // The contents of a copy must not prevent the other checks.
    return null
  }
}

import type { Difference, RulesReading, VerificationCheckResult } from '../../../schemas/verification.ts'
import { assessorOf } from '../../core/assessor.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { quote } from '../../core/plain-text.ts'
import { profileNotes } from '../steps/profile.ts'
import {
  falsifiedRules,
  type RulesAtHand,
  type RulesSources,
  rulesReading,
  statusOfRules,
  unknownRules,
} from '../steps/rules.ts'
import { PART_CLASSES, partClassWords } from './classes.ts'
import { type Rederived, rederive, word } from './compare.ts'
import type { DisclosureCounts } from './notes.ts'
import type { DisclosureReading } from './read.ts'
import { contentOf, type DisclosedContent } from './rebuild.ts'
import { type Underivable, underivable } from './underivable.ts'

export interface DisclosureAnswers {
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
 * reproduced here. `sealProblems`: null where there is no seal. Never throws, whatever the copy contains.
 */
export async function disclosureAnswers(
  reading: DisclosureReading,
  sources: RulesSources,
  sealProblems: readonly string[] | null,
): Promise<DisclosureAnswers> {
  const read = contentOf(reading.units)
  // Units that differ from the sealed ones are omitted: a missing node then shows nothing.
  const content = { ...read, arePathsOpen: read.arePathsOpen && reading.problems.length === 0 }
  const rules = await rulesOfCopy(content, sources)
  const listed = underivable(rules.reads, content)
  const again = await rederive(content, rules)
  return {
    integrity: intact(reading, sealProblems),
    completeness: complete(reading, content, listed),
    reproducibility: withProfile(reproducible(content, rules, listed, again), content, rules),
    rules: content.rules === null ? null : rulesReading(content.rules.catalog, rules.status, again),
    differences: again.differences,
    underivable: listed,
    verdicts: {
      stated: again.stated,
      rederived: again.rederived,
      identical: again.identical,
    },
    demo: content.demo,
    statedAt: content.scope?.asOf ?? null,
  }
}

/**
 * The rules stated by a copy, as far as available. Their catalog contains customer frameworks, which only a disclosed scope shows; the
 * module is the same with and without them.
 */
async function rulesOfCopy(
  { rules, scope }: Pick<DisclosedContent, 'rules' | 'scope'>,
  sources: RulesSources,
): Promise<RulesAtHand> {
  const judge = await assessorOf(sources, rules?.catalog.version)
  const about = await judge.about(scope ?? {})
  const reference =
    rules === null || scope !== null ? about.reference : { ...about.reference, digest: rules.catalog.digest }
  return { ...about, reference, judge, status: rules === null ? 'unknown' : statusOfRules(rules.catalog, reference) }
}

function intact(
  { problems, units, counts }: DisclosureReading,
  sealProblems: readonly string[] | null,
): VerificationCheckResult {
  const check = 'integrity'
  if (problems.length > 0)
    return {
      check,
      outcome: 'failed',
      summary: 'The copy differs from the sealed contents of the pack.',
      details: problems,
    }
  const details = withheldText(counts)
  if (sealProblems === null || sealProblems.length > 0)
    return {
      check,
      outcome: 'indeterminate',
      summary: 'Every disclosed byte matches the list, but no valid seal covers the list.',
      details,
    }
  return {
    check,
    outcome: 'passed',
    summary: `Every disclosed byte of the ${units.length} files is covered by the seal. Parts are redacted.`,
    details,
  }
}

function withheldText({ withheld, units, whollyOpen, pathsWithheld }: DisclosureCounts): readonly string[] {
  const classes = PART_CLASSES.flatMap((one) => {
    const count = withheld[one]
    return count === undefined
      ? []
      : [`Redacted: ${partClassWords[one]}, ${count} ${count === 1 ? 'place' : 'places'}.`]
  })
  return [
    `${whollyOpen} of ${units} files are disclosed completely.`,
    ...(pathsWithheld === 0 ? [] : [`The names of ${pathsWithheld} files are partially redacted.`]),
    ...classes,
  ]
}

/** A redacted copy cannot show completeness; only the pack can. The owner’s statements about the copy must still be correct. */
function complete(
  { notes }: DisclosureReading,
  { nodes }: DisclosedContent,
  listed: Underivable,
): VerificationCheckResult {
  const check = 'completeness'
  if (notes !== null && canonicalJson(notes.underivable) !== canonicalJson(listed))
    return {
      check,
      outcome: 'failed',
      summary: 'The list of verdicts that cannot be reproduced does not match the redacted parts.',
      details: [
        `The owner lists ${notes.underivable.verdicts.length} verdicts; ${listed.verdicts.length} were found here.`,
      ],
    }
  return {
    check,
    outcome: 'indeterminate',
    summary: `Redacted copy of ${nodes.length} nodes. Verify the pack to check completeness.`,
    details:
      notes === null
        ? []
        : [
            `Redacted by ${quote(notes.who)} at ${quote(notes.when)}. Reason: ${quote(notes.why, 400)}.`,
            'This statement is not covered by the seal: any holder of a copy can redact more and state any name.',
          ],
  }
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
  const check = 'reproducibility'
  const not = listed.verdicts.map(
    ({ node, check, verdict }) =>
      `Node ${quote(node)}, check ${quote(check)}: stated ${word(verdict)}, depends on redacted parts.`,
  )
  const unstated = listed.unstated.map((node) => `Node ${quote(node)}: its stated results are redacted.`)
  const details = [...again.details, ...unstated, ...not]
  const count = `${again.identical} of ${again.stated} stated verdicts reproduced`
  const standing = rules === null ? null : known
  if (rules !== null && standing === 'falsified')
    return { check, outcome: 'failed', summary: falsifiedRules(rules.catalog, reference), details }
  if (rules !== null && standing === 'unknown')
    return { check, outcome: 'indeterminate', summary: unknownRules(rules.catalog.version, again), details }
  if (again.details.length > 0)
    return {
      check,
      outcome: standing === null ? 'indeterminate' : 'failed',
      summary:
        standing === null
          ? `Results differ, and the rules of the evaluation are redacted; ${count}.`
          : `Results differ; ${count}.`,
      details,
    }
  if (again.isWhole && arePathsOpen && not.length + unstated.length === 0 && again.stated > 0)
    return { check, outcome: 'passed', summary: `${count}; none depends on redacted parts.`, details }
  const summary =
    not.length + unstated.length > 0
      ? `${count}; ${not.length} depend on redacted parts.`
      : `${count}; the redacted parts prevent a full comparison. Verify the pack.`
  return { check, outcome: 'indeterminate', summary, details }
}

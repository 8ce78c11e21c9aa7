import type { Difference, RulesReading, VerificationAnswer } from '../../../schemas/verification.ts'
import { canonicalJson } from '../canonical-json.ts'
import { judgeOf } from '../judge.ts'
import { quote } from '../plain-text.ts'
import { profileNotes } from '../verify/profile.ts'
import {
  falsifiedRules,
  type RulesAtHand,
  type RulesSources,
  rulesReading,
  rulesStanding,
  unknownRules,
} from '../verify/rules.ts'
import { PART_CLASSES, partClassWords } from './classes.ts'
import { type Rederived, rederive, word } from './compare.ts'
import type { DisclosureCounts } from './notes.ts'
import type { DisclosureReading } from './read.ts'
import { contentOf, type DisclosedContent } from './rebuild.ts'
import { type Underivable, underivable } from './underivable.ts'

export interface DisclosureAnswers {
  /** intact, complete and reproducible. The others are about the seal, which is the pack's own. */
  readonly answers: readonly VerificationAnswer[]
  /** Null where it is withheld by which rules the pack was judged. */
  readonly rules: RulesReading | null
  readonly differences: readonly Difference[]
  readonly underivable: Underivable
  readonly verdicts: { readonly stated: number; readonly rederived: number; readonly identical: number }
  /** Whether anything that is open says that it is demonstration data. */
  readonly demo: boolean
  /** The moment of evaluation that the signer states; null where it is withheld. */
  readonly statedAt: string | null
}

/**
 * What a verifier says of a disclosed copy: whether every disclosed byte is under the seal, what is withheld, and which verdicts come out
 * the same here. `sealProblems`: null where there is no seal. Never throws, whatever the copy holds.
 */
export async function disclosureAnswers(
  reading: DisclosureReading,
  sources: RulesSources,
  sealProblems: readonly string[] | null,
): Promise<DisclosureAnswers> {
  const read = contentOf(reading.units)
  // Units that are not as sealed are left out: then a node that is not there says nothing.
  const content = { ...read, arePathsOpen: read.arePathsOpen && reading.problems.length === 0 }
  const rules = await rulesOfCopy(content, sources)
  const listed = underivable(rules.reads, content)
  const again = await rederive(content, rules)
  return {
    answers: [
      intact(reading, sealProblems),
      complete(reading, content, listed),
      withProfile(reproducible(content, rules, listed, again), content, rules),
    ],
    rules: content.rules === null ? null : rulesReading(content.rules.catalog, rules.standing, again),
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
 * The rules that a copy names, as far as they are at hand. Their catalog has the customer's own frameworks, which only an open scope tells; the
 * module is the same with and without them.
 */
async function rulesOfCopy(
  { rules, scope }: Pick<DisclosedContent, 'rules' | 'scope'>,
  sources: RulesSources,
): Promise<RulesAtHand> {
  const judge = await judgeOf(sources, rules?.catalog.version)
  const about = await judge.about(scope ?? {})
  const reference =
    rules === null || scope !== null ? about.reference : { ...about.reference, digest: rules.catalog.digest }
  return { ...about, reference, judge, standing: rules === null ? 'unknown' : rulesStanding(rules.catalog, reference) }
}

function intact(
  { problems, units, counts }: DisclosureReading,
  sealProblems: readonly string[] | null,
): VerificationAnswer {
  const question = 'intact'
  if (problems.length > 0)
    return { question, outcome: 'no', summary: 'The copy is not what the pack was sealed with.', details: problems }
  const details = withheldText(counts)
  if (sealProblems === null || sealProblems.length > 0)
    return {
      question,
      outcome: 'not-shown',
      summary:
        'Every disclosed byte is as listed. Without a seal that verifies, nothing says that the list is the sealed one.',
      details,
    }
  return {
    question,
    outcome: 'yes',
    summary: `Every disclosed byte of the ${units.length} files is under the seal. Parts are withheld.`,
    details,
  }
}

function withheldText({ withheld, units, whollyOpen, pathsWithheld }: DisclosureCounts): readonly string[] {
  const classes = PART_CLASSES.flatMap((one) => {
    const count = withheld[one]
    return count === undefined
      ? []
      : [`Withheld: ${partClassWords[one]}, ${count} ${count === 1 ? 'place' : 'places'}.`]
  })
  return [
    `${whollyOpen} of ${units} files are disclosed in whole.`,
    ...(pathsWithheld === 0 ? [] : [`The names of ${pathsWithheld} files are withheld in part.`]),
    ...classes,
  ]
}

/** A copy never shows that nothing is missing: that is what the pack itself is for. What the owner says of it must still be so. */
function complete({ notes }: DisclosureReading, { nodes }: DisclosedContent, listed: Underivable): VerificationAnswer {
  const question = 'complete'
  if (notes !== null && canonicalJson(notes.underivable) !== canonicalJson(listed))
    return {
      question,
      outcome: 'no',
      summary: 'The list of verdicts that cannot be re-derived is not the one that follows from what is withheld.',
      details: [
        `The owner lists ${notes.underivable.verdicts.length} verdicts; ${listed.verdicts.length} were found here.`,
      ],
    }
  return {
    question,
    outcome: 'not-shown',
    summary: `This is a copy with parts withheld, of ${nodes.length} nodes. Completeness can only be checked on the pack itself.`,
    details:
      notes === null
        ? []
        : [
            `Withheld by ${quote(notes.who)} at ${quote(notes.when)}, because: ${quote(notes.why, 400)}.`,
            'That is the word of whoever made this copy. It is not under the seal: anybody who holds a copy can withhold more and say so in any name.',
          ],
  }
}

/** Which numbers the verdicts hold by, where the scope is disclosed. */
function withProfile(
  answer: VerificationAnswer,
  { scope }: DisclosedContent,
  { thresholds }: RulesAtHand,
): VerificationAnswer {
  if (scope === null) return answer
  const { sentence, loosened } = profileNotes(thresholds, scope.profile)
  return { ...answer, summary: `${answer.summary} ${sentence}`, details: [...answer.details, ...loosened] }
}

function reproducible(
  { rules, arePathsOpen }: DisclosedContent,
  { reference, standing: known }: RulesAtHand,
  listed: Underivable,
  again: Rederived,
): VerificationAnswer {
  const question = 'reproducible'
  const not = listed.verdicts.map(
    ({ node, check, verdict }) =>
      `Node ${quote(node)}, check ${quote(check)}: stated ${word(verdict)}, rests on something withheld.`,
  )
  const unstated = listed.unstated.map((node) => `Node ${quote(node)}: what is stated of it is withheld.`)
  const details = [...again.details, ...unstated, ...not]
  const count = `${again.identical} of ${again.stated} stated verdicts come out the same here`
  const standing = rules === null ? null : known
  if (rules !== null && standing === 'falsified')
    return { question, outcome: 'no', summary: falsifiedRules(rules.catalog, reference), details }
  if (rules !== null && standing === 'unknown')
    return { question, outcome: 'not-shown', summary: unknownRules(rules.catalog.version, again), details }
  if (again.details.length > 0)
    return {
      question,
      outcome: standing === null ? 'not-shown' : 'no',
      summary:
        standing === null
          ? `Something comes out differently here, and by which rules the pack was judged is withheld; ${count}.`
          : `Something comes out differently here; ${count}.`,
      details,
    }
  if (again.isWhole && arePathsOpen && not.length + unstated.length === 0 && again.stated > 0)
    return { question, outcome: 'yes', summary: `${count}; none rests on anything withheld.`, details }
  const summary =
    not.length + unstated.length > 0
      ? `${count}; ${not.length} rest on something withheld.`
      : `${count}; what is withheld keeps the rest from being compared as on the pack itself.`
  return { question, outcome: 'not-shown', summary, details }
}

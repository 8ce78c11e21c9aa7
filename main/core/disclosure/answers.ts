import type { Difference, VerificationAnswer } from '../../../schemas/verification.ts'
import { VERSION } from '../../../schemas/version.ts'
import { type Verdict, verdictWords } from '../../../schemas/words.ts'
import { assessNode } from '../assess.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type Catalog, catalogDigest } from '../catalog.ts'
import { quote } from '../plain-text.ts'
import { PART_CLASSES, partClassWords } from './classes.ts'
import type { DisclosureCounts } from './notes.ts'
import type { DisclosureReading } from './read.ts'
import { contentOf, type DisclosedContent, type DisclosedNode, hasGap, loadedFrom } from './rebuild.ts'
import { type Underivable, underivable } from './underivable.ts'

export interface DisclosureAnswers {
  /** intact, complete and reproducible. The others are about the seal, which is the pack's own. */
  readonly answers: readonly VerificationAnswer[]
  readonly differences: readonly Difference[]
  readonly underivable: Underivable
  readonly verdicts: { readonly stated: number; readonly rederived: number; readonly identical: number }
}

/**
 * What a verifier says of a disclosed copy: whether every disclosed byte is under the seal, what is withheld, and which verdicts come out
 * the same here. `sealProblems`: null where there is no seal. Never throws, whatever the copy holds.
 */
export function disclosureAnswers(
  reading: DisclosureReading,
  catalog: Catalog,
  sealProblems: readonly string[] | null,
): DisclosureAnswers {
  const content = contentOf(reading.units)
  const listed = underivable(catalog, content)
  const again = rederive(content, catalog, listed)
  return {
    answers: [
      intact(reading, sealProblems),
      complete(reading, content, listed),
      reproducible(content, catalog, listed, again),
    ],
    differences: again.differences,
    underivable: listed,
    verdicts: {
      stated: again.stated,
      rederived: again.rederived,
      identical: again.rederived - again.differences.length,
    },
  }
}

interface Rederived {
  readonly differences: readonly Difference[]
  readonly details: readonly string[]
  readonly stated: number
  readonly rederived: number
}

/** Evaluates every node from the answers that are there, and compares the verdicts that rest on nothing withheld. */
function rederive({ scope, nodes }: DisclosedContent, catalog: Catalog, listed: Underivable): Rederived {
  const skipped = new Set(listed.verdicts.map(({ node, check }) => `${node}\n${check}`))
  const differences: Difference[] = []
  const details: string[] = []
  let stated = 0
  let rederived = 0
  for (const node of nodes) {
    const findings = node.entry?.findings ?? []
    stated += findings.length
    const due = findings.filter(({ check }) => !skipped.has(`${node.label}\n${check}`))
    if (scope === null || node.entry === null || due.length === 0) continue
    rederived += due.length
    const derived = assessedHere(node, catalog, scope.asOf)
    const isolation = canonicalJson(node.entry.isolation)
    const isDue = !listed.isolation.includes(node.label) && !hasGap(isolation)
    if (isDue && isolation !== canonicalJson(derived?.isolation ?? null))
      details.push(`Node ${quote(node.label)}: the answers about isolation come out differently.`)
    const verdicts = new Map(derived?.findings.map(({ check, verdict }) => [check, verdict]))
    for (const { check, verdict } of due) {
      const other = verdicts.get(check) ?? null
      if (other === verdict) continue
      differences.push({ node: node.label, check, stated: verdict, derived: other })
      details.push(`Node ${quote(node.label)}, check ${quote(check)}: stated ${word(verdict)}, derived ${word(other)}.`)
    }
  }
  return { differences, details, stated, rederived }
}

function assessedHere({ label, recording }: DisclosedNode, catalog: Catalog, asOf: string): DisclosedNode['entry'] {
  try {
    return assessNode(catalog, label, recording === null ? null : loadedFrom(recording), asOf)
  } catch {
    // Whatever a copy holds must not end the other answers: then nothing comes out, which differs from what is stated.
    return null
  }
}

const word = (verdict: Verdict | null): string => (verdict === null ? 'nothing' : `“${verdictWords[verdict].label}”`)

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
        : [`Withheld by ${quote(notes.who)} at ${quote(notes.when)}, because: ${quote(notes.why, 400)}.`],
  }
}

function reproducible(
  { rules }: DisclosedContent,
  catalog: Catalog,
  listed: Underivable,
  again: Rederived,
): VerificationAnswer {
  const question = 'reproducible'
  const isSameRules = rules !== null && rules.catalog === catalogDigest(catalog) && rules.engine === VERSION
  const not = listed.verdicts.map(
    ({ node, check, verdict }) =>
      `Node ${quote(node)}, check ${quote(check)}: stated ${word(verdict)}, rests on something withheld.`,
  )
  const unstated = listed.unstated.map((node) => `Node ${quote(node)}: what is stated of it is withheld.`)
  const details = [...again.details, ...unstated, ...not]
  const count = `${again.rederived - again.differences.length} of ${again.stated} stated verdicts come out the same here`
  if (again.details.length > 0 && isSameRules)
    return {
      question,
      outcome: 'no',
      summary: `Something comes out differently here; ${count}.`,
      details,
    }
  if (again.details.length > 0)
    return {
      question,
      outcome: 'not-shown',
      summary: `The pack was evaluated with other rules than this version has, and something comes out differently; ${count}.`,
      details,
    }
  if (not.length + unstated.length === 0 && again.stated > 0)
    return { question, outcome: 'yes', summary: `${count}; none rests on anything withheld.`, details }
  return { question, outcome: 'not-shown', summary: `${count}; ${not.length} rest on something withheld.`, details }
}

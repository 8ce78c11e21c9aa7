import type { CheckOutcome, VerificationCheckResult, VerificationReport } from '../../schemas/verification.ts'
import { plural, quote } from '../core/base/plain-text.ts'
import { EXCERPT_PATH, onlyPaths } from '../core/period/pack.ts'
import type { PackSource } from '../core/ports/ports.ts'
import { hasExactly, parsedJson } from '../core/run-chain/entry.ts'
import { disclosureAnswers } from './disclosure/answers.ts'
import { declaredInCopy } from './disclosure/declared.ts'
import { readDisclosure } from './disclosure/read.ts'
import { engineOf } from './disclosure/rebuild.ts'
import type { VerifyInput } from './pack.ts'
import { conclusion, sealedPack, sealStep } from './pipeline.ts'
import { type BagReading, nodesLacking, readBag } from './steps/bag.ts'
import { enclosedProblems } from './steps/enclosed.ts'
import { readSampled, type SampledReading } from './steps/period-walk.ts'
import { canonical, textOf } from './steps/read.ts'
import { checkResult } from './steps/result.ts'
import { unknownRules } from './steps/rules.ts'
import { copiedTagProblems, onlyRepacked, packedAgain } from './steps/tags.ts'

type VerifyPartInput = Pick<
  VerifyInput,
  'source' | 'departures' | 'seal' | 'catalog' | 'kept' | 'trust' | 'validator' | 'verifiedAt' | 'file'
>

/** Self-description of an excerpt, not covered by any seal. */
export interface Excerpt {
  readonly schema: 'barewitness.excerpt/1'
  readonly run: string
  readonly nodes: readonly string[]
  readonly why: string
}

/**
 * Verification checks of a pack excerpt: selected nodes of one run under that run’s seal. Never throws, whatever it contains.
 */
export async function verifyExcerpt(input: VerifyPartInput): Promise<VerificationReport> {
  const source = onlyPaths(
    input.source,
    input.source.paths.filter((path) => path !== EXCERPT_PATH),
  )
  const excerpt = parseExcerpt(await textOf(input.source, EXCERPT_PATH))
  const bag = await readBag(source, input)
  const sampled = await readSampled(source, bag.trace, input)
  const { problems } = bag
  const files = source.paths.length
  const repacked = onlyRepacked({
    ...input,
    problems,
    sealProblems: bag.seal?.problems ?? null,
    files,
    unsealed: UNSEALED,
  })
  return conclusion('excerpt', input, await sealedPack(source, bag.seal, input), {
    integrity: repacked ?? intact([...input.departures.map(packedAgain), ...problems], files),
    completeness: complete(source, excerpt, { bag, sampled, declared: await enclosedProblems(source, bag, input) }),
    reproducibility: reproducible(sampled),
    continuity: NO_CHAIN,
    statedAt: bag.statement?.predicate.asOf ?? null,
    demo: bag.statement?.predicate.demo === true || sampled.demo,
    rules: sampled.rules,
    differences: sampled.differences,
  })
}

function parseExcerpt(text: string | null): Excerpt | null {
  const value = canonical(text) === null ? null : parsedJson(text ?? '')
  if (!hasExactly(value, ['schema', 'run', 'nodes', 'why']) || value.schema !== 'barewitness.excerpt/1') return null
  const { run, nodes, why } = value
  const isText = (one: unknown): one is string => typeof one === 'string' && one.length <= 1000
  if (!isText(run) || !isText(why) || !Array.isArray(nodes) || !nodes.every(isText)) return null
  return { schema: 'barewitness.excerpt/1', run, nodes, why }
}

const UNSEALED = `No seal covers ${EXCERPT_PATH}, which states the nodes and the purpose.`

const intact = (problems: readonly string[], files: number): VerificationCheckResult =>
  problems.length > 0
    ? checkResult('integrity', 'failed', 'Enclosed files differ from the sealed contents of the run’s pack.', problems)
    : checkResult(
        'integrity',
        'passed',
        `All ${files} enclosed files of the run’s pack match its sealed digests. ${UNSEALED}`,
      )

function complete(
  source: PackSource,
  excerpt: Excerpt | null,
  {
    bag,
    sampled,
    declared,
  }: { readonly bag: BagReading; readonly sampled: SampledReading; readonly declared: readonly string[] },
): VerificationCheckResult {
  const run = bag.statement?.predicate.run
  const problems = [
    ...(excerpt === null ? [`${EXCERPT_PATH} does not have the required form.`] : []),
    ...(excerpt === null || excerpt.run === run ? [] : [`${EXCERPT_PATH} names a different run from the seal.`]),
    ...nodesLacking(source, excerpt?.nodes ?? []).map((node) => `Node ${quote(node)} is listed but not enclosed.`),
    ...(excerpt === null || (sampled.nodes === excerpt.nodes.length && new Set(excerpt.nodes).size === sampled.nodes)
      ? []
      : [`${EXCERPT_PATH} lists different nodes from those enclosed.`]),
    ...(bag.trace === null ? ['The run trace is not enclosed.'] : []),
    ...declared,
    ...sampled.problems,
  ]
  return problems.length > 0
    ? checkResult('completeness', 'failed', 'Referenced files are missing or inconsistent.', problems)
    : checkResult(
        'completeness',
        'passed',
        `${plural(sampled.nodes, 'node')} of run ${quote(run ?? '')} enclosed completely. All other nodes of the run are omitted.`,
        [`Purpose, as stated by its creator: ${quote(excerpt?.why ?? '', 600)}.`],
      )
}

function reproducible({
  details,
  nodes,
  stated,
  identical,
  rules,
  falsified,
}: SampledReading): VerificationCheckResult {
  const result = (outcome: CheckOutcome, summary: string): VerificationCheckResult =>
    checkResult('reproducibility', outcome, summary, details)
  if (nodes === 0) return result('indeterminate', 'No node is enclosed, so nothing can be re-evaluated.')
  const count = `${identical} of ${stated} verdicts reproduced from the captures`
  if (falsified !== null) return result('failed', falsified)
  if (rules?.status === 'unknown') return result('indeterminate', unknownRules(rules.version, { stated, identical }))
  // Without a difference, a verdict that was not reproduced had nothing to be compared with.
  if (details.length === 0 && identical < stated)
    return result('indeterminate', `Not re-evaluated completely: ${count}.`)
  return result(details.length === 0 ? 'passed' : 'failed', `Re-evaluated: ${count}.`)
}

const NO_CHAIN = checkResult(
  'continuity',
  'indeterminate',
  'Not checked on an excerpt. Verify the pack or the period report to check the run chain.',
)

/**
 * Verification checks of a redacted copy. Its seal is that of the pack, and every disclosed byte must be covered by it; redacted parts
 * are listed and leave the remaining checks indeterminate. Never throws, whatever the copy contains.
 */
export async function verifyDisclosure(input: VerifyPartInput): Promise<VerificationReport> {
  const { source } = input
  const sealed = await sealStep(source, input.seal, input)
  const copy = await readDisclosure(source)
  const tags = await copiedTagProblems(source, engineOf(copy.units))
  const [problems, sealProblems] = [[...copy.problems, ...tags], sealed.seal?.problems ?? null]
  const reading = { ...copy, problems: [...input.departures.map(packedAgain), ...problems] }
  const found = await disclosureAnswers(reading, input, sealProblems, (content) => declaredInCopy(content, input))
  const repacked = onlyRepacked({ ...input, problems, sealProblems, files: copy.units.length })
  const integrity = repacked ?? found.integrity
  return conclusion('disclosure', input, sealed, { ...found, integrity, continuity: NO_CHAIN_IN_COPY })
}

const NO_CHAIN_IN_COPY = checkResult(
  'continuity',
  'indeterminate',
  'Not checked on a redacted copy. Verify the pack to check its run chain.',
)

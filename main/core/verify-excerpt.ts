import type { VerificationAnswer, VerificationReport } from '../../schemas/verification.ts'
import { EXCERPT_PATH, onlyPaths } from './period/pack.ts'
import { plain, quote } from './plain-text.ts'
import type { PackSource, SchemaValidator, SealReader } from './ports.ts'
import { plural } from './report/wording.ts'
import { hasExactly, parsedJson } from './run-chain/entry.ts'
import { type BagReading, nodesLacking, readBag } from './verify/bag.ts'
import { bounded } from './verify/budgets.ts'
import { packedAgain } from './verify/manifests.ts'
import { canonical, textOf } from './verify/read.ts'
import { type RulesSources, unknownRules } from './verify/rules.ts'
import { readSampled, type SampledReading } from './verify/sampled.ts'
import { NO_SEAL, namedAuthority, signedBy, signerOf } from './verify/signature.ts'
import { existedBy, shownTime } from './verify/time.ts'
import type { Trust } from './verify/trust.ts'

export interface VerifyExcerptInput extends RulesSources {
  readonly source: PackSource
  /** Where the archive itself is not as we write it; empty for a folder. */
  readonly departures: readonly string[]
  readonly seal: SealReader
  readonly validator: SchemaValidator
  readonly trust: Trust
  /** UTC, ISO 8601. */
  readonly verifiedAt: string
  readonly file: string
}

/** What an excerpt says of itself, on nobody's seal. */
export interface Excerpt {
  readonly schema: 'barewitness.excerpt/1'
  readonly run: string
  readonly nodes: readonly string[]
  readonly why: string
}

/**
 * The answers about an excerpt: a part of a run's pack with some of its nodes. Its seal is the run's own. Never throws, whatever it holds.
 */
export async function verifyExcerpt(input: VerifyExcerptInput): Promise<VerificationReport> {
  const { trust, verifiedAt } = input
  const source = onlyPaths(
    input.source,
    input.source.paths.filter((path) => path !== EXCERPT_PATH),
  )
  const said = parseExcerpt(await textOf(input.source, EXCERPT_PATH))
  const bag = await readBag(source, input)
  const sampled = await readSampled(source, bag.trace, input)
  const named = await namedAuthority(source)
  const time = shownTime(bag.seal?.timestamps ?? [], { trust, verifiedAt, ...named })
  const answers = [
    intact([...input.departures.map(packedAgain), ...bag.problems], source.paths.length),
    signedBy(bag.seal, { trust, time, verifiedAt, wholeChain: true, absent: NO_SEAL }),
    existedBy(time, {
      stamps: bag.seal?.timestamps.length ?? 0,
      expected: named.wholeChains,
      statedAt: bag.statement?.predicate.asOf ?? null,
    }),
    complete(source, said, { bag, sampled }),
    reproducible(sampled),
    NO_CHAIN,
  ]
  return {
    schema: 'barewitness.verification/2',
    file: plain(input.file),
    kind: 'excerpt',
    verifiedAt,
    ok: answers.every(({ outcome }) => outcome !== 'no'),
    demo: bag.seal?.demo === true || bag.statement?.predicate.demo === true,
    answers: answers.map(bounded),
    rules: sampled.rules,
    differences: sampled.differences,
    signer: signerOf(bag.seal, trust, time.at ?? verifiedAt),
  }
}

function parseExcerpt(text: string | null): Excerpt | null {
  const value = canonical(text) === null ? null : parsedJson(text ?? '')
  if (!hasExactly(value, ['schema', 'run', 'nodes', 'why']) || value.schema !== 'barewitness.excerpt/1') return null
  const { run, nodes, why } = value
  const isText = (one: unknown): one is string => typeof one === 'string' && one.length <= 1000
  if (!isText(run) || !isText(why) || !Array.isArray(nodes) || !nodes.every(isText)) return null
  return { schema: 'barewitness.excerpt/1', run, nodes, why }
}

const intact = (problems: readonly string[], files: number): VerificationAnswer => ({
  question: 'intact',
  outcome: problems.length > 0 ? 'no' : 'yes',
  summary:
    problems.length > 0
      ? 'What is enclosed is not as the run’s own seal has it.'
      : `All ${files} enclosed files are as they were when the run’s pack was sealed.`,
  details: problems,
})

function complete(
  source: PackSource,
  said: Excerpt | null,
  { bag, sampled }: { readonly bag: BagReading; readonly sampled: SampledReading },
): VerificationAnswer {
  const run = bag.statement?.predicate.run
  const problems = [
    ...(said === null ? [`${EXCERPT_PATH} is not in its form.`] : []),
    ...(said === null || said.run === run ? [] : [`${EXCERPT_PATH} names another run than the seal.`]),
    ...nodesLacking(source, said?.nodes ?? []).map((node) => `Node ${quote(node)} is named and not enclosed.`),
    ...(said === null || sampled.nodes === said.nodes.length
      ? []
      : [`${EXCERPT_PATH} names other nodes than are enclosed.`]),
    ...(bag.trace === null ? ['The trace of the run is not enclosed.'] : []),
    ...sampled.problems,
  ]
  const question = 'complete'
  return problems.length > 0
    ? {
        question,
        outcome: 'no',
        summary: 'Something the excerpt refers to is missing or does not fit.',
        details: problems,
      }
    : {
        question,
        outcome: 'yes',
        summary: `${plural(sampled.nodes, 'node')} of run ${quote(run ?? '')} is enclosed whole. Every other node of the run was left out.`,
        details: [`Why it was made, on the word of who made it: ${quote(said?.why ?? '', 600)}.`],
      }
}

function reproducible({ details, nodes, stated, identical, rules, falsified }: SampledReading): VerificationAnswer {
  const question = 'reproducible'
  if (nodes === 0) return { question, outcome: 'not-shown', summary: 'It encloses no node to evaluate again.', details }
  const count = `${identical} of ${stated} verdicts came out the same from the raw answers`
  if (falsified !== null) return { question, outcome: 'no', summary: falsified, details }
  if (rules?.standing === 'unknown')
    return { question, outcome: 'not-shown', summary: unknownRules(rules.version, { stated, identical }), details }
  return { question, outcome: details.length === 0 ? 'yes' : 'no', summary: `Evaluated again: ${count}.`, details }
}

const NO_CHAIN: VerificationAnswer = {
  question: 'chain-continuous',
  outcome: 'not-shown',
  summary: 'The chain of runs is checked on the pack itself, or on that of the period.',
  details: [],
}

import { POPULATIONS } from '../../../schemas/period-words.ts'
import type { CatalogReference, Period, RunTrace, Scope, TracedNode } from '../../../schemas/types.ts'
import type { Difference, RulesReading, VerificationCheckResult } from '../../../schemas/verification.ts'
import { addAll } from '../../core/base/budgets.ts'
import { canonicalJson, jsonBytes } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { quote } from '../../core/base/plain-text.ts'
import { assessorOf, type PackAssessor } from '../../core/conclusion/assessor.ts'
import { traceBytes } from '../../core/history/trace.ts'
import { nodeFolder, PATHS } from '../../core/pack/pack-files.ts'
import { below, nodesAsked, PERIOD_PATH, runFolder, runFolders } from '../../core/period/pack.ts'
import { type DerivedPeriod, periodFold } from '../../core/period/period.ts'
import { type CsvWriter, populationPath } from '../../core/period/populations.ts'
import { headsBefore } from '../../core/period/seen.ts'
import type { PackSource, SchemaValidator, SealReader, SealReading } from '../../core/ports/ports.ts'
import { chainAnswer } from '../../core/run-chain/answer.ts'
import type { Zones } from '../../core/run-chain/cadence.ts'
import type { PackedEntry } from '../../core/run-chain/entry.ts'
import type { Checkpoint } from '../../core/run-chain/head.ts'
import { type ChainReading, readChainFiles, type SignatureProblems } from '../../core/run-chain/read.ts'
import { type BagReading, nodesLacking, readBag } from './bag.ts'
import { collectionProblems } from './collected.ts'
import { nodeProblems, wholeProblems } from './complete.ts'
import { enclosedProblems } from './enclosed.ts'
import { readNodes, strangeFolders } from './entries.ts'
import { bytesOf, canonical, nodeFolders, type PackReading, readPack, textOf } from './read.ts'
import { compareNode, wordingDiffers } from './reproduce.ts'
import {
  assessorOfPack,
  falsifiedRules,
  type RulesSources,
  type RulesStatus,
  rulesAtHand,
  rulesReading,
  statusOfRules,
} from './rules.ts'
import { ALONE, statusOfSigner } from './signature.ts'
import { OWN_PRODUCER } from './tags.ts'
import type { Trust } from './trust.ts'

export interface WalkInput extends RulesSources {
  readonly source: PackSource
  readonly seal: SealReader
  readonly validator: SchemaValidator
  readonly trust: Trust
  readonly zones: Zones
  readonly csv: CsvWriter
  /** This program, as stated in packs. */
  readonly producer: string
}

/** Results of reading the enclosed parts of the runs’ packs, and the derived period report. */
export interface PeriodWalk {
  readonly problems: readonly string[]
  /** Differences under the available rules. */
  readonly wrong: readonly string[]
  /** Differences in parts produced by a different version. */
  readonly other: readonly string[]
  /** Rules versions of runs that are unknown here. */
  readonly unknown: ReadonlySet<string>
  readonly differences: readonly Difference[]
  readonly runs: number
  /** Runs without any enclosed part. */
  readonly absent: readonly string[]
  /** Enclosed runs sealed by a key that the reader does not trust. */
  readonly untrusted: readonly string[]
  readonly nodes: number
  readonly stated: number
  readonly identical: number
  readonly demo: boolean
  /** Why derivation was not possible; null otherwise. */
  readonly failed: string | null
  /** The derived period report; null where derivation was not possible. */
  readonly derived: DerivedPeriod | null
}

/** One pass over the runs of the period, one part of a pack at a time. Never throws, whatever they contain. */
export async function walkPeriod(
  input: WalkInput,
  period: Period | null,
  chain: ChainReading | null,
): Promise<PeriodWalk> {
  const found = {
    problems: [] as string[],
    wrong: [] as string[],
    other: [] as string[],
    unknown: new Set<string>(),
    differences: [] as Difference[],
    runs: 0,
    absent: [] as string[],
    untrusted: [] as string[],
    nodes: 0,
    stated: 0,
    identical: 0,
    demo: false,
    failed: null as string | null,
    derived: null as DerivedPeriod | null,
  }
  if (period === null) return { ...found, failed: 'The period report cannot be read.' }
  if (chain === null || chain.problems.length > 0)
    return { ...found, failed: 'Its run chain is missing or inconsistent.' }
  const { from, to, asOf, producer, catalog, engagement, samples } = period
  const asked = samples.map(({ population, size, seed }) => ({ population, size, seed }))
  const stated = { from, to, asOf, producer, catalog, engagement }
  const rules = { zones: input.zones, csv: input.csv, rules: input.catalog }
  const fold = periodFold({ ...stated, ...rules, chain, samples: asked })
  const headBefore = headsBefore(chain)
  const known = new Set(fold.runs.map(({ entry }) => runFolder(entry.run)))
  for (const folder of runFolders(input.source))
    if (!known.has(folder))
      found.problems.push(`${quote(folder, 400)} does not belong to a run of the run chain in the period.`)
  for (const run of fold.runs) {
    found.runs += 1
    const about = `Run ${quote(run.entry.run)}`
    const head = headBefore(run)
    const part = below(input.source, runFolder(run.entry.run))
    if (part.paths.length === 0) {
      found.absent.push(run.entry.run)
      fold.add(run, null)
      continue
    }
    const bag = await readBag(part, input)
    const lacking = nodesLacking(part, nodesAsked(samples, run.entry.run))
    const unfit = [
      ...bagProblems(bag, { entered: canonicalJson(run.entry), head, lacking }),
      ...(await enclosedProblems(part, bag, input)),
    ]
    addAll(
      found.problems,
      unfit.map((problem) => `${about}: ${problem}`),
    )
    if (bag.seal === null || statusOfSigner(bag.seal, input.trust) === 'unknown') found.untrusted.push(run.entry.run)
    const sampled = await readSampled(part, bag.trace, input)
    addAll(
      found.problems,
      sampled.problems.map((problem) => `${about}: ${problem}`),
    )
    const made = bag.trace === null ? null : await rulesStated(bag.trace.catalog, bag.evidence?.scope ?? null, input)
    const falsified = sampled.falsified ?? made?.falsified ?? null
    if (falsified !== null) found.wrong.push(`${about}: ${falsified}`)
    if (made?.unknown != null) found.unknown.add(made.unknown)
    addAll(
      found[made?.unknown == null ? 'wrong' : 'other'],
      sampled.details.map((detail) => `${about}: ${detail}`),
    )
    addAll(found.differences, sampled.differences)
    found.nodes += sampled.nodes
    found.stated += sampled.stated
    found.identical += sampled.identical
    found.demo ||= bag.trace?.demo === true || bag.seal?.demo === true || sampled.demo
    fold.add(run, unfit.length === 0 ? bag.evidence : null)
  }
  const derived = fold.finish()
  if (!derived.ok) return { ...found, failed: `${derived.error.detail}.` }
  addAll(found.wrong, plainFacts(period, derived.value.period))
  addAll(found[producer === input.producer ? 'wrong' : 'other'], await otherwise(input, derived.value))
  return { ...found, derived: derived.value }
}

/** The version of stated rules, where it is unknown here, or why they are not that version. The scope has the customer’s frameworks. */
async function rulesStated(
  stated: CatalogReference,
  scope: Pick<Scope, 'mappings'> | null,
  sources: RulesSources,
): Promise<{ readonly unknown: string | null; readonly falsified: string | null }> {
  const judge = await assessorOf(sources, stated.version)
  const { reference } = await judge.about(scope?.mappings === undefined ? {} : { mappings: scope.mappings })
  const here = scope === null ? { ...reference, digest: stated.digest } : reference
  const rulesStatus = statusOfRules(stated, here)
  return {
    unknown: rulesStatus === 'unknown' ? stated.version : null,
    falsified: rulesStatus === 'falsified' ? falsifiedRules(stated, here) : null,
  }
}

function bagProblems(
  bag: BagReading,
  expected: { readonly entered: string; readonly head: string; readonly lacking: readonly string[] },
): readonly string[] {
  return [
    ...bag.problems,
    ...(bag.own === null || canonicalJson(bag.own) === expected.entered
      ? []
      : ['its pack differs from the one in the run chain.']),
    ...(bag.head === null || canonicalJson(bag.head) !== expected.head
      ? ['its pack states a different preceding run chain.']
      : []),
    ...expected.lacking.map((node) => `node ${quote(node)} was sampled, but its captures are missing.`),
  ]
}

/** Facts independent of the version, because they come from the run chain: schedules, days, runs and missed runs. */
const plainFacts = (stated: Period, derived: Period): readonly string[] =>
  (['fleet', 'chain', 'plans', 'calendar', 'runs', 'missedRuns', 'demo'] as const)
    .filter((part) => canonicalJson(stated[part]) !== canonicalJson(derived[part]))
    .map((part) => `${PERIOD_PATH}: ${WORDS[part]} inconsistent with the run chain and the run traces.`)

const WORDS = {
  fleet: 'the fleet is',
  chain: 'the checkpoint is',
  plans: 'the schedules are',
  calendar: 'the calendar is',
  runs: 'the runs are',
  missedRuns: 'the missed runs are',
  demo: 'the demo data marker is',
} as const

/** Files that differ from the derived ones. */
async function otherwise({ source }: WalkInput, { period, tables }: DerivedPeriod): Promise<readonly string[]> {
  const expected = new Map([...tables, [PERIOD_PATH, jsonBytes(period)] as const])
  const details: string[] = []
  for (const [path, bytes] of expected)
    if ((await source.sha256(path).catch(() => null)) !== sha256(bytes))
      details.push(`${path} differs from the one derived from the run chain and the run traces.`)
  const known = new Set(POPULATIONS.map(populationPath))
  for (const path of source.paths)
    if (path.startsWith('data/populations/') && !known.has(path))
      details.push(`${quote(path, 400)} is not a list derived from the run chain and the run traces.`)
  return details
}

/** The enclosed nodes of a part of a run’s pack, re-evaluated. */
export interface SampledReading {
  /** Inconsistencies. */
  readonly problems: readonly string[]
  readonly differences: readonly Difference[]
  /** Differences, one sentence each. */
  readonly details: readonly string[]
  readonly nodes: number
  readonly stated: number
  readonly identical: number
  /** The stated rules; null where none are stated. */
  readonly rules: RulesReading | null
  /** Why those are not the rules of the stated version; null otherwise. */
  readonly falsified: string | null
  /** Whether an enclosed recording is marked as demo data. */
  readonly demo: boolean
}

const NOTHING: SampledReading = {
  problems: [],
  differences: [],
  details: [],
  nodes: 0,
  stated: 0,
  identical: 0,
  rules: null,
  falsified: null,
  demo: false,
}

/** Re-evaluates the nodes enclosed in a part of a run’s pack from their captures, as verifyPack() does; empty where none is enclosed. */
export async function readSampled(
  source: PackSource,
  trace: RunTrace | null,
  input: RulesSources & { readonly validator: SchemaValidator },
): Promise<SampledReading> {
  if (nodeFolders(source).size === 0) return NOTHING
  const { validator } = input
  const reading = await readPack(source, validator)
  const stated = reading.assessment?.catalog ?? null
  const rules = reading.assessment === null ? null : await rulesAtHand(input, reading.assessment)
  const judge = await assessorOfPack(rules, reading)
  const found = {
    ...NOTHING,
    problems: [...wholeProblems(reading, strangeFolders(source, reading))],
    differences: [] as Difference[],
    details: [] as string[],
    falsified: stated !== null && rules?.status === 'falsified' ? falsifiedRules(stated, rules.reference) : null,
  }
  const traced = new Map(trace?.nodes.map((node) => [node.node, node]))
  const enclosed = enclosedNodes(source, reading.scope?.population ?? [])
  for await (const node of readNodes(source, validator, reading, judge, { only: enclosed })) {
    const compared = compareNode(node)
    found.nodes += 1
    found.stated += compared.stated
    found.identical += compared.identical
    found.demo ||= node.recording?.recording.demo === true
    addAll(found.problems, [...nodeProblems(node, reading), ...collectionProblems(node, input.catalog)])
    addAll(found.differences, compared.differences)
    addAll(found.details, compared.details)
    if (rules?.status !== 'same' || compared.details.length > 0) continue
    addAll(found.details, wordingDiffers(node))
    if (node.traced === null) continue
    if (canonicalJson(node.traced) !== canonicalJson(traced.get(node.node) ?? null))
      found.details.push(`Node ${quote(node.node)}: the run trace differs from the captures.`)
  }
  return { ...found, rules: stated === null || rules === null ? null : rulesReading(stated, rules.status, found) }
}

/** Nodes with a folder. */
function enclosedNodes(source: PackSource, nodes: readonly string[]): ReadonlySet<string> {
  const folders = nodeFolders(source)
  return new Set(nodes.filter((node) => folders.has(nodeFolder(node))))
}

/**
 * Compares the run trace in a pack with the one derived here: a sentence when they differ. A pack of another version may have none.
 * With different rules, the fields that identify the rules are taken as stated.
 */
export async function traceDiffers(
  { source, validator }: { readonly source: PackSource; readonly validator: SchemaValidator },
  { statement, assessment }: PackReading,
  { assess, rules: rulesStatus }: { readonly assess: PackAssessor | null; readonly rules: RulesStatus | null },
  { traced, demo }: { readonly traced: readonly TracedNode[] | null; readonly demo: boolean },
): Promise<readonly string[]> {
  if (statement === null || assessment === null || assess === null) return []
  if (!source.paths.includes(PATHS.trace))
    return statement.predicate.producer === OWN_PRODUCER ? [`${PATHS.trace} is missing.`] : []
  const text = await textOf(source, PATHS.trace)
  const found = canonical(text)
  if (found === null || validator.problems('trace', found.value).length > 0)
    return [`${PATHS.trace} is not a run trace in canonical form.`]
  if (traced === null) return [`${PATHS.trace} could not be derived.`]
  const stated = found.value as RunTrace
  const { run, planned = null } = statement.predicate
  // Facts shared between nodes and the reconciliation are taken as stated; compareWhole() compares them with the derived ones.
  const { shared, reconciliation } = assessment
  const derived = await assess.trace(traced, { run, planned, demo, shared, reconciliation })
  const { engine, rules } = stated
  const compared = rulesStatus === 'same' ? derived : { ...derived, engine, rules, catalog: assessment.catalog }
  return new TextDecoder().decode(traceBytes(compared)) === text
    ? []
    : [`${PATHS.trace} differs from the run trace derived from the evidence and the scope.`]
}

/**
 * The run chain that a pack states it extends, and the entry of the pack itself. `own` is null when there is none;
 * `stated` is the chain whether or not it is reliable.
 */
type PackChain = { readonly stated: ChainReading | null } & (
  | { readonly answer: VerificationCheckResult; readonly reading: ChainReading; readonly own: PackedEntry }
  | { readonly answer: VerificationCheckResult; readonly own: null }
)

/** Reads the run chain in a pack and compares it with the reader’s checkpoint. */
export async function chainOf(
  {
    source,
    seal,
    checkpoint,
    trusted,
  }: {
    readonly source: PackSource
    readonly seal: SealReader
    readonly checkpoint: Checkpoint | null
    /** The reader trusts the key of the pack. */
    readonly trusted: boolean
  },
  /** Builds the entry of the pack from its tag manifest and signer; null when the pack lacks the data for it. */
  ownOf: ((tagManifest: Uint8Array, signer: string) => PackedEntry) | null,
  reading: SealReading | null,
): Promise<PackChain> {
  const tagManifest = await bytesOf(source, PATHS.tagManifest)
  const signer = reading?.problems.length === 0 ? reading.signer : null
  const own = ownOf === null || tagManifest === null || signer == null ? null : ownOf(tagManifest, signer.fingerprint)
  const chain = await readChainFiles((path) => textOf(source, path), gapSignatures(seal))
  const answer = chainAnswer(chain, own, checkpoint)
  if (own === null || chain === null || chain.problems.length > 0 || !isKnown(own, chain, trusted))
    return { answer: answer.outcome === 'passed' ? NOBODY_KNOWN : answer, own: null, stated: chain }
  return { answer, reading: chain, own, stated: chain }
}

/** Anyone can compute a valid next entry, so only a trusted key, or a key that sealed earlier packs, can extend a chain. */
const isKnown = (own: PackedEntry, { entries }: ChainReading, trusted: boolean): boolean =>
  trusted || entries.some(({ entry }) => entry.signer === own.signer)

const NOBODY_KNOWN: VerificationCheckResult = {
  check: 'continuity',
  outcome: 'indeterminate',
  summary: 'Extends your checkpoint, but the signer is not confirmed.',
  details: ['You do not trust its key, and the key sealed no earlier pack of the run chain.'],
  needs: 'signer',
}

/**
 * A missed-run entry is signed by the key that it names. The root and validity of that key are not evaluated here: the owner may have had
 * a different root of the same name at that time.
 */
const gapSignatures =
  (seal: SealReader): SignatureProblems =>
  async (content, signature, signer) => {
    const reading = await seal.read({ ...ALONE, content, signature })
    return reading.problems.length > 0 || reading.signer?.fingerprint === signer
      ? reading.problems
      : ['It was signed by a different key from the one it names.']
  }

import type { Period, RunTrace } from '../../../schemas/types.ts'
import type { Difference } from '../../../schemas/verification.ts'
import { assessorOf } from '../../core/assessor.ts'
import { addAll } from '../../core/budgets.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { sha256 } from '../../core/digest.ts'
import { jsonBytes } from '../../core/pack-files.ts'
import type { Zones } from '../../core/period/cadence.ts'
import { below, nodesAsked, PERIOD_PATH, runFolder, runFolders } from '../../core/period/pack.ts'
import { type DerivedPeriod, periodFold } from '../../core/period/period.ts'
import { type CsvWriter, POPULATIONS, populationPath } from '../../core/period/populations.ts'
import { headsBefore } from '../../core/period/runs.ts'
import { quote } from '../../core/plain-text.ts'
import type { PackSource, SchemaValidator, SealReader } from '../../core/ports.ts'
import type { ChainReading } from '../../core/run-chain/read.ts'
import { type BagReading, nodesLacking, readBag } from './bag.ts'
import { falsifiedRules, type RulesSources, statusOfRules } from './rules.ts'
import { readSampled } from './sampled.ts'
import { statusOfSigner } from './signature.ts'
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
    const unfit = bagProblems(bag, { entered: canonicalJson(run.entry), head, lacking })
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
    const made = bag.trace === null ? null : await rulesOfTrace(bag.trace, input)
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
    found.demo ||= bag.trace?.demo === true || bag.seal?.demo === true
    fold.add(run, unfit.length === 0 ? bag.evidence : null)
  }
  const derived = fold.finish()
  if (!derived.ok) return { ...found, failed: `${derived.error.detail}.` }
  addAll(found.wrong, plainFacts(period, derived.value.period))
  addAll(found[producer === input.producer ? 'wrong' : 'other'], await otherwise(input, derived.value))
  return { ...found, derived: derived.value }
}

/**
 * Evaluates the rules version stated in a run trace: the version where it is unknown here, or why it is not the stated version. Its catalog
 * can contain customer frameworks, which a part of a pack need not enclose; the module is the same with and without them.
 */
async function rulesOfTrace(
  { catalog: stated }: RunTrace,
  sources: RulesSources,
): Promise<{ readonly unknown: string | null; readonly falsified: string | null }> {
  const judge = await assessorOf(sources, stated.version)
  const here = { ...(await judge.about({})).reference, digest: stated.digest }
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

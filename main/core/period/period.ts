import type {
  CatalogReference,
  Deviation,
  Engagement,
  HardwareChange,
  Period,
  PeriodChange,
  PeriodSample,
  PopulationFile,
  RulesSpan,
  RunTrace,
  SampledItem,
} from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { rootOf, type Sha256, sha256 } from '../base/digest.ts'
import { type Outcome, ok } from '../base/failure.ts'
import { plural, quote } from '../base/plain-text.ts'
import { drawRows } from '../pack/sample.ts'
import { compare } from '../recording/recording.ts'
import type { Catalog } from '../rules/catalog.ts'
import type { Zones } from '../run-chain/cadence.ts'
import { leafOf, type RunChain } from '../run-chain/entry.ts'
import { shortened } from '../run-chain/notes.ts'
import { type CalendarReading, calendarOf } from './calendar.ts'
import { changeFold } from './changes.ts'
import { conclusionFold, type DerivedConclusions, isCovered, type RunEvidence } from './conclusions.ts'
import { deviationFold } from './deviations.ts'
import { type CsvWriter, type Population, type PopulationName, populationPath, populationsOf } from './populations.ts'
import { entityNotes, repeatFold } from './repeated.ts'
import { type EnteredRun, factsOf, type NodeRow, type RunFacts, runsWithin, seenFold, withoutTrace } from './seen.ts'

/** A requested sample: population, size and seed. */
export interface SampleRequest {
  readonly population: PopulationName
  readonly size: number
  readonly seed: string
}

interface PeriodInput {
  /** Days of UTC, both included. */
  readonly from: string
  readonly to: string
  readonly asOf: string
  readonly producer: string
  /** Of the program that produces the period report. */
  readonly catalog: CatalogReference
  /** The same catalog, whose mappings the conclusions follow. */
  readonly rules: Catalog
  readonly engagement: Engagement | null
  readonly chain: RunChain
  readonly zones: Zones
  readonly samples: readonly SampleRequest[]
  readonly csv: CsvWriter
}

export interface DerivedPeriod {
  readonly period: Period
  /** The CSV files, by path in the pack. */
  readonly tables: ReadonlyMap<string, Uint8Array>
  readonly unrecorded: CalendarReading['unrecorded']
  /** The items of the population “changes”. */
  readonly changes: readonly PeriodChange[]
  readonly frameworks: DerivedConclusions['frameworks']
}

/** Incremental derivation of a period report: takes the run trace of each run in turn. At most two run traces are in memory. */
interface PeriodFold {
  /** In the order in which they must be added. */
  readonly runs: readonly EnteredRun[]
  /** Null: the evidence of the run is not available, and the run supports nothing. */
  readonly add: (run: EnteredRun, evidence: RunEvidence | null) => void
  /** Fails as calendarOf() does. */
  readonly finish: () => Outcome<DerivedPeriod>
}

/** Derives a period report, run by run. The caller has verified that each run trace is sealed under the tag manifest in the run chain. */
export function periodFold(input: PeriodInput): PeriodFold {
  const { chain, from, to } = input
  const facts = new Map<Sha256, RunFacts>()
  const missing: EnteredRun[] = []
  const rules: RulesSpan[] = []
  const [deviations, changes, seen] = [deviationFold(), changeFold(), seenFold()]
  const conclusions = conclusionFold(input.rules)
  const repeats = repeatFold()
  let lastScope: RunEvidence['scope'] | null = null
  let demo = false
  let checks: readonly string[] = []
  return {
    runs: runsWithin(chain.entries, { from, to }),
    add: (run, sealed) => {
      const evidence = sealed === null ? null : repeats.add(sealed)
      conclusions.add(run, evidence)
      deviations.add(evidence?.trace ?? null)
      if (evidence === null) {
        missing.push(run)
        return
      }
      const { trace, scope } = evidence
      lastScope = scope
      facts.set(run.entry.tagManifest, factsOf(trace))
      demo ||= trace.demo
      checks = trace.checks
      lengthen(rules, trace)
      changes.add(trace)
      seen.add(trace)
    },
    finish: () => {
      const read = calendarOf({ ...input, entries: chain.entries, facts })
      if (!read.ok) return read
      const { plans, unrecorded, awaited } = read.value
      // The period is over: what can still be sealed in time shows nothing in this report.
      const missed = [...read.value.missed, ...awaited]
      const found = deviations.finish()
      const covered = isCovered(plans, { from, to, unexplained: unrecorded.length + awaited.length })
      const gathered = {
        deviations: found,
        ...conclusions.finish({ missed, deviations: found, covered }),
        ...changes.finish(),
        ...seen.finish(),
        rules,
        demo,
        checks,
        missing,
        more: [...awaitedNotes(awaited), ...repeats.notes(), ...entityNotes(input.engagement, lastScope)],
      }
      return ok(joined(input, read.value, gathered))
    },
  }
}

type Gathered = ReturnType<ReturnType<typeof changeFold>['finish']> &
  ReturnType<ReturnType<typeof seenFold>['finish']> &
  DerivedConclusions & {
    readonly deviations: readonly Deviation[]
    readonly rules: readonly RulesSpan[]
    readonly demo: boolean
    /** Of the last run available. */
    readonly checks: readonly string[]
    readonly missing: readonly EnteredRun[]
    /** Notes on the evidence of the runs. */
    readonly more: readonly string[]
  }

function joined(input: PeriodInput, read: CalendarReading, gathered: Gathered): DerivedPeriod {
  const { chain, from, to, asOf, producer, catalog, engagement } = input
  const { plans, calendar, runs, missedRuns, late, unrecorded } = read
  const { deviations, conclusions, changes, rules, demo, missing } = gathered
  const populations = populationsOf({ ...gathered, runs, late })
  const files = populations.map((one) => populationFile(one, input.csv, { from, to }))
  const counted = (list: string): number => changes.filter((one) => one.list === list).length
  const lost = missing.map(({ entry: { run, at, tagManifest }, place }) => ({ run, at, tagManifest, entry: place }))
  const period: Period = {
    schema: 'barewitness.period/1',
    fleet: chain.fleet,
    from,
    to,
    asOf,
    demo,
    producer,
    catalog,
    engagement,
    chain: { id: chain.id, size: chain.entries.length, root: rootOf(chain.entries.map(({ entry }) => leafOf(entry))) },
    plans: [...plans],
    calendar,
    runs: [...runs],
    missedRuns: [...missedRuns],
    rules: [...rules],
    conclusions,
    deviations: [...deviations],
    hardwareChanges: [...movesIn(gathered.moves)],
    changes: { evidence: counted('evidence'), rules: counted('rules'), scope: counted('scope') },
    baseline: baselineAt(chain, to),
    populations: files.map(({ file }) => file),
    samples: input.samples.map((asked) => drawn(asked, populations, new Set(lost.map(({ run }) => run)))),
    notes: [...read.notes, ...withoutTrace(lost, chain.entries), ...gathered.more, ...openNotes(deviations, gathered)],
  }
  return {
    period,
    tables: new Map(files.map(({ file, bytes }) => [file.path, bytes])),
    unrecorded,
    changes,
    frameworks: gathered.frameworks,
  }
}

/** A note on scheduled runs of the period that can still be sealed in time when the report is sealed. */
function awaitedNotes(awaited: CalendarReading['awaited']): readonly string[] {
  const until = awaited
    .map((run) => run.until)
    .sort(compare)
    .at(-1)
  return until === undefined
    ? []
    : [
        `${plural(awaited.length, 'scheduled run')} of the period ${awaited.length === 1 ? 'was' : 'were'} not sealed when this report was, and can still be in time until ${until}: not in the calendar, and counted as not tested.`,
      ]
}

/** Consecutive runs under the same rules. */
function lengthen(spans: RulesSpan[], { run, asOf, catalog, engine, rules }: RunTrace): void {
  const moment = { run, at: asOf }
  const last = spans.at(-1)
  const isSame = last?.catalog === catalog.digest && last.engine === engine && last.rules === rules
  if (last !== undefined && isSame) spans[spans.length - 1] = { ...last, to: moment, runs: last.runs + 1 }
  else spans.push({ catalog: catalog.digest, engine, rules, from: moment, to: moment, runs: 1 })
}

/** The last baseline set before the period ended. */
function baselineAt({ entries }: RunChain, to: string): Period['baseline'] {
  const end = Date.parse(`${to}T23:59:59.999Z`)
  const place = entries.findLastIndex(({ entry }) => entry.kind === 'baseline' && Date.parse(entry.at) <= end)
  const entry = entries[place]?.entry
  return entry?.kind === 'baseline' ? { run: entry.run, entry: place + 1, why: entry.why } : null
}

function drawn(
  { population: name, size, seed }: SampleRequest,
  populations: readonly Population[],
  lost: ReadonlySet<string>,
): PeriodSample {
  const rows = populations.find((one) => one.name === name)?.rows ?? []
  const places = drawRows(rows, { keyOf: ({ key }) => key, size, seed })
  return {
    population: name,
    seed,
    size,
    of: rows.length,
    sampled: places.map(({ place, row: { key, run, node } }): SampledItem => {
      const there = run !== null && !lost.has(run)
      return { place, key, run: there ? run : null, node: there ? node : null }
    }),
  }
}

/** Nodes whose captures a sample requires, by run; sorted. */
export function sampledNodes(samples: readonly PeriodSample[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, Set<string>>()
  for (const { run, node } of samples.flatMap((one) => one.sampled)) {
    if (run === null || node === null) continue
    const nodes = wanted.get(run) ?? new Set()
    wanted.set(run, nodes.add(node))
  }
  return new Map([...wanted].sort(([a], [b]) => compare(a, b)).map(([run, nodes]) => [run, [...nodes].sort(compare)]))
}

/**
 * Hardware changes in a period, each once and in run order: a component that left one node and appeared in another is reported by both of
 * their comparisons, and by a later one where its node was not collected in between. One that left a node in one run and first appears in another
 * node in a later run moved between them; one that returns to its own node was absent.
 */
export function movesIn(moves: readonly HardwareChange[]): readonly HardwareChange[] {
  const merged = new Map<string, HardwareChange>()
  /** Component and node: reported as removed and not reported as back. */
  const out = new Set<string>()
  /** Components removed and not seen since: the key of that move. */
  const away = new Map<string, string>()
  for (const move of moves) {
    const { kind, value, from, to } = move
    const [key, part] = [canonicalJson(move), canonicalJson([kind, value])]
    const isListed = merged.has(key) || (to === null && out.has(`${part} ${from}`))
    if (isListed) continue
    const left = away.get(part)
    const went = left === undefined ? undefined : merged.get(left)
    if (left !== undefined && went !== undefined && from === null && went.from !== to)
      merged.set(left, { ...move, from: went.from, before: went.before })
    else merged.set(key, move)
    away.delete(part)
    if (to === null) away.set(part, key)
    out.add(`${part} ${from}`)
    out.delete(`${part} ${to}`)
  }
  return [...merged.values()]
}

/**
 * Deviations that stay open because they are no longer tested: nodes that later runs do not declare, and checks that later rules do not
 * contain. One sentence per node and check.
 */
export function openNotes(
  deviations: readonly Deviation[],
  {
    nodes,
    checks,
  }: { readonly nodes: readonly NodeRow[] /** Of the last run available. */; readonly checks: readonly string[] },
): readonly string[] {
  const open = deviations.filter((one) => one.open)
  const gone = nodes.filter(({ atEnd }) => !atEnd)
  const known = new Set(checks)
  const dropped = [...new Set(open.map(({ check }) => check))].filter((check) => !known.has(check))
  return [
    ...shortened(
      gone.flatMap(({ node, last }) => {
        const count = open.filter((one) => one.node === node).length
        return count === 0
          ? []
          : [
              `Node ${quote(node)} is in no run after ${quote(last.run)}. ${plural(count, 'deviation')} on it stayed open: no run shows remediation.`,
            ]
      }),
    ),
    ...shortened(
      dropped.map(
        (check) => `The last run has no check ${quote(check)}. Its deviations stayed open: no run shows remediation.`,
      ),
    ),
  ]
}

/** The file of a population, with the parameters that auditors require for information produced by the entity (IPE). */
function populationFile(
  population: Population,
  csv: CsvWriter,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly file: PopulationFile; readonly bytes: Uint8Array } {
  const { name, columns, rows } = population
  const bytes = new TextEncoder().encode(csv([columns, ...rows.map(({ cells }) => cells)]))
  const { unit, source, order } = ABOUT[name]
  const how = `Every run in the run chain of this fleet sealed from ${from} to ${to} (UTC days, both included), once each; no other filter was applied. ${order} The first column is the key used for sampling.`
  return {
    file: { name, path: populationPath(name), rows: rows.length, sha256: sha256(bytes), unit, source, how },
    bytes,
  }
}

const TRACES = 'the sealed run traces of the period (data/trace.json in each run), which are derived from the captures'

const ABOUT: Readonly<Record<PopulationName, Record<'unit' | 'source' | 'order', string>>> = {
  runs: {
    unit: 'One run that was sealed and entered in the run chain.',
    source:
      'Entries of the run chain (data/log/entries.jsonl); node counts come from the sealed run trace of each run.',
    order: 'In order of entry.',
  },
  nodes: {
    unit: 'One node declared in at least one run of the period.',
    source: `The declared nodes in ${TRACES}. Nodes not declared in any run are not included.`,
    order:
      'Sorted by name. Beginning and end are the first and the last run of the period with an available run trace.',
  },
  'node-runs': {
    unit: 'One node in one run that declares it, whether or not it was collected.',
    source: `The declared nodes, their collection status and verdicts in ${TRACES}.`,
    order: 'In run order, then by node.',
  },
  accounts: {
    unit: 'One local account on one node: a name with a numeric ID.',
    source: `The account lists of the nodes in ${TRACES}. A run in which a node’s list could not be read is not used for that node.`,
    order:
      'Sorted by node, account and ID. Beginning and end are the first and the last run that read the list of that node.',
  },
  keys: {
    unit: 'One public key that grants access to one account on one node.',
    source: `The authorized key lists of the nodes in ${TRACES}. A run in which a node’s list could not be read is not used for that node.`,
    order:
      'Sorted by node, account and fingerprint. Beginning and end are the first and the last run that read the list of that node.',
  },
  changes: {
    unit: 'One difference between a run and the one before it: in evidence, rules or scope.',
    source: `Comparison of ${TRACES}. Values that change on an unmodified host are excluded, as defined by the catalog for each probe. A node not collected in a run is compared with the run that last collected it.`,
    order: 'In run order.',
  },
}

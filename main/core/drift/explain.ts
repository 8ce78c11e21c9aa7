import type {
  CaptureChange,
  CollectedAs,
  EvidenceChange,
  FlipCause,
  FlipDetail,
  RunDrift,
  Uncollected,
} from '../../../schemas/drift.ts'
import { FAILURE_CODES, type FailureCode, failureWords } from '../../../schemas/failure-words.ts'
import type { RunTrace } from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { plain, plural } from '../base/plain-text.ts'
import { type AssessmentTerms, assessNode } from '../conclusion/assess.ts'
import { NOT_COMPARED, readingDigest } from '../history/trace.ts'
import { captureKey } from '../recording/probe.ts'
import { capturesByKey, readingsOf } from '../recording/readings.ts'
import type { CapturedAnswer, LoadedRecording } from '../recording/recording.ts'
import type { Catalog } from '../rules/catalog.ts'
import type { BaselineEntry, RunChain } from '../run-chain/entry.ts'
import { checksInBoth, type NeedsOf, verdictAt } from './compare.ts'

/** One run, as needed to explain a changed verdict of one node. */
export interface DescribedRun {
  /** The trace that the run stated. */
  readonly trace: RunTrace
  /** The recording of the node; null without one. */
  readonly recording: LoadedRecording | null
  /** The other declarations; the evaluation date is the recording’s own end. Null: no longer known. */
  readonly terms: Omit<AssessmentTerms, 'asOf'> | null
}

/** The probes that checks of this catalog use, needed and wanted ones. */
export function needsIn({ checks }: Pick<Catalog, 'checks'>): NeedsOf {
  const needs = new Map(
    checks.map(({ id, requires, optional }) => [
      id,
      [...new Set([...Object.values(requires), ...Object.values(optional ?? {})].map((probe) => probe.id))],
    ]),
  )
  return (check) => needs.get(check) ?? []
}

/**
 * Explains every changed verdict of a node in steps: as stated then; the old answers under the present rules; with
 * the present declarations; with the present answers. Each step is evaluated by assess() as of the end of its
 * recording. The step that changed the verdict is the cause; where the old answers alone would have led to it by now,
 * the cause is time. `undecided`: several steps changed it, or what a run stated does not follow from the available
 * data. Where the declarations of one run are unknown, both are evaluated without declarations, and no change is
 * attributed to rules or declarations. The verdict of a check that compares nodes is always undecided here, since
 * another node may have changed it.
 */
export function explainFlips(
  catalog: Catalog,
  node: string,
  before: DescribedRun,
  after: DescribedRun,
): readonly FlipDetail[] {
  const [was, is] = [before, after].map(({ trace }) => trace.nodes.find((one) => one.node === node))
  if (was === undefined || is === undefined) return []
  const flipped = checksInBoth(before.trace, after.trace).flatMap(([check, place, other]) => {
    const [stated, now] = [verdictAt(was, place), verdictAt(is, other)]
    return stated === now ? [] : [{ check, stated, now }]
  })
  if (flipped.length === 0) return []
  const steps = stepsOf(catalog, node, before, after)
  const needsOf = needsIn(catalog)
  const differs = differing(catalog, before.recording, after.recording)
  const isKnown = before.terms !== null && after.terms !== null
  const comparing = new Set(catalog.checks.flatMap(({ id, amongNodes }) => (amongNodes === undefined ? [] : [id])))
  const isSameRules = before.trace.rules === after.trace.rules
  return flipped.map(({ check, stated, now }) => {
    const at = (step: keyof typeof steps): Verdict | null => steps[step].get(check) ?? null
    const taken = { stated, rules: at('rules'), scope: at('scope'), evidence: at('evidence') }
    const needs = needsOf(check)
    const steady = needs.filter((probe) => differs.has(probe))
    const rested = capturesOf(catalog, steady.length > 0 ? steady : needs, before.recording, after.recording)
    const isAged = steady.length === 0 && at('later') === taken.evidence
    const cause = causeIn([
      [stated, taken.rules, at('statedThen') === stated ? 'time' : isKnown && !isSameRules ? 'rules' : 'undecided'],
      [taken.rules, taken.scope, isKnown ? 'scope' : 'undecided'],
      [taken.scope, taken.evidence, rested.length === 0 || isAged ? 'time' : 'evidence'],
      [taken.evidence, now, at('statedNow') === now ? 'time' : 'undecided'],
    ])
    const because = comparing.has(check) ? 'undecided' : cause
    return {
      node,
      check,
      before: stated,
      after: now,
      because,
      probes: steady,
      steps: taken,
      captures: because === 'time' ? [] : rested,
    }
  })
}

type Link = readonly [from: Verdict | null, to: Verdict | null, cause: FlipCause]

function causeIn(links: readonly Link[]): FlipCause {
  const causes = new Set(links.flatMap(([from, to, cause]) => (from === to ? [] : [cause])))
  const [only = 'undecided'] = causes
  return causes.size > 1 ? 'undecided' : only
}

type Verdicts = ReadonlyMap<string, Verdict>

function stepsOf(
  catalog: Catalog,
  node: string,
  before: DescribedRun,
  after: DescribedRun,
): Readonly<Record<'statedThen' | 'rules' | 'scope' | 'evidence' | 'later' | 'statedNow', Verdicts>> {
  const judge = (
    recording: LoadedRecording | null,
    terms: Omit<AssessmentTerms, 'asOf'>,
    stated?: RunTrace,
  ): Verdicts => {
    const asOf = stated?.asOf ?? recording?.recording.endedAt ?? after.trace.asOf
    const { results } = assessNode(catalog, node, recording, { ...terms, asOf })
    return new Map(results.map(({ check, verdict }) => [check, verdict]))
  }
  const [then, now] = [before.recording, after.recording]
  const isKnown = before.terms !== null && after.terms !== null
  const current = isKnown ? after.terms : UNDECLARED
  // The profile belongs to the rules.
  const former = isKnown ? { ...before.terms, profile: current.profile } : UNDECLARED
  const declared =
    then === null || now === null ? then : { ...then, recording: { ...then.recording, node: now.recording.node } }
  const aged =
    declared === null || now === null
      ? declared
      : { ...declared, recording: { ...declared.recording, endedAt: now.recording.endedAt } }
  return {
    // As of the evaluation date of the run itself, which can be long after its recording.
    statedThen: judge(then, former, before.trace),
    rules: judge(then, former),
    scope: judge(declared, current),
    evidence: judge(now, current),
    // The old answers, as if they had been given at the later time.
    later: judge(aged, current),
    statedNow: judge(now, current, after.trace),
  }
}

const UNDECLARED: Omit<AssessmentTerms, 'asOf'> = { profile: undefined }

/** Probes with different answers, ignoring what changes by itself. */
function differing(catalog: Catalog, then: LoadedRecording | null, now: LoadedRecording | null): ReadonlySet<string> {
  const [old, young] = [readingsOf(catalog, then), readingsOf(catalog, now)]
  return new Set(
    catalog.probes
      .filter((probe) => {
        const [was, is] = [readingDigest(probe, old.get(probe.id)), readingDigest(probe, young.get(probe.id))]
        return was !== is && was !== NOT_COMPARED && is !== NOT_COMPARED
      })
      .map(({ id }) => id),
  )
}

function capturesOf(
  catalog: Catalog,
  probes: readonly string[],
  then: LoadedRecording | null,
  now: LoadedRecording | null,
): readonly CaptureChange[] {
  const keyed = (loaded: LoadedRecording | null): ReadonlyMap<string, CapturedAnswer> =>
    loaded === null ? new Map() : capturesByKey(loaded.captures)
  const [old, young] = [keyed(then), keyed(now)]
  const wanted = new Set(probes)
  return catalog.probes
    .filter(({ id }) => wanted.has(id))
    .flatMap(({ id, commands }) =>
      Object.keys(commands).flatMap((command) => {
        const key = captureKey(id, command)
        return changedStreams({ probe: id, command }, old.get(key), young.get(key))
      }),
    )
}

/** Maximum number of lines shown for each side, and of characters in each. */
const MOST_LINES = 5
const LONGEST_LINE = 200

/** The streams of an answer whose bytes changed, with the lines that only one of them has. */
export function changedStreams(
  asked: Pick<CaptureChange, 'probe' | 'command'>,
  then: CapturedAnswer | undefined,
  now: CapturedAnswer | undefined,
): readonly CaptureChange[] {
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    const [before, after] = [then?.meta[stream].sha256 ?? null, now?.meta[stream].sha256 ?? null]
    if (before === after) return []
    return [{ ...asked, stream, before, after, ...linesOf(then?.[stream], now?.[stream]) }]
  })
}

function linesOf(
  then: Uint8Array | undefined,
  now: Uint8Array | undefined,
): Pick<CaptureChange, 'removed' | 'added' | 'more'> {
  const [old, young] = [textLines(then), textLines(now)]
  if (old === null || young === null) return { removed: [], added: [], more: 0 }
  const [removed, added] = [beyond(old, young), beyond(young, old)]
  const shown = (lines: readonly string[]): readonly string[] =>
    lines.slice(0, MOST_LINES).map((line) => plain(line, LONGEST_LINE))
  const more = Math.max(0, removed.length - MOST_LINES) + Math.max(0, added.length - MOST_LINES)
  return { removed: shown(removed), added: shown(added), more }
}

/** Lines that occur more often in the first list than in the second, in the order of the first. */
function beyond(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

/** Null for binary data: invalid UTF-8, or a zero byte. */
function textLines(bytes: Uint8Array | undefined): readonly string[] | null {
  if (bytes === undefined || bytes.length === 0) return []
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text.replace(/\n$/, '').split('\n')
  } catch {
    return null
  }
}

export interface Baseline {
  readonly run: string
  /** The line of entries.jsonl that states it, from 1. */
  readonly entry: number
  readonly why: string
  /** Time of its designation. */
  readonly at: string
}

/** The run that later ones are compared with: the one designated last. Null where there is none. */
export function baselineIn({ entries }: Pick<RunChain, 'entries'>): Baseline | null {
  const at = entries.findLastIndex(({ entry }) => entry.kind === 'baseline')
  const baseline = entries[at]?.entry as BaselineEntry | undefined
  return baseline === undefined ? null : { run: baseline.run, entry: at + 1, why: baseline.why, at: baseline.at }
}

/**
 * Why a node was not compared, or only partially, in one line: the run, the reason, and the number of affected
 * results.
 */
export function uncollectedWords({ node, before, after, probes, checks }: Uncollected): string {
  const [was, is] = [shortOf(before), shortOf(after)]
  const found =
    was !== null && is !== null
      ? was === is
        ? `${was} in both runs`
        : `${was} in the earlier run, ${is} in the later one`
      : is !== null
        ? `${is} in the later run`
        : `${was ?? 'collected'} in the earlier run`
  const affected = [
    ...(probes.length === 0 ? [] : [`${plural(probes.length, 'probe')} collected in one run only`]),
    `${plural(checks.length, 'verdict')} affected`,
  ].join(', ')
  return `${node} ${found}${reason(is === null ? before : after)} (${affected})`
}

function shortOf({ status }: CollectedAs): string | null {
  if (status === 'complete') return null
  return status === 'partial' ? 'partially collected' : 'not collected'
}

function reason({ failure }: CollectedAs): string {
  if (failure === null) return ''
  const title = isCode(failure) ? failureWords[failure].title : failure
  // An abbreviation keeps its capitals.
  return `: ${/^.[A-Z]/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)}`
}

const isCode = (failure: string): failure is FailureCode => (FAILURE_CODES as readonly string[]).includes(failure)

/** Changes of evidence without the answers that are missing only because a collection ended early. */
export function evidenceCompared({ evidence, uncollected }: RunDrift): readonly EvidenceChange[] {
  const missing = new Set(uncollected.flatMap(({ node, probes }) => probes.map((probe) => `${node} ${probe}`)))
  return evidence.filter(
    ({ node, what, is }) =>
      !(what.kind === 'reading' && is !== 'changed' && missing.has(`${node} ${what.probe}`)) &&
      !(what.kind === 'status' && uncollected.some((one) => one.node === node)),
  )
}

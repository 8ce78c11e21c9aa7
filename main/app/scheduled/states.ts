import { type RowState, rowStateWords } from '../../../schemas/conclusion-words.ts'
import { failureWords } from '../../../schemas/failure-words.ts'
import type { Assessment, Planned, Register, RunTrace, Schedule, TracedNode } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { type Sha256, sha256 } from '../../core/base/digest.ts'
import { type Failure, type Outcome, ok } from '../../core/base/failure.ts'
import { chainFolderOf, packOfRun } from '../../core/base/layout.ts'
import { names } from '../../core/base/plain-text.ts'
import type { NoticeCounts } from '../../core/ports/notice.ts'
import type { Signer } from '../../core/ports/ports.ts'
import { compare } from '../../core/recording/recording.ts'
import { acceptancesOf } from '../../core/register/register.ts'
import type { GapEntry, LoggedEntry } from '../../core/run-chain/entry.ts'
import { appendSigned } from '../history/append-signed.ts'
import type { SendReport } from '../outbox/send.ts'
import { type Attempt, type AttemptCode, answeredDue, explainedDue } from './plan-run.ts'

/** The monitored states of a schedule, as of its last run. */
export interface WatchedStates {
  readonly outcome: 'complete' | 'incomplete' | 'failed'
  /** Whether earlier scheduled runs were missed. */
  readonly missed: boolean
  /** State of each control, by “framework control”. */
  readonly controls: Readonly<Record<string, RowState>>
  /** Not satisfied, without a risk acceptance in effect: [node, check], sorted. */
  readonly gaps: readonly (readonly [node: string, check: string])[]
  /** Declared nodes that were not collected, sorted. */
  readonly missing: readonly string[]
  /** By node: its identity when it was last collected. */
  readonly machines: Readonly<Record<string, WatchedMachine>>
  readonly declared: number
}

interface WatchedMachine {
  readonly hostKey: string | null
  /** SHA-256 over its parts; null where none could be read. */
  readonly parts: Sha256 | null
}

interface RunStates {
  readonly assessment: Pick<Assessment, 'asOf' | 'nodes' | 'controls'>
  readonly register: Pick<Register, 'riskAcceptances'>
  readonly trace: Pick<RunTrace, 'nodes'>
  readonly incomplete: boolean
  /** Outputs and time-stamps that are missing; absent where there are none. */
  readonly shortfalls?: readonly Failure[]
}

const NO_STATES: WatchedStates = {
  outcome: 'failed',
  missed: false,
  controls: {},
  gaps: [],
  missing: [],
  machines: {},
  declared: 0,
}

/**
 * The states after a run. States of a node that was not collected are kept: a deviation ends when its check is
 * satisfied, is not applicable or has a risk acceptance, not when its node cannot be collected.
 */
export function statesAfter(before: WatchedStates | null, run: RunStates, missed: boolean): WatchedStates {
  const { asOf, nodes, controls } = run.assessment
  const { inForce } = acceptancesOf(run.register.riskAcceptances, asOf)
  const traced = new Map(run.trace.nodes.map((node) => [node.node, node]))
  const gapsBefore = new Set(before?.gaps.map(gapKey))
  const gaps = nodes.flatMap(({ node, isolation, results }) => {
    if (isolation === null) return before?.gaps.filter(([other]) => other === node) ?? []
    return results
      .filter(
        ({ check, verdict }) =>
          verdict === 'not-satisfied' || (isOpen(verdict) && gapsBefore.has(gapKey([node, check]))),
      )
      .filter(({ check }) => inForce(node, check) === null)
      .map(({ check }) => [node, check] as const)
  })
  return {
    outcome: run.incomplete || hasShortfalls(run) ? 'incomplete' : 'complete',
    missed,
    controls: Object.fromEntries(controls.map(({ framework, control, state }) => [`${framework} ${control}`, state])),
    gaps: [...gaps].sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1])),
    missing: nodes
      .filter(({ status }) => status === 'failed' || status === 'missing')
      .map(({ node }) => node)
      .sort(compare),
    machines: Object.fromEntries(nodes.map(({ node }) => [node, machineOf(traced.get(node), before?.machines[node])])),
    declared: nodes.length,
  }
}

/** Whether an output or a time-stamp of a run is missing. */
export const hasShortfalls = ({ shortfalls = [] }: Pick<RunStates, 'shortfalls'>): boolean => shortfalls.length > 0

const isOpen = (verdict: string): boolean => verdict === 'inconclusive' || verdict === 'not-tested'
const gapKey = ([node, check]: readonly [string, string]): string => `${node}\n${check}`

const machineOf = (traced: TracedNode | undefined, before: WatchedMachine | undefined): WatchedMachine => ({
  hostKey: traced?.hostKey ?? before?.hostKey ?? null,
  parts:
    traced === undefined || traced.parts.length === 0
      ? (before?.parts ?? null)
      : sha256(canonicalJson(sorted(traced.parts))),
})

const sorted = (parts: TracedNode['parts']): unknown[] =>
  parts.map(({ kind, part, value }) => [kind, part, value]).sort((a, b) => compare(canonicalJson(a), canonicalJson(b)))

/** The states after a start that exported nothing: no other change is known, and runs are still being missed. */
export const statesAfterFailure = (before: WatchedStates | null, missed: boolean): WatchedStates => ({
  ...(before ?? NO_STATES),
  outcome: 'failed',
  missed: missed || before?.missed === true,
})

/** Two runs with the same digest have no changes to report. */
export const statesDigest = (states: WatchedStates): Sha256 => sha256(canonicalJson(states))

export const countsOf = ({ gaps, missing, declared }: WatchedStates): NoticeCounts => ({
  declared,
  answered: declared - missing.length,
  contradicted: gaps.length,
})

/** Maximum number of names in one sentence; the report has all of them. */
const MOST_NAMED = 10

/**
 * Changes of monitored states, one sentence each. `claimOf` returns the title of a check, `whyMissing` the reason why a
 * node was not collected; null where none is known.
 */
export function changesBetween(
  before: WatchedStates,
  after: WatchedStates,
  claimOf: (check: string) => string,
  whyMissing: (node: string) => string | null = () => null,
): readonly string[] {
  if (statesDigest(before) === statesDigest(after)) return []
  const changes: string[] = []
  if (before.outcome !== after.outcome) changes.push(outcomeWords[after.outcome])
  if (before.missed !== after.missed) changes.push(missedWords(after.missed))
  // Nothing else was observed.
  if (after.outcome === 'failed') return changes
  changes.push(...nodeChanges(before, after, whyMissing))
  const [had, has] = [new Set(before.gaps.map(gapKey)), new Set(after.gaps.map(gapKey))]
  const opened = after.gaps.filter((gap) => !had.has(gapKey(gap)))
  // Removing a node from the declared population resolves no deviation.
  const closed = before.gaps.filter((gap) => !has.has(gapKey(gap)) && Object.hasOwn(after.machines, gap[0]))
  changes.push(...gapChanges('Deviation without a risk acceptance', opened, claimOf))
  changes.push(...gapChanges('Deviation ended: satisfied, not applicable or risk accepted now', closed, claimOf))
  changes.push(...controlChanges(before, after), ...machineChanges(before, after))
  return changes
}

export const outcomeWords: Readonly<Record<WatchedStates['outcome'], string>> = {
  complete: 'The run was exported; every declared node was collected completely.',
  incomplete: 'The run was exported but is incomplete.',
  failed: 'The run could not be exported.',
}

const missedWords = (missed: boolean): string =>
  missed
    ? 'Earlier scheduled runs were missed; see the run chain.'
    : 'No further scheduled run was missed; the run chain keeps those that were.'

function nodeChanges(
  before: WatchedStates,
  after: WatchedStates,
  whyMissing: (node: string) => string | null,
): readonly string[] {
  const gone = after.missing.filter((node) => !before.missing.includes(node))
  const back = before.missing.filter((node) => !after.missing.includes(node) && Object.hasOwn(after.machines, node))
  const changes: string[] = []
  const reasons = new Map<string | null, string[]>()
  for (const node of gone) reasons.set(whyMissing(node), [...(reasons.get(whyMissing(node)) ?? []), node])
  for (const [why, nodes] of reasons)
    changes.push(`No evidence from ${named(nodes)} since this run${why === null ? '' : `: ${why}`}.`)
  if (back.length > 0) changes.push(`Evidence again from ${named(back)}.`)
  // No run was exported before: its population is not known.
  if (before.declared > 0) changes.push(...populationChanges(before, after))
  return changes
}

function populationChanges(before: WatchedStates, after: WatchedStates): readonly string[] {
  const onlyIn = (one: WatchedStates, other: WatchedStates): readonly string[] =>
    Object.keys(one.machines).filter((node) => !Object.hasOwn(other.machines, node))
  const [added, removed] = [onlyIn(after, before), onlyIn(before, after)]
  if (added.length + removed.length === 0 && before.declared === after.declared) return []
  return [
    [
      `The declared population has ${after.declared} nodes; before, it had ${before.declared}.`,
      ...(added.length > 0 ? [`Added: ${named(added)}.`] : []),
      ...(removed.length > 0 ? [`Removed: ${named(removed)}.`] : []),
    ].join(' '),
  ]
}

function gapChanges(what: string, gaps: WatchedStates['gaps'], claimOf: (check: string) => string): readonly string[] {
  const byCheck = new Map<string, string[]>()
  for (const [node, check] of gaps) byCheck.set(check, [...(byCheck.get(check) ?? []), node])
  return [...byCheck].map(([check, nodes]) => `${what}: ${claimOf(check)} On ${named(nodes)}.`)
}

function controlChanges(before: WatchedStates, after: WatchedStates): readonly string[] {
  const moved = new Map<string, string[]>()
  for (const [control, state] of Object.entries(after.controls)) {
    const was = before.controls[control]
    if (was === state) continue
    const words = `${was === undefined ? 'Not concluded' : labelOf(was)} → ${labelOf(state)}`
    moved.set(words, [...(moved.get(words) ?? []), control])
  }
  const gone = Object.keys(before.controls).filter((control) => !Object.hasOwn(after.controls, control))
  return [
    ...[...moved].map(([words, controls]) => `${words}: ${named(controls.map(controlName))}.`),
    ...(gone.length > 0 ? [`No longer concluded: ${named(gone.map(controlName))}.`] : []),
  ]
}

/** Most controls have the framework in their id. */
const controlName = (control: string): string => control.replace(/^(\S+) \1:/, '$1 ')

/** A state file of an earlier version may have states that no longer exist. */
const labelOf = (state: string): string =>
  Object.hasOwn(rowStateWords, state) ? rowStateWords[state as RowState].label : 'State from an earlier version'

function machineChanges(before: WatchedStates, after: WatchedStates): readonly string[] {
  const moved = (what: keyof WatchedMachine): readonly string[] =>
    Object.keys(after.machines).filter((node) => {
      const [was, is] = [before.machines[node]?.[what] ?? null, after.machines[node]?.[what] ?? null]
      return was !== null && is !== null && was !== is
    })
  const [keys, parts] = [moved('hostKey'), moved('parts')]
  return [
    ...(keys.length > 0 ? [`Host key changed on ${named(keys)}.`] : []),
    ...(parts.length > 0 ? [`Hardware changed on ${named(parts)}.`] : []),
  ]
}

const named = (all: readonly string[]): string => names(all, MOST_NAMED)

/** The parts of a run from which changes are stated. */
export interface RanOnce extends RunStates {
  readonly run: string
}

export interface ScheduledInput<R extends RanOnce> {
  readonly schedule: Schedule
  /** Started by a person: without random delay, and also where nothing is due. */
  readonly now: boolean
  readonly signal: AbortSignal
  /** Resolves after this many milliseconds, or when the signal is aborted. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly openSigner: () => Promise<Outcome<Signer>>
  /** Collects, assesses, seals and stores. */
  readonly run: (planned: Planned | null) => Promise<Outcome<R>>
  /** Sends a pack, or waiting items only for null, with a configuration of integrations. */
  readonly send: (integrations: string, pack: string | null) => Promise<Outcome<SendReport>>
  /** Title of a check. */
  readonly claimOf: (check: string) => string
  /** The exit code of an outcome, for the list of starts. */
  readonly exitOf: (outcome: ScheduledOutcome<R>) => number
  /** Progress messages for people. */
  readonly report: (text: string) => void
}

export interface ScheduledOutcome<R> {
  readonly code: Exclude<AttemptCode, 'going'>
  readonly due: string | null
  readonly ran: R | null
  /** Missed runs that were recorded. */
  readonly recorded: number
  /** Errors apart from the run, or those that prevented its export, in order of occurrence. */
  readonly failures: readonly Failure[]
}

export interface MissedRun {
  readonly due: string
  readonly why: string
}

/**
 * Enters due times without a run into the fleet’s chain, each signed, in one operation; returns how many were entered.
 * Due times that have an entry by now are omitted; a run of `unwritten` does not count, since its pack does not exist.
 * Fails as appendSigned() does.
 */
export async function recordMissed(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>,
  { name, out, fleetName }: Pick<Schedule, 'name' | 'out' | 'fleetName'>,
  missed: readonly MissedRun[],
  openSigner: () => Promise<Outcome<Signer>>,
  unwritten: ReadonlySet<string> = new Set(),
): Promise<Outcome<number>> {
  if (missed.length === 0) return ok(0)
  let entered = 0
  const recorded = await appendSigned(
    ports,
    { fleet: fleetName, chainFolder: chainFolderOf(out, fleetName), openSigner, begin: true },
    (at, signer, chain) => {
      const answered = answeredDue(name, withoutRuns(chain.entries, unwritten))
      const explained = explainedDue(chain.entries)
      const gaps = missed
        .filter(({ due }) => !answered.has(Date.parse(due)) && !explained.has(Date.parse(due)))
        .map(({ due, why }): GapEntry => ({ kind: 'gap', schedule: name, due, at, fleet: fleetName, why, signer }))
      entered = gaps.length
      return ok(gaps)
    },
  )
  return recorded.ok ? ok(entered) : recorded
}

export const withoutRuns = (entries: readonly LoggedEntry[], runs: ReadonlySet<string>): readonly LoggedEntry[] =>
  entries.filter(({ entry }) => entry.kind !== 'run' || !runs.has(entry.run))

/**
 * Runs that the chain names and whose packs were never written, as an entry precedes its pack. Only for due times
 * whose last start did not finish: a pack that was deleted later had been sealed.
 */
export async function unwrittenRuns(
  ports: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'name' | 'out'>,
  entries: readonly LoggedEntry[],
  attempts: readonly Attempt[],
): Promise<ReadonlySet<string>> {
  const last = new Map(attempts.map(({ due, code }) => [due, code]))
  const found = new Set<string>()
  for (const [due, code] of last) {
    if (due === null || (code !== 'going' && code !== 'failed')) continue
    const run = await unwrittenRun(ports, schedule, entries, due)
    if (run !== null) found.add(run)
  }
  return found
}

/** The run of one due time that the chain names and whose pack does not exist; null without one. */
export async function unwrittenRun(
  { files }: Pick<Ports, 'files'>,
  { name, out }: Pick<Schedule, 'name' | 'out'>,
  entries: readonly LoggedEntry[],
  due: string,
): Promise<string | null> {
  const last = entries.findLast(({ entry }) => entry.kind === 'run' && isFor(entry.planned, name, due))?.entry
  if (last?.kind !== 'run') return null
  return (await files.isThere(packOfRun(out, last.run))) ? null : last.run
}

const isFor = (planned: Planned | undefined, name: string, due: string): boolean =>
  planned !== undefined && planned.schedule === name && Date.parse(planned.due) === Date.parse(due)

/** Why a due time has no run, according to the starts of the schedule. A team server starts runs itself. */
export function whyMissed(due: string, attempts: readonly Attempt[], by: 'timer' | 'server' = 'timer'): string {
  const last = attempts.findLast((one) => one.due !== null && Date.parse(one.due) === Date.parse(due))
  if (last === undefined) return WHY_NOT_STARTED[by]
  if (last.code === 'too-late') return WHY_TOO_LATE
  if (last.code === 'overlap') return 'No run was started: the previous run was still in progress.'
  if (last.code === 'going') return `A run was started at ${last.startedAt} and did not finish.`
  if (last.code === 'stopped')
    return `A run was started at ${last.startedAt} and stopped before any node was collected.`
  if (last.code === 'failed')
    return `A run was started at ${last.startedAt} and could not be ${by === 'server' ? 'collected' : 'exported'}.`
  return `A run was started at ${last.startedAt}, but the run chain has no entry of it.`
}

const WHY_NOT_STARTED = {
  timer:
    'No start is on record: the computer was off or asleep, its timer did not fire, or the start could not write to its folder.',
  server: 'No run was started: the server was not running, was busy with another run, or could not read what it needs.',
} as const

export const WHY_TOO_LATE = 'The run could start only long after it was due, and this schedule skips missed runs.'

/** The title of the failure. Its detail is not entered into the chain: it may contain paths and addresses. */
export const whyFailed = ({ code }: Failure): string =>
  `A run was started and nothing could be exported: ${failureWords[code].title} (${code}).`

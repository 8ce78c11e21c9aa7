import type { CaptureChange, FlipCause, FlipDetail, PartTwice } from './drift.ts'
import type { CallFailure } from './ipc-views.ts'
import type {
  CalendarCounts,
  CalendarDay,
  DaySpan,
  Deviation,
  HardwareChange,
  MissedRunRecord,
  PlannedSpan,
} from './types.ts'
import type { Verdict } from './words.ts'

/** Runs of a fleet over time: planned, completed and missing runs, and differences between them. Days are in UTC. */
export interface HistoryMethods {
  /** The days of a window of at most 400 days; `window` null: the last weeks up to today. Returns null without a fleet. */
  'history.get': { in: { readonly window: DayWindow | null }; out: HistoryView | null }
  /** Claims that sealed runs of these days contradict, those that are still open first. Reads every run trace of the window. */
  'history.deviations': { in: DayWindow; out: Bounded<HistoryDeviation> }
  /** Differences between two runs of the fleet; `before` is the earlier one. */
  'history.compare': { in: { readonly before: string; readonly after: string }; out: DriftView }
  /** One changed verdict, explained with both recordings. */
  'history.flip': {
    in: { readonly before: string; readonly after: string; readonly node: string; readonly check: string }
    out: FlipView
  }
  /** Outcome of sending packs to other systems, by run and receiver; null where packs are not sent. */
  'history.sending': { in: null; out: HistorySending | null }
  /** Signs and records that a run did not take place. `identity` null: the only one that exists. Refused for demo data. */
  'history.record-gap': {
    in: {
      readonly schedule: string | null
      readonly due: string
      readonly why: string
      readonly identity: string | null
    }
    out: Entered
  }
  /** Signs and records the run that later runs are compared with. It must be sealed. */
  'history.set-baseline': {
    in: { readonly run: string; readonly why: string; readonly identity: string | null }
    out: Entered
  }
}

/**
 * `sent`, `waiting`, `given-up`: state of the items of a run in the outbox. `refused`: the pack as a whole was refused. `not-planned`: the pack is
 * not in the outbox yet. `nothing`: the outbox has no items of it, because the pack is older than the outbox or a later pack replaced its items.
 */
export type SentState = 'sent' | 'waiting' | 'given-up' | 'refused' | 'not-planned' | 'nothing'

export interface SentItems {
  readonly delivered: number
  readonly waiting: number
  readonly givenUp: number
}

export interface SentRow {
  readonly run: string
  /** Name of the receiver in the configuration; null for a row about the pack as a whole. */
  readonly target: string | null
  readonly state: SentState
  readonly items: SentItems
  /** Time of the last entry about this state; null where it is unknown. */
  readonly at: string | null
  readonly code: CallFailure['code'] | null
  /** The last reason; null where there is none. */
  readonly why: string | null
}

export interface HistorySending {
  /** The latest run first. */
  readonly rows: Bounded<SentRow>
  /** Failures of reading the outbox; deliveries are then unknown. */
  readonly shortfalls: readonly CallFailure[]
}

/** The run chain after an entry was added. */
export interface Entered {
  readonly entries: number
}

export interface DayWindow {
  readonly from: string
  readonly to: string
}

export interface HistoryView extends DayWindow {
  readonly fleet: string
  readonly demo: boolean
  readonly asOf: string
  /** The day of the request. */
  readonly today: string
  /** Number of entries of the run chain; null before the first sealed run. */
  readonly entries: number | null
  readonly days: readonly HistoryDay[]
  readonly counts: CalendarCounts
  /** Days up to today on which no node answered in any run, sealed or not. */
  readonly without: readonly DaySpan[]
  /** Runs of the shown days, newest first. */
  readonly runs: readonly HistoryRun[]
  /** Planned runs that did not take place and have a signed record. */
  readonly recordedMisses: readonly MissedRunRecord[]
  /** Planned runs without any record, oldest first. */
  readonly unrecorded: readonly MissedRun[]
  /** Planned runs that are due and not yet missed, oldest first. */
  readonly awaited: readonly AwaitedRun[]
  readonly plans: readonly PlannedSpan[]
  readonly baseline: HistoryBaseline | null
  /** What could not be read: what is shown is then a part. */
  readonly shortfalls: readonly CallFailure[]
}

/**
 * `sealed`: runs of that day that the chain names. `collected`: runs that are under no seal; they count as evidence, and never as planned
 * runs that took place. Nodes are counted of a sealed run where there is one.
 */
export interface HistoryDay extends CalendarDay {
  /** Planned runs of that day that may still arrive in time; they are not among the planned ones yet. */
  readonly awaited: number
  readonly sealed: number
  readonly collected: number
}

/** `until`: the moment after which it counts as missed. */
interface AwaitedRun {
  readonly schedule: string
  readonly due: string
  readonly until: string
}

export interface MissedRun {
  readonly schedule: string
  readonly due: string
  readonly cadence: string
}

export interface HistoryRun {
  readonly run: string
  readonly at: string
  readonly declared: number
  readonly answered: number
  /** `sealed`: it has a pack that the run chain names. `demo`: its pack has a demo key. `none`: nothing was sealed. */
  readonly seal: 'sealed' | 'demo' | 'none'
  /** Its schedule; null for a run that a person started. */
  readonly schedule: string | null
  /** Whether its run trace is stored, so that it can be compared. */
  readonly comparable: boolean
  readonly baseline: boolean
}

interface HistoryBaseline {
  readonly run: string
  readonly why: string
}

export interface HistoryDeviation extends Deviation {
  /** What the check claims. */
  readonly expected: string
}

/** The first rows of a list, and the total number. */
export interface Bounded<T> {
  readonly rows: readonly T[]
  readonly total: number
}

/** Comparison of two runs: changes in evidence, rules and scope in separate lists, moved parts, and changed verdicts. */
export interface DriftView {
  readonly before: HistoryRun
  readonly after: HistoryRun
  /** Number of nodes that both runs collected; `unchanged`: those of them without any difference. */
  readonly compared: number
  readonly unchanged: number
  /** By probe, the one that differs on most nodes first. */
  readonly evidence: Bounded<EvidenceGroup>
  readonly rules: Bounded<ChangedLine>
  readonly scope: Bounded<ChangedLine>
  readonly moves: Bounded<HardwareChange>
  /** Parts that several nodes of one run report. */
  readonly twice: Bounded<PartTwice>
  /** Nodes that one of the runs did not collect, or only in part: one sentence each, with the number of verdicts concerned. */
  readonly uncollected: Bounded<{ readonly node: string; readonly sentence: string }>
  /** Changed results, by cause: `results` counts all of them, `total` the groups. */
  readonly flips: Bounded<FlipGroup> & { readonly results: number }
}

export interface EvidenceGroup {
  readonly id: string
  /** The probe in words. */
  readonly title: string
  readonly nodes: Bounded<{
    readonly node: string
    readonly is: 'changed' | 'lost' | 'came'
    readonly before: string | null
    readonly after: string | null
  }>
}

export interface ChangedLine {
  readonly id: string
  readonly title: string
  readonly node: string | null
  readonly before: string | null
  readonly after: string | null
}

/** Results of one check that changed in the same way and for the same cause, by node. */
export interface FlipGroup extends Omit<FlipLine, 'node'> {
  readonly id: string
  readonly nodes: Bounded<string>
}

export interface FlipLine {
  readonly node: string
  readonly check: string
  /** What the check claims. */
  readonly expected: string
  /** Null: the check did not exist in that run. */
  readonly before: Verdict | null
  readonly after: Verdict | null
  readonly because: FlipCause
  /** The cause as a sentence. */
  readonly sentence: string
  /** Reference of the finding of the later verdict; null where it is not a deviation. */
  readonly finding: string | null
}

export interface FlipView {
  readonly flip: FlipLine
  /** The verdict after each step; see FlipDetail. */
  readonly steps: FlipDetail['steps']
  readonly captures: readonly CaptureLine[]
}

export interface CaptureLine extends CaptureChange {
  /** The probe in words. */
  readonly title: string
}

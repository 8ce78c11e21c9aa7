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

/** Plain data about the runs of a fleet over time: what was planned, what took place, what is missing, and what differs. Days are days of UTC. */
export interface HistoryMethods {
  /** The days of a window of at most 400; null: the last weeks up to today. Null without a fleet. */
  'history.get': { in: { readonly window: DayWindow | null }; out: HistoryView | null }
  /** Claims that sealed runs of these days contradict, those that are open at the end first. Reads every trace of the window. */
  'history.deviations': { in: DayWindow; out: Bounded<HistoryDeviation> }
  /** What differs between two runs of the fleet, the earlier one first. */
  'history.compare': { in: { readonly before: string; readonly after: string }; out: DriftView }
  /** One verdict that came out otherwise, taken apart with both recordings. */
  'history.flip': {
    in: { readonly before: string; readonly after: string; readonly node: string; readonly check: string }
    out: FlipView
  }
  /** What became of sending packs to other systems, by run and receiver; null where nothing is sent from here. */
  'history.sending': { in: null; out: HistorySending | null }
  /** Signs and enters that a run did not happen. `identity` null: the only one there is. Refused for demo data. */
  'history.record-gap': {
    in: {
      readonly schedule: string | null
      readonly due: string
      readonly why: string
      readonly identity: string | null
    }
    out: Entered
  }
  /** Signs and enters which run later ones are compared with. It has to be a sealed one. */
  'history.set-baseline': {
    in: { readonly run: string; readonly why: string; readonly identity: string | null }
    out: Entered
  }
}

/**
 * `sent`, `waiting`, `given-up`: as the outbox has the items of a run. `refused`: the pack as a whole. `not-planned`: it is not in the outbox yet. `nothing`: the
 * outbox has nothing of it, as of packs from before it was used, and of those whose items a later pack replaced.
 */
export type SentState = 'sent' | 'waiting' | 'given-up' | 'refused' | 'not-planned' | 'nothing'

export interface SentItems {
  readonly delivered: number
  readonly waiting: number
  readonly givenUp: number
}

export interface SentRow {
  readonly run: string
  /** Name of the receiver in the configuration; null for what concerns the pack as a whole. */
  readonly target: string | null
  readonly state: SentState
  readonly items: SentItems
  /** Of the last entry about this state; null where none is known. */
  readonly at: string | null
  readonly code: CallFailure['code'] | null
  /** The last reason; null where there is none. */
  readonly why: string | null
}

export interface HistorySending {
  /** The latest run first. */
  readonly rows: Bounded<SentRow>
  /** What could not be read: what was sent is then not known. */
  readonly shortfalls: readonly CallFailure[]
}

/** The chain of runs, with one entry more. */
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
  /** The day that this was asked on. */
  readonly today: string
  /** Entries of the chain of runs; null where nothing was sealed into one yet. */
  readonly entries: number | null
  readonly days: readonly HistoryDay[]
  readonly counts: CalendarCounts
  /** Days up to today on which no node answered in any run, sealed or not. */
  readonly without: readonly DaySpan[]
  /** Of the days shown, newest first. */
  readonly runs: readonly HistoryRun[]
  /** Planned runs that did not happen and have a signed record. */
  readonly recordedMisses: readonly MissedRunRecord[]
  /** Planned runs of which nothing is known, oldest first. */
  readonly unrecorded: readonly MissedRun[]
  /** Planned runs that are due and may still arrive in time, oldest first. */
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
  /** `sealed`: a pack, and the chain names it. `demo`: a pack under a demonstration key. `none`: nothing was sealed. */
  readonly seal: 'sealed' | 'demo' | 'none'
  /** The schedule it was planned by; null for one that a person started. */
  readonly schedule: string | null
  /** Its trace is kept here, so that it can be compared. */
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

/** The first of them, and how many there are. */
export interface Bounded<T> {
  readonly rows: readonly T[]
  readonly total: number
}

/** Two runs against each other: three lists that never mix, parts that moved, and verdicts that came out otherwise. */
export interface DriftView {
  readonly before: HistoryRun
  readonly after: HistoryRun
  /** Nodes that both runs read, and of how many of them no answer differs. */
  readonly compared: number
  readonly unchanged: number
  /** By question, the one that most nodes answer otherwise first. */
  readonly evidence: Bounded<EvidenceGroup>
  readonly rules: Bounded<ChangedLine>
  readonly scope: Bounded<ChangedLine>
  readonly moves: Bounded<HardwareChange>
  /** Parts that several nodes of one run show. */
  readonly twice: Bounded<PartTwice>
  /** Nodes that one of the runs did not read, or only in part: a line each, with how many verdicts rest on that. */
  readonly uncollected: Bounded<{ readonly node: string; readonly sentence: string }>
  /** Changed results, by cause: `results` counts all of them, `total` the groups. */
  readonly flips: Bounded<FlipGroup> & { readonly results: number }
}

export interface EvidenceGroup {
  readonly id: string
  /** The question in words. */
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
  /** Null: no such check then. */
  readonly before: Verdict | null
  readonly after: Verdict | null
  readonly because: FlipCause
  /** Why, as a sentence. */
  readonly sentence: string
  /** Reference of the finding that the later verdict is part of; null where it is no deviation. */
  readonly finding: string | null
}

export interface FlipView {
  readonly flip: FlipLine
  /** The verdict after each step; see FlipDetail. */
  readonly steps: FlipDetail['steps']
  readonly captures: readonly CaptureLine[]
}

export interface CaptureLine extends CaptureChange {
  /** The question in words. */
  readonly title: string
}

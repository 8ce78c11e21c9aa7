import type { CallFailure } from './ipc-views.ts'

/** Plain data about planned runs, and the timers of this computer that start them. */
export interface ScheduleMethods {
  'schedules.list': { in: null; out: SchedulesView }
  /** Keeps a schedule, and states its plan in the chain of runs, signed. Nothing is started by it until a timer is installed. */
  'schedules.add': { in: ScheduleDraft; out: SchedulesView }
  /** Replaces a schedule of this name; new times are stated in the chain of runs, signed, and installed timers are updated. */
  'schedules.change': { in: ScheduleDraft; out: SchedulesView }
  /** Starts a run of a schedule now, besides those that are due. It continues when the window is closed. */
  'schedules.run-now': { in: { readonly name: string }; out: null }
  /** A file that holds the passphrase of the key that seals, which only its owner can read. It is not read now; its place is kept here. */
  'schedules.choose-passphrase': { in: null; out: ChosenFile | null }
  /** A configuration of integrations, which is validated with its secrets now; its place is kept here. */
  'schedules.choose-integrations': { in: null; out: ChosenFile | null }
  /** Takes a schedule away with its timer. What was planned until then stays in the chain. */
  'schedules.remove': {
    in: { readonly name: string; readonly identity: string | null }
    out: SchedulesView
  }
  /** Gives the timer to this computer. */
  'schedules.install': { in: { readonly name: string; readonly kind: TimerKind }; out: ScheduleStatus }
  /** The units of a schedule, exactly as they would be written, of every kind that we make. */
  'schedules.preview': { in: { readonly name: string }; out: readonly UnitPreview[] }
  'schedules.status': { in: { readonly name: string }; out: ScheduleStatus }
}

/** Same as in main/core/schedule/units.ts. */
export const TIMER_KINDS = ['systemd', 'systemd-system', 'cron', 'launchd', 'task-scheduler'] as const
export type TimerKind = (typeof TIMER_KINDS)[number]
export const timerWords: Readonly<Record<TimerKind, string>> = {
  systemd: 'systemd timer, for this user',
  'systemd-system': 'systemd timer, for the whole computer',
  cron: 'cron',
  launchd: 'launchd (macOS)',
  'task-scheduler': 'Windows Task Scheduler',
}

export const CADENCE_KINDS = ['hours', 'day', 'week', 'month'] as const
/** When a run is due, as it is chosen. Only the members that its kind has are looked at. */
export interface CadenceDraft {
  readonly every: (typeof CADENCE_KINDS)[number]
  readonly hours: number
  /** 1 is Monday. */
  readonly weekday: number
  /** Of the month, 1 to 28. */
  readonly day: number
  /** Minutes after midnight; for hours, minutes after the hour. */
  readonly at: number
}

export interface ScheduleDraft {
  readonly name: string
  readonly cadence: CadenceDraft
  /** IANA name. */
  readonly zone: string
  readonly jitterMinutes: number
  readonly retries: { readonly times: number; readonly waitMinutes: number }
  /** On a team server, how long a person may take to seal a run after its collection; null elsewhere, where it is sealed at once. */
  readonly sealHours: number | null
  readonly catchUp: boolean
  readonly gapsExitZero: boolean
  /** The key that seals; null: the only one there is. */
  readonly identity: string | null
  /** Where unattended runs read the passphrase of the key. Without it none can be sealed. */
  readonly passphrase: PassphraseSource
  /** Changes of state are written to the system log. */
  readonly syslog: boolean
  /** Changes of state are sent to this address; null: to none. */
  readonly webhook: string | null
  /** How packs of runs are sent to other systems. */
  readonly integrations: IntegrationsSource
}

/**
 * `make`: a file that the engine makes for this user alone, from the passphrase that is kept or entered. `file`: one that a person chose,
 * by its handle. `kept`: the one that the schedule has. `none`: no key is opened by a run, on a team server.
 */
export type PassphraseSource =
  | { readonly use: 'make' }
  | { readonly use: 'kept' }
  | { readonly use: 'none' }
  | { readonly use: 'file'; readonly handle: string }

/** `none`: packs are not sent. `file`: a configuration that a person chose, by its handle. `kept`: the one that the schedule has. */
export type IntegrationsSource =
  | { readonly use: 'none' }
  | { readonly use: 'kept' }
  | { readonly use: 'file'; readonly handle: string }

export interface ChosenFile {
  readonly handle: string
  /** The file’s name, for display. */
  readonly file: string
}

export interface SchedulesView {
  /** Why none can be added now; null where one can. */
  readonly refusal: string | null
  /** What starts the runs: timers of this computer, or the team server itself. */
  readonly startedBy: 'timers' | 'server'
  /** The fleet that a schedule made here collects from; null without one. */
  readonly fleet: string | null
  /** The time zone of this computer. */
  readonly zone: string
  /** The time-stamp authority of the settings, which runs of this fleet use, or on a team server their exports; null: none. */
  readonly authority: string | null
  /** Kinds of timers that this computer has, the one to prefer first. */
  readonly here: readonly TimerKind[]
  readonly schedules: readonly ScheduleView[]
}

export interface ScheduleView {
  readonly name: string
  readonly fleet: string
  /** Of the fleet that the window shows, kept where the window keeps it. */
  readonly ours: boolean
  /** Such as: every day at 02:00 in UTC. */
  readonly cadence: string
  readonly jitterMinutes: number
  readonly retries: { readonly times: number; readonly waitMinutes: number }
  readonly catchUp: boolean
  readonly gapsExitZero: boolean
  readonly createdAt: string
  /** What can be changed in the window; null for a schedule that was made elsewhere, or whose times are not understood. */
  readonly draft: ScheduleDraft | null
  /** The passphrase file’s name, for display; null where there is none. */
  readonly passphraseFile: string | null
  /** The name of the configuration of integrations, for display; null where packs are not sent. */
  readonly integrationsFile: string | null
  /** The minutes after its due time within which a run is in time. */
  readonly graceMinutes: number
  /** Where changes of state are reported, in words. */
  readonly notifies: readonly string[]
}

export interface ScheduleStatus {
  readonly name: string
  /** When the next run is due; null where that is not known. */
  readonly next: string | null
  /** The run that is due and may still arrive in time, with the moment after which it is missed; null where none is. */
  readonly awaited: { readonly due: string; readonly until: string } | null
  readonly last: {
    /** Null where nothing was due. */
    readonly due: string | null
    readonly startedAt: string
    /** Null while it goes on. */
    readonly endedAt: string | null
    /** What became of it, in words. */
    readonly words: string
    /** What became of sending its pack; null where nothing was to be sent. */
    readonly sending: {
      readonly words: string
      /** Why not everything was delivered; null where everything was, or nothing was tried yet. */
      readonly error: CallFailure | null
    } | null
  } | null
  /** Where a timer of this schedule is installed. `other`: another text than would be written today. `inactive`: nothing starts it. */
  readonly installed: readonly { readonly kind: TimerKind; readonly state: 'installed' | 'other' | 'inactive' }[]
  /** What an unattended run can log in and seal with. */
  readonly credentials: readonly {
    readonly works: 'yes' | 'unclear' | 'no'
    readonly text: string
    readonly nodes: readonly string[]
  }[]
  /** On a team server, scheduled runs that were collected and are not sealed, oldest first. After `until` each counts as missed until it is sealed, and then as late. */
  readonly waiting: readonly {
    readonly due: string
    readonly run: string
    readonly until: string
    readonly isLate: boolean
  }[]
  /** Planned runs of which nothing is known, oldest first: they show as gaps in the history. */
  readonly missed: readonly string[]
  /** What else a person should know, a sentence each. */
  readonly notes: readonly string[]
}

export interface UnitPreview {
  readonly kind: TimerKind
  /** This computer has such timers. */
  readonly here: boolean
  /** Exactly as they would be written. */
  readonly units: readonly { readonly name: string; readonly text: string }[]
  /** What this kind of timer cannot hold, and what happens instead; sentences. */
  readonly warnings: readonly string[]
}

import type { CallFailure } from './ipc-views.ts'

/** Schedules, and the timers of this computer that start their runs. */
export interface ScheduleMethods {
  'schedules.list': { in: null; out: SchedulesView }
  /** Stores a schedule and enters its plan, signed, into the run chain. It starts no run until a timer is installed. */
  'schedules.add': { in: ScheduleDraft; out: SchedulesView }
  /** Replaces the schedule of this name. New times are entered, signed, into the run chain, and installed timers are updated. */
  'schedules.change': { in: ScheduleDraft; out: SchedulesView }
  /** Starts an additional run of a schedule now. It continues when the window is closed. */
  'schedules.run-now': { in: { readonly name: string }; out: null }
  /** Chooses a file, readable by its owner only, with the passphrase of the sealing key. The file is not read now; its path is stored. */
  'schedules.choose-passphrase': { in: null; out: ChosenFile | null }
  /** Chooses a configuration of integrations. It is validated with its secrets now, and its path is stored. */
  'schedules.choose-integrations': { in: null; out: ChosenFile | null }
  /** Removes a schedule with its timer. Runs that were planned until then stay in the run chain. */
  'schedules.remove': {
    in: { readonly name: string; readonly identity: string | null }
    out: SchedulesView
  }
  /** Installs a timer of this kind. */
  'schedules.install': { in: { readonly name: string; readonly kind: TimerKind }; out: ScheduleStatus }
  /** The units of a schedule for every kind of timer, exactly as they would be written. */
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
/** When a run is due, as a person chooses it. Only the members that belong to `every` are used. */
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
  /** On a team server, hours that a person has for sealing a run after its collection; null elsewhere, where runs are sealed at once. */
  readonly sealHours: number | null
  readonly catchUp: boolean
  readonly gapsExitZero: boolean
  /** The sealing identity; null: the only one that exists. */
  readonly identity: string | null
  /** Source of the passphrase for unattended runs, which is needed to seal them. */
  readonly passphrase: PassphraseSource
  /** Changes of state are written to the system log. */
  readonly syslog: boolean
  /** Address that changes of state are sent to; null where they are not sent. */
  readonly webhook: string | null
  /** Configuration for sending packs of runs to other systems. */
  readonly integrations: IntegrationsSource
}

/**
 * `make`: a file that the engine creates for this user only, from the stored or entered passphrase. `file`: a chosen file, by its handle.
 * `kept`: the current file of the schedule. `none`: runs open no key, on a team server.
 */
export type PassphraseSource =
  | { readonly use: 'make' }
  | { readonly use: 'kept' }
  | { readonly use: 'none' }
  | { readonly use: 'file'; readonly handle: string }

/** `none`: packs are not sent. `file`: a chosen configuration, by its handle. `kept`: the current configuration of the schedule. */
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
  /** Why no schedule can be added now; null where one can be added. */
  readonly refusal: string | null
  /** Whether timers of this computer or the team server start the runs. */
  readonly startedBy: 'timers' | 'server'
  /** The fleet that a new schedule collects from; null without a fleet. */
  readonly fleet: string | null
  /** The time zone of this computer. */
  readonly zone: string
  /** The time-stamp authority in the settings, used by runs of this fleet or, on a team server, by their exports; null where none is set. */
  readonly authority: string | null
  /** Kinds of timers that this computer supports, the preferred one first. */
  readonly here: readonly TimerKind[]
  readonly schedules: readonly ScheduleView[]
}

export interface ScheduleView
  extends Pick<ScheduleDraft, 'name' | 'jitterMinutes' | 'retries' | 'catchUp' | 'gapsExitZero'> {
  readonly fleet: string
  /** Whether it belongs to the shown fleet and stores its runs in the folder of the window. */
  readonly ours: boolean
  /** In words, for example “every day at 02:00 in UTC”. */
  readonly cadence: string
  readonly createdAt: string
  /** The editable form; null for a schedule that was created elsewhere or whose times the window cannot represent. */
  readonly draft: ScheduleDraft | null
  /** Name of the passphrase file, for display; null where there is none. */
  readonly passphraseFile: string | null
  /** The name of the configuration of integrations, for display; null where packs are not sent. */
  readonly integrationsFile: string | null
  /** Minutes after the due time within which a run is in time. */
  readonly graceMinutes: number
  /** Where changes of state are reported, in words. */
  readonly notifies: readonly string[]
}

export interface ScheduleStatus {
  readonly name: string
  /** When the next run is due; null where this is unknown. */
  readonly next: string | null
  /** A run that is due and not yet missed, with the moment after which it is missed; null where there is none. */
  readonly awaited: { readonly due: string; readonly until: string } | null
  readonly last: {
    /** Null where no run was due. */
    readonly due: string | null
    readonly startedAt: string
    /** Null while it is in progress. */
    readonly endedAt: string | null
    /** Its outcome in words. */
    readonly words: string
    /** Outcome of sending its pack; null where nothing was to be sent. */
    readonly sending: {
      readonly words: string
      /** Why some items were not delivered; null where all were, or none was tried yet. */
      readonly error: CallFailure | null
    } | null
  } | null
  /** Installed timers of this schedule. `other`: its text differs from the current one. `inactive`: it is not enabled. */
  readonly installed: readonly { readonly kind: TimerKind; readonly state: 'installed' | 'other' | 'inactive' }[]
  /** Credentials with which an unattended run can log in and seal. */
  readonly credentials: readonly {
    readonly works: 'yes' | 'unclear' | 'no'
    readonly text: string
    readonly nodes: readonly string[]
  }[]
  /**
   * On a team server, scheduled runs that were collected and not sealed, oldest first. After `until` a run counts as missed; once sealed, it
   * counts as late.
   */
  readonly waiting: readonly {
    readonly due: string
    readonly run: string
    readonly until: string
    readonly isLate: boolean
  }[]
  /** Planned runs without any record, oldest first. The history shows them as gaps. */
  readonly missed: readonly string[]
  /** Further notes for the person, one sentence each. */
  readonly notes: readonly string[]
}

export interface UnitPreview {
  readonly kind: TimerKind
  /** Whether this computer supports this kind of timer. */
  readonly here: boolean
  /** Exactly as they would be written. */
  readonly units: readonly { readonly name: string; readonly text: string }[]
  /** Limits of this kind of timer and their effect, one sentence each. */
  readonly warnings: readonly string[]
}

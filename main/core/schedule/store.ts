import type { ScheduleFile } from '../../../schemas/types.ts'
import type { Outcome } from '../failure.ts'

/** Timer kinds: systemd for this user, systemd for the whole computer, cron, launchd, Windows Task Scheduler. */
export const TIMER_KINDS = ['systemd', 'systemd-system', 'cron', 'launchd', 'task-scheduler'] as const
export type TimerKind = (typeof TIMER_KINDS)[number]

/** One file, or one block of a file. Its adapter knows the folder. */
export interface Unit {
  readonly name: string
  readonly text: string
}

export interface TimerUnits {
  readonly kind: TimerKind
  readonly schedule: string
  readonly units: readonly Unit[]
  /** Limitations of this kind of timer and their effect, as sentences. */
  readonly warnings: readonly string[]
}

/** Program, account and environment. Paths are absolute. */
export interface StartedBy {
  /** The Node.js executable, then the CLI. */
  readonly program: readonly [node: string, cli: string]
  /** The schedule file. */
  readonly file: string
  /** The time zone of this computer. */
  readonly zone: string
  /** The account that the job runs as; on Windows with its domain. */
  readonly user: string
  /** Environment variables of the job. */
  readonly environment: Readonly<Record<string, string>>
}

/** The schedule file. */
export interface ScheduleStore {
  readonly defaultFile: string
  /** Without a file, no runs are scheduled. Fails with input.refused, naming the field, or input.not-found. */
  readonly read: (file: string) => Promise<Outcome<ScheduleFile>>
  /** Updates the file atomically under a lock. Fails as read() and `next` do, or with store.failed. */
  readonly change: (
    file: string,
    next: (now: ScheduleFile) => Promise<Outcome<ScheduleFile>>,
  ) => Promise<Outcome<ScheduleFile>>
  /** Verifies that a secret file exists and is readable only by its owner. Fails with input.not-found or input.refused. */
  readonly secret: (path: string) => Promise<Outcome<null>>
}

/** The timers of the operating system. */
export interface Timers {
  /** Available kinds, the default first. */
  readonly kinds: () => Promise<readonly TimerKind[]>
  /** Facts about this computer and account required for units. */
  readonly host: Pick<StartedBy, 'zone' | 'user' | 'environment'>
  /** Whether timers of this account run without a login session; null if unknown. */
  readonly lingers: () => Promise<boolean | null>
  /** Installs and enables units. Fails with input.refused and the message of the rejecting program. */
  readonly install: (units: TimerUnits) => Promise<Outcome<null>>
  /** Disables and removes them. Does not fail if there are none. */
  readonly remove: (kind: TimerKind, schedule: string) => Promise<Outcome<null>>
  /** Starts a program now, as a timer would, without waiting for its end. Fails with input.refused. */
  readonly start: (argv: readonly [string, ...string[]]) => Promise<Outcome<null>>
  /** The installed units; null if none. */
  readonly installed: (kind: TimerKind, schedule: string) => Promise<Outcome<InstalledTimer | null>>
}

export interface InstalledTimer {
  readonly units: readonly Unit[]
  /** Whether the operating system will start it. */
  readonly active: boolean
}

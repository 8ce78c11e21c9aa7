import type { ScheduleFile } from '../../../schemas/types.ts'
import type { Outcome } from '../failure.ts'
import type { StartedBy, TimerKind, TimerUnits, Unit } from './units.ts'

/** The file that says which runs are planned. */
export interface ScheduleStore {
  readonly defaultFile: string
  /** Without a file, nothing is planned. Fails with input.refused, naming the field, or input.not-found. */
  readonly read: (file: string) => Promise<Outcome<ScheduleFile>>
  /** Changes the whole file or nothing; nobody else of ours changes it meanwhile. Fails as read() and `next` do, or with store.failed. */
  readonly change: (
    file: string,
    next: (now: ScheduleFile) => Promise<Outcome<ScheduleFile>>,
  ) => Promise<Outcome<ScheduleFile>>
  /** Whether a file with a secret is there, and only its owner can read it. Fails with input.not-found or input.refused. */
  readonly secret: (path: string) => Promise<Outcome<null>>
}

/** The timers of the operating system. */
export interface Timers {
  /** Those that are here, the one to take without a choice first. */
  readonly kinds: () => Promise<readonly TimerKind[]>
  /** What units have to be told of this computer and account. */
  readonly host: Pick<StartedBy, 'zone' | 'user' | 'environment'>
  /** Whether timers of this account run while nobody is logged in; null where that is not known. */
  readonly lingers: () => Promise<boolean | null>
  /** Writes units, and has them start. Fails with input.refused in the words of the program that refused. */
  readonly install: (units: TimerUnits) => Promise<Outcome<null>>
  /** Has them start no more, and takes them away. Nothing there is no failure. */
  readonly remove: (kind: TimerKind, schedule: string) => Promise<Outcome<null>>
  /** What is installed; null where nothing is. */
  readonly installed: (kind: TimerKind, schedule: string) => Promise<Outcome<InstalledTimer | null>>
}
export interface InstalledTimer {
  readonly units: readonly Unit[]
  /** Whether the operating system will start it. */
  readonly active: boolean
}

/** One place that logs are sent to, by the settings of a service. */
export interface LogTarget {
  /** As it is in the settings, for people. */
  readonly text: string
  readonly encrypted: boolean
  /** Whether the receiver’s certificate (or ticket) is checked; null where the settings do not state. */
  readonly authenticated: boolean | null
  /** Null where it is not named next to the target. */
  readonly port: number | null
}

/**
 * A notification that a monitored state changed. It names nodes, expected conditions, counts and the run. It never
 * contains evidence, addresses or secrets, because it leaves the sealed area.
 */
export interface Notice {
  readonly schema: 'barewitness.notice/1'
  /** 32 hexadecimal digits, equal for every attempt to deliver it. */
  readonly id: string
  readonly schedule: string
  readonly fleet: string
  /** Time of creation: UTC, ISO 8601. */
  readonly at: string
  /** The run that showed the change; null where no run was exported. */
  readonly run: string | null
  /** When that run was due; null for an unscheduled run. */
  readonly due: string | null
  /** One line. */
  readonly summary: string
  /** One sentence each. */
  readonly changes: readonly string[]
  readonly counts: NoticeCounts
}

export interface NoticeCounts {
  readonly declared: number
  /** Nodes that were collected completely or partially. */
  readonly answered: number
  /** Findings that are not satisfied and not accepted. */
  readonly contradicted: number
}

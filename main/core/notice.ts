/**
 * A notification that a watched state changed. It names nodes, claims of checks, counts and the run, and never holds evidence,
 * addresses or secrets: it travels outside of what is sealed.
 */
export interface Notice {
  readonly schema: 'barewitness.notice/1'
  /** 32 hexadecimal digits, the same at every attempt to deliver it. */
  readonly id: string
  readonly schedule: string
  readonly fleet: string
  /** UTC, ISO 8601: when it was made. */
  readonly at: string
  /** The run that showed the change; null where no run was exported. */
  readonly run: string | null
  /** When that run was due; null for one that was not planned. */
  readonly due: string | null
  /** One line. */
  readonly summary: string
  /** One sentence each. */
  readonly changes: readonly string[]
  readonly counts: NoticeCounts
}

export interface NoticeCounts {
  readonly declared: number
  /** Nodes that answered, in full or in part. */
  readonly answered: number
  /** Findings that are contradicted and not accepted. */
  readonly contradicted: number
}

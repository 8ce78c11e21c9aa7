/** Requests of auditors on a team server that await one side. No request is in two of these, except that those that are late wait, too. */
export interface RequestCounts {
  /** For an action: an answer of the officer, a review of the auditor. */
  readonly waiting: number
  /** Of those that wait, the ones past their due day. */
  readonly late: number
  /** For nothing, but the other side commented, and this side stated nothing since. */
  readonly commented: number
}

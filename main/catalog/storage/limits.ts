/** The two claims that must never be merged: a covered drive, and what a running node shows. Printed with every check about stored data. */
export const AT_REST_LIMITS =
  'An encrypted volume protects data while the node is off or a drive is removed. It does not cover the running, unlocked node: there, every process with administrator rights can read the data in clear text.'

/** The other side of the same line, printed with the checks about keys and unlocking. */
export const UNLOCK_LIMITS =
  'Covers the source of the key, not whether or how well a volume is encrypted; on the running node the volume is open, regardless of how it was opened.'

/** The two claims that must never be merged: a covered drive, and what a running node shows. Printed with every check about stored data. */
export const AT_REST_LIMITS =
  'An encrypted volume keeps data closed while the node is off or a drive is removed. It says nothing about the running, unlocked node: there, every process with administrator rights reads the data in clear.'

/** The other side of the same line, printed with the checks about keys and unlocking. */
export const UNLOCK_LIMITS =
  'Where a key comes from is another question than whether and how well a volume is encrypted, which this does not answer; and on the running node the volume is open, whatever opened it.'

/** The two claims that must never be merged: a covered drive, and what a running node shows. Printed with every check about stored data. */
export const AT_REST_LIMITS =
  'An encrypted volume keeps data closed while the node is off or a drive is removed. It says nothing about the running, unlocked node: there, every process with administrator rights reads the data in clear.'

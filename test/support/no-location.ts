import type { LocationArgument } from '../../main/core/catalog.ts'

/** For catalogs of tests that are about something else: nothing is said of where a node is. */
export const noLocation = (): LocationArgument => ({
  claim: null,
  results: [],
  distanceBounds: [],
  reachable: null,
  frontEnd: null,
  signals: [],
  notes: [],
})

import { sha256 } from '../../main/core/base/digest.ts'
import type { Catalog, IsolationArgument, LocationArgument } from '../../main/core/rules/catalog.ts'

/** An isolation argument that decides nothing, for catalogs made up by tests. */
export const UNDECIDED: IsolationArgument = {
  environment: 'undetermined',
  platform: null,
  concealed: false,
  tenancy: 'undetermined',
  attachments: [],
  grade: 'D',
  rule: { id: 'R7', text: 'No rule decides.' },
  likelihood: { asObserved: 0, withoutCheapSignals: 0, families: [] },
  signals: [],
  anomalies: [],
  minimum: [],
  adversaries: [],
  limitations: [],
  openPoints: [],
  pins: [],
  observations: [],
}

/** For catalogs of tests that are about something else: nothing is known of where a node is. */
const noLocation = (): LocationArgument => ({
  claim: null,
  results: [],
  distanceBounds: [],
  reachable: null,
  frontEnd: null,
  signals: [],
  notes: [],
})

/** A catalog that asks nothing and concludes nothing; nodes state nothing of the machine that they are, so that none is taken for another. */
export const BARE_CATALOG: Catalog = {
  version: 'test',
  module: sha256('rules'),
  probes: [],
  checks: [],
  frameworks: [],
  signals: [],
  thresholds: [],
  offNodeChecks: [],
  requests: [],
  conclusions: { periodChecks: [], ephiChecks: [], dataMap: '' },
  severities: [],
  claimTests: [],
  providers: [],
  assessLocation: noLocation,
  identity: { probes: [], read: () => ({ boot: null, marks: [], hostKey: null, uptimeSeconds: null }) },
  listAccess: () => ({ accounts: null, keys: null }),
  assessIsolation: () => UNDECIDED,
}

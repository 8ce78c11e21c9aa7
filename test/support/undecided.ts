import type { IsolationArgument } from '../../main/core/catalog.ts'

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

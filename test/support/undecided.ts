import type { IsolationArgument } from '../../main/core/catalog.ts'

/** An isolation argument that decides nothing, for catalogs made up by tests. */
export const UNDECIDED: IsolationArgument = {
  layer: 'unknown',
  platform: null,
  concealed: false,
  tenancy: 'unknown',
  locality: [],
  grade: 'D',
  rule: { id: 'R7', text: 'No rule decides.' },
  weight: { honest: 0, adversarial: 0, families: [] },
  signals: [],
  contradictions: [],
  minimum: [],
  levels: [],
  cannotShow: [],
  settle: [],
  pins: [],
  observations: [],
}

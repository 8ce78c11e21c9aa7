import { DOCUMENT_STATES, ROW_STATES, type RowState, SERVER_STATES } from '../../../schemas/conclusion-words.ts'
import type { PartsView } from '../../../schemas/ipc-results.ts'
import type { Assessment, ControlAssessment, ControlCheck } from '../../../schemas/types.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Framework } from '../../core/framework.ts'

/** Controls of one framework, counted. Counts of different frameworks are never added. */
export interface RowCounts {
  readonly framework: Framework
  readonly rows: readonly ControlAssessment[]
  /** Every state with its count, worst first; the counts sum to the controls. */
  readonly states: readonly (readonly [RowState, number])[]
  /** Of the supported controls: those with a server test. The others are based on documents only. */
  readonly supportedByTests: number
  /** Of the controls with deviations: those where every deviation has a risk acceptance in effect. */
  readonly allAccepted: number
}

/** One entry per framework with controls in the assessment, in catalog order. */
export const rowCounts = ({ controls }: Pick<Assessment, 'controls'>, catalog: Catalog): readonly RowCounts[] =>
  catalog.frameworks.flatMap((framework) => {
    const rows = controls.filter((one) => one.framework === framework.id)
    if (rows.length === 0) return []
    const states = ROW_STATES.map((state) => [state, rows.filter((row) => row.state === state).length] as const)
    return [
      {
        framework,
        rows,
        states,
        supportedByTests: rows.filter(({ state, server }) => state === 'supported' && server.state === 'no-deviations')
          .length,
        allAccepted: rows.filter(
          ({ state, server, documents }) =>
            state === 'deviations' && documents.state !== 'deviations' && isAllAccepted(server),
        ).length,
      },
    ]
  })

const isAllAccepted = ({ state, deviating, accepted }: ControlAssessment['server']): boolean =>
  state === 'deviations' && deviating > 0 && accepted === deviating

/**
 * Server part by document part: number of controls in both states. Controls that are not in scope have no parts and are not counted; unused
 * states are omitted.
 */
export function partsTable(rows: readonly ControlAssessment[]): PartsView {
  const inScope = rows.filter(({ state }) => state !== 'out-of-scope')
  const documents = DOCUMENT_STATES.filter((state) => inScope.some((row) => row.documents.state === state))
  const lines = SERVER_STATES.map((server) => ({
    server,
    counts: documents.map(
      (state) => inScope.filter((row) => row.server.state === server && row.documents.state === state).length,
    ),
  })).filter(({ counts }) => counts.some((count) => count > 0))
  return { documents, lines }
}

/** A supporting check with a result that is not satisfied: an observation under the control, never a deviation of it. */
export const isObservation = ({ role, notSatisfied }: Pick<ControlCheck, 'role' | 'notSatisfied'>): boolean =>
  role === 'supporting' && notSatisfied > 0

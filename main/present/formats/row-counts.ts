import { DOCUMENT_STATES, ROW_STATES, type RowState, SERVER_STATES } from '../../../schemas/conclusion-words.ts'
import type { PartsView } from '../../../schemas/ipc-results.ts'
import type { Assessment, ControlAssessment, ControlCheck } from '../../../schemas/types.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { Framework } from '../../core/rules/framework.ts'

/** Controls of one framework, counted. Counts of different frameworks are never added. */
export interface RowCounts {
  readonly framework: Framework
  readonly rows: readonly ControlAssessment[]
  /** Every state with its count, worst first; the counts sum to the controls. */
  readonly states: readonly (readonly [RowState, number])[]
  /** Supported controls with a server test. The other supported controls are based on documents only. */
  readonly supportedByTests: number
  /** Controls with deviations where every deviation has a risk acceptance in effect. */
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
        allAccepted: rows.filter((row) => row.state === 'deviations' && isAllAccepted(row)).length,
      },
    ]
  })

/** Whether a control deviates on servers alone, and each of these deviations has a risk acceptance in effect. */
export const isAllAccepted = ({ server, documents }: Pick<ControlAssessment, 'server' | 'documents'>): boolean =>
  documents.state !== 'deviations' && server.deviating > 0 && server.accepted === server.deviating

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

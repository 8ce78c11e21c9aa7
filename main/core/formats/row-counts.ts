import {
  DOCUMENT_STATES,
  type DocumentState,
  ROW_STATES,
  type RowState,
  SERVER_STATES,
  type ServerState,
} from '../../../schemas/conclusion-words.ts'
import type { Assessment, ControlAssessment, ControlCheck } from '../../../schemas/types.ts'
import type { Catalog } from '../catalog.ts'
import type { Framework } from '../framework.ts'

/** The rows of one framework, counted. Counts of two frameworks are never added. */
export interface RowCounts {
  readonly framework: Framework
  readonly rows: readonly ControlAssessment[]
  /** Every state with its count, worst first; the counts sum to the rows. */
  readonly states: readonly (readonly [RowState, number])[]
  /** Of the supported rows: those with a server test. The others rest on documents alone. */
  readonly supportedByTests: number
  /** Of the rows with deviations: those of which every deviation has a risk acceptance in effect. */
  readonly allAccepted: number
}

/** One entry for each framework that has rows in the assessment, in the order of the catalog. */
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

/** Server part by document part: how many rows are in both states. States that no row is in are left out. */
export function partsTable(rows: readonly ControlAssessment[]): {
  readonly documents: readonly DocumentState[]
  readonly lines: readonly { readonly server: ServerState; readonly counts: readonly number[] }[]
} {
  const documents = DOCUMENT_STATES.filter((state) => rows.some((row) => row.documents.state === state))
  const lines = SERVER_STATES.map((server) => ({
    server,
    counts: documents.map(
      (state) => rows.filter((row) => row.server.state === server && row.documents.state === state).length,
    ),
  })).filter(({ counts }) => counts.some((count) => count > 0))
  return { documents, lines }
}

/** A supporting check with a result that is not satisfied: an observation under the control, never a deviation of it. */
export const isObservation = ({ role, notMet }: Pick<ControlCheck, 'role' | 'notMet'>): boolean =>
  role === 'supporting' && notMet > 0

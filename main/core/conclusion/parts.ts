import type { ControlRole, RowState } from '../../../schemas/conclusion-words.ts'
import type { DocumentPart, ServerPart } from '../../../schemas/types.ts'
import type { CheckOver } from './counts.ts'

/** One check that decides for a control, over the nodes in the control's scope. */
export interface DecidingCheck extends CheckOver {
  readonly role: ControlRole
}

/** How many nodes are in the control's scope, and how many of them were reached. */
export interface NodesInScope {
  readonly population: number
  readonly reached: number
}

/**
 * The server part of a control: the conclusion model, section 5, in its order. A deviation outweighs everything; then what is missing; a satisfied
 * counter check adds nothing. `deviating` counts nodes, out of those that were reached; `accepted` those of them whose every deviation has a
 * risk acceptance in force.
 */
export function serverPart(checks: readonly DecidingCheck[], { population, reached }: NodesInScope): ServerPart {
  const deviating = new Set(checks.flatMap((one) => one.deviating))
  const open = new Set(checks.flatMap((one) => one.deviating.filter((node) => !one.accepted.includes(node))))
  const isOnServers = checks.some(({ count }) => isAboutServers(count))
  const part = {
    population: isOnServers ? population : 0,
    tested: isOnServers ? Math.max(reached, deviating.size) : 0,
    deviating: deviating.size,
    accepted: [...deviating].filter((node) => !open.has(node)).length,
    notRetested: checks.reduce((most, { count }) => Math.max(most, count.notRetested), 0),
  }
  const state = (): ServerPart['state'] => {
    if (checks.length === 0) return 'no-server-test'
    if (deviating.size > 0) return 'deviations'
    if (isOnServers && reached === 0) return 'not-tested'
    if (checks.some(({ unsettled }) => unsettled > 0)) return 'unable-to-conclude'
    if (isOnServers && reached < population) return 'scope-limitation'
    const required = checks.filter(({ role }) => role === 'required')
    if (required.some(({ count }) => count.satisfied + count.informational + count.answeredByDocument > 0))
      return 'no-deviations'
    return required.length > 0 ? 'not-applicable' : 'no-server-test'
  }
  return { state: state(), ...part }
}

/** Whether each node answers it, rather than one thing for all of them. */
export const isAboutServers = ({ source, built }: CheckOver['count']): boolean =>
  source === 'server' || (source === 'runs' && built)

/** What the state of a row follows from besides its two parts. */
export interface RowMatter {
  /** False where the control's category is not elected, or its class is out of scope. */
  readonly isInScope: boolean
  /** A decision that the control does not apply is in force. */
  readonly isNotApplicable: boolean
  /** The control is addressable, and a decision for an alternative or against implementation is in force (45 CFR 164.306(d)(3)). */
  readonly isDecidedOtherwise: boolean
}

/** The state of a row, for counts, filters and exports only: the conclusion model, section 6, in its order. */
export function rowState(
  server: Pick<ServerPart, 'state'>,
  documents: Pick<DocumentPart, 'state'>,
  { isInScope, isNotApplicable, isDecidedOtherwise }: RowMatter,
): RowState {
  if (!isInScope) return 'out-of-scope'
  const deviates = server.state === 'deviations' || documents.state === 'deviations'
  if (isNotApplicable && !deviates) return 'not-applicable'
  if (deviates) return isDecidedOtherwise && documents.state !== 'deviations' ? 'addressable-decision' : 'deviations'
  if (UNCONCLUDED.includes(server.state)) return 'unable-to-conclude'
  // Without a test that applies and without a document there is nothing that could support the row.
  if (server.state !== 'no-deviations' && documents.state === 'none-needed') return 'unable-to-conclude'
  return documents.state === 'outstanding' ? 'documents-outstanding' : 'supported'
}

const UNCONCLUDED: readonly ServerPart['state'][] = ['unable-to-conclude', 'scope-limitation', 'not-tested']

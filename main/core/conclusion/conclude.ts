import type { ControlRole, RowState } from '../../../schemas/conclusion-words.ts'
import type { ControlAssessment, DocumentPart, Engagement, Register, ServerPart } from '../../../schemas/types.ts'
import { millisOf, startOfDay } from '../base/days.ts'
import { decidedFor } from '../register/decisions.ts'
import {
  answersIn,
  attachedFor,
  attachmentsBy,
  type CheckOver,
  type CountedScope,
  counting,
  DAY_MS,
  DOCUMENT_DAYS,
  decides,
  documentPart,
  type NodeVerdicts,
} from '../register/documents.ts'
import { acceptancesOf } from '../register/register.ts'
import { byRow } from '../register/versions.ts'
import type { Catalog } from '../rules/catalog.ts'
import { type Control, type Framework, isElected } from '../rules/framework.ts'
import { documentsOf } from '../rules/requests.ts'
import { ephiScope, reachedAmong } from './ephi-scope.ts'

/** What conclusions rest on besides check results. */
export interface ConclusionMatter {
  /** The register, as far as it concerns the scope. */
  readonly register: Register
  /** UTC, ISO 8601. */
  readonly asOf: string
  readonly engagement: Engagement | undefined
  /** Unreconciled rows of the provider’s inventory. */
  readonly uncovered: number
  /** Names of machines that already count under another name. Each of them that was not tested is a declared node. */
  readonly surplus?: number
  /** The names of each machine that has several, where they are known: a control is limited by those in its scope alone. */
  readonly machines?: readonly (readonly string[])[]
  /** Whether the conclusion is on a period, regardless of what the engagement declares. */
  readonly isOnPeriod?: boolean
  /** Whether the run chain covers the period. Used only for period conclusions and period engagements. */
  readonly chainCoversPeriod?: boolean
}

/** The counted results: of one run, or of all runs of a period. */
export interface Counted {
  readonly count: (check: string, scope: CountedScope) => CheckOver
  readonly inScope: (scope: CountedScope) => NodesInScope
}

/**
 * Concludes on every control of the chosen frameworks by the conclusion model (docs/conclusions.md): a server part, a
 * document part, and a row state for counting. Pure; the order of nodes, checks and documents has no influence.
 */
export function concludeControls(
  catalog: Catalog,
  frameworks: readonly string[],
  nodes: readonly NodeVerdicts[],
  matter: ConclusionMatter,
): ControlAssessment[] {
  return concludeCounted(catalog, frameworks, countResults(catalog, nodes, matter), matter)
}

/** The last part of concludeControls(), for results that were already counted. */
export function concludeCounted(
  catalog: Catalog,
  frameworks: readonly string[],
  counted: Counted,
  matter: ConclusionMatter,
): ControlAssessment[] {
  const conclude = concluding(catalog, counted, matter)
  return catalog.frameworks
    .filter(({ id }) => frameworks.includes(id))
    .flatMap((framework) => framework.controls.map((control) => conclude(framework, control)))
}

/**
 * What is answered once for all nodes: whether the run chain covers the period (null at a point in time), and whether
 * the lists agree.
 */
const answeredOnce = ({
  asOf,
  engagement,
  uncovered,
  surplus = 0,
  isOnPeriod = false,
  chainCoversPeriod = false,
}: ConclusionMatter) => ({
  chain: isOnPeriod || engagement?.reportingBasis.kind === 'period' ? chainCoversPeriod : null,
  population: isListing(engagement?.inventory ?? null, asOf) && uncovered + surplus === 0,
})

/** An empty inventory compares nothing, and one older than a document may be shows another population. */
const isListing = (inventory: Engagement['inventory'], asOf: string): boolean =>
  inventory !== null &&
  inventory.rows.length > 0 &&
  millisOf(asOf) - millisOf(startOfDay(inventory.on)) <= (DOCUMENT_DAYS + 1) * DAY_MS

/** The first part of concludeControls(): counts the results of one run by check and scope. */
export function countResults(catalog: Catalog, nodes: readonly NodeVerdicts[], matter: ConclusionMatter): Counted {
  const { register, asOf, engagement, machines, surplus = 0 } = matter
  const basis = engagement?.reportingBasis ?? null
  const { nodes: ephiNodes, unlisted } = ephiScope(catalog, nodes, matter)
  const count = counting({
    nodes,
    built: new Set(catalog.checks.map(({ id }) => id)),
    offNodeChecks: catalog.offNodeChecks,
    acceptances: acceptancesOf(register.riskAcceptances, asOf),
    answers: answersIn(catalog.requests, register, asOf, basis),
    ...answeredOnce(matter),
    periodChecks: new Set(catalog.conclusions.periodChecks),
    ephiChecks: new Set(catalog.conclusions.ephiChecks),
    ephiNodes,
    unlisted,
  })
  const nodesIn = (some: readonly NodeVerdicts[]): NodesInScope => ({
    population: some.length,
    reached: reachedAmong(some, machines, surplus),
  })
  const all = nodesIn(nodes)
  const holding = ephiNodes === null ? all : nodesIn(nodes.filter(({ node }) => ephiNodes.has(node)))
  const carrying = { ...holding, population: holding.population + unlisted.length }
  return { count, inScope: (scope) => (scope === 'ephi' ? carrying : all) }
}

function concluding(
  catalog: Catalog,
  { count, inScope }: Counted,
  matter: ConclusionMatter,
): (framework: Framework, control: Control) => ControlAssessment {
  const { register, asOf, engagement } = matter
  const { chain, population } = answeredOnce(matter)
  const isPart = matter.isOnPeriod === true && matter.chainCoversPeriod !== true
  const attached = attachmentsBy(register, asOf, engagement?.reportingBasis ?? null)
  const about = byRow(register)
  const elected = engagement?.categories ?? []
  return (framework, control) => {
    const row = { framework: framework.id, control: control.key }
    const scope = control.scope ?? 'all'
    const isInScope = control.evidenceType !== 'out-of-scope' && isElected(control, elected)
    const checks = control.mappings.map(({ check, role = 'required' }) => {
      const over = count(check, scope)
      return { ...over, role, decides: isInScope && decides(role, over.count.source, chain) }
    })
    const server = serverPart(
      checks.filter((one) => one.decides),
      { ...inScope(scope), isPart },
    )
    // Several decisions at one time agree; sorting by id makes the one that is named independent of the order of the
    // register.
    const [decision] = decidedFor(about(row), row, asOf).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const documents = documentPart(isInScope ? documentsOf(catalog, control) : [], {
      attached: (document) => attachedFor(attached, row, document, control.requests),
      isDecided: decision !== undefined,
      population,
      declaration: engagement !== undefined,
      chain,
      asOf,
    })
    const rationale = decision?.decision === 'not-applicable' ? decision.id : null
    return {
      ...row,
      state: rowState(server, documents, {
        isInScope,
        isNotApplicable: rationale !== null,
        isDecidedOtherwise:
          control.level === 'addressable' &&
          (decision?.decision === 'equivalent-alternative' || decision?.decision === 'not-implemented'),
      }),
      server,
      documents,
      checks: checks.map(({ count: counted, role, decides: isDeciding }) => ({
        ...counted,
        role,
        decides: isDeciding,
      })),
      rationale: server.state === 'deviations' || documents.state === 'deviations' ? null : rationale,
    }
  }
}

/** One check that decides a control, over the nodes in the control’s scope. */
export interface DecidingCheck extends CheckOver {
  readonly role: ControlRole
}

/** Number of nodes in the control’s scope, and of those that were collected. */
export interface NodesInScope {
  readonly population: number
  readonly reached: number
  /** Over a period: no run was due in a part of it, so that what was not tested there has no number. */
  readonly isPart?: boolean
}

/**
 * The server part of a control (conclusion model, section 5, in its order). A deviation outweighs everything, then
 * missing evidence; a satisfied counter check adds nothing. `deviating` counts nodes among the collected ones;
 * `accepted` counts those whose every deviation has a risk acceptance in effect.
 */
export function serverPart(
  checks: readonly DecidingCheck[],
  { population, reached, isPart = false }: NodesInScope,
): ServerPart {
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
    if (isOnServers && (reached < population || isPart)) return 'scope-limitation'
    const required = checks.filter(({ role }) => role === 'required')
    if (required.some(({ count }) => count.satisfied + count.informational + count.answeredByDocument > 0))
      return 'no-deviations'
    return required.length > 0 ? 'not-applicable' : 'no-server-test'
  }
  return { state: state(), ...part }
}

/** Whether each node is tested for it, rather than the whole population once. */
export const isAboutServers = ({ source, built }: CheckOver['count']): boolean =>
  source === 'server' || (source === 'runs' && built)

/** What determines the state of a control besides its two parts. */
interface RowMatter {
  /** False where the control's category is not elected, or its class is out of scope. */
  readonly isInScope: boolean
  /** A decision that the control does not apply is in effect. */
  readonly isNotApplicable: boolean
  /**
   * The control is addressable, and a decision for an alternative or against implementation is in effect (45 CFR
   * 164.306(d)(3)).
   */
  readonly isDecidedOtherwise: boolean
}

/** The state of a row, used only for counts, filters and exports (conclusion model, section 6, in its order). */
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
  // Without an applicable test and without a document, nothing could support the row.
  if (server.state !== 'no-deviations' && documents.state === 'none-needed') return 'unable-to-conclude'
  return documents.state === 'outstanding' ? 'documents-outstanding' : 'supported'
}

const UNCONCLUDED: readonly ServerPart['state'][] = ['unable-to-conclude', 'scope-limitation', 'not-tested']

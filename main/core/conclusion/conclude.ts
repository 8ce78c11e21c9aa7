import type { CheckResult, ControlAssessment, Engagement, Machine, Register } from '../../../schemas/types.ts'
import type { Catalog } from '../catalog.ts'
import { type Control, type Framework, isElected } from '../framework.ts'
import { decidedFor } from '../register/decisions.ts'
import { byRow } from '../register/rows.ts'
import { acceptancesOf } from '../register.ts'
import { counting, decides, isReached } from './counts.ts'
import { answersIn, attachedFor, attachmentsBy, documentPart, REQUESTS, stateOf } from './documents.ts'
import { rowState, serverPart } from './parts.ts'
import { documentsOf } from './requests.ts'

/** As much of a node's assessment as controls, and the comparison of lists, rest on. */
export interface NodeVerdicts {
  readonly node: string
  readonly results: readonly Pick<CheckResult, 'check' | 'verdict'>[]
  readonly machine?: Machine
  /** Whether the evidence is older than its validity: then satisfied results were turned into inconclusive ones, and deviations stay. */
  readonly stale?: boolean
}

/** What conclusions rest on in addition to the results of checks. */
export interface ConclusionMatter {
  /** As far as it concerns the scope. */
  readonly register: Register
  /** UTC, ISO 8601. */
  readonly asOf: string
  readonly engagement: Engagement | undefined
  /** Rows of the provider's listing that are not reconciled. */
  readonly uncovered: number
  /** Names that are a machine which already counts under another name: a declared server stands behind each that was not tested. */
  readonly surplus?: number
  /** Whether the chain of runs covers the engagement's period. Read only in period engagements. */
  readonly chainCoversPeriod?: boolean
}

/**
 * Conclusions on every control of the chosen frameworks, by the conclusion model (docs/conclusions.md): a server part, a document part, and a
 * row state for counting. Pure; the order of nodes, checks and documents carries no meaning.
 */
export function concludeControls(
  catalog: Catalog,
  frameworks: readonly string[],
  nodes: readonly NodeVerdicts[],
  matter: ConclusionMatter,
): ControlAssessment[] {
  const conclude = concluding(catalog, nodes, matter)
  return catalog.frameworks
    .filter(({ id }) => frameworks.includes(id))
    .flatMap((framework) => framework.controls.map((control) => conclude(framework, control)))
}

function concluding(
  catalog: Catalog,
  nodes: readonly NodeVerdicts[],
  { register, asOf, engagement, uncovered, surplus = 0, chainCoversPeriod = false }: ConclusionMatter,
): (framework: Framework, control: Control) => ControlAssessment {
  const attached = attachmentsBy(register)
  const chain = engagement?.reportingBasis.kind === 'period' ? chainCoversPeriod : null
  const population = engagement?.inventory != null && uncovered + surplus === 0
  const ephiNodes = inspectedMap(catalog, attached, { engagement, asOf, nodes })
  const count = counting({
    nodes,
    built: new Set(catalog.checks.map(({ id }) => id)),
    offNodeChecks: catalog.offNodeChecks,
    acceptances: acceptancesOf(register.riskAcceptances, asOf),
    answers: answersIn(catalog.requests, register, asOf),
    population,
    chain,
    periodChecks: new Set(catalog.conclusions.periodChecks),
    ephiChecks: new Set(catalog.conclusions.ephiChecks),
    ephiNodes,
  })
  const inScope = (scoped: boolean) => {
    const some = scoped && ephiNodes !== null ? nodes.filter(({ node }) => ephiNodes.has(node)) : nodes
    return { population: some.length, reached: Math.max(0, some.filter(isReached).length - surplus) }
  }
  const [all, carrying] = [inScope(false), inScope(true)]
  const about = byRow(register)
  const elected = engagement?.categories ?? []
  return (framework, control) => {
    const row = { framework: framework.id, control: control.key }
    const isScoped = control.scope === 'ephi'
    const isInScope = control.evidenceType !== 'out-of-scope' && isElected(control, elected)
    const checks = control.mappings.map(({ check, role = 'required' }) => {
      const over = count(check, isScoped ? 'ephi' : 'all')
      return { ...over, role, decides: isInScope && decides(role, over.count.source, chain) }
    })
    const server = serverPart(
      checks.filter((one) => one.decides),
      isScoped ? carrying : all,
    )
    // Several of one moment agree; which of them is named does not depend on the order of the register.
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

/**
 * The nodes that hold or carry declared ePHI, where the data map was inspected and supports it; null before, and where a store or a flow
 * names no node of the population, so that what is not known to be outside is tested. A flow carries through every node whose name is a word
 * of its ends.
 */
function inspectedMap(
  { requests, conclusions }: Pick<Catalog, 'requests' | 'conclusions'>,
  attached: ReturnType<typeof attachmentsBy>,
  {
    engagement,
    asOf,
    nodes,
  }: Pick<ConclusionMatter, 'engagement' | 'asOf'> & { readonly nodes: readonly NodeVerdicts[] },
): ReadonlySet<string> | null {
  const request = requests.find(({ id }) => id === conclusions.dataMap)
  if (request === undefined || engagement === undefined) return null
  if (stateOf(attached(REQUESTS, request.id), request.minimum, asOf).conclusion !== 'supports') return null
  const { stores, flows } = engagement.ephi
  const known = new Set(nodes.map(({ node }) => node))
  const placed = [
    ...stores.map((store) => store.nodes),
    ...flows.map(({ from, to }) => `${from} ${to}`.split(/[\s,;()]+/u)),
  ].map((words) => words.filter((word) => known.has(word)))
  return placed.length === 0 || placed.some((some) => some.length === 0) ? null : new Set(placed.flat())
}

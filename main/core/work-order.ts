import type {
  DistributionFamily,
  ManagementResponse,
  NodeAssessment,
  Register,
  Remediation,
  RemediationVariant,
} from '../../schemas/types.ts'
import type { Catalog, CheckSeverity } from './catalog.ts'
import { type FactHolds, rateSeverity } from './finding/severity.ts'
import { compare } from './recording.ts'
import { currentResponses } from './register/responses.ts'
import { acceptancesOf } from './register.ts'

/** The remediation of one check. */
export interface CheckRemediation extends Remediation {
  readonly check: string
}

/** One deviation of one node, with what is to be done about it. */
export interface WorkItem {
  readonly check: string
  /** Title of the deviation. */
  readonly finding: string
  /** The expected condition. */
  readonly condition: string
  /** What the node showed against it, in the words of the observations: text from the node may be in them. */
  readonly observed: readonly string[]
  readonly severity: CheckSeverity
  readonly remediation: CheckRemediation
  /** Those of the remediation that fit the node's distribution. */
  readonly variants: readonly RemediationVariant[]
  /** Other deviations of this node that the same change settles, or helps to settle. */
  readonly alsoHere: readonly string[]
  /** A risk acceptance in effect at the evaluation date, with its id and its end. */
  readonly accepted: { readonly id: string; readonly until: string } | null
  /** What management states about the finding at the evaluation date. */
  readonly response: ManagementResponse | null
}

/** What is to be done on one node. It has no score: the order is that of severity. */
export interface WorkOrder {
  readonly node: string
  readonly asOf: string
  readonly observedAt: string | null
  readonly demo: boolean
  /** As the node's evidence shows it; null where it does not, so that the steps of every family are listed. */
  readonly family: DistributionFamily | null
  readonly items: readonly WorkItem[]
  /** Checks without a result, about which nothing is known that would have to be changed. */
  readonly inconclusive: number
}

export interface WorkOrderMatter {
  readonly catalog: Pick<Catalog, 'checks' | 'severities'>
  readonly node: NodeAssessment
  readonly asOf: string
  readonly demo: boolean
  readonly register: Register
  readonly family: DistributionFamily | null
  /** The facts that raise or lower a severity on the node, as in the findings. */
  readonly holds: FactHolds
  readonly remediationOf: (check: string) => CheckRemediation | undefined
  readonly variantsFor: (
    remediation: CheckRemediation,
    family: DistributionFamily | null,
  ) => readonly RemediationVariant[]
}

const ORDER: readonly CheckSeverity['severity'][] = ['critical', 'high', 'medium', 'low', 'info']

/** The order for a node: each deviation, the most severe first. */
export function workOrderOf(matter: WorkOrderMatter): WorkOrder {
  const { node, asOf, demo, family } = matter
  const deviating = new Set(node.results.filter(({ verdict }) => verdict === 'not-satisfied').map(({ check }) => check))
  const items = node.results
    .filter(({ check }) => deviating.has(check))
    .flatMap(({ check, observations }) => itemOf(matter, check, observations, deviating) ?? [])
  return {
    node: node.node,
    asOf,
    observedAt: node.observedAt,
    demo,
    family,
    items: [...items].sort(
      (a, b) => ORDER.indexOf(a.severity.severity) - ORDER.indexOf(b.severity.severity) || compare(a.check, b.check),
    ),
    inconclusive: node.results.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'not-tested').length,
  }
}

/** Null for a check that this catalog does not have: an assessment is made by the same catalog, so that none is. */
function itemOf(
  { catalog, node, asOf, register, family, holds, remediationOf, variantsFor }: WorkOrderMatter,
  id: string,
  observations: NodeAssessment['results'][number]['observations'],
  deviating: ReadonlySet<string>,
): WorkItem | null {
  const check = catalog.checks.find((one) => one.id === id)
  const severity = catalog.severities.find((one) => one.check === id)
  const remediation = remediationOf(id)
  if (check === undefined || severity === undefined || remediation === undefined) return null
  const acceptance = acceptancesOf(register.riskAcceptances, asOf).inForce(node.node, id)
  return {
    check: id,
    finding: severity.finding,
    condition: check.expected,
    observed: observations.filter(({ direction }) => direction === 'contradicts').map(({ text }) => text),
    severity: { ...severity, severity: rateSeverity(severity, [node.node], holds).level },
    remediation,
    variants: variantsFor(remediation, family),
    alsoHere: remediation.alsoSettles.filter((other) => deviating.has(other)),
    accepted: acceptance === null ? null : { id: acceptance.id, until: acceptance.expiresAt },
    response: currentResponses(register, asOf).get(id) ?? null,
  }
}

/** The orders of each owner that the responses name, by name: only the items that are the owner's. */
export function ordersByOwner(orders: readonly WorkOrder[]): ReadonlyMap<string, readonly WorkOrder[]> {
  const owners = orders.flatMap(({ items }) => items.flatMap(({ response }) => response?.owner ?? []))
  return new Map(
    [...new Set(owners)].sort(compare).map((owner) => [
      owner,
      orders.flatMap((order) => {
        const items = order.items.filter(({ response }) => response?.owner === owner)
        return items.length === 0 ? [] : [{ ...order, items }]
      }),
    ]),
  )
}

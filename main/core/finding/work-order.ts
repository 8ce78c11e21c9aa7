import type {
  Assessment,
  ClaimResult,
  ClaimSource,
  DistributionFamily,
  ManagementResponse,
  NodeAssessment,
  ProviderClaim,
  Register,
  Remediation,
  RemediationAsk,
  RemediationVariant,
} from '../../../schemas/types.ts'
import { markdownText } from '../base/plain-text.ts'
import { compare } from '../recording/recording.ts'
import { acceptancesOf } from '../register/register.ts'
import { currentResponses } from '../register/responses.ts'
import type { Catalog, CheckSeverity } from '../rules/catalog.ts'
import { type FactHolds, rateSeverity } from './severity.ts'

/** The remediation of one check. */
export interface CheckRemediation extends Remediation {
  readonly check: string
}

/** One deviation of one node, with its remediation. */
export interface WorkItem {
  readonly check: string
  /** Title of the deviation. */
  readonly finding: string
  /** The expected condition. */
  readonly condition: string
  /** The contradicting observations, which may contain text from the node. */
  readonly observed: readonly string[]
  readonly severity: CheckSeverity
  readonly remediation: CheckRemediation
  /** The variants of the remediation for the node’s distribution. */
  readonly variants: readonly RemediationVariant[]
  /** Other deviations of this node that the same change settles or helps to settle. */
  readonly alsoHere: readonly string[]
  /** The risk acceptance in effect at the evaluation date, with its id and last day. */
  readonly accepted: { readonly id: string; readonly until: string } | null
  /** The management response to the finding at the evaluation date. */
  readonly response: ManagementResponse | null
}

/** The remediation of one node, ordered by severity, without a score. */
export interface WorkOrder {
  readonly node: string
  readonly asOf: string
  readonly observedAt: string | null
  readonly demo: boolean
  /** From the node’s evidence; null where unknown, so that the steps of every family are listed. */
  readonly family: DistributionFamily | null
  readonly items: readonly WorkItem[]
  /** Checks without a result, for which it is unknown whether anything must be changed. */
  readonly inconclusive: number
}

interface WorkOrderMatter {
  readonly catalog: Pick<Catalog, 'checks' | 'severities'>
  readonly node: NodeAssessment
  readonly asOf: string
  readonly demo: boolean
  readonly register: Register
  readonly family: DistributionFamily | null
  /** The facts that raise or lower a severity on the node, as for findings. */
  readonly holds: FactHolds
  readonly remediationOf: (check: string) => CheckRemediation | undefined
  readonly variantsFor: (
    remediation: CheckRemediation,
    family: DistributionFamily | null,
  ) => readonly RemediationVariant[]
}

const ORDER: readonly CheckSeverity['severity'][] = ['critical', 'high', 'medium', 'low', 'info']

/** The work order of a node: its deviations, most severe first. */
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

/**
 * Null for a check that this catalog does not have; none exists in practice, because an assessment is made with the
 * same catalog.
 */
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

/** The work orders of each owner named in responses, by name, with only that owner’s items. */
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

/** One provider claim with the nodes that have the same result, and their observations. */
interface Put {
  readonly claim: ProviderClaim
  readonly source: ClaimSource | undefined
  readonly nodes: readonly string[]
  readonly observed: readonly string[]
}

/** A request to the provider that results from a deviation. */
interface Requested {
  readonly ask: RemediationAsk
  readonly finding: string
  readonly nodes: readonly string[]
}

interface ProviderLetter {
  readonly provider: string
  readonly asOf: string
  readonly demo: boolean
  readonly contradicted: readonly Put[]
  readonly needsDocument: readonly Put[]
  readonly requested: readonly Requested[]
}

/**
 * The matters for the provider: its claims that tests contradict, those that need documents, and requests that result
 * from deviations.
 */
export function providerLetterOf(assessment: Assessment, orders: readonly WorkOrder[]): ProviderLetter {
  const { scope, asOf, demo } = assessment
  return {
    provider: scope.provider?.name ?? 'the provider',
    asOf,
    demo,
    contradicted: putsOf(assessment, orders, 'contradicted'),
    needsDocument: putsOf(assessment, orders, 'document-required'),
    requested: requestsOf(orders),
  }
}

/** Claims with this result on at least one node, in the order of the profile. */
function putsOf({ scope, nodes }: Assessment, orders: readonly WorkOrder[], result: ClaimResult['result']): Put[] {
  const chosen = new Set(orders.map(({ node }) => node))
  return (scope.provider?.claims ?? []).flatMap((claim): Put[] => {
    const found = nodes.flatMap(({ node, claims = [] }) =>
      chosen.has(node)
        ? claims.filter((one) => one.claim === claim.id && one.result === result).map((one) => ({ node, ...one }))
        : [],
    )
    if (found.length === 0) return []
    const texts = found.flatMap(({ observations }) =>
      observations.filter(({ direction }) => direction === 'contradicts').map(({ text }) => text),
    )
    return [
      {
        claim,
        source: scope.provider?.sources.find(({ id }) => id === claim.source),
        nodes: found.map(({ node }) => node),
        observed: [...new Set(texts)].slice(0, MOST_OBSERVED),
      },
    ]
  })
}

const MOST_OBSERVED = 12

/** One request for each text, with every node that needs it. */
function requestsOf(orders: readonly WorkOrder[]): Requested[] {
  const found = new Map<string, { ask: RemediationAsk; finding: string; nodes: Set<string> }>()
  for (const { node, items } of orders)
    for (const { check, finding, variants } of items)
      for (const ask of variants.flatMap((variant) => variant.ask ?? [])) {
        if (ask.of !== 'provider') continue
        const key = `${check}\n${ask.for}`
        const one = found.get(key) ?? { ask, finding, nodes: new Set() }
        one.nodes.add(node)
        found.set(key, one)
      }
  return [...found.values()].map(({ nodes, ...one }) => ({ ...one, nodes: [...nodes].sort(compare) }))
}

/** The letter as Markdown, to be edited and sent by a person. Text of nodes and of the provider is escaped. */
export function providerLetterMarkdown(letter: ProviderLetter, { requests }: Pick<Catalog, 'requests'>): string {
  const { provider, asOf, demo, contradicted, needsDocument, requested } = letter
  const titles = new Map(requests.map(({ id, title }) => [id, title]))
  const parts = [
    ...part(
      'Statements that our tests contradict',
      'Please correct the statement or the service, or explain in writing why both agree.',
      contradicted.flatMap((put) => claimLines(put)),
    ),
    ...part(
      'Statements that need a document',
      'A server cannot show these. Please send the document for each.',
      needsDocument.flatMap((put) => [
        ...claimLines(put),
        `   - Document: ${markdownText(put.claim.documentRequired ?? 'a document that shows the statement for these servers')}`,
      ]),
    ),
    ...part(
      'Requests because of deviations',
      'Please answer each in writing, with date.',
      requested.flatMap(({ ask, finding, nodes }) => [
        `1. ${capital(markdownText(ask.for))}.`,
        `   - Because of: ${markdownText(finding)}`,
        ...(ask.request === undefined
          ? []
          : [`   - Filed as: ${ask.request}, ${markdownText(titles.get(ask.request) ?? '')}`]),
        `   - Servers: ${named(nodes)}`,
      ]),
    ),
  ]
  return `${[
    `# Letter to ${markdownText(provider)}`,
    '',
    ...(demo ? ['**Demo data: not evidence.**', ''] : []),
    `Evaluation date: ${asOf}`,
    '',
    'We collected evidence from the servers that we use with you and compared it with your statements. The evidence is reported by the operating system of each server.',
    ...(parts.length === 0 ? ['', 'There is nothing to request.'] : parts),
  ].join('\n')}\n`
}

/** A part without lines is omitted. */
const part = (title: string, intro: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', intro, '', ...lines]

function claimLines({ claim, source, nodes, observed }: Put): readonly string[] {
  const where = [source?.title, source?.where, source?.address].filter((text) => text !== undefined && text !== '')
  return [
    `1. ${markdownText(claim.text)}`,
    ...(claim.quote === undefined ? [] : [`   - In your words: “${markdownText(claim.quote)}”`]),
    ...(where.length === 0 ? [] : [`   - Source: ${where.map((text) => markdownText(text ?? '')).join(', ')}`]),
    ...(claim.why === null ? [] : [`   - Why a server does not show it: ${markdownText(claim.why)}`]),
    ...observed.map((text) => `   - Observed: ${markdownText(text)}`),
    `   - Servers: ${named(nodes)}`,
  ]
}

const named = (nodes: readonly string[]): string => nodes.map((node) => markdownText(node, 64)).join(', ')
const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

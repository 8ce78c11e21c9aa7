import type { Assessment, ClaimResult, ClaimSource, ProviderClaim, RemediationAsk } from '../../schemas/types.ts'
import type { Catalog } from './catalog.ts'
import { markdownText } from './plain-text.ts'
import { compare } from './recording.ts'
import type { WorkOrder } from './work-order.ts'

/** One provider claim with the nodes that have the same result, and what they showed. */
interface Put {
  readonly claim: ProviderClaim
  readonly source: ClaimSource | undefined
  readonly nodes: readonly string[]
  readonly observed: readonly string[]
}

/** What to request from the provider because of a deviation. */
interface Requested {
  readonly ask: RemediationAsk
  readonly finding: string
  readonly nodes: readonly string[]
}

export interface ProviderLetter {
  readonly provider: string
  readonly asOf: string
  readonly demo: boolean
  readonly contradicted: readonly Put[]
  readonly needsDocument: readonly Put[]
  readonly requested: readonly Requested[]
}

/** What to put to the provider: its claims that tests contradict, those that need documents, and what deviations require of it. */
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

/** Claims with this result on one of the nodes, in the order of the profile. */
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

/** A part without lines is left out. */
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

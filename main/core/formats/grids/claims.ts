import { checkSourceWords } from '../../../../schemas/conclusion-words.ts'
import type { Assessment, ProviderProfile } from '../../../../schemas/types.ts'
import { claimAnswerWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../catalog.ts'
import { reasonsText } from './findings.ts'
import { columns, type Grid } from './grid.ts'

const COLUMNS = columns({
  claim: 24,
  'what was promised': 60,
  'the provider’s own words': 40,
  condition: 40,
  source: 40,
  publisher: 24,
  where: 50,
  address: 50,
  'read there on': 14,
  'SHA-256 of the copy kept': 40,
  node: 24,
  answer: 26,
  reasons: 70,
  'record to bring': 40,
})

/** One row per promise of the provider and node, with the answer that the node's evidence gives. */
export function claimsGrid({ nodes }: Assessment, { claims, sources }: ProviderProfile): Grid {
  const promised = new Map(claims.map((claim) => [claim.id, claim]))
  const sourceOf = new Map(sources.map((source) => [source.id, source]))
  const rows = nodes.flatMap((node) =>
    (node.claims ?? []).map((answered) => {
      const claim = promised.get(answered.claim)
      const source = sourceOf.get(claim?.source ?? '')
      return [
        answered.claim,
        claim?.says ?? '',
        claim?.quote ?? '',
        claim?.condition?.says ?? '',
        source?.title ?? '',
        source?.publisher ?? '',
        source?.where ?? '',
        source?.address ?? '',
        source?.on ?? '',
        source?.sha256 ?? '',
        node.node,
        claimAnswerWords[answered.answer].label,
        reasonsText(answered.reasons),
        claim?.bring ?? '',
      ]
    }),
  )
  return { columns: COLUMNS, rows }
}

const CHECK_COLUMNS = columns({
  check: 34,
  property: 22,
  'what is claimed, or why no node decides it': 60,
  'what it does not show, or which document answers it': 60,
})

/** Every check with what it claims and where that ends, then the mapped ones that no node can decide, with the evidence requests that answer them. */
export const checksGrid = ({ checks, notFromNodes, requests }: Catalog): Grid => ({
  columns: CHECK_COLUMNS,
  rows: [
    ...checks.map(({ id, property, claim, limits }) => [id, property, claim, limits]),
    ...notFromNodes.map(({ id, from, why }) => [
      id,
      checkSourceWords[from],
      why,
      requests
        .filter(({ serves }) => serves.includes(id))
        .map((request) => `${request.id} ${request.title}`)
        .join(' | '),
    ]),
  ],
})

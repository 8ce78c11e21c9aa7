import { checkSourceWords } from '../../../../schemas/conclusion-words.ts'
import type { Assessment, ProviderProfile } from '../../../../schemas/types.ts'
import { claimAnswerWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../../core/catalog.ts'
import { columns, type Grid } from './grid.ts'
import { reasonsText } from './results.ts'

const COLUMNS = columns({
  claim: 24,
  'provider claim': 60,
  quotation: 40,
  condition: 40,
  source: 40,
  publisher: 24,
  where: 50,
  address: 50,
  'retrieved on': 14,
  'SHA-256 of the retained copy': 40,
  node: 24,
  result: 26,
  observations: 110,
  'document required': 40,
})

/** One row per provider claim and node, with the claim result. */
export function claimsGrid({ nodes }: Assessment, { claims, sources }: ProviderProfile): Grid {
  const promised = new Map(claims.map((claim) => [claim.id, claim]))
  const sourceOf = new Map(sources.map((source) => [source.id, source]))
  const rows = nodes.flatMap((node) =>
    (node.claims ?? []).map((answered) => {
      const claim = promised.get(answered.claim)
      const source = sourceOf.get(claim?.source ?? '')
      return [
        answered.claim,
        claim?.text ?? '',
        claim?.quote ?? '',
        claim?.condition?.text ?? '',
        source?.title ?? '',
        source?.publisher ?? '',
        source?.where ?? '',
        source?.address ?? '',
        source?.on ?? '',
        source?.sha256 ?? '',
        node.node,
        claimAnswerWords[answered.result].label,
        reasonsText(answered.observations),
        claim?.documentRequired ?? '',
      ]
    }),
  )
  return { columns: COLUMNS, rows }
}

const CHECK_COLUMNS = columns({
  check: 34,
  property: 22,
  'expected condition, or reason why it is not tested on nodes': 60,
  'limitations, or document required': 60,
})

/** Every check with its expected condition and limitations, then mapped checks that are not tested on nodes, with their evidence requests. */
export const checksGrid = ({ checks, offNodeChecks, requests }: Catalog): Grid => ({
  columns: CHECK_COLUMNS,
  rows: [
    ...checks.map(({ id, property, expected, limitations }) => [id, property, expected, limitations]),
    ...offNodeChecks.map(({ id, source, why }) => [
      id,
      checkSourceWords[source],
      why,
      requests
        .filter(({ serves }) => serves.includes(id))
        .map((request) => `${request.id} ${request.title}`)
        .join(' | '),
    ]),
  ],
})

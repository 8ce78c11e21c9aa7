import { checkSourceWords } from '../../../../schemas/conclusion-words.ts'
import type { Assessment, ProviderProfile } from '../../../../schemas/types.ts'
import { claimAnswerWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { columns, type Grid, gridOf } from './grid.ts'
import { reasonsText } from './results.ts'

/** One row per provider claim and node, with the claim result. */
export function claimsGrid({ nodes }: Assessment, { claims, sources }: ProviderProfile): Grid {
  const promised = new Map(claims.map((claim) => [claim.id, claim]))
  const sourceOf = new Map(sources.map((source) => [source.id, source]))
  const rows = nodes.flatMap(({ node, claims: answers = [] }) =>
    answers.map((answered) => {
      const claim = promised.get(answered.claim)
      return { node, answered, claim, source: sourceOf.get(claim?.source ?? '') }
    }),
  )
  return gridOf(rows, {
    claim: [24, ({ answered }) => answered.claim],
    'provider claim': [60, ({ claim }) => claim?.text ?? ''],
    quotation: [40, ({ claim }) => claim?.quote ?? ''],
    condition: [40, ({ claim }) => claim?.condition?.text ?? ''],
    source: [40, ({ source }) => source?.title ?? ''],
    publisher: [24, ({ source }) => source?.publisher ?? ''],
    where: [50, ({ source }) => source?.where ?? ''],
    address: [50, ({ source }) => source?.address ?? ''],
    'retrieved on': [14, ({ source }) => source?.on ?? ''],
    'SHA-256 of the retained copy': [40, ({ source }) => source?.sha256 ?? ''],
    node: [24, ({ node }) => node],
    result: [26, ({ answered }) => claimAnswerWords[answered.result].label],
    observations: [110, ({ answered }) => reasonsText(answered.observations)],
    'document required': [40, ({ claim }) => claim?.documentRequired ?? ''],
  })
}

/** Every check with its expected condition and limitations, then mapped checks that are not tested on nodes, with their evidence requests. */
export const checksGrid = ({ checks, offNodeChecks, requests }: Catalog): Grid => ({
  columns: columns({
    check: 34,
    property: 22,
    'expected condition, or reason why it is not tested on nodes': 60,
    'limitations, or document required': 60,
  }),
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

import type { Assessment } from '../../schemas/types.ts'
import { plain } from '../core/plain-text.ts'

const HEADING = [
  'node',
  'claim id',
  'provider claim',
  'result',
  'observations',
  'source',
  'location in source',
  'date of source (UTC)',
  'publisher',
  'address',
  'SHA-256 of stored copy',
  'condition',
  'observed at (UTC)',
]

/** One line per node and provider claim; the heading alone where no provider was declared. */
export function* claimsTable({ scope, nodes }: Pick<Assessment, 'scope' | 'nodes'>): Generator<readonly string[]> {
  const claims = new Map(scope.provider?.claims.map((claim) => [claim.id, claim]))
  const sources = new Map(scope.provider?.sources.map((source) => [source.id, source]))
  yield HEADING
  for (const { node, observedAt, claims: answers = [] } of nodes)
    for (const { claim: id, result, observations } of answers) {
      const claim = claims.get(id)
      const source = sources.get(claim?.source ?? '')
      const because =
        observations.length > 0
          ? observations.map(({ direction, text }) => `${direction}: ${text}`)
          : [claim?.why ?? '']
      const row = [
        node,
        id,
        claim?.text ?? '',
        result,
        because.join(' | '),
        source?.title ?? '',
        source?.where ?? '',
        source?.on ?? '',
        source?.publisher ?? '',
        source?.address ?? '',
        source?.sha256 ?? '',
        claim?.condition?.text ?? '',
        observedAt ?? '',
      ]
      yield row.map((cell) => plain(cell, 30_000))
    }
}

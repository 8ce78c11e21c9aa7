import { locationVerdictWords } from '../../../../schemas/location-words.ts'
import type { Assessment, NodeAssessment } from '../../../../schemas/types.ts'
import { placeText } from '../../report/location-dossier.ts'
import { nearestDisc, placeAnswer, policyAnswers } from '../../report/location-verdicts.ts'
import { columns, type Grid } from './grid.ts'

const COLUMNS = columns({
  node: 24,
  'claimed place': 50,
  'claimed by': 24,
  'is it there': 18,
  'in words': 24,
  'by the round trips': 18,
  'narrowest bound in km': 14,
  'measured from': 50,
  'round trip in ms': 12,
  'countries in reach': 30,
  policies: 60,
  statements: 12,
  'hints, counted nowhere': 12,
  why: 70,
})

/** One row per node: where it is said to be, what bears that out, and how far away it can be at most. */
export const locationGrid = ({ nodes }: Assessment): Grid => ({ columns: COLUMNS, rows: nodes.map(row) })

function row({ node, location }: NodeAssessment): readonly (string | number)[] {
  const claim = location?.claim ?? null
  const answer = placeAnswer(location)
  const disc = nearestDisc(location)
  const signals = location?.signals ?? []
  return [
    node,
    claim === null ? '' : placeText(claim),
    claim?.declaredBy ?? '',
    answer?.verdict ?? '',
    answer === null ? 'not asked' : locationVerdictWords[answer.verdict].label,
    answer?.delay ?? '',
    // Rounded up: a bound is never told narrower than it is.
    disc?.reachKm == null ? '' : Math.ceil(disc.reachKm),
    disc === null ? '' : placeText(disc.vantage),
    disc?.milliseconds ?? '',
    location?.reachable?.join(', ') ?? '',
    policyAnswers(location)
      .map(({ title, verdict }) => `${title}: ${verdict}`)
      .join(' | '),
    signals.filter(({ hint }) => !hint).length,
    signals.filter(({ hint }) => hint).length,
    answer?.text ?? '',
  ]
}

import { locationVerdictWords } from '../../../../schemas/location-words.ts'
import type { Assessment, NodeAssessment } from '../../../../schemas/types.ts'
import { nearestDisc, placeAnswer, policyAnswers } from '../../../core/location-verdicts.ts'
import { placeText } from '../../report/location-analysis.ts'
import { columns, type Grid } from './grid.ts'

const COLUMNS = columns({
  node: 24,
  'declared place': 50,
  'declared by': 24,
  'location result': 18,
  'location result label': 24,
  'result by round trips': 18,
  'maximum distance in km': 14,
  'vantage point': 50,
  'round trip in ms': 12,
  'countries within bounds': 30,
  policies: 60,
  statements: 12,
  'hints, not counted': 12,
  why: 70,
})

/** One row per node: declared place, supporting evidence and maximum distance. */
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
    answer?.result ?? '',
    answer === null ? 'not tested' : locationVerdictWords[answer.result].label,
    answer?.delay ?? '',
    // Rounded up, so that a bound is never printed narrower than it is.
    disc?.maxDistanceKm == null ? '' : Math.ceil(disc.maxDistanceKm),
    disc === null ? '' : placeText(disc.vantage),
    disc?.milliseconds ?? '',
    location?.reachable?.join(', ') ?? '',
    policyAnswers(location)
      .map(({ title, result }) => `${title}: ${result}`)
      .join(' | '),
    signals.filter(({ hint }) => !hint).length,
    signals.filter(({ hint }) => hint).length,
    answer?.text ?? '',
  ]
}

import { locationVerdictWords } from '../../../../schemas/location-words.ts'
import type { Assessment } from '../../../../schemas/types.ts'
import { nearestDisc, placeAnswer, policyAnswers } from '../../../core/conclusion/location-verdicts.ts'
import { placeText } from '../../report/parts/location-analysis.ts'
import { type Grid, gridOf } from './grid.ts'

/** One row per node: declared place, supporting evidence and maximum distance. */
export const locationGrid = ({ nodes }: Assessment): Grid =>
  gridOf(
    nodes.map(({ node, location }) => ({
      node,
      location,
      claim: location?.claim ?? null,
      answer: placeAnswer(location),
      disc: nearestDisc(location),
      signals: location?.signals ?? [],
    })),
    {
      node: [24, ({ node }) => node],
      'declared place': [50, ({ claim }) => (claim === null ? '' : placeText(claim))],
      'declared by': [24, ({ claim }) => claim?.declaredBy ?? ''],
      'location result': [18, ({ answer }) => answer?.result ?? ''],
      'location result label': [
        24,
        ({ answer }) => (answer === null ? 'not tested' : locationVerdictWords[answer.result].label),
      ],
      'result by round trips': [18, ({ answer }) => answer?.delay ?? ''],
      // Rounded up, so that a bound is never printed narrower than it is.
      'maximum distance in km': [14, ({ disc }) => (disc?.maxDistanceKm == null ? '' : Math.ceil(disc.maxDistanceKm))],
      'vantage point': [50, ({ disc }) => (disc === null ? '' : placeText(disc.vantage))],
      'round trip in ms': [12, ({ disc }) => disc?.milliseconds ?? ''],
      'countries within bounds': [30, ({ location }) => location?.reachable?.join(', ') ?? ''],
      policies: [
        60,
        ({ location }) =>
          policyAnswers(location)
            .map(({ title, result }) => `${title}: ${result}`)
            .join(' | '),
      ],
      statements: [12, ({ signals }) => signals.filter(({ hint }) => !hint).length],
      'hints, not counted': [12, ({ signals }) => signals.filter(({ hint }) => hint).length],
      why: [70, ({ answer }) => answer?.text ?? ''],
    },
  )

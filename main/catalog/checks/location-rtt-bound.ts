import { type Conclusion, defineCheck } from '../../core/check.ts'
import { placeQuestion } from '../location/answers.ts'
import { type Bound, boundBy, timeSteps } from '../location/bounds.ts'
import { readDelay } from '../location/discs.ts'
import { nonceEcho } from '../probes/nonce-echo.ts'
import { unclear } from '../steps.ts'

export const locationRttBound = defineCheck({
  id: 'location.rtt-bound',
  property: 'location',
  expected: 'Round-trip time bounds the SSH responder within the declared location, by the speed of light.',
  limitations:
    'It bounds the holder of the SSH session keys. A relay inside the place with a copy of the host key would respond the same way, and where data, replicas and backups are is not shown. It assumes the declared places of the measuring computers, and clocks there that are not slowed by more than 0.05 % during the measurement; light is assumed to travel in a straight line through the earth.',
  requires: { echo: nonceEcho },
  evaluate({ echo }, _, context): Conclusion {
    const { location } = context.node
    const delay = readDelay(echo, context)
    if (location === undefined)
      return {
        verdict: 'inconclusive',
        observations: [
          unclear('No place was declared for this node, so there is nothing to compare with.', null),
          ...timeSteps(delay, 'unclear'),
        ],
      }
    const bound = boundBy(placeQuestion(location), delay, context)
    return {
      verdict: VERDICTS[bound.says],
      observations: [...bound.because, ...timeSteps(delay, DIRECTIONS[bound.says])],
    }
  },
})

const VERDICTS: Readonly<Record<Bound['says'], Conclusion['verdict']>> = {
  inside: 'satisfied',
  outside: 'not-satisfied',
  undecided: 'inconclusive',
  empty: 'inconclusive',
  unusable: 'inconclusive',
}
const DIRECTIONS: Readonly<Record<Bound['says'], 'supports' | 'contradicts' | 'unclear'>> = {
  inside: 'supports',
  outside: 'contradicts',
  undecided: 'unclear',
  empty: 'unclear',
  unusable: 'unclear',
}

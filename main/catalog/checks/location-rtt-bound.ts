import { type Conclusion, defineCheck } from '../../core/check.ts'
import { geodesicKm } from '../../core/geodesy.ts'
import { quote } from '../../core/plain-text.ts'
import { farthestKm, neededMilliseconds, settledTime } from '../isolation/light.ts'
import { nonceEcho } from '../probes/nonce-echo.ts'
import { count, leavesUnclear, speaksAgainst, speaksFor } from '../steps.ts'

/** Our own place must be declared to within this, or the bound says nothing. */
const LARGEST_OWN_ERROR_KM = 50

const km = (distance: number): string => `${(Math.ceil(distance * 10) / 10).toFixed(1)} km`
const ms = (time: number): string => `${time.toFixed(3)} ms`
const undecided = (text: string): Conclusion => ({ verdict: 'inconclusive', because: [leavesUnclear(text, nonceEcho)] })

export const locationRttBound = defineCheck({
  id: 'location.rtt-bound',
  property: 'location',
  claim: 'Whoever holds the keys of this SSH session answered from inside the declared place, by the speed of light.',
  limits:
    'It bounds the holder of the SSH session keys. A relay inside the place that holds a copy of the host key would answer alike, and where data, replicas and backups are is not shown. It rests on the declared place of the auditor’s computer, and on its clock.',
  needs: { echo: nonceEcho },
  evaluate({ echo }, _, { node }): Conclusion {
    const { location, vantage } = node
    if (location === undefined)
      return undecided('No place was declared for this node, so there is nothing to compare with.')
    if (vantage === undefined)
      return undecided('The place of the auditor’s computer was not declared, so a time says nothing about a place.')
    if (vantage.radiusKm > LARGEST_OWN_ERROR_KM)
      return undecided(
        `The place of the auditor’s computer is declared to ${vantage.radiusKm} km only; ${LARGEST_OWN_ERROR_KM} km or better is needed.`,
      )
    const timing = settledTime(echo)
    if (!timing.ok) return undecided(`The round-trip time is not usable: ${timing.reason}.`)
    const distance = geodesicKm(vantage, location)
    const reach = farthestKm(timing.milliseconds, vantage.radiusKm)
    const measured = `From ${quote(vantage.name)}, the second fastest of ${count(timing.samples, 'nonce')} came back in ${ms(timing.milliseconds)}: at the speed of light in vacuum the answering party is at most ${km(reach)} away`
    const place = `${quote(location.name)} is ${km(distance.atLeast)} away, declared to within ${location.radiusKm} km`
    if (distance.atLeast > reach + location.radiusKm)
      return {
        verdict: 'not-met',
        because: [
          speaksAgainst(`${measured}. The declared place ${place}: the answering party is not there.`, nonceEcho),
        ],
      }
    if (distance.atMost + reach <= location.radiusKm)
      return {
        verdict: 'met',
        because: [
          speaksFor(
            `${measured}, and every point within that reach lies inside the declared place: ${place}.`,
            nonceEcho,
          ),
        ],
      }
    const needed = neededMilliseconds(location.radiusKm - distance.atMost, vantage.radiusKm)
    const hint =
      needed > 0
        ? `A round trip of ${ms(needed)} or less from here would bound it inside.`
        : 'No time from here can bound it inside; a vantage point within the declared place is needed.'
    return undecided(`${measured}. The declared place ${place}: not contradicted, and not bounded inside. ${hint}`)
  },
})

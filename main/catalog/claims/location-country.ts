import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import type { Parsed } from '../../core/probe.ts'
import { ok } from '../../core/result.ts'
import { boundBy, timeSteps } from '../location/bounds.ts'
import { countryName, isCountry } from '../location/countries.ts'
import { readDelay } from '../location/discs.ts'
import { cloudInitSignals } from '../location/signals/cloud-init.ts'
import { type CloudInit, cloudInit } from '../probes/cloud-init.ts'
import { nonceEcho } from '../probes/nonce-echo.ts'
import { decide, unclear } from '../steps.ts'

const LIMITS =
  'It bounds the holder of the SSH session keys, by land borders and the speed of light; a relay in the country with a copy of the host key would respond the same way. It assumes the declared places of the measuring computers and their clocks. The provider’s statement at first boot, in a file that administrators of the server can change, makes it inconclusive where it names another country, and cannot support it. Neither data, copies nor backups are bounded.'

export const locationCountry: ClaimTest = {
  id: 'location.country',
  title: 'The SSH responder is inside the claimed country.',
  takes: { kind: 'text', unit: 'ISO 3166-1 code of two letters' },
  limitations: LIMITS,
  of(value) {
    const promised = typeof value === 'string' && /^[A-Z]{2}$/.test(value) && isCountry(value) ? value : null
    if (promised === null) return null
    return defineCheck({
      id: 'location.country',
      property: 'location',
      expected: `The SSH responder is inside ${countryName(promised)}.`,
      limitations: LIMITS,
      requires: { echo: nonceEcho },
      optional: { cloud: cloudInit },
      evaluate({ echo }, { cloud }, context) {
        const delay = readDelay(echo, context)
        const asked = ok({ region: { kind: 'countries', codes: [promised] } } as const)
        const { says, because } = boundBy({ of: 'residency', title: countryName(promised), asked }, delay, context)
        const argued = decide([...because, ...stated(cloud, promised)])
        return {
          ...argued,
          observations: [...argued.observations, ...timeSteps(delay, says === 'inside' ? 'supports' : 'unclear')],
        }
      },
    })
  },
}

/** What the provider stated at first boot may be of another machine, or changed since: where it disagrees, a person has to look. */
const stated = (cloud: Parsed<CloudInit>, promised: string): readonly DraftObservation[] => [
  ...unclearAbout(cloudInit, cloud),
  ...cloudInitSignals(cloud)
    .filter(({ country }) => country !== null && country !== promised)
    .map(({ text }) => unclear(`${text} The provider claims ${countryName(promised)}.`, cloudInit)),
]

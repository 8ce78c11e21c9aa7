import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { ageOfList } from '../list-age.ts'
import type { Found } from '../location/found.ts'
import { REGION_LIST } from '../location/regions.ts'
import { cloudInitSignals } from '../location/signals/cloud-init.ts'
import { missedOfProvider, PROVIDER_WANTS, providerSignals } from '../location/signals.ts'
import { cloudInit } from '../probes/cloud-init.ts'
import { decide, unclear } from '../steps.ts'

export const locationProviderClaim = defineCheck({
  id: 'location.provider-claim',
  property: 'location',
  expected: 'The region stated by the provider to this server is in the declared country.',
  limitations:
    'A statement by the provider, mostly kept in a file that administrators of the server can change; a signature ties it to the provider, and only its machine number to this machine. It names a country at best, never a building, and needs to be compared with the contract.',
  requires: { claim: cloudInit },
  optional: PROVIDER_WANTS,
  evaluate({ claim }, facts, context) {
    const declared = context.node.location?.country
    const kept = cloudInitSignals({ ok: true, fact: claim })
    const first = claim.present
      ? 'The provider’s data names no region.'
      : 'The provider left no statement on this server (no cloud-init data), as is usual for dedicated servers.'
    const steps = [
      ...(kept.length > 0 ? kept.map((signal) => compared(signal, declared)) : [unclear(first, cloudInit)]),
      ...providerSignals(facts).map((signal) => compared(signal, declared)),
      ...missedOfProvider(facts),
    ]
    // Which country a region is in is read from a list, by the beginnings of names: a newer region may begin like an older one.
    const age = ageOfList('The list of countries of providers’ regions', REGION_LIST.asOf, context)
    return decide([...steps, ...(steps.some(({ direction }) => direction !== 'unclear') ? [age] : [])])
  },
})

/** A statement next to the declared country. What anyone may have responded is shown, and decides nothing. */
function compared({ text, country, hint, probe, commands }: Found, declared: string | undefined): DraftObservation {
  const cited = { probe, ...(commands === undefined ? {} : { commands }) }
  if (declared === undefined)
    return { direction: 'unclear', text: `${text} No country was declared for this node.`, ...cited }
  if (country === null || hint) return { direction: 'unclear', text, ...cited }
  return country === declared
    ? { direction: 'supports', text: `${text} That is the declared country.`, ...cited }
    : { direction: 'contradicts', text: `${text} ${quote(declared)} is declared.`, ...cited }
}

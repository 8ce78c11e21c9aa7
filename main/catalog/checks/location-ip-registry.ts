import { type Context, type DraftObservation, defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { type CountrySaid, databasesSay, onlyFacts } from '../location/databases.ts'
import type { Found } from '../location/found.ts'
import { frontEnd } from '../location/front-end.ts'
import { publicAddresses } from '../location/peers.ts'
import { registryOf, registrySignals } from '../location/signals/registry.ts'
import { settledTime } from '../location/timing.ts'
import { nonceEcho } from '../probes/nonce-echo.ts'
import { unclear } from '../steps.ts'

export const locationIpRegistry = defineCheck({
  id: 'location.ip-registry',
  property: 'location',
  expected: 'Databases of at least two provenances place the public address of this server in the declared country.',
  limitations:
    'Third-party statements about an address: where it is registered, announced or was last observed, never where a machine is located. Such databases copy each other and are often wrong; anycast, tunnels and front ends show another place. It concerns the address by which the server was reached, and needs databases that the user supplied.',
  requires: { echo: nonceEcho },
  evaluate({ echo }, _, context) {
    const facts = onlyFacts({ echo: { ok: true, fact: echo } })
    const declared = context.node.location?.country
    const databases = context.location?.databases ?? []
    const undecided = (text: string, more: readonly DraftObservation[] = []) =>
      ({ verdict: 'inconclusive', observations: [unclear(text, null), ...more] }) as const
    if (databases.length === 0) return undecided('No database of addresses was given.')
    if (!publicAddresses(facts, context).some(({ how }) => how !== 'own'))
      return undecided('The address by which the server was reached is not public, so that no database knows it.')
    if (frontEnd(settledTime(echo), echo.path)?.exceeds === true)
      return undecided('Something nearer than the node opens the TCP connection, so that the address may be of that.')
    const signals = registrySignals(facts, context)
    const told = (isFor: (country: string) => DraftObservation['direction']): readonly DraftObservation[] =>
      signals.map(({ text, country, hint, probe }) => {
        const direction = country === null || hint ? 'unclear' : isFor(country)
        return { direction, text, probe }
      })
    if (declared === undefined)
      return undecided(
        'No country was declared for this node.',
        told(() => 'unclear'),
      )
    const observations = told((country) => (country === declared ? 'supports' : 'contradicts'))
    switch (allSay(signals, declared, context)) {
      case 'inside':
        return { verdict: 'satisfied', observations: observations.filter(({ direction }) => direction === 'supports') }
      case 'outside':
        return { verdict: 'not-satisfied', observations }
      case 'undecided':
        return undecided(
          `Two databases of different provenance that agree, with none against them, would decide about ${quote(declared)}; these do not.`,
          observations,
        )
    }
  },
})

/** Of every address on its own, whether two databases decide about it; they must all come out the same. */
function allSay(signals: readonly Found[], declared: string, context: Context): 'inside' | 'outside' | 'undecided' {
  const byAddress = new Map<number, CountrySaid[]>()
  for (const { id, hint, country, text } of signals) {
    const from = registryOf(id, context)
    if (from === null || hint || country === null) continue
    byAddress.set(from.address, [...(byAddress.get(from.address) ?? []), { source: from.source, country, text }])
  }
  const [first = 'undecided', ...others] = [...byAddress.values()].map((said) =>
    databasesSay(said, (country) => country === declared),
  )
  return others.every((one) => one === first) ? first : 'undecided'
}

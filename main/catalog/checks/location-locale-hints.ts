import { defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { zoneCountry } from '../location/regions.ts'
import { timezone } from '../probes/timezone.ts'
import { contradicts, supports, unclear } from '../steps.ts'

export const locationLocaleHints = defineCheck({
  id: 'location.locale-hints',
  property: 'location',
  expected: 'The time zone and locale of this server are recorded.',
  ends: 'recorded',
  limitations: 'A setting that anyone can choose. It never decides where a server is.',
  requires: { zone: timezone },
  evaluate({ zone: { zone, locale } }, _, { node }) {
    const declared = node.location?.country
    const country = zone === null ? null : zoneCountry(zone)
    const set = `${zone === null ? 'No time zone is set, which means UTC' : `The time zone is ${quote(zone)}`}${locale === null ? '' : `, the locale ${quote(locale)}`}.`
    const step =
      country === null || declared === undefined
        ? unclear(`${set} That is no evidence of a location.`, timezone)
        : country === declared
          ? supports(`${set} It fits the declared country ${quote(declared)}, as a hint.`, timezone)
          : contradicts(
              `${set} It is one of ${country}; ${quote(declared)} is declared. That is a hint, and decides nothing.`,
              timezone,
            )
    return { verdict: 'informational', observations: [step] }
  },
})

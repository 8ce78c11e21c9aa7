import { type Context, type DraftObservation, defineCheck } from '../../core/check.ts'
import { serialKey } from '../../core/engagement/same.ts'
import { quote } from '../../core/plain-text.ts'
import { hostSerials } from '../machine/identity.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'
import { questionsOf } from './answers.ts'
import { type Delay, readDelay } from './discs.ts'
import type { Found } from './registry.ts'
import { rowsOf, siteRecordSignals } from './signals/site-record.ts'
import { LOCATION_WANTS, locationSignals, missedAbout, missedStatements } from './signals.ts'
import { type Asked, discOf, isWeighty, placeIndication, placeResult } from './verdict.ts'

const { serials: _, ...WANTS } = LOCATION_WANTS

export const locationSiteRecord = defineCheck({
  id: 'location.site-record',
  property: 'location',
  expected:
    'The site record lists this server by serial number, at least one machine-readable source agrees with it, and no source or measurement contradicts it.',
  limitations:
    'Concerns records: the place of the server is recorded, and the record can be compared. It does not show that the server is in that room or rack; the entry is a statement by its author, and the serial number is reported by the firmware.',
  requires: { serials: hostSerials },
  optional: WANTS,
  evaluate({ serials }, wanted, context) {
    const sites = context.location?.sites
    if (sites === undefined) return decide([unclear('No record of sites was given.', null)])
    const reading = { ok: true, fact: serials } as const
    const record = siteRecordSignals(reading, context)
    const keys = [serials.product, serials.chassis, serials.board].flatMap((text) => serialKey(text) ?? [])
    const rows = rowsOf(sites)
    const sentences = record.map(({ text }) => text).join(' ')
    if (keys.length === 0) return decide([unclear(sentences, hostSerials)])
    if (!keys.some((key) => rows.has(key))) return decide([contradicts(sentences, hostSerials)])
    const [row] = record
    if (row?.hint === true) return decide([unclear(sentences, hostSerials)])
    if (row === undefined || (row.country === null && row.place === null))
      return decide([unclear(`${sentences} It names no country or place for comparison.`, hostSerials)])
    const facts = { ...wanted, serials: reading }
    const delay = readDelay(wanted.echo.ok ? wanted.echo.fact : null, context)
    const others = locationSignals(facts, context).filter(({ id }) => id !== row.id)
    const asked = askedOf(row)
    const about = disputeOf(asked, others, delay, context)
    const agreeing = others.filter((signal) => !signal.hint && placeIndication(signal, asked) === 'inside')
    const elsewhere = questionsOf(context).flatMap(({ title, asked: one }): readonly DraftObservation[] => {
      const dispute = one.ok ? disputeOf(one.value, [...others, row], delay, context) : NO_DISPUTE
      const text = `What was read and timed disagrees about ${quote(title)}.`
      return dispute.isTooFar || dispute.against.length > 0 ? [{ direction: dispute.direction, text, probe: null }] : []
    })
    return decide([
      supports(sentences, hostSerials),
      ...(agreeing.length > 0
        ? agreeing.map(agrees)
        : about.isBounded
          ? [
              supports(
                'The round trips bound the holder of the SSH session keys within the place of the record.',
                LOCATION_WANTS.echo,
              ),
            ]
          : [unclear('Nothing that a machine can read agrees with the record.', null)]),
      ...disagreeing(about),
      ...elsewhere,
      ...missedStatements(facts),
      ...missedAbout(LOCATION_WANTS.echo, facts.echo),
    ])
  },
})

interface Dispute {
  readonly isTooFar: boolean
  readonly isBounded: boolean
  readonly against: readonly Found[]
  /** One statement alone leaves the record open: it may be the one that is wrong. */
  readonly direction: 'contradicts' | 'unclear'
}

const NO_DISPUTE: Dispute = { isTooFar: false, isBounded: false, against: [], direction: 'unclear' }

function disputeOf(asked: Asked, signals: readonly Found[], delay: Delay, context: Context): Dispute {
  const result = placeResult(asked, delay, signals, context)
  const against = signals.filter((signal, at) => !signal.hint && result.indications[at]?.indicates === 'outside')
  const isTooFar = result.delay === 'outside'
  const direction = isTooFar || isWeighty(against, context) ? 'contradicts' : 'unclear'
  return { isTooFar, isBounded: result.delay === 'inside', against, direction }
}

const askedOf = ({ country, place }: Found): Asked =>
  place === null
    ? { region: { kind: 'countries', codes: country === null ? [] : [country] } }
    : { region: { kind: 'disc', disc: discOf(place) }, country: country ?? place.country }

const cited = ({ probe, commands }: Found): Pick<DraftObservation, 'probe' | 'commands'> => ({
  probe,
  ...(commands === undefined ? {} : { commands }),
})
const agrees = (signal: Found): DraftObservation => ({ direction: 'supports', text: signal.text, ...cited(signal) })

const disagreeing = ({ isTooFar, against, direction }: Dispute): readonly DraftObservation[] => [
  ...(isTooFar
    ? [
        contradicts(
          'The round trips show that the holder of the SSH session keys is not in the place of the record.',
          LOCATION_WANTS.echo,
        ),
      ]
    : []),
  ...against.map((signal): DraftObservation => ({ direction, text: signal.text, ...cited(signal) })),
]

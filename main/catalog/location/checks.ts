import { quote } from '../../core/base/plain-text.ts'
import { serialKey } from '../../core/engagement/same.ts'
import {
  type Conclusion,
  type Context,
  type DraftObservation,
  defineCheck,
  unclearAbout,
} from '../../core/rules/check.ts'
import { cloudInit } from '../access/provider-access/probes.ts'
import { contradicts, count, decide, supports, unclear } from '../base/steps.ts'
import { hostSerials } from '../hardware/machine/identity.ts'
import { ageOfList } from '../operations/end-of-life/index.ts'
import { nonceEcho } from '../operations/evidence/probes.ts'
import { tpmPresence } from '../single-tenancy/boot-integrity/index.ts'
import { placeQuestion, policiesFor, policyQuestion, type Question, questionsOf } from './answers.ts'
import { type Bound, boundBy, timeSteps } from './bounds.ts'
import { type Delay, readDelay } from './discs.ts'
import { timezone, tpmTag } from './probes.ts'
import { cloudInitSignals, REGION_LIST, tpmTagSignals, zoneCountry } from './provider-signals.ts'
import type { Found } from './registry.ts'
import { rowsOf, siteRecordSignals } from './signals/site-record.ts'
import {
  LOCATION_WANTS,
  locationSignals,
  missedAbout,
  missedOfProvider,
  missedStatements,
  PROVIDER_WANTS,
  providerSignals,
} from './signals.ts'
import { type Asked, discOf, isWeighty, placeIndication, placeResult } from './verdict.ts'

export const locationRttBound = defineCheck({
  id: 'location.rtt-bound',
  property: 'location',
  expected: 'Round-trip time bounds the SSH responder within the declared place, by the speed of light.',
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
      verdict: VERDICTS[bound.indicates],
      observations: [...bound.because, ...timeSteps(delay, DIRECTIONS[bound.indicates])],
    }
  },
})

const VERDICTS: Readonly<Record<Bound['indicates'], Conclusion['verdict']>> = {
  inside: 'satisfied',
  outside: 'not-satisfied',
  undecided: 'inconclusive',
  empty: 'inconclusive',
  unusable: 'inconclusive',
}

const DIRECTIONS: Readonly<Record<Bound['indicates'], 'supports' | 'contradicts' | 'unclear'>> = {
  inside: 'supports',
  outside: 'contradicts',
  undecided: 'unclear',
  empty: 'unclear',
  unusable: 'unclear',
}

export const locationResidency = defineCheck({
  id: 'location.residency',
  property: 'location',
  expected: 'Round-trip time bounds the SSH responder within every area that the data-residency policies require.',
  limitations:
    'It bounds the holder of the SSH session keys, by land borders: territorial waters belong to no country here. It assumes the declared places of the measuring computers, and clocks there that are not slowed by more than 0.05 % during the measurement. A relay inside the area with a copy of the host key would respond the same way. Where data, replicas and backups are is not shown; their endpoints are listed separately.',
  requires: {},
  optional: { echo: nonceEcho, ...PROVIDER_WANTS },
  evaluate(_, { echo, ...facts }, context): Conclusion {
    const declared = context.location?.residency ?? []
    const policies = policiesFor(context.node.name, declared)
    if (policies.length === 0) return noCommitment(declared.length)
    if (!echo.ok) return decide(unclearAbout(nonceEcho, echo))
    const delay = readDelay(echo.fact, context)
    const questions = policies.map(policyQuestion)
    const bounds = questions.map((question) => boundBy(question, delay, context))
    const isInside = bounds.every(({ indicates }) => indicates === 'inside')
    const argued = decide([
      ...bounds.flatMap(({ because }) => because),
      ...providerSignals(facts).flatMap((signal) => statedOutside(signal, questions)),
      ...missedOfProvider(facts),
    ])
    // A vantage that was of no use next to others takes nothing away from what the others bound.
    return { ...argued, observations: [...argued.observations, ...timeSteps(delay, isInside ? 'supports' : 'unclear')] }
  },
})

/**
 * The fleet file is where a commitment is declared, so that a file without one for this node is itself the evidence that the question does
 * not arise; no capture of the node could make it arise, and none is needed for it.
 */
const noCommitment = (elsewhere: number): Conclusion => ({
  verdict: 'not-applicable',
  observations: [
    unclear(
      elsewhere === 0
        ? 'The declared scope has no data-residency policy, so no area is required. A contractual commitment that was not declared is not covered.'
        : `The declared scope has ${count(elsewhere, 'data-residency policy', 'data-residency policies')}, and none of them names this node. A commitment in a contract that was not declared is not covered.`,
      null,
    ),
  ],
})

/**
 * A statement signed by the provider about this machine contradicts; one that anyone else may have written only
 * leaves the result open.
 */
const statedOutside = (signal: Found, questions: readonly Question[]): readonly DraftObservation[] =>
  questions
    .filter(({ asked }) => !signal.hint && asked.ok && placeIndication(signal, asked.value) === 'outside')
    .map(({ title }): DraftObservation => {
      const { probe, commands } = signal
      const text = `${signal.text} That is outside ${quote(title)}.`
      const direction = signal.class === 'E2' ? 'contradicts' : 'unclear'
      return { direction, text, probe, ...(commands === undefined ? {} : { commands }) }
    })

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
    // The country of a region is read from a list, by the beginnings of names; a newer region may begin like an older
    // one.
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

export const locationTpmGeotag = defineCheck({
  id: 'location.tpm-geotag',
  property: 'location',
  expected: 'Traces of a location tag in the TPM of this server are recorded.',
  ends: 'recorded',
  limitations:
    'A recorded fact only: without a quote over a fresh nonce, signed by a key that the tag’s authority confirms, neither a register nor an index attests to anything. The tag itself is not read, and a TPM without traces is no evidence for or against a location.',
  requires: { registers: tpmPresence },
  optional: { tag: tpmTag },
  evaluate({ registers }, { tag }) {
    const traces = tpmTagSignals(tag, { ok: true, fact: registers })
    return {
      verdict: 'informational',
      observations: [
        ...traces.map(({ text, probe }) => supports(text, probe === tpmTag.id ? tpmTag : tpmPresence)),
        ...(traces.length === 0 ? [unclear('No trace of a location tag was seen in the TPM.', tpmPresence)] : []),
        ...unclearAbout(tpmTag, tag),
      ],
    }
  },
})

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

import type { LocationResult, Place, ResidencyPolicy } from '../../../schemas/types.ts'
import { millisOf } from '../../core/base/days.ts'
import { ok, type Result } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { FRESH_DAYS } from '../../core/conclusion/assess.ts'
import type { Region } from '../../core/geo/geodesy.ts'
import { largestInside } from '../../core/geo/relation.ts'
import type { Context } from '../../core/rules/check.ts'
import { areaName, type Delay, delayIndication, regionOfPolicy } from './discs.ts'
import { BORDERS, kilometres, listed, milliseconds, neededMilliseconds } from './peers.ts'
import type { Found } from './registry.ts'
import { type Asked, discOf, type PlaceResult, placeResult } from './verdict.ts'

/** A place or policy that a node is queried about, or why the policy names no area that can be compared with. */
export interface Question extends Pick<LocationResult, 'of' | 'title'> {
  readonly asked: Result<Asked, string>
}

/** The declared place first, then every policy that is for this node. */
export function questionsOf({ node, location }: Context): readonly Question[] {
  return [
    ...(node.location === undefined ? [] : [placeQuestion(node.location)]),
    ...policiesFor(node.name, location?.residency ?? []).map(policyQuestion),
  ]
}

export const placeQuestion = (place: Place): Question => ({
  of: 'declared-place',
  title: plain(place.name),
  asked: ok({ region: { kind: 'disc', disc: discOf(place) }, country: place.country }),
})

export const policiesFor = (node: string, policies: readonly ResidencyPolicy[]): readonly ResidencyPolicy[] =>
  policies.filter(({ nodes }) => nodes === undefined || nodes.includes(node))

/** Remembered: a polygon of a thousand corners takes long to look over, and policies are queried of every node. */
export function policyQuestion(policy: ResidencyPolicy): Question {
  const known = QUESTIONS.get(policy)
  if (known !== undefined) return known
  const region = regionOfPolicy(policy)
  const asked = region.ok ? ok({ region: region.value }) : region
  const question = { of: 'residency', title: policyTitle(policy), asked } as const
  QUESTIONS.set(policy, question)
  return question
}

const QUESTIONS = new WeakMap<ResidencyPolicy, Question>()

function policyTitle({ name, region, country, polygon }: ResidencyPolicy): string {
  if (name !== undefined) return plain(name)
  const codes = region === undefined ? (country ?? []) : [region]
  if (codes.length === 0) return `an area with ${polygon?.length ?? 0} corners`
  return plain(codes.map(areaName).join(', '))
}

/** The readings that results are derived from. */
interface Read {
  readonly delay: Delay
  readonly signals: readonly Found[]
  /** A sentence for each capture that is missing and could have named another place. */
  readonly unread: readonly string[]
}

/**
 * The result for one place, in words that state no more than was observed and who states the rest. Agreement counts only where nothing that
 * could have disagreed is missing; a bound by light holds whatever else would have been stated.
 */
export function answerOf(question: Question, { delay, signals, unread }: Read, context: Context): LocationResult {
  const { of, title } = question
  if (!question.asked.ok)
    return {
      of,
      title,
      result: 'undetermined',
      delay: 'unusable',
      text: `${quote(title)} names no area for comparison: ${question.asked.error}.`,
      signals: signals.map(({ id }) => ({ id, indicates: 'silent' })),
      needed: null,
    }
  const { value: asked } = question.asked
  const found = placeResult(asked, delay, signals, context)
  const isOpen = unread.length > 0 && found.verdict === 'corroborated'
  const judged: PlaceResult = isOpen ? { ...found, verdict: 'uncorroborated' } : found
  const needed = neededFor(asked, delay, context)
  const tooOld = SUPPORTS.has(judged.verdict) && isStale(context)
  const result = tooOld ? 'undetermined' : judged.verdict
  return {
    of,
    title,
    result,
    delay: judged.delay === 'empty' ? 'unusable' : judged.delay,
    text: tooOld ? TOO_OLD : `${textOf(title, asked, judged, { delay, signals, needed })}${missing(result, unread)}`,
    signals: judged.indications,
    needed,
  }
}

const missing = (verdict: string, unread: readonly string[]): string =>
  unread.length > 0 && SUPPORTS.has(verdict)
    ? ` Evidence that could name another place is missing: ${unread.join(' ')}`
    : ''

const SUPPORTS: ReadonlySet<string> = new Set(['bounded', 'corroborated', 'uncorroborated'])
const DAY_MS = 86_400_000
const TOO_OLD = `The recording is more than ${FRESH_DAYS} days old, or dated after the evaluation date; it supports no location as of that date.`

function isStale({ asOf, observedAt }: Context): boolean {
  const days = Math.floor((millisOf(asOf) - millisOf(observedAt)) / DAY_MS)
  return !(days >= 0 && days <= FRESH_DAYS)
}

/** From the vantage that has most room around it: the longest round trip that would still bound the answering party inside. */
export function neededFor({ region }: Asked, { discs }: Delay, { node }: Context): LocationResult['needed'] {
  const vantages = [...(node.vantage === undefined ? [] : [node.vantage]), ...discs.map(({ vantage }) => vantage)]
  const times = vantages.map((vantage) => {
    const room = roomInside(vantage, region)
    return {
      vantage: vantage.name,
      milliseconds: room === null ? 0 : cutToMicroseconds(neededMilliseconds(room, vantage.radiusKm)),
    }
  })
  const [most] = times.sort((a, b) => b.milliseconds - a.milliseconds)
  return most !== undefined && most.milliseconds > 0 ? most : null
}

/** Times are reported in microseconds: rounded down, so that the one that is reported bounds it, too. */
const cutToMicroseconds = (time: number): number => Math.floor(time * 1000) / 1000

/** A fleet has few vantages and policies and many nodes; borders are long. Remembered by what it depends on and nothing else. */
function roomInside({ latitude, longitude }: Place, region: Region): number | null {
  const key = JSON.stringify([latitude, longitude, region])
  const known = ROOMS.get(key)
  if (known !== undefined) return known
  const room = largestInside({ latitude, longitude }, region, BORDERS)
  if (ROOMS.size >= MOST_ROOMS) ROOMS.clear()
  ROOMS.set(key, room)
  return room
}

const ROOMS = new Map<string, number | null>()
const MOST_ROOMS = 1000

interface Matter {
  readonly delay: Delay
  readonly signals: readonly Found[]
  readonly needed: LocationResult['needed']
}

function textOf(title: string, asked: Asked, judged: PlaceResult, matter: Matter): string {
  const place = quote(title)
  const who = (indicates: 'inside' | 'outside'): string =>
    matter.signals
      .filter((signal, at) => !signal.hint && judged.indications[at]?.indicates === indicates)
      .map(({ text }) => text)
      .join(' ')
  switch (judged.verdict) {
    case 'contradicted':
      return judged.delay === 'outside'
        ? `The SSH responder is not in ${place}: ${excluding(asked, matter.delay)}.`
        : `A signed statement names a place outside ${place}. ${signed(judged, matter.signals)}`
    case 'conflicting':
      return `No round-trip time contradicts ${place}, but a statement names another place: ${who('outside')} ${who('inside') === '' ? 'No evidence agrees with it.' : `Others agree with it: ${who('inside')}`} Review by a person is needed.`
    case 'bounded':
      return `The SSH responder (holder of the session keys) is inside ${place}: ${reached(matter.delay)}, and every point within that distance is inside. A relay there with a copy of the host key would respond the same way.`
    case 'corroborated':
      return `The observations are consistent with ${place}, as with every other place within the distance bound: the round-trip times do not exclude it (${reached(matter.delay)}), and statements of different kinds agree. ${who('inside')}`
    case 'uncorroborated':
      return `Location in ${place} is only asserted; no round-trip time bounds it: ${who('inside')} ${neededText(matter.needed)}`
    case 'undetermined':
      return `${unverified(judged)} ${neededText(matter.needed)}`
  }
}

const signed = ({ indications }: PlaceResult, signals: readonly Found[]): string =>
  signals
    .filter(
      (signal, at) =>
        (signal.class === 'E2' || signal.class === 'E3') && !signal.hint && indications[at]?.indicates === 'outside',
    )
    .map(({ text }) => text)
    .join(' ')

const unverified = ({ delay }: PlaceResult): string =>
  delay === 'empty'
    ? 'The times of the vantage points exclude each other, so at least one of them is wrong; this is no evidence against the node.'
    : delay === 'undecided'
      ? 'The times neither exclude it nor bound it inside, and no evidence shows where the node is.'
      : 'There is no usable round-trip time, and no evidence shows where the node is.'

export const neededText = (needed: LocationResult['needed']): string =>
  needed === null
    ? 'No round trip from a declared vantage point would bound it inside; one within the area is needed.'
    : `A round trip of ${milliseconds(needed.milliseconds)} or less from ${quote(needed.vantage)} would bound it inside.`

interface Reach {
  readonly vantage: string
  readonly milliseconds: number
  readonly reachKm: number
  readonly center: Place
}

const reaches = ({ discs }: Delay): readonly Reach[] =>
  discs.flatMap(({ vantage, milliseconds: time, maxDistanceKm }) =>
    time === null || maxDistanceKm === null
      ? []
      : [{ vantage: vantage.name, milliseconds: time, reachKm: maxDistanceKm, center: vantage }],
  )

/** The times that miss a place, named: the one that misses it on its own, or all that miss it together. */
function excluding({ region }: Asked, delay: Delay): string {
  const alone = reaches(delay).filter(
    ({ center, reachKm }) =>
      delayIndication({ ...delay, usable: [{ center, radiusKm: reachKm }] }, region) === 'outside',
  )
  const [nearest] = [...alone].sort((a, b) => a.reachKm - b.reachKm)
  if (nearest !== undefined)
    return `the second fastest round trip from ${quote(nearest.vantage)} took ${milliseconds(nearest.milliseconds)}, so the SSH responder is at most ${kilometres(nearest.reachKm)} away, and no part of the place is that near`
  return `${reached(delay)}, and the area common to these excludes it`
}

/** The reaches of a node’s times in one clause; of many, the three shortest and the names of the rest. */
function reached(delay: Delay): string {
  const [first, second, third, ...rest] = [...reaches(delay)].sort((a, b) => a.reachKm - b.reachKm)
  const shown = [first, second, third].flatMap((one) =>
    one === undefined
      ? []
      : [`at most ${kilometres(one.reachKm)} from ${quote(one.vantage)} (${milliseconds(one.milliseconds)})`],
  )
  return `${shown.join(', ')}${rest.length === 0 ? '' : `, and similarly from ${listed(rest.map(({ vantage }) => vantage))}`}`
}

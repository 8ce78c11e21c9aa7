import type {
  DistanceBound,
  PathTiming,
  Place,
  ResidencyPolicy,
  VantageMeasurement,
  VantageRecord,
} from '../../../schemas/types.ts'
import { millisOf } from '../../core/base/days.ts'
import { err, ok, type Result } from '../../core/base/failure.ts'
import { quote } from '../../core/base/plain-text.ts'
import { FRESH_DAYS } from '../../core/conclusion/assess.ts'
import { LARGEST_VANTAGE_ERROR_KM } from '../../core/fleet/vantage.ts'
import type { Disc, Region } from '../../core/geo/geodesy.ts'
import { polygonProblem, relate } from '../../core/geo/relation.ts'
import type { Context } from '../../core/rules/check.ts'
import { count } from '../base/steps.ts'
import type { NonceEcho } from '../operations/evidence/probes.ts'
import data from './countries.json' with { type: 'json' }
import {
  BORDERS,
  EVERYWHERE_KM,
  farthestKm,
  kilometres,
  LIGHT_KM_PER_MS,
  milliseconds,
  settledTime,
  type Timed,
} from './peers.ts'

/**
 * What the round-trip times of one node show about the possible location of the responding machine: it lies in the
 * intersection of all usable discs.
 */
export interface Delay {
  readonly discs: readonly DistanceBound[]
  readonly usable: readonly Disc[]
  /**
   * Whether they may support a place. Where the collection’s own times would count and are missing, the others only exclude: a capture
   * that is taken away must not leave a better result than it would have given. Where the collecting machine has no declared place, its
   * times never counted, and nothing is missing.
   */
  readonly bounds: boolean
  readonly notes: readonly string[]
}

/** `empty`: the times contradict each other. `unusable`: there is none. */
export type DelayIndication = 'inside' | 'outside' | 'undecided' | 'empty' | 'unusable'

/** Two thirds of the speed of light in vacuum: what fibre usually carries. Drawn only. */
const IN_FIBRE = 2 / 3
const DAY_MS = 86_400_000

/**
 * The discs of a node: from the round-trip times of its own collection, where the place of the collecting computer
 * was declared, and from signed records of other computers that measured the same host key. `echo` is null where the
 * collection has no times.
 */
export function readDelay(echo: NonceEcho | null, context: Context): Delay {
  const own = ownTimes(echo, context)
  const recorded = (context.location?.vantages ?? []).flatMap((record) => {
    const measured = byNode(record).get(context.node.name)
    return measured === undefined ? [] : [recordedTimes(record, measured, context)]
  })
  const read = [own, ...recorded]
  const discs = read.flatMap(({ disc }) => disc ?? [])
  return {
    discs,
    usable: discs.flatMap(({ vantage, maxDistanceKm }) =>
      maxDistanceKm === null ? [] : [{ center: vantage, radiusKm: maxDistanceKm }],
    ),
    bounds: echo !== null || context.node.vantage === undefined,
    notes: [...new Set(read.flatMap(({ notes }) => notes))],
  }
}

/**
 * Uses the first entry where a record lists a node twice, which none of our tools writes. Indexed, because every
 * check of every node looks here.
 */
function byNode(record: VantageRecord): ReadonlyMap<string, VantageMeasurement> {
  const known = BY_NODE.get(record)
  if (known !== undefined) return known
  const made = new Map<string, VantageMeasurement>()
  for (const one of record.measurements) if (!made.has(one.node)) made.set(one.node, one)
  BY_NODE.set(record, made)
  return made
}

const BY_NODE = new WeakMap<VantageRecord, ReadonlyMap<string, VantageMeasurement>>()

/** Position of the intersection of all discs relative to a region. */
export function delayIndication({ usable, bounds }: Delay, region: Region): DelayIndication {
  if (usable.length === 0) return 'unusable'
  const relation = relate(usable, region, BORDERS)
  return bounds || relation === 'outside' || relation === 'empty' ? relation : 'unusable'
}

interface Times {
  readonly disc: DistanceBound | null
  readonly notes: readonly string[]
}

const noted = (...notes: readonly string[]): Times => ({ disc: null, notes })

function ownTimes(echo: NonceEcho | null, { node: { vantage } }: Context): Times {
  if (vantage === undefined)
    return noted(
      'The place of the collecting machine was not declared, so that its times are no evidence of a location.',
    )
  if (echo === null)
    return noted('The collection itself has no times; measurements of others can only exclude a place.')
  const at = echo.bursts[0]?.at ?? null
  return { disc: discOf({ vantage, record: null, signer: null, at }, echo, echo.path), notes: [] }
}

function recordedTimes(
  record: VantageRecord,
  measured: VantageMeasurement,
  { asOf, hostKey, demo = false }: Context,
): Times {
  const { at, echo, path } = measured
  const by = `The record ${quote(record.id)} from ${quote(record.vantage.name)}`
  const age = millisOf(asOf) - millisOf(at)
  if (record.demo !== demo)
    return noted(
      record.demo
        ? `${by} is not used: it is from a demonstration, and this recording is not.`
        : `${by} is not used: this recording is from a demonstration, and it is not.`,
    )
  if (echo === null)
    return noted(
      `${by} has no times of this node${measured.failure === null ? '' : `: ${quote(measured.failure.code)}`}.`,
    )
  if (hostKey === undefined) return noted(`${by} is not used: this recording names no host key to compare with.`)
  if (measured.hostKey !== hostKey)
    return noted(
      `${by} is not used: another host key was presented there, so the responder was another machine or an intermediate system.`,
    )
  if (!(age >= 0)) return noted(`${by} is not used: it timed this node at ${at}, after ${asOf}.`)
  if (age > FRESH_DAYS * DAY_MS)
    return noted(`${by} is not used: it timed this node at ${at}, more than ${FRESH_DAYS} days before ${asOf}.`)
  const from = { vantage: record.vantage, record: record.id, signer: record.signature.fingerprint, at }
  return { disc: discOf(from, echo, path), notes: [] }
}

function discOf(
  from: Pick<DistanceBound, 'vantage' | 'record' | 'signer' | 'at'>,
  timed: Timed,
  path: PathTiming | null,
): DistanceBound {
  const { vantage, record } = from
  const beside = { tcpMs: path?.tcpMs ?? null, keepaliveMs: smallest(path?.keepaliveMs ?? []) }
  const place = `${quote(vantage.name)}, declared to within ${vantage.radiusKm} km by ${quote(vantage.declaredBy)}`
  const intro = record === null ? `From ${place}` : `By the record ${quote(record)}, from ${place}`
  const timing = settledTime(timed)
  const without = (text: string): DistanceBound => ({
    ...from,
    ...beside,
    milliseconds: null,
    samples: timing.ok ? timing.samples : timed.bursts.reduce((sum, { samples }) => sum + samples.length, 0),
    maxDistanceKm: null,
    estimateKm: null,
    text,
  })
  const vague = tooVague(vantage)
  if (vague !== null) return without(`${intro}: ${vague}.`)
  if (!timing.ok) return without(`${intro}: the round trips are not usable: ${timing.reason}.`)
  const maxDistanceKm = farthestKm(timing.milliseconds, vantage.radiusKm)
  return {
    ...from,
    ...beside,
    milliseconds: timing.milliseconds,
    samples: timing.samples,
    maxDistanceKm,
    estimateKm: (timing.milliseconds / 2) * LIGHT_KM_PER_MS * IN_FIBRE + vantage.radiusKm,
    text: `${intro}: the second fastest of ${count(timing.samples, 'nonce')} came back in ${milliseconds(timing.milliseconds)}; at the speed of light in vacuum, straight through the earth, the SSH responder ${maxDistanceKm >= EVERYWHERE_KM ? 'can be anywhere' : `is at most ${kilometres(maxDistanceKm)} away`}.`,
  }
}

const tooVague = ({ radiusKm }: Place): string | null =>
  radiusKm <= LARGEST_VANTAGE_ERROR_KM
    ? null
    : `times from there bound nothing, since ${LARGEST_VANTAGE_ERROR_KM} km or better is needed`

const smallest = (times: readonly number[]): number | null => (times.length === 0 ? null : Math.min(...times))

/** A group of countries that a policy may name. */
interface CountryGroup {
  /** As it is in a sentence. */
  readonly title: string
  /** The states, and the territories that belong to it under codes of their own. */
  readonly codes: readonly string[]
  readonly source: string
}

const NAMES: Readonly<Record<string, string>> = data.names

/** The names and groups, with the day on which the groups were as they are here. */
export const COUNTRY_LIST: typeof data = data

/** The groups that a policy may name instead of a country. */
export const GROUPS: Readonly<Record<string, CountryGroup>> = Object.fromEntries(
  Object.entries(data.groups).map(([code, { title, codes, with: also, source }]) => [
    code,
    { title, codes: [...codes, ...also].sort(), source },
  ]),
)

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** Whether the code is one of ISO 3166-1, or XK, which the European Union uses for Kosovo. */
export const isCountry = (code: string): boolean => own(NAMES, code) !== undefined

/** The short English name of a country, for people; the code itself where there is none. */
export const countryName = (code: string): string => own(NAMES, code) ?? code

/** A country or a group as a policy names it, for people: of a group, on which day its members were these. */
export function areaName(named: string): string {
  const code = codeOf(named)
  const group = own(GROUPS, code)
  return group === undefined ? countryName(code) : `${group.title} as of ${data.asOf}`
}

const codeOf = (named: string): string => named.trim().toUpperCase()

/** The part of the world that a policy demands, or why it names none. */
export function regionOfPolicy(policy: ResidencyPolicy): Result<Region, string> {
  const given = (['region', 'country', 'polygon'] as const).filter((key) => policy[key] !== undefined)
  const [kind] = given
  if (kind === undefined) return err('it names no place: one of region, country, polygon is needed')
  if (given.length > 1) return err(`it names ${given.join(' and ')}: only one of them may be in a policy`)
  if (kind === 'polygon') return polygonOf(policy.polygon ?? [])
  return countriesOf(kind === 'region' ? [policy.region ?? ''] : (policy.country ?? []))
}

function countriesOf(named: readonly string[]): Result<Region, string> {
  const codes = new Set<string>()
  for (const name of named) {
    const code = codeOf(name)
    const group = own(GROUPS, code)
    if (group === undefined && !isCountry(code))
      return err(
        `“${name}” is no country code of ISO 3166-1${code === 'UK' ? ' (the United Kingdom is GB)' : ''}, and no group of countries: ${Object.keys(GROUPS).join(', ')}`,
      )
    for (const member of group?.codes ?? [code]) codes.add(member)
  }
  return codes.size === 0 ? err('it names no country') : ok({ kind: 'countries', codes: [...codes].sort() })
}

function polygonOf(pairs: readonly (readonly number[])[]): Result<Region, string> {
  const corners = pairs.map(([latitude, longitude]) => ({
    latitude: latitude ?? Number.NaN,
    longitude: longitude ?? Number.NaN,
  }))
  const problem = polygonProblem(corners)
  return problem === null ? ok({ kind: 'polygon', corners }) : err(problem)
}

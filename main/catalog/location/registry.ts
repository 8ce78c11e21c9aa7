import type { AddressAnswer, AddressDatabase, FrontEnd, PathTiming } from '../../../schemas/types.ts'
import { millisOf } from '../../core/base/days.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { publicAddress } from '../../core/geo/addresses.ts'
import { type Probe, unknown } from '../../core/recording/probe.ts'
import { compare } from '../../core/recording/recording.ts'
import type { LocationArgument } from '../../core/rules/catalog.ts'
import type { Context } from '../../core/rules/check.ts'
import { networkConnections } from '../data-protection/network/flows.ts'
import { nonceEcho } from '../operations/evidence/probes.ts'
import {
  ADDRESS_WANTS,
  type AddressFacts,
  type DataPeer,
  dataPeers,
  type OwnAddress,
  publicAddresses,
  type Timing,
} from './peers.ts'

/** One statement of where a node is, before it cites captures. */
export type Found = LocationArgument['signals'][number]

/** The statement of a party that administers the node or its network: a country at most, never a point on the map. */
export const asserted = (
  id: string,
  country: string | null,
  text: string,
  probe: Probe<unknown>,
  ...commands: readonly string[]
): Found => ({
  id,
  class: 'E5',
  hint: false,
  country,
  place: null,
  text,
  probe: probe.id,
  ...(commands.length === 0 ? {} : { commands }),
})

/** Something that anyone can choose, such as a name: shown, and counted nowhere. */
export const hinted = (...stated: Parameters<typeof asserted>): Found => ({ ...asserted(...stated), hint: true })

const DAY_MS = 86_400_000
/** Addresses are sold and moved: what a database reports about a year ago concerns nothing today. */
const OLDEST_DAYS = 366

/** How old its data is at a moment, in whole days; null where no one stated about which day it is. */
const ageInDays = ({ builtOn }: Pick<AddressDatabase, 'builtOn'>, asOf: string): number | null => {
  const days =
    builtOn === null ? Number.NaN : Math.floor((millisOf(asOf) - millisOf(`${builtOn}T00:00:00.000Z`)) / DAY_MS)
  return Number.isNaN(days) ? null : days
}

/** Whether its data counts at a moment. Of an unknown day it does not: leaving the day out must not make it count for more. */
function isCurrent(database: Pick<AddressDatabase, 'builtOn'>, asOf: string): boolean {
  const days = ageInDays(database, asOf)
  return days !== null && days >= 0 && days <= OLDEST_DAYS
}

/**
 * The source of a database, as far as two databases can be distinguished: the same file is one source under any name;
 * names are compared without case; all databases without a stated source count as one.
 */
function sourceOf(database: AddressDatabase, databases: readonly AddressDatabase[]): string {
  const { provenance, file } = databases.find((other) => other.file.sha256 === database.file.sha256) ?? database
  const name = provenance.trim().replace(/\s+/g, ' ').toLowerCase()
  return name === file.name.trim().toLowerCase() ? '' : name
}

/** Responses by address; a database is never changed once it was queried, and every node looks into it. */
function answersOf(database: AddressDatabase): ReadonlyMap<string, AddressAnswer> {
  const known = ANSWERS.get(database)
  if (known !== undefined) return known
  const made = new Map(database.answers.map((answer) => [answer.address, answer]))
  ANSWERS.set(database, made)
  return made
}

const ANSWERS = new WeakMap<AddressDatabase, ReadonlyMap<string, AddressAnswer>>()

/** What one database states about the country of one address. */
export interface StatedCountry {
  /** As `sourceOf` shows it. */
  readonly source: string
  readonly country: string
  /** The database with its date and digest. */
  readonly text: string
}

/** Every database of a day that counts that names a country for the address, itself or the IPv4 address that it carries; none for one that is not public. */
export function countriesOf(
  address: string,
  databases: readonly AddressDatabase[],
  asOf: string,
): readonly StatedCountry[] {
  const subject = publicAddress(address)?.address.text
  if (subject === undefined) return []
  const current = databases.filter((database) => isCurrent(database, asOf))
  return current.flatMap((database): readonly StatedCountry[] => {
    const { type, provenance, builtOn, file } = database
    const { country = null, level } = answersOf(database).get(subject) ?? {}
    if (country === null || level === 'none') return []
    const text = `${quote(type)} by ${quote(provenance)}, of ${builtOn} (SHA-256 ${file.sha256.slice(0, 12)}…), has ${quote(subject)} in ${country}.`
    return [{ source: sourceOf(database, databases), country, text }]
  })
}

/**
 * Claims of others against allowed countries. Decided only by two databases of different provenance that agree, with no one against them:
 * such databases copy each other, and are often wrong.
 */
export function databasesIndicate(
  stated: readonly StatedCountry[],
  isAllowed: (country: string) => boolean,
): 'inside' | 'outside' | 'undecided' {
  const by = (allowed: boolean): number =>
    new Set(stated.filter(({ country }) => isAllowed(country) === allowed).map(({ source }) => source)).size
  const [inside, outside] = [by(true), by(false)]
  if (inside >= 2 && outside === 0) return 'inside'
  return outside >= 2 && inside === 0 ? 'outside' : 'undecided'
}

/** Readings of which only some are examined. */
export const onlyFacts = (facts: Partial<AddressFacts>): AddressFacts => ({ ...UNREAD, ...facts })

const UNREAD = Object.fromEntries(
  Object.keys(ADDRESS_WANTS).map((name) => [name, unknown('this is not evaluated here')]),
) as unknown as AddressFacts

/** In milliseconds. Servers take a little time to respond and lines vary, so a smaller difference is no evidence. */
const LEAST_GAP_MS = 5
const JITTERS = 3

/**
 * How much longer the echo took, which only the holder of the session keys can answer, than opening the TCP
 * connection, which anything at the address can accept. A gap beyond the limit indicates that something nearer than
 * the node accepts connections in its place. It bounds nothing, and its absence shows nothing. Null where there is no
 * echo to compare, or where a jump host opened the connection.
 */
export function frontEnd(timing: Timing, path: PathTiming | null): FrontEnd | null {
  if (!timing.ok || path === null || path.tcpMs === null || path.jumps > 0) return null
  const gapMs = timing.milliseconds - path.tcpMs
  const allowedMs = Math.max(LEAST_GAP_MS, JITTERS * timing.jitterMs)
  return { echoMs: timing.milliseconds, tcpMs: path.tcpMs, gapMs, allowedMs, exceeds: gapMs > allowedMs }
}

const ID = 'registry'
/** Data that is older than this is reported to be: addresses are sold and moved. */
const FRESH_DAYS = 60
/** City databases are at best right to within a town and its surroundings, whatever they report about themselves. */
const LEAST_RADIUS_KM = 50

const PROBES: Readonly<Record<OwnAddress['how'], string | null>> = {
  reached: nonceEcho.id,
  declared: null,
  own: networkConnections.id,
}

const HOW: Readonly<Record<OwnAddress['how'], string>> = {
  reached: 'the address that the connection reached',
  declared: 'the address in the fleet file',
  own: 'an address of the node’s own sockets',
}

/**
 * What address databases state about a node’s public addresses: where they are registered or used, never where a
 * cable ends. Anycast, tunnels and front ends show another place. The party that administers a node can assign any
 * address to its sockets, so those are hints; so are databases whose date is long past, in the future, or unknown.
 */
export function registrySignals(facts: AddressFacts, context: Context): readonly Found[] {
  const databases = context.location?.databases ?? []
  if (databases.length === 0) return []
  return publicAddresses(facts, context).flatMap((own, number) => {
    const answers = databases.map((database) => answersOf(database).get(own.address.text) ?? null)
    const sources = new Set(
      databases.flatMap((database, at) => (answers[at]?.country ? [sourceOf(database, databases)] : [])),
    )
    return databases.flatMap((database, at): readonly Found[] => {
      const answer = answers[at] ?? null
      if (answer === null || answer.level === 'none') return []
      return [
        {
          id: `${ID}.${at + 1}${number === 0 ? '' : `.${number + 1}`}`,
          class: 'E4',
          hint: own.how === 'own' || !isCurrent(database, context.asOf),
          country: answer.country,
          place: placeIn(answer, database),
          text: `${sourceText(own, answer, database)}${limitsOf(answer, database, sources.size < 2, context)}`,
          probe: PROBES[own.how],
        },
      ]
    })
  })
}

/** Whose data a signal of this kind is from, as `sourceOf` shows it, and about which of the addresses; null for other signals. */
export function registryOf(
  id: string,
  { location }: Pick<Context, 'location'>,
): { readonly source: string; readonly address: number } | null {
  const [, place, address = '1'] = /^registry\.(\d+)(?:\.(\d+))?$/.exec(id) ?? []
  const databases = location?.databases ?? []
  const database = databases[Number(place) - 1]
  return database === undefined ? null : { source: sourceOf(database, databases), address: Number(address) }
}

const nameOf = ({ provenance, type, file, builtOn }: AddressDatabase): string =>
  `${quote(provenance)} (${[
    quote(type),
    quote(file.name),
    builtOn === null ? 'of an unknown day' : `of ${plain(builtOn)}`,
    `SHA-256 ${plain(file.sha256.slice(0, 16))}…`,
  ].join(', ')})`

function sourceText({ address, via, how }: OwnAddress, answer: AddressAnswer, database: AddressDatabase): string {
  const inside = via === null ? '' : `, which an IPv6 address carries (${via})`
  const subject = `${address.text}${inside}, ${HOW[how]},`
  const operator = [
    answer.asn === null ? '' : `AS${answer.asn}`,
    answer.organisation === null ? '' : quote(answer.organisation),
  ]
    .filter((part) => part !== '')
    .join(' ')
  if (answer.country === null)
    return `${nameOf(database)} gives the operator of ${subject} as ${operator}; an operator is not a location.`
  const place = answer.level === 'city' ? `${quote(answer.city ?? '')}, ${answer.country}` : answer.country
  return `${nameOf(database)} places ${subject} in ${place}${operator === '' ? '' : `, operated by ${operator}`}.`
}

function limitsOf(answer: AddressAnswer, database: AddressDatabase, alone: boolean, { asOf }: Context): string {
  const days = ageInDays(database, asOf)
  return [
    answer.level === 'country' && answer.network !== null
      ? ` The network is ${plain(answer.network)}; the result is valid for the country only.`
      : '',
    days !== null && days > FRESH_DAYS
      ? ` Its data is ${days} days old at the evaluation time; addresses move${isCurrent(database, asOf) ? '' : ', and it is not counted'}.`
      : '',
    days === null ? ' Data of an unknown day is not counted.' : '',
    days !== null && days < 0 ? ' Its data is dated after this moment, and is not counted.' : '',
    alone && answer.country !== null
      ? ' No source of another provenance places this address, so it is not confirmed.'
      : '',
  ].join('')
}

function placeIn(answer: AddressAnswer, { provenance }: AddressDatabase): Found['place'] {
  const { level, latitude, longitude, country, city, radiusKm } = answer
  if (level !== 'city' || latitude === null || longitude === null || country === null) return null
  return {
    name: plain(city ?? country).slice(0, 200),
    country,
    latitude,
    longitude,
    radiusKm: Math.max(radiusKm ?? LEAST_RADIUS_KM, LEAST_RADIUS_KM),
    declaredBy: plain(provenance).slice(0, 200),
  }
}

const MOST_NAMED = 6
const WHAT: Readonly<Record<DataPeer['what'], string>> = {
  connection: 'a connection',
  mount: 'a mounted file system',
  drive: 'a drive over iSCSI',
  log: 'a log receiver',
}

/**
 * Where address databases place the peers of a node: one reading at one time, which does not limit what was sent
 * before or elsewhere. Empty without a database.
 */
export function egressNotes(facts: AddressFacts, { location }: Pick<Context, 'location'>): readonly string[] {
  const databases = location?.databases ?? []
  if (databases.length === 0) return []
  const peers = dataPeers(facts)
  const addresses = [...new Set(peers.flatMap(({ address }) => address?.text ?? []))]
  const names = peers.filter(({ isName }) => isName)
  const unasked = addresses.filter((text) => databases.every((database) => !answersOf(database).has(text)))
  return [
    ...(addresses.length === 0
      ? ['No public address was among the peers of its data at this moment.']
      : databases.map((database) => egressBy(database, peers, addresses))),
    ...(unasked.length === 0
      ? []
      : [
          `No database was queried for ${unasked.length} of ${addresses.length} public peers: too many, or of a family that none holds.`,
        ]),
    ...(names.length === 0
      ? []
      : [
          `Peers given by name, not by address, were not looked up: ${listOf(names.map(({ host, what }) => `${quote(host)} (${WHAT[what]})`))}.`,
        ]),
  ]
}

function egressBy(database: AddressDatabase, peers: readonly DataPeer[], addresses: readonly string[]): string {
  const byCountry = new Map<string, string[]>()
  for (const text of addresses) {
    const country = answersOf(database).get(text)?.country ?? 'no country'
    byCountry.set(country, [...(byCountry.get(country) ?? []), text])
  }
  const counts = [...byCountry]
    .sort(([a, many], [b, few]) => few.length - many.length || compare(a, b))
    .map(([country, texts]) => {
      const uses = texts.map(
        (text) => `${text}, ${WHAT[peers.find(({ address }) => address?.text === text)?.what ?? 'connection']}`,
      )
      return `${country} ${texts.length} (${listOf(uses, 3)})`
    })
  return `Public peers of its data, by ${nameOf(database)}: ${counts.join('; ')}.`
}

const listOf = (parts: readonly string[], most = MOST_NAMED): string =>
  `${parts.slice(0, most).join('; ')}${parts.length > most ? `; and ${parts.length - most} more` : ''}`

import type { AddressAnswer, AddressDatabase } from '../../../schemas/types.ts'
import { publicAddress } from '../../core/geo/addresses.ts'
import { quote } from '../../core/plain-text.ts'
import { unknown } from '../../core/probe.ts'
import { millisOf } from '../../core/register/days.ts'
import { ADDRESS_WANTS, type AddressFacts } from './peers.ts'

const DAY_MS = 86_400_000
/** Addresses are sold and moved: what a database reports about a year ago concerns nothing today. */
const OLDEST_DAYS = 366

/** How old its data is at a moment, in whole days; null where no one stated about which day it is. */
export const ageInDays = ({ builtOn }: Pick<AddressDatabase, 'builtOn'>, asOf: string): number | null => {
  const days =
    builtOn === null ? Number.NaN : Math.floor((millisOf(asOf) - millisOf(`${builtOn}T00:00:00.000Z`)) / DAY_MS)
  return Number.isNaN(days) ? null : days
}

/** Whether its data counts at a moment. Of an unknown day it does not: leaving the day out must not make it count for more. */
export function isCurrent(database: Pick<AddressDatabase, 'builtOn'>, asOf: string): boolean {
  const days = ageInDays(database, asOf)
  return days !== null && days >= 0 && days <= OLDEST_DAYS
}

/**
 * Whose data it is, as far as two databases can be distinguished: the same file is one source under whatever names, names know no case, and
 * all of which no one stated whose they are count as one.
 */
export function sourceOf(database: AddressDatabase, databases: readonly AddressDatabase[]): string {
  const { provenance, file } = databases.find((other) => other.file.sha256 === database.file.sha256) ?? database
  const name = provenance.trim().replace(/\s+/g, ' ').toLowerCase()
  return name === file.name.trim().toLowerCase() ? '' : name
}

/** Responses by address; a database is never changed once it was queried, and every node looks into it. */
export function answersOf(database: AddressDatabase): ReadonlyMap<string, AddressAnswer> {
  const known = ANSWERS.get(database)
  if (known !== undefined) return known
  const made = new Map(database.answers.map((answer) => [answer.address, answer]))
  ANSWERS.set(database, made)
  return made
}
const ANSWERS = new WeakMap<AddressDatabase, ReadonlyMap<string, AddressAnswer>>()

/** What one database reports about the country of one address. */
export interface CountrySaid {
  /** As `sourceOf` shows it. */
  readonly source: string
  readonly country: string
  /** Which database states this, of which day, and its digest. */
  readonly text: string
}

/** Every database of a day that counts that names a country for the address, itself or the IPv4 address that it carries; none for one that is not public. */
export function countriesOf(
  address: string,
  databases: readonly AddressDatabase[],
  asOf: string,
): readonly CountrySaid[] {
  const subject = publicAddress(address)?.address.text
  if (subject === undefined) return []
  const current = databases.filter((database) => isCurrent(database, asOf))
  return current.flatMap((database): readonly CountrySaid[] => {
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
export function databasesSay(
  said: readonly CountrySaid[],
  isAllowed: (country: string) => boolean,
): 'inside' | 'outside' | 'undecided' {
  const by = (allowed: boolean): number =>
    new Set(said.filter(({ country }) => isAllowed(country) === allowed).map(({ source }) => source)).size
  const [inside, outside] = [by(true), by(false)]
  if (inside >= 2 && outside === 0) return 'inside'
  return outside >= 2 && inside === 0 ? 'outside' : 'undecided'
}

/** Readings of which only some are examined. */
export const onlyFacts = (facts: Partial<AddressFacts>): AddressFacts => ({ ...UNREAD, ...facts })

const UNREAD = Object.fromEntries(
  Object.keys(ADDRESS_WANTS).map((name) => [name, unknown('this is not evaluated here')]),
) as unknown as AddressFacts

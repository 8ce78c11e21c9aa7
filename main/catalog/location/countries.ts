import type { ResidencyPolicy } from '../../../schemas/types.ts'
import { polygonProblem } from '../../core/geo/polygon.ts'
import type { Region } from '../../core/geo/region.ts'
import { err, ok, type Result } from '../../core/result.ts'
import data from './countries.json' with { type: 'json' }

/** A group of countries that a policy may name. */
export interface CountryGroup {
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

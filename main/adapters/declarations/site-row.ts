import type { SiteRow } from '../../../schemas/types.ts'
import { oneLine, quote } from '../../core/base/plain-text.ts'
import { serialKey } from '../../core/engagement/same.ts'

/** Codes that ICU names and that denote no country. */
const NO_COUNTRY = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'])

/** Other common names, letters only: ISO 3166-1 alpha-3 codes of countries with many data centers, and short forms. */
const USUAL: Readonly<Record<string, string>> = {
  usa: 'US',
  unitedstatesofamerica: 'US',
  uk: 'GB',
  gbr: 'GB',
  greatbritain: 'GB',
  deu: 'DE',
  deutschland: 'DE',
  fra: 'FR',
  nld: 'NL',
  thenetherlands: 'NL',
  can: 'CA',
  irl: 'IE',
  swe: 'SE',
  nor: 'NO',
  fin: 'FI',
  dnk: 'DK',
  isl: 'IS',
  che: 'CH',
  aut: 'AT',
  bel: 'BE',
  lux: 'LU',
  esp: 'ES',
  prt: 'PT',
  ita: 'IT',
  pol: 'PL',
  cze: 'CZ',
  czechrepublic: 'CZ',
  jpn: 'JP',
  kor: 'KR',
  republicofkorea: 'KR',
  sgp: 'SG',
  hkg: 'HK',
  ind: 'IN',
  aus: 'AU',
  nzl: 'NZ',
  bra: 'BR',
  mex: 'MX',
  zaf: 'ZA',
  are: 'AE',
  uae: 'AE',
  isr: 'IL',
  chn: 'CN',
  rus: 'RU',
}

/** Names in English, letters only. Built at first use. */
let known: ReadonlyMap<string, string> | null = null

/** The ISO 3166-1 code of a country given by its code or English name; null for anything else. */
export function countryNamed(text: string): string | null {
  known ??= namesOf()
  const name = bare(text)
  const code = text.trim().toUpperCase()
  if (/^[A-Z]{2}$/.test(code) && code !== 'UK') return [...known.values()].includes(code) ? code : null
  return known.get(name) ?? (Object.hasOwn(USUAL, name) ? (USUAL[name] ?? null) : null)
}

function namesOf(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return new Map(
    codes.flatMap((code) => {
      // Codes of former countries map to their successors.
      const name = NO_COUNTRY.has(code) || new Intl.Locale(`und-${code}`).region !== code ? undefined : names.of(code)
      return name === undefined ? [] : [[bare(name), code] as const]
    }),
  )
}

const bare = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]+/g, '')

export type SiteField = keyof Omit<SiteRow, 'line'>

/** Fields of one machine in a site record, as text; empty where not given. */
export type SiteCells = Readonly<Record<SiteField, string>>

/** Entries, or the errors in them, each with its line or path where there is one. */
export interface SitesReading {
  readonly rows: readonly SiteRow[]
  readonly problems: readonly { readonly at: string | null; readonly text: string }[]
}

const LONGEST = { serial: 200, site: 300, address: 500, room: 200, rack: 200, unit: 100 } as const
/** Half of the Earth's circumference: the largest possible distance. */
const FARTHEST_KM = 20_040

const OPTIONAL = ['address', 'room', 'rack', 'unit'] as const
const FIELDS: readonly SiteField[] = ['serial', 'site', 'country', 'latitude', 'longitude', 'radiusKm', ...OPTIONAL]

/** Every field as one displayable line. */
export const cellTexts = (cells: Partial<Record<string, string>>): SiteCells =>
  Object.fromEntries(FIELDS.map((field) => [field, oneLine(cells[field] ?? '', Number.MAX_SAFE_INTEGER)])) as SiteCells

/** The entry of one machine, or all errors in it. Coordinates come in pairs, in degrees with a point or a comma. */
export function siteRow(
  line: number,
  cells: SiteCells,
): { readonly row: SiteRow } | { readonly problems: readonly string[] } {
  const problems: string[] = []
  if (cells.serial === '') problems.push('has no serial number')
  else if (serialKey(cells.serial) === null)
    problems.push(`has the serial number ${quote(cells.serial)}, which does not identify a machine`)
  const country = cells.country === '' ? undefined : countryNamed(cells.country)
  if (country === null) problems.push(`has an unknown country ${quote(cells.country)}. Use its ISO 3166 code`)
  const site = cells.site === '' ? cells.country : cells.site
  if (site === '') problems.push('has neither a site nor a country')
  for (const field of ['serial', 'site', ...OPTIONAL] as const)
    if (cells[field].length > LONGEST[field])
      problems.push(`has more than ${LONGEST[field]} characters for the ${field}`)
  const number = (field: 'latitude' | 'longitude' | 'radiusKm', least: number, most: number): number | undefined => {
    const text = cells[field].replace(/°$/, '').trim()
    if (text === '') return undefined
    const value = /^-?\d{1,5}([.,]\d{1,20})?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
    if (value >= least && value <= most) return value
    problems.push(`has ${quote(cells[field], 60)} for the ${NAMES[field]}. Enter a number from ${least} to ${most}`)
    return undefined
  }
  const latitude = number('latitude', -90, 90)
  const longitude = number('longitude', -180, 180)
  const radiusKm = number('radiusKm', 0, FARTHEST_KM)
  if (problems.length === 0 && (latitude === undefined) !== (longitude === undefined))
    problems.push('has only one of latitude and longitude')
  if (problems.length > 0) return { problems }
  return {
    row: {
      line,
      serial: cells.serial,
      site,
      ...(country == null ? {} : { country }),
      ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
      ...(radiusKm === undefined ? {} : { radiusKm }),
      ...Object.fromEntries(OPTIONAL.filter((field) => cells[field] !== '').map((field) => [field, cells[field]])),
    },
  }
}

const NAMES = { latitude: 'latitude', longitude: 'longitude', radiusKm: 'radius in km' } as const

/** Adds a problem for every entry that repeats a serial number. */
export function uniqueRows({ rows, problems }: SitesReading, placeOf: (row: SiteRow) => string): SitesReading {
  const seen = new Map<string, SiteRow>()
  const twice = rows.flatMap((row) => {
    const key = serialKey(row.serial) ?? ''
    const before = seen.get(key)
    if (before === undefined) seen.set(key, row)
    return before === undefined
      ? []
      : [{ at: placeOf(row), text: `has the serial number ${quote(row.serial)}, as ${placeOf(before)} does` }]
  })
  return { rows, problems: [...problems, ...twice] }
}

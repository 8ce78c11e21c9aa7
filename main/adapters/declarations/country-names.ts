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

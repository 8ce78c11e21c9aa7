import type { SiteList, SiteRow } from '../../../schemas/types.ts'
import { isWithinBudget } from '../bounded-json.ts'
import { listText } from '../engagement/list-text.ts'
import { oneLine, quote } from '../plain-text.ts'

const MOST_TOLD = 20

/**
 * What keeps rows from being those of a provider's record of sites, to go on after its name. It knows no columns and reads no CSV: every word of
 * a row's serial number, site, room, rack and unit stands in the record, and, of a table without quoted cells, in the row's own line. Countries
 * and numbers may be written otherwise there, and are not compared.
 */
export function siteRowProblems(bytes: Uint8Array, { kind, rows }: Pick<SiteList, 'kind' | 'rows'>): readonly string[] {
  const text = kind === 'csv' ? listText(bytes) : jsonText(bytes)
  const lines = kind === 'csv' && !text.includes('"') ? text.split(text.includes('\n') ? '\n' : '\r') : null
  const whole = lines === null ? new Set(wordsOf(text)) : null
  const wrong = rows.filter((row) => {
    const there = whole ?? new Set(wordsOf(lines?.[row.line - 1] ?? ''))
    return !said(row).every((word) => there.has(word))
  })
  const told = wrong.slice(0, MOST_TOLD).map(({ serial }) => `does not hold the row of ${quote(serial)} in its place`)
  const more = wrong.length - told.length
  return more > 0 ? [...told, `does not hold ${more} more rows`] : told
}

/** What our reader adds to the words of a Redfish resource. */
const OURS = new Set(['floor', 'row', 'asset'])

const said = ({ serial, site, room = '', rack = '', unit = '' }: SiteRow): readonly string[] => [
  ...wordsOf(serial),
  ...wordsOf(site),
  ...[room, rack, unit].flatMap(wordsOf).filter((word) => !OURS.has(word)),
]

const wordsOf = (text: string): readonly string[] =>
  oneLine(text, Number.MAX_SAFE_INTEGER)
    .split(/[\s,;"=]+/)
    .filter((word) => word !== '')

/** Texts and numbers of a JSON document; nothing where it is none. Parsed again, since a text may be written with escapes. */
function jsonText(bytes: Uint8Array): string {
  const found: string[] = []
  try {
    const text = listText(bytes).replace(/^\uFEFF/, '')
    if (!isWithinBudget(text)) return ''
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string' || typeof value === 'number') found.push(String(value))
      return null
    })
  } catch {
    return ''
  }
  return found.join('\n')
}

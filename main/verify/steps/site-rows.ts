import type { SiteList, SiteRow } from '../../../schemas/types.ts'
import { isWithinBudget } from '../../core/bounded-json.ts'
import { listText } from '../../core/engagement/list-text.ts'
import { oneLine, quote } from '../../core/plain-text.ts'

const MOST_TOLD = 20

/**
 * Differences between rows and a provider’s site list, as text after its name. It needs no column knowledge or CSV parser: every word of
 * a row’s serial number, site, room, rack and unit must occur in the list and, in a table without quoted cells, in the same line. Countries
 * and numbers can be formatted differently and are not compared.
 */
export function siteRowProblems(bytes: Uint8Array, { kind, rows }: Pick<SiteList, 'kind' | 'rows'>): readonly string[] {
  const text = kind === 'csv' ? listText(bytes) : jsonText(bytes)
  const lines = kind === 'csv' && !text.includes('"') ? text.split(text.includes('\n') ? '\n' : '\r') : null
  const whole = lines === null ? new Set(wordsOf(text)) : null
  const wrong = rows.filter((row) => {
    const there = whole ?? new Set(wordsOf(lines?.[row.line - 1] ?? ''))
    return !said(row).every((word) => there.has(word))
  })
  const told = wrong
    .slice(0, MOST_TOLD)
    .map(({ serial }) => `does not contain the row of ${quote(serial)} at its position`)
  const more = wrong.length - told.length
  return more > 0 ? [...told, `does not contain ${more} more rows`] : told
}

/** Words that the Redfish reader adds to a resource. */
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

/** Texts and numbers of a JSON document; empty where it is not valid JSON. Parsed, because texts can contain escapes. */
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

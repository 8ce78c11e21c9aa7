import { compare } from '../core/recording/recording.ts'

/** The audit log of a server as parts in an object store: consecutive entries, each part written once. */

/** Part of the address of all audit logs in a store; no engagement can have this name. */
export const AUDIT_LOGS = '_audit-logs'

/** Consecutive entries of a log, numbered from 1 as its lines are. */
export interface Entries {
  readonly first: number
  readonly last: number
}

/** A part as the store has it. */
export interface AuditPart<Version> extends Entries {
  /** Name of the log that it belongs to, see placeOf(). */
  readonly place: string
  readonly version: Version
}

const NUMBER = 8
const padded = (number: number): string => String(number).padStart(NUMBER, '0')
const KEY = /^([a-z0-9._-]{1,300})\/(\d{8})-(\d{8})\.jsonl$/

/** The name of the log of a server in the store, from its origin: no two processes of one team have the same name. */
export const placeOf = (origin: string): string => origin.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '_')

export const partKey = (place: string, { first, last }: Entries): string =>
  `${place}/${padded(first)}-${padded(last)}.jsonl`

/** The parts among the objects of a store, by log and first entry. Objects with other names are ignored. */
export function partsAmong<Version extends { readonly key: string }>(
  versions: readonly Version[],
): readonly AuditPart<Version>[] {
  const parts = versions.flatMap((version) => {
    const [, place = '', from = '', to = ''] = KEY.exec(version.key) ?? []
    const [first, last] = [Number(from), Number(to)]
    return place === '' || first < 1 || last < first ? [] : [{ place, first, last, version }]
  })
  return parts.sort((a, b) => compare(a.place, b.place) || a.first - b.first || a.last - b.last)
}

/**
 * The last entry that parts cover without a gap from the first one; 0 where the first is missing. Parts may overlap: one can have been stored
 * although its answer was lost.
 */
export const coveredBy = (parts: readonly Entries[]): number =>
  [...parts]
    .sort((a, b) => a.first - b.first)
    .reduce((end, { first, last }) => (first <= end + 1 ? Math.max(end, last) : end), 0)

/** A log as the text of its complete lines, each with its end. */
export const linesOf = (text: string): readonly string[] =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`)

/** Entries `from` + 1 to `to` of a log, in parts of at most `bytes`; an entry that is larger is a part of its own. */
export function partsAfter(
  lines: readonly string[],
  { from, to, bytes }: { readonly from: number; readonly to: number; readonly bytes: number },
): readonly (Entries & { readonly text: string })[] {
  const parts: (Entries & { readonly text: string })[] = []
  let [first, text] = [from + 1, '']
  for (let at = from; at < Math.min(to, lines.length); at += 1) {
    const line = lines[at] ?? ''
    if (text !== '' && Buffer.byteLength(text) + Buffer.byteLength(line) > bytes) {
      parts.push({ first, last: at, text })
      ;[first, text] = [at + 1, '']
    }
    text += line
  }
  return text === '' ? parts : [...parts, { first, last: Math.min(to, lines.length), text }]
}

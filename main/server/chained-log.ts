import { parseBounded } from '../core/base/bounded-json.ts'
import { canonicalJson } from '../core/base/canonical-json.ts'
import { type Sha256, sha256 } from '../core/base/digest.ts'

/** A log with one JSON line for each entry. Each line has its position and the digest of the previous line. */

/** The position that the next entry continues. */
export interface LogHead {
  readonly size: number
  readonly digest: Sha256
}

/** An entry with its place in the log and the digest of the line before it. */
export type Chained<T> = T & { readonly index: number; readonly previous: Sha256 }

/** The head of a log without entries. It depends on the name of the format, so that no line of one format continues another. */
export const emptyLog = (format: string): LogHead => ({ size: 0, digest: sha256(format) })

/** The line that appends an entry to a head, with its line feed, and the new head. */
export function chainedLine(head: LogHead, entry: object): { readonly line: string; readonly head: LogHead } {
  const text = canonicalJson({ ...entry, index: head.size, previous: head.digest })
  return { line: `${text}\n`, head: { size: head.size + 1, digest: sha256(text) } }
}

/** The lines of a log without their ends. */
export const logLines = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

export type LogCheck =
  | { readonly intact: true; readonly head: LogHead }
  /** The first line, from 1, that does not continue the previous one. */
  | { readonly intact: false; readonly line: number }

/** Checks the lines of a log one after the other. */
export interface ChainReader {
  /** Whether a line, without its end, continues the lines before it. After one that does not, none is added. */
  readonly add: (line: string) => boolean
  /** Head of the lines that were added. */
  readonly head: () => LogHead
}

export function chainReader(empty: LogHead): ChainReader {
  let head = empty
  let isWhole = true
  return {
    add: (line) => {
      isWhole = isWhole && continues(head, line)
      if (isWhole) head = { size: head.size + 1, digest: sha256(line) }
      return isWhole
    },
    head: () => head,
  }
}

/** Checks every line of a log against the previous one. Lines removed from the end are detected only with a head that was kept elsewhere. */
export function checkChained(text: string, empty: LogHead): LogCheck {
  const reader = chainReader(empty)
  const lines = logLines(text)
  if (text !== '' && !text.endsWith('\n')) return { intact: false, line: lines.length }
  const isIntact = lines.every((line) => reader.add(line))
  return isIntact ? { intact: true, head: reader.head() } : { intact: false, line: reader.head().size + 1 }
}

function continues(head: LogHead, line: string): boolean {
  try {
    const value = parseBounded(line)
    if (typeof value !== 'object' || value === null || canonicalJson(value) !== line) return false
    const { index, previous } = value as Partial<Chained<object>>
    return index === head.size && previous === head.digest
  } catch {
    return false
  }
}

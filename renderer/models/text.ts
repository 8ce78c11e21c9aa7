import type { Recording } from '../../schemas/types.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Minutes by which this computer's clock is ahead of UTC at an instant, summer time included. */
const aheadOfUtc = (instant: string): number => -new Date(instant).getTimezoneOffset()

/**
 * 14 May 2026 09:12 UTC (11:12 local), from an ISO instant; the same in every locale. The local part has its day if
 * that differs, and is omitted where the clock of this computer shows UTC. `ahead` returns the minutes of local time
 * ahead of UTC.
 */
export function when(instant: string | null, ahead: (instant: string) => number = aheadOfUtc): string {
  if (instant === null || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(instant)) return 'not recorded'
  const utc = dayAndTime(instant)
  const minutes = ahead(instant)
  const shifted = new Date(Date.parse(instant) + minutes * 60_000)
  if (!(Math.abs(minutes) > 0) || Number.isNaN(shifted.getTime())) return `${utc.day} ${utc.time} UTC`
  const local = dayAndTime(shifted.toISOString())
  return `${utc.day} ${utc.time} UTC (${local.day === utc.day ? '' : `${local.day} `}${local.time} local)`
}

const dayAndTime = (instant: string) => ({ day: day(instant), time: instant.slice(11, 16) })

/** Formats the ISO instants in a text. */
export const withDates = (text: string): string =>
  text.replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, (instant) => when(instant))

/** 14 May 2026, from a date as YYYY-MM-DD or an instant; other text is returned unchanged. */
export function day(value: string): string {
  const parts = /^(\d{4})-(\d{2})-(\d{2})/.exec(value)
  const month = parts === null ? undefined : MONTHS[Number(parts[2]) - 1]
  return parts === null || month === undefined ? visible(value) : `${Number(parts[3])} ${month} ${parts[1]}`
}

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

export function bytes(size: number): string {
  if (size < 1024) return plural(size, 'byte')
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`
}

// Characters that would move, hide or reorder text: C0 except tab and newline, DEL, C1, bidirectional and zero-width characters.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

const NAMES =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

const nameOf = (code: number): string =>
  NAMES[code] ?? (code === 0x7f ? 'DEL' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)

/** Node output with invisible characters made visible: ⟦ESC⟧ for escape, ⟦U+202E⟧ where there is no short name (ISO/IEC 6429). */
export const visible = (text: string): string => text.replace(HIDDEN, (char) => `⟦${nameOf(char.codePointAt(0) ?? 0)}⟧`)

/** A command as typed in a shell: words with special characters are quoted. */
export const shellLine = (argv: readonly string[]): string =>
  argv.map((word) => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')

/** The lines of a typed text, trimmed; empty ones are dropped. */
export const trimmedLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A reason as a sentence of its own. Names at its beginning, such as those of nodes and files, stay as they are. */
export const sentence = (reason: string): string =>
  (/^[a-z]+(?=[\s,;]|$)/.test(reason) ? firstUp(reason) : reason).replace(/(?<![.…!?])$/, '.')

/** With its first letter in upper case. */
export const firstUp = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`

/** The offset of a node’s clock, as the collection measured it. */
export const clockText = (recording: Pick<Recording, 'clock'> | null): string =>
  recording?.clock == null
    ? 'not read'
    : `offset ${recording.clock.offsetSeconds} s, ± ${recording.clock.uncertaintySeconds} s`

/** No longer word is held together: it would not fit a narrow column. */
const LONGEST_WHOLE = 32

/** A run of text; one that is whole is a word with hyphens, such as the name of a node. */
export interface TextPart {
  readonly text: string
  readonly isWhole: boolean
}

/** A text in runs, so that no line ends within a name that has hyphens. Together they are the text. */
export function unbroken(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  for (const word of text.split(/(\s+)/)) {
    const isWhole = /[\p{L}\p{N}]-[\p{L}\p{N}]/u.test(word) && word.length <= LONGEST_WHOLE
    const last = parts.at(-1)
    if (word === '') continue
    if (isWhole || last === undefined || last.isWhole) parts.push({ text: word, isWhole })
    else parts[parts.length - 1] = { text: last.text + word, isWhole: false }
  }
  return parts
}

/** A moment as a node's program printed it: the digits read as if they were UTC, and the zone printed after them. */
export interface Stamp {
  /** Seconds since 1970, as if the zone were UTC. */
  readonly wallSeconds: number
  readonly zone: string
}

/** The zone that a node's clock shows, by date(1): minutes east of UTC, and its abbreviation. */
export interface ShownZone {
  readonly minutes: number
  readonly name: string
}

const MONTHS: readonly string[] = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** "Fri 2026-11-20 09:12:00 UTC", systemd's form (systemd.time(7)); null for any other. */
export function readStamp(text: string): Stamp | null {
  const [, date, time, zone = ''] =
    /^(?:[A-Z][a-z]{2} )?(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?: ([A-Za-z0-9+:-]{1,12}))?$/.exec(text.trim()) ?? []
  if (date === undefined || time === undefined) return null
  const at = Date.parse(`${date}T${time}Z`)
  return Number.isFinite(at) ? { wallSeconds: at / 1000, zone } : null
}

/** "Fri Nov 20 09:11:58 2026", the form of ctime(3), in the node's own zone; null for any other. */
export function readCtime(text: string): Stamp | null {
  const [, month = '', day = '', time = '', year = ''] =
    /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2}) (\d{4})$/.exec(text.trim()) ?? []
  return wallClock(year, month, day, time)
}

/** "Nov 20 09:11:58", the form of RFC 3164 §4.1.2, which has no year: the last such moment not more than a day after `before`. */
export function readYearless(text: string, before: number): Stamp | null {
  const [, month = '', day = '', time = ''] = /^([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2})$/.exec(text) ?? []
  const year = new Date(before * 1000).getUTCFullYear()
  const stamps = [year + 1, year, year - 1].map((one) => wallClock(String(one), month, day, time))
  return stamps.find((stamp) => stamp !== null && stamp.wallSeconds <= before + DAY) ?? null
}

function wallClock(year: string, month: string, day: string, time: string): Stamp | null {
  const index = MONTHS.indexOf(month)
  if (index < 0) return null
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const at = Date.UTC(Number(year), index, Number(day), hours, minutes, seconds)
  return Number.isFinite(at) ? { wallSeconds: at / 1000, zone: '' } : null
}

export const DAY = 86_400

/**
 * Seconds since 1970. The zone must be UTC, the one that the node's clock shows now, or none (then the node's own); else null, since
 * abbreviations are not unique. Across a change to or from summer time a stamp without a zone can be an hour off.
 */
export function secondsOf(stamp: Stamp | null, shown: ShownZone | null): number | null {
  if (stamp === null) return null
  if (/^(UTC|GMT|Z)$/.test(stamp.zone)) return stamp.wallSeconds
  if (shown === null || (stamp.zone !== '' && stamp.zone !== shown.name)) return null
  return stamp.wallSeconds - shown.minutes * 60
}

/** Seconds since 1970 of a moment in the journal; null where its zone is not known. */
export const momentSeconds = ({ seconds, stamp }: Moment, zone: ShownZone | null): number | null =>
  seconds ?? secondsOf(stamp, zone)

/** The journal of the system itself: system.journal, and what was rotated away from it. */
export const isOfSystem = ({ path }: JournalFile): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith('system')

/** Numbers of entries that no file holds between the first and the last that one does, in the chains of the system's own files. */
export function missingEntries(files: readonly JournalFile[]): number {
  const chains = new Set(files.map(({ chain }) => chain))
  return [...chains].reduce((sum, chain) => {
    const all = files.filter((file) => file.chain === chain && file.last >= file.first)
    const own = all.filter(isOfSystem)
    return sum + gaps(own, all)
  }, 0)
}

// A user's own entries have files of their own under the same numbering, so a hole in one may be filled by another.
function gaps(own: readonly JournalFile[], all: readonly JournalFile[]): number {
  const from = Math.min(...own.map(({ first }) => first))
  const to = Math.max(...own.map(({ last }) => last))
  let [next, missing] = [from, 0]
  for (const { first, last } of [...all].sort((a, b) => a.first - b.first)) {
    if (first > to || last < from) continue
    if (first > next) missing += first - next
    next = Math.max(next, last + 1)
  }
  return missing
}

/** One file of the journal, by its header. */
export interface JournalFile {
  readonly path: string
  /** Files of one chain carry one id; numbers of entries rise by one along it, over all files. */
  readonly chain: string
  readonly first: number
  readonly last: number
  /** The oldest and newest entry: seconds since 1970 where they are printed so (systemd 236 and later), and as written. */
  readonly oldest: Moment
  readonly newest: Moment
}

export interface Moment {
  readonly seconds: number | null
  readonly stamp: Stamp | null
}

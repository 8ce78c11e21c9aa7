/** When a scheduled run is due, repeatedly, in one time zone. */
export type Cadence = {
  /** IANA name, such as UTC or Europe/Berlin. */
  readonly zone: string
  /** Minutes after midnight of that zone, 0 to 1439; for hours, minutes after the hour, 0 to 59. */
  readonly at: number
} & (
  | { readonly every: 'hours'; readonly hours: (typeof HOURS)[number] }
  | { readonly every: 'day' }
  /** 1 is Monday, as in ISO 8601. */
  | { readonly every: 'week'; readonly weekday: number }
  | { readonly every: 'month'; readonly day: number }
)

/** Only hour intervals that divide a day: others would shift from day to day. */
export const HOURS = [1, 2, 3, 4, 6, 8, 12] as const

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

const two = (number: number): string => String(number).padStart(2, '0')
const clock = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

/** The canonical text of a cadence, as typed by people and stored in run chains: `every day at 02:00 in UTC`. */
export function cadenceText(cadence: Cadence): string {
  const { zone, at } = cadence
  if (cadence.every === 'hours') return `every ${cadence.hours} hours at :${two(at)} in ${zone}`
  if (cadence.every === 'day') return `every day at ${clock(at)} in ${zone}`
  if (cadence.every === 'week') return `every ${WEEKDAYS[cadence.weekday - 1]} at ${clock(at)} in ${zone}`
  return `on day ${cadence.day} of every month at ${clock(at)} in ${zone}`
}

const FORM = new RegExp(
  `^(?:every (?<hours>\\d{1,2}) hours at :(?<minute>[0-5]\\d)|(?:every (?<day>day)|every (?<weekday>${WEEKDAYS.join('|')})|on day (?<month>\\d{1,2}) of every month) at (?<hour>[01]\\d|2[0-3]):(?<past>[0-5]\\d)) in (?<zone>[A-Za-z][A-Za-z0-9_+/-]{0,59})$`,
)

/** Reads cadenceText(); null for anything else. The existence of the zone is checked by `Zones`. Never throws. */
export function parseCadence(text: string): Cadence | null {
  const found = FORM.exec(text)?.groups
  if (found === undefined) return null
  const { hours, minute, day, weekday, month, hour, past, zone = '' } = found
  if (hours !== undefined) {
    const known = HOURS.find((one) => one === Number(hours))
    return known === undefined ? null : { every: 'hours', hours: known, at: Number(minute), zone }
  }
  const at = Number(hour) * 60 + Number(past)
  if (day !== undefined) return { every: 'day', at, zone }
  if (weekday !== undefined) {
    const place = WEEKDAYS.indexOf(weekday as (typeof WEEKDAYS)[number]) + 1
    return { every: 'week', weekday: place, at, zone }
  }
  const date = Number(month)
  // Every month has a day 28.
  return date >= 1 && date <= 28 ? { every: 'month', day: date, at, zone } : null
}

/** Milliseconds by which a zone is ahead of UTC at a time. */
export type ZoneOffset = (moment: number) => number
/** Time zones by IANA name, from the data of this computer; null for an unknown zone. UTC needs none. */
export type Zones = (zone: string) => ZoneOffset | null

/** More due times in one call indicate an error of the caller. */
const MOST_DUE = 200_000
const MINUTE = 60_000
const DAY_MS = 1440 * MINUTE

/**
 * The times at which a run is due, after `after` and up to and including `until`: UTC, ISO 8601 with milliseconds, in order.
 * A local time skipped by a clock change is due when the clock jumps over it; one repeated by a clock change is due the first
 * time. Null for an unknown zone and for invalid times.
 */
export function dueTimes(cadence: Cadence, zones: Zones, after: string, until: string): readonly string[] | null {
  const [begin, end] = [Date.parse(after), Date.parse(until)]
  const offset = cadence.zone === 'UTC' ? () => 0 : zones(cadence.zone)
  if (Number.isNaN(begin) || Number.isNaN(end) || offset === null) return null
  const due: number[] = []
  // A local day begins at most fourteen hours before, and twelve after, the day of UTC of the same name.
  const first = Math.floor(begin / DAY_MS) - 1
  const last = Math.floor(end / DAY_MS) + 1
  for (let day = first; day <= last && due.length < MOST_DUE; day += 1) {
    if (!isDueOn(cadence, day)) continue
    for (const minutes of minutesOf(cadence)) {
      const moment = momentOf(day * DAY_MS + minutes * MINUTE, offset)
      if (moment > begin && moment <= end) due.push(moment)
    }
  }
  // Two local times skipped by one jump are due at the same time.
  return [...new Set(due)].sort((a, b) => a - b).map((moment) => new Date(moment).toISOString())
}

function isDueOn(cadence: Cadence, day: number): boolean {
  const date = new Date(day * DAY_MS)
  if (cadence.every === 'week') return ((date.getUTCDay() + 6) % 7) + 1 === cadence.weekday
  if (cadence.every === 'month') return date.getUTCDate() === cadence.day
  return true
}

const minutesOf = (cadence: Cadence): readonly number[] =>
  cadence.every === 'hours'
    ? Array.from({ length: 24 / cadence.hours }, (_, index) => index * cadence.hours * 60 + cadence.at)
    : [cadence.at]

/** The first time at which a clock of the zone shows this local time or, if never, has jumped over it. */
function momentOf(local: number, offset: ZoneOffset): number {
  const [before, after] = [offset(local - DAY_MS), offset(local + DAY_MS)]
  const fits = [local - before, local - after].filter((moment) => moment + offset(moment) === local)
  if (fits.length > 0) return Math.min(...fits)
  // Skipped: the jump is between the two offsets. It is located to the minute.
  let [low, high] = [local - Math.max(before, after), local - Math.min(before, after)]
  while (high - low > MINUTE) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE
    if (offset(middle) === before) low = middle
    else high = middle
  }
  return high
}

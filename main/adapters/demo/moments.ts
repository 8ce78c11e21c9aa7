import type { RecordedAnswer } from './recorded-node.ts'

/**
 * The captures with times of the latest events on a node: its clock, logins, log entries, jobs and package lists. These times are moved with
 * the clock of an emulated node, as they follow the clock of a node in operation. Fixed dates, such as those of an installation, a password
 * or a certificate, are in other captures, which stay unchanged.
 */
const MOVING: ReadonlySet<string> = new Set([
  'accounts.last-login/accounts',
  'accounts.lastlog/accounts',
  'accounts.login-files/files',
  'bmc.state/power',
  'change.scheduled-jobs/stamps',
  'gpu.nvidia/query',
  'integrity.agents/units',
  'integrity.marks/files',
  'journal.state/boots',
  'journal.state/header',
  'log.audit-files/files',
  'login.journal/accepted',
  'login.records/logins',
  'packages.apt/lists',
  'packages.rpm-restart/boot',
  'storage.scrub-timers/timers',
  'sudo.log/entries',
  'tenancy.sessions/who',
  'time.chrony/tracking',
  'time.now/now',
  'time.timesyncd/mark',
  'time.timesyncd/state',
])
const isMoving = (key: string): boolean => MOVING.has(key) || key.startsWith('drives.smart-health/')

/** Numbers outside this period are sizes and counters with as many digits. */
const [FIRST, LAST] = [Date.UTC(2022, 0), Date.UTC(2027, 0)]
/** The year of times that are written without one. */
const YEAR = '2026'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTH = `(?:${MONTHS.join('|')})`
const WEEKDAY = `(?:${WEEKDAYS.join('|')})`
const TIME = String.raw`\d{2}:\d{2}(?::\d{2})?`

/** A format in which nodes write times, always in UTC. */
interface Form {
  readonly pattern: string
  readonly read: (text: string) => number
  /** Writes a time in the format of the text. */
  readonly write: (at: Date, text: string) => string
}

const FORMS: readonly Form[] = [
  {
    // Fri Nov 20 09:11:58 2026; Thu Nov 19 14:02:11 +0000 2026
    pattern: String.raw`${WEEKDAY} ${MONTH} [ \d]\d ${TIME}(?: \+0000)? \d{4}`,
    read: (text) => readNamed(text.slice(4), text.slice(-4)),
    write: (at, text) =>
      `${weekday(at)} ${named(at, text)}${text.includes('+') ? ' +0000' : ''} ${at.getUTCFullYear()}`,
  },
  {
    // Nov 13 09:02:11
    pattern: String.raw`${MONTH} [ \d]\d ${TIME}`,
    read: (text) => readNamed(text, YEAR),
    write: (at, text) => named(at, text),
  },
  {
    // Fri 2026-11-20 03:17:41; 2026-11-20T09:11:58
    pattern: String.raw`(?:${WEEKDAY} )?\d{4}-\d{2}-\d{2}[ T]${TIME}`,
    read: (text) => Date.parse(`${text.replace(/^\D+ /, '').replace(' ', 'T')}Z`),
    write: (at, text) =>
      `${/^\D/.test(text) ? `${weekday(at)} ` : ''}${at.toISOString().slice(0, 10)}${/T\d/.exec(text) === null ? ' ' : 'T'}${timeLike(at, text)}`,
  },
  {
    // Microseconds of Unix time in hexadecimal digits, as journalctl prints them next to a time.
    pattern: String.raw`(?<=\()[0-9a-f]{13}(?=\))`,
    read: (text) => Number.parseInt(text, 16) / 1000,
    write: (at, text) => (at.getTime() * 1000 + (Number.parseInt(text, 16) % 1000)).toString(16),
  },
  {
    // Microseconds of Unix time
    pattern: String.raw`(?<![\d.])1\d{15}(?!\d)`,
    read: (text) => Number(text) / 1000,
    write: (at, text) => `${at.getTime()}${text.slice(-3)}`,
  },
  {
    // Seconds of Unix time
    pattern: String.raw`(?<![\d.])1\d{9}(?!\d)`,
    read: (text) => Number(text) * 1000,
    write: (at) => String(Math.floor(at.getTime() / 1000)),
  },
]

const readNamed = (text: string, year: string): number =>
  Date.parse(`${text.slice(0, 6)} ${year} ${new RegExp(TIME).exec(text)?.[0]} UTC`)

const weekday = (at: Date): string => WEEKDAYS[at.getUTCDay()] ?? ''
const named = (at: Date, text: string): string =>
  `${MONTHS[at.getUTCMonth()]} ${String(at.getUTCDate()).padStart(2)} ${timeLike(at, text)}`
const timeLike = (at: Date, text: string): string => at.toISOString().slice(11, /\d:\d{2}:\d{2}/.test(text) ? 19 : 16)

const ANY = new RegExp(FORMS.map(({ pattern }) => `(${pattern})`).join('|'), 'g')

/** The text with each time in it later by so many seconds (earlier where negative), in its format. */
export const movedText = (text: string, seconds: number): string =>
  text.replaceAll(ANY, (found: string, ...groups: readonly unknown[]) => {
    const form = FORMS[groups.findIndex((group) => group !== undefined)]
    const at = form?.read(found) ?? Number.NaN
    return form !== undefined && at >= FIRST && at < LAST ? form.write(new Date(at + seconds * 1000), found) : found
  })

/** The captures of a recorded node as they would have been so many seconds later. */
export const movedAnswers = (
  answers: ReadonlyMap<string, RecordedAnswer>,
  seconds: number,
): ReadonlyMap<string, RecordedAnswer> =>
  new Map(
    [...answers].map(([key, answer]) =>
      isMoving(key) ? [key, { ...answer, stdout: moved(answer.stdout, seconds) }] : [key, answer],
    ),
  )

const moved = (bytes: Uint8Array, seconds: number): Uint8Array =>
  Buffer.from(movedText(Buffer.from(bytes).toString('latin1'), seconds), 'latin1')

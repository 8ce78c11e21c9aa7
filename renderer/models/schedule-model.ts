import type {
  CadenceDraft,
  IntegrationsSource,
  PassphraseSource,
  ScheduleDraft,
  ScheduleStatus,
  SchedulesView,
  ScheduleView,
} from '../../schemas/ipc-schedules.ts'
import { durationWords } from '../../schemas/words.ts'
import { awaitedWords } from './history-model.ts'
import { plural, visible, when } from './text.ts'

export const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export const HOUR_STEPS = [1, 2, 3, 4, 6, 8, 12] as const

type StartedBy = SchedulesView['startedBy']

/** Three days, so that a run of the night before a weekend can be sealed on the next working day. */
const USUAL_SEAL_HOURS = 72

export const firstDraft = (zone: string, startedBy: StartedBy = 'timers'): ScheduleDraft => ({
  name: 'nightly',
  cadence: { every: 'day', hours: 6, weekday: 1, day: 1, at: 120 },
  zone,
  jitterMinutes: 10,
  retries: { times: 2, waitMinutes: 15 },
  sealHours: startedBy === 'server' ? USUAL_SEAL_HOURS : null,
  catchUp: true,
  gapsExitZero: true,
  identity: null,
  passphrase: { use: startedBy === 'server' ? 'none' : 'make' },
  syslog: false,
  webhook: null,
  integrations: { use: 'none' },
})

const two = (number: number): string => String(number).padStart(2, '0')

/** 02:00, from minutes after midnight. */
export const clockText = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

/** Minutes after midnight from a typed time of day, or null. */
export function minutesOf(text: string): number | null {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim())
  return found === null ? null : Number(found[1]) * 60 + Number(found[2])
}

/** The schedule as a sentence. */
export function cadenceWords({ every, hours, weekday, day, at }: CadenceDraft, zone: string): string {
  const time = clockText(at)
  const words = {
    hours: `every ${plural(hours, 'hour')}, ${at % 60} minutes past`,
    day: `every day at ${time}`,
    week: `every ${WEEKDAY_NAMES[weekday - 1] ?? '?'} at ${time}`,
    month: `on day ${day} of every month at ${time}`,
  }[every]
  return `A run is due ${words}, in ${zone}.`
}

export type DraftProblems = Partial<
  Record<'name' | 'zone' | 'at' | 'jitter' | 'times' | 'wait' | 'seal' | 'webhook', string>
>

/** Problems of a draft, by field. `time` is the content of the field for the time of day. */
export function draftProblems(draft: ScheduleDraft, time: string, taken: readonly string[]): DraftProblems {
  const { name, cadence, zone, jitterMinutes, retries, sealHours, webhook } = draft
  const whole = (value: number, from: number, to: number): boolean =>
    Number.isInteger(value) && value >= from && value <= to
  const problems: Record<keyof DraftProblems, string | null> = {
    name: !/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)
      ? 'Use lower-case letters, digits, - and _; begin with a letter or digit.'
      : taken.includes(name)
        ? 'A schedule with this name exists.'
        : null,
    zone: /^[A-Za-z][A-Za-z0-9_+/-]{0,59}$/.test(zone) ? null : 'Enter a time zone such as UTC or Europe/Berlin.',
    at: cadence.every === 'hours' || minutesOf(time) !== null ? null : 'Enter a time such as 02:00.',
    jitter: whole(jitterMinutes, 0, 720) ? null : 'Enter 0 to 720 minutes.',
    times: whole(retries.times, 0, 10) ? null : 'Enter 0 to 10.',
    wait: whole(retries.waitMinutes, 1, 720) ? null : 'Enter 1 to 720 minutes.',
    seal: sealHours === null || whole(sealHours, 1, 720) ? null : 'Enter 1 to 720 hours.',
    webhook:
      webhook === null || /^https?:\/\/[!-~]{1,490}$/.test(webhook)
        ? null
        : 'Enter an address that begins with https:// or http://, without spaces.',
  }
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== null))
}

type Manner = Pick<
  ScheduleView,
  'jitterMinutes' | 'retries' | 'catchUp' | 'gapsExitZero' | 'graceMinutes' | 'notifies' | 'integrationsFile'
>

/** How a schedule behaves, apart from its due times. */
export const mannerWords = (schedule: Manner, startedBy: StartedBy = 'timers'): readonly string[] => [
  schedule.jitterMinutes === 0
    ? 'Starts on time.'
    : `Random delay of up to ${plural(schedule.jitterMinutes, 'minute')}.`,
  schedule.retries.times === 0
    ? 'Unreachable nodes are not retried.'
    : `Unreachable nodes are retried up to ${plural(schedule.retries.times, 'time')}, every ${plural(schedule.retries.waitMinutes, 'minute')}.`,
  ...(startedBy === 'server' ? servedManner(schedule) : timedManner(schedule)),
]

const servedManner = ({ graceMinutes, catchUp }: Manner): readonly string[] => [
  `A run is in time if it is sealed within ${durationWords(graceMinutes)} after it was due. After that it counts as missed until it is sealed, and then as late.`,
  catchUp
    ? 'The latest run missed while the server was off takes place late.'
    : 'Runs missed while the server was off are skipped.',
]

const timedManner = ({
  graceMinutes,
  catchUp,
  gapsExitZero,
  notifies,
  integrationsFile,
}: Manner): readonly string[] => [
  `A run is in time if it is sealed within ${durationWords(graceMinutes)} after it was due; later it counts as missed.`,
  catchUp
    ? 'The latest run missed while this computer was off takes place late.'
    : 'Runs missed while this computer was off are skipped.',
  ...(gapsExitZero ? ['A run with deviations counts as successful.'] : []),
  ...(notifies.length === 0 ? ['No notifications are sent.'] : notifies),
  integrationsFile === null
    ? 'Packs are not sent to other systems.'
    : `The pack of each run is sent to other systems as ${visible(integrationsFile)} states.`,
]

/** The next due run and the outcome of the last, as two sentences. */
export const statusLines = (
  { next, awaited, last, installed }: ScheduleStatus,
  startedBy: StartedBy = 'timers',
): readonly string[] => [
  ...(awaited === null ? [] : [`Overdue. ${awaitedWords(awaited)}.`]),
  next === null
    ? 'Next run unknown.'
    : startedBy === 'timers' && installed.length === 0
      ? `The next run is due on ${when(next)}, but no timer is installed.`
      : `The next run is due on ${when(next)}.`,
  last === null
    ? 'No run of this schedule has started.'
    : last.endedAt === null
      ? `Started on ${when(last.startedAt)}. ${last.words}`
      : `Last started on ${when(last.startedAt)}${last.due === null ? '' : `, for the run due on ${when(last.due)}`}, ended on ${when(last.endedAt)}. ${last.words}`,
]

/** States until when a collected run can be sealed in time. */
export const waitingWords = ({ due, run, until, isLate }: ScheduleStatus['waiting'][number]): string =>
  isLate
    ? `Due on ${when(due)}, run ${run}: the time for sealing ended on ${when(until)}. It counts as missed until it is sealed, and then as late.`
    : `Due on ${when(due)}, run ${run}: in time if it is sealed by ${when(until)}.`

export const WORKS_WORDS = { yes: 'Works', unclear: 'May not work', no: 'Does not work' } as const

/** The ways to supply the passphrase of a schedule, each with its protection. */
export function passphraseOptions(
  has: string | null,
  chosen: string | null,
): readonly { readonly id: PassphraseSource['use']; readonly title: string; readonly note: string }[] {
  const risk = 'Anyone who can read it can sign as you.'
  return [
    ...(has === null
      ? []
      : [{ id: 'kept' as const, title: `Keep the file ${has}`, note: `It is read at each run. ${risk}` }]),
    {
      id: 'make',
      title: 'Create the file now',
      note: `Only your account can read it. The stored passphrase is used, or you are asked for it. ${risk}`,
    },
    {
      id: 'file',
      title: chosen === null ? 'Choose an existing file' : `Use the file ${chosen}`,
      note: `Only your account may be able to read it; other files are refused. ${risk}`,
    },
  ]
}

/** The ways to send the packs of a schedule, each with what leaves this computer. */
export function integrationsOptions(
  has: string | null,
  chosen: string | null,
): readonly { readonly id: IntegrationsSource['use']; readonly title: string; readonly note: string }[] {
  const leaves = 'Titles of findings, counts and names of nodes leave this computer; evidence does not.'
  return [
    { id: 'none', title: 'Do not send', note: 'Notifications and time-stamps are set separately.' },
    ...(has === null ? [] : [{ id: 'kept' as const, title: `Keep the file ${has}`, note: leaves }]),
    { id: 'file', title: chosen === null ? 'Choose an integrations file' : `Use the file ${chosen}`, note: leaves },
  ]
}

/**
 * Which time-stamp the runs of a schedule have. On a team server a schedule only collects, and a person exports the
 * run.
 */
export const stampWords = (authority: string | null, startedBy: StartedBy): string => {
  const where = 'set under Settings, Time-stamping'
  if (startedBy === 'server')
    return `Scheduled runs are neither sealed nor time-stamped until an officer exports them. ${
      authority === null
        ? `No time-stamp authority is ${where}.`
        : `The export can use the authority ${authority}, ${where}.`
    }`
  return authority === null
    ? `Runs have no time-stamp: no authority is ${where}.`
    : `Runs are time-stamped by ${authority}, as ${where}.`
}

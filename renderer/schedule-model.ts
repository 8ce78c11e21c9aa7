import type { CadenceDraft, ScheduleDraft, ScheduleStatus, ScheduleView } from '../schemas/ipc-schedules.ts'
import { awaitedWords } from './history-model.ts'
import { plural, when } from './text.ts'

export const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export const HOUR_STEPS = [1, 2, 3, 4, 6, 8, 12] as const

export const firstDraft = (zone: string): ScheduleDraft => ({
  name: 'nightly',
  cadence: { every: 'day', hours: 6, weekday: 1, day: 1, at: 120 },
  zone,
  jitterMinutes: 10,
  retries: { times: 2, waitMinutes: 15 },
  catchUp: true,
  gapsExitZero: true,
  identity: null,
  passphrase: null,
})

const two = (number: number): string => String(number).padStart(2, '0')

/** 02:00, from minutes after midnight. */
export const clockText = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

/** Minutes after midnight of what is typed as a time of day, or null. */
export function minutesOf(text: string): number | null {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim())
  return found === null ? null : Number(found[1]) * 60 + Number(found[2])
}

/** What is chosen, read back as a sentence. */
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

export type DraftProblems = Partial<Record<'name' | 'zone' | 'at' | 'jitter' | 'times' | 'wait', string>>

/** What keeps a draft from being kept, by field. `time` is what stands in the field for the time of day. */
export function draftProblems(draft: ScheduleDraft, time: string, taken: readonly string[]): DraftProblems {
  const { name, cadence, zone, jitterMinutes, retries } = draft
  const whole = (value: number, from: number, to: number): boolean =>
    Number.isInteger(value) && value >= from && value <= to
  const problems: Record<keyof DraftProblems, string | null> = {
    name: !/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)
      ? 'Small letters, digits, - and _; it begins with a letter or digit.'
      : taken.includes(name)
        ? 'There is a schedule of this name.'
        : null,
    zone: /^[A-Za-z][A-Za-z0-9_+/-]{0,59}$/.test(zone) ? null : 'Such as UTC or Europe/Berlin.',
    at: cadence.every === 'hours' || minutesOf(time) !== null ? null : 'Such as 02:00.',
    jitter: whole(jitterMinutes, 0, 720) ? null : 'From 0 to 720 minutes.',
    times: whole(retries.times, 0, 10) ? null : 'From 0 to 10 times.',
    wait: whole(retries.waitMinutes, 1, 720) ? null : 'From 1 to 720 minutes.',
  }
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== null))
}

/** How a schedule behaves, besides when it is due. */
export function mannerWords({
  jitterMinutes,
  retries,
  catchUp,
  gapsExitZero,
}: Pick<ScheduleView, 'jitterMinutes' | 'retries' | 'catchUp' | 'gapsExitZero'>): readonly string[] {
  return [
    jitterMinutes === 0
      ? 'Begins on time.'
      : `Begins up to ${plural(jitterMinutes, 'minute')} late, drawn anew each time.`,
    retries.times === 0
      ? 'Nodes that do not answer are not asked again.'
      : `Nodes that do not answer are asked again up to ${plural(retries.times, 'time')}, ${plural(retries.waitMinutes, 'minute')} apart.`,
    catchUp
      ? 'A run that was missed while this computer was off is made late, once.'
      : 'A run that was missed while this computer was off is not made.',
    ...(gapsExitZero ? ['Gaps in the evidence do not count as a failure of the job.'] : []),
  ]
}

/** When the next run is due, and what became of the last, as two sentences. */
export const statusLines = ({ next, awaited, last, installed }: ScheduleStatus): readonly string[] => [
  ...(awaited === null ? [] : [`Overdue. ${awaitedWords(awaited)}.`]),
  next === null
    ? 'No next run is known.'
    : installed.length === 0
      ? `The next run is due on ${when(next)}, and nothing will start it: no timer is installed.`
      : `The next run is due on ${when(next)}.`,
  last === null
    ? 'No run of this schedule was started yet.'
    : last.endedAt === null
      ? `Started on ${when(last.startedAt)}. ${last.words}`
      : `Last started on ${when(last.startedAt)}${last.due === null ? '' : `, for the run due on ${when(last.due)}`}, ended on ${when(last.endedAt)}. ${last.words}`,
]

export const WORKS_WORDS = { yes: 'Works', unclear: 'May not work', no: 'Does not work' } as const

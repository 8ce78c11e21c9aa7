import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { TimerUnits } from '../../core/schedule/store.ts'
import { type UnitInput, zoneWarnings } from './unit-input.ts'
import type { Wake } from './wake.ts'

/** Debian’s cron rejects longer commands. */
const LONGEST = 990

export const cronMarks = (schedule: string): readonly [begin: string, end: string] => [
  `# BEGIN barewitness ${schedule}`,
  `# END barewitness ${schedule}`,
]

/** A word of a shell, quoted without a backslash: programs called cron differ in how they read one. */
const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@:,./+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`

/** A percent sign ends a command unless a backslash stands before it, inside quotes too (crontab(5)). */
const escaped = (command: string): string => command.replaceAll('%', '\\%')

/** Minute, hour, day of month, month, day of week; Sunday is 0. */
const times = ({ weekday, day, minute, hours }: Wake): string =>
  `${minute} ${hours.join(',')} ${day ?? '*'} * ${weekday === null ? '*' : weekday % 7}`

/**
 * A block of a user’s crontab. It sets nothing that affects later lines. Fails with input.refused for a path that a line of
 * a crontab cannot contain.
 */
export function cronUnits(input: UnitInput): Outcome<TimerUnits> {
  const { schedule, cadence, wakes, argv, environment } = input
  const set = Object.entries(environment).map(([key, value]) => `${key}=${shellWord(value)}`)
  const plain = [...set, ...argv.map(shellWord)].join(' ')
  if (/[\u0000-\u001f\u007f\\]/.test(plain))
    return fail('input.refused', 'a crontab cannot contain a path with a backslash or a control character')
  const command = escaped(plain)
  if (Buffer.byteLength(command) > LONGEST)
    return fail('input.refused', `the command is longer than ${LONGEST} bytes, the limit that every cron accepts`)
  const [begin, end] = cronMarks(schedule.name)
  const lines = [
    begin,
    `# Written by barewitness: ${cadence}. The program checks whether a run is due; cron mails its output.`,
    ...wakes.map((wake) => `${times(wake)} ${command}`),
    ...(schedule.catchUp ? [`@reboot ${command}`] : []),
    end,
    '',
  ]
  const warnings = [
    ...zoneWarnings('cron', input),
    ...(schedule.catchUp
      ? [
          'cron does not repeat missed runs. A separate line starts the program at computer startup; after sleep, a missed run waits for the next scheduled time.',
        ]
      : []),
  ]
  return ok({ kind: 'cron', schedule: schedule.name, units: [{ name: 'crontab', text: lines.join('\n') }], warnings })
}

/** The block of a schedule in a crontab, including its markers; null where there is none. */
export function cronBlock(crontab: string, schedule: string): string | null {
  const found = blockIn(crontab, schedule)
  return found === null ? null : crontab.slice(...found)
}

/** A crontab with the block of a schedule added, replaced or, with null, removed. All other bytes are unchanged. */
export function withCronBlock(crontab: string, schedule: string, block: string | null): string {
  const found = blockIn(crontab, schedule)
  if (found !== null) return `${crontab.slice(0, found[0])}${block ?? ''}${crontab.slice(found[1])}`
  const ended = crontab === '' || crontab.endsWith('\n') ? crontab : `${crontab}\n`
  return block === null ? crontab : `${ended}${block}`
}

function blockIn(crontab: string, schedule: string): readonly [from: number, to: number] | null {
  const [begin, end] = cronMarks(schedule)
  // Whole lines, because one name can be the prefix of another.
  const from = `\n${crontab}`.indexOf(`\n${begin}\n`)
  const to = from < 0 ? -1 : `${crontab}\n`.indexOf(`\n${end}\n`, from)
  return to < 0 ? null : [from, Math.min(crontab.length, to + end.length + 2)]
}

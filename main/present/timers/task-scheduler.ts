import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { WEEKDAYS } from '../../core/run-chain/cadence.ts'
import type { TimerUnits } from '../../core/schedule/schedule.ts'
import { two, type UnitInput, type Wake, xmlText, zoneWarnings } from './unit-input.ts'

export const taskName = (schedule: string): string => `\\Barewitness\\${schedule}`

/**
 * One argument of a Windows command line as parsed by CommandLineToArgvW: backslashes are special only before a quotation mark, where they are
 * doubled.
 */
export const windowsWord = (word: string): string =>
  /^[A-Za-z0-9_@:,./\\+=-]+$/.test(word) ? word : `"${word.replaceAll(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '\\"')}"`

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** Evenly spaced hours over the whole day. */
const isEven = (hours: readonly number[]): boolean =>
  hours.length > 1 &&
  24 % hours.length === 0 &&
  hours.every((hour, at) => hour === (24 / hours.length) * at + (hours[0] ?? 0))

function when({ weekday, day }: Wake): string {
  if (weekday !== null)
    return `<ScheduleByWeek><DaysOfWeek><${capital(WEEKDAYS[weekday - 1] ?? '')} /></DaysOfWeek><WeeksInterval>1</WeeksInterval></ScheduleByWeek>`
  if (day !== null)
    return `<ScheduleByMonth><DaysOfMonth><Day>${day}</Day></DaysOfMonth><Months>${MONTHS.map((month) => `<${month} />`).join('')}</Months></ScheduleByMonth>`
  return '<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>'
}

/** Without a zone, all start times follow the clock of the computer. */
function triggers(wake: Wake, since: string): readonly string[] {
  const even = isEven(wake.hours)
  const [first = 0] = wake.hours
  const repetition = even
    ? `<Repetition><Interval>PT${24 / wake.hours.length}H</Interval><Duration>P1D</Duration><StopAtDurationEnd>false</StopAtDurationEnd></Repetition>`
    : ''
  return (even ? [first] : wake.hours).map(
    (hour) =>
      `    <CalendarTrigger>${repetition}<StartBoundary>${since}T${two(hour)}:${two(wake.minute)}:00</StartBoundary><Enabled>true</Enabled>${when(wake)}</CalendarTrigger>`,
  )
}

/**
 * A task of Windows Task Scheduler, XML version 1.2, for a file in UTF-16. Fails with input.refused for paths that it would interpret
 * differently.
 */
export function taskUnits(input: UnitInput): Outcome<TimerUnits> {
  const { schedule, cadence, wakes, argv, user, environment } = input
  const [program = '', ...rest] = argv
  const texts = [...argv, user]
  if (texts.some((text) => xmlText(text) === null || /[\t\n\r]/.test(text)))
    return fail('input.refused', 'a task cannot contain a path with a control character')
  // The scheduler expands both, and neither can be escaped.
  if (texts.some((text) => /%[^%]+%|\$\(/.test(text)))
    return fail('input.refused', 'a task cannot contain a path with %name% or $(')
  if (Object.keys(environment).length > 0)
    return fail('input.refused', `a task cannot set ${Object.keys(environment).join(', ')}; set it for the account`)
  const since = schedule.createdAt.slice(0, 10)
  const lines = [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    `    <Description>Written by barewitness for the schedule ${schedule.name}: ${xmlText(cadence)}. The program checks whether a run is due.</Description>`,
    '  </RegistrationInfo>',
    '  <Triggers>',
    ...wakes.flatMap((wake) => triggers(wake, since)),
    '  </Triggers>',
    '  <Principals>',
    `    <Principal id="Author"><UserId>${xmlText(user)}</UserId><LogonType>S4U</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal>`,
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    `    <StartWhenAvailable>${schedule.catchUp}</StartWhenAvailable>`,
    '    <Enabled>true</Enabled>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '  </Settings>',
    '  <Actions Context="Author">',
    `    <Exec><Command>${xmlText(program)}</Command><Arguments>${xmlText(rest.map(windowsWord).join(' '))}</Arguments></Exec>`,
    '  </Actions>',
    '</Task>',
    '',
  ]
  const warnings = [
    'The task runs without a stored password (S4U): it cannot access files encrypted for the account, or network drives, directly.',
    ...zoneWarnings('Task Scheduler', input),
  ]
  const units = [{ name: `${schedule.name}.xml`, text: lines.join('\r\n') }]
  return ok({ kind: 'task-scheduler', schedule: schedule.name, units, warnings })
}

/** Debian’s cron rejects longer commands. */
const LONGEST = 990

const cronMarks = (schedule: string): readonly [begin: string, end: string] => [
  `# BEGIN barewitness ${schedule}`,
  `# END barewitness ${schedule}`,
]

/** A word of a shell, quoted without a backslash: programs called cron differ in how they read one. */
const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@:,./+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`

/** A percent sign ends a command unless a backslash precedes it, inside quotes too (crontab(5)). */
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

export const launchdLabel = (schedule: string): string => `dev.barewitness.${schedule}`

const integers = (entries: readonly (readonly [string, number])[]): string =>
  `    <dict>${entries.map(([key, value]) => `<key>${key}</key><integer>${value}</integer>`).join('')}</dict>`

/** launchd.plist(5): no lists of hours, so one entry each; Sunday is 0. */
const intervals = ({ weekday, day, minute, hours }: Wake): readonly string[] =>
  hours.map((hour) =>
    integers([
      ...(weekday === null ? [] : [['Weekday', weekday % 7] as const]),
      ...(day === null ? [] : [['Day', day] as const]),
      ['Hour', hour],
      ['Minute', minute],
    ]),
  )

/** A property list of launchd. Fails with input.refused for a path that XML cannot hold. */
export function launchdUnits(input: UnitInput): Outcome<TimerUnits> {
  const { schedule, cadence, wakes, argv, environment } = input
  const label = launchdLabel(schedule.name)
  const texts = [...argv, ...Object.values(environment)]
  if (texts.some((text) => xmlText(text) === null))
    return fail('input.refused', 'a property list cannot contain a path with a control character')
  const string = (text: string): string => `<string>${xmlText(text)}</string>`
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    // Without the name: two dashes in a row, which a name may have, end a comment.
    `<!-- Written by barewitness: ${cadence}. The program checks whether a run is due. -->`,
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${string(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...argv.map((word) => `    ${string(word)}`),
    '  </array>',
    ...(Object.keys(environment).length === 0
      ? []
      : [
          '  <key>EnvironmentVariables</key>',
          '  <dict>',
          ...Object.entries(environment).map(([key, value]) => `    <key>${xmlText(key)}</key>${string(value)}`),
          '  </dict>',
        ]),
    '  <key>StartCalendarInterval</key>',
    '  <array>',
    ...wakes.flatMap(intervals),
    '  </array>',
    ...(schedule.catchUp ? ['  <key>RunAtLoad</key><true/>'] : []),
    '  <key>ProcessType</key><string>Background</string>',
    // 077: launchd takes the mask as a decimal number.
    '  <key>Umask</key><integer>63</integer>',
    '</dict>',
    '</plist>',
    '',
  ]
  const warnings = [
    'launchd starts a user’s program only while that user is logged in.',
    ...zoneWarnings('launchd', input),
  ]
  const units = [{ name: `${label}.plist`, text: lines.join('\n') }]
  return ok({ kind: 'launchd', schedule: schedule.name, units, warnings })
}

import { fail, type Outcome } from '../../core/failure.ts'
import { WEEKDAYS } from '../../core/period/cadence.ts'
import { ok } from '../../core/result.ts'
import type { TimerUnits } from '../../core/schedule/store.ts'
import { type UnitInput, xmlText, zoneWarnings } from './unit-input.ts'
import type { Wake } from './wake.ts'

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
const two = (number: number): string => String(number).padStart(2, '0')

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
  const said = [...argv, user]
  if (said.some((text) => xmlText(text) === null || /[\t\n\r]/.test(text)))
    return fail('input.refused', 'a task cannot contain a path with a control character')
  // The scheduler expands both, and neither can be escaped.
  if (said.some((text) => /%[^%]+%|\$\(/.test(text)))
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

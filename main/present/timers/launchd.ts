import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { TimerUnits } from '../../core/schedule/store.ts'
import { type UnitInput, xmlText, zoneWarnings } from './unit-input.ts'
import type { Wake } from './wake.ts'

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
  const said = [...argv, ...Object.values(environment)]
  if (said.some((text) => xmlText(text) === null))
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

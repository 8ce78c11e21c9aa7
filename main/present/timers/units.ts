import type { Schedule } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { cadenceText, type Zones } from '../../core/run-chain/cadence.ts'
import { cadenceOf, type StartedBy, type TimerKind, type TimerUnits } from '../../core/schedule/schedule.ts'
import { cronUnits, launchdUnits, taskUnits } from './task-scheduler.ts'
import { two, type UnitInput, type Wake, wakesOf } from './unit-input.ts'

/**
 * The units that start the runs of a schedule, as written at `now`: the same input gives the same text. Fails with
 * input.refused for an invalid cadence or zone, and for paths that this kind of unit cannot contain.
 */
export function unitsFor(
  kind: TimerKind,
  schedule: Schedule,
  by: StartedBy,
  { zones, now }: { readonly zones: Zones; readonly now: string },
): Outcome<TimerUnits> {
  const cadence = cadenceOf(schedule)
  if (cadence === null) return fail('input.refused', `${schedule.name}: “${schedule.cadence}” is not a valid cadence`)
  const ofSystemd = kind === 'systemd' || kind === 'systemd-system'
  // Only systemd supports other time zones; Debian’s cron ignores CRON_TZ.
  const clock = ofSystemd ? cadence.zone : by.zone
  const wakes = wakesOf(cadence, zones, clock, now)
  if (wakes === null)
    return fail('input.refused', `${schedule.name}: ${cadence.zone} or ${by.zone} is not a known time zone`)
  const argv = [...by.program, 'run', '--schedule', schedule.name, '--schedules', by.file]
  const input: UnitInput = { ...by, schedule, cadence: cadenceText(cadence), wakes, clock, argv }
  const units = unitsOfKind(kind, input)
  if (!units.ok || by.user !== 'root') return units
  return ok({ ...units.value, warnings: [AS_ROOT, ...units.value.warnings] })
}

const AS_ROOT =
  'The job runs as root, which is not required: create and install it with an account that can read the fleet file, its keys and the passphrase.'

function unitsOfKind(kind: TimerKind, input: UnitInput): Outcome<TimerUnits> {
  if (kind === 'systemd' || kind === 'systemd-system') return systemdUnits(kind, input)
  if (kind === 'cron') return cronUnits(input)
  return kind === 'launchd' ? launchdUnits(input) : taskUnits(input)
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** A calendar event of systemd (systemd.time(7)), its zone at the end. */
function onCalendar({ weekday, day, minute, hours }: Wake, zone: string): string {
  const on = weekday === null ? '' : `${DAYS[weekday - 1]} `
  return `${on}*-*-${day === null ? '*' : two(day)} ${hours.map(two).join(',')}:${two(minute)}:00 ${zone}`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '%': '%%',
}

/**
 * A word of a unit file, quoted (systemd.syntax(7)), with percent signs doubled, since they begin specifiers. In command lines, dollar
 * signs are doubled as well, because they begin variables only there.
 */
export function quotedWord(word: string, of: 'command' | 'setting'): string {
  const escaped = word.replaceAll(
    /[\\"%$\u0000-\u001f\u007f]/g,
    (one) =>
      ESCAPES[one] ??
      (one === '$' ? (of === 'command' ? '$$' : '$') : `\\x${(one.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`),
  )
  return /^[A-Za-z0-9_@:,./+=-]+$/.test(word) ? word : `"${escaped}"`
}

/**
 * The program path is used literally: no variables, quotes or backslashes (systemd.service(5)). A path with other characters is
 * therefore started by a shell that receives it as an argument.
 */
function commandLine(argv: readonly string[]): string {
  const [program = ''] = argv
  const plain = /^[A-Za-z0-9_./+-]+$/.test(program)
  const words = plain ? argv : ['/bin/sh', '-c', 'exec "$0" "$@"', ...argv]
  return words.map((word) => quotedWord(word, 'command')).join(' ')
}

/**
 * No restriction hides the home folder, agent sockets in /tmp or tokens. Restrictions of a user unit are those that need no separate file
 * system; all except UMask= and LimitCORE= prevent set-user-ID programs, such as mail senders, from working, so a schedule that notifies by a program
 * omits them.
 */
function restrictions(kind: TimerKind, { schedule, file }: UnitInput): readonly string[] {
  // A crashing run must not leave a key or passphrase in a core file.
  const always = ['UMask=0077', 'LimitCORE=0']
  if (schedule.notify.some((notify) => notify.kind === 'command')) return always
  const both = [
    ...always,
    'NoNewPrivileges=yes',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'SystemCallArchitectures=native',
  ]
  if (kind === 'systemd') return both
  const folder = file.slice(0, file.lastIndexOf('/')) || '/'
  return [
    ...both,
    'ProtectSystem=full',
    'ProtectControlGroups=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    // /etc is otherwise read-only; “-”: a missing folder is not an error.
    `ReadWritePaths=${[schedule.out, folder].map((path) => quotedWord(`-${path}`, 'setting')).join(' ')}`,
  ]
}

/** A timer and the service that it starts, for systemd 232 and later. Never fails: unit files can contain any path. */
function systemdUnits(kind: 'systemd' | 'systemd-system', input: UnitInput): Outcome<TimerUnits> {
  const { schedule, cadence, wakes, clock, argv, user, environment } = input
  const name = `barewitness-${schedule.name}`
  const system = kind === 'systemd-system'
  const head = `# Written by barewitness for the schedule ${schedule.name}: ${cadence}.`
  const service = [
    head,
    '[Unit]',
    `Description=Barewitness, scheduled run of ${schedule.name}`,
    ...(system ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '',
    '[Service]',
    'Type=oneshot',
    ...(system ? [`User=${quotedWord(user, 'setting')}`] : []),
    ...Object.entries(environment).map(([key, value]) => `Environment=${quotedWord(`${key}=${value}`, 'setting')}`),
    `ExecStart=${commandLine(argv)}`,
    ...restrictions(kind, input),
    '',
  ]
  const timer = [
    head,
    // A time skipped in spring is listed together with the time after the jump.
    '# There may be more times here than runs, because of clock changes. The program checks whether a run is due.',
    '[Unit]',
    `Description=Barewitness, times of ${schedule.name}`,
    '',
    '[Timer]',
    ...wakes.map((wake) => `OnCalendar=${onCalendar(wake, clock)}`),
    'AccuracySec=1s',
    ...(schedule.catchUp ? ['Persistent=true'] : []),
    `Unit=${name}.service`,
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ]
  const warnings = system
    ? []
    : [
        `Timers of a user run only while that user is logged in, unless lingering is enabled: loginctl enable-linger ${user}`,
      ]
  return ok({
    kind,
    schedule: schedule.name,
    units: [
      { name: `${name}.service`, text: service.join('\n') },
      { name: `${name}.timer`, text: timer.join('\n') },
    ],
    warnings,
  })
}

import type { Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { TimerKind, TimerUnits } from '../../core/schedule/store.ts'
import type { UnitInput } from './unit-input.ts'
import type { Wake } from './wake.ts'

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
const two = (number: number): string => String(number).padStart(2, '0')

/** A calendar event of systemd (systemd.time(7)), its zone at the end. */
export function onCalendar({ weekday, day, minute, hours }: Wake, zone: string): string {
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
export function systemdUnits(kind: 'systemd' | 'systemd-system', input: UnitInput): Outcome<TimerUnits> {
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

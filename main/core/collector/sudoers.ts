import type { Capture } from '../../../schemas/types.ts'
import type { Probe, RunCommand } from '../recording/probe.ts'
import { compare, type RecordingOutline } from '../recording/recording.ts'
import { redact } from './redact.ts'

/**
 * The commands of probes that require root, in catalog order; those of live tests only when requested. They are
 * exact: no root command contains a path pattern.
 */
export const rootCommands = (
  probes: readonly Probe<unknown>[],
  { liveTests = false }: { readonly liveTests?: boolean } = {},
): readonly RunCommand[] =>
  probes
    .filter(({ live }) => live !== true || liveTests)
    .flatMap(({ commands }) =>
      Object.values(commands).filter(
        (command): command is RunCommand => command.kind === 'run' && command.as === 'root',
      ),
    )

/**
 * Programs that a recorded node does not have: all their commands ended with status 127, for a program that was not
 * found. The collector looks for programs that need root without having root rights, so that a recording without
 * those rights shows it as well.
 */
export function absentPrograms({ captures }: RecordingOutline): ReadonlySet<string> {
  const answered = captures.filter(({ meta }) => meta.source === 'node' && meta.status !== 'lost')
  const there = new Set(answered.filter(({ meta }) => meta.exitCode !== 127).map(({ meta }) => meta.argv[0]))
  return new Set(
    answered.flatMap(({ meta: { argv } }) => (argv[0] === undefined || there.has(argv[0]) ? [] : [argv[0]])),
  )
}

// Where distributions install programs. A path that does not exist grants nothing, so all are listed.
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'] as const
const MERGED_FOLDERS = ['/usr/sbin', '/usr/bin'] as const

/** Whether a sudoers file can name this login without quoting. */
export const isSudoersLogin = (user: string): boolean => /^[a-z_][a-z0-9_-]{0,31}$/.test(user)

export interface SudoersOptions {
  /** The login that may run the commands. */
  readonly user: string
  /**
   * The program that will read the rules. sudo-rs has fewer settings, and some words cannot be expressed for it
   * (sudoers-rs(5)).
   */
  readonly dialect?: 'sudo' | 'sudo-rs'
  /** The node has no programs outside /usr: /bin and /sbin are links into it. */
  readonly hasMergedFolders?: boolean
  /** Facts about the node, as comment lines: printable ASCII without a backslash. */
  readonly notes?: readonly string[]
}

/**
 * A sudoers(5) drop-in that allows one login to run exactly these commands as root, with exactly these arguments.
 * Check it with `visudo -cf FILE`, then install it as /etc/sudoers.d/barewitness, mode 0440. Throws on anything that
 * sudoers cannot express exactly, which is a bug of ours. Commands that sudo-rs cannot express are omitted and named
 * in a comment.
 */
export function sudoersFor(commands: readonly RunCommand[], options: SudoersOptions): string {
  const { user, dialect = 'sudo', notes = [] } = options
  if (!isSudoersLogin(user)) throw new Error(`not a login name for sudoers: ${user}`)
  const bad = notes.find((note) => !/^[ -[\]-~]*$/.test(note))
  if (bad !== undefined) throw new Error(`not a comment line for sudoers: ${bad}`)
  const omitted = dialect === 'sudo-rs' ? commands.filter((command) => !isWritableForRs(wordsOf(command))) : []
  const granted = commands.filter((command) => !omitted.includes(command))
  const own = granted.filter((command) => !startsAnother(command))
  const starting = granted.filter(startsAnother)
  return [
    '# Barewitness: read-only commands that require root. Exact arguments; nothing else is granted.',
    '# Check:    visudo -cf FILE',
    '# Install:  /etc/sudoers.d/barewitness, owner root, mode 0440',
    ...notes.map((note) => `# ${note}`),
    ...DEFAULTS[dialect](user),
    ...omittedLines(omitted),
    ...grants('BAREWITNESS', 'NOPASSWD:', own, options),
    ...(starting.length === 0
      ? []
      : [
          '# Live tests: taskset starts the one program named in its arguments, so only these lines may start another program.',
          ...grants('BAREWITNESS_PINNED', 'NOPASSWD: EXEC:', starting, options),
        ]),
    '',
  ].join('\n')
}

const COMMON = 'use_pty, env_reset, !setenv, noexec, secure_path="/usr/sbin:/usr/bin:/sbin:/bin"'
const DEFAULTS: Readonly<Record<'sudo' | 'sudo-rs', (user: string) => readonly string[]>> = {
  sudo: (user) => [
    '# sudo also writes every command it runs to this log file.',
    `Defaults:${user} !requiretty, ${COMMON}, logfile="/var/log/sudo-barewitness.log"`,
  ],
  'sudo-rs': (user) => [
    '# For sudo-rs, which writes every command it runs to the system log.',
    `Defaults:${user} ${COMMON}`,
  ],
}

const omittedLines = (commands: readonly RunCommand[]): readonly string[] =>
  commands.length === 0
    ? []
    : [
        '# Omitted, because sudo-rs cannot express exactly these arguments (a blank, an asterisk or a question mark):',
        ...new Set(commands.map((command) => `#   ${wordsOf(command).join(' ').replaceAll('\\', '(backslash)')}`)),
      ]

const startsAnother = ({ argv }: RunCommand): boolean => argv[0] === 'taskset'

// sudo-rs reads at most 127 items in one list.
const LONGEST_LIST = 100

function grants(
  alias: string,
  tags: string,
  commands: readonly RunCommand[],
  { user, dialect = 'sudo', hasMergedFolders = false }: SudoersOptions,
): readonly string[] {
  const folders = hasMergedFolders ? MERGED_FOLDERS : FOLDERS
  const write = dialect === 'sudo' ? exactly : exactlyForRs
  const lines = [
    ...new Set(
      commands.flatMap((command) => {
        const [program = '', ...words] = wordsOf(command)
        return folders.map((folder) => `${folder}/${program} ${write(words)}`)
      }),
    ),
  ]
  const most = dialect === 'sudo' ? Math.max(1, lines.length) : LONGEST_LIST
  const parts = Array.from({ length: Math.ceil(lines.length / most) }, (_, at) =>
    lines.slice(at * most, (at + 1) * most),
  )
  return parts.flatMap((part, at) => {
    const name = parts.length === 1 ? alias : `${alias}_${at + 1}`
    return [`Cmnd_Alias ${name} = ${part.join(', \\\n    ')}`, `${user} ALL=(root) ${tags} ${name}`]
  })
}

const wordsOf = ({ argv }: RunCommand): readonly string[] =>
  argv.map((part) => {
    if (typeof part !== 'string') throw new Error('a root command may hold no path pattern')
    return part
  })

/**
 * Exactly these words, escaped for sudoers(5). sudo compares the words joined by spaces, using fnmatch(3) where a
 * special character occurs: a backslash must survive both the parsing of the file and fnmatch, `*?[]!` only the
 * latter, and `,:=#` only the former. Other characters may not be escaped. Consecutive spaces (an empty word) are
 * written as escaped spaces.
 */
function exactly(words: readonly string[]): string {
  if (words.length === 0) return '""'
  return checked(words.join(' '))
    .replaceAll('\\', '\\\\\\\\')
    .replaceAll(/[*?[\]!,:=#]/g, '\\$&')
    .replaceAll(/^ | $|(?<= ) /g, '\\ ')
}

/**
 * The same for sudo-rs, which compares word by word and without patterns: it refuses a word with an asterisk or a
 * question mark, splits words at every blank, and recognizes an escape only before `\,:=#` (tested with 0.2.13).
 */
const exactlyForRs = (words: readonly string[]): string =>
  words.length === 0 ? '""' : checked(words.join(' ')).replaceAll(/[\\,:=#]/g, '\\$&')

const isWritableForRs = ([, ...words]: readonly string[]): boolean =>
  words.every((word) => /^[!-~]+$/.test(word) && !/[*?]/.test(word)) && !/^\^.*\$$/.test(words.join(' '))

function checked(joined: string): string {
  // From sudo 1.9.10, arguments from ^ to $ are a regular expression; older versions do not accept the escape.
  if (joined.startsWith('^')) throw new Error('the first word of a root command may not begin with ^')
  if (/[^ -~]/.test(joined)) throw new Error('the words of a root command are printable ASCII')
  return joined
}

/** A command in the sudo log. */
export interface LoggedCommand {
  /** Unix time in seconds, by the node’s clock. */
  readonly at: number
  readonly user: string
  /** Reason why sudo rejected it; null where it ran. */
  readonly refused: string | null
  /** Program with path, and arguments as joined by sudo. */
  readonly command: string
}

export interface SudoRow {
  /** `both`: recorded and logged. `only-asked`: recorded, not logged. `only-logged`: logged, not recorded. */
  readonly state: 'both' | 'only-asked' | 'only-logged'
  readonly command: string
  /** "probe/command" of the recording. */
  readonly asked: string | null
  /** Unix time in seconds, by the node’s clock. */
  readonly loggedAt: number | null
  readonly refused: string | null
}

export interface SudoReconciliation {
  /** Ordered: only logged, only recorded, both; each by command. */
  readonly rows: readonly SudoRow[]
  /** Commands that ran after the log was read and therefore cannot be in it. */
  readonly askedLater: number
  /** Log lines of this account from before the collection. */
  readonly earlier: number
  /** Log lines of other accounts during the collection. */
  readonly ofOthers: number
}

interface SudoWindow {
  /** Node’s clock, Unix time in seconds: start of the collection and reading of the log. */
  readonly from: number
  readonly to: number
  /** Collector’s clock, ISO 8601: reading of the log. */
  readonly readAt: string
}

/** The log and the node’s clock have a resolution of one second each. */
const TOLERANCE_SECONDS = 2

/**
 * Compares the sudo log of the login account with the commands that the recording ran through sudo, one to one: a command that
 * ran twice needs two lines. Arguments are compared without white space and quotation marks, because sudo wraps lines and quotes arguments
 * with blanks only since 1.9. Program paths are ignored, because the commands do not name them.
 * A missing program never reaches the log (exit status 127); lost commands and commands that did not run are not expected in it.
 */
export function reconcileSudo(
  { recording, captures }: RecordingOutline,
  logged: readonly LoggedCommand[],
  window: SudoWindow,
): SudoReconciliation {
  const { user } = recording.node
  const throughSudo = captures.map(({ meta }) => meta).filter(reachedSudo)
  const asked = throughSudo.filter(({ startedAt }) => compare(startedAt, window.readAt) <= 0)
  const within = logged.filter(({ at }) => at >= window.from - TOLERANCE_SECONDS && at <= window.to + TOLERANCE_SECONDS)
  const ours = within.filter((entry) => entry.user === user)
  const left = byWords(ours)
  const pairs = [...asked].sort(byTime).map((capture): SudoRow => {
    const entry = left.get(wordsOfLog(capture.argv))?.shift() ?? left.get(wordsOfLog(asRedacted(capture.argv)))?.shift()
    return {
      state: entry === undefined ? 'only-asked' : 'both',
      command: capture.argv.join(' '),
      asked: `${capture.probe}/${capture.command}`,
      loggedAt: entry?.at ?? null,
      refused: entry?.refused ?? null,
    }
  })
  const extra = [...left.values()]
    .flat()
    .map(({ command, at, refused }): SudoRow => ({ state: 'only-logged', command, asked: null, loggedAt: at, refused }))
  return {
    rows: [...extra, ...pairs].sort((a, b) => ORDER[a.state] - ORDER[b.state] || compare(a.command, b.command)),
    askedLater: throughSudo.length - asked.length,
    earlier: logged.filter((entry) => entry.user === user && entry.at < window.from - TOLERANCE_SECONDS).length,
    ofOthers: within.length - ours.length,
  }
}

const ORDER: Readonly<Record<SudoRow['state'], number>> = { 'only-logged': 0, 'only-asked': 1, both: 2 }

const NEVER_ASKED: readonly Capture['status'][] = ['not-run', 'not-asked', 'no-path', 'lost']

const reachedSudo = ({ privilege, status, exitCode }: Capture): boolean =>
  privilege === 'sudo' && !NEVER_ASKED.includes(status) && exitCode !== 127

const byTime = (a: Capture, b: Capture): number =>
  compare(a.startedAt, b.startedAt) || compare(a.probe, b.probe) || compare(a.command, b.command)

function byWords(entries: readonly LoggedCommand[]): Map<string, LoggedCommand[]> {
  const groups = new Map<string, LoggedCommand[]>()
  for (const entry of entries) {
    const key = wordsOfLog(entry.command.split(' '))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return groups
}

/** Comparison key. sudo escapes quotation marks inside quotation marks with a backslash and prints control characters as #ooo. */
function wordsOfLog([program = '', ...words]: readonly string[]): string {
  const bare = words.join('').replaceAll(/[\s'"\\]/g, '')
  return `${program.replace(/^.*\//, '')} ${bare}`
}

/** The log was masked, the commands in the recording were not: a pattern that resembles a password is masked in the log only. */
const asRedacted = (argv: readonly string[]): readonly string[] =>
  new TextDecoder().decode(redact(new TextEncoder().encode(argv.join(' '))).bytes).split(' ')

import { defineProbe, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { asList, asRecord, asText, isAbsent, type JsonValue, lines, readJson } from '../../base/read-text.ts'

/** One grant of sudoers(5) after aliases were expanded. Groups carry a leading percent sign, as in the file. */
export interface SudoRule {
  readonly who: readonly string[]
  /** A group after a colon, as in the file: the caller with that group, where no user is named. */
  readonly runAs: readonly string[]
  readonly commands: readonly string[]
  /** False for NOPASSWD. */
  readonly asksPassword: boolean
}

export interface SudoPolicy {
  readonly rules: readonly SudoRule[]
  /** Rules for certain hosts only, as in one file for many servers; whether this server is one of them was not determined (Host_List). */
  readonly hostRules: readonly SudoRule[]
  /** Set by `Defaults !authenticate` without a scope. */
  readonly asksPasswordByDefault: boolean
  /** Whom, or what, `exempt_group` or a scoped `Defaults !authenticate` takes the question from; entries that name no user are marked as such. */
  readonly neverAsked: readonly string[]
  /** It is root's password, or the other user's, that is requested and not the caller's own (sudoers(5): targetpw, rootpw, runaspw). */
  readonly asksOther: boolean
  /** timestamp_timeout in minutes; below zero for ever, null where it is not set and the built-in value holds. */
  readonly remembersMinutes: number | null
  /** use_pty as set without a scope; null where it is not set (on by default from sudo 1.9.14). */
  readonly usesPty: boolean | null
  /** Whether sudo writes to syslog or a log file; syslog is on unless switched off (sudoers(5), syslog). */
  readonly logs: boolean
  /** Names of settings that hold for some users, hosts or commands only and take away what is reported above (sudoers(5), Defaults). */
  readonly scoped: readonly string[]
}

/**
 * cvtsudoers(1) expands aliases and includes, so that no parser of our own is needed. sudo-rs has no such tool and,
 * where both are installed, may read rules of its own, which are queried separately (`sudoers.other`).
 */
export const sudoersRules = defineProbe({
  id: 'sudoers.rules',
  title: 'Rules for running commands as another user (sudo)',
  why: 'Shows which accounts and groups may become administrator, with which commands, and whether a password is required.',
  commands: { rules: runAsRoot(['cvtsudoers', '-e', '-f', 'json', '/etc/sudoers']) },
  parse({ rules }) {
    if (rules.exitCode !== 0) return unknown('the sudo rules could not be read')
    const json = readJson(rules.text, 'cvtsudoers')
    if (!json.ok) return json
    const document = asRecord(json.fact)
    if (document.User_Specs === undefined && document.Defaults === undefined)
      return unknown('the sudo rules have an unexpected format')
    const defaults = asList(document.Defaults).map(asRecord)
    const global = defaults.filter((entry) => entry.Binding === undefined).flatMap(optionsOf)
    const scoped = defaults.filter((entry) => entry.Binding !== undefined)
    const specs = asList(document.User_Specs).map(asRecord)
    const isOff = (name: string): boolean => lastOption(global, name) === false
    const exempt = asText(lastOption(global, 'exempt_group'))
    return known<SudoPolicy>({
      rules: specs.filter(holdsEverywhere).flatMap(readSpec),
      hostRules: specs.filter((spec) => !holdsEverywhere(spec)).flatMap(readSpec),
      asksPasswordByDefault: !isOff('authenticate'),
      neverAsked: [
        ...scoped
          .filter((entry) => lastOption(optionsOf(entry), 'authenticate') === false)
          .flatMap((entry) => asList(entry.Binding).flatMap(readUser)),
        ...(exempt === null ? [] : [`%${exempt}`]),
      ],
      asksOther: ['targetpw', 'rootpw', 'runaspw'].some((name) => lastOption(global, name) === true),
      remembersMinutes: asMinutes(lastOption(global, 'timestamp_timeout')),
      usesPty: asSwitch(lastOption(global, 'use_pty')),
      logs: !isOff('log_allowed') && (!isOff('syslog') || asText(lastOption(global, 'logfile')) !== null),
      scoped: WEAKENING.filter((name) => scoped.some((entry) => weakens(name, lastOption(optionsOf(entry), name)))),
    })
  },
})

const WEAKENING = ['syslog', 'log_allowed', 'use_pty', 'timestamp_timeout'] as const

/** Switched off. Any time limit counts, since shorter ones are seldom set for a part. */
const weakens = (name: (typeof WEAKENING)[number], value: JsonValue | undefined): boolean =>
  name === 'timestamp_timeout' ? value !== undefined && value !== false && asMinutes(value) !== 0 : value === false

type Option = { readonly [key: string]: JsonValue }

const optionsOf = (entry: { readonly [key: string]: JsonValue }): readonly Option[] =>
  asList(entry.Options).map(asRecord)

const lastOption = (options: readonly Option[], name: string): JsonValue | undefined =>
  options.filter((option) => option[name] !== undefined).at(-1)?.[name]

/** Printed as a number or as its text; false is written `!timestamp_timeout` and means 0. */
function asMinutes(value: JsonValue | undefined): number | null {
  if (value === false) return 0
  const minutes = typeof value === 'string' && /^-?\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : value
  return typeof minutes === 'number' && Number.isFinite(minutes) ? minutes : null
}

const asSwitch = (value: JsonValue | undefined): boolean | null => (typeof value === 'boolean' ? value : null)

const holdsEverywhere = (spec: { readonly [key: string]: JsonValue }): boolean => {
  const hosts = asList(spec.Host_List).map(asRecord)
  return hosts.some(({ hostname }) => hostname === 'ALL') && hosts.every(({ negated }) => negated !== true)
}

function readSpec(spec: { readonly [key: string]: JsonValue }): readonly SudoRule[] {
  const who = asList(spec.User_List).flatMap(readUser)
  return asList(spec.Cmnd_Specs)
    .map(asRecord)
    .map((entry) => ({
      who,
      runAs: readRunAs(entry),
      commands: asList(entry.Commands).flatMap(readCommand),
      asksPassword: lastOption(optionsOf(entry), 'authenticate') !== false,
    }))
}

/** sudoers(5), Runas_Spec: root by default; groups alone leave the user unchanged. */
function readRunAs(entry: { readonly [key: string]: JsonValue }): readonly string[] {
  if (entry.runasusers !== undefined) return asList(entry.runasusers).flatMap(readUser)
  return entry.runasgroups === undefined
    ? ['root']
    : asList(entry.runasgroups)
        .flatMap(readUser)
        .map((group) => `:${group}`)
}

function readUser(value: JsonValue): readonly string[] {
  const entry = asRecord(value)
  const mark = entry.negated === true ? '!' : ''
  const [kind, raw] = Object.entries(entry).find(([key]) => key !== 'negated') ?? ['', null]
  if (typeof raw !== 'string' && typeof raw !== 'number') return [`${mark}(unreadable entry)`]
  return [`${mark}${PREFIX[kind] ?? ''}${raw}`]
}

const PREFIX: Readonly<Record<string, string>> = {
  usergroup: '%',
  usergid: '%#',
  userid: '#',
  netgroup: '+',
  nonunixgroup: '%:',
  nonunixgid: '%:#',
  useralias: '',
  username: '',
}

function readCommand(value: JsonValue): readonly string[] {
  const entry = asRecord(value)
  const command = asText(entry.command) ?? asText(entry.cmndalias) ?? '(unreadable entry)'
  return [`${entry.negated === true ? '!' : ''}${command}`]
}

export interface OtherSudoers {
  /** Rules of another program that makes root: sudo-rs reads /etc/sudoers-rs where it exists, doas its own file. */
  readonly files: readonly string[]
}

const FILES = ['/etc/sudoers-rs', '/etc/doas.conf', '/etc/doas.d'] as const

/** sudo-rs (default on Ubuntu from 25.10) and doas: rules that cvtsudoers does not read. Looked for by name only. */
export const sudoersOther = defineProbe({
  id: 'sudoers.other',
  title: 'Rules of other programs that grant root',
  why: 'Shows whether a program other than sudo, with its own rules, decides who may act as administrator.',
  commands: { files: run(['ls', '-1d', ...FILES]) },
  parse({ files }) {
    const absent = lines(files.errorText)
    const found = lines(files.text).filter((path) => path.startsWith('/etc/'))
    // Each of them is either listed or stated not to exist.
    if (
      !absent.every((complaint) => /No such file or directory$/.test(complaint)) ||
      found.length + absent.length !== FILES.length
    )
      return unknown('the files of other programs that make root could not be looked for')
    return known<OtherSudoers>({ files: found })
  },
})

export interface SudoProgram {
  /** sudo-rs is the other implementation, the default of Ubuntu from 25.10 on. */
  readonly name: 'sudo' | 'sudo-rs'
  /** As it states itself: digits and dots, and the `p` of a patch level. */
  readonly version: string
  /** Whether /bin and /sbin are only other names of folders under /usr. */
  readonly hasMergedFolders: boolean
}

/** sudo(8) and sudo-rs(8), -V: the first line names the program. stat(1), %N: a link is quoted with its target. */
export const sudoProgram = defineProbe({
  id: 'sudo.program',
  title: 'The sudo program and program locations',
  why: 'Determines which form of sudo rules this server reads, and where the programs that need root are located.',
  commands: {
    version: run(['sudo', '-V']),
    folders: run(['stat', '-c', '%N', '/bin', '/sbin']),
  },
  parse({ version, folders }) {
    const first = lines(version.text)[0] ?? ''
    const found = /^(?:Sudo version |sudo(-rs) )(\d{1,4}(?:\.\d{1,4}){1,3}(?:p\d{1,3})?)(?![\w.])/.exec(first)
    if (version.exitCode !== 0 || found === null) return unknown('the version of sudo could not be read')
    // Quoted, unquoted by busybox, and with the quotes of a UTF-8 locale.
    const linked = lines(folders.text).filter((line) => /^\W?\/s?bin\W? -> \W?\/?usr\/s?bin\W?$/.test(line))
    return known<SudoProgram>({
      name: found[1] === undefined ? 'sudo' : 'sudo-rs',
      version: found[2] ?? '',
      hasMergedFolders: folders.exitCode === 0 && linked.length === 2,
    })
  },
})

/** One command as sudo's own log file has it. */
interface SudoEntry {
  /** "Nov 20 09:11:58", in the node's zone; with a year where sudo is set to write it. */
  readonly when: string
  readonly user: string
  /** sudo’s message where it did not run it, such as "a password is required"; null for a command that was run. */
  readonly refused: string | null
  readonly runAs: string
  /** The program with its folder, then its arguments as sudo joined them. Long entries are wrapped, so the number of spaces is lost. */
  readonly command: string
}

interface SudoLog {
  /** Null where the file does not exist. */
  readonly entries: readonly SudoEntry[] | null
}

/** The file that our own sudoers drop-in names (main/core/collector/sudoers.ts), and so nothing but what this login ran through sudo. */
const SUDO_LOG = '/var/log/sudo-barewitness.log'
const MOST_BYTES = 393_216

/**
 * sudoers(5), "LOG FORMAT": "date : user : [reason ;] [TTY=… ;] PWD=… ; USER=… ; COMMAND=…", wrapped at loglinelen with four spaces.
 * sudo writes the line before it runs the command, so this command's own line is the last one.
 */
export const sudoLog = defineProbe({
  id: 'sudo.log',
  title: 'sudo log of this collection',
  why: 'sudo keeps its own log of the commands that this login runs as root. It can be compared with the commands of this collection.',
  ignoredInDrift: {
    why: 'sudo logs every request, including this collection’s; only whether there is such a log is compared.',
    normalize: ({ entries }: SudoLog) => ({ isThere: entries !== null }),
  },
  commands: {
    entries: runAsRoot(['tail', '-c', String(MOST_BYTES), SUDO_LOG], { needsPath: [SUDO_LOG], maxBytes: 524288 }),
  },
  parse({ entries }) {
    if (isAbsent(entries)) return known<SudoLog>({ entries: null })
    if (entries.exitCode !== 0) return unknown('the log of sudo could not be read')
    const isCut = entries.bytes.length >= MOST_BYTES
    const joined = lines(entries.text).reduce<string[]>((all, line) => {
      if (/^ {4}\S/.test(line)) all.push(`${all.pop() ?? ''} ${line.slice(4)}`)
      else all.push(line)
      return all
    }, [])
    const read = joined.map(readEntry)
    // The first line of a cut response is a part of an entry.
    if (read.slice(isCut ? 1 : 0).includes(null)) return unknown('the log of sudo has an unexpected format')
    return known<SudoLog>({ entries: read.filter((entry) => entry !== null) })
  },
})

const HEAD = /^([A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}(?: \d{4})?) : ([^\s:]{1,256}) : /

function readEntry(line: string): SudoEntry | null {
  const head = HEAD.exec(line)
  const end = line.indexOf('COMMAND=')
  if (head === null || end < 0) return null
  const fields = line.slice(head[0].length, end).split(' ; ')
  const reason = fields.find((field) => field.trim() !== '' && !/^\s*[A-Z]{1,10}=/.test(field))
  const runAs = fields.find((field) => field.startsWith('USER='))
  return {
    when: head[1] ?? '',
    user: head[2] ?? '',
    refused: reason?.trim() ?? null,
    runAs: runAs?.slice(5).trim() ?? 'root',
    command: line.slice(end + 'COMMAND='.length).trim(),
  }
}

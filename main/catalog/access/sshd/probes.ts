import { quote } from '../../../core/base/plain-text.ts'
import { type Answer, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { type FoundLine, foundLines, grepIsComplete, inOrder, lines } from '../../base/read-text.ts'

/** The settings sshd would use, by lower-case keyword; a keyword that repeats (port, hostkey, acceptenv) has several values. */
export interface SshdSettings {
  readonly settings: ReadonlyMap<string, readonly string[]>
}

/**
 * `sshd -T` prints the merged configuration, one `keyword value` per line (sshd(8), test mode). It needs root because it loads
 * the host keys, and /run/sshd must exist; `Match` blocks are not applied without `-C`.
 */
export const sshdEffective = defineProbe({
  id: 'sshd.effective',
  title: 'Effective settings of the SSH server',
  why: 'The SSH server merges several files and built-in defaults; only its own test mode shows the effective settings.',
  commands: { settings: runAsRoot(['sshd', '-T']) },
  parse: ({ settings }) =>
    settings.exitCode === 0
      ? parseSshdSettings(settings.text)
      : unknown(`not collected: sshd did not print its settings: ${quote(firstLine(settings.errorText))}`),
})

/** Reads `sshd -T` output. Fails when a line is not `keyword value`, or when keywords that sshd always prints are missing. */
export function parseSshdSettings(text: string): Parsed<SshdSettings> {
  const settings = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const parts = /^([A-Za-z][A-Za-z0-9]*)(?:[ \t]+(.*))?$/.exec(line.trimEnd())
    const keyword = parts?.[1]?.toLowerCase()
    if (keyword === undefined) return unknown(`a line of the output is not a setting: ${quote(line)}`)
    const values = settings.get(keyword)
    if (values === undefined) settings.set(keyword, [parts?.[2] ?? ''])
    else values.push(parts?.[2] ?? '')
  }
  const missing = ['port', 'permitrootlogin', 'ciphers'].filter((keyword) => !settings.has(keyword))
  return missing.length === 0 ? known({ settings }) : unknown(`the output lacks ${missing.join(', ')}`)
}

const firstLine = (text: string): string => text.split('\n').find((line) => line.trim() !== '') ?? 'no message'

/** The settings that one kind of login meets, Match blocks applied. */
export interface SshdContext extends SshdSettings {
  readonly user: 'root' | 'nobody'
  /** An address that represents all of its kind: 192.0.2.254 (RFC 5737) for public ones, 10.0.0.1 (RFC 1918) for private ones. */
  readonly address: string
}

export interface SshdContexts {
  readonly contexts: readonly SshdContext[]
}

const PUBLIC = '192.0.2.254'
const PRIVATE = '10.0.0.1'

// A name that no node has; Match Group does not fit it (servconf.c, match_cfg_line_group). Versions before 8.1 want all three words.
const ask = (user: string, address: string) =>
  runAsRoot(['sshd', '-T', '-C', `user=${user},host=${address},addr=${address}`])

/**
 * `sshd -T -C` (sshd(8)) prints the settings for one connection, including Match blocks. The accounts and addresses
 * named in a node’s blocks are known only after the query, and commands are never built from its answers; therefore
 * exactly these four.
 */
export const sshdContexts = defineProbe({
  id: 'sshd.contexts',
  title: 'SSH server settings by type of login',
  why: 'Match blocks change settings for some users or addresses; the server’s test mode shows the settings for root and for an unknown user.',
  commands: {
    rootPublic: ask('root', PUBLIC),
    rootPrivate: ask('root', PRIVATE),
    nobodyPublic: ask('barewitness-nobody', PUBLIC),
    nobodyPrivate: ask('barewitness-nobody', PRIVATE),
  },
  parse(answers) {
    const contexts: SshdContext[] = []
    for (const [user, address, answer] of [
      ['root', PUBLIC, answers.rootPublic],
      ['root', PRIVATE, answers.rootPrivate],
      ['nobody', PUBLIC, answers.nobodyPublic],
      ['nobody', PRIVATE, answers.nobodyPrivate],
    ] as const) {
      const read = settingsOf(answer)
      if (!read.ok) return read
      contexts.push({ user, address, settings: read.fact.settings })
    }
    return known<SshdContexts>({ contexts })
  },
})

function settingsOf({ exitCode, text, errorText }: Answer): Parsed<SshdSettings> {
  if (exitCode === 0) return parseSshdSettings(text)
  const message = errorText.split('\n').find((line) => line.trim() !== '') ?? 'no message'
  return unknown(`not collected: sshd did not print its settings: ${quote(message)}`)
}

/** A Match block of sshd_config(5) with those of its settings that decide who may log in and how. */
export interface MatchBlock {
  readonly condition: string
  readonly settings: readonly (readonly [key: string, value: string])[]
}

export interface SshdConditions {
  readonly blocks: readonly MatchBlock[]
  /** Files outside the searched folders that the configuration includes; they may hold Match blocks too. */
  readonly unread: readonly string[]
}

const KEYWORDS = [
  'Match',
  'Include',
  'PermitRootLogin',
  'PasswordAuthentication',
  'KbdInteractiveAuthentication',
  'ChallengeResponseAuthentication',
  'AuthenticationMethods',
  'PermitEmptyPasswords',
  'HostbasedAuthentication',
  'AllowUsers',
  'AllowGroups',
  'PubkeyAuthentication',
  'PubkeyAcceptedAlgorithms',
  'PubkeyAcceptedKeyTypes',
  'PubkeyAuthOptions',
  'MaxAuthTries',
  'MaxSessions',
  'TrustedUserCAKeys',
  'AuthorizedKeysFile',
  'AuthorizedKeysCommand',
  'AuthorizedPrincipalsFile',
  'AuthorizedPrincipalsCommand',
] as const

/** Settings that are looked for in Match blocks; a check can ask for no other, since no other is collected. */
export type MatchKeyword = Lowercase<(typeof KEYWORDS)[number]>

// Plain words instead of one pattern, because a sudoers line accepts them unchanged.
const WORDS = KEYWORDS.flatMap((keyword) => ['-e', keyword])

// SUSE stores the distributor’s files below /usr/etc; sshd reads them where /etc has none.
const FILES = ['/etc/ssh/sshd_config', '/etc/ssh/sshd_config.d']
const VENDOR_FILES = ['/usr/etc/ssh/sshd_config', '/usr/etc/ssh/sshd_config.d']

/**
 * `sshd -T` prints the settings before any Match block applies, so the blocks are read from the files. A block ends
 * at the next Match or at the end of its file; comments are skipped. Only the folders that distributions include are
 * searched; other includes are named.
 */
export const sshdConditions = defineProbe({
  id: 'sshd.conditions',
  title: 'Conditional settings of the SSH server',
  why: 'Match blocks can permit for some users or addresses what the general settings forbid. Only login settings are read.',
  commands: {
    settings: runAsRoot(['grep', '-r', '-H', '-i', '-w', ...WORDS, ...FILES, ...VENDOR_FILES]),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every configuration file of the SSH server could be read')
    const hasVendorFile =
      !/\/usr\/etc\/ssh\/sshd_config: No such file/.test(settings.errorText) &&
      /^\/usr\/etc\/ssh\//m.test(settings.text)
    if (/ \/etc\/ssh\/sshd_config: No such file/.test(settings.errorText) && !hasVendorFile)
      return unknown('the SSH server keeps its configuration elsewhere')
    return known<SshdConditions>(readBlocks(settings.text))
  },
})

function readBlocks(text: string): SshdConditions {
  const blocks: { condition: string; path: string; settings: [string, string][] }[] = []
  const unread = new Set<string>()
  const open = new Map<string, { condition: string; settings: [string, string][] }>()
  for (const { path, line } of readBySshd(foundLines(text))) {
    const [, keyword = '', rest = ''] = /^\s*(\w+)[\s=]+(.*)$/.exec(line) ?? []
    const [key, value] = [keyword.toLowerCase(), withoutComment(rest)]
    if (key === '') continue
    if (key === 'match') {
      const block = { condition: value.trim(), path, settings: [] as [string, string][] }
      blocks.push(block)
      open.set(path, block)
      continue
    }
    open.get(path)?.settings.push([key, value.replace(/^"|"$/g, '').trim()])
    if (key === 'include') for (const file of value.split(/\s+/)) if (!isSearched(file)) unread.add(file)
  }
  // "Match all" ends conditions again; it applies to everyone, and sshd -T shows it.
  return {
    blocks: blocks
      .filter((block) => block.condition.toLowerCase() !== 'all')
      .map(({ condition, settings }) => ({ condition, settings })),
    unread: [...unread],
  }
}

/** Since OpenSSH 8.7 a word that begins with “#” ends a line, except inside quotation marks; older ones refuse such a line. */
function withoutComment(text: string): string {
  const at = text.search(/\s#/)
  const isQuoted = at >= 0 && text.slice(0, at).split('"').length % 2 === 0
  return at < 0 || isQuoted ? text : text.slice(0, at)
}

/**
 * Without files in the searched folders that sshd does not read. Every distribution includes *.conf there, so copies that editors and
 * packages leave under other names do not count, unless an Include names others as well.
 */
function readBySshd(found: readonly FoundLine[]): readonly FoundLine[] {
  const isOther = ({ line }: FoundLine): boolean =>
    /^\s*Include\b/i.test(line) &&
    line.split(/\s+/).some((word) => /sshd_config\.d\//.test(word) && !/\.conf"?$/.test(word))
  if (found.some(isOther)) return found
  return found.filter(
    ({ path }) => !path.includes('/sshd_config.d/') || /\/sshd_config\.d\/[^/.][^/]*\.conf$/.test(path),
  )
}

// The system-wide policy of Fedora's family names algorithms only (crypto-policies(7)). Relative paths start at /etc/ssh.
const isSearched = (path: string): boolean =>
  path === '' ||
  /^"?((\/usr)?\/etc\/ssh\/)?sshd_config\.d\/[^/]*$/.test(path) ||
  /^"?\/etc\/crypto-policies\/back-ends\/opensshserver\.config"?$/.test(path)

/** Values that Match blocks give to a setting, with their conditions. */
export const conditional = (
  { blocks }: SshdConditions,
  key: MatchKeyword,
): readonly { readonly condition: string; readonly value: string; readonly block: MatchBlock }[] =>
  blocks.flatMap((block) =>
    block.settings.filter(([name]) => name === key).map(([, value]) => ({ condition: block.condition, value, block })),
  )

/** A process of an SSH server, by its command line. */
export interface SshProcess {
  readonly pid: number
  /** It serves a person who is connected, as its title states; its command line is not shown then. */
  readonly isSession: boolean
  /** Program and arguments, split at spaces; empty for a session. */
  readonly words: readonly string[]
  /** False where the title does not show its end, so that arguments may be missing. */
  readonly isWhole: boolean
}

interface SshProcesses {
  readonly processes: readonly SshProcess[]
}

/** A command line longer than this is cut, and counts as not read. */
const MAX_LINE = 8192

/**
 * Command lines of the SSH servers that run (ps(1)): options there go before the configuration file (sshd(8), -o and -f). Only processes of
 * these three names are listed, so that no other program's arguments are read; values of SetEnv and ForceCommand are masked before storage.
 */
export const sshProcesses = defineProbe({
  id: 'ssh.processes',
  title: 'Command lines of running SSH servers',
  why: 'Options on an SSH server’s command line override its configuration file. Only processes named sshd, dropbear or tinysshd are listed, with their arguments.',
  ignoredInDrift: {
    why: 'Process IDs change, users connect and disconnect, and the title of a server counts logins in progress.',
    normalize: ({ processes }: SshProcesses) => ({
      servers: inOrder(
        processes.filter(({ isSession }) => !isSession).map(({ words, isWhole }) => ({ words, isWhole })),
      ),
    }),
  },
  commands: { processes: runAsRoot(['ps', '-ww', '-C', 'sshd,dropbear,tinysshd', '-o', 'pid=,args=']) },
  parse({ processes: { exitCode, text, errorText } }) {
    // procps ends with 1 where no process has such a name.
    if (exitCode > 1 || errorText.trim() !== '') return unknown(`ps did not list processes: ${quote(errorText)}`)
    const rows = lines(text).map(readRow)
    const read = rows.filter((row) => row !== null)
    return read.length === rows.length
      ? known<SshProcesses>({ processes: read })
      : unknown('a line of the output of ps is not a process')
  },
})

/**
 * OpenSSH's titles (sshd.c, setproctitle): "sshd: COMMAND LINE [listener] 0 of 10-100 startups" since 8.2; for sessions "sshd: anna@pts/0",
 * "sshd: anna [priv]" or "sshd: [accepted]".
 */
const LISTENER = /^sshd: (.+) \[listener\] \d+ of \d+-\d+ startups$/
const SESSION = /^sshd: (?:[^/ []\S*(?: \[[a-z]+\])?|\[[a-z]+\])$/

function readRow(row: string): SshProcess | null {
  const [, number, args] = /^ *(\d{1,10}) (.+)$/.exec(row) ?? []
  if (number === undefined || args === undefined) return null
  const pid = Number(number)
  const listener = LISTENER.exec(args)?.[1]
  // A title without its end was cut: it is written over arguments and environment, so its room is limited.
  if (args.startsWith('sshd: ') && listener === undefined)
    return { pid, isSession: SESSION.test(args), words: [], isWhole: false }
  return {
    pid,
    isSession: false,
    words: (listener ?? args).split(' ').filter((word) => word !== ''),
    isWhole: args.length <= MAX_LINE,
  }
}

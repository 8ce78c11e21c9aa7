import {
  defineProbe,
  glob,
  known,
  type Parsed,
  type Probe,
  run,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import { foundLines, grepIsComplete, lines } from '../../base/read-text.ts'
import { readIsoMoment } from './login-traces.ts'

export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
  /**
   * The content of the password field in place of the “x” that refers to the shadow file: nothing, so that no
   * password is requested, or a possible hash, which takes precedence over the shadow file (passwd(5), pam_unix(8)).
   * Absent where there is an “x”. The text itself is not stored.
   */
  readonly inPasswd?: 'nothing' | 'something'
}

interface Group {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
}

export interface LocalAccounts {
  readonly accounts: readonly Account[]
  readonly groups: readonly Group[]
  /** Name services besides files that may supply more accounts (nsswitch.conf(5), `passwd:`), such as sss or ldap. */
  readonly otherSources: readonly string[]
}

// Prints passwd(5) without the comment of each account, and of what is in place of the “x” two characters at most: enough to distinguish a
// mark from a hash, which is what they are read for.
const WITHOUT_COMMENTS = 's/^\\([^:]*:[^:]\\{0,2\\}\\)[^:]*\\(:[^:]*:[^:]*:\\)[^:]*/\\1\\2/'

/** passwd(5) and group(5): the local accounts, without passwords (they live in a file that is never read) and comments. */
export const accountsLocal = defineProbe({
  id: 'accounts.local',
  title: 'Local accounts and groups',
  why: 'Shows which names exist on the server, which of them can start a shell, and who is in which group. No password data and no comments are read.',
  commands: {
    passwd: run(['sed', '-e', WITHOUT_COMMENTS, '/etc/passwd']),
    group: run(['cat', '/etc/group']),
    sources: run(['grep', '-E', '^[[:space:]]*passwd:', '/etc/nsswitch.conf']),
  },
  parse({ passwd, group, sources }) {
    if (passwd.exitCode !== 0 || group.exitCode !== 0) return unknown('the account files could not be read')
    const accounts = lines(passwd.text).map(readAccount)
    const groups = lines(group.text).map(readGroup)
    if (accounts.length === 0 || groups.length === 0) return unknown('the list of accounts or of groups is empty')
    if (accounts.includes(null) || groups.includes(null))
      return unknown('a line of the account files is not in the form of passwd(5)')
    if (sources.exitCode > 1 && !/No such file/.test(sources.errorText))
      return unknown('the list of name services could not be read')
    const read = accounts.filter((account) => account !== null)
    return known<LocalAccounts>({
      accounts: read,
      groups: groups.filter((entry) => entry !== null),
      otherSources: readSources(sources.text).filter((source) => source !== 'compat' || read.some(isIncluded)),
    })
  },
})

/** nsswitch.conf(5), Compatibility mode: compat is files, and what lines with + or - name of another source. */
const isIncluded = ({ name }: Account): boolean => /^[+-]/.test(name)

// A "+" line pulls in NIS accounts (passwd(5), nsswitch "compat"); it names no account itself, and makes the list incomplete.
function readAccount(line: string): Account | null {
  const [name, password, uid, gid, , home, shell] = line.split(':')
  if (name === undefined || name === '' || !isId(uid) || !isId(gid) || home === undefined || shell === undefined)
    return null
  const account = { name, uid: Number(uid), gid: Number(gid), home, shell: shell === '' ? '/bin/sh' : shell }
  if (password === '') return { ...account, inPasswd: 'nothing' }
  return password === undefined || /^(x$|##|[*!])/.test(password) ? account : { ...account, inPasswd: 'something' }
}

function readGroup(line: string): Group | null {
  const [name, , gid, members] = line.split(':')
  if (name === undefined || name === '' || !isId(gid) || members === undefined) return null
  return { name, gid: Number(gid), members: members.split(',').filter((member) => member !== '') }
}

// Larger numbers are cut to 32 bits by some C libraries, and can so become 0, which is root.
const isId = (text: string | undefined): text is string =>
  text !== undefined && /^\d{1,10}$/.test(text) && Number(text) <= 4_294_967_295

const LOCAL_SOURCES: ReadonlySet<string> = new Set(['files', 'systemd', 'mymachines', 'altfiles'])

// A marker of the redactor represents a source that looked like a password after the colon; actions are in brackets too.
function readSources(text: string): readonly string[] {
  const named = lines(text).flatMap((line) =>
    line
      .replace(/#.*/, '')
      .replace(/\[redacted:[^\][]*\]/g, ' unreadable ')
      .replace(/\[[^\][]*\]/g, ' ')
      .split(':')
      .slice(1)
      .join(' ')
      .split(/\s+/),
  )
  return [...new Set(named.filter((source) => source !== '' && !LOCAL_SOURCES.has(source)))]
}

const NO_LOGIN = /(^|\/)(nologin|false|true|sync|shutdown|halt|git-shell)$/

/** Accounts whose shell starts a session. Whether a password or key opens them is a separate question. */
export const canLogIn = (account: Account): boolean => !NO_LOGIN.test(account.shell)

/** Everyone in a group, by supplementary membership or as primary group. */
export function membersOf({ accounts, groups }: LocalAccounts, name: string): readonly string[] {
  const matching = groups.filter((group) => group.name === name)
  const ids = new Set(matching.map((group) => group.gid))
  const primary = accounts.filter((account) => ids.has(account.gid)).map((account) => account.name)
  return [...new Set([...matching.flatMap((group) => group.members), ...primary])]
}

export interface LoginDefs {
  /** Setting → value. The files of the administrator come before those of the distribution. */
  readonly settings: ReadonlyMap<string, string>
}

/** login.defs(5): ages of passwords, scheme of their hashes, and where the ids of people begin. SUSE keeps its own part below /usr/etc. */
export const accountsLoginDefs = defineProbe({
  id: 'accounts.login-defs',
  title: 'Rules for new accounts and passwords',
  why: 'Shows how long a password may stay unchanged and how a new one is stored.',
  commands: {
    settings: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*(ENCRYPT_METHOD|PASS_MAX_DAYS|PASS_MIN_DAYS|PASS_WARN_AGE|UID_MIN)[[:space:]]',
      '/usr/etc/login.defs',
      '/etc/login.defs',
      glob('/etc/login.defs.d/*.defs'),
    ]),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every file of rules for accounts could be read')
    const values = new Map<string, string>()
    for (const { line } of foundLines(settings.text)) {
      const [key = '', value = ''] = line.trim().split(/\s+/)
      values.set(key, value)
    }
    if (values.size === 0) return unknown('there are no rules for accounts in the default locations')
    return known<LoginDefs>({ settings: values })
  },
})

/** locked: no password opens it. usable: a password is set. none: it opens without one. */
export type PasswordState = 'locked' | 'usable' | 'none'
export interface PasswordStates {
  readonly states: ReadonlyMap<string, PasswordState>
}

/** Whether no password opens a local account: each is locked, and the account list itself has none. */
export const everyPasswordLocked = ({ states }: PasswordStates, { accounts }: LocalAccounts): boolean =>
  accounts.every(({ name, inPasswd }) => inPasswd === undefined && states.get(name) === 'locked') &&
  [...states.values()].every((state) => state === 'locked')

const STATES: Readonly<Record<string, PasswordState>> = {
  L: 'locked',
  LK: 'locked',
  P: 'usable',
  PS: 'usable',
  NP: 'none',
}

/**
 * passwd(1) `-S -a` prints L, P or NP per account and no hash. `lslogins` is not used: its PWD-EMPTY is 1 for `*`, for `!` and for truly
 * empty alike. Red Hat 8 and 9 have no `-a`; there `accounts.password-locks` shows a part of it.
 */
export const accountsPasswordState = defineProbe({
  id: 'accounts.password-state',
  title: 'Password state of each account',
  why: 'Shows for each account whether a password is set, locked or missing. The passwords and their hashes are not read.',
  commands: { states: runAsRoot(['passwd', '-S', '-a']) },
  parse({ states }) {
    if (states.exitCode !== 0) return unknown('passwd could not list the state of all accounts')
    const rows = lines(states.text).map((line) => line.split(/\s+/))
    const read = rows.map(([name, state]) => [name ?? '', STATES[state ?? ''] ?? null] as const)
    // A name with a blank would shift the words, and could so support another account.
    if (read.length === 0 || rows.some(([, , third]) => STATES[third ?? ''] !== undefined))
      return unknown('the output of passwd has an unexpected format')
    if (read.some(([name, state]) => name === '' || state === null))
      return unknown('the output of passwd has an unexpected format')
    return known<PasswordStates>({
      states: new Map(read.flatMap(([name, state]) => (state === null ? [] : [[name, state] as const]))),
    })
  },
})

/**
 * lslogins(1), for Red Hat 8 and 9, whose passwd(1) has no `-a`. PWD-LOCK or PWD-DENY is 1 only where the field begins with “!” or “*”
 * (login-utils/lslogins.c), so such an account is locked; with neither, a named scheme means a hash. All else stays open: by version,
 * “*”, an empty field and an old scheme look alike, and an account whose group does not exist ends the list with status 0.
 */
export const accountsPasswordLocks = defineProbe({
  id: 'accounts.password-locks',
  title: 'Locked passwords, where passwd cannot list them',
  why: 'Shows for each account whether its password is locked or set. The passwords and their hashes are not read.',
  commands: { accounts: runAsRoot(['lslogins', '-e', '-o', 'USER,PWD-LOCK,PWD-DENY,PWD-METHOD']) },
  parse({ accounts }) {
    if (accounts.exitCode !== 0) return unknown('lslogins did not respond')
    const rows = lines(accounts.text).map((line) =>
      /^USER="([^"]*)" PWD[-_]LOCK="([01]?)" PWD[-_]DENY="([01]?)" PWD[-_]METHOD="([^"]*)"$/.exec(line),
    )
    if (rows.length === 0 || rows.includes(null)) return unknown('the output of lslogins has an unexpected format')
    return known<PasswordStates>({
      states: new Map(
        rows.flatMap((row): readonly (readonly [string, PasswordState])[] => {
          const [, name = '', lock = '', deny = '', method = ''] = row ?? []
          if (lock === '1' || deny === '1') return [[name, 'locked']]
          return lock === '0' && deny === '0' && method !== '' ? [[name, 'usable']] : []
        }),
      ),
    })
  },
})

interface PasswordMethod {
  /** Hash scheme in the words of lslogins (MD5, SHA-512, Yescrypt …); null for none or an unknown one. */
  readonly method: string | null
  /** Last change, in milliseconds since 1970 UTC; null where not reported. */
  readonly changed: number | null
  /** Most days that it may stay unchanged; null for no limit. */
  readonly maxDays: number | null
  /** The day on which the account itself expires, in milliseconds since 1970 UTC; absent where it never does, or was not reported. */
  readonly expires?: number
}

export interface PasswordMethods {
  readonly accounts: ReadonlyMap<string, PasswordMethod>
}

const COLUMNS = 'USER,PWD-METHOD,PWD-CHANGE,PWD-MAX,PWD-EXPIR'

/**
 * lslogins(1) names the scheme of each password’s hash and never the hash. Columns about logins are requested elsewhere: without their
 * files lslogins gives no response at all. PWD-EXPIR is the day on which the account expires (shadow(5); login-utils/lslogins.c), 0 is none. At an account whose group does not exist its list ends, with status 0; so an account that is not
 * named here was not examined.
 */
export const accountsPasswordMethods = defineProbe({
  id: 'accounts.password-methods',
  title: 'Password storage and expiry',
  why: 'Shows by which scheme each password is stored, when it was last changed, when it must change, and when the account expires. Passwords and hashes are not read.',
  commands: { accounts: runAsRoot(['lslogins', '--time-format=iso', '-e', '-o', COLUMNS]) },
  parse({ accounts }) {
    if (accounts.exitCode !== 0) return unknown('lslogins did not respond')
    const rows = lines(accounts.text).map((line) =>
      /^USER="([^"]*)" PWD[-_]METHOD="([^"]*)" PWD[-_]CHANGE="([^"]*)" PWD[-_]MAX="(-?\d{0,9})"(?: PWD[-_]EXPIR="([^"]*)")?$/.exec(
        line,
      ),
    )
    if (rows.length === 0 || rows.includes(null)) return unknown('the output of lslogins has an unexpected format')
    return known<PasswordMethods>({
      accounts: new Map(
        rows.map((row) => {
          const [, name = '', method = '', changed = '', days = '', last = ''] = row ?? []
          const expires = readIsoMoment(last) ?? 0
          return [
            name,
            {
              method: method === '' ? null : method,
              changed: readIsoMoment(changed),
              maxDays: /^\d+$/.test(days) ? Number(days) : null,
              ...(expires > 0 ? { expires } : {}),
            },
          ] as const
        }),
      ),
    })
  },
})

/** State of passwords, and the question that reported it. */
export interface ReportedPasswords {
  readonly passwords: Parsed<PasswordStates>
  readonly reportedBy: Probe<PasswordStates>
}

/**
 * The password states that passwd(1) lists, otherwise the part of them that lslogins(1) lists; an account that the
 * latter leaves open has no state.
 */
export const reportedPasswords = ({
  passwords,
  locks,
}: {
  readonly passwords: Parsed<PasswordStates>
  readonly locks: Parsed<PasswordStates>
}): ReportedPasswords =>
  passwords.ok || !locks.ok
    ? { passwords, reportedBy: accountsPasswordState }
    : { passwords: locks, reportedBy: accountsPasswordLocks }

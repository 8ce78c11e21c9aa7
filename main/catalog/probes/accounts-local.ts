import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
  /**
   * What is in place of the “x” that points to the shadow file: nothing, so that no password is requested, or something that can be a hash,
   * which holds instead of the one there (passwd(5), pam_unix(8)). Absent where neither does. The text itself is not kept.
   */
  readonly inPasswd?: 'nothing' | 'something'
}
export interface Group {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
}
export interface LocalAccounts {
  readonly accounts: readonly Account[]
  readonly groups: readonly Group[]
  /** Name services in addition to files that may supply more accounts (nsswitch.conf(5), `passwd:`), such as sss or ldap. */
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
    return known<LocalAccounts>({
      accounts: accounts.filter((account) => account !== null),
      groups: groups.filter((entry) => entry !== null),
      otherSources: readSources(sources.text),
    })
  },
})

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

/** Accounts whose shell starts a session. Whether a password or key opens them is another question. */
export const canLogIn = (account: Account): boolean => !NO_LOGIN.test(account.shell)

/** Everyone in a group, by supplementary membership or as primary group. */
export function membersOf({ accounts, groups }: LocalAccounts, name: string): readonly string[] {
  const matching = groups.filter((group) => group.name === name)
  const ids = new Set(matching.map((group) => group.gid))
  const primary = accounts.filter((account) => ids.has(account.gid)).map((account) => account.name)
  return [...new Set([...matching.flatMap((group) => group.members), ...primary])]
}

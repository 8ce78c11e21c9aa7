import type { Mark } from './redact.ts'

/** Which words of a program hand it a password: glued to the option, or as the word behind it. */
interface Client {
  readonly glued?: RegExp
  readonly next?: RegExp
  /** Only what has this form is a secret there; the first group stays. */
  readonly form?: RegExp
}

const NAME_AND_PASSWORD = /^([^:\s]{0,256}:)(.+)$/
const MYSQL: Client = { glued: /^-p/ }
const LDAP: Client = { glued: /^-w/, next: /^-w$/ }
const SNMP: Client = { next: /^-[cAX]$/ }
const SAMBA: Client = { next: /^-U$/, form: /^([^%\s]{0,256}%)(.+)$/ }
const SQL: Client = { next: /^-P$/, glued: /^-P/ }
const SEVEN_ZIP: Client = { glued: /^-p/ }
const MONGO: Client = { next: /^-p$/ }

/** By the manual page of each: a short option means a password only to a program that takes it for one. */
const CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  ...['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mysqlcheck', 'mysqlbinlog', 'mysqlsh'].map(
    (name) => [name, MYSQL] as const,
  ),
  ...[
    'mariadb',
    'mariadb-dump',
    'mariadb-admin',
    'mariadb-import',
    'mariadb-check',
    'mariadb-backup',
    'xtrabackup',
  ].map((name) => [name, MYSQL] as const),
  ...['ldapsearch', 'ldapadd', 'ldapmodify', 'ldapdelete', 'ldapwhoami', 'ldappasswd'].map(
    (name) => [name, LDAP] as const,
  ),
  ...['snmpget', 'snmpwalk', 'snmpset', 'snmpbulkwalk', 'snmptrap'].map((name) => [name, SNMP] as const),
  ...['smbclient', 'rpcclient', 'smbget'].map((name) => [name, SAMBA] as const),
  ...['sqlcmd', 'bcp', 'isql', 'ipmitool', 'zip', 'unzip'].map((name) => [name, SQL] as const),
  ...['7z', '7za', '7zr', '7zz', 'rar', 'unrar'].map((name) => [name, SEVEN_ZIP] as const),
  ...['mongo', 'mongosh', 'mongodump', 'mongorestore', 'mongoexport'].map((name) => [name, MONGO] as const),
  ['sshpass', { glued: /^-p/, next: /^-p$/ }],
  ['redis-cli', { next: /^-a$/ }],
  ['curl', { glued: /^-[uU](?=[^:\s]+:)/, next: /^(-u|-U)$/, form: NAME_AND_PASSWORD }],
])

const NAMES =
  '(?:[a-z0-9]{1,20}[-_]){0,4}(?:password|passwd|passphrase|pass|pwd|token|secret|api[-_]?key|access[-_]?key|secret[-_]?key|auth[-_]?key|credentials?)'
const LONG = new RegExp(`^--?${NAMES}$`, 'i')
const LONG_GLUED = new RegExp(`^--?${NAMES}=`, 'i')
const LONG_USER = /^--(?:proxy-)?user$/i
const LONG_USER_GLUED = /^--(?:proxy-)?user=/i
/** openssl-passphrase-options(1). */
const OPENSSL_PASS = /^pass:/

/** A line that none of this can be in is passed over at once. */
const WORTH_READING = new RegExp(
  `(?:^|[\\s"'])--?[a-z]|pass:|(?:^|[\\s"'/])(?:${[...CLIENTS.keys()].join('|')})(?:[\\s"']|$)`,
  'i',
)

const WORD = /[^\s]+/g
const OPENING = /^["'`(\\]{1,4}/
const CLOSING = /[\\"'`),;]{1,8}$/
/** Named elsewhere and not here: variables, templates; switches; and what was replaced before. */
const NO_SECRET =
  /^(?:\$\{?[A-Z_][A-Z0-9_]{0,64}\}?|\$\(.{0,200}|<[^>]{0,64}>|\[redacted:.{0,2000}|true|false|yes|no|none|-.{0,200})$/

/**
 * Takes passwords out of what looks like a command line, wherever it stands: descriptions of units, sudoers, settings. Long options by their
 * names; short ones only behind a program that takes them for a password. One pass over the words of each line.
 */
export function withoutCommandLineSecrets(text: string, mark: Mark): string {
  if (!WORTH_READING.test(text)) return text
  return text
    .split('\n')
    .map((line) => (WORTH_READING.test(line) ? maskLine(line, mark) : line))
    .join('\n')
}

function maskLine(line: string, mark: Mark): string {
  const kept: string[] = []
  let done = 0
  let client: Client | null = null
  let expects: RegExp | 'anything' | null = null
  for (const { 0: word, index } of line.matchAll(WORD)) {
    if (index < done) continue
    const opening = OPENING.exec(word)?.[0].length ?? 0
    const bare = word.slice(opening).replace(CLOSING, '')
    const awaited: RegExp | 'anything' | null = expects
    expects = null
    const at = index + opening
    const found =
      awaited !== null && !NO_SECRET.test(bare) ? secretAt(at, bare, awaited) : gluedSecret(at, bare, client)
    if (found !== null) {
      const end = quotedEnd(line, found.from) ?? found.to
      kept.push(line.slice(done, found.from), mark('password', end - found.from))
      done = end
      continue
    }
    const known = CLIENTS.get(bare.slice(bare.lastIndexOf('/') + 1))
    if (known !== undefined) client = known
    else if (/^(?:[|&;]{1,2}|.*;)$/.test(word)) client = null
    if (LONG.test(bare)) expects = 'anything'
    else if (LONG_USER.test(bare)) expects = NAME_AND_PASSWORD
    else if (client?.next?.test(bare) === true) expects = client.form ?? 'anything'
  }
  return done === 0 ? line : kept.join('') + line.slice(done)
}

interface Place {
  readonly from: number
  readonly to: number
}

function secretAt(at: number, bare: string, form: RegExp | 'anything'): Place | null {
  if (bare === '') return null
  if (form === 'anything') return { from: at, to: at + bare.length }
  const head = form.exec(bare)?.[1]
  // Numbers of a user and a group are no password.
  return head === undefined || /^\d+:\d+$/.test(bare) || NO_SECRET.test(bare.slice(head.length))
    ? null
    : { from: at + head.length, to: at + bare.length }
}

function gluedSecret(at: number, bare: string, client: Client | null): Place | null {
  const head =
    LONG_GLUED.exec(bare)?.[0] ??
    OPENSSL_PASS.exec(bare)?.[0] ??
    LONG_USER_GLUED.exec(bare)?.[0] ??
    client?.glued?.exec(bare)?.[0]
  if (head === undefined || head.length === bare.length) return null
  const value = bare.slice(head.length)
  const quotes = /^["']/.test(value) ? 1 : 0
  if (NO_SECRET.test(value.slice(quotes))) return null
  const form = LONG_USER_GLUED.test(bare) || client?.form !== undefined ? NAME_AND_PASSWORD : 'anything'
  return secretAt(
    at + head.length + quotes,
    value.slice(quotes),
    LONG_GLUED.test(bare) || OPENSSL_PASS.test(bare) ? 'anything' : form,
  )
}

/** Where a value ends that begins behind a quotation mark: at the next one of its kind; null where it is not quoted or not closed. */
function quotedEnd(line: string, from: number): number | null {
  const quote = line[from - 1]
  if (quote !== '"' && quote !== "'") return null
  const end = line.indexOf(quote, from)
  return end < 0 ? null : end
}

import type { Mark } from './redact-parts.ts'

/** An option that passes a password: in the word after it, or in the same word. */
interface Option {
  readonly head: RegExp
  /** The part of the value before the password, as the first group; a value of another form contains none. */
  readonly form: RegExp
}

const ANYTHING = /^()/
/** `UID:GID` contains no password. */
const NAME_AND_PASSWORD = /^((?!\d{1,10}:\d{1,10}$)[^:\s]{0,256}:)/
const NAME_PERCENT_PASSWORD = /^([^%\s]{0,256}%)/
const NAME_COMMA_PASSWORD = /^([^,\s]{0,256},)/

// With `-p` alone, these programs prompt for the password.
const GLUED_P: Option = { head: /^-p(?=.)/, form: ANYTHING }
const SHORT_P: Option = { head: /^-p/, form: ANYTHING }
const CAPITAL_P: Option = { head: /^-P/, form: ANYTHING }
// Behind options that take no value, as in `ldapsearch -xw`, `zip -erP` and `curl -sSu`.
const ZIP: Option = { head: /^-[a-z0-9]{0,8}P/, form: ANYTHING }
const LDAP: Option = { head: /^-[xLZvncCIQN]{0,8}w/, form: ANYTHING }
const CURL: Option = { head: /^-[#\dafgGiIjJklLnNOpqRsSvVZB]{0,12}[uUE]/, form: NAME_AND_PASSWORD }
/** A cookie itself; without an equals sign it is the name of a file. */
const COOKIE: Option = { head: /^(?:-b|--cookie(?:=|$))/, form: /^([^=\s]{1,256}=)/ }
const CERTIFICATE: Option = { head: /^--(?:proxy-)?cert(?:=|$)/, form: NAME_AND_PASSWORD }
const PROXY: Option = { head: /^(?:-x|--proxy(?:=|$))/, form: /^([^:@\s]{1,256}:)(?=[^\s]{0,512}@)/ }
const TPM: Option = { head: /^-[pP]/, form: /^(?!(?:session|file|pcr):)()/ }
const SNMP: Option = { head: /^-[cAX]/, form: ANYTHING }
const SAMBA: Option = { head: /^(?:-U|--user(?:=|$))/, form: NAME_PERCENT_PASSWORD }

/** Short options by program, from the manual page of each: the same option has other meanings in other programs. */
const PROGRAMS: readonly (readonly [Option, readonly string[]])[] = [
  [GLUED_P, ['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mysqlcheck', 'mysqlbinlog', 'mysqlsh']],
  [GLUED_P, ['mysqlshow', 'mysqlslap', 'mysqlpump', 'mysql_upgrade', 'mariadb', 'mariadb-dump', 'mariadb-admin']],
  [GLUED_P, ['mariadb-import', 'mariadb-check', 'mariadb-backup', 'mariabackup', 'mariadb-binlog', 'mariadb-show']],
  [GLUED_P, ['xtrabackup', '7z', '7za', '7zr', '7zz', 'rar', 'unrar']],
  [SHORT_P, ['mongo', 'mongosh', 'mongodump', 'mongorestore', 'mongoexport', 'mongoimport', 'mongostat', 'mongofiles']],
  // `docker login -p`, and the same of podman, helm, az and oc.
  [
    SHORT_P,
    ['sshpass', 'login', 'cqlsh', 'cypher-shell', 'racadm', 'rabbitmqadmin', 'ncftpput', 'ncftpget', 'veracrypt'],
  ],
  [SHORT_P, ['ipmipower', 'ipmiconsole', 'ipmi-sensors', 'ipmi-sel', 'ipmi-chassis', 'ipmi-config', 'bmc-info']],
  [SHORT_P, ['useradd', 'usermod', 'pkcs11-tool', 'check_mysql', 'check_pgsql', 'twine', 'redfishtool']],
  [
    CAPITAL_P,
    ['sqlcmd', 'bcp', 'isql', 'tsql', 'ipmitool', 'mosquitto_pub', 'mosquitto_sub', 'agent-auth', 'check_ldap'],
  ],
  [{ head: /^-[ky]/, form: ANYTHING }, ['ipmitool']],
  [{ head: /^-[NP]/, form: ANYTHING }, ['ssh-keygen']],
  [{ head: /^-[kK]$/, form: ANYTHING }, ['openssl']],
  [{ head: /^-t/, form: ANYTHING }, ['k3s', 'rke2', 'doctl', 'flyctl', 'influx', 'frpc']],
  [{ head: /^-r/, form: ANYTHING }, ['gitlab-runner']],
  [{ head: /^-k/, form: ANYTHING }, ['netbird', 'mcrypt', 'ss-local', 'ss-server', 'ssserver', 'sslocal']],
  [{ head: /^-K/, form: ANYTHING }, ['ccrypt', 'ccencrypt', 'ccdecrypt']],
  [{ head: /^-c/, form: NAME_AND_PASSWORD }, ['ttyd', 'gotty']],
  [{ head: /^--?encrypt(?:=|$)/, form: ANYTHING }, ['consul']],
  [{ head: /^-C/, form: ANYTHING }, ['check_snmp']],
  [{ head: /^-[xa]p$/, form: ANYTHING }, ['sendemail', 'sendEmail', 'swaks', 'ssmtp']],
  [TPM, ['tpm2_unseal', 'tpm2_nvread', 'tpm2_nvwrite', 'tpm2_load', 'tpm2_create', 'tpm2_createprimary']],
  [ZIP, ['zip', 'unzip', 'zipcloak']],
  [
    LDAP,
    ['ldapsearch', 'ldapadd', 'ldapmodify', 'ldapdelete', 'ldapwhoami', 'ldappasswd', 'ldapmodrdn', 'ldapcompare'],
  ],
  [LDAP, ['kadmin', 'ipa-client-install', 'ipa-getkeytab', 'ipa-join']],
  [{ head: /^-[as]/, form: ANYTHING }, ['ldappasswd']],
  [SNMP, ['snmpget', 'snmpgetnext', 'snmpwalk', 'snmpset', 'snmpbulkget', 'snmpbulkwalk', 'snmptable', 'snmptrap']],
  [SAMBA, ['smbclient', 'rpcclient', 'smbget', 'smbcacls', 'samba-tool', 'net', 'winexe']],
  [{ head: /^-a/, form: ANYTHING }, ['redis-cli']],
  [{ head: /^-a/, form: NAME_PERCENT_PASSWORD }, ['wbinfo']],
  [{ head: /^-u/, form: NAME_COMMA_PASSWORD }, ['lftp']],
  [CURL, ['curl']],
  [COOKIE, ['curl']],
  [PROXY, ['curl']],
  [CERTIFICATE, ['curl']],
  [{ head: /^-a/, form: NAME_AND_PASSWORD }, ['http', 'https', 'xh', 'check_http']],
]
const CLIENTS = new Map<string, Option[]>()
for (const [option, names] of PROGRAMS)
  for (const name of names) CLIENTS.set(name, [...(CLIENTS.get(name) ?? []), option])

const NAMES =
  '(?:[a-z0-9]{1,20}[-_.]){0,4}(?:password|passwd|passphrase|pass|pwd|pw|psk|token|secret|(?:api|access|secret|auth|account|setup|license|certificate|encryption|master|b2|azureblob|swift)[-_]?key|credentials?|(?:src|dest)?(?:key|store)pass|ext-?pass|viewpasswd|tlspassword|requirepass|masterauth|(?:pass|password|passphrase)[-_]?command)'
/** Options of any program, by their names. openssl-passphrase-options(1) has passwords behind `pass:`. */
const NAMED: readonly Option[] = [
  { head: new RegExp(`^--?(?:${NAMES}[0-9]?|(?:so-)?pin)(?:=|$)`, 'i'), form: ANYTHING },
  { head: /^pass:/, form: ANYTHING },
  // hdparm(8), and kubectl-create-secret-generic(1).
  { head: /^--security-(?:unlock|set-pass|disable|erase(?:-enhanced)?)(?:=|$)/, form: ANYTHING },
  { head: /^--from-literal(?:=|$)/, form: /^([^=\s]{1,256}=)/ },
]
const USER: Option = {
  head: /^(?:--(?:(?:proxy-)?user|(?:src-|dest-)?creds)|--?auth)(?:=|$)/i,
  form: NAME_AND_PASSWORD,
}

/** End of a line that is not continued in the next one, as in a shell, in systemd, and in a list of words in JSON. */
const LINE_END = /(?<!\\|["'],)\n/
/** Texts and lines without a match are skipped. No match depends on a line break. */
const WORTH_READING = /(?<![\w-])-{1,2}[\w#]|pass:/

const WORD = /[^\s]+/g
const OPENING = /^["'`(\\[{$]{0,4}/
const CLOSING = /[\\"'`),;\]}]{1,8}$/
/** Includes `\"` of a command line inside another one, and `$'` of a shell. */
const OPENING_OF_VALUE = /[$\\]?["']/y
/** A quotation mark that is not escaped. */
const QUOTE = /\\[\s\S]|["']/g
/** The program of a command: behind its path, `$(` or `name=`. */
const PROGRAM = /(?<![\w.-])[\w.-]{1,20}$/
const SEPARATOR = /[|&;]$/
/** A blank after a backslash belongs to the word. */
const END_OF_WORD = /(?<!\\) |[^\S ]/g
/** Values that are no password: nothing, variables, templates and redirections, switches, and markers of earlier rules. */
const NO_SECRET =
  /^(?:(?:\$\{?[A-Z_][A-Z0-9_]{0,64}\}?|<[^<>]{0,64}>|[|&;<>]{1,2}|true|false|yes|no|none)?$|\$\(|`|\[redacted:)/

/**
 * Masks passwords in command lines within any text: descriptions of units, sudoers, settings. Long options are recognized by their names,
 * short ones only after a program for which they pass a password. One pass over the words of each line.
 */
export function withoutCommandLineSecrets(text: string, mark: Mark): string {
  if (!WORTH_READING.test(text)) return text
  return text
    .split(LINE_END)
    .map((line) => (WORTH_READING.test(line) ? maskLine(line, mark) : line))
    .join('\n')
}

function maskLine(line: string, mark: Mark): string {
  const kept: string[] = []
  let done = 0
  let client: readonly Option[] = []
  let expects: RegExp | null = null
  let before = ''
  for (const { 0: word, index } of line.matchAll(WORD)) {
    if (word === '\\') continue
    if (index >= done) {
      const read = readWord(line, word, index, client)
      const awaited: Place | null =
        expects === null || word.startsWith('-') ? null : secretIn(line, valueAt(line, index), expects)
      const found: Place | null = awaited ?? read.secret
      if (found !== null) {
        kept.push(line.slice(done, found.from), mark('password', found.to - found.from))
        done = found.to
      }
      expects = read.expects
      client = (WATCH.test(before) ? read.program?.map(watched) : read.program) ?? client
    }
    before = word
    if (SEPARATOR.test(word) && index + word.length > done) {
      client = []
      expects = null
    }
  }
  return kept.join('') + line.slice(done)
}

/**
 * auditctl(8): `-w`, alone or behind the name of a file of rules, takes a file to watch, which may have the name of a program, and `-p` the
 * accesses.
 */
const WATCH = /(?:^|:)-w$/
const watched = (option: Option): Option =>
  option.form === ANYTHING ? { ...option, form: /^(?![rwxa]{1,4}$)()/ } : option

/** A part of a line; `to` is exclusive. */
interface Place {
  readonly from: number
  readonly to: number
}

/** Meaning of one word: an option with its password, an option whose password follows, or a program. */
interface Read {
  readonly secret: Place | null
  readonly expects: RegExp | null
  readonly program: readonly Option[] | undefined
}

function readWord(line: string, word: string, index: number, client: readonly Option[]): Read {
  const opening = OPENING.exec(word)?.[0] ?? ''
  const at = index + opening.length
  const bare = word.slice(opening.length).replace(CLOSING, '')
  const option = [...NAMED, ...client, USER].find((one) => one.head.test(bare))
  if (option === undefined) return { secret: null, expects: null, program: CLIENTS.get(PROGRAM.exec(bare)?.[0] ?? '') }
  const head = option.head.exec(bare)?.[0] ?? ''
  if (head === bare && /\w$/.test(head)) return { secret: null, expects: option.form, program: undefined }
  const from = at + head.length
  const place = /["']$/.test(opening) ? { from, to: endOfQuoted(line, at) } : valueAt(line, from)
  return { secret: secretIn(line, place, option.form), expects: null, program: undefined }
}

function secretIn(line: string, { from, to }: Place, form: RegExp): Place | null {
  const value = line.slice(from, to)
  const head = form.exec(value)?.[1]
  return head === undefined || NO_SECRET.test(value.slice(head.length)) ? null : { from: from + head.length, to }
}

/** The value that begins here, without its quotation marks. */
function valueAt(line: string, at: number): Place {
  OPENING_OF_VALUE.lastIndex = at
  const opening = OPENING_OF_VALUE.exec(line)?.[0]
  if (opening === undefined) return { from: at, to: endOfWord(line, at) }
  return { from: at + opening.length, to: endOfQuoted(line, at + opening.length) }
}

/** The end of the word that begins here, without closing quotation marks and brackets around it. */
function endOfWord(line: string, from: number): number {
  END_OF_WORD.lastIndex = from
  const word = line.slice(from, END_OF_WORD.exec(line)?.index)
  return from + word.replace(CLOSING, '').length
}

/** The end of a value after a quotation mark: the next mark of the same kind, or the end of the line where it was truncated. */
function endOfQuoted(line: string, from: number): number {
  const [before, quote = ''] = [line[from - 2], line[from - 1]]
  if (before === '\\') return indexOrEnd(line, line.indexOf(`\\${quote}`, from))
  if (quote === "'" && before !== '$') return indexOrEnd(line, line.indexOf(quote, from))
  QUOTE.lastIndex = from
  for (let found = QUOTE.exec(line); found !== null; found = QUOTE.exec(line))
    if (found[0] === quote) return found.index
  return line.length
}

const indexOrEnd = (line: string, index: number): number => (index === -1 ? line.length : index)

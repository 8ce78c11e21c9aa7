import { anyValue, ofAssignment, ofVariable, type Rule, UP_TO_BLANK, VARIABLE_VALUE } from './redact-parts.ts'

const PASSWORD_NAMES =
  'passw(?:or)?d|pgpassword|sshpass|passphrase|pwd|psk|secret|authtok|api[_-]?key|auth[_-]?token|access[_-]?token|secret[._-]?key|account[_-]?key|shared[_-]?access[_-]?key|secret[_-]?access[_-]?key|community'
/** Names before an equals sign, where a short value is a secret too; `pwd` alone is a folder. */
const ASSIGNED_NAMES =
  'passw(?:or)?d|sshpass|passphrase|secret|token|authtok|api[_-]?key|secret[._-]?key|account[_-]?key|access[._-]?key|secret[_-]id|pin-value|mysql_pwd|rediscli_auth'
const KEY_NAMES = ['api', 'account', 'access'].flatMap((of) => ['', '_', '-', '.'].map((sign) => `${of}${sign}key`))

/** Variables, by the end of their names; written in capitals. */
const VARIABLES =
  'PASS(?:WORDS?|WD|PHRASE)?|SECRETS?|TOKEN|CREDENTIALS?|CREDS|APIKEY|(?:API|APP|APPLICATION|MASTER|LICEN[SC]E|ENCRYPTION|SIGNING|PRIVATE|SECRET|ACCESS|ACCOUNT|UNSEAL|SESSION|AUTH|INTEGRATION|ROUTING|RECOVERY|HMAC|DEPLOY|SETUP)_?KEY(?:_BASE)?|(?:ROOT|BIND|USER|ADMIN|_)PW|_PAT|OTP_SEED'
/** In passwd(5) and group(5), a name before the colon is that of an account or group. */
const NO_ACCOUNT = String.raw`(?![^\s:]{0,2}:\d{1,10}:)`
/** Where a name begins: at a word, or behind an option that takes it without a blank, as in `java -Dpassword=` and `docker run -eTOKEN=`. */
const BEGIN = String.raw`(?:(?<![\w-])|(?<=(?:^|[\s"'])-[DPe]))`
/** An equals sign, or the arrow of Ruby, Perl and PHP. */
const ASSIGNED = '=(?:>|(?!>))'

/** Between a name and its value. A text inside another has its quotation marks escaped. */
const separatedBy = (sign: string): string =>
  String.raw`\\{0,3}["']?\]?[ \t]{0,20}${sign}[ \t]{0,20}(?:[\\$]{0,3}["'])?`

/** A colon between a quoted name and a quoted value, as in JSON, is as unambiguous as an equals sign. */
const IN_JSON = String.raw`(?<=["'][ \t]{0,20}):(?=[ \t]{0,20}\\{0,3}["'])`

const SWITCHES =
  'files|compat|db|sss|ldap|nis|winbind|systemd|sufficient|required|requisite|optional|include|substack|true|false|yes|no|on|off|none|null|enabled|disabled|never|prompt'
const PLACEHOLDERS = String.raw`(?:\*{1,64}(?![^\s"',;])|\[|\(\w{1,20}\)|<[^<>\n]{1,64}>|ALL(?![\w-]))`
/**
 * Values after “password =” that are no password: as the whole value, a switch or a word of nsswitch.conf and pam.d; a placeholder; the
 * words of sudoers after PASSWD.
 */
const NO_SECRET = String.raw`(?!(?<=["'])(?:${SWITCHES})(?:["'\n]|$))(?!(?<!["'])(?:${SWITCHES})(?:[\s"',;:)\]}|&[]|$))(?!${PLACEHOLDERS})`

/** Values behind names of secrets. */
export const NAME_RULES: readonly Rule[] = [
  // Variables of environments, before the rules for any name: their values may contain commas and semicolons.
  {
    class: 'password',
    needs: ['pass', 'pw=', 'secret', 'token=', 'credential', 'creds=', 'key=', 'key_base=', '_pat=', '_seed='],
    pattern: new RegExp(
      String.raw`((?=[A-Z_])${BEGIN}(?:[A-Z][A-Z0-9_]{0,60})?(?:${VARIABLES})=(?:[\\$]{0,3}["'])?)${NO_SECRET}(?![/=]|[01](?![^\s"',;]))${VARIABLE_VALUE}`,
      'g',
    ),
    rest: ofVariable,
  },
  // netrc(5), in either order.
  {
    class: 'password',
    needs: ['password'],
    pattern:
      /((?:^|\s)(?:login|machine|account)[ \t]{1,20}[^\s]{1,128}\s{1,20}password[ \t]{1,20})(?!\[redacted:)[^\s]{1,4096}/gi,
    rest: () => UP_TO_BLANK,
  },
  // Assignments of a named secret. The value ends at its closing quote, or at white space. Not secrets: paths of programs, as in sudoers after
  // “PASSWD:”, working directories, and markers of earlier rules.
  {
    class: 'password',
    needs: ['pass', 'pwd', 'psk', 'secret', 'token', 'authtok', 'community', ...KEY_NAMES],
    pattern: new RegExp(
      String.raw`((?<![\w-])(?:\w{1,30}_)?(?:${PASSWORD_NAMES})${separatedBy(`(?::|${ASSIGNED})`)})${NO_SECRET}${NO_ACCOUNT}(?!\/)${anyValue(4)}`,
      'gi',
    ),
    rest: ofAssignment,
  },
  // Assignments with an equals sign, as in environments and options, and in JSON: more names count, and short values and paths are secrets too.
  {
    class: 'password',
    needs: ['pass', '_pw', '-pw', '_auth', 'secret', 'token', 'authtok', 'rediscli_auth', 'pin-value', ...KEY_NAMES],
    pattern: new RegExp(
      String.raw`(${BEGIN}(?:(?:\w[\w-]{0,40})?(?:${ASSIGNED_NAMES})|\w[\w-]{0,40}[_-](?:pass|pw)|pass|_auth)${separatedBy(`(?:${ASSIGNED}|${IN_JSON})`)})${NO_SECRET}(?!=|[01](?![^\s"',;]))${anyValue(1)}`,
      'gi',
    ),
    rest: ofAssignment,
  },
  // Names in camel case before a colon, as in YAML.
  {
    class: 'password',
    needs: ['password', 'passphrase', 'secret', 'apikey', 'accesskey', 'token'],
    pattern: new RegExp(
      String.raw`((?<![\w-])[a-z][A-Za-z0-9]{0,40}(?:Password|Passphrase|Secret|ApiKey|AccessKey|SecretKey|AuthToken|AccessToken)${separatedBy(':')})${NO_SECRET}(?!\/)${anyValue(4)}`,
      'g',
    ),
    rest: ofAssignment,
  },
  // Elements of XML.
  {
    class: 'password',
    needs: ['password>', 'passwd>', 'secret>', 'token>', 'apikey>'],
    pattern: new RegExp(
      String.raw`(<(?:\w{1,30}:)?\w{0,30}(?:password|passwd|secret|token|apikey)>)${NO_SECRET}[^<\n"]{1,4096}(?=</)`,
      'gi',
    ),
  },
  // containers-auth.json(5): user:password in base64.
  {
    class: 'password',
    needs: ['auth"', 'auth\\"'],
    pattern: /(\\{0,3}"auth\\{0,3}"[ \t]{0,20}:[ \t]{0,20}\\{0,3}")[A-Za-z0-9+/=_-]{12,4096}/g,
  },
  // systemd.exec(5), SetCredential=name:value; kernel-command-line(7).
  {
    class: 'password',
    needs: ['setcredential=', 'set_credential'],
    pattern: new RegExp(
      String.raw`((?<!\w)(?:SetCredential|systemd\.set_credential(?:_binary)?)=["']?[^\s:"']{1,128}:)${NO_SECRET}[^\s"']{1,4096}`,
      'g',
    ),
    rest: () => UP_TO_BLANK,
  },
]

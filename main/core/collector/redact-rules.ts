/** A pattern of secrets. Its first group is kept before the marker and its second one after it; the rest of the match is the secret. */
export interface Rule {
  readonly class: RedactionClass
  /** Every match contains one of these literals, without regard to case: the rule runs only on texts with one. */
  readonly needs: readonly string[]
  readonly pattern: RegExp
  /**
   * For values of unlimited length, by the text before the value: a sticky pattern of the continuation after the match, applied repeatedly.
   * The pattern of the rule then ends with the value. A repetition takes memory for each iteration, and the engine has some megabytes of it.
   */
  readonly rest?: (head: string) => RegExp
}

/** Iterations of a repetition at once. */
const MANY = '{1,4096}'
const ESCAPED = new RegExp(`(?:[^"\\\\\\n]|\\\\[^\\n])${MANY}`, 'y')
/** A backslash and the character after it, if any, are one piece. */
const DOUBLE_QUOTED = String.raw`(?:[^"\\\n]|\\[^\n]|\\(?![^\n]))`
const QUOTED = new RegExp(`${DOUBLE_QUOTED}${MANY}`, 'y')
const UP_TO_LINE_END = new RegExp(`[^\\n]${MANY}`, 'y')
const UP_TO_BLANK = new RegExp(`[^\\s]${MANY}`, 'y')
const UP_TO_SPACE = new RegExp(`[^\\s"',;]${MANY}`, 'y')
const TOKEN = new RegExp(`[A-Za-z0-9_-]${MANY}`, 'y')

/** Pieces of a quoted value: behind an escaped quotation mark, as in a text inside another, a double one, `$'` and a single one. */
const QUOTED_VALUES: readonly (readonly [begin: string, piece: string])[] = [
  [String.raw`(?<=\\")`, String.raw`[^"\\\n]`],
  [String.raw`(?<=\\')`, String.raw`[^'\\\n]`],
  [String.raw`(?<=(?<!\\)")`, DOUBLE_QUOTED],
  [String.raw`(?<=\$')`, String.raw`(?:[^'\\\n]|\\[^\n]|\\(?![^\n]))`],
  [String.raw`(?<=(?<![\\$])')`, String.raw`[^'\n]`],
]
/** Pieces of an unquoted value: a blank behind a backslash belongs to it, and so does a quotation mark inside a word, as in it's. */
const BARE = String.raw`(?:\\ |[^\s"',;]|["'](?=\w))`
const anyValue = (least: number): string =>
  `(?:${[...QUOTED_VALUES, [String.raw`(?<!["'])(?![\\$]{0,3}["'])`, BARE]].map(([begin, piece]) => `${begin}${piece}{${least},4096}`).join('|')})`

const AFTER_QUOTE = QUOTED_VALUES.map(
  ([begin, piece]) => [new RegExp(`${begin}$`), new RegExp(`${piece}${MANY}`, 'y')] as const,
)
const AFTER_NONE = new RegExp(`${BARE}${MANY}`, 'y')
const ofAssignment = (head: string): RegExp => AFTER_QUOTE.find(([begin]) => begin.test(head))?.[1] ?? AFTER_NONE

/** A value that an earlier pass has replaced is not replaced again. */
const NEW = '(?![\\s=]{0,20}\\[redacted:)'

/** RFC 3986 §3.1. It begins where a word does, so that no word is searched twice. */
const SCHEME = '(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}:\\/\\/'

const PASSWORD_NAMES =
  'passw(?:or)?d|pgpassword|sshpass|passphrase|pwd|psk|secret|authtok|api[_-]?key|auth[_-]?token|access[_-]?token|secret[_-]?key|account[_-]?key|shared[_-]?access[_-]?key|secret[_-]?access[_-]?key|community'
/** Names before an equals sign, where a short value is a secret too; `pwd` alone is a folder. */
const ASSIGNED_NAMES =
  'passw(?:or)?d|sshpass|passphrase|secret|token|authtok|api[_-]?key|secret[_-]?key|account[_-]?key|access[_-]?key|mysql_pwd|rediscli_auth'
const KEY_NAMES = ['api', 'account', 'access'].flatMap((of) => [`${of}key`, `${of}_key`, `${of}-key`])
const TOKEN_MARKS = [
  ...['gho_', 'ghp_', 'ghr_', 'ghs_', 'ghu_', 'github_pat_', 'glpat-', 'xox', 'xapp-', 'k_live_', 'k_test_', 'hf_'],
  ...['npm_', 'pypi-ag', '_v1_', 'hvb.', 'hvs.', 'hvr.', 'aiza', 'sk-'],
]

/** Between a name and its value. A text inside another has its quotation marks escaped. */
const separatedBy = (sign: string): string => String.raw`\\{0,3}["']?[ \t]{0,20}${sign}[ \t]{0,20}(?:[\\$]{0,3}["'])?`

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

/**
 * Patterns of secrets, by context and by form. No pattern can begin twice within text that it has searched, and every repetition has a
 * limit: so each is linear in its input, with memory independent of its length.
 */
export const RULES: readonly Rule[] = [
  // RFC 7468: a private key without its beginning. The line before it may be as short as the last line of a key.
  {
    class: 'private-key',
    needs: ['private key'],
    pattern:
      /(?<![A-Za-z0-9+/=\\\r\n])([A-Za-z0-9+/=\\]{0,15}\r?\n)?[A-Za-z0-9+/=\\\r\n]{16,65536}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  // cvtsudoers(1), JSON: of a command, the program is kept, and the marker in place of its arguments.
  {
    class: 'command-arguments',
    needs: ['"command"'],
    pattern:
      /("command"[ \t]{0,8}:[ \t]{0,8}"(?:[^"\\ \n]|\\[^\n]){1,4096} )(?!\[redacted:command-arguments\])(?:[^"\\\n]|\\[^\n]){1,4096}/g,
    rest: () => ESCAPED,
  },
  // sshd(8), AUTHORIZED_KEYS FILE FORMAT: the quotation marks are kept, so that the options still parse. Environment= of systemd.exec(5) has the same form.
  {
    class: 'key-option',
    needs: ['command="', 'environment="'],
    pattern: new RegExp(`((?<![\\w-])(?:command|environment)=")${NEW}${DOUBLE_QUOTED}${MANY}`, 'gi'),
    rest: () => QUOTED,
  },
  // sshd_config(5), in its file, in the output of `sshd -T`, and as -o of a command line; to the end of the line.
  {
    class: 'server-setting',
    needs: ['setenv'],
    pattern: new RegExp(
      `((?:^|(?<=[\\s:]))(?:-o ?)?setenv[ \\t=]{1,16}["']?[^\\s="']{1,128}=)${NEW}[^\\n]${MANY}`,
      'gim',
    ),
    rest: () => UP_TO_LINE_END,
  },
  {
    class: 'server-setting',
    needs: ['forcecommand'],
    pattern: new RegExp(
      `((?:^|(?<=[\\s:]))(?:-o ?)?forcecommand[ \\t=]{1,16})${NEW}(?!(?:none|internal-sftp)[ \\t\\r]*$)[^\\n]${MANY}`,
      'gim',
    ),
    rest: () => UP_TO_LINE_END,
  },
  // passwd(5): the comment field, which can contain a person’s name or any note.
  {
    class: 'account-comment',
    needs: [':/'],
    pattern: new RegExp(
      `(^[^\\s:]{1,64}:[^\\s:]{0,512}:\\d{1,10}:\\d{1,10}:)${NEW}[^:\\n]{1,1024}(?=:/[^:\\n]{0,1024}:(?:/[^:\\n]{0,1024})?$)`,
      'gm',
    ),
  },
  // RFC 3986 §3.2.1, user:password@, up to the last at sign of the authority. The second rule has passwords that contain a slash and are no
  // port; the third has single names in URLs of web protocols, which are tokens.
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(
      `(${SCHEME})(?![^\\s"'<>/@]{0,512}\\[redacted:)(?=[^\\s"'<>/@]{0,512}:)[^\\s"'<>/]{1,768}(@)`,
      'g',
    ),
  },
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(`(${SCHEME}[^\\s"'<>/@:[\\]]{1,256}:)${NEW}(?!\\d{1,5}\\/)[^\\s"'<>@]{1,512}(@)`, 'g'),
  },
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(`((?<![A-Za-z0-9+.-])(?:https?|ftps?|davs?):\\/\\/)${NEW}[^\\s"'<>/@:]{1,512}(@)`, 'gi'),
  },
  // The same in an answer that was truncated before the at sign, unless it is a port.
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(
      `(${SCHEME}[^\\s"'<>/@:[\\]]{1,256}:)${NEW}(?!\\d{0,5}(?:[/?#]|$))(?:[^\\s"'<>/@]{1,4096}$)`,
      'g',
    ),
  },
  // crypt(5), htpasswd(1) and PHC strings. The class contains `$`, so that no other match can begin inside a match.
  {
    class: 'password-hash',
    needs: ['$'],
    pattern:
      /\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|apr1|argon2(?:id|i|d))\$(?:[A-Za-z0-9./$=,+-]{20,512}|[A-Za-z0-9./$=,+-]{4,19}$)/g,
  },
  // RFC 2307 and similar forms, as written by slapd and htpasswd -s; grub-mkpasswd-pbkdf2(1).
  {
    class: 'password-hash',
    needs: ['{sha', '{ssha', '{md5}', '{smd5}', '{crypt}'],
    pattern: /(\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\})(?:[A-Za-z0-9+/=.$]{16,512}|[A-Za-z0-9+/=.$]{4,15}$)/g,
  },
  {
    class: 'password-hash',
    needs: ['grub.pbkdf2'],
    pattern: /(grub\.pbkdf2\.sha512\.\d{1,9}\.)[0-9A-Fa-f]{16,512}\.[0-9A-Fa-f]{16,512}/g,
  },
  // passwd(5) of old systems holds the hash itself: 13 characters of DES, or 20 of its extended form, before two numbers.
  {
    class: 'password-hash',
    needs: [':'],
    pattern: /((?:^|\n)[^\s:]{1,64}:)(?:[./A-Za-z0-9]{13}|_[./A-Za-z0-9]{19})(?=:\d{1,10}:\d{1,10}:)/g,
  },
  // dm-crypt.rst: “<start> <length> crypt <cipher> <key> …”. A key in the kernel's keyring (`:32:logon:name`), a hidden key (zeros)
  // and the null cipher's `-` are no secrets and show how the key is held.
  {
    class: 'dm-key',
    needs: [' crypt '],
    pattern: /((?:^|\s)\d{1,20} \d{1,20} crypt [^\s]{1,128} )(?!0+ )[0-9A-Fa-f]{8,1024}(?=\s|$)/g,
  },
  // dm-integrity.rst: “internal_hash:algorithm(:key)” and the same for journal_crypt and journal_mac.
  {
    class: 'dm-key',
    needs: ['internal_hash', 'journal_crypt', 'journal_mac'],
    pattern: /((?<!\w)(?:internal_hash|journal_crypt|journal_mac):[^\s:]{1,64}:)[0-9A-Fa-f]{8,1024}/g,
  },
  // crypttab(5): a name, a device, and what opens it, to the end of the line. Anything but a path, a device by its tag, none and - may be the
  // passphrase itself, as with a keyscript that prints its argument.
  {
    class: 'dm-key',
    needs: ['uuid=', 'label=', '/dev/'],
    pattern: new RegExp(
      `(^[ \\t]{0,16}#?[ \\t]{0,16}[^\\s#<]\\S{0,255}[ \\t]{1,64}(?:(?:UUID|LABEL|PARTUUID|PARTLABEL)=|/dev/)\\S{1,256}[ \\t]{1,64})${NEW}(?!(?:none|-)(?:\\s|$)|/|(?:PART)?(?:UUID|LABEL)=|\\[redacted:)\\S{1,1024}(?=(?:[ \\t]{1,64}\\S{1,1024})?[ \\t]{0,64}\\r?$)`,
      'gm',
    ),
  },
  // wg(8): base64 of 32 bytes. Public keys have other names.
  {
    class: 'wireguard-key',
    needs: ['private', 'preshared', 'pre-shared'],
    pattern:
      /((?<!\w)(?:private|pre-?shared)[ _-]?key["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)(?:[A-Za-z0-9+/]{42,43}=?|(?!\/)[A-Za-z0-9+/]{4,41}$)/gi,
  },
  // RFC 7519 compact form; `eyJ` is base64url of `{"`.
  {
    class: 'token',
    needs: ['eyj'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,8192}(?:\.[A-Za-z0-9_-]{0,2048}|$)/g,
    rest: () => TOKEN,
  },
  // Tokens by the prefixes of their issuers, each documented by GitHub, GitLab, Slack, Stripe, Hugging Face, npm, PyPI,
  // DigitalOcean, HashiCorp, Google, Anthropic and OpenAI. `sk-ssh-` and `sk-ecdsa-` are types of SSH public keys.
  {
    class: 'token',
    needs: TOKEN_MARKS,
    pattern:
      /(?<![A-Za-z0-9_-])(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|[rs]k_(?:live|test)_|hf_|npm_|pypi-Ag|do[opr]_v1_|hv[bsr]\.|AIza|sk-(?!ssh-|ecdsa-))(?:[A-Za-z0-9_-]{16,512}|[A-Za-z0-9_-]{4,15}$)/g,
    rest: () => TOKEN,
  },
  {
    class: 'token',
    needs: ['authorization'],
    pattern:
      /((?<!\w)authorization["']?[ \t]{0,20}[:=][ \t]{0,20}["']?(?:bearer|basic|token|apikey|negotiate) )(?!\[redacted:)[^\s"',;]{8,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'token',
    needs: ['bearer '],
    pattern: /((?<!\w)bearer )(?!\[redacted:)[A-Za-z0-9._~+/=-]{16,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'token',
    needs: ['x-', '-token'],
    pattern:
      /((?<![\w-])(?:x-(?:[a-z]{1,20}-){0,3}(?:token|key)|private-token|job-token|deploy-token)["']?[ \t]{0,20}:[ \t]{0,20}["']?)(?!\[redacted:)[^\s"',;]{8,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'cloud-key',
    needs: ['secret'],
    pattern:
      /((?<!\w)(?:aws_)?secret_?access_?key["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
  },
  // IAM identifiers: long-term and temporary access keys.
  {
    class: 'cloud-key',
    needs: ['akia', 'asia'],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)(?:[A-Z2-7]{16}(?![A-Za-z0-9])|[A-Z2-7]{4,15}$)/g,
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
      String.raw`((?<![\w-])(?:\w{1,30}_)?(?:${PASSWORD_NAMES})${separatedBy('[:=]')})${NO_SECRET}(?!\/)${anyValue(4)}`,
      'gi',
    ),
    rest: ofAssignment,
  },
  // The same with an equals sign, as in environments and options, and in JSON: there, more names count, and short values and paths are secrets too.
  {
    class: 'password',
    needs: ['pass', '_pw', '-pw', 'secret', 'token', 'authtok', 'rediscli_auth', ...KEY_NAMES],
    pattern: new RegExp(
      String.raw`((?<![\w-])(?:(?:\w[\w-]{0,40})?(?:${ASSIGNED_NAMES})|\w[\w-]{0,40}[_-](?:pass|pw))${separatedBy(`(?:=|${IN_JSON})`)})${NO_SECRET}(?!=|[01](?![^\s"',;]))${anyValue(1)}`,
      'gi',
    ),
    rest: ofAssignment,
  },
]
/** Kind of a masked secret, as its marker states it. */
export type RedactionClass =
  | 'account-comment'
  | 'cloud-key'
  | 'command-arguments'
  | 'dm-key'
  | 'key-option'
  | 'password'
  | 'password-hash'
  | 'private-key'
  | 'server-setting'
  | 'token'
  | 'url-credentials'
  | 'wireguard-key'
/** Counts a secret of this length and returns its marker. */
export type Mark = (kind: RedactionClass, length: number) => string

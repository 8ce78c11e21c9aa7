import type { RedactionClass } from './redact.ts'

/** The first group, where there is one, is kept before the marker and the second one behind it; the rest of the match is the secret. */
export interface Rule {
  readonly class: RedactionClass
  readonly pattern: RegExp
  /**
   * For values without a longest length: what of it may follow behind the match, some at a time (sticky), by what stands before the value. The
   * pattern ends with the value then. A loop in a pattern takes memory for each of its turns, of which the engine has some megabytes.
   */
  readonly rest?: (head: string) => RegExp
}

/** As many turns of a loop at once. */
const MANY = '{1,4096}'
const ESCAPED = new RegExp(`(?:[^"\\\\\\n]|\\\\[^\\n])${MANY}`, 'y')
const QUOTED = new RegExp(`(?:[^"\\\\\\n]|\\\\[^\\n]?)${MANY}`, 'y')
const UP_TO_LINE_END = new RegExp(`[^\\n]${MANY}`, 'y')
const UP_TO_QUOTE = new RegExp(`[^"'\\n]${MANY}`, 'y')
const UP_TO_SPACE = new RegExp(`[^\\s"',;]${MANY}`, 'y')
const ofAssignment = (head: string): RegExp => (/["']$/.test(head) ? UP_TO_QUOTE : UP_TO_SPACE)

/** A value that an earlier pass has replaced is not replaced again. */
const NEW = '(?![\\s=]{0,20}\\[redacted:)'

/** RFC 3986 §3.1. It begins where a word does, so that no word is searched twice. */
const SCHEME = '(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}:\\/\\/'

const PASSWORD_NAMES =
  'passw(?:or)?d|pgpassword|sshpass|passphrase|pwd|psk|secret|api[_-]?key|auth[_-]?token|access[_-]?token|secret[_-]?key|account[_-]?key|shared[_-]?access[_-]?key'

/** What stands behind “password =” and is none: switches, and what nsswitch.conf and pam.d say there. */
const NO_SECRET =
  '(?!(?:files|compat|db|sss|ldap|nis|winbind|systemd|sufficient|required|requisite|optional|include|substack|true|false|yes|no|on|off|none|null|enabled|disabled|never|prompt|<hidden>|\\(hidden\\))(?![\\w-]))'

/**
 * Secrets by the place they stand in and by their shape. No pattern can begin twice inside what it has searched once, and nothing in one
 * repeats without a bound: so each is linear in its input, and takes no more memory for a longer one.
 */
export const RULES: readonly Rule[] = [
  // cvtsudoers(1), JSON: of a command only the program stays, and that it has arguments.
  {
    class: 'command-arguments',
    pattern:
      /("command"[ \t]{0,8}:[ \t]{0,8}"(?:[^"\\ \n]|\\[^\n]){1,4096} )(?!\[redacted:command-arguments\])(?:[^"\\\n]|\\[^\n]){1,4096}/g,
    rest: () => ESCAPED,
  },
  // sshd(8), AUTHORIZED_KEYS FILE FORMAT: the quotation marks stay, so that the options read as before. systemd.exec(5) writes Environment= alike.
  {
    class: 'key-option',
    pattern: new RegExp(`((?<![\\w-])(?:command|environment)=")${NEW}(?:[^"\\\\\\n]|\\\\[^\\n]?)${MANY}`, 'gi'),
    rest: () => QUOTED,
  },
  // sshd_config(5), in its file, in the print of `sshd -T`, and as -o of a command line; to the end of the line.
  {
    class: 'server-setting',
    pattern: new RegExp(
      `((?:^|(?<=[\\s:]))(?:-o ?)?setenv[ \\t=]{1,16}["']?[^\\s="']{1,128}=)${NEW}[^\\n]${MANY}`,
      'gim',
    ),
    rest: () => UP_TO_LINE_END,
  },
  {
    class: 'server-setting',
    pattern: new RegExp(
      `((?:^|(?<=[\\s:]))(?:-o ?)?forcecommand[ \\t=]{1,16})${NEW}(?!(?:none|internal-sftp)[ \\t\\r]*$)[^\\n]${MANY}`,
      'gim',
    ),
    rest: () => UP_TO_LINE_END,
  },
  // passwd(5): the comment, which names a person or what somebody noted there.
  {
    class: 'account-comment',
    pattern: new RegExp(
      `(^[^\\s:]{1,64}:[^\\s:]{0,512}:\\d{1,10}:\\d{1,10}:)${NEW}[^:\\n]{1,1024}(?=:/[^:\\n]{0,1024}:(?:/[^:\\n]{0,1024})?$)`,
      'gm',
    ),
  },
  // RFC 3986 §3.2.1, user:password@, up to the last at sign of the authority; a password with a slash in it, which is no port; and for
  // protocols of the web, where a lone name is a token, that.
  {
    class: 'url-credentials',
    pattern: new RegExp(`(${SCHEME})${NEW}(?=[^\\s"'<>/@]{0,512}:)[^\\s"'<>/]{1,768}(@)`, 'g'),
  },
  {
    class: 'url-credentials',
    pattern: new RegExp(`(${SCHEME}[^\\s"'<>/@:[\\]]{1,256}:)${NEW}(?!\\d{1,5}\\/)[^\\s"'<>@]{1,512}(@)`, 'g'),
  },
  {
    class: 'url-credentials',
    pattern: new RegExp(`((?<![A-Za-z0-9+.-])(?:https?|ftps?|davs?):\\/\\/)${NEW}[^\\s"'<>/@]{1,512}(@)`, 'gi'),
  },
  // crypt(5), htpasswd(1) and PHC strings. The class holds `$`, so that a match takes in what could begin another.
  {
    class: 'password-hash',
    pattern: /\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|apr1|argon2(?:id|i|d))\$[A-Za-z0-9./$=,+-]{20,512}/g,
  },
  // RFC 2307 and its kin, as slapd and htpasswd -s write them; grub-mkpasswd-pbkdf2(1).
  { class: 'password-hash', pattern: /(\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\})[A-Za-z0-9+/=.$]{16,512}/g },
  { class: 'password-hash', pattern: /(grub\.pbkdf2\.sha512\.\d{1,9}\.)[0-9A-Fa-f]{16,512}\.[0-9A-Fa-f]{16,512}/g },
  // passwd(5) of old systems holds the hash itself: 13 characters of DES, or 20 of its extended form, before two numbers.
  {
    class: 'password-hash',
    pattern: /((?:^|\n)[^\s:]{1,64}:)(?:[./A-Za-z0-9]{13}|_[./A-Za-z0-9]{19})(?=:\d{1,10}:\d{1,10}:)/g,
  },
  // dm-crypt.rst: “<start> <length> crypt <cipher> <key> …”. A key in the kernel's keyring (`:32:logon:name`), a hidden key (zeros)
  // and the null cipher's `-` are no secrets and say how the key is held.
  {
    class: 'dm-key',
    pattern: /((?:^|\s)\d{1,20} \d{1,20} crypt [^\s]{1,128} )(?!0+ )[0-9A-Fa-f]{8,1024}(?=\s|$)/g,
  },
  // dm-integrity.rst: “internal_hash:algorithm(:key)” and the same for journal_crypt and journal_mac.
  {
    class: 'dm-key',
    pattern: /((?<!\w)(?:internal_hash|journal_crypt|journal_mac):[^\s:]{1,64}:)[0-9A-Fa-f]{8,1024}/g,
  },
  // wg(8): base64 of 32 bytes. Public keys carry other names.
  {
    class: 'wireguard-key',
    pattern: /((?<!\w)(?:private|pre-?shared)[ _-]?key["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)[A-Za-z0-9+/]{42,43}=?/gi,
  },
  // RFC 7519 compact form; `eyJ` is base64url of `{"`.
  {
    class: 'token',
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{0,2048}/g,
  },
  // Tokens by the marks that their issuers give them, each documented by GitHub, GitLab, Slack, Stripe, Hugging Face, npm, PyPI,
  // DigitalOcean, HashiCorp, Google, Anthropic and OpenAI. `sk-ssh-` and `sk-ecdsa-` are types of SSH public keys.
  {
    class: 'token',
    pattern:
      /(?<![A-Za-z0-9_-])(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|[rs]k_(?:live|test)_|hf_|npm_|pypi-Ag|do[opr]_v1_|hv[bsr]\.|AIza|sk-(?!ssh-|ecdsa-))[A-Za-z0-9_-]{16,512}/g,
  },
  {
    class: 'token',
    pattern:
      /((?<!\w)authorization["']?[ \t]{0,20}[:=][ \t]{0,20}["']?(?:bearer|basic) )(?!\[redacted:)[^\s"',;]{8,4096}/gi,
  },
  { class: 'token', pattern: /((?<!\w)bearer )(?!\[redacted:)[A-Za-z0-9._~+/=-]{16,4096}/gi },
  {
    class: 'token',
    pattern:
      /((?<![\w-])(?:x-(?:[a-z]{1,20}-){0,3}(?:token|key)|private-token|job-token|deploy-token)["']?[ \t]{0,20}:[ \t]{0,20}["']?)(?!\[redacted:)[^\s"',;]{8,4096}/gi,
  },
  {
    class: 'cloud-key',
    pattern:
      /((?<!\w)(?:aws_)?secret_?access_?key["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
  },
  // IAM identifiers: long-term and temporary access keys.
  { class: 'cloud-key', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g },
  // netrc(5).
  {
    class: 'password',
    pattern: /((?:^|\s)login[ \t]{1,20}[^\s]{1,128}\s{1,20}password[ \t]{1,20})(?!\[redacted:)[^\s]{1,4096}/gi,
  },
  // Obvious key=value forms. The value ends at its closing quote, or at white space. Not secrets: switches, what nsswitch.conf and sudoers
  // say after “passwd:” and “PASSWD:” (names of sources, paths of programs), working directories, and what an earlier rule left.
  {
    class: 'password',
    pattern: new RegExp(
      `((?<![\\w-])(?:\\w{1,30}_)?(?:${PASSWORD_NAMES}|community)["']?[ \\t]{0,20}[:=][ \\t]{0,20}["']?)${NO_SECRET}(?![/*[(]|ALL\\b)(?:(?<=["'])[^"'\\n]{4,4096}|[^\\s"',;]{4,4096})`,
      'gi',
    ),
    rest: ofAssignment,
  },
  // The same with an equals sign, as in environments and options, where short values and paths are secrets too.
  {
    class: 'password',
    pattern: new RegExp(
      `((?<![\\w-])(?:\\w{1,30}_)?(?:passw(?:or)?d|pgpassword|sshpass|passphrase|secret|token|api[_-]?key|secret[_-]?key|account[_-]?key)=["']?)${NO_SECRET}(?![*[(<]|ALL\\b|[01](?![^\\s"',;]))(?:(?<=["'])[^"'\\n]${MANY}|[^\\s"',;]${MANY})`,
      'gi',
    ),
    rest: ofAssignment,
  },
]

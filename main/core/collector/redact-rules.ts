import { ADDRESS_RULES } from './redact-addresses.ts'
import { ARGUMENT_RULES } from './redact-arguments.ts'
import { NAME_RULES } from './redact-names.ts'
import { DOUBLE_QUOTED, ESCAPED, MANY, NEW, QUOTED, type Rule, UP_TO_LINE_END } from './redact-parts.ts'
import { TOKEN_RULES } from './redact-tokens.ts'

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
  // Without such lines: OpenVPN’s static keys, ssh-keygen(1) -e, PuTTY’s files, a private key in PEM that is encoded once more (kubeconfig, secrets
  // of Kubernetes), and the first line of a private key of OpenSSH, among authorized keys by mistake.
  {
    class: 'private-key',
    needs: ['begin openvpn'],
    pattern: /-----BEGIN OpenVPN [\w -]{1,40}-----[^-]{1,65536}(?:-----END OpenVPN [\w -]{1,40}-----)?/g,
  },
  {
    class: 'private-key',
    needs: ['begin ssh2 encrypted'],
    pattern:
      /---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(?:[^-]|-(?!---)){1,65536}(?:---- END SSH2 [A-Z ]{1,40} ----)?/g,
  },
  {
    class: 'private-key',
    needs: ['private-lines:'],
    pattern: /((?:^|\n)Private-Lines: \d{1,4}\r?\n)(?:[A-Za-z0-9+/=]{1,128}(?:\r?\n|$)){1,512}/g,
  },
  {
    class: 'private-key',
    needs: ['ls0tls1crudjti'],
    pattern:
      /LS0tLS1CRUdJTi[A-Za-z0-9+/]{1,40}?(?:UFJJVkFURSBLRVk|QUklWQVRFIEtFW|BSSVZBVEUgS0VZ)[A-Za-z0-9+/=]{0,65536}/g,
  },
  {
    class: 'private-key',
    needs: ['b3blbnnzac1rzxktdje'],
    pattern: /(?<![A-Za-z0-9+/])b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=\\\r\n]{16,65536}/g,
  },
  // cvtsudoers(1), JSON: of a command, the program is kept, and the marker in place of its arguments.
  {
    class: 'command-arguments',
    needs: ['"command"'],
    pattern:
      /("command"[ \t]{0,8}:[ \t]{0,8}"(?:[^"\\ \n]|\\[^\n]){1,4096} )(?!\[redacted:command-arguments\])(?:[^"\\\n]|\\[^\n]){1,4096}/g,
    rest: () => ESCAPED,
  },
  // sshd(8), AUTHORIZED_KEYS FILE FORMAT: the quotation marks are kept, so that the options still parse. Environment= of systemd.exec(5) has the
  // same form.
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
  ...ADDRESS_RULES,
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
  // group(5) has hashes where no gshadow(5) exists.
  {
    class: 'password-hash',
    needs: [':'],
    pattern:
      /((?:^|\n)[^\s:]{1,64}:)(?:[./A-Za-z0-9]{13}|_[./A-Za-z0-9]{19})(?=:\d{1,10}:(?:[A-Za-z_][\w.@$-]{0,63}(?:,[A-Za-z_][\w.@$-]{0,63}){0,512})?(?:\n|$))/g,
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
  // The same of a volume in a file, which the options tell from other lines.
  {
    class: 'dm-key',
    needs: ['luks', 'keyscript=', 'tcrypt', 'bitlk', 'cipher='],
    pattern: new RegExp(
      `(^[ \\t]{0,16}#?[ \\t]{0,16}[^\\s#<]\\S{0,255}[ \\t]{1,64}/\\S{1,256}[ \\t]{1,64})${NEW}(?!(?:none|-)\\s|/|(?:PART)?(?:UUID|LABEL)=|\\[redacted:)\\S{1,1024}(?=[ \\t]{1,64}(?:\\S{1,512},)?(?:luks|keyscript=|tcrypt|bitlk|cipher=)\\S{0,1024}[ \\t]{0,64}\\r?$)`,
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
  ...TOKEN_RULES,
  ...ARGUMENT_RULES,
  ...NAME_RULES,
]

/**
 * The one redactor: the second line behind commands that do not ask for secrets. It runs before hashing and storing, over every stream.
 * What it takes away is replaced by `[redacted:<class>]`. Public keys, fingerprints, digests and UUIDs stay. Every step is linear in the
 * input, whatever the bytes: repetitions are bounded, and no pattern can begin twice inside what it has searched once.
 */
export interface Redacted {
  readonly bytes: Uint8Array
  readonly count: number
}

/** The first group, where there is one, is kept; the rest of the match is the secret. */
interface Rule {
  readonly class: string
  readonly pattern: RegExp
}

const RULES: readonly Rule[] = [
  // crypt(5) and PHC strings. The class holds `$`, so that a match takes in what could begin another.
  { class: 'password-hash', pattern: /\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|argon2(?:id|i|d))\$[A-Za-z0-9./$=,+-]{20,512}/g },
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
  {
    class: 'token',
    pattern: /(?<![A-Za-z0-9_-])(?:gh[opsu]|github_pat|glpat|xox[abeprs]|sk_live|hf)[_-][A-Za-z0-9_-]{16,255}/g,
  },
  {
    class: 'token',
    pattern: /((?<!\w)authorization["']?[ \t]{0,20}[:=][ \t]{0,20}["']?(?:bearer|basic) )[^\s"',;]{8,4096}/gi,
  },
  {
    class: 'cloud-key',
    pattern:
      /((?<!\w)(?:aws_)?secret_?access_?key["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
  },
  // Obvious key=value forms. The value ends at its closing quote, or at white space. Not secrets: what nsswitch.conf and sudoers say after
  // “passwd:” and “PASSWD:” (names of sources, paths of programs), switches, masks, and what an earlier rule left.
  {
    class: 'password',
    pattern:
      /((?<![\w-])(?:\w{1,30}_)?(?:passw(?:or)?d|passphrase|pwd|psk|secret|api[_-]?key|auth[_-]?token|access[_-]?token|community)["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)(?!(?:files|compat|db|sss|ldap|nis|winbind|systemd|sufficient|required|requisite|optional|include|substack|true|false|none|null|enabled|disabled|never|prompt)(?![\w-]))(?![/*[(]|ALL\b)(?:(?<=["'])[^"'\n]{4,512}|[^\s"',;]{4,512})/gi,
  },
]

/** Replaces secrets in a stream. Pure; gives back the same array when nothing was found. */
export function redact(bytes: Uint8Array): Redacted {
  // Latin-1 maps bytes to characters one to one, so that everything untouched comes back exactly.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const keys = withoutPrivateKeys(text)
  let { count } = keys
  const redacted = RULES.reduce(
    (before, rule) =>
      before.replace(rule.pattern, (...found: unknown[]) => {
        count += 1
        return `${typeof found[1] === 'string' ? found[1] : ''}[redacted:${rule.class}]`
      }),
    keys.text,
  )
  return count === 0 ? { bytes, count } : { bytes: new Uint8Array(Buffer.from(redacted, 'latin1')), count }
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y

/** RFC 7468 private keys, from their first line to their last; one that was cut off goes to the next dashes or to the end. */
function withoutPrivateKeys(text: string): { readonly text: string; readonly count: number } {
  const kept: string[] = []
  let from = 0
  let count = 0
  BEGIN.lastIndex = 0
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const dashes = text.indexOf('-----', BEGIN.lastIndex)
    END.lastIndex = dashes
    const end = dashes < 0 ? text.length : END.test(text) ? END.lastIndex : dashes
    kept.push(text.slice(from, begin.index), '[redacted:private-key]')
    from = end
    BEGIN.lastIndex = end
    count += 1
  }
  return count === 0 ? { text, count } : { text: kept.join('') + text.slice(from), count }
}

/**
 * The one redactor: the second line behind commands that do not ask for secrets. It runs before hashing and storing, over every stream.
 * What it takes away is replaced by `[redacted:<class>]`. Public keys, fingerprints, digests and UUIDs stay.
 */
export interface Redacted {
  readonly bytes: Uint8Array
  readonly count: number
}

interface Rule {
  readonly class: string
  readonly pattern: RegExp
  /** Group of the pattern that is kept before the marker; the rest is the secret. */
  readonly keep?: true
}

// Latin-1 text maps bytes to characters one to one, so that everything untouched comes back exactly.
const RULES: readonly Rule[] = [
  {
    class: 'private-key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----[\s\S]{0,65536}?(-----END [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----|$)/g,
  },
  { class: 'password-hash', pattern: /\$(1|2[abxy]?|5|6|7|y|gy|sha1|argon2(id|i|d)?)\$[A-Za-z0-9./$=,+-]{20,512}/g },
  {
    class: 'dm-key',
    pattern:
      /(\b(?:crypt|integrity)\s[^\n]{0,120}?\s(?:[a-z0-9:()_,-]{3,80}-[a-z0-9:-]{3,40}|capi:[^\s]{3,120})\s)(?!:\d{1,4}:(?:logon|user|encrypted|trusted):)(?!0+\s)[0-9a-f]{32,256}(?=\s)/g,
    keep: true,
  },
  {
    class: 'wireguard-key',
    pattern: /(\b(?:PrivateKey|PresharedKey|private[ _-]key|preshared[ _-]key)\s*[:=]\s*)[A-Za-z0-9+/]{42,44}=?/gi,
    keep: true,
  },
  { class: 'token', pattern: /\beyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{0,2048}/g },
  { class: 'cloud-key', pattern: /(\baws_secret_access_key\s*[:=]\s*["']?)[A-Za-z0-9/+]{40}/gi, keep: true },
  { class: 'token', pattern: /\b(ghp|gho|ghs|github_pat|glpat|xox[abprs]|sk_live|hf)[_-][A-Za-z0-9_-]{16,255}\b/g },
  {
    class: 'password',
    pattern:
      /(\b(?:passw(?:or)?d|passphrase|psk|secret|api[_-]?key|auth[_-]?token|community)["']?\s*[:=]\s*)(?!["']?\s*(?:$|\n|\*|x\b|!|sufficient|required|requisite|optional|include|files|compat|yes|no|true|false|none|null|prompt|ask)\b)["']?[^\s"',;]{4,512}/gim,
    keep: true,
  },
]

/** Replaces secrets in a stream. Pure and linear in the length; gives back the same array when nothing was found. */
export function redact(bytes: Uint8Array): Redacted {
  let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  let count = 0
  for (const rule of RULES) {
    text = text.replace(rule.pattern, (...found: unknown[]) => {
      count += 1
      const kept = rule.keep === true && typeof found[1] === 'string' ? found[1] : ''
      return `${kept}[redacted:${rule.class}]`
    })
  }
  return count === 0 ? { bytes, count } : { bytes: new Uint8Array(Buffer.from(text, 'latin1')), count }
}

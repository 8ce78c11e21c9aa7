import type { PartClass } from './classes.ts'

/**
 * Identifies the redaction rules, the word list and the hashing together. It is part of every commitment. A pack can only be redacted with the
 * rules it was sealed with, so a changed rule needs a new name, with the old rules retained; a test enforces this.
 */
export const RULES_NAME = 'barewitness-disclosure/1'

/**
 * The redacted span is the match, or the group `value` that ends it, extended by the group `head` of a lookbehind. For speed, patterns for
 * common characters start at a rarer one among them.
 */
interface Rule {
  readonly class: Exclude<PartClass, 'text' | 'file'>
  readonly pattern: RegExp
  readonly keep?: (span: string) => boolean
}

// Printable ASCII without quotes, comma, semicolon, angle brackets and backslash, so that a span never leaves a JSON string.
const VALUE = '[!#-&(-+\\--:=?-\\[\\]-~]'
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const PLACEHOLDER =
  '(?!(?:not|no|none|null|unknown|n/a|default|to be|empty|true|false|unspecified|0x0+|0+|x+|-+|\\.+)(?![A-Za-z0-9]))'
const AFTER_KEY = `(?:["'\\\\]{0,2}[ \\t]{0,40}[:=][ \\t]{0,40}["'\\\\]{0,2}|>)`

const TOP =
  'com|org|net|edu|gov|mil|int|info|biz|cloud|ai|io|app|dev|tech|local|lan|internal|intranet|corp|home|arpa|test|example|localdomain|' +
  'ae|au|br|ca|ch|cn|cz|de|dk|ee|es|eu|fi|fr|gr|hk|hu|ie|il|jp|kr|lt|lu|lv|mx|nl|nz|pt|ro|ru|se|sg|si|sk|tr|tw|ua|uk|us|za'
// These end file names and identifiers as often as host names, so they require one more label.
const SHORT_TOP = 'at|be|do|hr|id|im|in|is|it|me|my|no|pl|rs|so|tv|to'
const HOST_END = '(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])'
const LABEL = '(?:[A-Za-z0-9-]{1,63}\\.)'
const HOST = `${LABEL}{1,10}(?:${TOP}|(?<=\\.${LABEL})(?:${SHORT_TOP}))`

// Names that do not identify the owner of a machine: distributions, component vendors, suffixes of SSH algorithms, file names.
const PUBLIC_HOST =
  /(?:^|\.)(?:openssh\.com|libssh\.org|liu\.se|debian\.org|ubuntu\.com|launchpad\.net|kernel\.org|redhat\.com|fedoraproject\.org|centos\.org|rockylinux\.org|almalinux\.org|suse\.com|opensuse\.org|freedesktop\.org|gnu\.org|ntp\.org|nvidia\.com|amd\.com|intel\.com|mellanox\.com|k8s\.io|kubernetes\.io|docker\.(?:com|io)|containerd\.io|github\.com|rc\.local|issue\.net|barewitness\.dev)$/i
const isOwnHost = (span: string): boolean =>
  !PUBLIC_HOST.test(span.slice(span.lastIndexOf('@') + 1)) && !/^[in]qn\./.test(span)

// Constants of standards: the UEFI specification, the GPT partition types, and shim's.
const PUBLIC_UUIDS: ReadonlySet<string> = new Set([
  '00000000-0000-0000-0000-000000000000',
  '8be4df61-93ca-11d2-aa0d-00e098032b8c',
  'd719b2cb-3d3a-4596-a3bc-dad00e67656f',
  '605dab50-e046-4300-abb6-3dd810dd8b23',
  'c12a7328-f81f-11d2-ba4b-00a0c93ec93b',
  'a19d880f-05fc-4d3b-a006-743f0f84911e',
  '0fc63daf-8483-4772-8e79-3d69d8477de4',
  'e6d6d379-f507-44c2-a23c-238f2a3df928',
  'ca7d7ccb-63ed-4c53-861c-1742536059cc',
  '0657fd6d-a4ab-43c4-84e5-0933c84b4f4f',
  '4f68bce3-e8cd-4db1-96e7-fbcaf984b709',
  '21686148-6449-6e6f-744e-656564454649',
  'ebd0a0a2-b9e5-4433-87c0-68b6b72699c7',
  'e3c9e316-0b5c-4db8-817d-f92df00215ae',
  '933ac7e1-2eb4-4f13-b844-0e14e2aef915',
])

/** RFC 4291 §2.2: eight groups, or fewer around one `::`. The unspecified and the loopback address identify nothing. */
function isOwnIpv6(span: string): boolean {
  if (span === '::' || span === '::1' || span.includes(':::')) return false
  const groups = span.split(':')
  const gaps = span.split('::').length - 1
  if (gaps === 0) return groups.length === 8 && !groups.includes('')
  return gaps === 1 && groups.length <= 9 && groups.some((group) => group !== '')
}

/**
 * Linear in the input for any bytes: every repetition is bounded, and a lookbehind prevents a pattern from restarting inside a run that it
 * has already searched. The rules run over Latin-1 text, one character per byte, and cut only at ASCII characters.
 */
export const RULES: readonly Rule[] = [
  {
    class: 'ipv4',
    pattern: new RegExp(`(?<![0-9]|[0-9]\\.)${OCTET}(?:\\.${OCTET}){3}(?![0-9]|\\.[0-9])`, 'g'),
    // This host, any host, loopback, masks, and the one address at which every cloud serves metadata.
    keep: (span) => !/^(?:0\.0\.0\.0|127\..*|255\..*|169\.254\.169\.254)$/.test(span),
  },
  {
    class: 'ipv6',
    pattern:
      /:(?<=(?<![0-9A-Za-z:.])(?<head>[0-9A-Fa-f]{0,4}):)(?:[0-9A-Fa-f]{0,4}:){1,7}[0-9A-Fa-f]{0,4}(?![0-9A-Za-z:])/g,
    keep: isOwnIpv6,
  },
  // 6 bytes for Ethernet, 8 for EUI-64, 20 for InfiniBand; up to 32 for fingerprints in that form.
  {
    class: 'mac',
    pattern: /(?<![0-9A-Fa-f:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5,31}(?![0-9A-Fa-f]|[:-][0-9A-Fa-f]{2})/g,
    keep: (span) => !/^(?:[0:-]+|[Ff:-]+)$/.test(span),
  },
  {
    class: 'mac',
    pattern: /:(?<=(?<![0-9A-Fa-f:])(?<head>[0-9a-f]{4}):)[0-9a-f]{4}(?::[0-9a-f]{4}){2}(?![0-9A-Fa-f:])/g,
  },
  { class: 'mac', pattern: /(?<![A-Za-z0-9])enx(?<value>[0-9a-f]{12})(?![0-9a-f])/g },
  {
    class: 'uuid',
    pattern: /-(?<=(?<![0-9A-Fa-f])(?<head>[0-9A-Fa-f]{8})-)(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])/g,
    keep: (span) => !PUBLIC_UUIDS.has(span.toLowerCase()),
  },
  {
    class: 'serial',
    pattern: new RegExp(
      `(?:serial(?:[ _-]?(?:number|num|no))?|asset[ _]tag|wwid|wwn|nguid|guid|unique[ _]id|(?<![a-z])sn)${AFTER_KEY}${PLACEHOLDER}(?<value>${VALUE}{2,200})`,
      'gi',
    ),
  },
  // The pinned parts of recording.json and assessment.json.
  { class: 'serial', pattern: new RegExp(`"part":"[^"\\\\]{0,200}","value":"(?<value>${VALUE}{1,200})`, 'g') },
  { class: 'serial', pattern: new RegExp(`(?<![A-Za-z0-9])[in]qn\\.[0-9]{4}[.-][0-9]{2}\\.${VALUE}{1,223}`, 'g') },
  // Type 6 of NAA, as multipath and udev write it.
  { class: 'serial', pattern: /(?<![A-Za-z0-9])3[0-9a-f]{32}(?![0-9A-Za-z])/g },
  { class: 'serial', pattern: /(?<![A-Za-z0-9])(?:eui|naa|wwn-0x|nvme)\.?[0-9a-f]{2}[0-9A-Fa-f]{10,60}/g },
  { class: 'serial', pattern: /(?<![A-Za-z0-9])t10\.[ -!#-&(-+\--:=?-[\]-~]{1,200}/g },
  {
    class: 'email',
    pattern: new RegExp(`@(?<=(?<![A-Za-z0-9._%+-])(?<head>[A-Za-z0-9._%+-]{1,64})@)${HOST}${HOST_END}`, 'g'),
    keep: isOwnHost,
  },
  {
    class: 'host',
    pattern: new RegExp(
      `\\.(?<=(?<![A-Za-z0-9_-])(?<head>[A-Za-z0-9-]{1,63})\\.)(?:${LABEL}{0,9}(?:${TOP}|(?<=\\.${LABEL})(?:${SHORT_TOP})))${HOST_END}`,
      'g',
    ),
    keep: isOwnHost,
  },
  {
    class: 'host',
    pattern: new RegExp(`host[ _]?name${AFTER_KEY}${PLACEHOLDER}(?<value>[A-Za-z0-9._-]{2,253})`, 'gi'),
  },
  { class: 'ssh-key', pattern: /SHA256:[A-Za-z0-9+/]{43}=?(?![A-Za-z0-9+/])/g },
  { class: 'ssh-key', pattern: /(?<![A-Za-z0-9+/])AAAA[A-Za-z0-9+/]{40,16384}={0,2}/g },
]

/** Rules whose values are also searched where no key precedes them. */
export const KEYED_RULES: readonly Rule[] = RULES.filter(
  (rule) => (rule.class === 'serial' || rule.class === 'host') && rule.pattern.flags.includes('i'),
)

/**
 * Signatures in a scope: each contains the digest of the signed content (RFC 5652 §11.2), from which redacted parts of it could be guessed.
 * Scopes from before vantage measurements contain none and are divided as before.
 */
export const signatureHits = (text: string): readonly Hit[] =>
  [...text.matchAll(/"cms":"(?<value>[A-Za-z0-9+/]{64,40000}={0,2})"/g)].map(({ index, groups }) => {
    const start = index + '"cms":"'.length
    return { class: 'digest', start, end: start + (groups?.value ?? '').length }
  })

export interface Hit {
  readonly class: PartClass
  readonly start: number
  readonly end: number
}

export function hitsOf(text: string, rules: readonly Rule[]): Hit[] {
  const hits: Hit[] = []
  for (const { class: kind, pattern, keep } of rules) {
    // exec() rather than matchAll(), which creates a new pattern for each text, and most texts are a path or a short output. No pattern
    // matches the empty string.
    pattern.lastIndex = 0
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      const { head = '', value = found[0] } = found.groups ?? {}
      const end = found.index + found[0].length
      const start = end - value.length - head.length
      if (keep === undefined || keep(text.slice(start, end))) hits.push({ class: kind, start, end })
    }
  }
  return hits
}

const SIZE = /","size":[0-9]{1,16}/y

/**
 * Runs of exactly 64 hexadecimal digits, with the size next to a digest in captures.jsonl, because the exact length of a redacted capture
 * is redacted too; and runs of 32, as in machine-id(5) and in the UUID of a device-mapper name. Every such run contains a position that is
 * a multiple of 32, so only those positions are examined.
 */
export function hexRuns(text: string): readonly Hit[] {
  const hits: Hit[] = []
  for (let at = 31; at < text.length; at += 32) {
    if (!isHex(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isHex(text.charCodeAt(start - 1))) start -= 1
    let end = at + 1
    while (end < text.length && isHex(text.charCodeAt(end))) end += 1
    const length = end - start
    while (at + 32 < end) at += 32
    if ((length !== 32 && length !== 64) || /[A-F]/.test(text.slice(start, end))) continue
    SIZE.lastIndex = end
    const isSized = length === 64 && SIZE.test(text)
    hits.push({ class: length === 64 ? 'digest' : 'uuid', start, end: isSized ? SIZE.lastIndex : end })
  }
  return hits
}

const isHex = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46)

/** Comparable forms of names, addresses and serial numbers of different lists. Never displayed. */

/** Host names are case-insensitive and can end in a dot (RFC 1035, 2.3.3). */
export const nameKey = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '')

/** Null where it does not identify a machine: vendor placeholders and values that are too short. */
export function serialKey(text: string): string | null {
  const key = text.trim().toUpperCase()
  const bare = key.replace(/[^\p{L}\p{N}]/gu, '')
  return bare.length < SHORTEST_SERIAL || NO_SERIAL.test(bare) ? null : key
}

const SHORTEST_SERIAL = 4
/** Letters and digits only; a single repeated character does not count. */
const NO_SERIAL =
  /^(?:(?<one>.)\k<one>*|.*123456789.*|0?12345678?|NONE|NULL|UNKNOWN|UNDEFINED|INVALID|EMPTY|BLANK|TBD|DEFAULT(?:STRING)?|NOT(?:SPECIFIED|AVAILABLE|APPLICABLE|PROVIDED|PRESENT|SET|DEFINED|KNOWN|FOUND)|(?:TOBE)?FILLED.*|(?:SYSTEM|SYS|CHASSIS|BASEBOARD|BOARD|MB|MOTHERBOARD|PRODUCT|DEVICE)?(?:SERIAL(?:NUMB(?:ER)?|NUM|NO)?|SERNUM\d?|SN)|ASSETTAG.*)$/u

/**
 * Every address in a cell, each once, without a prefix length. Other text is compared as a host name. Addresses that
 * every machine has, or that are link-specific (RFC 6890: this host, loopback, link-local), are ignored.
 */
export const addressKeys = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[\s,;|]+/)
      .filter((part) => part !== '')
      .map(addressKey)
      .filter((key) => !NOWHERE.test(key)),
  ),
]

const NOWHERE =
  /^(?:0\.\d+\.\d+\.\d+|127\.\d+\.\d+\.\d+|169\.254\.\d+\.\d+|255\.255\.255\.255|(?:0:){7}[01]|fe[89ab][0-9a-f]:.+|localhost|localhost\.localdomain|ip6-localhost|-)$/

function addressKey(text: string): string {
  const name = nameKey(text)
  const bare = name.replace(/\/\d{1,3}$/, '')
  return ipv6Key(bare.replace(/^\[|\]$/g, '')) ?? (IPV4.test(bare) ? bare : name)
}

/** Whether a comparable form is an address and not a name. */
export const isAddress = (key: string): boolean => IPV4.test(key) || key.includes(':')

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/

/**
 * An IPv6 address with all eight groups written out, or the IPv4 address that it maps (RFC 4291, 2.2 and 2.5.5.2); null when it is none.
 * An interface after a percent sign is removed.
 */
function ipv6Key(text: string): string | null {
  const hex = withoutDots(text.replace(/%.*$/, ''))
  if (!/^[0-9a-f:]{2,39}$/.test(hex) || !hex.includes(':')) return null
  const [head = '', tail, more] = hex.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  if (before === undefined || after === undefined || more !== undefined) return null
  const given = before.length + after.length
  if (tail === undefined ? given !== 8 : given > 7) return null
  const groups = [...before, ...Array<string>(8 - given).fill('0'), ...after]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return null
  const numbers = groups.map((group) => Number.parseInt(group, 16))
  const [high = 0, low = 0] = numbers.slice(6)
  return numbers.slice(0, 5).every((number) => number === 0) && numbers[5] === 0xffff
    ? [high >> 8, high & 255, low >> 8, low & 255].join('.')
    : numbers.map((number) => number.toString(16)).join(':')
}

/** The last two groups may be written as an IPv4 address. */
function withoutDots(text: string): string {
  const at = text.lastIndexOf(':') + 1
  const last = text.slice(at)
  if (at === 0 || !IPV4.test(last)) return text
  const [a = 0, b = 0, c = 0, d = 0] = last.split('.').map(Number)
  return `${text.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

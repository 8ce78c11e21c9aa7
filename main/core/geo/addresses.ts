/** An Internet Protocol address, version 4 or 6. */
export interface IpAddress {
  readonly family: 4 | 6
  readonly value: bigint
  /** Dotted for version 4, RFC 5952 for version 6, so that each address has exactly one text. */
  readonly text: string
}

/** An IPv4 address embedded in an IPv6 address, and the rule that embeds it. */
export interface Carried {
  readonly via: 'IPv4-mapped' | '6to4' | 'Teredo' | 'NAT64'
  readonly address: IpAddress
}

const LONGEST = 100

/**
 * Parses an address as people and tools write it, with or without brackets and with or without an interface after a
 * percent sign. Returns null for host names, prefixes and octets with leading zeros (which some programs read as
 * octal). Never throws.
 */
export function parseAddress(text: string): IpAddress | null {
  const read = addressValue(text)
  return read === null ? null : read.family === 4 ? address4(read.value) : address6(read.value)
}

/** Like parseAddress(), without the text. An address database calls it hundreds of thousands of times. */
export function addressValue(text: string): Omit<IpAddress, 'text'> | null {
  if (text.length > LONGEST) return null
  const trimmed = text.trim()
  const four = parse4(trimmed)
  if (four !== null) return { family: 4, value: four }
  const bare = trimmed.replace(/^\[([^\][]*)\]$/, '$1').replace(/%[^%]*$/, '')
  const named = parse4(bare)
  if (named !== null) return { family: 4, value: named }
  const six = parse6(bare)
  return six === null ? null : { family: 6, value: six }
}

export const address4 = (value: bigint): IpAddress => ({
  family: 4,
  value,
  text: [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.'),
})

export const address6 = (value: bigint): IpAddress => ({ family: 6, value, text: text6(value) })

/**
 * Compares characters instead of using a regular expression, because a database holds a million addresses. Accepts
 * four numbers up to 255 without leading zeros.
 */
function parse4(text: string): bigint | null {
  if (text.length < 7 || text.length > 15) return null
  let [value, octet, digits, dots] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === DOT && digits > 0 && dots < 3) {
      value = value * 256 + octet
      dots += 1
      octet = 0
      digits = 0
    } else if (code >= ZERO && code <= ZERO + 9 && (digits === 0 || octet > 0)) {
      octet = octet * 10 + code - ZERO
      digits += 1
      if (octet > 255) return null
    } else return null
  }
  return dots === 3 && digits > 0 ? BigInt(value * 256 + octet) : null
}

const [DOT, ZERO] = [46, 48]

/** RFC 4291, 2.2: eight groups, at most one run of zeros omitted, the last two groups optionally dotted. */
function parse6(text: string): bigint | null {
  const at = text.lastIndexOf(':') + 1
  const last = text.slice(at)
  const dotted = last.includes('.') ? parse4(last) : undefined
  if (at === 0 || dotted === null) return null
  const hex =
    dotted === undefined
      ? text
      : `${text.slice(0, at)}${(dotted >> 16n).toString(16)}:${(dotted & 0xffffn).toString(16)}`
  if (!/^[0-9A-Fa-f:]{2,39}$/.test(hex)) return null
  const [head = '', tail, more] = hex.split('::')
  const groups = (part: string): readonly string[] => (part === '' ? [] : part.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const left = 8 - before.length - after.length
  if (more !== undefined || (tail === undefined ? left !== 0 : left < 1)) return null
  const all = [...before, ...Array<string>(left).fill('0'), ...after]
  return all.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))
    ? BigInt(`0x${all.map((group) => group.padStart(4, '0')).join('')}`)
    : null
}

/** RFC 5952, 4: no leading zeros, lower case, and the first of the longest runs of two or more zero groups omitted. */
function text6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - at * 16)) & 0xffffn).toString(16))
  const runs = [...groups.join(':').matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)]
  const longest = runs.reduce<string | null>(
    (best, [run]) => (best === null || run.length > best.length ? run : best),
    null,
  )
  if (longest === null) return groups.join(':')
  const start = runs.find(([run]) => run === longest)?.index ?? 0
  const whole = groups.join(':')
  return `${whole.slice(0, start).replace(/:$/, '')}::${whole.slice(start + longest.length).replace(/^:/, '')}`
}

interface Block {
  readonly start: bigint
  readonly end: bigint
}

function block(prefix: string): Block {
  const [base = '', length = ''] = prefix.split('/')
  const address = parseAddress(base)
  if (address === null) throw new Error(`${prefix} is no prefix`)
  return prefixBlock(address, Number(length))
}

/** The block of all addresses that share the first `length` bits of this one. */
function prefixBlock({ family, value }: IpAddress, length: number): Block {
  const size = 1n << BigInt(widthOf(family) - length)
  const start = (value / size) * size
  return { start, end: start + size - 1n }
}

const widthOf = (family: IpAddress['family']): number => (family === 4 ? 32 : 128)

/** A network in CIDR notation: its first address and the length of its prefix. */
export const networkText = (address: IpAddress, length: number): string => {
  const { start } = prefixBlock(address, length)
  return `${(address.family === 4 ? address4(start) : address6(start)).text}/${length}`
}

const within = (value: bigint, { start, end }: Block): boolean => value >= start && value <= end

/**
 * IANA’s special-purpose registry for IPv4 (RFC 6890 and its updates): addresses that do not identify one place in
 * the global Internet.
 */
const NOT_PUBLIC_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  // Shared address space of one operator’s customers (RFC 6598).
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  // Documentation (RFC 5737).
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // 6to4 relay anycast, no longer in use (RFC 7526).
  '192.88.99.0/24',
  '192.168.0.0/16',
  // Benchmarks (RFC 2544).
  '198.18.0.0/15',
  // Multicast, reserved and broadcast.
  '224.0.0.0/3',
].map(block)

const GLOBAL_6 = block('2000::/3')
/**
 * The same registry for IPv6: the parts of 2000::/3 reserved for protocols, benchmarks, identifiers, documentation
 * (RFC 3849, RFC 9637) or 6to4.
 */
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(block)

/**
 * Whether this is a global unicast address, so that an address database can list it. An embedded IPv4 address is not
 * examined.
 */
export const isPublic = ({ family, value }: IpAddress): boolean =>
  family === 4
    ? !NOT_PUBLIC_4.some((one) => within(value, one))
    : within(value, GLOBAL_6) && !NOT_PUBLIC_6.some((one) => within(value, one))

const MAPPED = block('::ffff:0:0/96')
const NAT64 = block('64:ff9b::/96')
const TEREDO = block('2001::/32')
const SIX_TO_FOUR = block('2002::/16')

/**
 * The IPv4 address embedded in an IPv6 address: mapped (RFC 4291, 2.5.5.2), translated (RFC 6052) or tunnelled (6to4,
 * RFC 3056; Teredo, RFC 4380, whose client address is stored with all bits inverted). Null where none is embedded.
 */
export function carriedBy({ family, value }: IpAddress): Carried | null {
  if (family === 4) return null
  const low = value & 0xffff_ffffn
  if (within(value, MAPPED)) return { via: 'IPv4-mapped', address: address4(low) }
  if (within(value, NAT64)) return { via: 'NAT64', address: address4(low) }
  if (within(value, TEREDO)) return { via: 'Teredo', address: address4(low ^ 0xffff_ffffn) }
  if (within(value, SIX_TO_FOUR)) return { via: '6to4', address: address4((value >> 80n) & 0xffff_ffffn) }
  return null
}

/** The public address that a text denotes, either itself or by embedding; null for everything else. */
export function publicAddress(
  text: string,
): { readonly address: IpAddress; readonly via: Carried['via'] | null } | null {
  const address = parseAddress(text)
  if (address === null) return null
  const carried = carriedBy(address)
  const subject = carried?.address ?? address
  return isPublic(subject) ? { address: subject, via: carried?.via ?? null } : null
}

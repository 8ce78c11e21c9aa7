import { type IpAddress, parseAddress } from '../../main/core/geo/addresses.ts'

/** A value that the encoder below writes. Whole numbers become uint32, others doubles. */
export type MmdbValue = string | number | boolean | readonly MmdbValue[] | { readonly [key: string]: MmdbValue }

export interface MmdbInput {
  readonly ipVersion: 4 | 6
  readonly recordSize?: 24 | 28 | 32
  readonly type: string
  /** Seconds since 1970. */
  readonly built: number
  /** By prefix, such as 8.8.8.0/24: IPv4 ones stand below ninety-six zeros in a file of IPv6. */
  readonly networks: Readonly<Record<string, MmdbValue>>
}

type Leaf = { readonly value: MmdbValue }
type Tree = [Tree | Leaf | null, Tree | Leaf | null]

/** A small database in the MaxMind DB format 2.0, for tests. */
export function mmdb({ ipVersion, recordSize = 28, type, built, networks }: MmdbInput): Uint8Array {
  const root: Tree = [null, null]
  for (const [prefix, value] of Object.entries(networks)) put(root, bitsOf(prefix, ipVersion), { value })
  const nodes: Tree[] = []
  const number = (tree: Tree): void => {
    nodes.push(tree)
    for (const side of tree) if (Array.isArray(side)) number(side)
  }
  number(root)
  const places = new Map(nodes.map((node, at) => [node, at]))
  const data: Buffer[] = []
  let size = 0
  const record = (side: Tree | Leaf | null): number => {
    if (side === null) return nodes.length
    if (Array.isArray(side)) return places.get(side) ?? 0
    const bytes = encode(side.value)
    data.push(bytes)
    size += bytes.length
    return nodes.length + 16 + size - bytes.length
  }
  const tree = Buffer.concat(nodes.map(([left, right]) => nodeBytes(record(left), record(right), recordSize)))
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: built,
    database_type: type,
    description: { en: 'made for a test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: recordSize,
  })
  return new Uint8Array(
    Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata]),
  )
}

function bitsOf(prefix: string, ipVersion: 4 | 6): readonly (0 | 1)[] {
  const [base = '', length = ''] = prefix.split('/')
  const { family, value } = parseAddress(base) as IpAddress
  const width = ipVersion === 6 ? 128 : 32
  const kept = Number(length) + (family === 4 && ipVersion === 6 ? 96 : 0)
  return Array.from({ length: kept }, (_, at) => ((value >> BigInt(width - 1 - at)) & 1n ? 1 : 0))
}

function put(tree: Tree, [bit = 0, ...rest]: readonly (0 | 1)[], leaf: Leaf): void {
  if (rest.length === 0) {
    tree[bit] = leaf
    return
  }
  const below = tree[bit]
  const next: Tree = Array.isArray(below) ? below : [null, null]
  tree[bit] = next
  put(next, rest, leaf)
}

function nodeBytes(left: number, right: number, recordSize: 24 | 28 | 32): Buffer {
  const bytes = Buffer.alloc(recordSize / 4)
  if (recordSize === 32) {
    bytes.writeUInt32BE(left, 0)
    bytes.writeUInt32BE(right, 4)
    return bytes
  }
  bytes.writeUIntBE(left & 0xffffff, 0, 3)
  bytes.writeUIntBE(right & 0xffffff, recordSize / 4 - 3, 3)
  if (recordSize === 28) bytes.writeUInt8(((left >> 24) << 4) | (right >> 24), 3)
  return bytes
}

export function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'boolean') return control(14, value ? 1 : 0)
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(Number.isInteger(value) && value >= 0 ? 4 : 8)
    if (bytes.length === 4) bytes.writeUInt32BE(value)
    else bytes.writeDoubleBE(value)
    return Buffer.concat([control(bytes.length === 4 ? 6 : 3, bytes.length), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, one]) => [encode(key), encode(one)])])
}

export function control(type: number, size: number): Buffer {
  const first = Math.min(size, 29)
  const rest = size < 29 ? [] : [size - 29]
  return Buffer.from(type < 8 ? [(type << 5) | first, ...rest] : [first, type - 7, ...rest])
}

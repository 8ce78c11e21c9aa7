export const TLS_VERSIONS = ['1.3', '1.2', '1.1', '1.0'] as const
export type TlsVersion = (typeof TLS_VERSIONS)[number]

/** ProtocolVersion on the wire (RFC 8446 §4.1.2). */
const WIRE_VERSION: Readonly<Record<TlsVersion, number>> = {
  '1.3': 0x0304,
  '1.2': 0x0303,
  '1.1': 0x0302,
  '1.0': 0x0301,
}

export const X25519 = 0x001d
export const SECP256R1 = 0x0017

export interface KeyShare {
  readonly group: number
  readonly publicKey: Uint8Array
}

interface ClientHello {
  /** The only version offered for 1.3; for the others the highest, below which a server may choose. */
  readonly version: TlsVersion
  readonly suites: readonly number[]
  /** 32 bytes each. */
  readonly random: Uint8Array
  readonly sessionId: Uint8Array
  /** Of TLS 1.3 only. */
  readonly shares?: readonly KeyShare[]
}

// x25519, secp256r1, x448, secp521r1, secp384r1, ffdhe2048, ffdhe3072.
const GROUPS = [X25519, SECP256R1, 0x001e, 0x0019, 0x0018, 0x0100, 0x0101]
// ECDSA, EdDSA, RSA-PSS and PKCS #1, down to SHA-1: an old server shall show what it has.
const SIGNATURES = [
  0x0403, 0x0503, 0x0603, 0x0807, 0x0808, 0x0804, 0x0805, 0x0806, 0x0809, 0x080a, 0x080b, 0x0401, 0x0501, 0x0601,
  0x0203, 0x0201,
]

const extension = (type: number, body: Iterable<number>): readonly number[] => [...u16(type), ...vector16(body)]
const words = (values: readonly number[]): readonly number[] => values.flatMap((value) => u16(value))

function extensionsOf({ version, shares = [] }: ClientHello): readonly number[] {
  const groups = extension(10, vector16(words(GROUPS)))
  const signatures = extension(13, vector16(words(SIGNATURES)))
  // Secure renegotiation (RFC 5746 §3.4): some servers of TLS 1.2 and below refuse clients without it.
  if (version !== '1.3')
    return [
      ...groups,
      ...extension(11, vector8([0])),
      ...(version === '1.2' ? signatures : []),
      ...extension(0xff01, [0]),
    ]
  const keys = shares.flatMap(({ group, publicKey }) => [...u16(group), ...vector16(publicKey)])
  return [
    ...groups,
    ...signatures,
    ...extension(43, vector8(u16(WIRE_VERSION['1.3']))),
    ...extension(45, vector8([1])),
    ...extension(51, vector16(keys)),
  ]
}

/**
 * One ClientHello in one record (RFC 8446 §4.1.2, RFC 5246 §7.4.1.2, RFC 2246 §7.4.1.2): the only bytes that we ever send to a service. It names
 * no host, since a node's own words are no name to ask for.
 */
export function clientHello(hello: ClientHello): Uint8Array {
  const legacy = Math.min(WIRE_VERSION[hello.version], WIRE_VERSION['1.2'])
  const body = [
    ...u16(legacy),
    ...hello.random,
    ...vector8(hello.version === '1.3' ? hello.sessionId : []),
    ...vector16(words(hello.suites)),
    ...vector8([0]),
    ...vector16(extensionsOf(hello)),
  ]
  const message = [1, ...u24(body.length), ...body]
  return concat([Uint8Array.from([22, ...u16(WIRE_VERSION['1.0']), ...u16(message.length)]), Uint8Array.from(message)])
}

/** Numbers and length-prefixed vectors as TLS writes them (RFC 8446 §3): big-endian. */
export const u16 = (value: number): readonly number[] => [(value >> 8) & 0xff, value & 0xff]
export const u24 = (value: number): readonly number[] => [(value >> 16) & 0xff, ...u16(value)]
export const vector8 = (bytes: Iterable<number>): readonly number[] => {
  const all = [...bytes]
  return [all.length & 0xff, ...all]
}

const vector16 = (bytes: Iterable<number>): readonly number[] => {
  const all = [...bytes]
  return [...u16(all.length), ...all]
}

/** Reads from hostile bytes: every method gives null past the end, and stays there. */
export interface WireReader {
  readonly number: (size: 1 | 2 | 3) => number | null
  readonly take: (length: number) => Uint8Array | null
  /** A vector whose length precedes it in `size` bytes. */
  readonly vector: (size: 1 | 2 | 3) => Uint8Array | null
  readonly left: () => number
}

export function wireReader(bytes: Uint8Array): WireReader {
  let at = 0
  const take = (length: number): Uint8Array | null => {
    if (length > bytes.length - at) {
      at = bytes.length
      return null
    }
    at += length
    return bytes.subarray(at - length, at)
  }
  const number = (size: 1 | 2 | 3): number | null => take(size)?.reduce((sum, byte) => sum * 256 + byte, 0) ?? null
  const vector = (size: 1 | 2 | 3): Uint8Array | null => {
    const length = number(size)
    return length === null ? null : take(length)
  }
  return { number, take, vector, left: () => bytes.length - at }
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/**
 * Cipher suites that we offer or may be answered with, by number (IANA TLS parameters registry; RFC 8446, 7905, 5289, 5288, 5246, 4492, 2246).
 * Strongest first within each part, so that a server which follows the client’s order shows its best.
 */
const TLS13 = `1301 TLS_AES_128_GCM_SHA256
1302 TLS_AES_256_GCM_SHA384
1303 TLS_CHACHA20_POLY1305_SHA256`

const STRONG = `c02b TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
c02f TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
c02c TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
c030 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
cca9 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
cca8 TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
009e TLS_DHE_RSA_WITH_AES_128_GCM_SHA256
009f TLS_DHE_RSA_WITH_AES_256_GCM_SHA384
ccaa TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256
c023 TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256
c027 TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256
c024 TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384
c028 TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384
c009 TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA
c013 TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
c00a TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA
c014 TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA
0067 TLS_DHE_RSA_WITH_AES_128_CBC_SHA256
006b TLS_DHE_RSA_WITH_AES_256_CBC_SHA256
0033 TLS_DHE_RSA_WITH_AES_128_CBC_SHA
0039 TLS_DHE_RSA_WITH_AES_256_CBC_SHA`

const STATIC_RSA = `009c TLS_RSA_WITH_AES_128_GCM_SHA256
009d TLS_RSA_WITH_AES_256_GCM_SHA384
003c TLS_RSA_WITH_AES_128_CBC_SHA256
003d TLS_RSA_WITH_AES_256_CBC_SHA256
002f TLS_RSA_WITH_AES_128_CBC_SHA
0035 TLS_RSA_WITH_AES_256_CBC_SHA
0041 TLS_RSA_WITH_CAMELLIA_128_CBC_SHA
0084 TLS_RSA_WITH_CAMELLIA_256_CBC_SHA`

const WEAK = `c007 TLS_ECDHE_ECDSA_WITH_RC4_128_SHA
c011 TLS_ECDHE_RSA_WITH_RC4_128_SHA
0005 TLS_RSA_WITH_RC4_128_SHA
0004 TLS_RSA_WITH_RC4_128_MD5
c008 TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA
c012 TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA
0016 TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA
000a TLS_RSA_WITH_3DES_EDE_CBC_SHA
0015 TLS_DHE_RSA_WITH_DES_CBC_SHA
0009 TLS_RSA_WITH_DES_CBC_SHA
00a6 TLS_DH_anon_WITH_AES_128_GCM_SHA256
00a7 TLS_DH_anon_WITH_AES_256_GCM_SHA384
0034 TLS_DH_anon_WITH_AES_128_CBC_SHA
003a TLS_DH_anon_WITH_AES_256_CBC_SHA
0018 TLS_DH_anon_WITH_RC4_128_MD5
001b TLS_DH_anon_WITH_3DES_EDE_CBC_SHA
c018 TLS_ECDH_anon_WITH_AES_128_CBC_SHA
c019 TLS_ECDH_anon_WITH_AES_256_CBC_SHA
c016 TLS_ECDH_anon_WITH_RC4_128_SHA
c017 TLS_ECDH_anon_WITH_3DES_EDE_CBC_SHA
0014 TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA
0008 TLS_RSA_EXPORT_WITH_DES40_CBC_SHA
0006 TLS_RSA_EXPORT_WITH_RC2_CBC_40_MD5
0003 TLS_RSA_EXPORT_WITH_RC4_40_MD5
c010 TLS_ECDHE_RSA_WITH_NULL_SHA
c006 TLS_ECDHE_ECDSA_WITH_NULL_SHA
003b TLS_RSA_WITH_NULL_SHA256
0002 TLS_RSA_WITH_NULL_SHA
0001 TLS_RSA_WITH_NULL_MD5`

const rows = (text: string): readonly (readonly [number, string])[] =>
  text.split('\n').map((row) => [Number.parseInt(row.slice(0, 4), 16), row.slice(5)])
const numbers = (text: string): readonly number[] => rows(text).map(([number]) => number)

/** What each kind of ClientHello offers. */
export const SUITES = {
  tls13: numbers(TLS13),
  broad: [...numbers(STRONG), ...numbers(STATIC_RSA), ...numbers(WEAK)],
  staticRsa: numbers(STATIC_RSA),
  weak: numbers(WEAK),
} as const

const NAMES: ReadonlyMap<number, string> = new Map([TLS13, STRONG, STATIC_RSA, WEAK].flatMap(rows))

/** The registry's name, or the number where we did not offer it. */
export const suiteName = (suite: number): string => NAMES.get(suite) ?? `suite 0x${suite.toString(16).padStart(4, '0')}`

const WEAKNESSES: readonly (readonly [RegExp, string])[] = [
  [/WITH_NULL/, 'no encryption'],
  [/EXPORT/, 'keys cut to 40 bits for export'],
  [/_anon_/, 'no proof of who answers'],
  [/RC4/, 'RC4, whose output is biased'],
  [/3DES|DES_CBC/, 'DES blocks of 64 bits'],
]

/** Why a suite is refused, or null (NIST SP 800-52 rev. 2 §3.3.1, RFC 7465, RFC 9325 §4.1). */
export const suiteWeakness = (suite: number): string | null =>
  WEAKNESSES.find(([pattern]) => pattern.test(suiteName(suite)))?.[1] ?? null

/** The key is sent under the certificate’s own key: a party that gets that key later reads what was recorded today. */
export const isStaticRsa = (suite: number): boolean => suiteName(suite).startsWith('TLS_RSA_')
export const isKnownSuite = (suite: number): boolean => NAMES.has(suite)

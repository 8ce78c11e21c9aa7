import { concat, u16, u24, vector8, vector16 } from './wire.ts'

export const TLS_VERSIONS = ['1.3', '1.2', '1.1', '1.0'] as const
export type TlsVersion = (typeof TLS_VERSIONS)[number]

/** ProtocolVersion on the wire (RFC 8446 §4.1.2). */
export const WIRE_VERSION: Readonly<Record<TlsVersion, number>> = {
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

export interface ClientHello {
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

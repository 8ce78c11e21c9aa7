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

/** The key is sent under the certificate’s own key: whoever gets that key later reads what was recorded today. */
export const isStaticRsa = (suite: number): boolean => suiteName(suite).startsWith('TLS_RSA_')
export const isKnownSuite = (suite: number): boolean => NAMES.has(suite)

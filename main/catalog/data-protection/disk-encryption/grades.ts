/**
 * How much an encrypting layer is worth. `sound`: on the NIST list for storage (SP 800-38E, SP 800-111); `unapproved`: no known
 * break, not on that list; `weak`: out of date, or not known here; `broken`: a mode or key that does not hide what is stored (ECB, CBC
 * with a predictable start, DES, XTS below 256 bits); `none`: no encryption at all.
 */
export type Strength = 'sound' | 'unapproved' | 'weak' | 'broken' | 'none'

export interface CipherReading {
  readonly strength: Strength
  /** For people, without the node's own words, for example "AES-XTS, 512-bit key". */
  readonly description: string
}

const HASH_BYTES: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 }

/**
 * Grades the cipher of a dm-crypt table line. `cipher` is either `aes-xts-plain64` or the kernel's form
 * `capi:xts(aes)-plain64`, with `authenc(hmac(sha256),…)` around it where integrity is on
 * (Documentation/admin-guide/device-mapper/dm-crypt.rst). An unknown cipher is weak, never sound.
 */
export function gradeCipher(cipher: string, keyBytes: number | null): CipherReading {
  const spec = parseCipher(cipher.toLowerCase())
  if (cipher.toLowerCase().includes('cipher_null'))
    return { strength: 'none', description: 'the null cipher, which stores data in clear text' }
  if (spec === null) {
    const name = UNAPPROVED.find(({ form }) => form.test(cipher.toLowerCase()))?.name
    return name === undefined
      ? { strength: 'weak', description: 'a cipher that is not listed in this catalog' }
      : { strength: 'unapproved', description: `${name}, which NIST does not list for storage` }
  }
  const bits = keyBytes === null ? null : (keyBytes - spec.macKeyBytes) * 8
  const length = bits === null ? 'a key of unread length' : `a ${bits}-bit key`
  const name = `${spec.algorithm.toUpperCase()}-${spec.mode.toUpperCase()}`
  const reading = (strength: Strength, why = ''): CipherReading => ({
    strength,
    description: `${name} with ${length}${why}`,
  })
  if (bits !== null && bits <= 0) return { strength: 'none', description: `${name} without a key` }
  if (/^des(3_ede)?$/.test(spec.algorithm)) return reading('broken', ', a cipher that is no longer allowed')
  if (spec.mode === 'ecb') return reading('broken', ', a mode that shows where data repeats')
  if (spec.mode === 'xts') return gradeXts(spec, bits, reading)
  if (spec.mode === 'gcm' && spec.algorithm === 'aes')
    return reading(isOneOf(bits, [128, 192, 256, 288]) ? 'sound' : 'weak')
  if (spec.mode === 'cbc' && spec.iv.startsWith('essiv'))
    return reading('weak', ', an older mode that leaves data open to targeted change')
  if (spec.mode === 'cbc' && /^(|null|plain|plain64|plain64be)$/.test(spec.iv))
    return reading('broken', ', a mode with a predictable start, which shows whether known data is stored')
  return reading('weak', ', a mode that is not listed in this catalog')
}

/** Sound constructions that SP 800-38E and FIPS 140 do not cover, by their kernel names (dm-crypt.rst, crypto/adiantum.c, crypto/aegis128-core.c). */
const UNAPPROVED: readonly { readonly form: RegExp; readonly name: string }[] = [
  { form: /^(capi:)?(adiantum\()?xchacha(12|20),aes(-adiantum-plain64|\)-plain64)$/, name: 'Adiantum' },
  { form: /^capi:rfc7539\(chacha20,poly1305\)-random$/, name: 'ChaCha20-Poly1305' },
  { form: /^(capi:)?aegis128l?-random$/, name: 'AEGIS-128' },
]

function gradeXts(
  spec: Spec,
  bits: number | null,
  reading: (strength: Strength, why?: string) => CipherReading,
): CipherReading {
  if (bits === null) return reading('weak')
  if (bits < 256) return reading('broken', ', too short for XTS')
  if (!isOneOf(bits, [256, 512])) return reading('weak', ', which XTS does not take in SP 800-38E')
  if (spec.iv !== 'plain64' && spec.iv !== 'plain64be' && spec.iv !== 'essiv')
    return reading('weak', ', with a sector counter that repeats')
  if (spec.algorithm === 'aes') return reading('sound', bits === 256 ? ', which is AES-128' : ', which is AES-256')
  return isOneOf(spec.algorithm, ['serpent', 'twofish', 'camellia'])
    ? reading('unapproved', ', which NIST does not list')
    : reading('weak', ', which is not listed in this catalog')
}

/** ZFS names ciphers such as aes-256-gcm (zfsprops(7)). */
export const gradeZfsCipher = (name: string): CipherReading =>
  /^aes-(128|192|256)-(gcm|ccm)$/.test(name)
    ? { strength: 'sound', description: `ZFS ${name}` }
    : { strength: 'weak', description: 'a ZFS cipher that is not listed in this catalog' }

interface Spec {
  readonly algorithm: string
  readonly mode: string
  readonly iv: string
  readonly macKeyBytes: number
}

function parseCipher(cipher: string): Spec | null {
  const capi = /^capi:(.+)-([a-z0-9]+(?::[a-z0-9]+)?)$/.exec(cipher)
  if (capi === null) {
    const [, algorithm, mode, iv = ''] = /^([a-z0-9_]+)-([a-z0-9]+)(?:-([a-z0-9:]+))?$/.exec(cipher) ?? []
    return algorithm === undefined || mode === undefined ? null : { algorithm, mode, iv, macKeyBytes: 0 }
  }
  const iv = capi[2] ?? ''
  const wrapped = /^authenc\(hmac\(([a-z0-9-]+)\),(.+)\)$/.exec(capi[1] ?? '')
  const macKeyBytes = wrapped === null ? 0 : (HASH_BYTES[wrapped[1] ?? ''] ?? Number.NaN)
  const [, mode, algorithm] = /^([a-z0-9]+)\(([a-z0-9_]+)\)$/.exec(wrapped?.[2] ?? capi[1] ?? '') ?? []
  return mode === undefined || algorithm === undefined || Number.isNaN(macKeyBytes)
    ? null
    : { algorithm, mode, iv, macKeyBytes }
}

const isOneOf = <T>(value: T | null, list: readonly T[]): boolean => value !== null && list.includes(value)

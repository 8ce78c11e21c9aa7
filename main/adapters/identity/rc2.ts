/**
 * RC2 in CBC mode (RFC 2268), decryption only, for old PKCS #12 files: current runtimes no longer include it. With 40
 * bits it protects nothing; the imported key is stored in an envelope that does.
 */

// RFC 2268, section 2: 0 to 255, permuted by the digits of π.
const PI = Buffer.from(
  [
    'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2',
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82',
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626',
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7',
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec',
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731',
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9',
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  ].join(''),
  'hex',
)
const BLOCK = 8

/** RFC 2268, section 2: the key's octets become 64 words of 16 bits, of no more strength than `effectiveBits`. */
function expand(key: Uint8Array, effectiveBits: number): Uint16Array {
  const bytes = new Uint8Array(128)
  bytes.set(key)
  const at = (index: number): number => bytes[index] ?? 0
  const pi = (index: number): number => PI[index & 0xff] ?? 0
  for (let i = key.length; i < 128; i += 1) bytes[i] = pi(at(i - 1) + at(i - key.length))
  const effective = Math.ceil(effectiveBits / 8)
  bytes[128 - effective] = pi(at(128 - effective) & (0xff >> (8 * effective - effectiveBits)))
  for (let i = 127 - effective; i >= 0; i -= 1) bytes[i] = pi(at(i + 1) ^ at(i + effective))
  return Uint16Array.from({ length: 64 }, (_, i) => at(2 * i) | (at(2 * i + 1) << 8))
}

const SHIFTS = [1, 2, 3, 5] as const

/** One block, as four words, in place (RFC 2268, section 4). */
function decryptBlock(r: Uint16Array, k: Uint16Array): void {
  const word = (index: number): number => r[index & 3] ?? 0
  for (let round = 15; round >= 0; round -= 1) {
    for (let i = 3; i >= 0; i -= 1) {
      const shift = SHIFTS[i] ?? 0
      const turned = (word(i) >>> shift) | (word(i) << (16 - shift))
      const mixed = (word(i - 1) & word(i - 2)) + (~word(i - 1) & word(i - 3))
      r[i] = turned - (k[4 * round + i] ?? 0) - mixed
    }
    // A mashing round follows the fifth and the eleventh mixing round.
    if (round === 5 || round === 11) for (let i = 3; i >= 0; i -= 1) r[i] = word(i) - (k[word(i - 1) & 63] ?? 0)
  }
}

/**
 * Decrypts whole blocks; padding stays. `effectiveBits` is 1 to 1024, the key 1 to 128 octets, the initialization vector 8, and the
 * ciphertext a multiple of 8.
 */
export function rc2CbcDecrypt(key: Uint8Array, effectiveBits: number, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  const words = expand(key, effectiveBits)
  const out = Buffer.alloc(ciphertext.length)
  const from = Buffer.from(ciphertext)
  let before = Buffer.from(iv)
  const r = new Uint16Array(4)
  for (let at = 0; at < from.length; at += BLOCK) {
    for (let i = 0; i < 4; i += 1) r[i] = from.readUInt16LE(at + 2 * i)
    decryptBlock(r, words)
    for (let i = 0; i < 4; i += 1) out.writeUInt16LE((r[i] ?? 0) ^ before.readUInt16LE(2 * i), at + 2 * i)
    before = from.subarray(at, at + BLOCK)
  }
  return out
}

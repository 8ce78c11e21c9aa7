import { createDecipheriv, hash, pbkdf2 } from 'node:crypto'
import * as ber from '../../core/der/read.ts'
import { OID } from '../seal/oids.ts'

/**
 * How the parts of a PKCS #12 file are encrypted (RFC 7292, appendices B and C; RFC 8018). The file itself states all
 * of it.
 */

/** Remaining budget for key derivation rounds, over the whole file. */
export interface Budget {
  rounds: number
}

/** Unsupported or damaged content; caught where the file is read. */
export class UnreadableFile extends Error {}

export const need = <T>(value: T | null | undefined | false, what: string): T => {
  if (value === null || value === undefined || value === false) throw new UnreadableFile(what)
  return value
}

type Value = ber.DerValue | undefined

export const membersOf = (value: Value, what: string): readonly ber.DerValue[] =>
  ber.membersOf(need(value?.tag === ber.TAG.sequence && value, what))
export const octetsOf = (value: Value, what: string): Uint8Array => need(ber.octetsOf(value), what)

/** A number of rounds, taken from the budget. */
export function roundsOf(value: Value, budget: Budget): number {
  const count = ber.integerOf(value) ?? 0n
  if (count < 1n || count > BigInt(budget.rounds))
    throw new UnreadableFile('the file requires too many key derivation rounds, or none')
  budget.rounds -= Number(count)
  return Number(count)
}

export type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512'

/** RFC 7292, section B.1: the password in UTF-16, most significant octet first, with a zero at its end. */
const bmp = (password: string): Buffer => Buffer.from(`${password}\0`, 'utf16le').swap16()

interface Derivation {
  readonly hashName: HashName
  readonly password: string
  readonly salt: Uint8Array
  readonly rounds: number
  /** RFC 7292, section B.3: 1 for a key, 2 for an initialization vector, 3 for a MAC's key. */
  readonly purpose: 1 | 2 | 3
  readonly length: number
}

/** Key derivation of RFC 7292, section B.2. */
export function pkcs12Key({ hashName, password, salt, rounds, purpose, length }: Derivation): Buffer {
  const v = hashName === 'sha1' || hashName === 'sha256' ? 64 : 128
  const filled = (bytes: Uint8Array): Buffer => Buffer.alloc(v * Math.ceil(bytes.length / v), bytes)
  const diversifier = Buffer.alloc(v, purpose)
  const mixed = Buffer.concat([salt.length === 0 ? Buffer.alloc(0) : filled(salt), filled(bmp(password))])
  const out: Buffer[] = []
  for (let made = 0; made < length; ) {
    let a = hash(hashName, Buffer.concat([diversifier, mixed]), 'buffer')
    for (let round = 1; round < rounds; round += 1) a = hash(hashName, a, 'buffer')
    out.push(a)
    made += a.length
    const b = Buffer.alloc(v, a)
    for (let start = 0; start < mixed.length; start += v) addOne(mixed.subarray(start, start + v), b)
  }
  return Buffer.concat(out).subarray(0, length)
}

/** block := block + other + 1, as big-endian numbers without overflow. */
function addOne(block: Buffer, other: Buffer): void {
  let carry = 1
  for (let i = block.length - 1; i >= 0; i -= 1) {
    carry += (block[i] ?? 0) + (other[i] ?? 0)
    block[i] = carry & 0xff
    carry >>= 8
  }
}

const derived = (password: string, salt: Uint8Array, rounds: number, length: number, prf: HashName): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    pbkdf2(password, salt, rounds, length, prf, (problem, key) => (problem === null ? resolve(key) : reject(problem))),
  )

const PRFS: Readonly<Record<string, HashName>> = {
  [OID.hmacWithSha1]: 'sha1',
  [OID.hmacWithSha256]: 'sha256',
  [OID.hmacWithSha384]: 'sha384',
  [OID.hmacWithSha512]: 'sha512',
}
export const prfOf = (algorithm: string): HashName =>
  need(PRFS[algorithm], `the file uses ${algorithm}, which is not supported`)

/** A key by PBKDF2 (RFC 8018, section 5.2), from its AlgorithmIdentifier. */
export async function pbkdf2Key(algorithm: Value, password: string, length: number | null, budget: Budget) {
  const [name, parameters] = membersOf(algorithm, 'its key derivation is not readable')
  if (ber.oidText(name) !== OID.pbkdf2) throw new UnreadableFile('it uses a key derivation that is not supported')
  const [salt, count, ...rest] = membersOf(parameters, 'its key derivation is not readable')
  const stated = rest.find(({ tag }) => tag === ber.TAG.integer)
  const prf = rest.find(({ tag }) => tag === ber.TAG.sequence)
  const prfName =
    prf === undefined ? 'sha1' : prfOf(ber.oidText(membersOf(prf, 'its key derivation is not readable')[0]))
  const size = length ?? Number(ber.integerOf(stated) ?? 0n)
  if (!(size >= 16 && size <= 64)) throw new UnreadableFile('it states a key size that is not supported')
  return await derived(password, octetsOf(salt, 'its salt is not readable'), roundsOf(count, budget), size, prfName)
}

const AES: Readonly<Record<string, readonly [string, number]>> = {
  [OID.aes128Cbc]: ['aes-128-cbc', 16],
  [OID.aes192Cbc]: ['aes-192-cbc', 24],
  [OID.aes256Cbc]: ['aes-256-cbc', 32],
}
const RC2: readonly string[] = [OID.pbeRc2With128Bits, OID.pbeRc2With40Bits]
const RC2_REFUSED =
  'a part of it is encrypted with RC2, which is not supported; export it again with AES: ' +
  'openssl pkcs12 -legacy -in OLD.p12 -out KEY.pem, then openssl pkcs12 -export -in KEY.pem -out NEW.p12'

/**
 * Decrypts one part by its AlgorithmIdentifier. Null when the padding is wrong: another password, or damage. Throws
 * UnreadableFile for unsupported content.
 */
export async function decryptPart(
  algorithm: Value,
  ciphertext: Uint8Array,
  password: string,
  budget: Budget,
): Promise<Uint8Array | null> {
  const [name, parameters] = membersOf(algorithm, 'its encryption is not readable')
  const id = ber.oidText(name)
  if (ciphertext.length === 0 || ciphertext.length % 8 !== 0) return null
  if (id === OID.pbes2) {
    const [derivation, scheme] = membersOf(parameters, 'its encryption is not readable')
    const [cipherName, iv] = membersOf(scheme, 'its encryption is not readable')
    const [cipher, length] = need(
      AES[ber.oidText(cipherName)],
      `it is encrypted with ${ber.oidText(cipherName)}, which is not supported`,
    )
    const key = await pbkdf2Key(derivation, password, length, budget)
    return finished(cipher, key, octetsOf(iv, 'its encryption is not readable'), ciphertext)
  }
  if (RC2.includes(id)) throw new UnreadableFile(RC2_REFUSED)
  if (id !== OID.pbe3Des) throw new UnreadableFile(`it is encrypted with ${id}, which is not supported`)
  const [salted, count] = membersOf(parameters, 'its encryption is not readable')
  const rounds = roundsOf(count, budget)
  const salt = octetsOf(salted, 'its salt is not readable')
  const make = (purpose: 1 | 2, length: number): Buffer =>
    pkcs12Key({ hashName: 'sha1', password, salt, rounds, purpose, length })
  return finished('des-ede3-cbc', make(1, 24), make(2, 8), ciphertext)
}

function finished(cipher: string, key: Buffer, iv: Uint8Array, ciphertext: Uint8Array): Uint8Array | null {
  try {
    const decipher = createDecipheriv(cipher, key, iv)
    return new Uint8Array(Buffer.concat([decipher.update(ciphertext), decipher.final()]))
  } catch {
    return null
  }
}

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  hash,
  type KeyObject,
  pbkdf2,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import {
  berValue,
  type DerValue,
  implicitOctetsOf,
  integerOf,
  membersOf as membersIn,
  octetsOf as octetsIn,
  oidText,
  TAG,
} from '../../core/der/read.ts'
import type { Entropy } from '../../core/ports/ports.ts'
import { OID } from '../seal/oids.ts'

/**
 * A secret at rest: scrypt (RFC 7914) derives the key from the passphrase, AES-256-GCM (NIST SP 800-38D) encrypts and
 * authenticates, and the header, parameters included, is authenticated with it. Parameters are constants: a file cannot
 * request weaker or costlier ones.
 */
export interface Envelope {
  readonly header: { readonly [key: string]: string }
  readonly ciphertext: string
}

const KDF = 'scrypt N=131072 r=8 p=1'
const CIPHER = 'aes-256-gcm'
const N = 131_072
const TAG_BYTES = 16

/** The type in the header of every key's envelope. */
export const KEY_FORMAT = 'barewitness-key/1'

/** An envelope's text, as stored in a file. */
export const envelopeText = (envelope: Envelope): string => `${JSON.stringify(envelope, null, 2)}\n`

/** Reads an envelope of a key; null for any other text. */
export function parseEnvelope(text: string): Envelope | null {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null
    const header = value?.header
    if (typeof header !== 'object' || header === null || typeof value?.ciphertext !== 'string') return null
    const texts = Object.values(header).every((member) => typeof member === 'string')
    return texts && header.format === KEY_FORMAT ? { header, ciphertext: value.ciphertext } : null
  } catch {
    return null
  }
}

/** Encrypts. `about` stays readable and is authenticated with the secret. */
export async function sealSecret(
  secret: Uint8Array,
  passphrase: string,
  about: Readonly<Record<string, string>>,
  entropy: Entropy,
): Promise<Envelope> {
  const salt = entropy.bytes(32)
  const nonce = entropy.bytes(12)
  const header = { ...about, kdf: KDF, cipher: CIPHER, salt: base64(salt), nonce: base64(nonce) }
  const cipher = createCipheriv(CIPHER, await stretch(passphrase, salt), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(canonicalJson(header)))
  const body = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()])
  return { header, ciphertext: base64(body) }
}

/** Decrypts; null for a wrong passphrase or a changed byte, which cannot be distinguished. */
export async function openSecret({ header, ciphertext }: Envelope, passphrase: string): Promise<Uint8Array | null> {
  const body = Buffer.from(ciphertext, 'base64')
  const salt = Buffer.from(header.salt ?? '', 'base64')
  const nonce = Buffer.from(header.nonce ?? '', 'base64')
  if (header.kdf !== KDF || header.cipher !== CIPHER || nonce.length !== 12 || body.length < TAG_BYTES) return null
  try {
    const decipher = createDecipheriv(CIPHER, await stretch(passphrase, salt), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(canonicalJson(header)))
    decipher.setAuthTag(body.subarray(-TAG_BYTES))
    return new Uint8Array(Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]))
  } catch {
    return null
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Node's default memory limit for scrypt is below what these parameters need (128 · N · r bytes). */
const stretch = (passphrase: string, salt: Uint8Array): Promise<Buffer> =>
  promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt)(passphrase.normalize('NFC'), salt, 32, {
    N,
    r: 8,
    p: 1,
    maxmem: 160 * N * 8,
  })

/**
 * How the parts of a PKCS #12 file are encrypted (RFC 7292, appendices B and C; RFC 8018). The file states algorithms
 * and parameters.
 */

/** A password, and the key derivation rounds that are left for the whole file. */
interface Attempt {
  readonly password: string
  rounds: number
}

/** Unsupported or damaged content; caught where the file is read. */
class UnreadableFile extends Error {}

const need = <T>(value: T | null | undefined | false, what: string): T => {
  if (value === null || value === undefined || value === false) throw new UnreadableFile(what)
  return value
}

type Value = DerValue | undefined

const NOT_ONE = 'it is damaged, or not a PKCS #12 file'
const CONTENTS = 'its contents are damaged'
const DERIVATION = 'its key derivation is not readable'
const ENCRYPTION = 'its encryption is not readable'
const MAC = 'its MAC is not readable'
const SALT = 'its salt is not readable'

const sequenceOf = (value: Value, what = CONTENTS): DerValue => need(value?.tag === TAG.sequence && value, what)
const membersOf = (value: Value, what = CONTENTS): readonly DerValue[] => membersIn(sequenceOf(value, what))
const octetsOf = (value: Value, what = CONTENTS): Uint8Array => need(octetsIn(value), what)

/** A number of rounds, taken from the attempt. */
function roundsOf(value: Value, attempt: Attempt): number {
  const count = integerOf(value) ?? 0n
  if (count < 1n || count > BigInt(attempt.rounds))
    throw new UnreadableFile('the file requires too many key derivation rounds, or none')
  attempt.rounds -= Number(count)
  return Number(count)
}

type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512'

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

const derived = promisify(pbkdf2)

const PRFS: Readonly<Record<string, HashName>> = {
  [OID.hmacWithSha1]: 'sha1',
  [OID.hmacWithSha256]: 'sha256',
  [OID.hmacWithSha384]: 'sha384',
  [OID.hmacWithSha512]: 'sha512',
}

const prfOf = (algorithm: string): HashName =>
  need(PRFS[algorithm], `the file uses ${algorithm}, which is not supported`)

/** A key by PBKDF2 (RFC 8018, section 5.2), from its AlgorithmIdentifier. */
async function pbkdf2Key(algorithm: Value, length: number | null, attempt: Attempt) {
  const [name, parameters] = membersOf(algorithm, DERIVATION)
  if (oidText(name) !== OID.pbkdf2) throw new UnreadableFile('it uses a key derivation that is not supported')
  const [salt, count, ...rest] = membersOf(parameters, DERIVATION)
  const stated = rest.find(({ tag }) => tag === TAG.integer)
  const prf = rest.find(({ tag }) => tag === TAG.sequence)
  const prfName = prf === undefined ? 'sha1' : prfOf(oidText(membersOf(prf, DERIVATION)[0]))
  const size = length ?? Number(integerOf(stated) ?? 0n)
  if (!(size >= 16 && size <= 64)) throw new UnreadableFile('it states a key size that is not supported')
  return await derived(attempt.password, octetsOf(salt, SALT), roundsOf(count, attempt), size, prfName)
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
async function decryptPart(algorithm: Value, ciphertext: Uint8Array, attempt: Attempt): Promise<Uint8Array | null> {
  const [name, parameters] = membersOf(algorithm, ENCRYPTION)
  const id = oidText(name)
  if (ciphertext.length === 0 || ciphertext.length % 8 !== 0) return null
  if (id === OID.pbes2) {
    const [derivation, scheme] = membersOf(parameters, ENCRYPTION)
    const [cipherName, iv] = membersOf(scheme, ENCRYPTION)
    const aes = oidText(cipherName)
    const [cipher, length] = need(AES[aes], `it is encrypted with ${aes}, which is not supported`)
    const key = await pbkdf2Key(derivation, length, attempt)
    return finished(cipher, key, octetsOf(iv, ENCRYPTION), ciphertext)
  }
  if (RC2.includes(id)) throw new UnreadableFile(RC2_REFUSED)
  if (id !== OID.pbe3Des) throw new UnreadableFile(`it is encrypted with ${id}, which is not supported`)
  const [salted, count] = membersOf(parameters, ENCRYPTION)
  const rounds = roundsOf(count, attempt)
  const salt = octetsOf(salted, SALT)
  const make = (purpose: 1 | 2, length: number): Buffer =>
    pkcs12Key({ hashName: 'sha1', password: attempt.password, salt, rounds, purpose, length })
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

/** Content of a PKCS #12 file: one private key, and certificates in the file's order. */
interface Pkcs12Contents {
  readonly key: KeyObject
  readonly certificates: readonly Uint8Array[]
}

const LARGEST = 1 << 20
const MOST_ROUNDS = 5_000_000
const MOST_BAGS = 100

/**
 * Reads a PKCS #12 file in password integrity mode (RFC 7292), with its MAC in the old form or in that of RFC 9579.
 * Fails with identity.passphrase-wrong where neither the MAC nor an encrypted part accepts it, and with key.refused for a file
 * that is damaged, has no MAC, has no or several keys, needs more than five million rounds, or uses unsupported
 * algorithms. Returns for any bytes.
 */
export async function readPkcs12(file: Uint8Array, password: string): Promise<Outcome<Pkcs12Contents>> {
  if (file.length > LARGEST) return fail('key.refused', `the PKCS #12 file is larger than ${LARGEST} bytes`)
  try {
    return await contents(file, password)
  } catch (problem) {
    const why = problem instanceof UnreadableFile ? problem.message : NOT_ONE
    return fail('key.refused', `the PKCS #12 file cannot be read: ${why}`)
  }
}

async function contents(file: Uint8Array, password: string): Promise<Outcome<Pkcs12Contents>> {
  const attempt: Attempt = { password, rounds: MOST_ROUNDS }
  const [, authSafe, macData] = membersOf(parsed(file), NOT_ONE)
  const [contentType, content] = membersOf(authSafe, NOT_ONE)
  if (oidText(contentType) !== OID.data) throw new UnreadableFile('it is protected by a key and not by a password')
  if (macData === undefined) throw new UnreadableFile('it has no MAC, so its integrity cannot be checked')
  const authenticated = octetsOf(insideOf(content), NOT_ONE)
  const intact = await macFits(macData, authenticated, attempt)
  const read = await partsOf(authenticated, attempt)
  if (!intact) {
    return read.opened > 0
      ? fail('key.refused', 'the PKCS #12 file is damaged: its passphrase opens a part, but its MAC does not match')
      : fail('identity.passphrase-wrong', 'the passphrase does not open the PKCS #12 file, or the file is damaged')
  }
  if (read.closed > 0) throw new UnreadableFile('a part of it does not open with the passphrase that its MAC accepts')
  const [key, ...more] = read.keys
  if (key === undefined || more.length > 0)
    throw new UnreadableFile(`it contains ${read.keys.length} private keys; exactly one is required`)
  return ok({ key, certificates: read.certificates })
}

const parsed = (bytes: Uint8Array): DerValue => need(berValue(bytes), NOT_ONE)

/** The content of an explicit tag [0]. */
const insideOf = (tagged: Value): Value => membersIn(tagged)[0]

const HASHES: Readonly<Record<string, HashName>> = {
  [OID.sha1]: 'sha1',
  [OID.sha256]: 'sha256',
  [OID.sha384]: 'sha384',
  [OID.sha512]: 'sha512',
}

/** Whether the MAC over the contents is that of the password (RFC 7292, section 5.1; RFC 9579, section 4). */
async function macFits(macData: DerValue, data: Uint8Array, attempt: Attempt): Promise<boolean> {
  const [digestInfo, salt, count] = membersOf(macData, MAC)
  const [algorithm, digest] = membersOf(digestInfo, MAC)
  const [name, parameters] = membersOf(algorithm, MAC)
  const id = oidText(name)
  let hashName: HashName
  let key: Buffer
  if (id === OID.pbmac1) {
    const [derivation, scheme] = membersOf(parameters, MAC)
    hashName = prfOf(oidText(membersOf(scheme, MAC)[0]))
    key = await pbkdf2Key(derivation, null, attempt)
  } else {
    hashName = need(HASHES[id], `its MAC uses ${id}, which is not supported`)
    const rounds = count === undefined ? 1 : roundsOf(count, attempt)
    const length = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 }[hashName]
    key = pkcs12Key({ hashName, password: attempt.password, salt: octetsOf(salt, MAC), rounds, purpose: 3, length })
  }
  const expected = createHmac(hashName, key).update(data).digest()
  const stated = octetsOf(digest, MAC)
  return stated.length === expected.length && timingSafeEqual(stated, expected)
}

interface Parts {
  readonly keys: KeyObject[]
  readonly certificates: Uint8Array[]
  /** Encrypted parts that could be read, and those that could not. */
  opened: number
  closed: number
  bags: number
}

/** Walks AuthenticatedSafe and its bags (RFC 7292, section 4). */
async function partsOf(authenticated: Uint8Array, attempt: Attempt): Promise<Parts> {
  const parts: Parts = { keys: [], certificates: [], opened: 0, closed: 0, bags: 0 }
  for (const info of membersOf(parsed(authenticated))) {
    countBag(parts)
    const [contentType, content] = membersOf(info)
    if (oidText(contentType) === OID.data) {
      const safe = parsed(octetsOf(insideOf(content)))
      await readBags(safe, parts, attempt)
    } else if (oidText(contentType) === OID.encryptedData) {
      const [, encrypted] = membersOf(insideOf(content))
      const [, algorithm, ciphertext] = membersOf(encrypted)
      const octets = need(implicitOctetsOf(ciphertext, 0), CONTENTS)
      const safe = await opened(algorithm, octets, parts, attempt)
      if (safe !== null) await readBags(safe, parts, attempt)
    } else throw new UnreadableFile('a part of it is encrypted to a key and not to a password')
  }
  return parts
}

/** A sequence that was encrypted; null when it did not open. */
async function opened(algorithm: Value, ciphertext: Uint8Array, parts: Parts, attempt: Attempt) {
  const bytes = await decryptPart(algorithm, ciphertext, attempt)
  // A wrong password gives valid padding in about one of a hundred cases, but hardly ever a whole sequence.
  const value = bytes === null ? null : berValue(bytes)
  const sequence = value?.tag === TAG.sequence ? value : null
  if (sequence === null) parts.closed += 1
  else parts.opened += 1
  return sequence
}

async function readBags(safe: Value, parts: Parts, attempt: Attempt): Promise<void> {
  for (const bag of membersOf(safe)) {
    countBag(parts)
    const [bagId, tagged] = membersOf(bag)
    const value = insideOf(tagged)
    const id = oidText(bagId)
    if (id === OID.keyBag) parts.keys.push(keyOf(value))
    if (id === OID.shroudedKeyBag) {
      const [algorithm, ciphertext] = membersOf(value)
      const octets = octetsOf(ciphertext)
      const key = await opened(algorithm, octets, parts, attempt)
      if (key !== null) parts.keys.push(keyOf(key))
    }
    if (id === OID.certBag) {
      const [certId, certificate] = membersOf(value)
      if (oidText(certId) === OID.x509Certificate) parts.certificates.push(octetsOf(insideOf(certificate)))
    }
    if (id === OID.safeContentsBag) await readBags(value, parts, attempt)
  }
}

function countBag(parts: Parts): void {
  parts.bags += 1
  if (parts.bags > MOST_BAGS) throw new UnreadableFile(`it has more than ${MOST_BAGS} parts`)
}

function keyOf(value: Value): KeyObject {
  const sequence = sequenceOf(value)
  try {
    return createPrivateKey({ key: Buffer.from(sequence.bytes), format: 'der', type: 'pkcs8' })
  } catch {
    throw new UnreadableFile('its private key is of an unsupported kind')
  }
}

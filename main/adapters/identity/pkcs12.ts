import { createHmac, createPrivateKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { berValue, type DerValue, implicitOctetsOf, membersOf as membersIn, oidText, TAG } from '../../core/der/read.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import { OID } from '../seal/oids.ts'
import {
  type Budget,
  decryptPart,
  type HashName,
  membersOf,
  need,
  octetsOf,
  pbkdf2Key,
  pkcs12Key,
  prfOf,
  roundsOf,
  UnreadableFile,
} from './pkcs12-encryption.ts'

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
 * Fails with identity.passphrase-wrong where the MAC and every encrypted part show it, and with key.refused for a file
 * that is damaged, has no MAC, has no or several keys, needs more than five million rounds, or uses unsupported
 * algorithms. Returns for any bytes.
 */
export async function readPkcs12(file: Uint8Array, password: string): Promise<Outcome<Pkcs12Contents>> {
  if (file.length > LARGEST) return fail('key.refused', `the PKCS #12 file is larger than ${LARGEST} bytes`)
  try {
    return await contents(file, password)
  } catch (problem) {
    const why = problem instanceof UnreadableFile ? problem.message : 'it is damaged, or not a PKCS #12 file'
    return fail('key.refused', `the PKCS #12 file cannot be read: ${why}`)
  }
}

async function contents(file: Uint8Array, password: string): Promise<Outcome<Pkcs12Contents>> {
  const budget: Budget = { rounds: MOST_ROUNDS }
  const [, authSafe, macData] = membersOf(parsed(file), 'it is damaged, or not a PKCS #12 file')
  const [contentType, content] = membersOf(authSafe, 'it is damaged, or not a PKCS #12 file')
  if (oidText(contentType) !== OID.data) throw new UnreadableFile('it is protected by a key and not by a password')
  if (macData === undefined) throw new UnreadableFile('it has no MAC, so its integrity cannot be checked')
  const authenticated = octetsOf(insideOf(content), 'it is damaged, or not a PKCS #12 file')
  const intact = await macFits(macData, authenticated, password, budget)
  const read = await partsOf(authenticated, password, budget)
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

const parsed = (bytes: Uint8Array): DerValue => need(berValue(bytes), 'it is damaged, or not a PKCS #12 file')

/** The content of an explicit tag [0]. */
const insideOf = (tagged: DerValue | undefined): DerValue | undefined => membersIn(tagged)[0]

const HASHES: Readonly<Record<string, HashName>> = {
  [OID.sha1]: 'sha1',
  [OID.sha256]: 'sha256',
  [OID.sha384]: 'sha384',
  [OID.sha512]: 'sha512',
}

/** Whether the MAC over the contents is that of the password (RFC 7292, section 5.1; RFC 9579, section 4). */
async function macFits(macData: DerValue, data: Uint8Array, password: string, budget: Budget): Promise<boolean> {
  const [digestInfo, salt, count] = membersOf(macData, 'its MAC is not readable')
  const [algorithm, digest] = membersOf(digestInfo, 'its MAC is not readable')
  const [name, parameters] = membersOf(algorithm, 'its MAC is not readable')
  const id = oidText(name)
  let hashName: HashName
  let key: Buffer
  if (id === OID.pbmac1) {
    const [derivation, scheme] = membersOf(parameters, 'its MAC is not readable')
    hashName = prfOf(oidText(membersOf(scheme, 'its MAC is not readable')[0]))
    key = await pbkdf2Key(derivation, password, null, budget)
  } else {
    hashName = need(HASHES[id], `its MAC uses ${id}, which is not supported`)
    const rounds = count === undefined ? 1 : roundsOf(count, budget)
    const length = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 }[hashName]
    const salted = octetsOf(salt, 'its MAC is not readable')
    key = pkcs12Key({ hashName, password, salt: salted, rounds, purpose: 3, length })
  }
  const expected = createHmac(hashName, key).update(data).digest()
  const stated = octetsOf(digest, 'its MAC is not readable')
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
async function partsOf(authenticated: Uint8Array, password: string, budget: Budget): Promise<Parts> {
  const parts: Parts = { keys: [], certificates: [], opened: 0, closed: 0, bags: 0 }
  for (const info of membersOf(parsed(authenticated), 'its contents are damaged')) {
    countBag(parts)
    const [contentType, content] = membersOf(info, 'its contents are damaged')
    if (oidText(contentType) === OID.data) {
      const safe = parsed(octetsOf(insideOf(content), 'its contents are damaged'))
      await readBags(safe, parts, password, budget)
    } else if (oidText(contentType) === OID.encryptedData) {
      const [, encrypted] = membersOf(insideOf(content), 'its contents are damaged')
      const [, algorithm, ciphertext] = membersOf(encrypted, 'its contents are damaged')
      const octets = need(implicitOctetsOf(ciphertext, 0), 'its contents are damaged')
      const safe = await opened(algorithm, octets, parts, password, budget)
      if (safe !== null) await readBags(safe, parts, password, budget)
    } else throw new UnreadableFile('a part of it is encrypted to a key and not to a password')
  }
  return parts
}

/** A sequence that was encrypted; null when it did not open. */
async function opened(
  algorithm: DerValue | undefined,
  ciphertext: Uint8Array,
  parts: Parts,
  password: string,
  budget: Budget,
): Promise<DerValue | null> {
  const bytes = await decryptPart(algorithm, ciphertext, password, budget)
  // A wrong password gives valid padding in about one of a hundred cases, but hardly ever a whole sequence.
  const value = bytes === null ? null : berValue(bytes)
  const sequence = value?.tag === TAG.sequence ? value : null
  if (sequence === null) parts.closed += 1
  else parts.opened += 1
  return sequence
}

async function readBags(safe: DerValue | undefined, parts: Parts, password: string, budget: Budget): Promise<void> {
  for (const bag of membersOf(safe, 'its contents are damaged')) {
    countBag(parts)
    const [bagId, tagged] = membersOf(bag, 'its contents are damaged')
    const value = insideOf(tagged)
    const id = oidText(bagId)
    if (id === OID.keyBag) parts.keys.push(keyOf(value))
    if (id === OID.shroudedKeyBag) {
      const [algorithm, ciphertext] = membersOf(value, 'its contents are damaged')
      const octets = octetsOf(ciphertext, 'its contents are damaged')
      const key = await opened(algorithm, octets, parts, password, budget)
      if (key !== null) parts.keys.push(keyOf(key))
    }
    if (id === OID.certBag) {
      const [certId, certificate] = membersOf(value, 'its contents are damaged')
      if (oidText(certId) === OID.x509Certificate)
        parts.certificates.push(octetsOf(insideOf(certificate), 'its contents are damaged'))
    }
    if (id === OID.safeContentsBag) await readBags(value, parts, password, budget)
  }
}

function countBag(parts: Parts): void {
  parts.bags += 1
  if (parts.bags > MOST_BAGS) throw new UnreadableFile(`it has more than ${MOST_BAGS} parts`)
}

function keyOf(value: DerValue | undefined): KeyObject {
  const sequence = need(value?.tag === TAG.sequence && value, 'its contents are damaged')
  try {
    return createPrivateKey({ key: Buffer.from(sequence.bytes), format: 'der', type: 'pkcs8' })
  } catch {
    throw new UnreadableFile('its private key is of an unsupported kind')
  }
}

import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { Entropy } from '../../core/ports.ts'

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
  new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, { N, r: 8, p: 1, maxmem: 160 * N * 8 }, (problem, key) =>
      problem === null ? resolve(key) : reject(problem),
    ),
  )

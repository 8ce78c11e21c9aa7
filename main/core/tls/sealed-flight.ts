import {
  createDecipheriv,
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
} from 'node:crypto'
import { concat, type KeyShare, SECP256R1, u16, vector8, wireReader, X25519 } from './client-hello.ts'
import { certificateList, readMessages, type ServerHello } from './server-reply.ts'

/** Keys for one ClientHello: what is sent, and the secret that a server's share makes of them. */
export interface OwnShares {
  readonly shares: readonly KeyShare[]
  readonly secretWith: (group: number, publicKey: Uint8Array) => Uint8Array | null
}

const X25519_PRIVATE = Buffer.from('302e020100300506032b656e04220420', 'hex')
const X25519_PUBLIC = Buffer.from('302a300506032b656e032100', 'hex')

/** X25519 and P-256 from 64 random bytes. A group that this runtime lacks is left out. */
export function ownShares(random: Uint8Array): OwnShares {
  const montgomery = attempt(() => {
    const key = createPrivateKey({
      key: Buffer.concat([X25519_PRIVATE, random.subarray(0, 32)]),
      format: 'der',
      type: 'pkcs8',
    })
    const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(X25519_PUBLIC.length)
    return { key, publicKey: Uint8Array.from(publicKey) }
  })
  const prime = attempt(() => {
    const key = createECDH('prime256v1')
    // The order of the curve begins with 32 bits set: a cleared first bit keeps any number below it.
    key.setPrivateKey(Uint8Array.from(random.subarray(32, 64), (byte, at) => (at === 0 ? (byte & 0x7f) | 0x40 : byte)))
    return { key, publicKey: Uint8Array.from(key.getPublicKey()) }
  })
  return {
    shares: [
      ...(montgomery === null ? [] : [{ group: X25519, publicKey: montgomery.publicKey }]),
      ...(prime === null ? [] : [{ group: SECP256R1, publicKey: prime.publicKey }]),
    ],
    secretWith: (group, publicKey) =>
      attempt(() => {
        if (group === SECP256R1 && prime !== null) return prime.key.computeSecret(publicKey)
        if (group !== X25519 || montgomery === null) return null
        const theirs = createPublicKey({ key: Buffer.concat([X25519_PUBLIC, publicKey]), format: 'der', type: 'spki' })
        return diffieHellman({ privateKey: montgomery.key, publicKey: theirs })
      }),
  }
}

/** Ciphers by suite; ChaCha20 is absent from some runtimes, and what it sealed then stays closed. */
const CIPHERS: Readonly<Record<number, { cipher: string; hash: 'sha256' | 'sha384'; keyLength: number }>> = {
  4865: { cipher: 'aes-128-gcm', hash: 'sha256', keyLength: 16 },
  4866: { cipher: 'aes-256-gcm', hash: 'sha384', keyLength: 32 },
  4867: { cipher: 'chacha20-poly1305', hash: 'sha256', keyLength: 32 },
}

const CERTIFICATE = 11
/** A flight comes in a few dozen; more would only cost our time. */
const MOST_RECORDS = 128

/**
 * The certificates that a TLS 1.3 server sent (RFC 8446 §4.4.2, §5.2, §7.1), opened with the handshake keys: nothing has to be answered for that.
 * null while they have not come whole, or where they cannot be opened.
 */
export function sealedCertificates(
  clientHello: Uint8Array,
  hello: ServerHello,
  { secretWith }: OwnShares,
): readonly Uint8Array[] | null {
  const suite = CIPHERS[hello.suite]
  const secret = hello.share === null ? null : secretWith(hello.share.group, hello.share.publicKey)
  if (suite === undefined || secret === null) return null
  const transcript = concat([clientHello.subarray(5), hello.message])
  const plain = attempt(() => open(suite, secret, transcript, hello.sealed))
  const message = plain === null ? undefined : readMessages(plain).find(({ type }) => type === CERTIFICATE)
  return message === undefined ? null : certificateList(wireReader(message.body), true)
}

function open(
  suite: (typeof CIPHERS)[number],
  secret: Uint8Array,
  transcript: Uint8Array,
  records: readonly Uint8Array[],
): Uint8Array {
  const { cipher, hash, keyLength } = suite
  const digest = (bytes: Uint8Array): Uint8Array => createHash(hash).update(bytes).digest()
  const hmac = (key: Uint8Array, bytes: Uint8Array): Uint8Array => createHmac(hash, key).update(bytes).digest()
  const none = new Uint8Array()
  const zeros = new Uint8Array(digest(none).length)
  // HKDF-Expand-Label; every length asked for fits into one block of the hash.
  const expand = (key: Uint8Array, label: string, context: Uint8Array, length: number): Uint8Array =>
    hmac(
      key,
      Uint8Array.from([...u16(length), ...vector8(Buffer.from(`tls13 ${label}`)), ...vector8(context), 1]),
    ).subarray(0, length)
  const derived = expand(hmac(zeros, zeros), 'derived', digest(none), zeros.length)
  const traffic = expand(hmac(derived, secret), 's hs traffic', digest(transcript), zeros.length)
  const key = expand(traffic, 'key', none, keyLength)
  const iv = expand(traffic, 'iv', none, 12)
  const contents: Uint8Array[] = []
  for (const [sequence, record] of records.slice(0, MOST_RECORDS).entries()) {
    const nonce = Uint8Array.from(iv, (byte, at) =>
      at < 8 ? byte : byte ^ (Math.floor(sequence / 256 ** (11 - at)) & 0xff),
    )
    const body = record.subarray(5)
    const decipher = createDecipheriv(cipher as 'aes-128-gcm', key, nonce, { authTagLength: 16 })
    decipher.setAAD(record.subarray(0, 5))
    decipher.setAuthTag(body.subarray(-16))
    const inner = attempt(() => Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]))
    if (inner === null) break
    const end = inner.findLastIndex((byte) => byte !== 0)
    // 22 is handshake; anything else, an alert perhaps, ends what can be read.
    if (inner[end] !== 22) break
    contents.push(inner.subarray(0, end))
  }
  return concat(contents)
}

/** Crypto libraries throw on hostile keys and records. */
function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

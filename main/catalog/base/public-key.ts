import { sha256 } from '../../core/base/digest.ts'

/** A public key of OpenSSH, without its comment, which often names a person. */
export interface PublicKey {
  /** Key type as in the blob, for example ssh-ed25519. */
  readonly type: string
  /** Length of the modulus or the curve in bits; null for a type without a known length. */
  readonly bits: number | null
  /** As ssh-keygen prints it: `SHA256:` and unpadded base64 of the SHA-256 of the blob. */
  readonly fingerprint: string
}

/** Reads a key from the two words of its line (sshd(8), AUTHORIZED_KEYS FILE FORMAT); null where the blob is not of the type that is named. */
export function readPublicKey(type: string, base64: string): PublicKey | null {
  const blob = decodeBase64(base64)
  const named = blob === null ? null : readSshString(blob, 0)
  if (blob === null || named === null || new TextDecoder().decode(named.value) !== type) return null
  return { type, bits: bitsOf(type, blob, named.next), fingerprint: `SHA256:${toBase64(sha256(blob))}` }
}

/** Decodes base64 (RFC 4648 §4); null where it is invalid. */
function decodeBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

/** A `string` of RFC 4251 §5 at an offset: its bytes and where the next field starts; null when it runs past the end. */
function readSshString(blob: Uint8Array, at: number): { readonly value: Uint8Array; readonly next: number } | null {
  if (at + 4 > blob.length) return null
  const length = new DataView(blob.buffer, blob.byteOffset).getUint32(at)
  const next = at + 4 + length
  return next > blob.length ? null : { value: blob.subarray(at + 4, next), next }
}

// RFC 4253 §6.6 (ssh-rsa: e, n; ssh-dss: p, q, g, y) and RFC 5656 §3.1 (curve name).
function bitsOf(type: string, blob: Uint8Array, at: number): number | null {
  const first = readSshString(blob, at)
  if (first === null) return null
  if (type === 'ssh-dss') return bitLength(first.value)
  if (type === 'ssh-rsa') {
    const modulus = readSshString(blob, first.next)
    return modulus === null ? null : bitLength(modulus.value)
  }
  const curve = /nistp(\d+)/.exec(type)?.[1]
  if (curve !== undefined) return Number(curve)
  return type.includes('ed25519') ? 256 : null
}

function bitLength(number: Uint8Array): number {
  const start = number.findIndex((byte) => byte !== 0)
  return start < 0 ? 0 : (number.length - start) * 8 - Math.clz32(number[start] ?? 0) + 24
}

function toBase64(hex: string): string {
  const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? []
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, '')
}

/** Bytes of base64 text (RFC 4648 §4), or null when it is none. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

/** A `string` of RFC 4251 §5 at an offset: its bytes and where the next field starts; null when it runs past the end. */
export function readSshString(
  blob: Uint8Array,
  at: number,
): { readonly value: Uint8Array; readonly next: number } | null {
  if (at + 4 > blob.length) return null
  const length = new DataView(blob.buffer, blob.byteOffset).getUint32(at)
  const next = at + 4 + length
  return next > blob.length ? null : { value: blob.subarray(at + 4, next), next }
}

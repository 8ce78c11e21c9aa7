/** One element of DER (ITU-T X.690): its tag byte, its content, and all of it with its header. */
export interface DerElement {
  readonly tag: number
  readonly content: Uint8Array
  readonly whole: Uint8Array
}

/** The elements that stand one after the other, or null where the bytes are not DER. Lengths of up to three bytes; nothing longer is expected. */
export function derElements(bytes: Uint8Array): readonly DerElement[] | null {
  const found: DerElement[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag, first] = [bytes[at], bytes[at + 1]]
    if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return null
    const extra = first < 0x80 ? 0 : first & 0x7f
    if (first === 0x80 || extra > 3) return null
    const header = 2 + extra
    const length = extra === 0 ? first : bytes.subarray(at + 2, at + header).reduce((sum, byte) => sum * 256 + byte, 0)
    const end = at + header + length
    if (end > bytes.length) return null
    found.push({ tag, content: bytes.subarray(at + header, end), whole: bytes.subarray(at, end) })
    at = end
  }
  return found
}

/** An object identifier in dotted form; empty where the bytes are none. */
export function oidText(content: Uint8Array): string {
  const arcs: number[] = []
  let value = 0
  for (const byte of content.subarray(0, 32)) {
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      arcs.push(value)
      value = 0
    }
  }
  const [first = 0, ...rest] = arcs
  if (arcs.length === 0) return ''
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...rest].join('.')
}

import { sha256 } from '../../../core/base/digest.ts'

/** The content of a firmware event log, and the register values that result from replaying it. */
export interface TcgLog {
  readonly events: number
  /** SHA-256 registers 0 to 7 after replay, in hexadecimal. Registers that no event extends are left out. */
  readonly replayed: ReadonlyMap<number, string>
  /** Words of EV_S_CRTM_VERSION and of EV_POST_CODE: versions that the firmware gives itself. */
  readonly versions: readonly string[]
  /** Regions of memory that the firmware measured as itself (EV_EFI_PLATFORM_FIRMWARE_BLOB). */
  readonly blobs: readonly { readonly base: number; readonly length: number }[]
}

// TCG PC Client Platform Firmware Profile 1.06, table 14.
const EV_POST_CODE = 0x1
const EV_NO_ACTION = 0x3
const EV_S_CRTM_VERSION = 0x8
const EV_EFI_PLATFORM_FIRMWARE_BLOB = 0x80000008

const SHA256 = 0x000b
const MOST_EVENTS = 20_000
const MOST_WORDS = 16
const ALGORITHMS = 16

/**
 * Reads a crypto-agile event log (TCG PC Client Platform Firmware Profile 1.06, §10) and replays its SHA-256 digests from the registers’
 * start (§3.3.2; the locality of the start counts for register 0). "no SHA-256" for logs in the old form or without that bank; "broken"
 * where the bytes do not add up. One pass, whatever the bytes.
 */
export function readTcgLog(bytes: Uint8Array): TcgLog | 'no SHA-256' | 'broken' {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const header = readHeader(bytes, view)
  if (typeof header === 'string') return header
  const replayed = new Map<number, Uint8Array>()
  const versions: string[] = []
  const blobs: { base: number; length: number }[] = []
  let at = header.end
  let events = 1
  while (at < bytes.length) {
    const event = readEvent(bytes, view, at, header.sizes)
    if (event === null || events >= MOST_EVENTS) return 'broken'
    at = event.end
    events += 1
    const { register, type, digest, data } = event
    if (type === EV_NO_ACTION) {
      const locality = startupLocality(data)
      if (register === 0 && locality !== null && !replayed.has(0)) replayed.set(0, startAt(locality))
    } else if (register <= 7) replayed.set(register, extended(replayed.get(register), digest))
    if ((type === EV_S_CRTM_VERSION || type === EV_POST_CODE) && versions.length < MOST_WORDS)
      versions.push(...wordsOf(data))
    if (type === EV_EFI_PLATFORM_FIRMWARE_BLOB && data.length === 16 && blobs.length < MOST_WORDS)
      blobs.push(blobOf(data))
  }
  const hex = [...replayed].map(([register, value]) => [register, Buffer.from(value).toString('hex')] as const)
  return { events, replayed: new Map(hex), versions, blobs }
}

interface Header {
  readonly end: number
  /** Algorithm id → size of its digests. */
  readonly sizes: ReadonlyMap<number, number>
}

// TCG_PCR_EVENT with TCG_EfiSpecIDEvent in it, §10.4.5.1.
function readHeader(bytes: Uint8Array, view: DataView): Header | 'no SHA-256' | 'broken' {
  if (bytes.length < 32) return 'broken'
  const size = view.getUint32(28, true)
  const end = 32 + size
  if (end > bytes.length) return 'broken'
  const isAgile = latin(bytes.subarray(32, 47)) === 'Spec ID Event03'
  if (view.getUint32(4, true) !== EV_NO_ACTION || !isAgile || size < 29) return 'no SHA-256'
  const count = view.getUint32(56, true)
  if (count === 0 || count > ALGORITHMS || 60 + count * 4 > end) return 'broken'
  const sizes = new Map<number, number>()
  for (let index = 0; index < count; index += 1)
    sizes.set(view.getUint16(60 + index * 4, true), view.getUint16(62 + index * 4, true))
  return sizes.get(SHA256) === 32 ? { end, sizes } : 'no SHA-256'
}

interface Event {
  readonly end: number
  readonly register: number
  readonly type: number
  readonly digest: Uint8Array
  readonly data: Uint8Array
}

// TCG_PCR_EVENT2, §10.2.2. Null where it does not fit, or has no SHA-256 digest.
function readEvent(bytes: Uint8Array, view: DataView, start: number, sizes: Header['sizes']): Event | null {
  if (start + 12 > bytes.length) return null
  const count = view.getUint32(start + 8, true)
  if (count > ALGORITHMS) return null
  let at = start + 12
  let digest: Uint8Array | null = null
  for (let index = 0; index < count; index += 1) {
    if (at + 2 > bytes.length) return null
    const algorithm = view.getUint16(at, true)
    const size = sizes.get(algorithm)
    if (size === undefined || at + 2 + size > bytes.length) return null
    if (algorithm === SHA256) digest = bytes.subarray(at + 2, at + 2 + size)
    at += 2 + size
  }
  if (digest === null || at + 4 > bytes.length) return null
  const size = view.getUint32(at, true)
  const end = at + 4 + size
  if (end > bytes.length) return null
  const [register, type] = [view.getUint32(start, true), view.getUint32(start + 4, true)]
  return { end, register, type, digest, data: bytes.subarray(at + 4, end) }
}

function extended(before: Uint8Array | undefined, digest: Uint8Array): Uint8Array {
  return Buffer.from(sha256(Buffer.concat([before ?? new Uint8Array(32), digest])), 'hex')
}

// TCG_EfiStartupLocalityEvent, §10.4.5.3: "StartupLocality", a zero byte, the locality.
const startupLocality = (data: Uint8Array): number | null =>
  data.length === 17 && latin(data.subarray(0, 15)) === 'StartupLocality' ? (data[16] ?? null) : null

function startAt(locality: number): Uint8Array {
  const value = new Uint8Array(32)
  value[31] = locality
  return value
}

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Text of an event, in UTF-16 or ASCII; none where the bytes are no text. */
function wordsOf(data: Uint8Array): readonly string[] {
  const head = Buffer.from(data.subarray(0, 256))
  const isWide = head.length >= 4 && head.length % 2 === 0 && head[1] === 0 && head[3] === 0
  const text = head.toString(isWide ? 'utf16le' : 'latin1').replace(/\0+$/, '')
  return /^[ -~]{3,128}$/.test(text) ? [text] : []
}

// UEFI_PLATFORM_FIRMWARE_BLOB, §10.2.5: address and length, 64 bits each.
function blobOf(data: Uint8Array): { base: number; length: number } {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return { base: Number(view.getBigUint64(0, true)), length: Number(view.getBigUint64(8, true)) }
}

export const NOTE_TYPE = 'text/plain'
const UNKNOWN = 'application/octet-stream'

interface Kind {
  readonly type: string
  readonly extensions: readonly string[]
  readonly fits: (bytes: Uint8Array) => boolean
}

const begins =
  (...start: readonly number[]) =>
  (bytes: Uint8Array): boolean =>
    start.every((byte, index) => bytes[index] === byte)

const isZip = begins(0x50, 0x4b, 0x03, 0x04)
const office = (kind: string): string => `application/vnd.openxmlformats-officedocument.${kind}`

/** Kinds that can be viewed directly: first bytes of PDF (ISO 32000-1 §7.5.2), PNG (RFC 2083 §3.1) and JPEG (ITU-T T.81 B.1). */
const SHOWN: readonly Kind[] = [
  { type: 'application/pdf', extensions: ['pdf'], fits: begins(0x25, 0x50, 0x44, 0x46, 0x2d) },
  { type: 'image/png', extensions: ['png'], fits: begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  { type: 'image/jpeg', extensions: ['jpg', 'jpeg'], fits: begins(0xff, 0xd8, 0xff) },
]
const KINDS: readonly Kind[] = [
  ...SHOWN,
  { type: office('wordprocessingml.document'), extensions: ['docx'], fits: isZip },
  { type: office('spreadsheetml.sheet'), extensions: ['xlsx'], fits: isZip },
  { type: 'application/zip', extensions: ['zip'], fits: isZip },
  { type: NOTE_TYPE, extensions: ['txt', 'log', 'md'], fits: isText },
  { type: 'text/csv', extensions: ['csv'], fits: isText },
]

/** The media type where extension and first bytes agree; otherwise application/octet-stream. */
export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return KINDS.find((kind) => kind.extensions.includes(extension) && kind.fits(bytes))?.type ?? UNKNOWN
}

/** The extension for opening in a viewer, from the content and not the name; null: none. */
export const viewerExtension = (bytes: Uint8Array): string | null =>
  SHOWN.find(({ fits }) => fits(bytes))?.extensions[0] ?? null

/** UTF-8 without control characters other than tabs and line ends, as far as the beginning shows. */
function isText(bytes: Uint8Array): boolean {
  try {
    const start = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 4096), { stream: true })
    return !/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(start)
  } catch {
    return false
  }
}

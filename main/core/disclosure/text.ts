import { PATHS } from '../pack-files.ts'

/** Larger answers and attachments are one part. Our own documents are small beside them, and are always cut. */
const LARGEST_CUT = 1024 * 1024
const LARGEST_DOCUMENT = 64 * 1024 * 1024
const DOCUMENT = /^data\/(?:nodes\/[^/]+\/)?[a-z]+\.jsonl?$/

export const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * The text that the rules run over, one character a byte (Latin-1), so that places in it are places in the file. Null where a file is not
 * cut: too large, not UTF-8, or the catalog, which holds our own words only.
 */
export function cuttableText(path: string, bytes: Uint8Array): string | null {
  const largest = DOCUMENT.test(path) ? LARGEST_DOCUMENT : LARGEST_CUT
  if (path === PATHS.catalog || bytes.length > largest || decodeUtf8(bytes) === null) return null
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

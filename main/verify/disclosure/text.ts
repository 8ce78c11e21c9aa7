import { PATHS } from '../../core/pack-files.ts'
import { decodeUtf8 } from '../../core/plain-text.ts'

/** Larger captures and documents are one part. Generated documents are smaller and are always divided. */
const LARGEST_CUT = 1024 * 1024
const LARGEST_DOCUMENT = 64 * 1024 * 1024
const DOCUMENT = /^data\/(?:nodes\/[^/]+\/)?[a-z]+\.jsonl?$/

/**
 * The text to which the rules apply, one character per byte (Latin-1), so that positions match the file. Null where a file is not
 * divided: too large, not UTF-8, or the catalog, which contains only built-in text.
 */
export function cuttableText(path: string, bytes: Uint8Array): string | null {
  const largest = DOCUMENT.test(path) ? LARGEST_DOCUMENT : LARGEST_CUT
  if (path === PATHS.catalog || bytes.length > largest || decodeUtf8(bytes) === null) return null
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

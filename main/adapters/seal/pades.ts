import { createHash } from 'node:crypto'
import type { Signer } from '../../core/ports.ts'
import { cmsForDigest } from './cms.ts'

const BYTE_RANGE = '[0 9999999999 9999999999 9999999999]'
const RESERVED_BYTES = 16_384
const CONTENTS = `<${'00'.repeat(RESERVED_BYTES)}>`

/**
 * Signs a PDF that left room for it (main/adapters/pdf/placeholder.ts): fills /ByteRange and /Contents in place, so that nothing moves
 * (ISO 32000-2 §12.8.1; PAdES baseline B-B, ETSI EN 319 142-1). The signed bytes are the whole file but the signature's own hexadecimal
 * string with its angle brackets. Throws when a placeholder is not there exactly once, or is too small: a half-signed file must not exist.
 */
export async function signPdf(pdf: Uint8Array, signer: Signer): Promise<Uint8Array> {
  const file = Buffer.from(pdf)
  const rangeAt = onlyPlace(file, `/ByteRange ${BYTE_RANGE}`, 'ByteRange') + '/ByteRange '.length
  const contentsAt = onlyPlace(file, `/Contents ${CONTENTS}`, 'Contents') + '/Contents '.length
  const after = contentsAt + CONTENTS.length
  const range = `[0 ${contentsAt} ${after} ${file.length - after}]`
  file.write(range.padEnd(BYTE_RANGE.length, ' '), rangeAt, 'latin1')
  const digest = createHash('sha256').update(file.subarray(0, contentsAt)).update(file.subarray(after)).digest()
  const cms = await cmsForDigest(signer, new Uint8Array(digest))
  if (cms.length > RESERVED_BYTES)
    throw new Error(`the signature takes ${cms.length} bytes and the PDF reserves ${RESERVED_BYTES}`)
  file.write(Buffer.from(cms).toString('hex'), contentsAt + 1, 'latin1')
  return new Uint8Array(file)
}

function onlyPlace(file: Buffer, placeholder: string, name: string): number {
  const at = file.indexOf(placeholder, 0, 'latin1')
  if (at === -1) throw new Error(`the PDF has no ${name} placeholder`)
  if (file.indexOf(placeholder, at + 1, 'latin1') !== -1)
    throw new Error(`the PDF has more than one ${name} placeholder`)
  return at
}

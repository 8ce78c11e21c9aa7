import type { ArchiveMaterial, NextStamp } from '../../core/all-ports.ts'
import type { Outcome } from '../../core/failure.ts'
import type { Signer } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { BYTE_RANGE_PLACEHOLDER } from '../pdf/placeholder.ts'
import { cmsForDigest, digestOf } from './cms.ts'
import { completeArchive, prepareArchive } from './pdf/archive.ts'
import { addSignatureTimestamp, readAuthor, textIn } from './pdf/stamp.ts'
import { byteRange, coveredDigest, GAP_WIDTH, type Gap, hexInGap } from './pdf/state.ts'
import { readUpdates } from './pdf/updates.ts'
import { readToken } from './tsp/token.ts'

const CONTENTS = `<${'0'.repeat(GAP_WIDTH - 2)}>`

/**
 * Signs a PDF with reserved space (main/adapters/pdf/placeholder.ts): fills /ByteRange and /Contents in place, so that
 * no offset changes (ISO 32000-2, 12.8.1; PAdES baseline B-B, ETSI EN 319 142-1). The signed bytes are the whole file
 * except the signature's own hexadecimal string with its angle brackets. Throws when a placeholder is not there exactly
 * once, or is too small: a half-signed file must not exist.
 */
export async function signPdf(pdf: Uint8Array, signer: Signer): Promise<Uint8Array> {
  const { pdf: file, gap } = withRange(pdf)
  const cms = await cmsForDigest(signer, coveredDigest(file, gap))
  const contents = hexInGap(cms)
  if (contents === null) throw new Error(`the signature takes ${cms.length} bytes, and the PDF reserves fewer`)
  file.write(contents, gap.from, 'latin1')
  return new Uint8Array(file)
}

/**
 * A copy of a PDF with space for a signature, with the range that the signature will cover, and the position of its
 * content.
 */
export function withRange(pdf: Uint8Array): { readonly pdf: Buffer; readonly gap: Gap } {
  const file = Buffer.from(pdf)
  const rangeAt = onlyPlace(file, `/ByteRange ${BYTE_RANGE_PLACEHOLDER}`, 'ByteRange') + '/ByteRange '.length
  const from = onlyPlace(file, `/Contents ${CONTENTS}`, 'Contents') + '/Contents '.length
  const gap = { from, to: from + GAP_WIDTH, end: file.length }
  file.write(byteRange(gap), rangeAt, 'latin1')
  return { pdf: file, gap }
}

function onlyPlace(file: Buffer, placeholder: string, name: string): number {
  const at = file.indexOf(placeholder, 0, 'latin1')
  if (at === -1) throw new Error(`the PDF has no ${name} placeholder`)
  if (file.indexOf(placeholder, at + 1, 'latin1') !== -1)
    throw new Error(`the PDF has more than one ${name} placeholder`)
  return at
}

/**
 * The step to the next level: a token over the signature where there is none yet, otherwise what `material` adds and a
 * token over everything. Fails with pdf.unsuitable, or with revocation.unavailable when the material cannot be read.
 */
export function nextPdfStamp(pdf: Uint8Array, material: ArchiveMaterial): Outcome<NextStamp> {
  const text = textIn(pdf)
  const author = readAuthor(text)
  if (!author.ok) return author
  const { seal, first } = author.value
  if (seal.timestampToken === null)
    return ok({
      level: 'B-T',
      first: true,
      imprint: digestOf(seal.signature),
      apply: (token) => addSignatureTimestamp(pdf, token),
      certificates: seal.certificates,
    })
  const archive = prepareArchive(pdf, material)
  if (!archive.ok) return archive
  const { prepared, imprint } = archive.value
  const { stamps } = readUpdates(pdf, text, first)
  const tokens = [seal.timestampToken, ...stamps.flatMap(({ token }) => token ?? [])]
  return ok({
    level: 'B-LTA',
    first: stamps.length === 0,
    imprint,
    apply: (token) => completeArchive(prepared, token),
    certificates: [
      ...seal.certificates,
      ...stamps.flatMap(({ certificates }) => certificates),
      ...tokens.flatMap((token) => readToken(token, seal.signature, [], []).certificates),
    ],
  })
}

import type { ArchiveMaterial, NextStamp } from '../../../core/all-ports.ts'
import type { Outcome } from '../../../core/failure.ts'
import { ok } from '../../../core/result.ts'
import { digestOf } from '../cms.ts'
import { readToken } from '../tsp/token.ts'
import { completeArchive, prepareArchive } from './archive.ts'
import { addSignatureTimestamp, readAuthor, textIn } from './stamp.ts'
import { readUpdates } from './updates.ts'

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

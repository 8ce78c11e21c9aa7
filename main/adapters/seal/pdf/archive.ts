import { fail, type Outcome } from '../../../core/failure.ts'
import { ok } from '../../../core/result.ts'
import type { ArchiveMaterial } from '../../../core/world.ts'
import { readAuthorityCertificate, readRevocationList, sameBytes } from '../x509.ts'
import { isOver, readAuthor, textIn, unsuitable } from './stamp.ts'
import { coveredDigest, hexInGap } from './state.ts'
import { buildUpdate } from './update.ts'
import { readUpdates } from './updates.ts'

interface PreparedArchive {
  readonly prepared: Uint8Array
  /** SHA-256 of what the document time-stamp is to be over. */
  readonly imprint: Uint8Array
}

const LARGEST_ITEM = 8 * 1024 * 1024

/**
 * From B-T to B-LTA, and on: appends one update with a security store and room for a document time-stamp over everything
 * (ETSI EN 319 142-1 §5.4 and §5.5). The material is the chains of the signer and of every authority so far, and a list for each
 * certificate in them below its root. What the store holds already is not written again. The same input gives the same bytes. Fails
 * with pdf.unsuitable, or with revocation.unavailable when the material cannot be read.
 */
export function prepareArchive(pdf: Uint8Array, material: ArchiveMaterial): Outcome<PreparedArchive> {
  const text = textIn(pdf)
  const author = readAuthor(text)
  if (!author.ok) return author
  if (author.value.seal.timestampToken === null) return unsuitable('The signature has no time-stamp yet.')
  const { state, stamps, problems } = readUpdates(pdf, text, author.value.first)
  const [problem] = problems
  if (problem !== undefined) return unsuitable(problem)
  if (stamps.some(({ token }) => token === null)) return unsuitable('A time-stamp of the report is still to come.')
  const unreadable = materialProblem(material)
  if (unreadable !== null) return fail('revocation.unavailable', unreadable)
  const certificates = newOnes(
    material.certificates,
    stamps.flatMap((stamp) => stamp.certificates),
  )
  const crls = newOnes(
    material.crls,
    stamps.flatMap((stamp) => stamp.crls),
  )
  const update = buildUpdate(state, { certificates, crls, token: new Uint8Array() })
  if (update === null) throw new Error('an empty token always fits')
  const prepared = new Uint8Array(Buffer.concat([pdf, Buffer.from(update.text, 'latin1')]))
  return ok({ prepared, imprint: coveredDigest(prepared, update.gap) })
}

/** Fills the document time-stamp that was prepared. Fails with pdf.unsuitable when nothing waits for one, or the token is another's. */
export function completeArchive(prepared: Uint8Array, token: Uint8Array): Outcome<Uint8Array> {
  const text = textIn(prepared)
  const author = readAuthor(text)
  if (!author.ok) return author
  const { stamps, problems } = readUpdates(prepared, text, author.value.first)
  const [problem] = problems
  if (problem !== undefined) return unsuitable(problem)
  const last = stamps.at(-1)
  if (last === undefined || last.token !== null) return unsuitable('No time-stamp of the report is still to come.')
  if (!isOver(token, coveredDigest(prepared, last.gap))) return unsuitable('The time-stamp is not over this report.')
  const contents = hexInGap(token)
  if (contents === null) return unsuitable('The report left too little room for this time-stamp.')
  const complete = Buffer.from(prepared)
  complete.write(contents, last.gap.from, 'latin1')
  return ok(new Uint8Array(complete))
}

/** What is wrong with what a store holds or is to hold, in a sentence. */
export function materialProblem({ certificates, crls }: ArchiveMaterial): string | null {
  if ([...certificates, ...crls].some(({ length }) => length > LARGEST_ITEM))
    return 'A certificate or revocation list is too large for the security store.'
  if (certificates.some((der) => readAuthorityCertificate(der) === null))
    return 'The security store has something among its certificates that cannot be read as one.'
  return crls.some((der) => readRevocationList(der) === null)
    ? 'The security store has something among its revocation lists that cannot be read as one.'
    : null
}

function newOnes(wanted: readonly Uint8Array[], held: readonly Uint8Array[]): readonly Uint8Array[] {
  const known = [...held]
  return wanted.filter((der) => {
    const fresh = !known.some((other) => sameBytes(other, der))
    if (fresh) known.push(der)
    return fresh
  })
}

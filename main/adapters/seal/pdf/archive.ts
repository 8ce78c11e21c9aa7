import type { ArchiveMaterial } from '../../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { readAuthorityCertificate, readRevocationList, sameBytes } from '../x509.ts'
import { coveredDigest, hexInGap } from './state.ts'
import { buildUpdate, isOver, readAuthor, readUpdates, textIn, unsuitable } from './update.ts'

interface PreparedArchive {
  readonly prepared: Uint8Array
  /** SHA-256 of the bytes that the document time-stamp covers. */
  readonly imprint: Uint8Array
}

const LARGEST_ITEM = 8 * 1024 * 1024

/**
 * Prepares the step from B-T to B-LTA, and further ones: appends an update with a security store and space for a
 * document time-stamp over everything (ETSI EN 319 142-1, sections 5.4 and 5.5). The material consists of the chains of
 * the signer and of every authority so far, and a list for each certificate below a root. Existing content of the store
 * is not written again.
 * The same input gives the same bytes. Fails with pdf.unsuitable, or with revocation.unavailable when the material
 * cannot be read.
 */
export function prepareArchive(pdf: Uint8Array, material: ArchiveMaterial): Outcome<PreparedArchive> {
  const text = textIn(pdf)
  const author = readAuthor(text)
  if (!author.ok) return author
  if (author.value.seal.timestampToken === null) return unsuitable('The signature has no time-stamp yet.')
  const { state, stamps, problems } = readUpdates(pdf, text, author.value.first)
  const [problem] = problems
  if (problem !== undefined) return unsuitable(problem)
  if (stamps.some(({ token }) => token === null)) return unsuitable('A time-stamp of the report is still pending.')
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

/**
 * Fills the prepared document time-stamp. Fails with pdf.unsuitable when none is pending, or the token is for other
 * bytes.
 */
export function completeArchive(prepared: Uint8Array, token: Uint8Array): Outcome<Uint8Array> {
  const text = textIn(prepared)
  const author = readAuthor(text)
  if (!author.ok) return author
  const { stamps, problems } = readUpdates(prepared, text, author.value.first)
  const [problem] = problems
  if (problem !== undefined) return unsuitable(problem)
  const last = stamps.at(-1)
  if (last === undefined || last.token !== null) return unsuitable('No time-stamp of the report is pending.')
  if (!isOver(token, coveredDigest(prepared, last.gap))) return unsuitable('The time-stamp does not cover this report.')
  const contents = hexInGap(token)
  if (contents === null) return unsuitable('The report reserved too little space for this time-stamp.')
  const complete = Buffer.from(prepared)
  complete.write(contents, last.gap.from, 'latin1')
  return ok(new Uint8Array(complete))
}

/** The error in the content of a store, in a sentence. */
export function materialProblem({ certificates, crls }: ArchiveMaterial): string | null {
  if ([...certificates, ...crls].some(({ length }) => length > LARGEST_ITEM))
    return 'A certificate or revocation list is too large for the security store.'
  if (certificates.some((der) => readAuthorityCertificate(der) === null))
    return 'The security store has an entry among its certificates that is not a readable certificate.'
  return crls.some((der) => readRevocationList(der) === null)
    ? 'The security store has an entry among its revocation lists that is not a readable list.'
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

import type { TrustAnchor } from '../../../../schemas/ipc-packs.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { anchorsPath } from '../../../core/base/layout.ts'
import { certificateNames, certificatesIn, fromPem, pem } from '../../../core/base/pem.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { NO_TRUST, type Trust } from '../../../verify/steps/trust.ts'
import type { Stamping } from '../../common/seal-file.ts'
import type { EngineContext } from '../context/context.ts'
import { haveTexts, isObject, readKept, writeKept } from '../context/kept-json.ts'
import { readSettings } from '../context/settings.ts'

/** An anchor with its certificate, as stored. */
interface KeptAnchor extends TrustAnchor {
  readonly pem: string
}

interface AnchorFile {
  readonly schema: 'barewitness.trust-anchors/1'
  readonly anchors: readonly KeptAnchor[]
}

type Where = Pick<EngineContext, 'ports' | 'folder'>
/** The use of an anchor, and how a person verified it. */
type AnchorReason = Pick<TrustAnchor, 'for' | 'howVerified'>

const LARGEST = 4 * 1024 * 1024
const MOST = 500

/** The certificates that a person decided to trust, signers and authorities separately. Fails with store.failed. */
export async function listAnchors(context: Where): Promise<Outcome<readonly TrustAnchor[]>> {
  const kept = await keptAnchors(context)
  return kept.ok ? ok(kept.value.map(({ pem: _, ...anchor }) => anchor)) : kept
}

/** The anchors for reviews. With a list that cannot be read no signer is trusted; `trust.list` reports the error. */
export async function trustOf(context: Where): Promise<Trust> {
  const kept = await keptAnchors(context)
  if (!kept.ok) return NO_TRUST
  const of = (kind: TrustAnchor['for']): readonly Uint8Array[] =>
    kept.value.filter((anchor) => anchor.for === kind).flatMap((anchor) => fromPem('CERTIFICATE', anchor.pem))
  return { signers: of('signers'), authorities: of('authorities'), lists: [] }
}

/**
 * Adds certificates (DER). One that is already there for the same use is not changed. Fails with input.refused or
 * store.failed.
 */
export async function addAnchors(
  context: Where,
  certificates: readonly Uint8Array[],
  reason: AnchorReason,
): Promise<Outcome<readonly TrustAnchor[]>> {
  const kept = await keptAnchors(context)
  if (!kept.ok) return kept
  const anchors = [...kept.value]
  for (const der of certificates) {
    const fingerprint = sha256(der)
    const subject = subjectOf(der)
    if (subject === null) return fail('input.refused', 'this is not a readable certificate')
    if (DEMO.test(subject)) return fail('input.refused', 'a demo key can never be trusted')
    if (anchors.some((one) => one.fingerprint === fingerprint && one.for === reason.for)) continue
    const howVerified = reason.howVerified.trim()
    const since = context.ports.clock.now()
    anchors.push({ fingerprint, subject, for: reason.for, howVerified, since, pem: pem('CERTIFICATE', der) })
  }
  if (anchors.length > MOST) return fail('input.refused', `at most ${MOST} certificates can be stored`)
  return await stored(context, anchors)
}

/**
 * Adds every certificate of a file, PEM or DER. A file that contains a private key is refused, and nothing of it is
 * stored.
 */
export async function addAnchorFile(
  context: Where,
  path: string,
  reason: AnchorReason,
): Promise<Outcome<readonly TrustAnchor[]>> {
  const file = await context.ports.files.read(path)
  if (!file.ok) return file
  if (file.value.length > LARGEST) return fail('input.refused', 'the file is too large to be a certificate file')
  if (PRIVATE.test(Buffer.from(file.value).toString('latin1')))
    return fail('input.refused', 'the file contains a private key; choose a file with the certificate only')
  const certificates = certificatesIn(file.value)
  if (certificates.length === 0 || certificates.some((der) => subjectOf(der) === null))
    return fail('input.refused', 'the file contains no certificate, or an unreadable one; nothing was added')
  return await addAnchors(context, certificates, reason)
}

/** Removes a certificate from all uses. */
export async function removeAnchor(context: Where, fingerprint: string): Promise<Outcome<readonly TrustAnchor[]>> {
  const kept = await keptAnchors(context)
  if (!kept.ok) return kept
  const left = kept.value.filter((anchor) => anchor.fingerprint !== fingerprint)
  return left.length === kept.value.length
    ? fail('input.refused', 'no certificate with this fingerprint is trusted')
    : await stored(context, left)
}

const PRIVATE = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/
/** For the message only: the demo mark is inside the certificate, and every review checks it. */
const DEMO = /barewitness\s+demo/i

async function keptAnchors({ ports, folder }: Where): Promise<Outcome<readonly KeptAnchor[]>> {
  const file = await readKept(ports, anchorsPath(folder), isAnchorFile)
  return file.ok ? ok(file.value?.anchors ?? []) : file
}

async function stored(context: Where, anchors: readonly KeptAnchor[]): Promise<Outcome<readonly TrustAnchor[]>> {
  const file: AnchorFile = { schema: 'barewitness.trust-anchors/1', anchors }
  const written = await writeKept(context.ports, anchorsPath(context.folder), file)
  return written.ok ? await listAnchors(context) : written
}

/** The names in a certificate's subject on one line, or null where the bytes are not a certificate. */
function subjectOf(der: Uint8Array): string | null {
  const names = certificateNames(der)
  return names === null ? null : plain(names.subject.split('\n').join(', '), 400)
}

/** With a fingerprint that does not match its certificate, one could be shown and another trusted. */
const isAnchor = (value: unknown): value is KeptAnchor =>
  haveTexts(value, ['fingerprint', 'subject', 'for', 'howVerified', 'since', 'pem']) &&
  (value.for === 'signers' || value.for === 'authorities') &&
  fromPem('CERTIFICATE', value.pem ?? '')
    .map(sha256)
    .join() === value.fingerprint

const isAnchorFile = (value: unknown): value is AnchorFile =>
  isObject(value) &&
  value.schema === 'barewitness.trust-anchors/1' &&
  Array.isArray(value.anchors) &&
  value.anchors.every(isAnchor)
/**
 * The time-stamp authority of the settings in a folder of the window, with the certificates that complete its chain; null where none is
 * set. Scheduled runs of the window read it when they seal.
 */
export async function windowStamping(context: Pick<EngineContext, 'ports' | 'folder'>): Promise<Stamping | null> {
  const { authority } = await readSettings(context.ports, context.folder)
  return authority === null ? null : { url: authority, certificates: (await trustOf(context)).authorities, crls: [] }
}

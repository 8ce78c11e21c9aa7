import type { NextStamp, Ports, Stamp } from '../core/all-ports.ts'
import type { Failure, Outcome } from '../core/failure.ts'
import type { StampAuthority } from '../core/pack.ts'
import type { PadesLevel, Signer } from '../core/ports.ts'
import { ok } from '../core/result.ts'

/** The time-stamp authority, and the certificates that complete its chain. */
export interface Stamping {
  readonly url: string
  /** DER certificates that complete the authority's chain where its tokens do not carry it. */
  readonly certificates: readonly Uint8Array[]
  /** DER revocation lists that the caller has; the others are fetched. */
  readonly crls: readonly Uint8Array[]
}

export interface StampedReport {
  readonly pdf: Uint8Array
  readonly level: PadesLevel
  readonly authority: StampAuthority | null
  /** Why it is not at B-LTA, when a time-stamp was requested. */
  readonly shortfall: Failure | null
}

/**
 * Raises a signed report (B-B) to the highest level available: a token over the signature (B-T), then the data for
 * long-term validation and a token over everything (B-LTA). No level between is written, and a failure leaves the
 * previous level: the report itself is never lost.
 */
export async function stampReport(
  ports: Pick<Ports, 'sealing' | 'timestamps'>,
  signed: Uint8Array,
  signer: Pick<Signer, 'chain' | 'crls' | 'certificate'>,
  stamping: Stamping | null,
): Promise<StampedReport> {
  const first: StampedReport = { pdf: signed, level: 'B-B', authority: null, shortfall: null }
  if (stamping === null) return first
  const own = { certificates: [signer.certificate, ...signer.chain], crls: signer.crls }
  const next = await ports.sealing.nextPdfStamp(signed, own)
  const stamped = next.ok ? await applied(ports, next.value, stamping) : next
  if (!stamped.ok) return { ...first, shortfall: stamped.error }
  const chain = stamped.value.stamp.certificates
  const lists = await listsFor(ports, own, chain, stamping.crls)
  const authority = { name: stamped.value.stamp.reading.authority?.subject ?? '', chain, crls: lists.authority }
  const reached: StampedReport = { ...first, pdf: stamped.value.pdf, level: 'B-T', authority }
  if (lists.missing.length > 0)
    return {
      ...reached,
      shortfall: { code: 'revocation.unavailable', detail: `no revocation list for: ${lists.missing.join('; ')}` },
    }
  const material = {
    certificates: [...own.certificates, ...chain],
    crls: [...lists.signer, ...lists.authority],
  }
  const last = await ports.sealing.nextPdfStamp(reached.pdf, material)
  const archived = last.ok ? await applied(ports, last.value, stamping) : last
  return archived.ok
    ? { ...reached, pdf: archived.value.pdf, level: 'B-LTA' }
    : { ...reached, shortfall: archived.error }
}

async function applied(
  { timestamps }: Pick<Ports, 'timestamps'>,
  next: NextStamp,
  { url, certificates }: Stamping,
): Promise<Outcome<{ readonly pdf: Uint8Array; readonly stamp: Stamp }>> {
  const stamp = await timestamps.stamp(url, next.imprint, certificates)
  if (!stamp.ok) return stamp
  const pdf = next.apply(stamp.value.token)
  return pdf.ok ? ok({ pdf: pdf.value, stamp: stamp.value }) : pdf
}

/** Revocation lists for the signer's certificates and for the authority's, and the certificates without one. */
async function listsFor(
  { timestamps }: Pick<Ports, 'timestamps'>,
  own: { readonly certificates: readonly Uint8Array[]; readonly crls: readonly Uint8Array[] },
  authority: readonly Uint8Array[],
  known: readonly Uint8Array[],
): Promise<{
  readonly signer: readonly Uint8Array[]
  readonly authority: readonly Uint8Array[]
  readonly missing: readonly string[]
}> {
  const signers = await timestamps.revocationLists(own.certificates, [...own.crls, ...known])
  const theirs = await timestamps.revocationLists(authority, known)
  return { signer: signers.lists, authority: theirs.lists, missing: [...signers.missing, ...theirs.missing] }
}

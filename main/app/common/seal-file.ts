import { FAILURE_CODES } from '../../../schemas/failure-words.ts'
import type { NextStamp, Ports, Stamp } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { err, type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { type AssembledPack, assembleBag, type BagInput, type StampAuthority } from '../../core/pack/pack.ts'
import { PATHS, type PackContent, stampPath } from '../../core/pack/pack-files.ts'
import type { PadesLevel, Signer } from '../../core/ports/ports.ts'
import { bytesOf } from '../../verify/steps/read.ts'
import { stampsOver } from '../../verify/steps/signature.ts'
import { withPack } from './pack-shelf.ts'

/** A sealed pack or report that can take one more time-stamp, over its whole content. */
export interface Stampable {
  /** The content that this time-stamp covers, in words. */
  readonly what: string
  /** The level that a report reaches; null for a pack. */
  readonly level: PadesLevel | null
  /** The file has no time-stamp of this kind yet. */
  readonly first: boolean
  /** SHA-256 of the bytes to be time-stamped. */
  readonly imprint: Uint8Array
  /** Certificates already in the file, DER. */
  readonly certificates: readonly Uint8Array[]
  /** Writes the file with the time-stamp in it, completely or not at all. */
  readonly write: (stamp: { readonly token: Uint8Array; readonly response: Uint8Array }) => Promise<Outcome<null>>
}

type SealPorts = Pick<Ports, 'files' | 'packs' | 'sealing' | 'timestamps'>

/**
 * The content that a file's next time-stamp must cover: for a pack, its seal and all earlier time-stamps; for a
 * report, its signature, then everything (with the revocation lists of all certificates). The same file and lists
 * always give the same bytes, so that a query can be sent from another computer and its response imported. Fails with
 * pdf.unsuitable, pack.unreadable or as reading fails.
 */
export async function nextStamp(
  ports: SealPorts,
  path: string,
  lists: Pick<Stamping, 'certificates' | 'crls'>,
): Promise<Outcome<Stampable>> {
  return /\.pdf$/i.test(path) ? await nextOfReport(ports, path, lists) : await nextOfPack(ports, path)
}

async function nextOfReport(
  { files, sealing, timestamps }: SealPorts,
  path: string,
  { certificates, crls }: Pick<Stamping, 'certificates' | 'crls'>,
): Promise<Outcome<Stampable>> {
  const pdf = await files.read(path)
  if (!pdf.ok) return pdf
  const first = await sealing.nextPdfStamp(pdf.value, { certificates, crls: [] })
  if (!first.ok) return first
  const carried = [...first.value.certificates, ...certificates]
  const found = await timestamps.revocationLists(carried, crls)
  if (first.value.level === 'B-LTA' && found.missing.length > 0)
    return fail('revocation.unavailable', `no revocation list for: ${found.missing.join('; ')}`)
  const next =
    first.value.level === 'B-LTA'
      ? await sealing.nextPdfStamp(pdf.value, { certificates: carried, crls: found.lists })
      : first
  if (!next.ok) return next
  const { level, imprint, apply } = next.value
  return ok({
    what: level === 'B-T' ? 'a time-stamp over the report’s signature' : 'a time-stamp over the whole report',
    level,
    first: next.value.first,
    imprint,
    certificates: carried,
    write: async ({ token }) => {
      const stamped = apply(token)
      return stamped.ok ? await files.write(path, stamped.value) : stamped
    },
  })
}

const nextOfPack = ({ files, packs }: SealPorts, path: string): Promise<Outcome<Stampable>> =>
  withPack({ packs }, path, async (pack) => {
    const seal = await bytesOf(pack, PATHS.seal)
    if (seal === null) return fail('pack.unreadable', `it has no ${PATHS.seal}`)
    const before = await stampsOver(pack, seal)
    const last = before.at(-1)
    const over = last === undefined ? seal : new Uint8Array([...last.over, ...last.token])
    const place = stampPath(before.length + 1)
    return ok({
      what:
        before.length === 0
          ? 'a time-stamp over the seal of the pack'
          : `time-stamp ${before.length + 1}, over the seal of the pack and the ${before.length} earlier time-stamps`,
      level: null,
      first: before.length === 0,
      imprint: digestBytes(over),
      certificates: [],
      write: ({ response }) =>
        pack.folder === null
          ? withOneMore({ packs }, path, place, response)
          : files.write(`${pack.folder}/${place}`, response),
    })
  })

/** The same archive with one more file. Every byte that was in it is compared with its digest while it is copied. */
const withOneMore = (
  { packs }: Pick<Ports, 'packs'>,
  path: string,
  name: string,
  bytes: Uint8Array,
): Promise<Outcome<null>> =>
  withPack({ packs }, path, (pack) =>
    packs.replace(
      path,
      new Map<string, PackContent>([...pack.paths.map((one) => [one, pack.stored(one)] as const), [name, bytes]]),
    ),
  )

interface Sealed {
  readonly pack: AssembledPack
  /** The tag files with the seal, and the time-stamp where there is one. */
  readonly files: ReadonlyMap<string, PackContent>
  /** Null when no independent time-stamp was requested. */
  readonly stamp: Outcome<Stamp> | null
}

/**
 * The seal over a pack, and the time-stamp over the seal. A pack that names its authority must carry a time-stamp by
 * it, so that removing the time-stamp is detectable; where none is available, or only one under another root, the pack
 * is sealed again without that name.
 */
export async function sealedPack(
  ports: Pick<Ports, 'sealing' | 'timestamps'>,
  input: Omit<BagInput, 'authority'> & { readonly signer: Signer },
  authority: StampAuthority | null,
  stamping: Stamping | null,
): Promise<Sealed> {
  const pack = assembleBag({ ...input, authority })
  const seal = await ports.sealing.signDetached(input.signer, pack.toSeal)
  const files = new Map<string, PackContent>([...pack.tags, [PATHS.seal, seal]])
  if (stamping === null) return { pack, files, stamp: null }
  const stamp = await ports.timestamps.stamp(stamping.url, digestBytes(seal), stamping.certificates)
  if (authority === null || (stamp.ok && rootOf(stamp.value.certificates) === rootOf(authority.chain)))
    return { pack, files: stamp.ok ? files.set(PATHS.stamp, stamp.value.response) : files, stamp }
  const without = await sealedPack(ports, input, null, stamp.ok ? stamping : null)
  return { ...without, stamp: without.stamp ?? stamp }
}

/** Time-stamps that were requested and could not be obtained. */
export const sealShortfalls = (
  { shortfall }: Pick<StampedReport, 'shortfall'>,
  stamp: Sealed['stamp'],
): readonly Failure[] => [...(shortfall === null ? [] : [shortfall]), ...(stamp?.ok === false ? [stamp.error] : [])]

const rootOf = (chain: readonly Uint8Array[]): string => sha256(chain.at(-1) ?? new Uint8Array())
const digestBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(Buffer.from(sha256(bytes), 'hex'))

/**
 * Runs work that signs. A key on a token can become unavailable at any signature, deep inside an encoder. Its signer
 * then throws an Error whose cause is the Failure, which is returned here. Any other exception is a bug, and is
 * rethrown.
 */
export async function whileSigning<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work()
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause : undefined
    if (isFailure(cause)) return err(cause)
    throw thrown
  }
}

const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  'detail' in value &&
  FAILURE_CODES.some((code) => code === value.code)

/** The time-stamp authority, and the certificates that complete its chain. */
export interface Stamping {
  readonly url: string
  /** DER certificates that complete the authority's chain where its tokens do not carry it. */
  readonly certificates: readonly Uint8Array[]
  /** DER revocation lists that the caller has; the others are fetched. */
  readonly crls: readonly Uint8Array[]
}

interface StampedReport {
  readonly pdf: Uint8Array
  readonly level: PadesLevel
  readonly authority: StampAuthority | null
  /** Why it is not at B-LTA, when a time-stamp was requested. */
  readonly shortfall: Failure | null
}

/**
 * Raises a signed report (B-B) to the highest level available: a token over the signature (B-T), then the data for
 * long-term validation and a token over everything (B-LTA). No intermediate level is written, and a failure leaves
 * the previous level: the report itself is never lost.
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

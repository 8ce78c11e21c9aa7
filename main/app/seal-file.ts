import type { OpenPack, Ports } from '../core/all-ports.ts'
import { sha256 } from '../core/digest.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { PATHS, type PackContent, stampPath } from '../core/pack-files.ts'
import type { PadesLevel } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import { bytesOf } from '../verify/steps/read.ts'
import { stampsOver } from '../verify/steps/signature.ts'
import type { Stamping } from './stamping.ts'

/** A sealed pack or report that can take one more time-stamp, over its whole content. */
export interface Stampable {
  /** What this time-stamp covers, in words. */
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

export type SealPorts = Pick<Ports, 'files' | 'packs' | 'sealing' | 'timestamps'>

/**
 * What a file's next time-stamp must cover: for a pack, its seal and all earlier time-stamps; for a report, its
 * signature, then everything (with the revocation lists of all certificates). The same file and lists always give the
 * same bytes, so that a query can be sent from another computer and its response imported. Fails with pdf.unsuitable,
 * pack.unreadable or as reading fails.
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

async function nextOfPack({ files, packs }: SealPorts, path: string): Promise<Outcome<Stampable>> {
  const opened = await packs.open(path)
  if (!opened.ok) return opened
  const pack = opened.value
  try {
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
      imprint: new Uint8Array(Buffer.from(sha256(over), 'hex')),
      certificates: [],
      write: async ({ response }) =>
        pack.folder === null
          ? await withOneMore({ packs }, path, place, response)
          : await files.write(`${pack.folder}/${place}`, response),
    })
  } finally {
    await pack.close()
  }
}

/** The same archive with one more file. Every byte that was in it is compared with its digest while it is copied. */
async function withOneMore(
  { packs }: Pick<Ports, 'packs'>,
  path: string,
  name: string,
  bytes: Uint8Array,
): Promise<Outcome<null>> {
  const opened = await packs.open(path)
  if (!opened.ok) return opened
  const pack: OpenPack = opened.value
  try {
    const files = new Map<string, PackContent>(pack.paths.map((one) => [one, pack.stored(one)]))
    return await packs.replace(path, files.set(name, bytes))
  } finally {
    await pack.close()
  }
}

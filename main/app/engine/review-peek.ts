import type { Ports } from '../../core/all-ports.ts'
import { sha256 } from '../../core/digest.ts'
import type { Outcome } from '../../core/failure.ts'
import { PATHS } from '../../core/pack-files.ts'
import type { SealReading } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { hasExactly, isDigest, parsedJson } from '../../core/run-chain/entry.ts'
import { CHAIN_PATHS, CHAIN_SCHEMA } from '../../core/run-chain/files.ts'
import { bytesOf, textOf } from '../../verify/steps/read.ts'
import { chainIn, readSealOf } from '../../verify/steps/signature.ts'
import { certificatesOf, type Trust } from '../../verify/steps/trust.ts'

/** What must be known of a file before the six verification checks. None of it is trusted. */
export interface Peeked {
  readonly seal: SealReading | null
  /** Certificates (DER) in the file. */
  readonly certificates: readonly Uint8Array[]
  /** The run chain that it names, or null. */
  readonly chain: string | null
  /** SHA-256 of the file; of the tag manifest where the pack is a folder. */
  readonly sha256: string
}

/** Reads the seal of a pack or report and the run chain that it names. Fails as opening does. */
export async function peek(
  world: Pick<Ports, 'files' | 'packs' | 'sealing'>,
  path: string,
  trust: Trust,
): Promise<Outcome<Peeked>> {
  if (/\.pdf$/i.test(path)) return await peekPdf(world, path, trust)
  const opened = await world.packs.open(path)
  if (!opened.ok) return opened
  const pack = opened.value
  try {
    const file = await world.files.digest(path)
    return ok({
      seal: await readSealOf(pack, world.sealing.reader, trust),
      certificates: await chainIn(pack, PATHS.chain),
      chain: chainIdIn(await textOf(pack, CHAIN_PATHS.chain)),
      sha256: file.ok ? file.value.sha256 : sha256((await bytesOf(pack, PATHS.tagManifest)) ?? new Uint8Array()),
    })
  } finally {
    await pack.close()
  }
}

async function peekPdf(
  { files, sealing }: Pick<Ports, 'files' | 'sealing'>,
  path: string,
  trust: Trust,
): Promise<Outcome<Peeked>> {
  const pdf = await files.read(path)
  if (!pdf.ok) return pdf
  const reading = await sealing.reader.readPdf(
    pdf.value,
    certificatesOf([...trust.signers, ...trust.authorities]),
    trust.lists,
  )
  const next = await sealing.nextPdfStamp(pdf.value, { certificates: [], crls: [] })
  const certificates = next.ok ? next.value.certificates : []
  return ok({ seal: reading.seal, certificates, chain: null, sha256: sha256(pdf.value) })
}

/**
 * The anchors that apply to this file. A reader's list covers all owners they deal with: a pack of none of them has an
 * unconfirmed signer, which is no reason to reject it.
 */
export function trustFor({ seal }: Peeked, trust: Trust): Trust {
  const names = new Set(
    [seal?.signer, seal?.root, ...(seal?.timestamps ?? []).flatMap(({ authority, root }) => [authority, root])].flatMap(
      (certificate) => certificate?.fingerprint ?? [],
    ),
  )
  const speaking = (anchors: readonly Uint8Array[]) => anchors.filter((der) => names.has(sha256(der)))
  return { signers: speaking(trust.signers), authorities: speaking(trust.authorities), lists: trust.lists }
}

function chainIdIn(text: string | null): string | null {
  const value = parsedJson(text ?? '')
  const stated = hasExactly(value, ['schema', 'id', 'fleet', 'size', 'root']) && value.schema === CHAIN_SCHEMA
  return stated && isDigest(value.id) ? value.id : null
}

import type { Ports } from '../../core/all-ports.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import { decodeUtf8 } from '../../core/base/plain-text.ts'
import {
  compareRecord,
  type RecordComparison,
  readSealingRecord,
  type SealingRecord,
} from '../../core/team/sealing-record.ts'
import { type PackSignatures, signatureOfPdf, signaturesInPack } from '../../verify/signatures.ts'
import { withPack } from '../common/pack-shelf.ts'

export interface ComparedRecord extends RecordComparison {
  readonly heads: SealingRecord['heads']
  /** Lines of the record that cannot be read; from 1. */
  readonly unread: SealingRecord['unread']
}

type ComparePorts = Pick<Ports, 'files' | 'packs' | 'sealing' | 'validator'>

const LARGEST_RECORD = 256 * 1024 * 1024

/** Compares the record of a sealer with packs and signed PDFs. Fails as the reading of the files does; packs are not verified by this. */
export async function compareRecordWith(
  ports: ComparePorts,
  { record, paths }: { readonly record: string; readonly paths: readonly string[] },
): Promise<Outcome<ComparedRecord>> {
  const bytes = await ports.files.read(record, LARGEST_RECORD)
  if (!bytes.ok) return bytes
  // Bytes that are not text become lines that cannot be read.
  const text = decodeUtf8(bytes.value) ?? Buffer.from(bytes.value).toString('latin1')
  const { signatures, heads, unread } = readSealingRecord(text)
  const all: PackSignatures[] = []
  for (const path of paths) {
    const read = await signaturesOfFile(ports, path)
    if (!read.ok) return read
    all.push(read.value)
  }
  const found = all.flatMap((one) => one.found)
  const named = all.flatMap((one) => one.named)
  return ok({ ...compareRecord({ signatures }, found, named), heads, unread })
}

async function signaturesOfFile(ports: ComparePorts, path: string): Promise<Outcome<PackSignatures>> {
  const file = path.split(/[/\\]/).at(-1) ?? path
  const { reader } = ports.sealing
  if (/\.pdf$/i.test(path)) {
    const pdf = await ports.files.read(path)
    if (!pdf.ok) return pdf
    const made = signatureOfPdf(await reader.readPdf(pdf.value, [], []))
    return ok({ found: [{ file, place: 'pdf', name: file, made }], named: [] })
  }
  const about = { seal: reader, validator: ports.validator, file }
  return await withPack(ports, path, async (pack) => ok(await signaturesInPack(pack, about)))
}

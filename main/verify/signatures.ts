import type { Register } from '../../schemas/types.ts'
import { type Sha256, sha256 } from '../core/base/digest.ts'
import { PATHS } from '../core/pack/pack-files.ts'
import type { PackSource, PdfReading, SchemaValidator, SealReader, SealReading } from '../core/ports/ports.ts'
import { signablesIn, signaturesOf, signedBytes } from '../core/register/signatures.ts'
import { entryBytes, parseEntryLine } from '../core/run-chain/entry.ts'
import { CHAIN_PATHS } from '../core/run-chain/notes.ts'
import type { FoundSignature, NamedSeal, SignaturePlace } from '../core/team/sealing-record.ts'
import { bytesOf, canonical, textOf } from './steps/read.ts'
import { ALONE, bytesIn, readSealOf } from './steps/signature.ts'
import { NO_TRUST } from './steps/trust.ts'

/** What people signed in a pack, and the seals of other packs that its run chain names. */
export interface PackSignatures {
  readonly found: readonly FoundSignature[]
  readonly named: readonly NamedSeal[]
}

/**
 * Every signature in a pack, redacted copy or period report: its seal, its PDFs, and the entries of register and run chain. Each is verified over
 * the content that it belongs to; whether its signer is trusted is not decided. Time-stamps are not signatures of a signer.
 */
export async function signaturesInPack(
  source: PackSource,
  { seal, validator, file }: { readonly seal: SealReader; readonly validator: SchemaValidator; readonly file: string },
): Promise<PackSignatures> {
  const chain = await chainSignatures(source, seal, file)
  return {
    found: [
      await sealSignature(source, seal, file),
      ...(await pdfSignatures(source, seal, file)),
      ...(await registerSignatures(source, seal, validator, file)),
      ...chain.found,
    ],
    named: chain.named,
  }
}

/** The author’s signature of a PDF. */
export const signatureOfPdf = ({ problems, seal, covered }: PdfReading): FoundSignature['made'] =>
  problems.length > 0 || covered === null ? null : madeBy(seal, covered)

const madeBy = (reading: SealReading | null, digest: Sha256): FoundSignature['made'] =>
  reading === null || reading.problems.length > 0 || reading.signer === null
    ? null
    : { signer: reading.signer.fingerprint, digest }

async function sealSignature(source: PackSource, seal: SealReader, file: string): Promise<FoundSignature> {
  const content = await bytesOf(source, PATHS.tagManifest)
  const made = content === null ? null : madeBy(await readSealOf(source, seal, NO_TRUST), sha256(content))
  return { file, place: 'seal', name: PATHS.seal, made }
}

const PDFS: readonly (readonly [string, SignaturePlace])[] = [
  [PATHS.report, 'report'],
  [PATHS.executive, 'executive-summary'],
]

async function pdfSignatures(source: PackSource, seal: SealReader, file: string): Promise<readonly FoundSignature[]> {
  const found: FoundSignature[] = []
  for (const [path, place] of PDFS) {
    if (!source.paths.includes(path)) continue
    const pdf = await bytesOf(source, path)
    const made = pdf === null ? null : signatureOfPdf(await seal.readPdf(pdf, [], []))
    found.push({ file, place, name: path, made })
  }
  return found
}

async function registerSignatures(
  source: PackSource,
  seal: SealReader,
  validator: SchemaValidator,
  file: string,
): Promise<readonly FoundSignature[]> {
  if (!source.paths.includes(PATHS.register)) return []
  const value = canonical(await textOf(source, PATHS.register))?.value
  if (value === undefined || validator.problems('register', value).length > 0)
    return [{ file, place: 'register-entry', name: PATHS.register, made: null }]
  const found: FoundSignature[] = []
  for (const entry of signablesIn(value as Register))
    for (const signature of signaturesOf(entry)) {
      const made = await detached(seal, signedBytes(entry, signature), signature.cms)
      found.push({ file, place: 'register-entry', name: entry.id, made })
    }
  return found
}

async function chainSignatures(source: PackSource, seal: SealReader, file: string): Promise<PackSignatures> {
  if (!source.paths.includes(CHAIN_PATHS.entries)) return { found: [], named: [] }
  const found: FoundSignature[] = []
  const named: NamedSeal[] = []
  const lines = (await textOf(source, CHAIN_PATHS.entries))?.split('\n') ?? ['']
  if (lines.at(-1) === '') lines.pop()
  for (const [index, line] of lines.entries()) {
    const logged = parseEntryLine(line)
    const at = { file, place: 'chain-entry', name: `${index + 1}` } as const
    if (logged === null) found.push({ ...at, made: null })
    else if (logged.entry.kind === 'run' || logged.entry.kind === 'period')
      named.push({ signer: logged.entry.signer, digest: logged.entry.tagManifest })
    else if (logged.signature !== null)
      found.push({ ...at, made: await detached(seal, entryBytes(logged.entry), logged.signature) })
  }
  return { found, named }
}

/** Reads a detached signature (CMS, base64) over content. */
async function detached(seal: SealReader, content: Uint8Array, cms: string): Promise<FoundSignature['made']> {
  return madeBy(await seal.read({ ...ALONE, content, signature: bytesIn(cms) }), sha256(content))
}

import type { Assessment, Scope } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import { assess } from '../core/assess.ts'
import type { Catalog } from '../core/catalog.ts'
import { sha256 } from '../core/digest.ts'
import type { Outcome } from '../core/failure.ts'
import { assemblePack, assessmentBytes, evidenceDigest, PACK_EXTENSION, PATHS, payloadFiles } from '../core/pack.ts'
import type { Signer } from '../core/ports.ts'
import type { LoadedRecording } from '../core/recording.ts'
import { buildReport } from '../core/report.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { summaryText } from './summary.ts'
import { controlsTable, findingsTable } from './tables.ts'

export interface ExportInput {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  readonly asOf: string
  readonly signer: Signer
  readonly folder: string
}

export interface ExportedFile {
  readonly name: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

export interface Exported {
  readonly assessment: Assessment
  readonly files: readonly ExportedFile[]
}

export const PRODUCER = `Barewitness ${VERSION}`

/**
 * Assesses recordings and writes, into one folder: the signed report, the sealed pack, the assessment, a summary and tables. The report
 * is bound to the evidence by the evidence digest it prints; the pack holds the report; the one seal covers both.
 */
export async function exportRun(world: World, catalog: Catalog, input: ExportInput): Promise<Outcome<Exported>> {
  const { run, scope, recordings, asOf, signer, folder } = input
  const assessment = assess({ catalog, scope, recordings, asOf })
  const payload = payloadFiles({ recordings, assessment, catalog })
  const packName = `${run}${PACK_EXTENSION}`
  const document = buildReport({
    assessment,
    catalog,
    recordings,
    producer: PRODUCER,
    evidenceDigest: evidenceDigest(payload),
    packName,
    signer: { subject: signer.subject, fingerprint: signer.fingerprint },
    demo: assessment.demo,
  })
  const results = assessmentBytes(assessment)
  const attachments = [
    { name: 'assessment.json', bytes: results, description: 'Every verdict with its reasons, as in the pack' },
  ]
  const report = await world.sealing.signPdf(
    await world.reports.render(document, { attachments, created: asOf }),
    signer,
  )
  payload.set(PATHS.report, report)
  const pack = assemblePack({ payload, signer, packName, run, producer: PRODUCER, assessment, recordings })
  const sealed = new Map([...pack.files, [PATHS.seal, await world.sealing.signDetached(signer, pack.toSeal)]])
  const archive = await world.packs.write(`${folder}/${packName}`, sealed)
  if (!archive.ok) return archive
  const texts: readonly (readonly [string, Uint8Array | string])[] = [
    [`${run}.report.pdf`, report],
    ['assessment.json', results],
    ['summary.txt', `${summaryText(assessment, catalog)}\n`],
    ['findings.csv', world.csv(findingsTable(assessment, catalog))],
    ['controls.csv', world.csv(controlsTable(assessment, catalog))],
  ]
  const files: ExportedFile[] = []
  for (const [name, bytes] of texts) {
    const written = await world.files.write(`${folder}/${name}`, bytes)
    if (!written.ok) return written
    files.push(described(folder, name, bytes))
  }
  const written = await world.files.read(`${folder}/${packName}`)
  if (!written.ok) return written
  return ok({ assessment, files: [described(folder, packName, written.value), ...files] })
}

const described = (folder: string, name: string, bytes: Uint8Array | string): ExportedFile => ({
  name,
  path: `${folder}/${name}`,
  size: Buffer.byteLength(bytes),
  sha256: sha256(bytes),
})

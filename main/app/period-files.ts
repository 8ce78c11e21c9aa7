import type { Engagement } from '../../schemas/types.ts'
import type { Catalog } from '../core/catalog.ts'
import type { Outcome } from '../core/failure.ts'
import { evidenceDigestOver, type PackContent } from '../core/pack-files.ts'
import type { DerivedPeriod } from '../core/period/period.ts'
import { buildPeriodReport, calendarRows, deviationRows } from '../core/period/report.ts'
import type { Signer } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import type { ExportedFile } from './export.ts'
import { PRODUCER } from './producer.ts'
import { type Stamping, stampReport } from './stamping.ts'

/** The signed report of a period, over the rest of its payload. */
export async function periodReport(
  world: World,
  catalog: Catalog,
  {
    derived: { period, changes },
    payload,
    packName,
    signer,
    stamping,
    engagement = null,
  }: {
    readonly signer: Signer
    readonly stamping: Stamping | null
    readonly engagement?: Engagement | null
    readonly derived: DerivedPeriod
    readonly payload: ReadonlyMap<string, PackContent>
    readonly packName: string
  },
) {
  const document = buildPeriodReport({
    period,
    changes,
    catalog,
    engagement,
    producer: PRODUCER,
    evidenceDigest: evidenceDigestOver(payload),
    packName,
    signer: { subject: signer.subject, fingerprint: signer.fingerprint },
    demo: period.demo,
  })
  const pdf = await world.reports.render(document, { attachments: [], created: period.asOf })
  return await stampReport(world, await world.sealing.signPdf(pdf, signer), signer, stamping)
}

/** What people open without the pack. */
export async function besidePeriod(
  world: World,
  {
    folder,
    packName,
    name,
    report,
    derived,
  }: {
    readonly folder: string
    readonly packName: string
    readonly name: string
    readonly report: Uint8Array
    readonly derived: DerivedPeriod
  },
): Promise<Outcome<readonly ExportedFile[]>> {
  const { period, tables } = derived
  const contents: readonly (readonly [string, Iterable<string | Uint8Array>])[] = [
    [`${name}.report.pdf`, [report]],
    ['calendar.csv', world.csvPieces(calendarRows(period))],
    ['deviations.csv', world.csvPieces(deviationRows(period))],
    ...[...tables].map(([path, bytes]) => [path.replace(/^data\//, ''), [bytes]] as const),
  ]
  const archive = await world.files.digest(`${folder}/${packName}`)
  if (!archive.ok) return archive
  const files: ExportedFile[] = [{ name: packName, path: `${folder}/${packName}`, ...archive.value }]
  for (const [file, pieces] of contents) {
    const path = `${folder}/${file}`
    const written = await world.files.writePieces(path, pieces)
    if (!written.ok) return written
    files.push({ name: file, path, ...written.value })
  }
  return ok(files)
}

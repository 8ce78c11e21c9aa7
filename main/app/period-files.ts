import type { Engagement } from '../../schemas/types.ts'
import type { Catalog } from '../core/catalog.ts'
import { evidenceDigestOver, type PackContent } from '../core/pack-files.ts'
import type { DerivedPeriod } from '../core/period/period.ts'
import { buildPeriodReport, calendarRows, deviationRows } from '../core/period/report.ts'
import type { Signer } from '../core/ports.ts'
import type { World } from '../core/world.ts'
import type { Content } from './beside.ts'
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

/** What people open without the pack, by name. */
export const besidePeriod = (
  { csvPieces }: Pick<World, 'csvPieces'>,
  name: string,
  report: Uint8Array,
  { period, tables }: DerivedPeriod,
): readonly (readonly [string, Content])[] => [
  [`${name}.report.pdf`, report],
  ['calendar.csv', csvPieces(calendarRows(period))],
  ['deviations.csv', csvPieces(deviationRows(period))],
  ...[...tables].map(([path, bytes]) => [path.replace(/^data\//, ''), bytes] as const),
]

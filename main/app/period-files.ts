import { HIPAA_VIEWS } from '../catalog/frameworks/views.ts'
import type { Ports } from '../core/all-ports.ts'
import type { Catalog } from '../core/catalog.ts'
import type { Sha256 } from '../core/digest.ts'
import { fileNamed, filePrefix } from '../core/file-names.ts'
import { packNameOf } from '../core/layout.ts'
import { evidenceDigestOver, type PackContent } from '../core/pack-files.ts'
import { periodName } from '../core/period/pack.ts'
import type { DerivedPeriod } from '../core/period/period.ts'
import type { Signer } from '../core/ports.ts'
import { buildPeriodReport, calendarRows, controlRows, deviationRows, practiceRows } from '../present/period-report.ts'
import { periodRecipientNote, README, VERIFY } from '../present/recipient.ts'
import type { SealedPeriodPages } from '../verify/steps/pages.ts'
import type { Content } from './output-files.ts'
import { PRODUCER } from './producer.ts'
import { type Stamping, stampReport } from './stamping.ts'
import { complementaryTable } from './tables.ts'

/** The report of a period before it is signed: the same bytes from the same sealed parts. */
export async function periodPdf(
  ports: Pick<Ports, 'reports'>,
  catalog: Catalog,
  { period, changes, frameworks, evidenceDigest, signer: { subject, fingerprint } }: SealedPeriodPages,
): Promise<Uint8Array> {
  const document = buildPeriodReport({
    period,
    changes,
    frameworks,
    catalog,
    producer: PRODUCER,
    evidenceDigest,
    packName: packNameOf(periodName(period)),
    signer: { subject, fingerprint },
    demo: period.demo,
  })
  return await ports.reports.render(document, { attachments: [], created: period.asOf })
}

/** The signed period report, over the rest of its payload. */
export async function periodReport(
  ports: Pick<Ports, 'reports' | 'sealing' | 'timestamps'>,
  catalog: Catalog,
  {
    derived,
    payload,
    signer,
    stamping,
  }: {
    readonly signer: Signer
    readonly stamping: Stamping | null
    readonly derived: DerivedPeriod
    readonly payload: ReadonlyMap<string, PackContent>
  },
) {
  const pdf = await periodPdf(ports, catalog, { ...derived, evidenceDigest: evidenceDigestOver(payload), signer })
  return await stampReport(ports, await ports.sealing.signPdf(pdf, signer), signer, stamping)
}

/** The sealed parts that files beside the pack restate. */
interface SealedPeriod {
  readonly report: Uint8Array
  /** VERIFY.txt of the pack. */
  readonly help: Uint8Array
  readonly packName: string
  readonly evidenceDigest: Sha256
  readonly signer: Pick<Signer, 'subject' | 'fingerprint'>
}

/** Outputs that people open without the pack, by name: the organization's, then first and last day. */
export const derivedPeriodFiles = (
  { csvPieces }: Pick<Ports, 'csvPieces'>,
  { report, help, ...sealed }: SealedPeriod,
  { period, tables }: DerivedPeriod,
  catalog: Catalog,
): readonly (readonly [string, Content])[] => {
  const { engagement, fleet, from, to } = period
  const prefix = filePrefix({ organization: engagement?.entity ?? fleet, dates: [from, to] })
  const named = (kind: string): string => fileNamed(prefix, kind)
  const complementary = complementaryTable(period, catalog)
  return [
    [named('period-report.pdf'), report],
    [named(README), periodRecipientNote(period, { ...sealed, demo: period.demo })],
    [named(VERIFY), help],
    [named('controls.csv'), csvPieces(controlRows(period))],
    [named('calendar.csv'), csvPieces(calendarRows(period))],
    [named('deviations.csv'), csvPieces(deviationRows(period))],
    ...(complementary.length < 2 ? [] : [[named('complementary-controls.csv'), csvPieces(complementary)] as const]),
    ...(period.conclusions?.frameworks.includes('hipaa') === true
      ? [[named('recognized-security-practices.csv'), csvPieces(practiceRows(period, HIPAA_VIEWS.practices))] as const]
      : []),
    ...[...tables].map(([path, bytes]) => [path.replace(/^data\//, ''), bytes] as const),
  ]
}

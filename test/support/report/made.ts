import { renderReport } from '../../../main/adapters/pdf/index.ts'
import type { ReportDocument, Section } from '../../../main/core/report-document.ts'
import { type ReadReport, readReport } from '../pdf-pages.ts'
import { SAMPLE_AS_OF } from './sample.ts'

/** A report of these sections and nothing else. */
export const reportOf = (sections: readonly Section[], more: Partial<ReportDocument> = {}): ReportDocument => ({
  title: 'A report',
  language: 'en',
  subject: 'Pages',
  producer: 'Barewitness 0.0.0-test',
  demo: false,
  runningHead: 'Left head',
  runningFoot: 'Left foot',
  sections,
  ...more,
})

export const renderPlain = (document: ReportDocument): Promise<Uint8Array> =>
  renderReport(document, { attachments: [], created: SAMPLE_AS_OF, placeholder: false })

export const readPages = async (document: ReportDocument): Promise<ReadReport> =>
  readReport(await renderPlain(document))

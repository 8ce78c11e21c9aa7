import type { ReportDocument } from '../../../main/core/report-document.ts'
import { buildAnnexes, buildReport, type ReportInput } from '../../../main/present/report.ts'

/** Report and annexes as one document, for what can stand in either. */
export function wholeReport(input: ReportInput): ReportDocument {
  const report = buildReport(input)
  return { ...report, sections: [...report.sections, ...buildAnnexes(input).sections] }
}

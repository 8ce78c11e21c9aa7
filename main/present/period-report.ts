import { plain } from '../core/plain-text.ts'
import type { ReportDocument, Section } from '../core/report-document.ts'
import { changeSection } from './period-report/changes.ts'
import { conclusionSection } from './period-report/conclusions.ts'
import { periodCover } from './period-report/cover.ts'
import { coverageSection, gapSection, runSection } from './period-report/coverage.ts'
import { deviationSection } from './period-report/deviations.ts'
import { periodHowto, periodLimits } from './period-report/ending.ts'
import type { PeriodReportInput } from './period-report/input.ts'
import { listSection } from './period-report/lists.ts'
import { readingSection } from './period-report/reading.ts'
import { rulesSection } from './period-report/rules.ts'
import { dayOf } from './report/declared.ts'
import { when } from './report/wording.ts'

export { controlRows } from './period-report/conclusions.ts'
export type { PeriodReportInput } from './period-report/input.ts'
export { practiceRows } from './period-report/practices.ts'
export { calendarRows, deviationRows } from './period-report/tables.ts'

/**
 * The period report as plain data. Pure: every date comes from the period, so the same input gives the same document. Missed runs
 * and days without evidence precede all results.
 */
export function buildPeriodReport(input: PeriodReportInput): ReportDocument {
  const { period } = input
  const fleet = plain(period.fleet, 60)
  const sections: readonly Section[] = [
    periodCover(input),
    readingSection(input),
    coverageSection(input),
    gapSection(input),
    conclusionSection(input),
    deviationSection(input),
    changeSection(input),
    rulesSection(input),
    runSection(input),
    listSection(input),
    periodLimits(),
    periodHowto(input),
  ]
  return {
    title: `Period report: ${fleet}, ${period.from} to ${period.to}`,
    language: 'en',
    subject: `Evidence digest ${input.evidenceDigest}`,
    producer: input.producer,
    demo: input.demo,
    runningHead: `${fleet}, ${dayOf(period.from)} to ${dayOf(period.to)}`,
    runningFoot: `Evidence ${input.evidenceDigest.slice(0, 16)}, as of ${when(period.asOf)}`,
    sections: sections.map((section, index) => ({ ...section, title: `${index + 1}  ${section.title}` })),
  }
}

import { plain } from '../core/base/plain-text.ts'
import type { ReportDocument, Section } from '../core/base/report-document.ts'
import { changeSection, deviationSection } from './period-report/changes.ts'
import { conclusionSection } from './period-report/conclusions.ts'
import {
  periodContents,
  periodCover,
  periodHowto,
  periodLimits,
  readingSection,
  rulesSection,
} from './period-report/cover.ts'
import { coverageSection, gapSection, runSection } from './period-report/coverage.ts'
import { listSection, type PeriodReportInput } from './period-report/lists.ts'
import { when } from './report/parts/wording.ts'
import { dayOf } from './report/scope/boundary.ts'

export { controlRows, practiceRows } from './period-report/conclusions.ts'
export type { PeriodReportInput } from './period-report/lists.ts'
export { calendarRows, deviationRows } from './period-report/lists.ts'

/**
 * The period report as plain data. Pure: every date comes from the period, so the same input gives the same document. Missed runs
 * and days without evidence precede all results.
 */
export function buildPeriodReport(input: PeriodReportInput): ReportDocument {
  const { period } = input
  const fleet = plain(period.fleet, 60)
  const sections: readonly Section[] = [
    periodCover(input),
    periodContents(),
    readingSection(),
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
    paper: input.frameworks.some(({ id }) => id === 'hipaa') ? 'letter' : 'a4',
    runningHead: `${fleet}, ${dayOf(period.from)} to ${dayOf(period.to)}`,
    runningFoot: `Evidence ${input.evidenceDigest.slice(0, 16)}, as of ${when(period.asOf)}`,
    sections: sections.map((section, index) => ({
      ...section,
      // The contents are not split between two pages.
      flows: index > 1,
      title: index === 1 ? section.title : `${index === 0 ? 1 : index}  ${section.title}`,
    })),
  }
}

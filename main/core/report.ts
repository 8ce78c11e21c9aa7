import { plain } from './plain-text.ts'
import { acceptancesOf } from './register.ts'
import { controlSection } from './report/controls.ts'
import { cover } from './report/cover.ts'
import { evidenceSection } from './report/evidence.ts'
import { exceptionSection } from './report/exceptions.ts'
import { gapSection, undecidedSection } from './report/gaps.ts'
import { howtoSection } from './report/howto.ts'
import type { Matter, ReportInput } from './report/input.ts'
import { isolationSection } from './report/isolation.ts'
import { limitSection } from './report/limits.ts'
import type { ReportDocument, Section } from './report/model.ts'
import { profileSection } from './report/profile.ts'
import { recordSection } from './report/records.ts'
import { summary } from './report/summary.ts'
import { tally } from './report/tally.ts'
import { when } from './report/wording.ts'

export type { ReportInput } from './report/input.ts'
export { documentText, type ReportDocument } from './report/model.ts'

/**
 * The report as plain data: an assessment, the catalog that gave it, and the recordings it rests on, in words an auditor can
 * follow. Pure: every date comes from `asOf` and the recordings, so the same input gives the same document.
 */
export function buildReport(input: ReportInput): ReportDocument {
  const { assessment, catalog } = input
  const matter: Matter = {
    ...input,
    tally: tally(assessment, catalog.checks),
    accepted: acceptancesOf(input.register.exceptions, assessment.asOf),
  }
  const chosen = catalog.frameworks.filter(({ id }) => assessment.scope.frameworks.includes(id))
  const ordered = [...chosen.filter(({ overlay }) => !overlay), ...chosen.filter(({ overlay }) => overlay)]
  const parts = [
    summary(matter),
    isolationSection(matter),
    gapSection(matter),
    undecidedSection(matter),
    ...ordered.map((framework) => controlSection(matter, framework)),
    exceptionSection(matter),
    recordSection(matter),
    profileSection(matter),
    limitSection(matter),
    howtoSection(matter),
    evidenceSection(matter),
  ]
  const fleet = plain(assessment.scope.fleet, 60)
  return {
    title: `Evidence report: ${fleet}`,
    language: 'en',
    subject: `Evidence digest ${input.evidenceDigest}`,
    producer: input.producer,
    demo: input.demo,
    runningHead: `${fleet}, pack ${plain(input.packName, 60)}`,
    runningFoot: `Evidence ${input.evidenceDigest.slice(0, 16)}, as of ${when(assessment.asOf)}`,
    sections: [numbered(cover(matter), 1), ...parts.map((section, index) => numbered(section, index + 2))],
  }
}

const numbered = (section: Section, number: number): Section => ({ ...section, title: `${number}  ${section.title}` })

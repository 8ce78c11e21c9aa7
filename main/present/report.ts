import { plain } from '../core/plain-text.ts'
import { acceptancesOf } from '../core/register.ts'
import type { ReportDocument, Section } from '../core/report-document.ts'
import { tally } from '../core/tally.ts'
import { boundarySection } from './report/boundary.ts'
import { checkSection } from './report/checks.ts'
import { claimSection } from './report/claims.ts'
import { controlSection } from './report/controls.ts'
import { cover } from './report/cover.ts'
import { custodySection } from './report/custody.ts'
import { decisionSection } from './report/decisions.ts'
import { evidenceSection } from './report/evidence.ts'
import { exceptionSection } from './report/exception-section.ts'
import { gapSection, undecidedSection } from './report/gaps.ts'
import { glossarySection } from './report/glossary.ts'
import { howtoSection } from './report/howto.ts'
import type { Matter, ReportInput } from './report/input.ts'
import { isolationSection } from './report/isolation.ts'
import { chosenFrameworks } from './report/items.ts'
import { limitSection } from './report/limits.ts'
import { locationSection } from './report/location.ts'
import { methodSection } from './report/method.ts'
import { nodeSection } from './report/nodes.ts'
import { overlaySections } from './report/overlay.ts'
import { populationSection } from './report/population.ts'
import { profileSection } from './report/profile.ts'
import { recordSection } from './report/records.ts'
import { signOffSection } from './report/sign-off.ts'
import { summary } from './report/summary.ts'
import { versionSection } from './report/versions.ts'
import { when } from './report/wording.ts'

export { documentText, type ReportDocument } from '../core/report-document.ts'
export type { ReportInput } from './report/input.ts'

/**
 * The report as plain data: an assessment, the catalog that gave it, and the recordings it rests on, in words an auditor can
 * follow. Pure: every date comes from `asOf` and the recordings, so the same input gives the same document.
 *
 * A reader has the matter after the gaps; what follows is for whoever works through it, in the order in which assessors look for it.
 */
export function buildReport(input: ReportInput): ReportDocument {
  const { assessment } = input
  const matter = matterOf(input)
  const { current } = chosenFrameworks(matter)
  const parts = [
    summary(matter),
    boundarySection(matter),
    populationSection(matter),
    gapSection(matter),
    methodSection(matter),
    ...under('Versions and thresholds', versionSection(matter), profileSection(matter)),
    ...under(
      'Results by control',
      ...current.map((framework) => controlSection(matter, framework)),
      checkSection(matter),
    ),
    ...under('Nodes', nodeSection(matter), isolationSection(matter), locationSection(matter), undecidedSection(matter)),
    claimSection(matter),
    exceptionSection(matter),
    decisionSection(matter),
    recordSection(matter),
    limitSection(matter),
    ...under('Proposed rules', ...overlaySections(matter)),
    signOffSection(matter),
    ...under('Chain of custody and verification', custodySection(matter), howtoSection(matter)),
    ...under('Appendix', evidenceSection(matter), glossarySection()),
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
    sections: [cover(matter), ...parts].map((section, index) => numbered(section, index + 1)),
  }
}

/** What every part of the report, and of what is made beside it, is written from. */
export const matterOf = (input: ReportInput): Matter => ({
  ...input,
  tally: tally(input.assessment, input.catalog.checks),
  accepted: acceptancesOf(input.register.riskAcceptances, input.assessment.asOf),
})

const under = (part: string, ...sections: readonly Section[]): readonly Section[] =>
  sections.map((section) => ({ ...section, part }))

const numbered = (section: Section, number: number): Section => ({ ...section, title: `${number}  ${section.title}` })

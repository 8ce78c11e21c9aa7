import { documentText, type ReportDocument, type Section } from '../../../main/core/base/report-document.ts'
import { buildAnnexes, buildReport, type ReportInput } from '../../../main/present/report.ts'

/** Report and annexes as one document, for what can stand in either. The findings of the annexes are no anchors in it. */
export function wholeReport(input: ReportInput): ReportDocument {
  const report = buildReport(input)
  return { ...report, sections: [...report.sections, ...buildAnnexes(input).sections.map(unanchored)] }
}

const unanchored = (section: Section): Section => ({
  ...section,
  blocks: section.blocks.map((block) => {
    if (block.kind !== 'heading') return block
    const { anchor: _, ...heading } = block
    return heading
  }),
})

/** The text of one section. */
export const sectionText = (document: ReportDocument, id: string): string =>
  documentText({ ...document, sections: document.sections.filter((one) => one.id === id) }).join('\n')

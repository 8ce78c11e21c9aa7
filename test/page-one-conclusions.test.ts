import { describe, expect, test } from 'vitest'
import { formatInputOf } from '../main/app/export/report-input.ts'
import { requestsGrid } from '../main/present/formats/grids/audit.ts'
import { htmlPieces } from '../main/present/html/page.ts'
import { buildBinder } from '../main/present/report/controls/binder.ts'
import { buildReport, documentText, type ReportInput } from '../main/present/report.ts'
import type { EvidenceDocument, Register } from '../schemas/types.ts'
import { documentFor, registerWith } from './support/conclusion-documents.ts'
import { allDocuments } from './support/conclusion-kit.ts'
import { sampleInput } from './support/report/sample.ts'

// What a first page states of controls and documents: counts of one framework at a time, and every document that was
// inspected and does not support.

const EARLIER = '2026-11-01T00:00:00.000Z'
const inspectedEarlier = (one: EvidenceDocument): EvidenceDocument => ({
  ...one,
  attachedAt: EARLIER,
  ...(one.inspection === undefined ? {} : { inspection: { ...one.inspection, at: EARLIER } }),
})
const failed = inspectedEarlier(documentFor('ER-31', { conclusion: 'does-not-support' }))
const DECISION = {
  id: '0'.repeat(32),
  reason: 'weighed',
  factors: 'size and cost',
  alternativeMeasure: null,
  riskAnalysis: null,
  owner: 'Anna',
  requestedBy: 'Anna',
  approvedBy: 'Bea',
  approverRole: 'Security official',
  decidedAt: EARLIER,
  expiresAt: '2027-06-01T23:59:59.999Z',
  withdrawn: null,
} as const
const withDocuments = (documents: readonly EvidenceDocument[]): ReportInput =>
  sampleInput({ register: registerWith(documents.map(inspectedEarlier)) })
const inputOf = (documents: readonly EvidenceDocument[]) =>
  formatInputOf(withDocuments(documents), 'run-1', 'Sample_2026-11-20')
const textOf = (input: ReportInput): string => documentText(buildReport(input)).join('\n')

describe('the sentence on controls', () => {
  test('adds no counts of different frameworks', () => {
    const [, controls] = inputOf(allDocuments()).shown.conclusion
    expect(controls).toMatch(/; \d+ HIPAA controls and \d+ SOC 2 criteria are supported, by documents alone\.$/)
  })

  test('names the only framework that has supported controls', () => {
    const [, controls] = inputOf([documentFor('ER-46')]).shown.conclusion
    expect(controls).toMatch(/; 1 HIPAA control is supported, by documents alone\.$/)
  })
})

test('a deviation with an addressable decision in place is stated, in no count of deviations', () => {
  const encryption = 'hipaa:164.312(a)(2)(iv)'
  const of = (decisions: NonNullable<Register['decisions']>) => {
    const input = formatInputOf(sampleInput({ register: { ...registerWith([]), decisions } }), 'run-1', 'Sample')
    return { state: input.assessment.controls.find(({ control }) => control === encryption)?.state, input }
  }
  const open = of([])
  const decided = of([{ ...DECISION, framework: 'hipaa', control: encryption, decision: 'not-implemented' }])
  expect([open.state, decided.state]).toEqual(['deviations', 'addressable-decision'])
  const [, before = ''] = open.input.shown.conclusion
  const [, after = ''] = decided.input.shown.conclusion
  const count = Number(/for (\d+) of/.exec(before)?.[1])
  expect(after).toContain(`Deviations were noted for ${count - 1} of 66 HIPAA controls`)
  expect(after).toContain(', and for 1 addressable specification with a documented decision; ')
})

describe('the sentence on limits', () => {
  test('counts required documents, as the window does', () => {
    const [, , limits] = inputOf([]).shown.conclusion
    expect(limits).toMatch(/\d+ of \d+ required documents are outstanding\.$/)
  })

  test('states that none is required, where no framework requires one', () => {
    const input = formatInputOf(sampleInput({ scope: { frameworks: ['nprm'] } }), 'run-1', 'Sample')
    const [, , limits] = input.shown.conclusion
    expect(limits).toBe('No document is required.')
  })
})

describe('the evidence by control', () => {
  const input = inputOf(allDocuments())
  const pages = documentText(buildBinder(input)).join('\n')
  const pageOf = (title: string): string => {
    const from = pages.indexOf(`\nHIPAA ${title}`)
    return pages.slice(from, pages.indexOf('\nNot covered\n', from))
  }

  test('states no server test of a control that documents alone support', () => {
    const page = pageOf('164.308(a)(2) Assigned security responsibility')
    expect(page).toContain('No server test')
    expect(page).toContain('\nSupported\nNo check on servers decides it, and every required document was inspected.\n')
  })

  test('counts what is not in scope in each framework', () => {
    expect(pages).toContain('HIPAA: 6 of 72 controls. SOC 2: 28 of 61 criteria.')
  })
})

describe('a document that was inspected and does not support', () => {
  const input = inputOf([...allDocuments(undefined, ['ER-31']), failed])

  test('is stated on page 1, and is none of the outstanding ones', () => {
    const [, , limits] = input.shown.conclusion
    expect(limits).toContain('and 1 was inspected and does not support its controls')
    expect(limits).not.toContain('all required documents were inspected')
    expect(input.shown.figures.documents).toMatchObject({ failing: 1 })
  })

  test('is named with its controls in the report and the HTML report', () => {
    const report = textOf(input)
    expect(report).toMatch(/Inspected, does not support the control; no owner assigned \(1\)\nER-31\n/)
    expect(report).toContain('0 of 1, 1 deviation')
    const html = Buffer.concat([...htmlPieces(input)].map((piece) => Buffer.from(piece))).toString()
    expect(html).toContain('Inspected, does not support: ER-31.')
  })

  test('has that status in the list of requests', () => {
    const { columns, rows } = requestsGrid(input)
    const at = (title: string): number => columns.findIndex((one) => one.title === title)
    const row = [...rows].find((one) => String(one[at('request')]).includes('ER-31'))
    expect(row?.[at('status')]).toBe('does not support')
  })
})

import { describe, expect, it } from 'vitest'
import { soc2 } from '../main/catalog/definition/frameworks/frameworks.ts'
import { withRegister } from '../main/core/conclusion/assess.ts'
import { documentText } from '../main/present/report.ts'
import { BANNED } from '../schemas/words.ts'
import { documentOf, inspectedFor, registerOf, riskAcceptanceOf } from './support/register.ts'
import { sampleInput } from './support/report/sample.ts'
import { sectionText, wholeReport } from './support/report/whole.ts'

const CHECK = 'encryption.at-rest.ephi-paths'
/** A control with two documents, each asked for by a request of its own. */
const control = soc2.controls.find(
  ({ documentsRequired, requests }) =>
    documentsRequired.length > 1 && documentsRequired.every((need) => requests?.[need]?.length === 1),
)
const [first = '', second = ''] = control?.documentsRequired ?? []
const key = control?.key ?? ''
const requestFor = (need: string): string => control?.requests?.[need]?.[0] ?? ''

const register = registerOf({
  riskAcceptances: [
    riskAcceptanceOf({ id: '1'.repeat(32), check: CHECK, nodes: ['gpu-fra-02'] }),
    riskAcceptanceOf({
      id: '2'.repeat(32),
      check: 'encryption.at-rest.cipher',
      nodes: ['gpu-fra-02', 'gpu-fra-03'],
      expiresAt: '2026-11-19T23:59:59.999Z',
      requestedBy: 'm. ortiz ',
    }),
    riskAcceptanceOf({
      id: '3'.repeat(32),
      check: 'tenancy.no-hypervisor',
      nodes: ['gpu-fra-02'],
      reason: 'line one\n\u202eline two',
      withdrawn: { at: '2026-11-10T09:30:00.000Z', by: 'L. Sato', reason: 'Given by mistake.' },
    }),
  ],
  documents: [
    documentOf({
      controls: [{ framework: 'soc2', control: key }],
      need: first,
      validUntil: '2027-06-30T23:59:59.999Z',
    }),
    documentOf({ id: 'c'.repeat(32), name: 'old.png', validUntil: '2026-01-31T23:59:59.999Z' }),
    documentOf({
      id: 'd'.repeat(32),
      kind: 'note',
      name: 'Talk with the provider',
      mediaType: 'text/plain',
      level: 'inquiry',
      withdrawn: { at: '2026-11-12T09:30:00.000Z', by: 'L. Sato', reason: 'Wrong customer.' },
    }),
  ],
  documentRequests: [
    { framework: 'soc2', control: key, need: first, owner: 'P. Lind', due: '2026-11-01T23:59:59.999Z' },
    { framework: 'soc2', control: key, need: second, owner: 'P. Lind', due: '2026-11-19T23:59:59.999Z' },
  ],
})

const input = { ...sampleInput(), register }
const report = wholeReport(input)

describe('the register in the report', () => {
  it('is listed beside contradicted findings and leaves them contradicted', () => {
    const gaps = sectionText(report, 'gaps')
    expect(gaps).toContain('Risk accepted until 1 Mar 2027, approved by M. Ortiz')
    expect(gaps).toContain('Risk acceptance expired on 19 Nov 2026, approved by M. Ortiz')
    const bare = wholeReport(sampleInput())
    const lines = sectionText(bare, 'gaps').split('\n')
    expect(gaps.split('\n').filter((line) => !/ccept/.test(line))).toEqual(lines)
    expect(sectionText(report, 'summary')).toContain('Risk acceptances: 1 in effect, 1 expired.')
    expect(sectionText(bare, 'summary')).toContain('Risk acceptances: 0 in effect, 0 expired.')
    expect(sectionText(report, 'summary').split('\n')[6]).toBe(sectionText(bare, 'summary').split('\n')[6])
  })

  it('lists every acceptance, those that have ended first, with all that was recorded', () => {
    const all = sectionText(report, 'acceptances')
    const place = (words: string): number => {
      expect(all).toContain(words)
      return all.indexOf(words)
    }
    expect(place('Expired (1)')).toBeLessThan(place('In effect (1)'))
    expect(place('In effect (1)')).toBeLessThan(place('Withdrawn (1)'))
    for (const words of [
      'It does not change the verdict',
      'Expired at the end of 19 Nov 2026, UTC',
      'In effect until the end of 1 Mar 2027, UTC',
      'Requested and approved by the same person (no segregation of duties)',
      'The swap area is cleared at every start.',
      'Weekly look at the start log.',
      'K. Adeyemi',
      '2 of 6: gpu-fra-02, gpu-fra-03',
      'Currently not satisfied on 1 of 2 of them',
      '1 Nov 2026 08:00 UTC, based on run run-1',
      '10 Nov 2026 09:30 UTC, by L. Sato: Given by mistake.',
      'line one \\u{202e}line two',
    ])
      expect(all).toContain(words)
    expect(all.match(/Requested and approved by the same person \(no segregation of duties\)/g)).toHaveLength(1)
  })

  it('lists every record, and what is asked for and missing', () => {
    const all = sectionText(report, 'records')
    for (const words of [
      'Key Policy 2026.pdf',
      'Who may hold a key, and for how long.',
      'Received. The document is on file and was not inspected.',
      'End of 30 Jun 2027, UTC',
      'No expiry stated',
      documentOf().sha256,
      `SOC 2 ${control?.id} ${control?.title}`,
      'Withdrawn before sealing; not included in the pack',
      'P. Lind',
      'Overdue',
      '19 Nov 2026',
    ])
      expect(all).toContain(words)
    expect(all.indexOf('Expired (1)')).toBeLessThan(all.indexOf('In effect (1)'))
    expect(all).toContain('Overdue\nreceived only; overdue: owner P. Lind, due 1 Nov 2026')
    expect(all).toContain('2 requests are overdue')
    expect(all.indexOf('1 Nov 2026')).toBeLessThan(all.indexOf('19 Nov 2026'))
  })

  it('takes a document that a named person inspected off the list, in every control that asks for it', () => {
    const documents = [inspectedFor(requestFor(first)), ...register.documents.slice(1)]
    const examined = { ...register, documents }
    const before = sampleInput().assessment
    const assessment = withRegister(input.catalog, before, examined)
    const all = sectionText(wholeReport({ ...input, register: examined, assessment }), 'records')
    expect(all).toContain('1 request is overdue')
    expect(all).toContain('Counts as\nSupporting evidence')
    expect(all).toContain('M. Ortiz, 3 Nov 2026\nThe whole document')
    expect(assessment.nodes).toEqual(before.nodes)
    const waiting = assessment.controls.flatMap(({ documents }) => documents.outstanding.map(({ request }) => request))
    expect(waiting).not.toContain(requestFor(first))
    expect(waiting).toContain(requestFor(second))
  })

  it('states at the control what is on file and what is still needed', () => {
    const item = sectionText(report, 'controls-soc2')
    expect(item).toContain(`Documents on file: ${requestFor(first)} `)
    expect(item).toContain('(received only; overdue: owner P. Lind, due 1 Nov 2026)')
    expect(item).toContain('(nothing on file; overdue: owner P. Lind, due 19 Nov 2026)')
    expect(item).toContain('Risk accepted on 1 of 1 until 1 Mar 2027, approved by M. Ortiz')
  })

  it('states so where there is nothing', () => {
    const bare = wholeReport(sampleInput())
    expect(sectionText(bare, 'acceptances')).toContain('No risk acceptances.')
    expect(sectionText(bare, 'records')).toContain('No documents on file.')
    expect(sectionText(bare, 'records')).toContain('nothing on file; no owner assigned')
  })

  it('uses none of the banned words, and the order of entries makes no difference', () => {
    expect(documentText(report).filter((line) => BANNED.some((banned) => banned.test(line)))).toEqual([])
    const turned = {
      ...register,
      riskAcceptances: [...register.riskAcceptances].reverse(),
      documents: [...register.documents].reverse(),
      documentRequests: [...register.documentRequests].reverse(),
    }
    expect(wholeReport({ ...input, register: turned })).toEqual(report)
  })
})

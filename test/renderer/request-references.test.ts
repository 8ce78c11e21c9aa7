import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  documentName,
  packOfAnswers,
  packPlaces,
  piecesOf,
  runPlaces,
} from '../../renderer/state/request-references.ts'
import type { RequestEntry } from '../../schemas/ipc-portal.ts'
import type { SearchEntry } from '../../schemas/ipc-views.ts'
import { times } from '../support/thorough.ts'

const FOUND: readonly SearchEntry[] = [
  { group: 'Findings', reference: 'F-20BF8C', title: 'One factor', to: { is: 'finding', reference: 'F-20BF8C' } },
  {
    ...{ group: 'Checks', reference: 'access.ssh.mfa', title: 'Two factors' },
    to: { is: 'result', node: 'db-1', property: 'access', check: 'access.ssh.mfa' },
  },
  {
    ...{ group: 'Controls', reference: '164.312(a)(1)', title: 'Access control' },
    to: { is: 'control', framework: 'hipaa', key: 'a1' },
  },
  { group: 'Documents', reference: 'review.pdf', title: 'Q4', to: { is: 'documents', find: 'Access review' } },
]
const PLACES = runPlaces(FOUND, ['db-1', 'constructor'])
const linked = (text: string): readonly string[] =>
  piecesOf(text, PLACES).flatMap(({ text: piece, to }) => (to === null ? [] : [piece]))

describe('references in a text', () => {
  test.each<[string, readonly string[]]>([
    ['F-20BF8C', ['F-20BF8C']],
    ['See F-20BF8C.', ['F-20BF8C']],
    ['(F-20BF8C), and "db-1":', ['F-20BF8C', 'db-1']],
    ['164.312(a)(1)', ['164.312(a)(1)']],
    ['(164.312(a)(1)).', ['164.312(a)(1)']],
    ['of access.ssh.mfa?\ndb-1', ['access.ssh.mfa', 'db-1']],
    ['in review.pdf.', ['review.pdf']],
    ['F-20BF8CD, xdb-1, db-1x, f-20bf8c, toString', []],
    ['', []],
  ])('%j', (text, references) => expect(linked(text)).toEqual(references))

  test('opens the screen of what is named', () => {
    expect(piecesOf('F-20BF8C', PLACES)).toEqual([
      { text: 'F-20BF8C', to: { screen: 'finding', of: 'run', reference: 'F-20BF8C' } },
    ])
    expect(PLACES.get('db-1')).toEqual({ screen: 'node', of: 'run', node: 'db-1' })
    expect(PLACES.get('review.pdf')).toEqual({ screen: 'documents', of: 'run', find: 'Access review' })
  })

  test('the pieces of any text are the text, and nothing opens that is not named', () => {
    const part = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom('F-20BF8C', 'db-1', '(', ').', ' ', '\n', '\ud83d', '\u202e', '__proto__'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        const pieces = piecesOf(text, PLACES)
        expect(pieces.map((one) => one.text).join('')).toBe(text)
        for (const { text: piece, to } of pieces) if (to !== null) expect(PLACES.get(piece)).toBe(to)
      }),
      { numRuns: times(200, 5000) },
    )
  })
})

test('the name of a document is its label without the digest', () => {
  const digest = 'ab'.repeat(32)
  expect(documentName(`a, SHA-256 b.pdf, SHA-256 ${digest}`)).toBe('a, SHA-256 b.pdf')
  for (const label of ['a.pdf', '', `, SHA-256 ${digest}`, `a, SHA-256 ${digest}0`])
    expect(documentName(label)).toBe(label)
})

describe('what an auditor opens by a reference', () => {
  const entry = (part: Partial<RequestEntry>): RequestEntry => ({
    ...{ at: '2026-11-29T12:00:00Z', by: 'S', role: 'officer', to: null, comment: '' },
    ...{ packs: [], documents: [], findings: [], ...part },
  })
  const about = { control: '', node: 'db-1', check: '', period: '' }
  const request = (...entries: readonly Partial<RequestEntry>[]) => ({
    ...{ about, text: 'Why is F-20BF8C open on db-1?' },
    entries: entries.map(entry),
  })
  const [first, second] = [
    { id: '1', label: 'Run 1' },
    { id: '2', label: 'Run 2' },
  ]
  const answers = request(
    { to: 'answered', packs: [first] },
    { role: 'auditor', to: 'returned', comment: 'And F-0A1B2C, xF-0A1B2D?' },
    {
      to: 'answered',
      packs: [second, first],
      documents: [{ id: 'd', label: `review.pdf, SHA-256 ${'ab'.repeat(32)}` }],
    },
    { role: 'auditor', comment: 'See review.pdf and F-0A1B2C, not F-0A1B2.' },
  )

  test('is in the first pack of the latest answer that names one', () => {
    expect(packOfAnswers(answers)).toBe('2')
    expect(packOfAnswers(request({ to: 'answered', packs: [first] }, { to: 'answered' }))).toBe('1')
    expect(packOfAnswers(request({ to: 'answered' }))).toBeNull()
    expect(packOfAnswers(request())).toBeNull()
  })
  test('are findings, documents that an answer names, and the node of the request, in comments as well', () => {
    const places = packPlaces(answers)
    const opened = (text: string) => piecesOf(text, places).flatMap(({ to }) => (to === null ? [] : [to]))
    expect(opened(answers.text)).toEqual([
      { screen: 'finding', of: 'pack', reference: 'F-20BF8C' },
      { screen: 'node', of: 'pack', node: 'db-1' },
    ])
    expect(opened(answers.entries[1]?.comment ?? '')).toEqual([
      { screen: 'finding', of: 'pack', reference: 'F-0A1B2C' },
    ])
    expect(opened(answers.entries[3]?.comment ?? '')).toEqual([
      { screen: 'documents', of: 'pack', find: 'review.pdf' },
      { screen: 'finding', of: 'pack', reference: 'F-0A1B2C' },
    ])
  })
  test('is nothing without a pack', () => {
    expect(packPlaces(request({ to: 'answered', comment: 'See F-20BF8C.' })).size).toBe(0)
  })
})

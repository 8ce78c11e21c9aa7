import { describe, expect, test } from 'vitest'
import { createSchemaValidator } from '../main/adapters/schema-validator.ts'
import { addDocument } from '../main/core/register/attachments.ts'
import { attachmentsBy, stateOf } from '../main/core/register/documents.ts'
import { registerProblems } from '../main/core/register/problems.ts'
import { registerFor } from '../main/core/register/register.ts'
import { supportingIn } from '../main/core/register/requests.ts'
import { periodCover } from '../main/core/register/versions.ts'
import { registerView } from '../main/core/register/view.ts'
import type { DocumentDraft } from '../schemas/ipc-register.ts'
import type { EvidenceDocument, ReportingBasis } from '../schemas/types.ts'
import type { PeriodCover } from '../schemas/words.ts'
import { must } from './support/outcomes.ts'
import { documentDraftOf, documentOf, inspectedFor, registerOf } from './support/register.ts'

const NOW = '2026-11-21T09:00:00.000Z'
const [OLD, NEW, NEXT] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string]
const FILE = { name: 'policy-2.pdf', bytes: new TextEncoder().encode('%PDF-1.7 second') }
const DRAFT = documentDraftOf({ supersedes: OLD })

const add = (documents: readonly EvidenceDocument[], changes: Partial<DocumentDraft> = {}) =>
  addDocument(registerOf({ documents }), { ...DRAFT, ...changes }, FILE, { now: NOW, id: NEW, needsOf: () => ['x'] })
const first = inspectedFor('ER-01', { id: OLD })
const failed = inspectedFor('ER-01', {
  id: OLD,
  inspection: { by: 'M. Ortiz', at: '2026-11-03T08:00:00.000Z', lookedAt: 'All.', conclusion: 'does-not-support' },
})
const second = (changes: Partial<EvidenceDocument> = {}): EvidenceDocument =>
  documentOf({ ...first, level: 'received', inspection: undefined, ...changes, id: NEW, supersedes: OLD } as never)

describe('a new version', () => {
  test('is attached to what the earlier one is attached to, and the earlier one stays', () => {
    const made = must(add([first], { effective: { from: '2026-01-01', to: null } }))
    expect(made.documents[0]).toEqual(first)
    expect(made.documents[1]).toMatchObject({
      id: NEW,
      supersedes: OLD,
      controls: first.controls,
      effective: { from: '2026-01-01', to: null },
    })
    expect(createSchemaValidator().problems('register', made)).toEqual([])
    expect(registerProblems(made)).toEqual([])
  })

  test.each<[string, readonly EvidenceDocument[], Partial<DocumentDraft>]>([
    ['of an unknown document', [first], { supersedes: NEXT }],
    ['of a withdrawn one', [{ ...first, withdrawn: { at: NOW, by: 'a', reason: 'abc' } }], {}],
    ['of one that has a later version', [first, { ...second(), id: NEXT }], {}],
    ['without all of its controls', [first], { controls: [{ framework: 'soc2', control: 'C1' }], need: 'x' }],
    ['with a period that ends before it begins', [first], { effective: { from: '2026-02-01', to: '2026-01-31' } }],
    ['with an invalid day', [first], { effective: { from: '2026-02-30', to: null } }],
  ])('%s is refused', (_, documents, changes) => {
    const made = add(documents, changes)
    expect(made.ok ? null : made.error.code).toBe('input.refused')
  })

  test('takes the place of the earlier one from its own moment on, inspected or not', () => {
    const later = second({ attachedAt: '2026-11-20T08:00:00.000Z' })
    const register = registerOf({ documents: [first, later] })
    const state = (asOf: string) => stateOf(attachmentsBy(register, asOf, null)('requests', 'ER-01'), 'inspected', asOf)
    expect(state('2026-11-19T08:00:00.000Z')).toEqual({ level: 'inspected', conclusion: 'supports' })
    expect(state(NOW)).toEqual({ level: 'received', conclusion: null })
    expect([...supportingIn(register, '2026-11-19T08:00:00.000Z', null)]).toEqual([OLD])
    expect([...supportingIn(register, NOW, null)]).toEqual([])
    expect(registerView(register, NOW).documents.map(({ supersededBy }) => supersededBy?.id ?? null)).toEqual([
      NEW,
      null,
    ])
  })

  test('that expires does not bring the earlier one back, and one that is withdrawn does', () => {
    const ended = second({ validUntil: '2026-11-19T23:59:59.999Z' })
    expect([...supportingIn(registerOf({ documents: [first, ended] }), NOW, null)]).toEqual([])
    const withdrawn = second({ withdrawn: { at: NOW, by: 'M. Ortiz', reason: 'wrong file' } })
    expect([...supportingIn(registerOf({ documents: [first, withdrawn] }), NOW, null)]).toEqual([OLD])
  })

  test('removes no deviation until a person inspected it', () => {
    const of = (documents: readonly EvidenceDocument[]) =>
      stateOf(attachmentsBy(registerOf({ documents }), NOW, null)('requests', 'ER-01'), 'inspected', NOW).conclusion
    expect(of([failed])).toBe('does-not-support')
    expect(of([failed, second()])).toBe('does-not-support')
    const inspection = { ...first.inspection, at: '2026-11-20T08:00:00.000Z' } as EvidenceDocument['inspection']
    expect(of([failed, second({ level: 'inspected', inspection } as never)])).toBe('supports')
  })

  test('is in every pack that has the earlier one', () => {
    const register = registerOf({ documents: [first, second()] })
    const part = registerFor(register, { nodes: [], checks: [], frameworks: ['hipaa'] })
    expect(part.documents.map(({ id }) => id)).toEqual([OLD, NEW])
  })
})

test.each<[string, readonly EvidenceDocument[], number]>([
  ['a version before its own', [first, second({ attachedAt: '2026-11-01T08:00:00.000Z' })], 1],
  ['two versions of one', [first, second(), { ...second(), id: NEXT }], 1],
  ['a version of itself', [{ ...first, supersedes: OLD }], 1],
  ['a version with fewer controls', [first, second({ controls: [] })], 1],
  ['a period that ends before it begins', [{ ...first, effective: { from: '2026-02-01', to: '2026-01-01' } }], 1],
  ['a period with an invalid day', [{ ...first, effective: { from: '2026-02-31', to: null } }], 1],
  ['an earlier version outside of the pack', [second()], 0],
  [
    'a withdrawn version beside another',
    [first, { ...second(), id: NEXT, withdrawn: { at: NOW, by: 'a', reason: 'abc' } }, second()],
    0,
  ],
])('a register with %s', (_, documents, problems) =>
  expect(registerProblems(registerOf({ documents }))).toHaveLength(problems),
)

describe('an effective period', () => {
  const YEAR: ReportingBasis = { kind: 'period', from: '2026-01-01', to: '2026-12-31' }
  const DAY: ReportingBasis = { kind: 'date', date: '2026-11-20' }
  test.each<[EvidenceDocument['effective'], ReportingBasis | null, PeriodCover | null]>([
    [undefined, YEAR, null],
    [{ from: '2026-01-01', to: null }, null, null],
    [{ from: '2026-01-01', to: null }, YEAR, 'covers'],
    [{ from: '2025-03-01', to: '2026-12-31' }, YEAR, 'covers'],
    [{ from: '2026-01-02', to: null }, YEAR, 'partly'],
    [{ from: '2025-01-01', to: '2026-12-30' }, YEAR, 'partly'],
    [{ from: '2025-01-01', to: '2025-12-31' }, YEAR, 'outside'],
    [{ from: '2027-01-01', to: null }, YEAR, 'outside'],
    [{ from: '2026-11-20', to: '2026-11-20' }, DAY, 'covers'],
    [{ from: '2026-11-21', to: null }, DAY, 'outside'],
  ])('%j for %j: %s', (effective, basis, expected) =>
    expect(periodCover(effective === undefined ? {} : { effective }, basis)).toBe(expected),
  )

  test('is compared with the engagement in the view of a register', () => {
    const entry = documentOf({ effective: { from: '2025-01-01', to: '2025-12-31' } })
    const [shown] = registerView(registerOf({ documents: [entry] }), NOW, YEAR).documents
    expect(shown?.period).toBe('outside')
  })

  test.each<
    [string, EvidenceDocument['effective'], 'supports' | 'does-not-support', 'supports' | 'does-not-support' | null]
  >([
    ['outside of it supports nothing', { from: '2025-01-01', to: '2025-12-31' }, 'supports', null],
    ['in a part of it counts', { from: '2026-06-01', to: null }, 'supports', 'supports'],
    [
      'outside of it stays a deviation',
      { from: '2025-01-01', to: '2025-12-31' },
      'does-not-support',
      'does-not-support',
    ],
  ])('that is %s', (_, effective, conclusion, expected) => {
    const document = { ...(conclusion === 'supports' ? first : failed), effective } as EvidenceDocument
    const register = registerOf({ documents: [document] })
    const of = attachmentsBy(register, NOW, YEAR)
    expect(stateOf(of('requests', 'ER-01'), 'inspected', NOW).conclusion).toBe(expected)
    expect(supportingIn(register, NOW, YEAR).size).toBe(expected === 'supports' ? 1 : 0)
  })
})

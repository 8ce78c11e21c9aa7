import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { type Signable, signedBytes } from '../main/core/register/signatures.ts'
import { readSealingContent } from '../main/core/team/sealing-content.ts'
import { sealingLines } from '../main/present/sealing-content.ts'
import type { EntrySignature } from '../schemas/types.ts'
import { validator } from './support/deps.ts'
import { fakeCatalog } from './support/fake-catalog.ts'
import { acceptanceRequestOf, decisionOf, responseOf, riskAcceptanceOf } from './support/register.ts'

const NOW = '2026-11-02T08:00:00.000Z'
const AT = '2026-11-01T09:00:00.000Z'
const problems = (register: unknown): readonly string[] => validator.problems('register', register)
const SIGNER = 'a'.repeat(64)
const read = (text: string, now = NOW) => readSealingContent(text, { now, signer: SIGNER, problems })
const textOf = (entry: Signable, role: EntrySignature['role'], at = AT): string =>
  new TextDecoder().decode(signedBytes(entry, { role, at }))
const auditorRequest = {
  ...{ id: 'b'.repeat(32), reference: 'PBC-7', title: 'Key management', request: 'ER-18', status: 'ready' as const },
  ...{ owner: null, due: null, comment: null, statedBy: 'M. Ortiz', statedAt: '2026-11-01T08:00:00.000Z' },
  withdrawn: null,
}
const ENTRIES: readonly (readonly [string, Signable, EntrySignature['role'], string, string])[] = [
  ['a risk acceptance, approved', riskAcceptanceOf(), 'approver', AT, 'riskAcceptances'],
  ['its request', riskAcceptanceOf(), 'requester', '2026-11-01T08:00:00.000Z', 'acceptanceRequests'],
  ['a request', acceptanceRequestOf(), 'requester', '2026-11-01T08:00:00.000Z', 'acceptanceRequests'],
  ['a decision, requested', decisionOf(), 'requester', AT, 'decisions'],
  ['a decision, approved', decisionOf(), 'approver', AT, 'decisions'],
  ['a response', responseOf({ cause: 'The swap area was added by hand.' }), 'respondent', AT, 'responses'],
  ['a statement about a request of an auditor', auditorRequest, 'respondent', AT, 'auditorRequests'],
]

describe.each(ENTRIES)('%s', (_, entry, role, at, list) => {
  const text = textOf(entry, role, at)
  test('is read back from what is signed, and every member is shown', () => {
    const content = read(text)
    expect(content).toMatchObject({ kind: 'register-entry', list, role, at })
    if (content === null) throw new Error('not read')
    const lines = sealingLines(content, fakeCatalog)?.join('\n') ?? ''
    const { signedAs: _signed, ...members } = JSON.parse(text) as Record<string, unknown>
    for (const [name, value] of Object.entries(members))
      for (const part of Array.isArray(value) ? value : [value])
        if (part !== null && name !== 'status' && name !== 'decision') expect(lines).toContain(String(part))
  })
  test('is read in exactly this form alone', () => {
    const value = JSON.parse(text) as Record<string, unknown>
    const others = [
      `${text} `,
      JSON.stringify(value, null, 1),
      canonicalJson({ ...value, more: 'x' }),
      canonicalJson({ ...value, withdrawn: null }),
      canonicalJson({ ...value, signatures: [] }),
      canonicalJson({ ...value, signedAs: { role, at, by: 'x' } }),
      canonicalJson({ ...value, signedAs: { role: 'owner', at } }),
      canonicalJson({ ...value, signedAs: undefined }),
      canonicalJson({ ...value, id: 'x' }),
      canonicalJson([value]),
      text.replace('{', '{"id":"x",'),
    ]
    expect(others.map((other) => read(other))).toEqual(others.map(() => null))
    for (const name of Object.keys(value))
      expect([name, read(canonicalJson({ ...value, [name]: undefined }))]).toEqual([
        name,
        name === 'cause' ? expect.anything() : null,
      ])
  })
  test('is not read with a time ahead of the clock, or before the entry existed', () => {
    expect(read(text, '2026-10-01T00:00:00.000Z')).toBeNull()
    if (at === AT) expect(read(textOf(entry, role, '2026-10-31T00:00:00.000Z'))).toBeNull()
  })
})

test('a role that cannot sign an entry is not read', () => {
  expect(read(textOf(riskAcceptanceOf(), 'respondent'))).toBeNull()
  expect(read(textOf(responseOf(), 'approver'))).toBeNull()
  expect(read(textOf(acceptanceRequestOf(), 'approver'))).toBeNull()
})

test('any other text is not read, and reading returns', () => {
  const texts = fc.oneof(fc.string(), fc.json(), fc.constantFrom('', '{}', 'null', '{"signedAs":null}', '[]'))
  fc.assert(fc.property(texts, (text) => read(text) === null))
  const [first] = ENTRIES
  const text = first === undefined ? '' : textOf(first[1], first[2], first[3])
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (place, char) => {
      const other = text.slice(0, place) + char + text.slice(place + 1)
      const content = read(other)
      if (content?.kind === 'chain-entry') return false
      return content === null || textOf(content.entry, content.role, content.at) === other
    }),
  )
})

test('invisible and direction-changing characters are shown as their codes', () => {
  const content = read(textOf(riskAcceptanceOf({ reason: 'safe\u202eefas\u0000' }), 'approver'))
  if (content === null) throw new Error('not read')
  const lines = sealingLines(content, fakeCatalog)?.join('\n') ?? ''
  expect(lines).toContain('safe\\u{202e}efas\\u{0}')
  expect(lines).not.toContain('\u202e')
})

test('one person who requests and approves is disclosed', () => {
  const content = read(textOf(riskAcceptanceOf({ approvedBy: ' k. adeyemi' }), 'approver'))
  if (content === null) throw new Error('not read')
  const both = sealingLines(content, fakeCatalog)?.length ?? 0
  const other = read(textOf(riskAcceptanceOf(), 'approver'))
  if (other === null) throw new Error('not read')
  expect(both - (sealingLines(other, fakeCatalog)?.length ?? 0)).toBe(1)
})

describe('entries of a run chain', () => {
  const common = { at: AT, fleet: 'Clinic', why: 'As\u202edelivered.', signer: SIGNER }
  const baseline = { kind: 'baseline', run: 'run-1', ...common }
  const gap = { kind: 'gap', due: '2026-10-31T02:00:00Z', schedule: 'nightly', ...common }
  const plan = {
    kind: 'plan',
    schedule: 'nightly',
    cadence: 'every day at 02:00 in UTC',
    withinMinutes: 4480,
    from: AT,
    ...common,
  }
  test.each<[string, object]>([
    ['a baseline', baseline],
    ['a missed run', gap],
    ['a schedule', plan],
    ['the end of a schedule', { ...plan, cadence: null }],
  ])('%s is read back and every member is shown', (_, entry) => {
    const content = read(canonicalJson(entry))
    if (content === null) throw new Error('not read')
    expect(content).toEqual({ kind: 'chain-entry', entry })
    const lines = sealingLines(content, fakeCatalog)?.join('\n') ?? ''
    for (const [name, value] of Object.entries({ ...entry, why: 'As\\u{202e}delivered.' }))
      if (name !== 'kind' && value !== null) expect(lines).toContain(String(value))
  })
  test.each<[string, unknown]>([
    ['another signer', { ...baseline, signer: 'b'.repeat(64) }],
    ['a time ahead', { ...baseline, at: '2027-01-01T00:00:00Z' }],
    ['a member more', { ...baseline, more: 1 }],
    ['a nested member', { ...baseline, why: { a: 1 } }],
    ['a member less', { ...baseline, why: undefined }],
    ['a schedule from another time than its entry', { ...plan, from: '2026-11-01T08:59:59.999Z' }],
    ['a schedule with an unknown interval', { ...plan, cadence: 'sometimes in UTC' }],
    ['a deletion', { ...common, kind: 'retired', run: 'run-1', tagManifest: SIGNER }],
    ['a sealed run', { ...common, kind: 'run', run: 'run-1', nodes: SIGNER, tagManifest: SIGNER, why: undefined }],
  ])('%s is not read', (_, entry) => {
    expect(read(canonicalJson(entry))).toBeNull()
  })
  test('another form is not read', () => {
    expect(read(JSON.stringify(baseline, null, 1))).toBeNull()
    expect(read(`${canonicalJson(gap)}\n`)).toBeNull()
  })
})

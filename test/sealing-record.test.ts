import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exitOf } from '../main/cli/parts/compare-record.ts'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import {
  compareRecord,
  type EntryState,
  type FoundSignature,
  readSealingRecord,
  type SignatureState,
} from '../main/core/team/sealing-record.ts'
import { times } from './support/thorough.ts'

const KEYS = ['a', 'b'].map((digit) => digit.repeat(64))
const [KEY = '', OTHER = ''] = KEYS
const digestOf = (name: string): string => sha256(name)

interface Line {
  readonly digest: string
  readonly order?: string
  readonly signer?: string
  readonly content?: string
}
const line = ({ digest, order = '1'.repeat(32), signer = KEY, content }: Line): string =>
  canonicalJson({
    ...{ at: '2026-11-20T09:15:00.000Z', signer, id: digest.slice(0, 32), order, digest },
    ...{ engagement: 'alpha', purpose: 'Export', requestedBy: 'officer', requestedAt: '2026-11-20T09:14:00.000Z' },
    ...(content === undefined ? {} : { content }),
  })
const recordOf = (lines: readonly string[]): string => lines.map((one) => `${one}\n`).join('')

const signed = (digest: string, signer = KEY, place: FoundSignature['place'] = 'seal'): FoundSignature => ({
  ...{ file: 'pack.zip', place, name: 'x' },
  made: { signer, digest },
})
const states = (text: string, found: readonly FoundSignature[], named: Parameters<typeof compareRecord>[2] = []) => {
  const record = readSealingRecord(text)
  const { signatures, entries } = compareRecord(record, found, named)
  const code = exitOf({ signatures, entries, heads: record.heads, unread: record.unread })
  return { signatures: signatures.map(({ state }) => state), entries: entries.map(({ state }) => state), code }
}

describe('reading a record', () => {
  test('documents, entries and statements about audit logs', () => {
    const head = canonicalJson({
      schema: 'barewitness.audit-head/1',
      ...{ server: 'https://audit.example', size: 3, digest: digestOf('log'), at: '2026-11-20T09:15:00.000Z' },
    })
    const text = recordOf([
      line({ digest: digestOf('seal') }),
      canonicalJson({ signer: KEY, auditHead: head }),
      line({ digest: sha256('an entry'), content: 'an entry' }),
    ])
    const { signatures, heads, unread } = readSealingRecord(text)
    expect(signatures.map(({ line: at, kind }) => [at, kind])).toEqual([
      [1, 'document'],
      [3, 'entry'],
    ])
    expect([heads, unread]).toEqual([1, []])
    expect(readSealingRecord('')).toEqual({ signatures: [], heads: 0, unread: [] })
  })

  test.each([
    ['a torn last line', line({ digest: digestOf('a') })],
    ['no JSON', '{"\n'],
    ['an empty line', '\n'],
    ['a text of another digest', `${line({ digest: digestOf('a'), content: 'b' })}\n`],
    ['a digest that is none', `${line({ digest: 'x'.repeat(64) })}\n`],
    ['a key that is none', `${line({ digest: digestOf('a'), signer: 'me' })}\n`],
    ['a statement that is none', `${canonicalJson({ signer: KEY, auditHead: 'x' })}\n`],
    ['a list', '[]\n'],
  ])('%s is named, and is no signature', (_, text) => {
    expect(readSealingRecord(text)).toEqual({ signatures: [], heads: 0, unread: [1] })
  })
})

describe('comparing', () => {
  const [seal, report, binder, late] = ['seal', 'report', 'binder', 'late'].map(digestOf) as [
    string,
    string,
    string,
    string,
  ]
  const both = [signed(seal), signed(report, KEY, 'report')]

  test('a pack whose signatures are in the record, and a record that the pack accounts for', () => {
    expect(states(recordOf([line({ digest: report }), line({ digest: seal })]), both)).toEqual({
      signatures: ['recorded', 'recorded'],
      entries: ['found', 'found'],
      code: 0,
    })
  })

  test('a signature that the record lacks', () => {
    expect(states(recordOf([line({ digest: report })]), both)).toMatchObject({
      signatures: ['not-recorded', 'recorded'],
      code: 5,
    })
  })

  test('a document of this export that was not given, an entry of nothing that is known, and the seal of another pack', () => {
    const other = '2'.repeat(32)
    const text = recordOf([
      line({ digest: report }),
      line({ digest: seal }),
      line({ digest: binder }),
      line({ digest: late, order: '3'.repeat(32) }),
      line({ digest: digestOf('another seal'), order: other }),
      line({ digest: digestOf('its report'), order: other }),
      line({ digest: sha256('an entry'), content: 'an entry' }),
    ])
    expect(states(text, both, [{ signer: KEY, digest: digestOf('another seal') }])).toEqual({
      signatures: ['recorded', 'recorded'],
      entries: ['found', 'found', 'not-given', 'unaccounted', 'named', 'not-given', 'unaccounted'],
      code: 3,
    })
    expect(states(recordOf([line({ digest: seal }), line({ digest: binder })]), [signed(seal)]).code).toBe(4)
  })

  test('signatures and entries of other keys are neither', () => {
    expect(states(recordOf([line({ digest: seal, signer: OTHER })]), [signed(seal)])).toEqual({
      signatures: ['other-key'],
      entries: ['other-key'],
      code: 4,
    })
    expect(states(recordOf([line({ digest: seal })]), [signed(seal), signed(late, OTHER, 'register-entry')])).toEqual({
      signatures: ['recorded', 'other-key'],
      entries: ['found'],
      code: 0,
    })
  })

  test('a signature that does not verify, and a line that cannot be read', () => {
    const text = recordOf([line({ digest: seal })])
    expect(states(text, [{ ...signed(seal), made: null }, signed(seal)])).toMatchObject({
      signatures: ['invalid', 'recorded'],
      code: 5,
    })
    expect(states(`${text}torn`, [signed(seal)])).toMatchObject({ signatures: ['recorded'], code: 4 })
  })
})

describe('whatever a record contains', () => {
  const members = fc.dictionary(
    fc.constantFrom('at', 'signer', 'digest', 'order', 'engagement', 'purpose', 'content', 'auditHead', '__proto__'),
    fc.oneof(fc.string(), fc.constantFrom(...KEYS, digestOf('seal'), 'seal'), fc.jsonValue({ maxDepth: 2 })),
  )
  const good = fc
    .record({
      digest: fc.constantFrom(...['seal', 'report', 'other'].map(digestOf)),
      order: fc.constantFrom('1'.repeat(32), '2'.repeat(32)),
      signer: fc.constantFrom(...KEYS),
    })
    .map(line)
  const anyLine = fc.oneof(
    good,
    members.map((one) => JSON.stringify(one)),
    fc.string({ unit: 'binary' }),
  )
  const anyRecord = fc.oneof(
    fc.array(anyLine, { maxLength: 12 }).map((lines) => lines.join('\n')),
    fc.string(),
  )
  const anyFound = fc.array(
    fc.record({
      ...{ file: fc.string(), place: fc.constantFrom('seal', 'report', 'register-entry'), name: fc.string() },
      made: fc.option(
        fc.record({
          signer: fc.constantFrom(...KEYS),
          digest: fc.constantFrom(...['seal', 'report', 'absent'].map(digestOf)),
        }),
      ),
    }),
    { maxLength: 6 },
  )

  test('every line is read or named, and no signature counts as recorded without a line of its key and digest', () => {
    fc.assert(
      fc.property(anyRecord, anyFound, (text, found) => {
        const record = readSealingRecord(text)
        const { signatures, heads, unread } = record
        const lines = text.split('\n')
        const count = lines.length - (lines.at(-1) === '' ? 1 : 0)
        expect(signatures.length + heads + unread.length).toBe(count)
        const compared = compareRecord(record, found, [])
        expect(compared.signatures.map(({ made }) => made)).toEqual(found.map(({ made }) => made))
        for (const { made, state, line: at } of compared.signatures) {
          const isThere = signatures.some((one) => one.signer === made?.signer && one.digest === made.digest)
          expect(state === 'recorded').toBe(isThere)
          expect(at !== null).toBe(isThere)
        }
        const stated: readonly EntryState[] = compared.entries.map(({ state }) => state)
        const missing: readonly SignatureState[] = ['not-recorded', 'invalid']
        const code = exitOf({ ...compared, heads, unread })
        if (compared.signatures.some(({ state }) => missing.includes(state))) expect(code).toBe(5)
        else if (stated.includes('unaccounted')) expect(code).toBe(3)
        else if (unread.length > 0 || stated.includes('not-given')) expect(code).toBe(4)
      }),
      { numRuns: times(300, 5000) },
    )
  })

  test('a line that is added takes no signature out of the record', () => {
    fc.assert(
      fc.property(fc.array(good, { maxLength: 8 }), anyLine, anyFound, (lines, added, found) => {
        const recorded = (text: string): readonly boolean[] =>
          compareRecord(readSealingRecord(text), found, []).signatures.map(({ state }) => state === 'recorded')
        const [before, after] = [recorded(recordOf(lines)), recorded(recordOf([...lines, added]))]
        expect(before.every((is, at) => !is || after[at] === true)).toBe(true)
      }),
      { numRuns: times(300, 5000) },
    )
  })
})

import { describe, expect, test } from 'vitest'
import { isDay } from '../main/core/base/days.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { isSafePath } from '../main/core/pack/pack-files.ts'
import {
  addDocument,
  addNote,
  attachmentPath,
  cleanName,
  documentPaths,
  LARGEST_DOCUMENT,
  mediaTypeOf,
  viewerExtension,
} from '../main/core/register/attachments.ts'
import {
  acceptancesOf,
  acceptRisk,
  EMPTY_REGISTER,
  isOnePerson,
  registerFor,
  statusOf,
  withdrawAcceptance,
  withdrawDocument,
} from '../main/core/register/register.ts'
import { documentStatuses, needsIn, setRequest, supportingIn } from '../main/core/register/requests.ts'
import { registerView } from '../main/core/register/view.ts'
import type { RiskAcceptanceDraft } from '../schemas/ipc-register.ts'
import type { EvidenceDocument, Register } from '../schemas/types.ts'
import type { Verdict } from '../schemas/words.ts'
import { validator } from './support/deps.ts'
import { must } from './support/outcomes.ts'
import { documentDraftOf, documentOf, inspectedFor, registerOf, riskAcceptanceOf } from './support/register.ts'
import { controlOf, evidenceRequestOf, frameworkOf } from './support/rollup-kit.ts'

const ID = '0123456789abcdef'.repeat(2)
const verdicts: Readonly<Record<string, Verdict>> = {
  'a swap': 'not-satisfied',
  'b swap': 'not-tested',
  'c swap': 'satisfied',
  'd swap': 'not-applicable',
  'e swap': 'informational',
  'f swap': 'inconclusive',
}

const facts = (now: string) => ({
  now,
  id: ID,
  run: 'run-7',
  verdictOf: (node: string, check: string) => verdicts[`${node} ${check}`] ?? null,
})
const draft = (changes: Partial<RiskAcceptanceDraft> = {}): RiskAcceptanceDraft => ({
  check: 'swap',
  nodes: ['a'],
  reason: '  cleared at start ',
  compensatingControl: 'weekly look',
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  approvedBy: 'M. Ortiz',
  approverRole: 'Security officer',
  until: '2027-03-01',
  ...changes,
})
const NOW = '2026-11-21T15:00:00.000Z'
const accept = (changes: Partial<RiskAcceptanceDraft>, now = NOW) =>
  acceptRisk(EMPTY_REGISTER, draft(changes), facts(now))
const refusal = (outcome: { readonly ok: boolean; readonly error?: { code: string; detail: string } }): string =>
  outcome.ok ? 'accepted' : `${outcome.error?.code}: ${outcome.error?.detail}`

describe('accepting a finding', () => {
  test('keeps what was recorded, until the last millisecond of the day', () => {
    const made = accept({})
    expect(made).toEqual({
      ok: true,
      value: {
        ...EMPTY_REGISTER,
        riskAcceptances: [
          {
            id: ID,
            check: 'swap',
            nodes: ['a'],
            run: 'run-7',
            reason: 'cleared at start',
            compensatingControl: 'weekly look',
            owner: 'K. Adeyemi',
            requestedBy: 'K. Adeyemi',
            approvedBy: 'M. Ortiz',
            approverRole: 'Security officer',
            acceptedAt: NOW,
            expiresAt: '2027-03-01T23:59:59.999Z',
            withdrawn: null,
          },
        ],
      },
    })
    expect(EMPTY_REGISTER.riskAcceptances).toEqual([])
  })

  test.each([
    ['2026-11-21', NOW, 'accepted'],
    ['2026-11-21', '2026-11-21T23:59:59.999Z', 'accepted'],
    ['2026-11-21', '2026-11-22T00:00:00.000Z', 'input.refused: the expiry of the acceptance is in the past'],
    ['2026-11-20', NOW, 'input.refused: the expiry of the acceptance is in the past'],
    ['2027-11-22', NOW, 'accepted'],
    ['2027-11-22', '2026-11-21T00:00:00.000Z', 'accepted'],
    ['2027-11-23', NOW, 'input.refused: the expiry of the acceptance must be at most 366 days from today'],
    ['2028-11-21', '2027-11-21T12:00:00.000Z', 'accepted'],
    ['2028-02-29', '2027-03-01T12:00:00.000Z', 'accepted'],
    ['2027-02-29', NOW, 'input.refused: the expiry of the acceptance must be a date such as 2027-03-01'],
    ['2027-04-31', NOW, 'input.refused: the expiry of the acceptance must be a date such as 2027-03-01'],
    ['2027-13-01', NOW, 'input.refused: the expiry of the acceptance must be a date such as 2027-03-01'],
    ['2027-3-1', NOW, 'input.refused: the expiry of the acceptance must be a date such as 2027-03-01'],
    ['+002027-03', NOW, 'input.refused: the expiry of the acceptance must be a date such as 2027-03-01'],
    ['', NOW, 'input.refused: the expiry of the acceptance must be a date such as 2027-03-01'],
  ])('until %s, asked at %s: %s', (until, now, said) => {
    expect(refusal(accept({ until }, now))).toBe(said)
  })

  test.each([
    [{ nodes: ['a', 'b', 'f'] }, 'accepted'],
    [{ nodes: ['a', 'c'] }, 'input.refused: check “swap” on node “c” has no deviation to accept'],
    [{ nodes: ['d'] }, 'input.refused: check “swap” on node “d” has no deviation to accept'],
    [{ nodes: ['e'] }, 'input.refused: check “swap” on node “e” has no deviation to accept'],
    [{ nodes: ['zz'] }, 'input.refused: there is no result of check “swap” on node “zz”'],
    [{ check: 'no.such' }, 'input.refused: there is no result of check “no.such” on node “a”'],
    [{ nodes: [] }, 'input.refused: name at least one node'],
    [{ reason: ' \n ' }, 'input.refused: the reason must be entered'],
    [{ compensatingControl: '' }, 'input.refused: the compensating control must be entered'],
    [{ approvedBy: ' ' }, 'input.refused: the approver must be entered'],
  ])('%j: %s', (changes, said) => {
    expect(refusal(accept(changes))).toBe(said)
  })

  test('by the person who asked for it is allowed, and can be seen', () => {
    const made = accept({ requestedBy: ' m. ortiz', approvedBy: 'M. Ortiz' })
    expect(made.ok && made.value.riskAcceptances.map(isOnePerson)).toEqual([true])
    expect(isOnePerson(riskAcceptanceOf())).toBe(false)
  })
})

describe('the status of an entry', () => {
  const until = riskAcceptanceOf({ acceptedAt: '2027-03-01T00:00:00.000Z', expiresAt: '2028-02-29T23:59:59.999Z' })
  test.each([
    ['2028-02-29T23:59:59.998Z', 'in-force'],
    ['2028-02-29T23:59:59.999Z', 'in-force'],
    ['2028-03-01T00:00:00.000Z', 'expired'],
    ['2028-02-29T23:59:59Z', 'in-force'],
  ])('at %s: %s', (asOf, status) => {
    expect(statusOf(until, asOf)).toBe(status)
  })

  test('withdrawn is withdrawn, whatever the day; no end is in force; an end that is no moment has passed', () => {
    const withdrawn = { at: NOW, by: 'x', reason: 'y' }
    expect(statusOf({ ...until, withdrawn }, '2028-01-01T00:00:00.000Z')).toBe('withdrawn')
    expect(statusOf(documentOf(), '2099-01-01T00:00:00.000Z')).toBe('in-force')
    expect(statusOf(documentOf({ validUntil: '2026-11-20T23:59:59.999Z' }), NOW)).toBe('expired')
    expect(statusOf(riskAcceptanceOf({ expiresAt: '2027-99-99T00:00:00.000Z' }), NOW)).toBe('expired')
  })

  test('of a finding: the longest that is in force, else the last that ended, and never a withdrawn one', () => {
    const withdrawn = { at: NOW, by: 'x', reason: 'y' }
    const [old, short, long] = [
      riskAcceptanceOf({ id: '1'.repeat(32), expiresAt: '2026-01-01T23:59:59.999Z' }),
      riskAcceptanceOf({ id: '2'.repeat(32), expiresAt: '2026-12-01T23:59:59.999Z' }),
      riskAcceptanceOf({ id: '3'.repeat(32), expiresAt: '2027-02-01T23:59:59.999Z' }),
    ]
    const gone = riskAcceptanceOf({ id: '4'.repeat(32), expiresAt: '2027-06-01T23:59:59.999Z', withdrawn })
    const register = registerOf({ riskAcceptances: [long, old, gone, short] })
    const on = (asOf: string) =>
      acceptancesOf(register.riskAcceptances, asOf).inForce('node-b', 'encryption.at-rest.swap')?.id[0] ?? null
    expect(on(NOW)).toBe('3')
    expect(on('2027-02-02T00:00:00.000Z')).toBe(null)
    expect(acceptancesOf(register.riskAcceptances, NOW).inForce('node-a', 'encryption.at-rest.swap')).toBe(null)
    const later = acceptancesOf(register.riskAcceptances, '2027-02-02T00:00:00.000Z')
    expect(later.ended('node-b', 'encryption.at-rest.swap')).toBe(long)
    expect(acceptancesOf(register.riskAcceptances, NOW).ended('node-b', 'encryption.at-rest.swap')).toBe(null)
    expect(registerView(register, NOW).riskAcceptances.map(({ status }) => status)).toEqual([
      'in-force',
      'expired',
      'withdrawn',
      'in-force',
    ])
  })
})

describe('taking back', () => {
  const register = registerOf({ riskAcceptances: [riskAcceptanceOf()], documents: [documentOf()] })
  test('keeps the entry and states when, by whom and why; once', () => {
    const once = withdrawAcceptance(register, { id: riskAcceptanceOf().id, by: ' L. Sato ', reason: 'Fixed.' }, NOW)
    expect(once.ok && once.value.riskAcceptances).toEqual([
      riskAcceptanceOf({ withdrawn: { at: NOW, by: 'L. Sato', reason: 'Fixed.' } }),
    ])
    expect(once.ok && once.value.documents).toEqual(register.documents)
    if (!once.ok) throw new Error(once.error.detail)
    const twice = withdrawAcceptance(once.value, { id: riskAcceptanceOf().id, by: 'x', reason: 'again' }, NOW)
    expect(refusal(twice)).toBe('input.refused: this risk acceptance was already withdrawn')
  })

  test('refuses what is not there and what is empty', () => {
    const asked = { id: 'f'.repeat(32), by: 'x', reason: 'because' }
    expect(refusal(withdrawDocument(register, asked, NOW))).toMatch(/^input\.refused: there is no such /)
    const empty = { id: documentOf().id, by: ' ', reason: 'because' }
    expect(refusal(withdrawDocument(register, empty, NOW))).toBe(
      'input.refused: the person responsible must be entered',
    )
  })
})

describe('attached documents', () => {
  const needsOf = (framework: string, control: string) =>
    framework === 'soc2' && control === 'CC1' ? ['the policy', 'the training list'] : null
  const what = documentDraftOf({
    controls: [{ framework: 'soc2', control: 'CC1' }],
    need: 'the policy',
    validUntil: '2027-06-30',
  })
  const inspection = { by: ' M. Ortiz ', on: '2026-11-20', lookedAt: 'All of it.', conclusion: 'supports' } as const
  const moment = { now: NOW, id: ID, needsOf }
  const file = { name: 'C:\\Users\\r\\Key\u202e Policy.pdf', bytes: new TextEncoder().encode('%PDF-1.7') }

  test('keep name, size, digest and kind, and fit the schema', () => {
    const made = addDocument(EMPTY_REGISTER, what, file, moment)
    expect(made.ok && made.value.documents).toEqual([
      {
        id: ID,
        kind: 'file',
        name: 'Key Policy.pdf',
        mediaType: 'application/pdf',
        size: 8,
        sha256: sha256('%PDF-1.7'),
        controls: [{ framework: 'soc2', control: 'CC1' }],
        need: 'the policy',
        summary: 'who may hold a key',
        providedBy: 'R. Novak',
        level: 'received',
        owner: 'R. Novak',
        attachedAt: NOW,
        validUntil: '2027-06-30T23:59:59.999Z',
        withdrawn: null,
      },
    ])
    expect(made.ok && validator.problems('register', made.value)).toEqual([])
    const inspected = addDocument(
      EMPTY_REGISTER,
      { ...what, level: 'reperformed', inspection, answers: { checks: ['access.sshd.mfa'], nodes: ['a'] } },
      file,
      moment,
    )
    expect(inspected.ok && inspected.value.documents[0]).toMatchObject({
      level: 'reperformed',
      inspection: { by: 'M. Ortiz', at: '2026-11-20T23:59:59.999Z', lookedAt: 'All of it.', conclusion: 'supports' },
      answers: { checks: ['access.sshd.mfa'], nodes: ['a'] },
    })
    expect(inspected.ok && validator.problems('register', inspected.value)).toEqual([])
    const note = addNote(EMPTY_REGISTER, { ...what, name: 'Talk', text: 'They said so. ü' }, moment)
    expect(note.ok && note.value.documents[0]).toMatchObject({
      kind: 'note',
      name: 'Talk',
      mediaType: 'text/plain',
      size: 16,
      sha256: sha256('They said so. ü'),
    })
  })

  test.each([
    [{}, { ...file, bytes: new Uint8Array() }, 'input.refused: the file is empty'],
    [{}, { ...file, bytes: new Uint8Array(LARGEST_DOCUMENT + 1) }, 'input.refused: the file is larger than 100 MiB'],
    [{ validUntil: '2027-02-29' }, file, 'input.refused: the expiry must be a date such as 2027-03-01'],
    [
      { controls: [{ framework: 'soc2', control: 'CC9' }] },
      file,
      'input.refused: one of the named controls does not exist',
    ],
    [{ need: 'something else' }, file, 'input.refused: none of the named controls requires that document'],
    [{ summary: '   ' }, file, 'input.refused: the summary of evidence must be entered'],
    [{ need: null, controls: [] }, file, 'accepted'],
    [{ level: 'inquiry' }, file, 'accepted'],
    [{ level: 'inspected', inspection }, file, 'accepted'],
    [
      { level: 'inspected' },
      file,
      'input.refused: level “inspected” requires an inspector, the scope of the inspection and a conclusion',
    ],
    [{ inspection }, file, 'input.refused: a document at level “received” cannot have an inspection'],
    [
      { level: 'inspected', inspection: { ...inspection, on: '2026-11-22' } },
      file,
      'input.refused: the inspection date must be a date up to today, such as 2026-11-03',
    ],
    [
      { level: 'inspected', inspection: { ...inspection, lookedAt: ' ' } },
      file,
      'input.refused: the scope of the inspection must be entered',
    ],
  ] as const)('%j: refused or not', (changes, given, said) => {
    expect(refusal(addDocument(EMPTY_REGISTER, { ...what, ...changes }, given, moment))).toBe(said)
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['..', 'attachment'],
    ['', 'attachment'],
    ['a/b\\c.txt', 'c.txt'],
    ['re\u0000po\u001b[31mrt\u200b.pdf', 'repo[31mrt.pdf'],
    ['ü – plan?.pdf', 'ü – plan.pdf'],
    ['x'.repeat(300), 'x'.repeat(200)],
  ])('the name %j is kept as %j', (name, kept) => {
    expect(cleanName(name)).toBe(kept)
  })

  test.each([
    ['Key Policy 2026.pdf', 'file', '-key-policy-2026.pdf'],
    ['Talk', 'note', '-talk.txt'],
    ['日本語', 'file', ''],
    ['... .. ', 'file', ''],
    ['CON', 'file', '-con'],
    ['a'.repeat(300), 'file', `-${'a'.repeat(80)}`],
    ['x\n"; rm -rf ~', 'file', '-x-rm-rf'],
  ] as const)('the name %j of a %s is stored in a pack as digest%s', (name, kind, rest) => {
    const path = attachmentPath({ name, kind, sha256: 'e'.repeat(64) })
    expect(path).toBe(`data/documents/${'e'.repeat(64)}${rest}`)
    expect(isSafePath(path)).toBe(true)
  })

  test('a withdrawn one has no file in a pack, unless the same file is attached again', () => {
    const gone = documentOf({ withdrawn: { at: NOW, by: 'x', reason: 'y' } })
    expect([...documentPaths(registerOf({ documents: [gone] })).keys()]).toEqual([])
    expect([...documentPaths(registerOf({ documents: [gone, documentOf()] })).keys()]).toEqual([
      attachmentPath(documentOf()),
    ])
  })

  const bytes = (...some: number[]): Uint8Array => new Uint8Array(some)
  test.each([
    ['a.pdf', new TextEncoder().encode('%PDF-1.7'), 'application/pdf', 'pdf'],
    ['a.PNG', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), 'image/png', 'png'],
    ['a.jpeg', bytes(0xff, 0xd8, 0xff, 0xe0), 'image/jpeg', 'jpg'],
    ['a.pdf', new TextEncoder().encode('<html>'), 'application/octet-stream', null],
    ['a.exe', new TextEncoder().encode('%PDF-1.7'), 'application/octet-stream', 'pdf'],
    ['a.txt', new TextEncoder().encode('hello\n'), 'text/plain', null],
    ['a.txt', bytes(0xff, 0xfe, 0x00), 'application/octet-stream', null],
    ['a.svg', new TextEncoder().encode('<svg onload="x">'), 'application/octet-stream', null],
    ['a.docx', bytes(0x50, 0x4b, 0x03, 0x04), expect.stringContaining('wordprocessingml'), null],
    ['pdf', new TextEncoder().encode('%PDF-1.7'), 'application/octet-stream', 'pdf'],
  ])('%s with these first bytes', (name, content, type, shown) => {
    expect(mediaTypeOf(name, content)).toEqual(type)
    expect(viewerExtension(content)).toBe(shown)
  })
})

describe('requests for records', () => {
  const needsOf = (): readonly string[] => ['the policy', 'the training list']
  const ask = { framework: 'soc2', control: 'CC1', need: 'the policy', owner: 'P. Lind', due: '2026-12-01' } as const

  test('one for each record: a later one takes the place of the one before', () => {
    const first = must(setRequest(EMPTY_REGISTER, ask, { now: NOW, needsOf }))
    const second = setRequest(first, { ...ask, owner: ' M. Ortiz ', due: '2026-12-24' }, { now: NOW, needsOf })
    expect(second.ok && second.value.documentRequests).toEqual([
      { framework: 'soc2', control: 'CC1', need: 'the policy', owner: 'M. Ortiz', due: '2026-12-24T23:59:59.999Z' },
    ])
    expect(refusal(setRequest(EMPTY_REGISTER, { ...ask, need: 'gold' }, { now: NOW, needsOf }))).toContain(
      'not require',
    )
    expect(refusal(setRequest(EMPTY_REGISTER, { ...ask, due: '2026-11-20' }, { now: NOW, needsOf }))).toContain('past')
  })

  const REQUEST = evidenceRequestOf({ title: 'The roster', inspects: 'Names', owner: 'officer', renewal: '12 months' })
  const control = controlOf({
    key: 'CC1',
    mappings: [],
    documentsRequired: ['the policy', 'the training list', 'who is on call'],
    requests: { 'who is on call': ['ER-1'] },
  })
  const catalog = { requests: [REQUEST], offNodeChecks: [], frameworks: [] }

  test('what is attached, the level reached, who was asked, and what is overdue', () => {
    const register: Register = registerOf({
      documents: [
        documentOf({ controls: [{ framework: 'soc2', control: 'CC1' }], need: 'the policy' }),
        documentOf({
          id: 'c'.repeat(32),
          controls: [{ framework: 'soc2', control: 'CC1' }],
          need: 'the training list',
          validUntil: '2026-01-01T23:59:59.999Z',
        }),
        documentOf({ id: 'd'.repeat(32), controls: [{ framework: 'soc2', control: 'CC2' }], need: 'the policy' }),
        inspectedFor('ER-1', { id: 'e'.repeat(32) }),
      ],
      documentRequests: [
        { ...ask, due: '2026-11-01T23:59:59.999Z' },
        { ...ask, need: 'the training list', due: '2026-11-21T23:59:59.999Z' },
        {
          framework: 'requests',
          control: 'ER-1',
          need: 'The roster',
          owner: 'A. Weber',
          due: '2026-11-01T23:59:59.999Z',
        },
      ],
    })
    const at = (asOf: string) =>
      documentStatuses(catalog, register, { framework: 'soc2', control }, asOf, null).map(
        ({ document, attached, level, conclusion, request, overdue }) => [
          document.request?.id ?? document.title,
          attached.length,
          level,
          conclusion,
          request?.owner ?? null,
          overdue,
        ],
      )
    expect(at('2026-11-21T23:59:59.999Z')).toEqual([
      ['the policy', 1, 'received', null, 'P. Lind', true],
      ['the training list', 0, null, null, 'P. Lind', false],
      ['ER-1', 1, 'inspected', 'supports', 'A. Weber', false],
    ])
    expect(at('2026-11-22T00:00:00.000Z')[1]).toEqual(['the training list', 0, null, null, 'P. Lind', true])
  })

  const { level: _, ...unlevelled } = documentOf()
  const EARLIER: EvidenceDocument = { ...unlevelled, method: 'examined' }

  test('a row can be asked for its own words and for the titles of its documents, a request for its title', () => {
    const needsOf = needsIn({ ...catalog, frameworks: [frameworkOf([control], { id: 'soc2' })] })
    expect(needsOf('soc2', 'CC1')).toEqual(['the policy', 'the training list', 'who is on call', 'The roster'])
    expect(needsOf('requests', 'ER-1')).toEqual(['The roster'])
    expect([needsOf('requests', 'ER-2'), needsOf('soc2', 'CC2')]).toEqual([null, null])
  })

  test.each([
    ['received', documentOf({ level: 'received' }), false],
    ['from an earlier register, without a level', EARLIER, false],
    ['inspected without an inspection', documentOf({ level: 'inspected' }), false],
    ['inspected', inspectedFor('ER-1'), true],
    ['inspected, and expired', inspectedFor('ER-1', { validUntil: '2026-11-20T23:59:59.999Z' }), false],
    [
      'inspected, and it does not support',
      inspectedFor('ER-1', {
        inspection: { by: 'x', at: '2026-11-03T08:00:00.000Z', lookedAt: 'y', conclusion: 'does-not-support' },
      }),
      false,
    ],
  ])('a document that was %s supports or not', (_, entry, expected) => {
    expect(supportingIn(registerOf({ documents: [entry] }), NOW, null).has(entry.id)).toBe(expected)
    expect(registerView(registerOf({ documents: [entry] }), NOW).documents[0]?.supports).toBe(expected)
  })
})

test('the part for one pack names no other node, check or framework', () => {
  const register = registerOf({
    riskAcceptances: [
      riskAcceptanceOf({ id: '1'.repeat(32), nodes: ['node-b', 'other-customer'] }),
      riskAcceptanceOf({ id: '2'.repeat(32), nodes: ['other-customer'] }),
      riskAcceptanceOf({ id: '3'.repeat(32), check: 'gone' }),
    ],
    documents: [
      documentOf({ id: '1'.repeat(32) }),
      documentOf({ id: '2'.repeat(32), controls: [{ framework: 'hipaa', control: 'x' }] }),
      documentOf({ id: '3'.repeat(32), controls: [] }),
      inspectedFor('ER-18', {
        id: '4'.repeat(32),
        answers: { checks: ['access.sshd.mfa'], nodes: ['other-customer', 'node-b'] },
      }),
      inspectedFor('ER-18', {
        id: '5'.repeat(32),
        answers: { checks: ['access.sshd.mfa'], nodes: ['other-customer'] },
      }),
    ],
    documentRequests: [
      { framework: 'requests', control: 'ER-18', need: 'y', owner: 'z', due: NOW },
      { framework: 'hipaa', control: 'x', need: 'y', owner: 'z', due: NOW },
      { framework: 'soc2', control: 'x', need: 'y', owner: 'z', due: NOW },
    ],
  })
  const part = registerFor(register, { nodes: ['node-b'], checks: ['encryption.at-rest.swap'], frameworks: ['soc2'] })
  expect(part.riskAcceptances).toEqual([riskAcceptanceOf({ id: '1'.repeat(32), nodes: ['node-b'] })])
  expect(part.documents.map(({ id }) => id[0])).toEqual(['1', '3', '4', '5'])
  expect(part.documents.map(({ answers }) => answers?.nodes ?? null)).toEqual([null, null, ['node-b'], null])
  expect(part.documentRequests.map(({ framework }) => framework)).toEqual(['requests', 'soc2'])
  expect(JSON.stringify(part)).not.toContain('other-customer')
})

test('29 February is a day in leap years only', () => {
  expect(['2028-02-29', '2027-02-29', '2000-02-29', '2100-02-29'].map(isDay)).toEqual([true, false, true, false])
})

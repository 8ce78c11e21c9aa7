import { beforeAll, describe, expect, test } from 'vitest'
import { signEntry } from '../main/app/register/store.ts'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { ok } from '../main/core/base/failure.ts'
import { POPULATION } from '../main/core/engagement/coverage.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { registerProblems } from '../main/core/register/problems.ts'
import { EMPTY_REGISTER, lastMade, registerFor } from '../main/core/register/register.ts'
import {
  currentResponses,
  isSameStatement,
  LONGEST_DUE_DAYS,
  respond,
  responsesOf,
  statedBefore,
  withdrawResponse,
} from '../main/core/register/responses.ts'
import { entryOf, keysProblem, signablesIn } from '../main/core/register/signatures.ts'
import { catalogSnapshot } from '../main/core/rules/catalog.ts'
import { readEntries } from '../main/verify/steps/entries.ts'
import { registerOfPack } from '../main/verify/steps/register.ts'
import type { ResponseDraft } from '../schemas/ipc-packs.ts'
import type { EntrySignature, ManagementResponse, Register } from '../schemas/types.ts'
import { realClock, validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { registerOf, responseOf } from './support/register.ts'
import {
  AS_OF,
  sampleCatalog,
  samplePack,
  sampleSigner,
  sealing,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'

const NOW = '2026-11-21T15:00:00.000Z'
const ID = '0123456789abcdef'.repeat(2)
const draft = (changes: Partial<ResponseDraft> = {}): ResponseDraft => ({
  check: 'swap',
  status: 'in-progress',
  owner: ' K.  Adeyemi ',
  due: '2026-12-31',
  plan: ' Encrypt it,\r\nthen restart. ',
  cause: null,
  statedBy: ' M. Ortiz ',
  ...changes,
})
const state = (changes: Partial<ResponseDraft> = {}, register = EMPTY_REGISTER) =>
  respond(register, draft(changes), { now: NOW, id: ID, hasCheck: (check) => check === 'swap' })
const dayAfter = (days: number): string => new Date(Date.parse(NOW) + days * 86_400_000).toISOString().slice(0, 10)

describe('responding to a finding', () => {
  test('keeps what was stated, until the last millisecond of the day', () => {
    const made = state()
    expect(made).toEqual({
      ok: true,
      value: {
        ...EMPTY_REGISTER,
        responses: [
          {
            id: ID,
            check: 'swap',
            status: 'in-progress',
            owner: 'K. Adeyemi',
            due: '2026-12-31T23:59:59.999Z',
            plan: 'Encrypt it,\nthen restart.',
            statedBy: 'M. Ortiz',
            statedAt: NOW,
            withdrawn: null,
          },
        ],
      },
    })
    expect(made.ok && validator.problems('register', made.value)).toEqual([])
    expect(made.ok && registerProblems(made.value)).toEqual([])
  })

  test.each<[string, Partial<ResponseDraft>]>([
    ['an owner alone', { status: 'open', due: null, plan: null }],
    ['a due day alone', { status: 'open', owner: null, plan: null }],
    ['a cause alone', { status: 'open', owner: null, due: null, plan: null, cause: 'The image had none.' }],
    ['a status alone', { owner: null, due: null, plan: null }],
    ['a dispute with its reason', { status: 'disputed', owner: null, due: null, plan: 'Swap is on zram.' }],
    ['today', { due: dayAfter(0) }],
    ['the last day', { due: dayAfter(LONGEST_DUE_DAYS) }],
    ['any script and a leading sign', { plan: '=1+1; 暗号化, “ja” — ok' }],
  ])('%s is a response, and fits the schema', (_, changes) => {
    const made = state(changes)
    expect(made).toMatchObject({ ok: true })
    expect(made.ok && validator.problems('register', made.value)).toEqual([])
    expect(made.ok && registerProblems(made.value)).toEqual([])
  })

  test.each<[string, Partial<ResponseDraft>, RegExp]>([
    ['an unknown check', { check: 'nothing' }, /there is no check “nothing”/],
    ['no person', { statedBy: '  ' }, /the person who states the response must be entered/],
    ['yesterday', { due: dayAfter(-1) }, /the due day is in the past/],
    ['a day beyond the last', { due: dayAfter(LONGEST_DUE_DAYS + 1) }, /at most 1096 days/],
    ['no day', { due: '31.12.2026' }, /the due day must be a date/],
    ['a day that does not exist', { due: '2027-02-30' }, /the due day must be a date/],
    ['a dispute without a reason', { status: 'disputed', plan: ' \n ' }, /a dispute needs a plan/],
    ['nothing', { status: 'open', owner: ' ', due: null, plan: null }, /enter a status/],
    ['a short plan', { plan: 'ok' }, /the plan must have at least 3/],
    ['a long plan', { plan: 'x'.repeat(2001) }, /the plan must have at most 2000/],
    ['a long owner', { owner: 'x'.repeat(201) }, /the owner must have at most 200/],
    ['a control character', { cause: 'a\u0007bc' }, /the cause contains a character that a table cannot hold/],
    [
      'a control character of the second set',
      { cause: 'a\u0084=1+1' },
      /the cause contains a character that a table cannot hold/,
    ],
    ['half a pair', { owner: 'K\ud800' }, /the owner contains a character that a table cannot hold/],
  ])('%s is refused', (_, changes, detail) => {
    const made = state(changes)
    expect(made).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(made.ok ? '' : made.error.detail).toMatch(detail)
  })

  test('the latest that is not withdrawn is current; a withdrawn one stays listed', () => {
    const first = responseOf({ id: '1'.repeat(32) })
    const second = responseOf({ id: '2'.repeat(32), statedAt: '2026-11-02T08:00:00.000Z', status: 'ready-for-retest' })
    const register = registerOf({ responses: [second, first] })
    const current = (one: Register, asOf = NOW): string | undefined => currentResponses(one, asOf).get(first.check)?.id
    expect(current(register)).toBe(second.id)
    expect(current(register, '2026-11-01T23:00:00.000Z')).toBe(first.id)
    expect(current(register, '2026-10-01T00:00:00.000Z')).toBeUndefined()
    const taken = must(withdrawResponse(register, { id: second.id, by: 'M. Ortiz', reason: 'Stated too early.' }, NOW))
    expect(current(taken)).toBe(first.id)
    expect(responsesOf(taken)).toHaveLength(2)
    const again = withdrawResponse(taken, { id: second.id, by: 'M. Ortiz', reason: 'Again.' }, NOW)
    expect(again).toMatchObject({ ok: false, error: { detail: 'this response was already withdrawn' } })
    const none = withdrawResponse(register, { id: ID, by: 'M. Ortiz', reason: 'None.' }, NOW)
    expect(none).toMatchObject({ ok: false, error: { detail: 'there is no such response' } })
  })

  test('what was stated before is the same statement, whatever blanks surround it', () => {
    const before = statedBefore(responseOf())
    expect(isSameStatement(before, { ...before, plan: ` ${before.plan}\r\n`, owner: 'K.   Adeyemi' })).toBe(true)
    for (const other of [
      { status: 'open' as const },
      { owner: null },
      { due: '2027-01-01' },
      { plan: 'Other.' },
      { cause: 'New.' },
    ])
      expect(isSameStatement(before, { ...before, ...other })).toBe(false)
  })
})

describe('a register with responses', () => {
  test('its latest entry can be a response', () => {
    expect(lastMade(registerOf({ responses: [responseOf()] }), NOW)).toBe(responseOf().statedAt)
    expect(lastMade(registerOf({ responses: [responseOf({ statedAt: '2027-01-01T00:00:00.000Z' })] }), NOW)).toBeNull()
  })

  test('gives a pack the responses to its checks, and to its inventory', () => {
    const here = responseOf({ id: '1'.repeat(32), check: 'swap' })
    const rows = responseOf({ id: '2'.repeat(32), check: POPULATION })
    const elsewhere = responseOf({ id: '3'.repeat(32), check: 'of another mapping' })
    const part = registerFor(registerOf({ responses: [here, rows, elsewhere] }), {
      nodes: [],
      checks: ['swap'],
      frameworks: [],
    })
    expect(part.responses).toEqual([here, rows])
  })

  test.each<[string, readonly ManagementResponse[], string]>([
    ['an invalid time', [responseOf({ statedAt: '2026-02-30T00:00:00.000Z' })], 'invalid creation time'],
    ['an invalid due time', [responseOf({ due: '2026-02-30T23:59:59.999Z' })], 'invalid due time'],
    ['a due day before it was stated', [responseOf({ due: '2026-10-31T23:59:59.999Z' })], 'it is in the past'],
    ['a due day that is too far', [responseOf({ due: '2031-01-01T23:59:59.999Z' })], 'at most 1096 days'],
    ['a dispute without a reason', [responseOf({ status: 'disputed', plan: null })], 'a dispute needs a plan'],
    ['one id twice', [responseOf(), responseOf({ check: 'other' })], 'two entries have the ID'],
  ])('%s is a problem of it', (_, responses, words) => {
    expect(registerProblems(registerOf({ responses }))).toEqual([expect.stringContaining(words)])
  })
})

const readAlone = (register: Register) => {
  const files = new Map([
    [PATHS.register, jsonBytes(register)],
    [PATHS.catalog, jsonBytes(catalogSnapshot(sampleCatalog))],
  ])
  const scope = { fleet: 'sample', population: ['node-a', 'node-b'], frameworks: ['soc2'], asOf: AS_OF }
  const assessment = { asOf: AS_OF } as never
  return registerOfPack({ source: sourceOf(files), validator, seal: sealing.reader }, { scope, assessment })
}

describe('responses in a pack', () => {
  const folder = folderOfTests('register-responses')
  const ports = { sealing, clock: realClock }
  let signer: Signer
  let signed: Register
  const signAs = (register: Register, role: EntrySignature['role']) =>
    signEntry(ports, register, responseOf().id, { role, openSigner: async () => ok(signer) })

  beforeAll(async () => {
    signer = await sampleSigner(folder, 'signer')
    signed = must(await signAs(registerOf({ responses: [responseOf()] }), 'respondent'))
  })

  test('are signed by the person who states them', async () => {
    const entry = entryOf(signed, responseOf().id)
    expect(entry?.signatures).toHaveLength(1)
    expect(signablesIn(signed)).toHaveLength(1)
    expect(entry && keysProblem(entry)).toBeNull()
    const read = await readEntries(sealing.reader, signed)
    expect(read.problems).toEqual([])
    expect(read.notes).toEqual([expect.stringContaining('signed one entry of the register')])
    for (const role of ['requester', 'approver'] as const)
      expect(await signAs(signed, role)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(await signAs(signed, 'respondent')).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })

  test.each<[string, Partial<ManagementResponse>]>([
    ['plan', { plan: 'Nothing is done.' }],
    ['owner', { owner: null }],
    ['due day', { due: '2027-12-31T23:59:59.999Z' }],
    ['status', { status: 'ready-for-retest' }],
  ])('a %s changed after the signature is named', async (_, changes) => {
    const responses = responsesOf(signed).map((one) => ({ ...one, ...changes }))
    const { problems } = await readEntries(sealing.reader, { ...signed, responses })
    expect(problems).toEqual([
      expect.stringContaining(`response ${responseOf().id}: the signature of the respondent is invalid`),
    ])
  })

  test('stay signed when they are withdrawn', async () => {
    const taken = must(withdrawResponse(signed, { id: responseOf().id, by: 'M. Ortiz', reason: 'Replaced.' }, NOW))
    expect((await readEntries(sealing.reader, taken)).problems).toEqual([])
  })

  test('without a signature are counted, and one stated later has no effect yet', async () => {
    const read = await readAlone(
      registerOf({ responses: [responseOf({ statedAt: '2027-01-01T00:00:00.000Z', due: null })] }),
    )
    expect(read.problems).toEqual([])
    expect(read.notes.join('\n')).toMatch(/lists 1 management response/)
    expect(read.notes.join('\n')).toMatch(/1 was made after/)
    expect(read.notes.join('\n')).toMatch(/1 of 1 management responses is not digitally signed/)
  })

  test('to a check that the pack does not have are named', async () => {
    const read = await readAlone(registerOf({ responses: [responseOf({ check: 'elsewhere' })] }))
    expect(read.problems).toEqual([
      `${PATHS.register}: response ${responseOf().id} names check “elsewhere”, which is not in the pack’s catalog.`,
    ])
    expect((await readAlone(registerOf({ responses: [responseOf({ check: POPULATION })] }))).problems).toEqual([])
  })

  test('are sealed, read again by a verification, and change no result', async () => {
    const root = [signer.chain[0] ?? new Uint8Array()]
    const [stated, unstated] = await Promise.all(
      [signed, EMPTY_REGISTER].map(async (register) =>
        verifySource(sourceOf(await samplePack({ signer, register })), root),
      ),
    )
    expect(stated?.contents.register).toEqual(signed)
    expect(stated?.report.checks.map(({ outcome }) => outcome)).toEqual(
      unstated?.report.checks.map(({ outcome }) => outcome),
    )
    expect(stated?.contents.assessment).toEqual(unstated?.contents.assessment)
  })
})

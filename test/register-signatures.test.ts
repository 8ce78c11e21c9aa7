import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { signaturesProblem, signEntry } from '../main/app/register/store.ts'
import { ok } from '../main/core/base/failure.ts'
import type { SealReader, SealReading, Signer } from '../main/core/ports/ports.ts'
import { approveRequest } from '../main/core/register/decisions.ts'
import { isOneKey, keysProblem, type Signable, signedBytes, withSignature } from '../main/core/register/signatures.ts'
import { readEntries, readSignatures } from '../main/verify/steps/entries.ts'
import type { EntrySignature, Register } from '../schemas/types.ts'
import { realClock, validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { acceptanceRequestOf, decisionOf, registerOf, riskAcceptanceOf } from './support/register.ts'
import { outcomes, samplePack, sampleSigner, sealing, sourceOf, verifySource } from './support/sample-pack.ts'

const folder = folderOfTests('register-signatures')
const ports = { sealing, clock: realClock }
const now = realClock.now()
const day = (after: number): string =>
  `${new Date(Date.parse(now) + after * 86_400_000).toISOString().slice(0, 10)}T23:59:59.999Z`
const ID = acceptanceRequestOf().id
let asker: Signer
let approver: Signer
/** Asked for by one person and approved by another, each with a key of their own. */
let signed: Register

beforeAll(async () => {
  asker = await sampleSigner(folder, 'asker')
  approver = await sampleSigner(folder, 'approver')
  const request = acceptanceRequestOf({ requestedAt: now, expiresAt: day(90) })
  const asked = await sign(registerOf({ acceptanceRequests: [request] }), ID, 'requester', asker)
  const approved = must(approveRequest(asked, { id: ID, approvedBy: 'M. Ortiz', approverRole: 'Officer' }, now))
  signed = await sign(approved, ID, 'approver', approver)
})

async function sign(register: Register, id: string, role: EntrySignature['role'], signer: Signer): Promise<Register> {
  return must(await signEntry(ports, register, id, { role, openSigner: async () => ok(signer) }))
}

const problems = async (register: Register): Promise<readonly string[]> =>
  (await readEntries(sealing.reader, register)).problems

test('of any number of entries, few invalid and no repeated signatures are read', async () => {
  let reads = 0
  const counting: SealReader = {
    ...sealing.reader,
    read: (input) => {
      reads += 1
      return sealing.reader.read(input)
    },
  }
  const entry = { ...riskAcceptanceOf(), ...signed.riskAcceptances[0] }
  const many = (of: (at: number) => typeof entry): Register =>
    registerOf({ riskAcceptances: Array.from({ length: 2000 }, (_, at) => of(at)) })
  expect(
    (
      await readEntries(
        counting,
        many(() => entry),
      )
    ).problems,
  ).toEqual([])
  expect(reads).toBe(2)
  reads = 0
  const wrong = await readEntries(
    counting,
    many((at) => ({ ...entry, id: String(at).padStart(32, '0') })),
  )
  expect(wrong.problems.length).toBeGreaterThan(50)
  expect(reads).toBeLessThan(200)
})

describe('two keys', () => {
  const by = (role: EntrySignature['role'], fingerprint: string): EntrySignature => ({
    role,
    fingerprint: fingerprint.repeat(64),
    at: '2026-11-01T08:00:00.000Z',
    cms: 'AAAA',
    chain: [],
  })
  const one = { requestedBy: 'M. Ortiz', approvedBy: ' m. ortiz' }
  const SHARED = 'two people are named, but both signatures have the same key'
  const TWICE = 'more than one signature for the same role'
  test.each<[string, Signable, string | null, boolean]>([
    ['no signature', riskAcceptanceOf(), null, false],
    ['only the approver', riskAcceptanceOf({ signatures: [by('approver', 'a')] }), null, false],
    ['only who asked', riskAcceptanceOf({ signatures: [by('requester', 'a')] }), null, false],
    [
      'both, with keys of their own',
      riskAcceptanceOf({ signatures: [by('requester', 'a'), by('approver', 'b')] }),
      null,
      false,
    ],
    ['both, with one key', riskAcceptanceOf({ signatures: [by('requester', 'a'), by('approver', 'a')] }), SHARED, true],
    [
      'one person, one key',
      riskAcceptanceOf({ ...one, signatures: [by('requester', 'a'), by('approver', 'a')] }),
      null,
      true,
    ],
    [
      'one person, two keys',
      riskAcceptanceOf({ ...one, signatures: [by('requester', 'a'), by('approver', 'b')] }),
      null,
      false,
    ],
    ['two approvers', riskAcceptanceOf({ signatures: [by('approver', 'a'), by('approver', 'b')] }), TWICE, false],
    ['a decision, with one key', decisionOf({ signatures: [by('requester', 'a'), by('approver', 'a')] }), SHARED, true],
    ['a request', acceptanceRequestOf({ signatures: [by('requester', 'a')] }), null, false],
    [
      'a request that was not approved',
      acceptanceRequestOf({ signatures: [by('approver', 'a')] }),
      'it has an approver’s signature but was not approved',
      false,
    ],
    [
      'a request of another moment',
      acceptanceRequestOf({ signatures: [{ ...by('requester', 'a'), at: '2026-11-02T08:00:00.000Z' }] }),
      'the signature states a different time from the request',
      false,
    ],
  ])('%s', (_name, entry, problem, oneKey) => {
    expect([keysProblem(entry), isOneKey(entry)]).toEqual([problem, oneKey])
  })

  test('the key of the one who asked cannot approve for another person', async () => {
    const register = registerOf({ riskAcceptances: [riskAcceptanceOf({ signatures: [by('requester', 'a')] })] })
    const refused = withSignature(register, riskAcceptanceOf().id, by('approver', 'a'))
    expect(refused).toEqual({ ok: false, error: { code: 'input.refused', detail: SHARED } })
    expect(withSignature(register, 'f'.repeat(32), by('approver', 'b')).ok).toBe(false)
  })
})

describe('signatures on entries', () => {
  test('verify, and name whose keys they are', async () => {
    expect(validator.problems('register', signed)).toEqual([])
    const { problems: wrong, notes } = await readEntries(sealing.reader, signed)
    expect(wrong).toEqual([])
    expect(notes).toEqual([
      expect.stringContaining(`key fingerprint ${asker.fingerprint}, signed one entry`),
      expect.stringContaining(`key fingerprint ${approver.fingerprint}, signed one entry`),
    ])
    const [entry = riskAcceptanceOf()] = signed.riskAcceptances
    expect(await readSignatures(sealing.reader, entry)).toEqual([
      {
        role: 'requester',
        fingerprint: asker.fingerprint,
        subject: expect.stringContaining('asker'),
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        revokedAt: null,
        problems: [],
      },
      {
        role: 'approver',
        fingerprint: approver.fingerprint,
        subject: expect.stringContaining('approver'),
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        revokedAt: null,
        problems: [],
      },
    ])
  })

  test('on one entry after the other are over what was there, not over each other', () => {
    const [entry = riskAcceptanceOf()] = signed.riskAcceptances
    const { signatures: _, ...bare } = entry
    const as = { role: 'approver', at: now } as const
    expect(signedBytes(entry, as)).toEqual(signedBytes(bare, as))
    expect(signedBytes({ ...entry, withdrawn: { at: now, by: 'x', reason: 'y' } }, as)).toEqual(signedBytes(bare, as))
    const asked = { role: 'requester', at: now } as const
    const [request = acceptanceRequestOf()] = signed.acceptanceRequests ?? []
    expect(signedBytes(entry, asked)).toEqual(signedBytes(request, asked))
  })

  test.each<[string, Partial<Register['riskAcceptances'][number]>, readonly string[]]>([
    ['its end', { expiresAt: day(300) }, ['requester', 'approver']],
    ['a node', { nodes: ['node-b', 'node-a'] }, ['requester', 'approver']],
    ['its check', { check: 'other' }, ['requester', 'approver']],
    ['its reason', { reason: 'Because.' }, ['requester', 'approver']],
    ['requester', { requestedBy: 'L. Sato' }, ['requester', 'approver']],
    ['approver', { approvedBy: 'L. Sato' }, ['approver']],
    ['the role of approver', { approverRole: 'Chief' }, ['approver']],
    ['when', { acceptedAt: '2026-01-01T00:00:00.000Z' }, ['approver']],
  ])('an edit of %s after signing is caught', async (_, changes, whose) => {
    const edited = { ...signed, riskAcceptances: signed.riskAcceptances.map((entry) => ({ ...entry, ...changes })) }
    expect(await problems(edited)).toEqual(
      whose.map((who) => expect.stringContaining(`risk acceptance ${ID}: the signature of the ${who} is invalid`)),
    )
  })

  test('a withdrawal after signing leaves them in effect', async () => {
    const withdrawn = { at: now, by: 'x', reason: 'y' }
    expect(
      await problems({ ...signed, riskAcceptances: signed.riskAcceptances.map((one) => ({ ...one, withdrawn })) }),
    ).toEqual([])
  })

  test('of another key than the entry names, of another role, or no signature at all', async () => {
    const [entry = riskAcceptanceOf()] = signed.riskAcceptances
    const [one, other] = entry.signatures ?? []
    if (one === undefined || other === undefined) throw new Error('not signed')
    const withOnes = (signatures: readonly EntrySignature[]): Register => ({
      ...signed,
      riskAcceptances: [{ ...entry, signatures }],
    })
    expect(await problems(withOnes([{ ...one, fingerprint: 'e'.repeat(64) }, other]))).toEqual([
      expect.stringContaining('It was made with key'),
    ])
    expect(await problems(withOnes([{ ...other, role: 'requester' }]))).toEqual([expect.stringContaining('requester')])
    expect(await problems(withOnes([{ ...one, cms: 'AAAA' }]))).toEqual([expect.stringContaining('is invalid')])
    expect(await problems(withOnes([{ ...other, at: '2020-01-01T00:00:00.000Z' }]))).toEqual([
      expect.stringContaining('the signature of the approver is invalid'),
      expect.stringContaining('a signature states a time before the entry existed'),
    ])
  })

  test('of who asked for a decision is not one of who approved it, and its moment cannot be moved', async () => {
    const entry = decisionOf({ decidedAt: now, expiresAt: day(90) })
    const [signature] =
      (await sign(registerOf({ decisions: [entry] }), entry.id, 'requester', asker)).decisions?.[0]?.signatures ?? []
    if (signature === undefined) throw new Error('not signed')
    const problemsWith = (changes: Partial<EntrySignature>) =>
      problems(registerOf({ decisions: [{ ...entry, signatures: [{ ...signature, ...changes }] }] }))
    expect(await problemsWith({})).toEqual([])
    expect(await problemsWith({ role: 'approver' })).toEqual([expect.stringContaining('of the approver is invalid')])
    expect(await problemsWith({ at: day(1) })).toEqual([expect.stringContaining('of the requester is invalid')])
  })

  test.each([
    ['before its certificate was valid', '2020-01-01T00:00:00.000Z', 'Its certificate was not valid at 2020-01-01'],
    ['after it ended', '2099-01-01T00:00:00.000Z', 'Its certificate was not valid at 2099-01-01'],
    ['at no moment', '2026-13-45T99:00:00.000Z', 'Its certificate was not valid at 2026-13-45'],
  ])('made %s is invalid', async (_, at, problem) => {
    const request = acceptanceRequestOf({ requestedAt: at })
    const cms = await sealing.signDetached(asker, signedBytes(request, { role: 'requester', at }))
    const chain = [asker.certificate, ...asker.chain].map((one) => Buffer.from(one).toString('base64'))
    const signature = { role: 'requester' as const, fingerprint: asker.fingerprint, at, chain }
    const signatures = [{ ...signature, cms: Buffer.from(cms).toString('base64') }]
    expect(await problems(registerOf({ acceptanceRequests: [{ ...request, signatures }] }))).toEqual([
      expect.stringContaining(problem),
    ])
  })

  /** The real reader, with something else about the signer. */
  const readerWith = (changes: (reading: SealReading) => Partial<SealReading>): SealReader => ({
    ...sealing.reader,
    read: async (input) => {
      const reading = await sealing.reader.read(input)
      return { ...reading, ...changes(reading) }
    },
  })

  test('of one key in two certificates are of one key', async () => {
    const shared = readerWith(({ signer }) => ({ signer: signer && { ...signer, key: 'e'.repeat(64) } }))
    expect((await readEntries(shared, signed)).problems).toEqual([
      expect.stringContaining('two people are named, but both signatures have the same key'),
    ])
  })

  test('of a revoked key have no effect from then on; of one revoked later, that is noted', async () => {
    const revoked = (at: string) =>
      readEntries(
        readerWith(() => ({ revoked: { at } })),
        signed,
      )
    expect((await revoked('2020-01-01T00:00:00.000Z')).problems).toEqual([
      expect.stringContaining('Its certificate was revoked at 2020-01-01'),
      expect.stringContaining('Its certificate was revoked at 2020-01-01'),
    ])
    const later = await revoked(day(3))
    expect(later.problems).toEqual([])
    expect(later.notes.join()).toContain(`was revoked at ${day(3)}. The earlier signing times are stated`)
  })

  test('are not put on a request that was edited after it was signed', async () => {
    const asked = await sign(
      registerOf({ acceptanceRequests: [acceptanceRequestOf({ requestedAt: now })] }),
      ID,
      'requester',
      asker,
    )
    const edited = {
      ...asked,
      acceptanceRequests: asked.acceptanceRequests?.map((one) => ({ ...one, nodes: ['node-a', 'node-b'] })) ?? [],
    }
    const approved = must(approveRequest(edited, { id: ID, approvedBy: 'M. Ortiz', approverRole: 'Officer' }, now))
    const done = await signEntry(ports, approved, ID, { role: 'approver', openSigner: async () => ok(approver) })
    expect(!done.ok && done.error.detail).toContain('the signature of the requester is invalid')
    expect(await signaturesProblem(sealing.reader, approved, ID)).toContain('of the requester is invalid')
  })

  test('of a demonstration key identifies no person', async () => {
    const demo = await sealing.demoSigner()
    const register = registerOf({ decisions: [decisionOf()] })
    const done = await signEntry(ports, register, decisionOf().id, {
      role: 'approver',
      openSigner: async () => ok(demo),
    })
    expect(!done.ok && done.error.detail).toContain('It was made with a demo key')
  })

  test('whatever a signature holds, reading it throws nothing and accepts nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 3 }),
        async (cms, chain) => {
          const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
          const signature: EntrySignature = {
            role: 'approver',
            fingerprint: 'e'.repeat(64),
            at: now,
            cms: base64(cms),
            chain: chain.map(base64),
          }
          const [reading] = await readSignatures(sealing.reader, decisionOf({ signatures: [signature] }))
          expect(reading?.problems.length).toBeGreaterThan(0)
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('in a pack', () => {
  test('signed entries verify; one that was edited before sealing is reported', async () => {
    const outcome = async (register: Register) => {
      const verified = await verifySource(sourceOf(await samplePack({ signer: approver, register })))
      const complete = verified.report.checks.find(({ check }) => check === 'completeness')
      return { outcome: outcomes(verified).completeness, details: complete?.details.join('\n') ?? '' }
    }
    // The sample is judged before these were signed: only their signatures are looked at here.
    expect(await outcome(signed)).toMatchObject({
      outcome: 'passed',
      details: expect.stringContaining(asker.fingerprint),
    })
    const longer = {
      ...signed,
      riskAcceptances: signed.riskAcceptances.map((one) => ({ ...one, expiresAt: day(300) })),
    }
    const edited = await outcome(longer)
    expect(edited.outcome).toBe('failed')
    expect(edited.details).toContain('the signature of the approver is invalid')
  })
})

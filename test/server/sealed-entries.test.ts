import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { remoteSigning } from '../../main/adapters/seal/remote-signing.ts'
import { runSealer, type SealerEvent } from '../../main/app/export/sealer.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { fail, ok } from '../../main/core/base/failure.ts'
import { fileIn, shelfPath } from '../../main/core/base/layout.ts'
import { signedBytes } from '../../main/core/register/signatures.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { readEntries } from '../../main/verify/steps/entries.ts'
import type { Register, SealingRequest } from '../../schemas/types.ts'
import { ZONED } from '../support/collector-kit.ts'
import { valueIn } from '../support/engine-kit.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { folderOfTests } from '../support/folders.ts'
import { acceptanceRequestOf, riskAcceptanceOf } from '../support/register.ts'
import { sealing } from '../support/sample-pack.ts'
import { CHEN, newSigner, teamWithSealers } from '../support/sealer-kit.ts'
import { codeOf, replyIn, type TeamKit, type Visitor } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')
const { kitWithSealers, sealerOf } = teamWithSealers(signer, createFakePorts)
const [CHECK, OTHER_CHECK] = fakeCatalog.checks.map(({ id }) => id)

const registerOf = (kit: TeamKit): Register | null => {
  try {
    return JSON.parse(readFileSync(fileIn(shelfPath(join(kit.folder, 'alpha'), false), 'register'), 'utf8')) as Register
  } catch {
    return null
  }
}

const response = (identity: string | null, check = CHECK, owner = 'K. Adeyemi') => ({
  ...{ checks: [check], status: 'in-progress', owner, due: null, plan: 'Encrypt the swap area.', cause: null },
  ...{ statedBy: 'M. Ortiz', identity },
})
const respond = async (officer: Visitor, identity: string | null, check?: string) =>
  replyIn<{ ids: readonly string[]; isSigned: boolean }>(
    await officer.call('alpha', 'responses.set', response(identity, check)),
  )

const ask = (kit: TeamKit) =>
  kit.visitor().send(
    'POST',
    '/sealer/ask',
    { authorization: `Bearer ${CHEN}`, 'content-type': 'application/json' },
    JSON.stringify({
      certificate: Buffer.from(signer.certificate).toString('base64'),
      chain: signer.chain.map((one) => Buffer.from(one).toString('base64')),
      crls: signer.crls.map((one) => Buffer.from(one).toString('base64')),
      waitSeconds: 0,
    }),
  )

async function handed(kit: TeamKit): Promise<SealingRequest> {
  for (;;) {
    const request = valueIn(replyIn<SealingRequest | null>(await ask(kit)))
    if (request !== null) return request
    await sleep(20)
  }
}

describe('a management response on the team server', () => {
  test('is shown to the signer, signed there, and verifies as one of the window', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    const sealer = await sealerOf(kit)
    const { ids, isSigned } = valueIn(await respond(officer, 'chen'))
    expect([ids.length, isSigned]).toEqual([1, true])
    const register = registerOf(kit)
    const [entry] = register?.responses ?? []
    if (register === null || entry === undefined) throw new Error('nothing was stored')
    expect((await readEntries(sealing.reader, register)).problems).toEqual([])
    const [signature, ...more] = entry.signatures ?? []
    if (signature === undefined) throw new Error('not signed')
    expect([signature.fingerprint, signature.role, more]).toEqual([signer.fingerprint, 'respondent', []])
    const text = new TextDecoder().decode(signedBytes(entry, signature))
    // The bytes that one machine makes with this key.
    const own = await sealing.signDetached(signer, new TextEncoder().encode(text))
    expect(signature.cms).toBe(Buffer.from(own).toString('base64'))
    expect(sealer.asked).toMatchObject([{ content: text, digest: sha256(text), requestedBy: 'officer (officer)' }])
    expect(sealer.shown[0]?.join('\n')).toContain('Encrypt the swap area.')
    expect(readFileSync(sealer.record, 'utf8')).toContain(sha256(text))
    const lines = kit.auditText().split('\n')
    expect(lines.filter((line) => line.includes('"kind":"signature"'))).toEqual([
      expect.stringMatching(new RegExp(`"id":"${entry.id}"`)),
    ])
    expect(checkAudit(kit.auditText())).toMatchObject({ intact: true })
  })

  test('is not recorded where the signer does not confirm, where no sealer is there, and where none answers', async () => {
    const kit = await kitWithSealers(3000)
    const officer = await kit.as('officer')
    expect(await respond(officer, 'chen')).toMatchObject({ ok: false, error: { code: 'identity.missing' } })
    await ask(kit)
    expect(await respond(officer, 'chen')).toMatchObject({ ok: false, error: { code: 'sealing.unanswered' } })
    const declining = await sealerOf(kit, { confirms: false })
    expect(await respond(officer, 'chen')).toMatchObject({ ok: false, error: { code: 'sealing.refused' } })
    expect(registerOf(kit)).toBeNull()
    expect(readFileSync(declining.record, 'utf8')).not.toContain(declining.asked[0]?.digest ?? 'none')
    expect(kit.auditText()).toContain('"kind":"signature-refused"')
  })

  test('goes on with the next sealer process where one was killed before it answered', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await ask(kit)
    const going = respond(officer, 'chen')
    const first = await handed(kit)
    expect(await handed(kit)).toEqual(first)
    await sealerOf(kit)
    expect(await going).toMatchObject({ ok: true, value: { isSigned: true } })
  })

  test('lets other changes of the register through while the signer decides, and keeps them', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    let decide: (confirms: boolean) => void = () => undefined
    const decided = new Promise<boolean>((resolve) => {
      decide = resolve
    })
    const sealer = await sealerOf(kit, { confirms: () => decided })
    const going = respond(officer, 'chen')
    while (sealer.asked.length === 0) await sleep(20)
    const other = await kit.as('officer')
    expect(await respond(other, null, OTHER_CHECK)).toMatchObject({ ok: true, value: { isSigned: false } })
    decide(true)
    expect(await going).toMatchObject({ ok: true, value: { isSigned: true } })
    const register = registerOf(kit)
    expect(register?.responses?.map(({ check }) => check)).toEqual([OTHER_CHECK, CHECK])
    expect((await readEntries(sealing.reader, register as Register)).problems).toEqual([])
  })

  test('is not stored otherwise than it was signed', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    let decide: (confirms: boolean) => void = () => undefined
    const decided = new Promise<boolean>((resolve) => {
      decide = resolve
    })
    const sealer = await sealerOf(kit, { confirms: () => decided })
    // Leaves the plan as it is stated, which another officer changes meanwhile.
    const kept = { ...response('chen'), plan: null, owner: 'J. Lin' }
    const going = officer.call('alpha', 'responses.set', kept)
    while (sealer.asked.length === 0) await sleep(20)
    const other = await kit.as('officer')
    expect((await respond(other, null)).ok).toBe(true)
    decide(true)
    expect(codeOf(await going)).toBe('input.refused')
    expect(registerOf(kit)?.responses).toHaveLength(1)
  })
})

describe('a signature on a recorded entry', () => {
  const draft = () => {
    const { id: _, requestedAt: _at, expiresAt: _end, run: _run, ...terms } = acceptanceRequestOf()
    return { ...terms, check: CHECK, nodes: [ZONED.first], until: '2026-12-31' }
  }
  test('is of two keys where two people are named: the signer of the request is not asked to approve it', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    const sealer = await sealerOf(kit)
    const requested = await officer.call('alpha', 'acceptances.request', draft())
    expect(codeOf(requested)).toBe('answered')
    const id = registerOf(kit)?.acceptanceRequests?.[0]?.id ?? ''
    const sign = (role: string) => officer.call('alpha', 'register.sign', { id, role, identity: 'chen' })
    expect(codeOf(await sign('requester'))).toBe('answered')
    expect(codeOf(await sign('requester'))).toBe('input.refused')
    const approval = { id, approvedBy: 'M. Ortiz', approverRole: 'Security officer' }
    expect(codeOf(await officer.call('alpha', 'acceptances.approve', approval))).toBe('answered')
    expect(codeOf(await sign('approver'))).toBe('input.refused')
    expect(sealer.asked).toHaveLength(1)
    const register = registerOf(kit)
    expect(register?.riskAcceptances[0]?.signatures).toHaveLength(1)
    expect((await readEntries(sealing.reader, register as Register)).problems).toEqual([])
  })

  test('is caused by no auditor, operator or administrator', async () => {
    const kit = await kitWithSealers()
    const sealer = await sealerOf(kit)
    for (const role of ['auditor', 'operator', 'administrator'] as const) {
      const visitor = await kit.as(role)
      for (const [method, input] of [
        ['register.sign', { id: 'a'.repeat(32), role: 'approver', identity: 'chen' }],
        ['responses.set', response('chen')],
      ] as const)
        expect([role, (await visitor.call('alpha', method, input)).status]).toEqual([
          role,
          expect.toBeOneOf([403, 404]),
        ])
    }
    expect(sealer.asked).toEqual([])
  })
})

describe('a sealer that is shown an entry', () => {
  const folder = folderOfTests('sealed-entries')
  const text = new TextDecoder().decode(
    signedBytes(riskAcceptanceOf(), { role: 'approver', at: '2026-11-01T09:00:00.000Z' }),
  )
  const request = (content: string, changes: Partial<SealingRequest> = {}): SealingRequest => ({
    ...{ id: '1'.repeat(32), order: 'a'.repeat(32), digest: sha256(content), content, engagement: 'alpha' },
    ...{ purpose: 'Export', requestedBy: 'officer', requestedAt: '2026-11-02T00:00:00Z', ...changes },
  })
  async function asked(record: string, requests: readonly SealingRequest[], ports = createFakePorts()) {
    const [stop, events] = [new AbortController(), [] as SealerEvent[]]
    const [left, confirmed] = [[...requests], [] as string[]]
    let signatures = 0
    await runSealer(
      {
        ports,
        signer: {
          ...signer,
          sign: async (data) => {
            signatures += 1
            return await signer.sign(data)
          },
        },
        signing: remoteSigning,
        catalog: fakeCatalog,
        server: {
          ask: async () => {
            const next = left.shift() ?? null
            if (next === null) stop.abort()
            return ok(next)
          },
          answer: async () => ok(null),
          refuse: async () => ok(null),
          head: async () => ok(null),
          signHead: async () => ok(null),
        },
        confirm: async (one, lines) => {
          confirmed.push(lines === null ? one.order : one.id)
          return true
        },
        wait: async () => undefined,
      },
      { record, auditLogOf: null, signal: stop.signal, onEvent: (event) => events.push(event) },
    )
    return { kinds: events.map(({ kind }) => kind), confirmed, signatures }
  }

  test.each<[string, SealingRequest]>([
    ['the digest of another text', request(text, { digest: 'b'.repeat(64) })],
    ['a text that is no entry', request('hello')],
    ['an entry with a member that it does not know', request(text.replace('{', '{"aaa":1,'))],
    ['an entry in another form', request(` ${text}`)],
    ['a time in the future', request(text.replace('2026-11-01T09:00', '2027-01-01T09:00'))],
  ])('refuses %s, and asks no person', async (_, one) => {
    const done = await asked(join(folder, `${sha256(one.content ?? '').slice(0, 8)}-${one.digest.slice(0, 8)}`), [one])
    expect(done).toEqual({ kinds: ['refused'], confirmed: [], signatures: 0 })
  })

  test('asks for each entry of an order, and signs one request for one digest, also after a restart', async () => {
    const record = join(folder, 'record.jsonl')
    const second = text.replace('cleared at every start', 'erased at every start')
    const first = await asked(record, [request(text), request(second, { id: '2'.repeat(32) }), request(second)])
    expect(first).toEqual({
      kinds: ['signed', 'signed', 'refused'],
      confirmed: ['1'.repeat(32), '2'.repeat(32)],
      signatures: 2,
    })
    // Handed out again after a kill: the same text is confirmed and signed again, another one never is.
    const again = await asked(record, [request(text), request(second), request(second, { id: '3'.repeat(32) })])
    expect(again).toEqual({
      kinds: ['signed', 'refused', 'signed'],
      confirmed: ['1'.repeat(32), '3'.repeat(32)],
      signatures: 2,
    })
  })

  test('signs nothing beside a record that is there and cannot be read', async () => {
    const ports = createFakePorts()
    const files = { ...ports.files, read: async () => fail('input.refused', 'the file is too large') }
    const done = await asked(join(folder, 'unread.jsonl'), [request(text)], { ...ports, files })
    expect(done).toEqual({ kinds: ['waits'], confirmed: [], signatures: 0 })
  })

  test('asks again for an entry of an order whose export was confirmed', async () => {
    const { content: _, ...digestOnly } = request(text, { id: '4'.repeat(32) })
    const done = await asked(join(folder, 'mixed.jsonl'), [digestOnly, request(text, { id: '5'.repeat(32) })])
    expect(done.confirmed).toEqual(['a'.repeat(32), '5'.repeat(32)])
  })
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { remoteSigning } from '../../main/adapters/seal/remote-signing.ts'
import { createEngine } from '../../main/app/engine.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import { runSealer, type SealerEvent } from '../../main/app/export/sealer.ts'
import { type Outcome, ok } from '../../main/core/base/failure.ts'
import { chainFolderOf, draftName } from '../../main/core/base/layout.ts'
import { CHAIN_PATHS } from '../../main/core/run-chain/notes.ts'
import { MOST_SIGNATURES, type SealingServer } from '../../main/core/team/sealing-orders.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { NO_TRUST } from '../../main/verify/steps/trust.ts'
import { nextOnServer } from '../../schemas/failure-words.ts'
import type { HomeView } from '../../schemas/ipc-findings.ts'
import type { ExportDraft, ExportPlan, ExportView, PreflightItem } from '../../schemas/ipc-packs.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import type { SealingRequest } from '../../schemas/types.ts'
import { closedAfterEach } from '../support/closing.ts'
import { newToken } from '../support/collector-kit.ts'
import { valueIn } from '../support/engine-kit.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { fakeScheduling } from '../support/fake-timers.ts'
import { must } from '../support/outcomes.ts'
import {
  BETA,
  CHEN,
  entersMeanwhile,
  newSigner,
  OTHER,
  type SealerInTest,
  startSealer,
  withSealers,
  writeFleet,
} from '../support/sealer-kit.ts'
import { codeOf, fakeEngine, replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')

const open = closedAfterEach()

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-sealer-'))
  open.push(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Nothing is drawn by chance and nothing takes time, so that two exports of one run are the same bytes. */
const fixedPorts = () => {
  const ports = createFakePorts()
  return {
    ...ports,
    clock: { ...ports.clock, ticks: () => 0n },
    entropy: { ...ports.entropy, bytes: (count: number) => new Uint8Array(count).fill(7) },
  }
}

async function kitWithSealers(patienceMs?: number): Promise<TeamKit> {
  const kit = await teamKit({
    openEngine: fakeEngine(fixedPorts()),
    ...(patienceMs === undefined ? {} : { patienceMs }),
    config: (config) => withSealers(config, signer),
  })
  open.push(() => kit.close())
  return kit
}

function sealerOf(kit: TeamKit, how: Parameters<typeof startSealer>[2] = {}): SealerInTest {
  const sealer = startSealer(kit.server.origin, signer, how)
  open.push(async () => {
    await sealer.stop()
    rmSync(dirname(sealer.record), { recursive: true, force: true })
  })
  return sealer
}

async function collected(officer: Visitor): Promise<void> {
  valueIn(replyIn(await officer.call('alpha', 'run.start', { nodes: [], only: 'all' })))
  while (valueIn(replyIn<{ going: boolean }>(await officer.call('alpha', 'run.status', null))).going) await sleep(20)
}

/** The plan, once the sealer is connected. */
async function planned(officer: Visitor, identities: number): Promise<ExportPlan> {
  for (;;) {
    const plan = valueIn(replyIn<ExportPlan>(await officer.call('alpha', 'export.plan', null)))
    if (plan.identities.length === identities) return plan
    await sleep(20)
  }
}

const WANTED = { frameworks: ['hipaa', 'soc2'], identity: 'chen', timestamp: false, also: [], redact: null }
const built = async (officer: Visitor) => replyIn<ExportDraft>(await officer.call('alpha', 'export.build', WANTED))

const requestTo = (kit: TeamKit, token: string, target: string, body: unknown) =>
  kit
    .visitor()
    .send(
      'POST',
      target,
      { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      JSON.stringify(body),
    )
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const ASK = {
  certificate: base64(signer.certificate),
  chain: signer.chain.map(base64),
  crls: signer.crls.map(base64),
  waitSeconds: 0,
}

describe('an export of the team server', () => {
  test('is signed at the computer of the signer, and has the bytes that one machine makes', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await collected(officer)
    const sealer = sealerOf(kit)
    const plan = await planned(officer, 1)
    expect(plan.identities[0]).toMatchObject({ name: 'chen', kind: 'sealer', fingerprint: signer.fingerprint })
    const draft = valueIn(await built(officer))
    expect(sealer.asked).toHaveLength(1)
    expect(sealer.asked[0]).toMatchObject({ engagement: 'alpha', requestedBy: 'officer (officer)' })

    const folder = newFolder()
    writeFleet(folder)
    const ports = fixedPorts()
    const info = { name: 'chen', kind: 'sealer', subject: signer.subject, fingerprint: signer.fingerprint } as const
    const alone = await createEngine(
      {
        ...ports,
        identities: {
          ...ports.identities,
          list: async () => ok([{ ...info, notAfter: '2027-01-01T00:00:00Z', retired: [] }]),
          open: async () => ok(signer),
        },
      },
      fakeCatalog,
      {
        folder,
        desktop: { ask: async () => null, show: async () => ok(null), vault: null },
        scheduling: fakeScheduling(folder),
      },
    )
    open.push(() => alone.close())
    const done = new Promise<void>((resolve) => {
      alone.onEvent((event) => event.kind === 'run-done' && resolve())
    })
    must((await alone.call('run.start', { nodes: [], only: 'all' })) as Outcome<unknown>)
    await done
    const own = must((await alone.call('export.build', WANTED)) as Outcome<ExportDraft>)
    expect(own.files.length).toBeGreaterThan(10)
    expect(draft.files).toEqual(own.files)
  })

  test('is downloaded as one file, whose pack verifies with the certificate of the signer', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await collected(officer)
    const sealer = sealerOf(kit)
    await planned(officer, 1)
    const draft = valueIn(await built(officer))
    const saved = await officer.call('alpha', 'export.save', { handle: draft.handle })
    const view = valueIn(replyIn<ExportView>(saved))
    expect(view.folder).toMatch(/^[^/]+\.zip$/)
    const place = saved.headers[TEAM_HEADERS.download]
    const sent = await officer.send('GET', `/e/alpha/${String(place)}`)
    expect(sent.status).toBe(200)
    expect(saved.text).not.toContain(kit.folder)
    const drafts = join(kit.folder, 'alpha', draftName(draft.handle))
    // Every file is in it as it is: nothing is compressed.
    for (const { name } of draft.files) expect(sent.bytes.includes(readFileSync(join(drafts, name)))).toBe(true)
    const path = join(drafts, draft.files.find(({ name }) => name.endsWith('.barewitness.zip'))?.name ?? '')
    const ports = createFakePorts()
    const reviewed = must(
      await reviewFile(ports, fakeCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }),
    )
    expect(reviewed.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(reviewed.report.signer?.fingerprint).toBe(signer.fingerprint)
    const lines = readFileSync(sealer.record, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      // The others are heads of the audit log.
      .filter(({ digest }) => digest !== undefined)
    expect(lines.map(({ digest }) => digest)).toEqual(
      sealer.events.flatMap((event) => (event.kind === 'signed' ? [event.request.digest] : [])),
    )
    const audit = kit.auditText()
    expect(checkAudit(audit)).toMatchObject({ intact: true })
    const signatures = audit.split('\n').filter((line) => line.includes('"kind":"signature"'))
    expect(signatures).toHaveLength(lines.length)
  })

  test('is signed after a question that nobody answered in time was withdrawn', async () => {
    const kit = await kitWithSealers(1000)
    const officer = await kit.as('officer')
    await collected(officer)
    const shown: AbortSignal[] = []
    const sealer = sealerOf(kit, {
      confirms: (_, withdrawn) => {
        shown.push(withdrawn)
        return shown.length === 1 ? new Promise(() => undefined) : Promise.resolve(true)
      },
    })
    await planned(officer, 1)
    expect(await built(officer)).toMatchObject({ ok: false, error: { code: 'sealing.unanswered' } })
    expect(await built(officer)).toMatchObject({ ok: true })
    expect(shown.map(({ aborted }) => aborted)).toEqual([true, true])
    const [first] = sealer.asked
    expect(sealer.events).toContainEqual({ kind: 'withdrawn', request: first })
    expect(readFileSync(sealer.record, 'utf8')).not.toContain(first?.order)
  })

  test('leaves the run chain free while the signer decides, and states what enters it then', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await collected(officer)
    const freed: boolean[] = []
    const folder = join(kit.folder, 'alpha')
    const sealer = sealerOf(kit, {
      confirms: async () => {
        freed.push(await entersMeanwhile(folder, signer, '2026-10-31T02:00:00Z'))
        return true
      },
    })
    await planned(officer, 1)
    const draft = valueIn(await built(officer))
    expect([freed, sealer.asked.length]).toEqual([[true], 1])
    const name = draft.files.find((one) => one.name.endsWith('.barewitness.zip'))?.name ?? ''
    const path = join(folder, draftName(draft.handle), name)
    const reviewed = must(
      await reviewFile(createFakePorts(), fakeCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }),
    )
    expect(reviewed.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const pack = must(await createFakePorts().packs.open(path))
    const log = new TextDecoder().decode(await pack.read(CHAIN_PATHS.entries))
    await pack.close()
    expect(log).toContain('2026-10-31T02:00:00Z')
  })

  test('is not sealed where the signer does not confirm, and can be exported again', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await collected(officer)
    const declining = sealerOf(kit, { confirms: false })
    await planned(officer, 1)
    expect(await built(officer)).toMatchObject({ ok: false, error: { code: 'sealing.refused' } })
    const chain = join(kit.folder, 'alpha')
    expect(() => readFileSync(join(chainFolderOf(chain, 'sealed'), 'chain.jsonl'))).toThrow()
    await declining.stop()
    sealerOf(kit)
    expect((await built(officer)).ok).toBe(true)
  })

  test('fails without a connected sealer, and where none answers in time', async () => {
    const kit = await kitWithSealers(300)
    const officer = await kit.as('officer')
    await collected(officer)
    expect((await planned(officer, 0)).identities).toEqual([])
    expect(await built(officer)).toMatchObject({ ok: false, error: { code: 'identity.missing' } })
    expect(codeOf(await requestTo(kit, CHEN, '/sealer/ask', ASK))).toBe('answered')
    expect(await built(officer)).toMatchObject({ ok: false, error: { code: 'sealing.unanswered' } })
  })

  test('is led to a sealer where none is connected, and to no signing identity of the server', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await collected(officer)
    const items = valueIn(replyIn<readonly PreflightItem[]>(await officer.call('alpha', 'export.preflight', null)))
    const item = items.find(({ id }) => id === 'signer')
    expect(item?.state).toBe('blocks')
    const home = valueIn(replyIn<HomeView>(await officer.call('alpha', 'home.get', null)))
    const lines = home.steps.find(({ id }) => id === 'export')?.lines.flat() ?? []
    const texts = [item?.title, item?.text, ...lines.map(({ text }) => text)].join(' ')
    expect(texts).toMatch(/sealer/i)
    expect(texts).not.toMatch(/identity|organization/i)
    expect(nextOnServer('identity.missing')).not.toMatch(/settings/i)
    const { may } = await officer.session('alpha')
    expect(may.filter((method) => method.startsWith('identities.'))).toEqual(['identities.list'])
    expect(await built(officer)).toMatchObject({ error: { code: 'identity.missing' } })
  })

  test('goes on with the next sealer process where one was killed before it answered', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await collected(officer)
    await requestTo(kit, CHEN, '/sealer/ask', ASK)
    const going = built(officer)
    const handed = async (): Promise<SealingRequest> => {
      for (;;) {
        const request = valueIn(replyIn<SealingRequest | null>(await requestTo(kit, CHEN, '/sealer/ask', ASK)))
        if (request !== null) return request
        await sleep(20)
      }
    }
    const first = await handed()
    expect((await handed()).id).toBe(first.id)
    sealerOf(kit)
    expect((await going).ok).toBe(true)
  })
})

describe('requests of sealers', () => {
  test('need a token of a sealer, and reach the requests of its own engagement and name alone', async () => {
    const kit = await kitWithSealers()
    const officer = await kit.as('officer')
    await collected(officer)
    expect((await requestTo(kit, newToken(), '/sealer/ask', ASK)).status).toBe(401)
    expect(
      (await officer.send('POST', '/sealer/ask', { 'content-type': 'application/json' }, JSON.stringify(ASK))).status,
    ).toBe(401)
    expect((await requestTo(kit, CHEN, '/collector/ask', {})).status).toBe(401)
    expect((await requestTo(kit, CHEN, '/sealer/ask', { ...ASK, more: 1 })).status).toBe(400)
    const foreign = newSigner('somebody else')
    expect(
      codeOf(await requestTo(kit, CHEN, '/sealer/ask', { ...ASK, certificate: base64(foreign.certificate) })),
    ).toBe('input.refused')
    expect(codeOf(await requestTo(kit, CHEN, '/sealer/ask', { ...ASK, certificate: 'AAAA' }))).toBe('input.refused')

    await requestTo(kit, CHEN, '/sealer/ask', ASK)
    const going = built(officer)
    let request: SealingRequest | null = null
    while (request === null) {
      request = valueIn(replyIn<SealingRequest | null>(await requestTo(kit, CHEN, '/sealer/ask', ASK)))
      await sleep(20)
    }
    for (const token of [OTHER, BETA]) {
      expect(valueIn(replyIn(await requestTo(kit, token, '/sealer/ask', ASK)))).toBeNull()
      for (const [verb, body] of [
        ['answer', { signature: 'AAAA' }],
        ['refuse', { reason: 'x' }],
      ] as const)
        expect(codeOf(await requestTo(kit, token, `/sealer/requests/${request.id}/${verb}`, body))).toBe(
          'input.not-found',
        )
    }
    // A signature of another key, and one over something else, are not used: the request waits on.
    const attributes = remoteSigning.attributes(signer.certificate, request.digest)
    for (const wrong of [await foreign.sign(attributes), await signer.sign(new Uint8Array(32))])
      expect(
        codeOf(await requestTo(kit, CHEN, `/sealer/requests/${request.id}/answer`, { signature: base64(wrong) })),
      ).toBe('input.refused')
    sealerOf(kit)
    expect((await going).ok).toBe(true)
    expect(kit.auditText()).toContain('"kind":"sealer-refused"')
  })
})

describe('a sealer', () => {
  const request = (count: number, order = 'a'.repeat(32)): SealingRequest => ({
    id: count.toString(16).padStart(32, '0'),
    order,
    digest: count.toString(16).padStart(64, '0'),
    engagement: 'alpha',
    purpose: 'Export',
    requestedBy: 'officer',
    requestedAt: '2026-11-02T00:00:00Z',
  })

  async function asked(requests: readonly SealingRequest[], deps: Partial<Parameters<typeof runSealer>[0]> = {}) {
    const [stop, events, confirmed] = [new AbortController(), [] as SealerEvent[], [] as string[]]
    const left = [...requests]
    const server: SealingServer = {
      ask: async () => {
        const next = left.shift() ?? null
        if (next === null) stop.abort()
        return ok(next)
      },
      answer: async () => ok(null),
      refuse: async () => ok(null),
      head: async () => ok(null),
      signHead: async () => ok(null),
    }
    const record = join(newFolder(), 'sealed.jsonl')
    await runSealer(
      {
        ports: createFakePorts(),
        signer,
        signing: remoteSigning,
        catalog: fakeCatalog,
        server,
        confirm: async ({ order }) => {
          confirmed.push(order)
          return true
        },
        wait: async () => undefined,
        ...deps,
      },
      { record, auditLogOf: null, signal: stop.signal, onEvent: (event) => events.push(event) },
    )
    return { events, confirmed, record }
  }

  test('is asked once for each export, and signs no more for it than an export needs', async () => {
    const more = Array.from({ length: MOST_SIGNATURES + 2 }, (_, count) => request(count))
    const { events, confirmed } = await asked([...more, request(99, 'b'.repeat(32))])
    expect(confirmed).toEqual(['a'.repeat(32), 'b'.repeat(32)])
    expect(events.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: MOST_SIGNATURES }, () => 'signed'),
      ...['refused', 'refused', 'signed'],
    ])
  })

  test('signs nothing that it could not record', async () => {
    const ports = createFakePorts()
    let signed = 0
    const { events } = await asked([request(1)], {
      ports: {
        ...ports,
        files: { ...ports.files, append: async () => ({ ok: false, error: { code: 'store.failed', detail: 'full' } }) },
      },
      signer: {
        ...signer,
        sign: async (data) => {
          signed += 1
          return await signer.sign(data)
        },
      },
    })
    expect([signed, events.map(({ kind }) => kind)]).toEqual([0, ['waits']])
  })

  test('refuses where its key does not sign', async () => {
    const { events } = await asked([request(1)], {
      signer: { ...signer, sign: async () => Promise.reject(new Error('token removed')) },
    })
    expect(events).toMatchObject([{ kind: 'refused', reason: 'token removed' }])
  })
})

test('the digest of signed attributes is read from those of this certificate alone', () => {
  const digest = 'ab'.repeat(32)
  const attributes = remoteSigning.attributes(signer.certificate, digest)
  expect(remoteSigning.digestIn(signer.certificate, attributes)).toBe(digest)
  expect(remoteSigning.digestIn(newSigner('other').certificate, attributes)).toBeNull()
  for (let at = 0; at < attributes.length; at += 1) {
    const altered = attributes.slice()
    altered[at] = (altered[at] ?? 0) ^ 1
    const read = remoteSigning.digestIn(signer.certificate, altered)
    // Within the digest, the bytes are those of another digest; anywhere else they are none.
    expect(
      read === null ||
        (read !== digest && remoteSigning.attributes(signer.certificate, read).length === attributes.length),
    ).toBe(true)
  }
  for (const bytes of [
    new Uint8Array(),
    new Uint8Array([0x31, 0]),
    attributes.subarray(1),
    new Uint8Array([...attributes, 0]),
  ])
    expect(remoteSigning.digestIn(signer.certificate, bytes)).toBeNull()
})

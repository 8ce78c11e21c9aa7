import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createIdentities } from '../main/adapters/identity/index.ts'
import { createPorts } from '../main/adapters/ports.ts'
import { documentsIn } from '../main/app/common/attachments.ts'
import type { EngineContext, Session } from '../main/app/engine/context/context.ts'
import { registerMethods } from '../main/app/engine/declared/register-methods.ts'
import { openSession } from '../main/app/engine/runs/session.ts'
import { registerForExport, registerOf } from '../main/app/engine/stored/register-store.ts'
import { exportRun } from '../main/app/export/export.ts'
import { reviewFile } from '../main/app/export/review.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { type Outcome, ok } from '../main/core/base/failure.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { inMemory } from '../main/core/recording/recording.ts'
import { attachmentPath } from '../main/core/register/attachments.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import { NO_TRUST } from '../main/verify/steps/trust.ts'
import { fakeScheduling } from './support/fake-timers.ts'
import { folderOfTest } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { documentDraftOf, documentOf, registerOf as madeRegister, riskAcceptanceOf } from './support/register.ts'
import { evidenceRequestOf } from './support/rollup-kit.ts'
import { AS_OF, sampleCatalog, sampleRecording } from './support/sample-pack.ts'

const NEED = 'Key policy'
/** A mapped check that no node can answer, and the evidence request that does. */
const BEYOND = { id: 'access.break-glass', source: 'document', why: 'Between people.' } as const
const LOG = evidenceRequestOf({ id: 'ER-21', title: 'The log of its uses.', time: 'period', serves: [BEYOND.id] })

const catalog: Catalog = {
  ...sampleCatalog,
  offNodeChecks: [BEYOND],
  requests: [LOG],
  frameworks: sampleCatalog.frameworks.map((framework) => ({
    ...framework,
    controls: framework.controls.map((control) => ({
      ...control,
      mappings: [...control.mappings, { check: BEYOND.id, shows: 'Its uses.' }],
      documentsRequired: [NEED],
    })),
  })),
}

const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n')]
const scope = { fleet: 'sample', population: ['node-a', 'node-b', 'node-c'], frameworks: ['soc2'] as const }
const assessment = assess({ catalog, scope, recordings, asOf: AS_OF })
const draft = {
  check: 'encryption.at-rest.swap',
  nodes: ['node-b'],
  reason: '=cmd|x',
  compensatingControl: 'a weekly look',
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  approvedBy: 'M. Ortiz',
  approverRole: 'Security officer',
  until: '2027-03-01',
}

const record = documentDraftOf({ controls: [{ framework: 'soc2', control: 'C1' }], need: NEED })

let folder: string
let now: string
let shown: string[]
let ports: Ports
let session: Session
let context: EngineContext
let methods: ReturnType<typeof registerMethods>

beforeEach(async () => {
  folder = folderOfTest('register')
  now = AS_OF
  shown = []
  const real = createPorts(catalog)
  ports = { ...real, clock: { ...real.clock, now: () => now } }
  const opened = await openSession(ports, catalog, folder, () => undefined)
  await opened.isOpen
  session = opened.session
  session.run = { run: 'run-1', scope, recordings, assessment, unreadable: [] }
  const show = async (path: string): Promise<Outcome<null>> => {
    shown.push(path)
    return ok(null)
  }
  context = {
    ports,
    catalog,
    folder,
    session,
    desktop: { ask: async () => null, show, vault: null },
    scheduling: fakeScheduling(folder),
    remote: null,
    requestsOfAuditors: () => null,
    signing: 'here',
    keepsSealed: false,
    integrations: null,
    notify: () => undefined,
  }
  methods = registerMethods(context)
})

const refused = (outcome: Outcome<unknown>): string =>
  outcome.ok ? 'accepted' : `${outcome.error.code}: ${outcome.error.detail}`
const file = (name: string, bytes: string | Uint8Array): { readonly path: string } => {
  const path = join(folder, 'desk', name)
  mkdirSync(join(folder, 'desk'), { recursive: true })
  writeFileSync(path, bytes)
  return { path }
}

const stored = (): string => readFileSync(join(folder, 'register.json'), 'utf8')

describe('requests for an exception', () => {
  const { approvedBy, approverRole, ...asked } = draft
  const approval = { approvedBy, approverRole }
  test('accept nothing until one is approved, and then as it was asked for', async () => {
    const { acceptanceRequests, riskAcceptances } = must(await methods['acceptances.request'](asked))
    expect(riskAcceptances).toEqual([])
    expect(acceptanceRequests).toMatchObject([{ status: 'open', requestedBy: 'K. Adeyemi', nodes: ['node-b'] }])
    const id = acceptanceRequests[0]?.id ?? ''
    const after = must(await methods['acceptances.approve']({ id, ...approval }))
    expect(after.riskAcceptances).toMatchObject([{ id, status: 'in-force', ...approval, reason: '=cmd|x' }])
    expect(after.acceptanceRequests).toMatchObject([{ id, status: 'approved' }])
    expect((await methods['acceptances.approve']({ id, ...approval })).ok).toBe(false)
  })
  test('stay listed when they are refused, and cannot be approved then', async () => {
    const id = must(await methods['acceptances.request'](asked)).acceptanceRequests[0]?.id ?? ''
    const refused = must(await methods['acceptances.reject']({ id, by: 'M. Ortiz', reason: 'replace it instead' }))
    expect(refused.acceptanceRequests).toMatchObject([
      { id, status: 'rejected', resolved: { reason: 'replace it instead' } },
    ])
    expect((await methods['acceptances.approve']({ id, ...approval })).ok).toBe(false)
  })
  test('name a check and nodes that there are', async () => {
    for (const wrong of [{ check: 'no.such' }, { nodes: ['node-z'] }, { nodes: [] }])
      expect(await methods['acceptances.request']({ ...asked, ...wrong })).toMatchObject({
        ok: false,
        error: { code: 'input.refused' },
      })
  })
})

describe('decisions', () => {
  const decision = {
    framework: 'soc2' as const,
    control: 'C1',
    decision: 'not-applicable' as const,
    reason: 'nothing is stored there',
    factors: null,
    alternativeMeasure: null,
    riskAnalysis: null,
    owner: 'K. Adeyemi',
    requestedBy: 'K. Adeyemi',
    approvedBy: 'M. Ortiz',
    approverRole: 'Security officer',
    until: '2027-03-01',
  }
  test('about a row are kept, lapse with their day, and can be withdrawn', async () => {
    const { decisions } = must(await methods['decisions.set'](decision))
    expect(decisions).toMatchObject([{ status: 'in-force', reason: decision.reason, approverRole: 'Security officer' }])
    now = '2027-03-02T00:00:00.000Z'
    expect(must(await methods['register.get']({ of: 'run' })).decisions).toMatchObject([{ status: 'expired' }])
    now = AS_OF
    const withdrawal = { id: decisions[0]?.id ?? '', by: 'M. Ortiz', reason: 'it does apply' }
    expect(must(await methods['decisions.withdraw'](withdrawal)).decisions).toMatchObject([{ status: 'withdrawn' }])
  })
  test('only an addressable specification leaves a choice, and only rows that there are', async () => {
    for (const wrong of [{ decision: 'implemented' as const }, { control: 'C9' }, { approverRole: ' ' }])
      expect((await methods['decisions.set']({ ...decision, ...wrong })).ok).toBe(false)
    expect(must(await methods['register.get']({ of: 'run' })).decisions).toEqual([])
  })
})

describe('exceptions', () => {
  test('are empty at first, kept on disk, and the version before is kept too', async () => {
    expect(must(await methods['register.get']({ of: 'run' }))).toEqual({
      riskAcceptances: [],
      acceptanceRequests: [],
      decisions: [],
      documents: [],
      documentRequests: [],
      explanations: [],
    })
    expect(readdirSync(folder)).toEqual([])
    const view = must(await methods['acceptances.accept'](draft))
    expect(view.riskAcceptances).toMatchObject([
      { check: draft.check, nodes: ['node-b'], run: 'run-1', acceptedAt: AS_OF, status: 'in-force' },
    ])
    const before = stored()
    const { id } = view.riskAcceptances[0] ?? { id: '' }
    now = '2026-11-25T10:00:00.000Z'
    const after = must(await methods['acceptances.withdraw']({ id, by: 'L. Sato', reason: 'Fixed.' }))
    expect(after.riskAcceptances).toMatchObject([{ id, status: 'withdrawn', withdrawn: { at: now, by: 'L. Sato' } }])
    const [kept, ...more] = readdirSync(join(folder, 'register-earlier'))
    expect(more).toEqual([])
    expect(kept).toMatch(/^2026-11-25T10-00-00-000Z-[0-9a-f]{8}\.json$/)
    expect(readFileSync(join(folder, 'register-earlier', kept ?? ''), 'utf8')).toBe(before)
    expect(must(await registerOf(context, 'run'))).toEqual(after)
  })

  test('end by themselves', async () => {
    must(await methods['acceptances.accept'](draft))
    now = '2027-03-02T00:00:00.000Z'
    expect(must(await methods['register.get']({ of: 'run' })).riskAcceptances[0]?.status).toBe('expired')
  })

  test('are refused for what is supported, for strangers and without a run, and then nothing is written', async () => {
    expect(refused(await methods['acceptances.accept']({ ...draft, nodes: ['node-a'] }))).toContain(
      'no deviation to accept',
    )
    expect(refused(await methods['acceptances.accept']({ ...draft, nodes: ['node-z'] }))).toContain('no result')
    expect(refused(await methods['acceptances.accept']({ ...draft, check: 'x' }))).toContain('no result')
    expect(refused(await methods['acceptances.accept']({ ...draft, reason: ' x ' }))).toContain('reason')
    session.run = null
    expect(refused(await methods['acceptances.accept'](draft))).toBe(
      'input.refused: there is no run yet, so there is no deviation to accept',
    )
    expect(readdirSync(folder)).toEqual([])
  })

  test('a node that was not collected can be accepted as such', async () => {
    const view = must(await methods['acceptances.accept']({ ...draft, nodes: ['node-c'] }))
    expect(view.riskAcceptances[0]?.nodes).toEqual(['node-c'])
  })

  test('accepted at the same moment are all kept', async () => {
    await Promise.all(Array.from({ length: 8 }, () => methods['acceptances.accept'](draft)))
    expect(must(await methods['register.get']({ of: 'run' })).riskAcceptances).toHaveLength(8)
    expect(readdirSync(join(folder, 'register-earlier'))).toHaveLength(7)
  })

  test('go into a table that no spreadsheet computes', async () => {
    must(await methods['acceptances.accept']({ ...draft, reason: '=1+1\nsecond line', requestedBy: 'm. ortiz' }))
    expect(await methods['acceptances.save'](null)).toEqual(ok(null))
    const path = join(folder, 'out.csv')
    expect(await methods['acceptances.save'](null, { path })).toEqual(ok({ file: 'out.csv' }))
    const text = readFileSync(path, 'utf8')
    expect(text).toContain("'=1+1 second line")
    expect(text).toContain('In effect')
    expect(text).toContain('requested and approved by the same person')
  })
})

describe('the file', () => {
  test.each([
    ['{"schema":', /register\.json.*not valid JSON/],
    [
      '{\n "schema": "barewitness.register/1",\n "riskAcceptances": [{ "id": "x" }], "documents": [], "documentRequests": []\n}',
      /register\.json:3:\d+: riskAcceptances\[0\]/,
    ],
    ['\u0000', /not valid JSON/],
  ])('%j is refused, and never written over', async (text, words) => {
    writeFileSync(join(folder, 'register.json'), text)
    for (const answer of [
      await methods['register.get']({ of: 'run' }),
      await methods['acceptances.accept'](draft),
      await methods['documents.note']({ ...record, name: 'x', text: 'y' }),
      await registerForExport(context),
    ]) {
      expect(refused(answer)).toMatch(/^register\.unreadable: /)
      expect(refused(answer)).toMatch(words)
    }
    expect(stored()).toBe(text)
    expect(readdirSync(folder)).toEqual(['register.json'])
  })

  test('a link in its place is refused', async () => {
    symlinkSync('/nowhere', join(folder, 'register.json'))
    expect(refused(await methods['acceptances.accept'](draft))).toMatch(/^register\.unreadable: .*regular file/)
  })

  test('that cannot be copied aside is not written', async () => {
    must(await methods['acceptances.accept'](draft))
    const before = stored()
    writeFileSync(join(folder, 'register-earlier'), 'in the way')
    expect(refused(await methods['acceptances.accept'](draft))).toMatch(/^store\.failed/)
    expect(stored()).toBe(before)
  })

  test('of the demo fleet is stored apart', async () => {
    must(await methods['acceptances.accept'](draft))
    session.demo = true
    expect(must(await methods['register.get']({ of: 'run' })).riskAcceptances).toEqual([])
    must(await methods['documents.note']({ ...record, name: 'n', text: 'demo words' }))
    expect(readdirSync(join(folder, 'demo')).sort()).toEqual(['documents', 'register.json'])
    session.demo = false
    expect(must(await methods['register.get']({ of: 'run' }))).toMatchObject({ riskAcceptances: [{}], documents: [] })
  })
})

describe('attached records', () => {
  test('are stored under their digest, and only once', async () => {
    expect(await methods['documents.add'](record)).toEqual(ok(null))
    const pdf = file('Key Policy.pdf', '%PDF-1.7 x')
    const view = must(await methods['documents.add'](record, pdf))
    const digest = sha256('%PDF-1.7 x')
    expect(view?.documents).toMatchObject([
      { name: 'Key Policy.pdf', mediaType: 'application/pdf', size: 10, sha256: digest, status: 'in-force' },
    ])
    expect(stored()).not.toContain('desk')
    expect(readFileSync(join(folder, 'documents', digest), 'utf8')).toBe('%PDF-1.7 x')
    must(await methods['documents.add'](record, pdf))
    expect(readdirSync(join(folder, 'documents'))).toEqual([digest])
    const note = must(await methods['documents.note']({ ...record, name: 'Talk', text: 'They said so.' }))
    expect(note.documents.at(-1)).toMatchObject({ kind: 'note', sha256: sha256('They said so.') })
    expect(readdirSync(join(folder, 'documents')).sort()).toEqual([digest, sha256('They said so.')].sort())
    const id = note.documents[0]?.id ?? ''
    const after = must(await methods['documents.withdraw']({ id, by: 'L. Sato', reason: 'Wrong customer.' }))
    expect(after.documents.map(({ status }) => status)).toEqual(['withdrawn', 'in-force', 'in-force'])
  })

  test('an empty file, a link, a folder and a stranger’s control are refused', async () => {
    expect(refused(await methods['documents.add'](record, file('empty.pdf', '')))).toContain('empty')
    const link = join(folder, 'link.pdf')
    symlinkSync(file('a.pdf', '%PDF-').path, link)
    expect(refused(await methods['documents.add'](record, { path: link }))).toContain('not a regular file')
    expect(refused(await methods['documents.add'](record, { path: folder }))).toContain('not a regular file')
    const controls = [{ framework: 'soc2' as const, control: 'nope' }]
    expect(refused(await methods['documents.add']({ ...record, controls }, file('a.pdf', '%PDF-')))).toContain(
      'control',
    )
    expect(readdirSync(folder).sort()).toEqual(['desk', 'link.pdf'])
  })

  test('a larger file than 100 MiB is refused before it is read', async () => {
    const { path } = file('big.bin', '')
    const { truncateSync } = await import('node:fs')
    truncateSync(path, 100 * 1024 * 1024 + 1)
    expect(refused(await methods['documents.add'](record, { path }))).toContain('larger than 104857600 bytes')
  })

  test('only PDF and images are shown, as a copy that cannot be written, by what they are', async () => {
    const add = async (name: string, bytes: string | Uint8Array): Promise<string> =>
      must(await methods['documents.add'](record, file(name, bytes)))?.documents.at(-1)?.id ?? ''
    const script = await add('run.pdf', '#!/bin/sh\n')
    expect(refused(await methods['documents.show']({ of: 'run', id: script }))).toContain('only PDF')
    expect(shown).toEqual([])
    const disguised = await add('Holiday photo.exe', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]))
    must(await methods['documents.show']({ of: 'run', id: disguised }))
    const first = shown[0] ?? ''
    expect(first).toMatch(/\/shown\/[0-9a-f]{8}-holiday-photo\.jpg$/)
    expect(statSync(first).mode & 0o777).toBe(0o400)
    const pdf = await add('x.pdf', '%PDF-1.7')
    must(await methods['documents.show']({ of: 'run', id: pdf }))
    expect(readdirSync(join(folder, 'shown'))).toHaveLength(1)
    expect(shown[1]).toMatch(/-x\.pdf$/)
    expect(refused(await methods['documents.show']({ of: 'run', id: 'f'.repeat(32) }))).toContain(
      'no document of this id',
    )
    expect(refused(await methods['documents.show']({ of: 'pack', id: pdf }))).toContain('no pack is open')
  })

  test('bytes that were changed on disk are neither shown nor sealed', async () => {
    const view = must(await methods['documents.add'](record, file('x.pdf', '%PDF-1.7')))
    const { id = '', sha256: digest = '' } = view?.documents[0] ?? {}
    const path = join(folder, 'documents', digest)
    chmodSync(path, 0o600)
    writeFileSync(path, '%PDF-1.8')
    expect(refused(await methods['documents.show']({ of: 'run', id }))).toMatch(/^attachment\.altered: “x\.pdf”/)
    expect(refused(await exported())).toMatch(/^attachment\.altered: “x\.pdf”/)
    expect(readdirSync(folder)).not.toContain('out')
    expect(shown).toEqual([])
  })
})

test('an entry is signed with the identity that is there, and a signature that does not fit is refused', async () => {
  const passphrase = 'correct horse battery'
  // Certificates have to be valid at the time of this test.
  const identities = createIdentities(ports.clock, ports.entropy, `${folder}/identities`)
  const desktop = { ...context.desktop, ask: async () => passphrase }
  methods = registerMethods({ ...context, ports: { ...ports, identities }, desktop })
  const sign = (id: string, role: 'approver' | 'requester' | 'respondent') =>
    methods['register.sign']({ id, role, identity: null })
  const [entry] = must(await methods['acceptances.accept'](draft)).riskAcceptances
  const id = entry?.id ?? ''
  expect(refused(await sign(id, 'approver'))).toMatch(/^identity\.missing/)
  const made = { folder: `${folder}/identities`, name: 'default', subject: 'Clinic (M. Ortiz)', passphrase }
  const { fingerprint } = must(await identities.create(made))
  const signed = must(await sign(id, 'approver')).riskAcceptances[0]
  expect(signed?.signatures).toMatchObject([{ role: 'approver', fingerprint }])
  expect({ ...signed, signatures: undefined }).toEqual({ ...entry, signatures: undefined })
  expect(refused(await sign(id, 'respondent'))).toMatch(/^input\.refused/)
  expect(refused(await sign('f'.repeat(32), 'approver'))).toMatch(/^input\.refused/)
  // Two people are named, so one key cannot stand for both.
  expect(refused(await sign(id, 'requester'))).toMatch(/same key/)
  expect(must(await methods['register.get']({ of: 'run' })).riskAcceptances[0]).toEqual(signed)
}, 20_000)

test('requests are kept, a later one in place of the one before', async () => {
  const ask = { framework: 'soc2' as const, control: 'C1', need: NEED, owner: 'P. Lind', due: '2026-12-01' }
  must(await methods['requests.set'](ask))
  const view = must(await methods['requests.set']({ ...ask, owner: 'M. Ortiz' }))
  expect(view.documentRequests).toEqual([{ ...ask, owner: 'M. Ortiz', due: '2026-12-01T23:59:59.999Z' }])
  expect(refused(await methods['requests.set']({ ...ask, control: 'C2' }))).toContain('does not require')
})

test('what answers a check that no node can is attached and asked for like any document', async () => {
  const ask = { framework: 'soc2' as const, control: 'C1', need: LOG.title, owner: 'P. Lind', due: '2026-12-01' }
  expect(must(await methods['requests.set'](ask)).documentRequests).toHaveLength(1)
  const view = must(await methods['documents.note']({ ...record, need: LOG.title, name: 'Log', text: 'Two uses.' }))
  expect(view?.documents.map(({ need }) => need)).toEqual([LOG.title])
  expect(refused(await methods['requests.set']({ ...ask, need: BEYOND.why }))).toContain('does not require')
})

test('a document for an evidence request keeps its level and inspection, and one without them is refused', async () => {
  const controls = [{ framework: 'requests', control: LOG.id }]
  const inspection = { by: 'M. Ortiz', on: AS_OF.slice(0, 10), lookedAt: 'Both uses.', conclusion: 'supports' as const }
  const note = { ...record, controls, need: null, name: 'Log', text: 'Two uses.' }
  const view = must(await methods['documents.note']({ ...note, level: 'inspected', inspection }))
  expect(view.documents).toMatchObject([{ controls, level: 'inspected', supports: true }])
  expect(refused(await methods['documents.note']({ ...note, level: 'inspected' }))).toContain('requires an inspector')
  expect(refused(await methods['documents.note']({ ...note, inspection }))).toContain('cannot have an inspection')
  const ask = { framework: 'requests', control: LOG.id, need: LOG.title, owner: 'P. Lind', due: '2026-12-01' }
  expect(must(await methods['requests.set'](ask)).documentRequests).toMatchObject([{ control: LOG.id }])
})

async function exported(): Promise<Outcome<{ readonly files: readonly { readonly path: string }[] }>> {
  const said = await registerForExport(context)
  if (!said.ok) return said
  return await exportRun(ports, catalog, {
    run: 'run-1',
    scope: { ...scope, population: ['node-a', 'node-b'] },
    recordings: recordings.map(inMemory),
    asOf: now,
    signer: await ports.sealing.demoSigner(),
    stamping: null,
    folder: join(folder, 'out'),
    chainFolder: null,
    inventory: null,
    also: [],
    ...said.value,
  })
}

describe('in a pack', () => {
  test('what concerns it is sealed, verifies, and can be read and shown again', async () => {
    must(await methods['acceptances.accept']({ ...draft, nodes: ['node-b', 'node-c'] }))
    must(await methods['acceptances.accept']({ ...draft, nodes: ['node-c'] }))
    must(await methods['documents.add'](record, file('Key Policy.pdf', '%PDF-1.7 x')))
    const view = must(await methods['documents.note']({ ...record, name: 'Talk', text: 'Not for others.' }))
    const note = view.documents[1]?.id ?? ''
    must(await methods['documents.withdraw']({ id: note, by: 'x', reason: 'Wrong customer.' }))
    const pack = must(await exported()).files[0]?.path ?? ''
    const reviewed = must(
      await reviewFile(ports, catalog, { path: pack, trust: NO_TRUST, checkpoint: null, keep: true }),
    )
    const complete = reviewed.report.checks.find(({ check }) => check === 'completeness')
    expect(complete).toMatchObject({ outcome: 'passed' })
    expect(complete?.details).toContain('The pack lists 1 risk acceptance and 2 documents; none changes a verdict.')
    const register = reviewed.contents?.register ?? null
    const bare = assess({ catalog, scope: { ...scope, population: ['node-a', 'node-b'] }, recordings, asOf: now })
    expect(reviewed.contents?.assessment?.nodes).toEqual(bare.nodes)
    // The acceptance is counted and the deviation remains; the document was only received.
    expect(reviewed.contents?.assessment?.controls).toEqual(
      bare.controls.map((control) => ({
        ...control,
        server: { ...control.server, accepted: 1 },
        documents: {
          ...control.documents,
          outstanding: control.documents.outstanding.map((one) =>
            one.title === NEED ? { ...one, level: 'received' } : one,
          ),
        },
        checks: control.checks.map((check) => ({ ...check, accepted: check.built ? 1 : 0 })),
      })),
    )
    expect(bare.controls.map(({ state }) => state)).toEqual(['deviations'])
    expect(register?.riskAcceptances.map(({ nodes }) => nodes)).toEqual([['node-b']])
    const opened = must(await ports.packs.open(pack))
    expect(opened.paths.filter((path) => path.startsWith('data/documents/'))).toEqual([
      attachmentPath({ name: 'Key Policy.pdf', kind: 'file', sha256: sha256('%PDF-1.7 x') }),
    ])
    await opened.close()
    session.pack = { register, path: pack, assessment: null } as unknown as NonNullable<Session['pack']>
    now = '2030-01-01T00:00:00.000Z'
    expect(must(await registerOf(context, 'pack')).riskAcceptances[0]?.status).toBe('expired')
    session.pack = { ...session.pack, assessment }
    expect(must(await registerOf(context, 'pack')).riskAcceptances[0]?.status).toBe('in-force')
    const [policy] = register?.documents ?? []
    must(await methods['documents.show']({ of: 'pack', id: policy?.id ?? '' }))
    expect(readFileSync(shown[0] ?? '', 'utf8')).toBe('%PDF-1.7 x')
    expect(refused(await methods['documents.show']({ of: 'pack', id: note }))).toMatch(/^attachment\.altered/)
    session.pack = { ...session.pack, register: null }
    expect(refused(await registerOf(context, 'pack'))).toMatch(/^register\.unreadable/)
  })
})

test('a folder of records gives bytes by digest and size', async () => {
  const bytes = new TextEncoder().encode('abc')
  mkdirSync(join(folder, 'documents'))
  writeFileSync(join(folder, 'documents', sha256(bytes)), bytes)
  const from = documentsIn(ports, join(folder, 'documents'))
  const entry = documentOf({ sha256: sha256(bytes), size: 3 })
  const there = must(await from(entry))
  expect(there).toMatchObject({ size: 3, sha256: sha256(bytes) })
  expect(there instanceof Uint8Array ? there : await there.read()).toEqual(bytes)
  expect(refused(await from({ ...entry, size: 4 }))).toMatch(/^attachment\.altered/)
  expect(refused(await from(documentOf()))).toMatch(/^attachment\.altered/)
  expect(ports.validator.problems('register', madeRegister({ riskAcceptances: [riskAcceptanceOf()] }))).toEqual([])
})

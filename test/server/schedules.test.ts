import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { reviewFile } from '../../main/app/export/review.ts'
import { chainFolderOf, draftName, recordingFolder, scheduleAttempts } from '../../main/core/base/layout.ts'
import { calendarOf } from '../../main/core/period/calendar.ts'
import { parseEntryLine } from '../../main/core/run-chain/entry.ts'
import { NO_TRUST } from '../../main/verify/steps/trust.ts'
import type { ExportDraft } from '../../schemas/ipc-packs.ts'
import type { ScheduleDraft, ScheduleStatus, SchedulesView } from '../../schemas/ipc-schedules.ts'
import { TEAM_ROLES } from '../../schemas/ipc-team.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { newToken, startCollector, withCollectors, ZONED } from '../support/collector-kit.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { must } from '../support/outcomes.ts'
import { connectedSealer, newSigner, type SealerInTest, withSealers } from '../support/sealer-kit.ts'
import { answerValue, codeOf, fakeEngine, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')
const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const ADDED = '2026-11-18T09:15:00.000Z'
const DUE = '2026-11-19T02:00:00.000Z'
const LATER = '2026-11-20T02:00:00.000Z'
let now = ADDED
const ports = createFakePorts({ now: () => now })

const DRAFT: ScheduleDraft = {
  name: 'nightly',
  cadence: { every: 'day', hours: 6, weekday: 1, day: 1, at: 120 },
  zone: 'UTC',
  jitterMinutes: 0,
  retries: { times: 0, waitMinutes: 15 },
  sealHours: 72,
  catchUp: true,
  gapsExitZero: true,
  identity: 'chen',
  passphrase: { use: 'none' },
  syslog: false,
  webhook: null,
  integrations: { use: 'none' },
}

async function served(further: (config: TeamConfig) => TeamConfig = (config) => config): Promise<TeamKit> {
  now = ADDED
  const kit = await teamKit({
    openEngine: fakeEngine(ports),
    startEveryMs: 20,
    config: (config) => further(withSealers(config, signer)),
  })
  open.push(() => kit.close())
  return kit
}

const sealerOf = (kit: TeamKit, how: Parameters<typeof connectedSealer>[3] = {}): Promise<SealerInTest> =>
  connectedSealer(kit, signer, open, how)

const folderOf = (kit: TeamKit): string => join(kit.folder, 'alpha')
const entriesOf = (kit: TeamKit) => {
  const path = join(chainFolderOf(folderOf(kit), 'sealed'), 'entries.jsonl')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const logged = parseEntryLine(line)
      if (logged === null) throw new Error('not a line of a run chain')
      return logged
    })
}
const attemptsOf = (kit: TeamKit) => {
  const path = scheduleAttempts({ out: folderOf(kit), name: 'nightly' })
  if (!existsSync(path)) return []
  // A line counts with its end: the last one may just be written.
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { due: string; run: string | null; code: string; endedAt: string | null })
}
const auditOf = (kit: TeamKit, kind: string) =>
  kit
    .auditText()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; of: Record<string, string>; subject: string | null })
    .filter((line) => line.kind === kind)

const statusOf = async (visitor: Visitor): Promise<ScheduleStatus> =>
  answerValue(await visitor.call('alpha', 'schedules.status', { name: 'nightly' }))

async function collectedFor(kit: TeamKit, due: string): Promise<string> {
  for (;;) {
    const ended = attemptsOf(kit).find((one) => one.due === due && one.endedAt !== null)
    if (ended?.run != null) return ended.run
    await sleep(20)
  }
}

const WANTED = { frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: [], redact: null }
const build = async (officer: Visitor, of: { readonly run?: string } = {}): Promise<ExportDraft> =>
  answerValue(await officer.call('alpha', 'export.build', { ...WANTED, ...of }))

test('an operator adds, changes and removes a schedule, each signed by the sealer while nothing is locked', async () => {
  const kit = await served()
  const operator = await kit.as('operator')
  const sealer = await sealerOf(kit, {
    // Schedules are read, and the chain is free, while the signer decides.
    confirms: async () => {
      const listed = await operator.call('alpha', 'schedules.list', null)
      const folder = chainFolderOf(folderOf(kit), 'sealed')
      const chain = await ports.openRunChain(folder, { id: 'f'.repeat(64), fleet: 'sealed' })
      if (chain.ok) await chain.value.close()
      return codeOf(listed) === 'answered' && chain.ok
    },
  })
  const added = answerValue<SchedulesView>(await operator.call('alpha', 'schedules.add', DRAFT))
  expect(added).toMatchObject({ startedBy: 'server', here: [], schedules: [{ name: 'nightly', draft: DRAFT_SHOWN }] })
  expect((await statusOf(operator)).next).toBe(DUE)
  const changed = { ...DRAFT, cadence: { ...DRAFT.cadence, at: 180 } }
  expect(codeOf(await operator.call('alpha', 'schedules.change', changed))).toBe('answered')
  expect(codeOf(await operator.call('alpha', 'schedules.remove', { name: 'nightly', identity: 'chen' }))).toBe(
    'answered',
  )
  expect(entriesOf(kit).map(({ entry }) => entry)).toMatchObject([
    { kind: 'plan', schedule: 'nightly', cadence: 'every day at 02:00 in UTC', withinMinutes: 120 + 72 * 60 },
    { kind: 'plan', cadence: 'every day at 03:00 in UTC', signer: signer.fingerprint },
    { kind: 'plan', cadence: null },
  ])
  expect(sealer.shown.map((lines) => lines.join('\n'))).toEqual([
    expect.stringContaining('every day at 02:00 in UTC'),
    expect.stringContaining('every day at 03:00 in UTC'),
    expect.stringContaining('no longer'),
  ])
  for (const method of ['add', 'change', 'remove'])
    expect(kit.auditText()).toMatch(new RegExp(`"method":"schedules.${method}".*"of":{"schedule":"nightly"}`))
})
const DRAFT_SHOWN = { ...DRAFT, identity: null }

test('what is not confirmed is not added, nothing is added twice, and what the server does not have is refused', async () => {
  const kit = await served()
  const officer = await kit.as('officer')
  expect(codeOf(await officer.call('alpha', 'schedules.add', DRAFT))).toBe('identity.missing')
  let confirms = false
  const sealer = await sealerOf(kit, { confirms: async () => confirms })
  expect(codeOf(await officer.call('alpha', 'schedules.add', DRAFT))).toBe('sealing.refused')
  expect(entriesOf(kit)).toEqual([])
  confirms = true
  expect(codeOf(await officer.call('alpha', 'schedules.add', DRAFT))).toBe('answered')
  const asked = sealer.asked.length
  for (const wrong of [
    DRAFT,
    { ...DRAFT, name: 'b', passphrase: { use: 'make' } },
    { ...DRAFT, name: 'b', sealHours: null },
    { ...DRAFT, name: 'b', syslog: true },
    { ...DRAFT, name: 'b', webhook: 'https://hooks.example/' },
    { ...DRAFT, name: 'b', integrations: { use: 'kept' } },
    { ...DRAFT, name: 'b', zone: 'Nowhere/Else' },
  ])
    expect(codeOf(await officer.call('alpha', 'schedules.add', wrong))).toBe('input.refused')
  expect([sealer.asked.length, entriesOf(kit).length]).toEqual([asked, 1])
  for (const role of TEAM_ROLES) {
    const visitor = await kit.as(role)
    const may = role === 'officer' || role === 'operator'
    expect([role, codeOf(await visitor.call('alpha', 'schedules.list', null)) === 'answered']).toEqual([role, may])
    for (const [method, input] of [
      ['run-now', { name: 'nightly' }],
      ['install', { name: 'nightly', kind: 'systemd' }],
      ['preview', { name: 'nightly' }],
      ['choose-passphrase', null],
      ['choose-integrations', null],
    ] as const)
      expect((await visitor.call('alpha', `schedules.${method}`, input)).status).toBeOneOf([403, 404])
  }
})

test('a run that is due is started once, waits for its seal, and counts as the scheduled one when it is sealed', async () => {
  const kit = await served()
  const officer = await kit.as('officer')
  const sealer = await sealerOf(kit)
  answerValue(await officer.call('alpha', 'schedules.add', DRAFT))
  now = DUE
  const run = await collectedFor(kit, DUE)
  expect(auditOf(kit, 'run-started')).toMatchObject([{ subject: null, of: { schedule: 'nightly', due: DUE, run } }])
  await sleep(100)
  expect(attemptsOf(kit).map(({ code }) => code)).toEqual(['going', 'ran'])
  const until = '2026-11-22T04:00:00.000Z'
  expect(await statusOf(officer)).toMatchObject({
    ...{ next: LATER, awaited: null, missed: [], last: { due: DUE, endedAt: DUE } },
    waiting: [{ due: DUE, run, until, isLate: false }],
  })
  now = '2026-11-19T09:00:00.000Z'
  const draft = await build(officer)
  expect(sealer.asked.at(-1)?.purpose).toContain(`schedule nightly due at ${DUE}`)
  const entries = entriesOf(kit)
  expect(entries.at(-1)?.entry).toMatchObject({ kind: 'run', run, planned: { schedule: 'nightly', due: DUE } })
  const days = { from: '2026-11-18', to: '2026-11-19', asOf: now }
  const read = must(calendarOf({ entries, facts: new Map(), zones: ports.zones, ...days }))
  expect(read.calendar.counts).toMatchObject({ planned: 1, completed: 1, late: 0, unrecorded: 0, unplanned: 0 })
  expect((await statusOf(officer)).waiting).toEqual([])
  const name = draft.files.find((one) => one.name.endsWith('.barewitness.zip'))?.name ?? ''
  const path = join(folderOf(kit), draftName(draft.handle), name)
  const reviewed = must(await reviewFile(ports, fakeCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }))
  expect(reviewed.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test('a run that is due collects nodes of a zone through their collector', async () => {
  const token = newToken()
  const kit = await served((config) => withCollectors(config, { 'frankfurt-1': { token, zone: 'frankfurt' } }))
  const operator = await kit.as('operator')
  await sealerOf(kit)
  const collector = await startCollector(join(kit.folder, 'c1'), kit.server.origin, token, {
    ports: { now: () => now },
  })
  open.push(collector.stop)
  answerValue(await operator.call('alpha', 'schedules.add', DRAFT))
  now = DUE
  const run = await collectedFor(kit, DUE)
  await collector.said('delivered', 2)
  for (const node of [ZONED.first, ZONED.second, ZONED.third])
    expect(existsSync(recordingFolder(folderOf(kit), run, node))).toBe(true)
  expect(auditOf(kit, 'lease')).toHaveLength(2)
})

test('a run that is sealed after its time counts as missed until then, and as late from then on', async () => {
  const kit = await served()
  const officer = await kit.as('officer')
  await sealerOf(kit)
  answerValue(await officer.call('alpha', 'schedules.add', { ...DRAFT, sealHours: 1 }))
  now = DUE
  const run = await collectedFor(kit, DUE)
  now = '2026-11-19T09:00:00.000Z'
  expect(await statusOf(officer)).toMatchObject({ missed: [], waiting: [{ due: DUE, run, isLate: true }] })
  const days = { zones: ports.zones, from: '2026-11-19', to: '2026-11-19', asOf: now, facts: new Map() }
  expect(must(calendarOf({ entries: entriesOf(kit), ...days })).unrecorded).toMatchObject([{ due: DUE }])
  await build(officer)
  expect(must(calendarOf({ entries: entriesOf(kit), ...days }))).toMatchObject({
    ...{ unrecorded: [], late: [{ due: DUE, run }] },
  })
})

test('an earlier run that waits is sealed by its name, and the run that is shown stays', async () => {
  const kit = await served()
  const officer = await kit.as('officer')
  await sealerOf(kit)
  answerValue(await officer.call('alpha', 'schedules.add', DRAFT))
  now = DUE
  const first = await collectedFor(kit, DUE)
  now = LATER
  const second = await collectedFor(kit, LATER)
  const plan = async (of: { readonly run: string } | null) =>
    answerValue<{ run: string; isShown: boolean }>(await officer.call('alpha', 'export.plan', of))
  expect(await plan({ run: first })).toMatchObject({ run: first, isShown: false })
  expect(codeOf(await officer.call('alpha', 'export.preflight', { run: first }))).toBe('answered')
  await build(officer, { run: first })
  expect(await plan(null)).toMatchObject({ run: second, isShown: true })
  await build(officer)
  expect(entriesOf(kit).map(({ entry }) => (entry.kind === 'run' ? entry.planned?.due : entry.kind))).toEqual([
    ...['plan', DUE, LATER],
  ])
  expect(codeOf(await officer.call('alpha', 'export.build', { ...WANTED, run: 'run-9' }))).toBe('input.not-found')
  expect((await officer.call('alpha', 'export.plan', { run: '../x' })).status).toBe(400)
})

test('a due time that nothing was collected for is shown as missed', async () => {
  const kit = await served()
  const officer = await kit.as('officer')
  await sealerOf(kit, { confirms: async ({ content = '' }) => !content.includes('"kind":"gap"') })
  answerValue(await officer.call('alpha', 'schedules.add', { ...DRAFT, catchUp: false, sealHours: 1 }))
  now = '2026-11-19T09:00:00.000Z'
  while (attemptsOf(kit).length === 0) await sleep(20)
  expect(attemptsOf(kit)).toMatchObject([{ due: DUE, run: null, code: 'too-late' }])
  expect(await statusOf(officer)).toMatchObject({ missed: [DUE], waiting: [], last: { due: DUE } })
  expect(auditOf(kit, 'run-started')).toEqual([])
})

test('nothing is started while a person collects', async () => {
  const kit = await served()
  const officer = await kit.as('officer')
  await sealerOf(kit)
  answerValue(await officer.call('alpha', 'schedules.add', DRAFT))
  answerValue(await officer.call('alpha', 'run.start', { nodes: [], only: 'all' }))
  now = DUE
  await collectedFor(kit, DUE)
  const runs = answerValue<readonly unknown[]>(await officer.call('alpha', 'runs.list', null))
  expect(runs).toHaveLength(2)
})

test('a schedule file that cannot be read starts nothing, and is in the log', async () => {
  const kit = await served()
  const officer = await kit.as('officer')
  await sealerOf(kit)
  answerValue(await officer.call('alpha', 'schedules.add', DRAFT))
  writeFileSync(join(folderOf(kit), 'schedules', 'schedules.json'), '{')
  now = DUE
  while (!kit.logged.some(({ kind, failed }) => kind === 'schedules' && failed === 'input.refused')) await sleep(20)
  expect(attemptsOf(kit)).toEqual([])
})

import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { exportPeriod } from '../../main/app/export/period.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import { chainFolderOf, draftName, periodDraftName } from '../../main/core/base/layout.ts'
import { PERIOD_PATH } from '../../main/core/period/pack.ts'
import { parseEntryLine } from '../../main/core/run-chain/entry.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { NO_TRUST } from '../../main/verify/steps/trust.ts'
import type { ExportDraft, ExportView } from '../../schemas/ipc-packs.ts'
import type { PeriodPlan } from '../../schemas/ipc-periods.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import type { SealingRequest } from '../../schemas/types.ts'
import { valueIn } from '../support/engine-kit.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { must } from '../support/outcomes.ts'
import { entersMeanwhile, newSigner, OTHER, sealedRun, teamWithSealers } from '../support/sealer-kit.ts'
import { codeOf, replyIn, type TeamKit, type Visitor } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')

let now = ''
const ports = createFakePorts({ now: () => now })
const { kitWithSealers, sealerOf, open } = teamWithSealers(signer, () => ports)

async function sealedRunAt(officer: Visitor, at: string): Promise<{ readonly run: string; readonly handle: string }> {
  now = at
  const { run, draft } = await sealedRun(officer)
  return { run, handle: draft.handle }
}

/** Two sealed runs on two days that are over. */
async function twoRuns(officer: Visitor) {
  const first = await sealedRunAt(officer, '2026-11-18T09:15:00.000Z')
  const second = await sealedRunAt(officer, '2026-11-19T09:15:00.000Z')
  now = '2026-11-21T09:15:00.000Z'
  return { first, second }
}

const DAYS = { from: '2026-11-18', to: '2026-11-20' }
const WANTED = {
  ...DAYS,
  samples: [{ population: 'nodes', size: 1, seed: 'of the auditor' }],
  identity: 'chen',
  timestamp: false,
}
const MISSED = '2026-11-20T02:00:00Z'
const PACK = 'period-2026-11-18-2026-11-20.barewitness.zip'
const built = (officer: Visitor, change: Partial<typeof WANTED> = {}) =>
  officer.call('alpha', 'period.build', { ...WANTED, ...change })

const folderOf = (kit: TeamKit): string => join(kit.folder, 'alpha')
const entriesPath = (kit: TeamKit): string => join(chainFolderOf(folderOf(kit), 'sealed'), 'entries.jsonl')
const kindsIn = (kit: TeamKit) =>
  readFileSync(entriesPath(kit), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseEntryLine(line)?.entry.kind)
const periodsIn = (kit: TeamKit): readonly string[] => {
  const folder = join(folderOf(kit), 'periods')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('a period report is signed at the computer of the signer, and has the bytes that one machine makes', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  const sealer = await sealerOf(kit)
  const { first } = await twoRuns(officer)
  const plan = valueIn(replyIn<PeriodPlan | null>(await officer.call('alpha', 'period.plan', null)))
  expect(plan).toMatchObject({ fleet: 'sealed', demo: false, runs: 2, proposed: DAYS, latest: DAYS.to })
  const alone = mkdtempSync(join(tmpdir(), 'barewitness-alone-'))
  open.push(async () => rmSync(alone, { recursive: true, force: true }))
  cpSync(folderOf(kit), alone, { recursive: true })
  const before = sealer.asked.length

  const draft = valueIn(replyIn<ExportDraft>(await built(officer)))
  const asked = sealer.asked.slice(before)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ engagement: 'alpha', requestedBy: 'officer (officer)' })
  for (const told of ['sealed', DAYS.from, DAYS.to]) expect(asked[0]?.purpose).toContain(told)
  expect(kindsIn(kit)).toEqual(['run', 'run', 'period'])

  const own = must(
    await exportPeriod(ports, fakeCatalog, {
      ...{ root: alone, chainFolder: chainFolderOf(alone, 'sealed'), fleet: 'sealed', folder: join(alone, 'out') },
      ...DAYS,
      samples: [{ population: 'nodes', size: 1, seed: 'of the auditor' }],
      signer,
      stamping: null,
    }),
  )
  expect(own.lost).toEqual([])
  expect(draft.files.map(({ name }) => name)).toContain(PACK)
  expect(draft.files).toEqual(own.files.map(({ name, size, sha256 }) => ({ name, size, sha256 })))

  const path = join(folderOf(kit), periodDraftName(draft.handle), PACK)
  const reviewed = must(await reviewFile(ports, fakeCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }))
  expect(reviewed.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(reviewed.report).toMatchObject({ kind: 'period', signer: { fingerprint: signer.fingerprint } })

  // Packs of runs alone are sent to other systems; they are looked for in the folder of exports.
  const exportsOf = readdirSync(join(folderOf(kit), draftName(first.handle), '..'), {
    recursive: true,
    encoding: 'utf8',
  })
  expect(exportsOf.filter((name) => name.includes('period-'))).toEqual([])
})

test('a sealed period report is downloaded, shared and discarded as an export, and is in the audit log', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  await sealerOf(kit)
  await twoRuns(officer)
  const signatures = (): number =>
    kit
      .auditText()
      .split('\n')
      .filter((line) => line.includes('"kind":"signature"')).length
  const before = signatures()
  const { handle, files } = valueIn(replyIn<ExportDraft>(await built(officer)))
  // Report and seal.
  expect(signatures() - before).toBe(2)
  const audit = kit.auditText()
  expect(checkAudit(audit)).toMatchObject({ intact: true })
  const call = audit.split('\n').find((line) => line.includes('"method":"period.build"'))
  expect(JSON.parse(call ?? 'null')).toMatchObject({ kind: 'call', subject: 'officer', of: DAYS, outcome: 'allowed' })
  expect(audit).not.toContain('of the auditor')

  const saved = await officer.call('alpha', 'export.save', { handle })
  const view = valueIn(replyIn<ExportView>(saved))
  expect(view.folder).toBe('sealed_2026-11-18_2026-11-20.zip')
  const sent = await officer.send('GET', `/e/alpha/${String(saved.headers[TEAM_HEADERS.download])}`)
  const draft = join(folderOf(kit), periodDraftName(handle))
  for (const { name } of files) expect(sent.bytes.includes(readFileSync(join(draft, name)))).toBe(true)

  expect(codeOf(await officer.call('alpha', 'portal.share', { handle, note: '', to: null }))).toBe('answered')
  const auditor = await kit.as('auditor')
  const [shared] = valueIn(
    replyIn<readonly { id: string; pack: string }[]>(await auditor.call('alpha', 'portal.packs', null)),
  )
  expect(shared?.pack).toBe(PACK)
  const opened = replyIn<{ report: { kind: string } }>(await auditor.call('alpha', 'portal.open', { id: shared?.id }))
  expect(valueIn(opened).report.kind).toBe('period')

  expect(codeOf(await officer.call('alpha', 'export.discard', { handle }))).toBe('answered')
  expect(codeOf(await officer.call('alpha', 'export.save', { handle }))).toBe('input.refused')
  // The run chain names its pack.
  expect(readdirSync(draft)).toContain(PACK)
})

test('the run chain is free while the signer decides, and what enters it then is in the report', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  const freed: boolean[] = []
  const sealer = await sealerOf(kit, {
    confirms: async ({ purpose }) => {
      if (purpose.startsWith('Period')) freed.push(await entersMeanwhile(folderOf(kit), signer, MISSED))
      return true
    },
  })
  await twoRuns(officer)
  const before = sealer.asked.length
  const { handle } = valueIn(replyIn<ExportDraft>(await built(officer)))
  expect(freed).toEqual([true])
  // The signer confirmed this period report, however often it is prepared.
  expect(sealer.asked).toHaveLength(before + 1)
  expect(kindsIn(kit)).toEqual(['run', 'run', 'gap', 'period'])
  const path = join(folderOf(kit), periodDraftName(handle), PACK)
  const reviewed = must(await reviewFile(ports, fakeCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }))
  expect(reviewed.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  const pack = must(await ports.packs.open(path))
  const period = JSON.parse(new TextDecoder().decode(await pack.read(PERIOD_PATH)))
  await pack.close()
  expect(period.missedRuns).toMatchObject([{ due: MISSED }])
})

test('what the signer does not confirm is not sealed, is in no chain, and can be requested again', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  let confirms = true
  await sealerOf(kit, { confirms: async () => confirms })
  await twoRuns(officer)
  confirms = false
  expect(codeOf(await built(officer))).toBe('sealing.refused')
  expect([kindsIn(kit), periodsIn(kit)]).toEqual([['run', 'run'], []])
  expect(kit.auditText()).toContain('"kind":"signature-refused"')
  confirms = true
  expect(codeOf(await built(officer))).toBe('answered')
})

test('without a sealer, without one of this name, and with one that ends while it is waited for, nothing is sealed', async () => {
  const kit = await kitWithSealers(3000)
  const officer = await kit.as('officer')
  const asked: SealingRequest[] = []
  let answers = true
  const left = new AbortController()
  const leaves = new Promise<boolean>((resolve) => left.signal.addEventListener('abort', () => resolve(false)))
  const sealer = await sealerOf(kit, {
    confirms: async (request) => {
      asked.push(request)
      return answers || (await leaves)
    },
  })
  await twoRuns(officer)
  expect(codeOf(await built(officer, { identity: 'other' }))).toBe('identity.missing')
  expect(codeOf(await built(officer, { identity: 'beta-1' }))).toBe('identity.missing')
  answers = false
  const before = asked.length
  const going = built(officer)
  while (asked.length === before) await sleep(20)
  // Another sealer of the engagement can neither sign nor refuse it.
  for (const [verb, body] of [
    ['answer', { signature: 'AAAA' }],
    ['refuse', { reason: 'mine' }],
  ] as const) {
    const headers = { authorization: `Bearer ${OTHER}`, 'content-type': 'application/json' }
    const target = `/sealer/requests/${asked.at(-1)?.id}/${verb}`
    expect(codeOf(await kit.visitor().send('POST', target, headers, JSON.stringify(body)))).toBe('input.not-found')
  }
  const stopped = sealer.stop()
  expect(codeOf(await going)).toBe('sealing.unanswered')
  left.abort()
  await stopped
  expect([kindsIn(kit), periodsIn(kit)]).toEqual([['run', 'run'], []])

  const without = await kitWithSealers()
  const other = await without.as('officer')
  expect(codeOf(await built(other))).toBe('input.refused')
  cpSync(folderOf(kit), folderOf(without), { recursive: true })
  expect(codeOf(await built(other))).toBe('identity.missing')
})

test('days that are no ended period, and a chain that cannot be read, are refused before the signer is asked', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  const sealer = await sealerOf(kit)
  await twoRuns(officer)
  const before = sealer.asked.length
  for (const days of [{ to: '2026-11-21' }, { to: '2026-11-17' }, { from: '2026-02-30' }, { from: '1999-01-01' }])
    expect(codeOf(await built(officer, days))).toBe('input.refused')
  appendFileSync(entriesPath(kit), '{"entry":{"kind":"run"}}\n')
  expect(codeOf(await officer.call('alpha', 'period.plan', null))).toBe('chain.broken')
  expect(codeOf(await built(officer))).toBe('chain.broken')
  expect([sealer.asked.length - before, periodsIn(kit)]).toEqual([0, []])
})

test('a run whose pack is missing is named, and supports nothing', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  await sealerOf(kit)
  const { first } = await twoRuns(officer)
  rmSync(join(folderOf(kit), draftName(first.handle)), { recursive: true })
  const { notes } = valueIn(replyIn<ExportDraft>(await built(officer)))
  expect(notes.some((note) => note.includes(first.run))).toBe(true)
})

test('officers alone request period reports', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  const sealer = await sealerOf(kit)
  await twoRuns(officer)
  const before = sealer.asked.length
  for (const role of ['operator', 'auditor', 'administrator'] as const) {
    const visitor = await kit.as(role)
    expect((await built(visitor)).status).toBeOneOf([403, 404])
    expect((await visitor.call('alpha', 'period.plan', null)).status).toBeOneOf([403, 404])
  }
  expect([sealer.asked.length - before, kindsIn(kit)]).toEqual([0, ['run', 'run']])
})

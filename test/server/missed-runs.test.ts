import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { MissedDue } from '../../main/app/engine/schedules/missed-runs.ts'
import { createEngine, type StartingEngine } from '../../main/app/engine.ts'
import { writeAttempt } from '../../main/app/scheduled/plan-run.ts'
import { chainFolderOf } from '../../main/core/base/layout.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { parseEntryLine } from '../../main/core/run-chain/entry.ts'
import type { HistoryView } from '../../schemas/ipc-history.ts'
import type { ScheduleStatus } from '../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../schemas/types.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { folderOfTests } from '../support/folders.ts'
import { codeOf, must } from '../support/outcomes.ts'
import { enterServed } from '../support/schedule-kit.ts'
import { connectedSealer, newSigner, withSealers, writeFleet } from '../support/sealer-kit.ts'
import { answerValue, fakeEngine, type TeamKit, teamKit } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')
const ADDED = '2026-11-18T09:15:00.000Z'
const DUE = '2026-11-19T02:00:00.000Z'
const NEXT = '2026-11-20T02:00:00.000Z'
const AFTER_BOTH = '2026-11-20T03:00:00.000Z'
let now = ADDED
const ports = createFakePorts({ now: () => now })

const gapsIn = (folder: string) => {
  const path = join(chainFolderOf(folder, 'sealed'), 'entries.jsonl')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const entry = parseEntryLine(line)?.entry
      return entry?.kind === 'gap' ? [entry] : []
    })
}

describe('with a server', () => {
  const open: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  const folderOf = (kit: TeamKit): string => join(kit.folder, 'alpha')

  /** A server over a schedule that was due twice while no server was running. */
  async function served(): Promise<TeamKit> {
    now = AFTER_BOTH
    const kit = await teamKit({
      openEngine: async (folder, ...rest) => {
        if (folder.endsWith('alpha')) {
          writeFleet(folder)
          await enterServed(ports, folder, 'sealed', { createdAt: ADDED, catchUp: false, sealHours: 1 })
        }
        return await fakeEngine(ports)(folder, ...rest)
      },
      startEveryMs: 20,
      config: (config) => withSealers(config, signer),
    })
    open.push(() => kit.close())
    return kit
  }
  const audited = (kit: TeamKit) =>
    kit
      .auditText()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; of: Record<string, string>; subject: string | null })

  test('waits for a sealer, is read and signed there, and is stated by history and schedule as by one machine', async () => {
    const kit = await served()
    const officer = await kit.as('officer')
    const statusOf = async (): Promise<ScheduleStatus> =>
      answerValue(await officer.call('alpha', 'schedules.status', { name: 'nightly' }))
    expect((await statusOf()).missed).toEqual([DUE])
    expect(gapsIn(folderOf(kit))).toEqual([])
    const sealer = await connectedSealer(kit, signer, open)
    while (gapsIn(folderOf(kit)).length < 1) await sleep(20)
    expect(gapsIn(folderOf(kit))).toMatchObject([
      { kind: 'gap', schedule: 'nightly', due: DUE, fleet: 'sealed', signer: signer.fingerprint },
    ])
    expect((await statusOf()).missed).toEqual([])
    const view = answerValue<HistoryView>(await officer.call('alpha', 'history.get', { window: null }))
    expect(view.recordedMisses).toMatchObject([{ due: DUE, schedule: 'nightly' }])
    expect(view.unrecorded).toEqual([])
    expect(sealer.shown.map((lines) => lines.join('\n'))).toEqual([expect.stringContaining(DUE)])
    expect(sealer.asked.map(({ requestedBy }) => requestedBy)).not.toContain('')
    const kinds = audited(kit).filter(({ kind }) => kind === 'missed-run' || kind === 'signature')
    expect(kinds).toMatchObject([
      { kind: 'missed-run', subject: null, of: { schedule: 'nightly', due: DUE } },
      { kind: 'signature', subject: 'chen' },
    ])
  })

  test('one that the signer refuses is asked for once', async () => {
    const kit = await served()
    const refusing = await connectedSealer(kit, signer, open, { confirms: false })
    while (refusing.asked.length === 0) await sleep(20)
    while (!kit.logged.some(({ kind, failed }) => kind === 'schedules' && failed === 'sealing.refused')) await sleep(20)
    // Later looks find nothing to ask for.
    await sleep(100)
    expect(refusing.asked).toHaveLength(1)
    expect(gapsIn(folderOf(kit))).toEqual([])
  })

  test('a server that ends waits for no signer', async () => {
    const kit = await served()
    let decide: () => void = () => undefined
    const decided = new Promise<boolean>((resolve) => {
      decide = () => resolve(true)
    })
    const slow = await connectedSealer(kit, signer, open, { confirms: () => decided })
    while (slow.asked.length === 0) await sleep(20)
    await kit.close()
    open.shift()
    decide()
    expect(gapsIn(folderOf(kit))).toEqual([])
  })
})

describe('with the engines of two processes', () => {
  const root = folderOfTests('missed-runs')
  let folders = 0
  const engines: StartingEngine[] = []
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close()
  })
  const noted: MissedDue[] = []
  const note = async (missed: MissedDue): Promise<void> => void noted.push(missed)

  /** A folder with a schedule that was due twice; each engine over it is that of one process. */
  async function missed(changes: Partial<Schedule> = {}) {
    folders += 1
    now = AFTER_BOTH
    noted.splice(0)
    const folder = join(root, String(folders))
    writeFleet(folder)
    const { schedule, file } = await enterServed(ports, folder, 'sealed', { createdAt: ADDED, ...changes })
    const engine = async (sign: Signer['sign'] | null = signer.sign): Promise<StartingEngine> => {
      const own = createFakePorts({ now: () => now })
      const { name, kind, subject, fingerprint, notAfter } = {
        ...{ name: 'chen', kind: 'sealer' as const, subject: signer.subject },
        ...{ fingerprint: signer.fingerprint, notAfter: '2027-11-02T00:00:00Z' },
      }
      const made = await createEngine(
        {
          ...own,
          identities: {
            ...own.identities,
            list: async () =>
              ({
                ok: true,
                value: sign === null ? [] : [{ name, kind, subject, fingerprint, notAfter, retired: [] }],
              }) as const,
            open: async () => ({ ok: true, value: { ...signer, sign: sign ?? signer.sign } }),
          },
        },
        fakeCatalog,
        {
          folder,
          desktop: { ask: async () => null, show: async () => ({ ok: true, value: null }), vault: null },
          scheduling: { file, server: { wait: async () => undefined } },
        },
      )
      engines.push(made)
      return made
    }
    return { folder, schedule, engine }
  }
  const dues = (folder: string) => gapsIn(folder).map(({ due }) => due)

  test('nothing is asked for while no sealer is connected', async () => {
    const { folder, engine } = await missed()
    expect(must(await (await engine(null)).recordMissedRun(note))).toBeNull()
    expect([noted, dues(folder)]).toEqual([[], []])
  })

  test('what two processes have signed at once is entered once', async () => {
    const { folder, engine } = await missed()
    let waiting = 0
    let release: () => void = () => undefined
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    const sign: Signer['sign'] = async (data) => {
      waiting += 1
      if (waiting === 2) release()
      await both
      return await signer.sign(data)
    }
    const [one, other] = [await engine(sign), await engine(sign)]
    const recorded = await Promise.all([one, other].map((each) => each.recordMissedRun(note)))
    expect(recorded.map(codeOf)).toEqual(['ok', 'ok'])
    expect(recorded.flatMap((each) => (each.ok && each.value !== null ? [each.value] : []))).toEqual([
      { schedule: 'nightly', due: DUE },
    ])
    expect(dues(folder)).toEqual([DUE])
    for (const each of [one, other, await engine()]) expect(must(await each.recordMissedRun(note))).toBeNull()
    expect(dues(folder)).toEqual([DUE])
  })

  test('a process that is killed while a signer decides leaves nothing, and the next one asks again', async () => {
    const { folder, engine } = await missed()
    const killed = await engine(() => new Promise(() => undefined))
    void killed.recordMissedRun(note)
    while (noted.length === 0) await sleep(5)
    expect(dues(folder)).toEqual([])
    const next = await engine()
    expect(must(await next.recordMissedRun(note))).toEqual({ schedule: 'nightly', due: DUE })
    expect(dues(folder)).toEqual([DUE])
  })

  test('nothing is recorded where the audit log cannot be written', async () => {
    const { folder, engine } = await missed()
    const one = await engine()
    await expect(one.recordMissedRun(() => Promise.reject(new Error('full')))).rejects.toThrow('full')
    expect(dues(folder)).toEqual([])
    expect(must(await one.recordMissedRun(note))).toMatchObject({ due: DUE })
  })

  test('a run that was collected is left to be sealed, also where the list of starts was lost', async () => {
    const { folder, engine } = await missed()
    now = DUE
    const one = await engine()
    must(await one.startDue(async () => undefined))
    const attempts = join(folder, 'schedules', 'nightly', 'attempts.jsonl')
    while (readFileSync(attempts, 'utf8').split('\n').length < 3) await sleep(10)
    now = AFTER_BOTH
    expect(must(await one.recordMissedRun(note))).toBeNull()
    rmSync(attempts)
    expect(must(await one.recordMissedRun(note))).toBeNull()
    expect(dues(folder)).toEqual([])
  })

  test('one whose start failed is recorded before the next is due, and later ones are found again', async () => {
    const { folder, schedule, engine } = await missed()
    now = '2026-11-19T03:00:00.000Z'
    const one = await engine()
    expect(must(await one.recordMissedRun(note))).toBeNull()
    must(
      await writeAttempt(ports, schedule, {
        ...{ id: 'a'.repeat(16), schedule: 'nightly', due: DUE, startedAt: DUE, endedAt: DUE },
        ...{ run: null, exit: null, code: 'failed', detail: '' },
      }),
    )
    // Without waiting for the next due time: its start has ended.
    expect(must(await one.recordMissedRun(note))).toEqual({ schedule: 'nightly', due: DUE })
    now = '2026-11-21T03:00:00.000Z'
    expect(must(await one.recordMissedRun(note))).toEqual({ schedule: 'nightly', due: NEXT })
    expect(dues(folder)).toEqual([DUE, NEXT])
  })
})

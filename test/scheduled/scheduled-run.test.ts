import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { readAttempts } from '../../main/app/scheduled/plan-run.ts'
import { WHY_TOO_LATE } from '../../main/app/scheduled/states.ts'
import { fail } from '../../main/core/base/failure.ts'
import { preparedPath } from '../../main/core/base/layout.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { BANNED } from '../../schemas/words.ts'
import { must } from '../support/outcomes.ts'
import { FLEET, type Kit, ranAt, scheduleKit } from '../support/schedule-kit.ts'

const kits: Kit[] = []
const kitOf = (...changes: Parameters<typeof scheduleKit>): Kit => {
  const kit = scheduleKit(...changes)
  kits.push(kit)
  return kit
}
afterEach(() => {
  for (const kit of kits.splice(0)) {
    kit.remove()
    const told = [...kit.said, ...kit.notices.flatMap(({ summary, changes }) => [summary, ...changes])]
    expect(told.filter((text) => BANNED.some((banned) => banned.test(text)))).toEqual([])
  }
})
const startAt = async (kit: Kit, at: string, options?: Parameters<Kit['start']>[0]) => {
  kit.setClock(at)
  return must(await kit.start(options))
}

const attemptsOf = async (kit: Kit) => must(await readAttempts(kit.ports, kit.schedule.out, kit.schedule.name))
const NO_TIMER =
  'No start is on record: the computer was off or asleep, its timer did not fire, or the start could not write to its folder.'

describe('days of a schedule', () => {
  test('each due time has its run, and the start is written down', async () => {
    const kit = kitOf()
    for (const day of ['01', '02', '03']) {
      const outcome = await startAt(kit, `2026-03-${day}T02:00:01.000Z`)
      expect(outcome).toMatchObject({ code: 'ran', due: `2026-03-${day}T02:00:00.000Z`, recorded: 0, failures: [] })
    }
    expect(await kit.dueTimes()).toEqual(['01', '02', '03'].map((day) => `run 2026-03-${day}T02:00:00.000Z`))
    const attempts = await attemptsOf(kit)
    expect(attempts.map(({ code, run, exit }) => [code, run, exit])).toEqual([
      ['ran', 'run-1', 0],
      ['ran', 'run-2', 0],
      ['ran', 'run-3', 0],
    ])
  })
  test('days on which the computer was off are recorded, signed, before the late run', async () => {
    const kit = kitOf()
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    const outcome = await startAt(kit, '2026-03-04T09:00:00.000Z')
    expect(outcome).toMatchObject({ code: 'ran', due: '2026-03-04T02:00:00.000Z', recorded: 2 })
    expect(await kit.dueTimes()).toEqual([
      'run 2026-03-01T02:00:00.000Z',
      `gap 2026-03-02T02:00:00.000Z ${NO_TIMER}`,
      `gap 2026-03-03T02:00:00.000Z ${NO_TIMER}`,
      'run 2026-03-04T02:00:00.000Z',
    ])
    expect(kit.said).toContain('2 scheduled runs did not take place; the missed runs are recorded in the run chain.')
  })
  test('a start when nothing is due runs nothing, and with --now a run that was not planned', async () => {
    const kit = kitOf()
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    expect(await startAt(kit, '2026-03-01T03:00:00.000Z')).toMatchObject({ code: 'nothing-due', due: null, ran: null })
    expect(kit.said.at(-1)).toBe(
      'No run is due; the next run is due at 2026-03-02T02:00:00.000Z. Use --now to run anyway.',
    )
    expect(kit.runs()).toBe(1)
    expect(await startAt(kit, '2026-03-01T03:00:00.000Z', { now: true })).toMatchObject({ code: 'ran', due: null })
    expect(await kit.dueTimes()).toEqual(['run 2026-03-01T02:00:00.000Z', 'run unplanned'])
  })
  test('without catching up, a late start records the gap and runs nothing', async () => {
    const kit = kitOf({ catchUp: false, notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    expect(await startAt(kit, '2026-03-02T09:00:00.000Z')).toMatchObject({ code: 'too-late', recorded: 1, ran: null })
    expect(kit.runs()).toBe(1)
    expect((await kit.dueTimes()).at(-1)).toBe(
      'gap 2026-03-02T02:00:00.000Z The run could start only long after it was due, and this schedule skips missed runs.',
    )
    expect(kit.notices.at(-1)?.changes).toEqual(['Earlier scheduled runs were missed; see the run chain.'])
  })
  test('a day that a person recorded without naming the schedule is not recorded again', async () => {
    const kit = kitOf()
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    const due = '2026-03-02T02:00:00.000Z'
    const gap = { kind: 'gap' as const, due, at: due, fleet: FLEET, why: 'Power cut.', signer: 'a'.repeat(64) }
    await kit.enter({ entry: gap, signature: 'c2ln' })
    expect(await startAt(kit, '2026-03-03T02:00:00.000Z')).toMatchObject({ code: 'ran', recorded: 0 })
    expect((await kit.dueTimes()).filter((one) => one.startsWith('gap'))).toEqual([`gap ${due} Power cut.`])
  })
  test('an entry that is not signed explains nothing', async () => {
    const kit = kitOf()
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    const due = '2026-03-02T02:00:00.000Z'
    const gap = { kind: 'gap' as const, due, at: due, fleet: FLEET, why: 'Power cut.', signer: 'a'.repeat(64) }
    await kit.enter({ entry: gap, signature: null })
    expect(await startAt(kit, '2026-03-03T02:00:00.000Z')).toMatchObject({ code: 'ran', recorded: 1 })
  })
  test('a start that came too late and could not be recorded is recorded with its own reason later', async () => {
    const kit = kitOf({ catchUp: false })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    kit.refuseSigner(fail('identity.missing', 'no key'))
    expect(await startAt(kit, '2026-03-02T09:00:00.000Z')).toMatchObject({ code: 'too-late', recorded: 0 })
    kit.refuseSigner(null)
    expect(await startAt(kit, '2026-03-03T02:00:00.000Z')).toMatchObject({ code: 'ran', recorded: 1 })
    expect(await kit.dueTimes()).toContain(`gap 2026-03-02T02:00:00.000Z ${WHY_TOO_LATE}`)
  })
  test('a clock that is set back serves nothing twice and invents no gap', async () => {
    const kit = kitOf()
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    await startAt(kit, '2026-03-02T02:00:00.000Z')
    expect(await startAt(kit, '2026-03-01T02:00:30.000Z')).toMatchObject({ code: 'nothing-due', recorded: 0 })
    expect(await kit.dueTimes()).toHaveLength(2)
  })
})

describe('one at a time', () => {
  test('a second start while a run goes on runs nothing, and the next run records the missed time', async () => {
    const kit = kitOf({ cadence: 'every 1 hours at :00' })
    kit.setClock('2026-03-01T01:00:00.000Z')
    const codes: string[] = []
    await kit.start({
      during: async () => {
        kit.setClock('2026-03-01T02:00:00.000Z')
        codes.push(must(await kit.start()).code)
      },
    })
    expect([codes, kit.runs()]).toEqual([['overlap'], 1])
    await startAt(kit, '2026-03-01T03:00:00.000Z')
    expect(await kit.dueTimes()).toEqual([
      'run 2026-03-01T01:00:00.000Z',
      'gap 2026-03-01T02:00:00.000Z No run was started: the previous run was still in progress.',
      'run 2026-03-01T03:00:00.000Z',
    ])
  })
  test('woken again for the due time whose run goes on, nothing is missed', async () => {
    const kit = kitOf()
    kit.setClock('2026-03-01T02:00:00.000Z')
    const codes: string[] = []
    await kit.start({
      during: async () => {
        kit.setClock('2026-03-01T03:00:00.000Z')
        codes.push(must(await kit.start()).code)
      },
    })
    expect([codes, kit.runs()]).toEqual([['nothing-due'], 1])
  })
  test('a folder that cannot be made is a failure, not a run', async () => {
    const kit = kitOf()
    writeFileSync(`${kit.schedule.out}/schedules`, 'a file is in the way')
    kit.setClock('2026-03-01T02:00:00.000Z')
    expect(await kit.start()).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    expect(kit.runs()).toBe(0)
  })
})

describe('a run that fails', () => {
  test('is recorded for its due time, without the detail of the failure', async () => {
    const kit = kitOf()
    kit.setNodes('collector.no-answer')
    expect(await startAt(kit, '2026-03-01T02:00:00.000Z')).toMatchObject({
      code: 'failed',
      recorded: 1,
      failures: [{ code: 'collector.no-answer' }],
    })
    const [gap] = await kit.dueTimes()
    expect(gap).toMatch(
      /^gap 2026-03-01T02:00:00.000Z A run was started and nothing could be exported: .+ \(collector\.no-answer\)\.$/,
    )
    expect(gap).not.toContain('10.0.0.7')
    expect((await attemptsOf(kit))[0]).toMatchObject({
      code: 'failed',
      detail: 'collector.no-answer: at 10.0.0.7',
      exit: 4,
    })
  })
  test('one that was killed leaves its due time open; the next start reports what is known', async () => {
    const kit = kitOf()
    kit.setClock('2026-03-01T02:00:00.000Z')
    await expect(kit.start({ during: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed')
    expect(await kit.dueTimes()).toEqual([])
    await startAt(kit, '2026-03-02T02:00:00.000Z')
    expect((await kit.dueTimes())[0]).toBe(
      'gap 2026-03-01T02:00:00.000Z A run was started at 2026-03-01T02:00:00.000Z and did not finish.',
    )
  })
  test('one that the chain names, and whose pack could not be written, is a gap all the same', async () => {
    const kit = kitOf()
    kit.setNodes('store.failed')
    const at = '2026-03-01T02:00:00.000Z'
    expect(await startAt(kit, at, { during: () => kit.enter(ranAt(at)) })).toMatchObject({
      code: 'failed',
      recorded: 1,
    })
    expect(await kit.dueTimes()).toEqual([`run ${at}`, expect.stringMatching(`^gap ${at} .*\\(store\\.failed\\)`)])
    expect(await startAt(kit, '2026-03-01T02:30:00.000Z')).toMatchObject({ code: 'nothing-due', recorded: 0 })
  })
  test('one that was killed between its entry and its pack is made again; with its pack, it is not', async () => {
    const at = '2026-03-01T02:00:00.000Z'
    const killed = async (): Promise<Kit> => {
      const kit = kitOf()
      kit.setClock(at)
      const during = async (): Promise<void> => {
        await kit.enter(ranAt(at))
        throw new Error('killed')
      }
      await expect(kit.start({ during })).rejects.toThrow('killed')
      return kit
    }
    const again = await killed()
    expect(await startAt(again, '2026-03-01T02:30:00.000Z')).toMatchObject({ code: 'ran', due: at })
    const late = await killed()
    await startAt(late, '2026-03-02T02:00:00.000Z')
    expect((await late.dueTimes())[1]).toBe(`gap ${at} A run was started at ${at} and did not finish.`)
    const sealed = await killed()
    mkdirSync(`${sealed.schedule.out}/run-${at}`)
    writeFileSync(`${sealed.schedule.out}/run-${at}/run-${at}.barewitness.zip`, 'a pack')
    expect(await startAt(sealed, '2026-03-01T02:30:00.000Z')).toMatchObject({ code: 'nothing-due' })
  })
  test.each([
    [true, 'nothing-due', 1],
    [false, 'ran', 2],
  ] as const)(
    'one that was killed before its finished pack had its name (the chain names it: %s) gets that name, and is not made again',
    async (isNamed, code, entries) => {
      const at = '2026-03-01T02:00:00.000Z'
      const kit = kitOf()
      kit.setClock(at)
      const pack = `${kit.schedule.out}/run-${at}/run-${at}.barewitness.zip`
      const prepared = preparedPath(pack, 'ab'.repeat(32))
      const during = async (): Promise<void> => {
        const seal = new TextEncoder().encode(isNamed ? `run-${at} ${at}` : 'of another pack')
        must(await kit.ports.packs.write(prepared, new Map<string, Uint8Array>([[PATHS.tagManifest, seal]])))
        await kit.enter(ranAt(at))
        throw new Error('killed')
      }
      await expect(kit.start({ during })).rejects.toThrow('killed')
      expect(await startAt(kit, '2026-03-01T02:30:00.000Z')).toMatchObject({ code })
      expect([existsSync(pack), existsSync(prepared)]).toEqual([isNamed, false])
      expect(await kit.dueTimes()).toHaveLength(entries)
    },
  )
  test('a folder that cannot be held, without a holder, is no run in progress', async () => {
    const kit = kitOf()
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    const full: Kit['ports']['files']['hold'] = async () => fail('store.failed', 'EROFS: read-only file system')
    Object.assign(kit.ports, { files: { ...kit.ports.files, hold: full } })
    kit.setClock('2026-03-02T02:00:00.000Z')
    expect(await kit.start()).toMatchObject({ ok: false, error: { code: 'store.failed' } })
  })
  test('a reason is reported once', async () => {
    const kit = kitOf()
    kit.setNodes('identity.missing')
    kit.refuseSigner(fail('identity.missing', 'at 10.0.0.7'))
    expect((await startAt(kit, '2026-03-01T02:00:00.000Z')).failures).toHaveLength(1)
  })
  test('one that was stopped while it waited is served by the next start', async () => {
    const kit = kitOf({ jitterMinutes: 60 })
    const stopped = AbortSignal.abort()
    expect(await startAt(kit, '2026-03-01T02:00:00.000Z', { signal: stopped })).toMatchObject({ code: 'stopped' })
    expect(await startAt(kit, '2026-03-01T02:30:00.000Z')).toMatchObject({
      code: 'ran',
      due: '2026-03-01T02:00:00.000Z',
    })
  })
})

describe('jitter', () => {
  test('is waited for within its bounds, and not by a person', async () => {
    const kit = kitOf({ jitterMinutes: 30 })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    expect(kit.waits).toHaveLength(1)
    expect(kit.waits[0]).toBeGreaterThanOrEqual(0)
    expect(kit.waits[0]).toBeLessThan(30 * 60_000)
    await startAt(kit, '2026-03-02T02:00:00.000Z', { now: true })
    expect(kit.waits).toHaveLength(1)
  })
})

describe('notices', () => {
  const GOOD = [{ name: 'gpu-1', verdicts: { 'a.b': 'satisfied' } }] as const
  const BAD = [{ name: 'gpu-1', verdicts: { 'a.b': 'not-satisfied' } }] as const
  test('watching begins once; then only a change is reported', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    for (const day of ['01', '02', '03']) await startAt(kit, `2026-03-${day}T02:00:00.000Z`)
    expect(kit.notices.map(({ summary }) => summary)).toEqual([
      'Monitoring started: 1 of 1 declared nodes collected; deviations without a risk acceptance: 0.',
    ])
    kit.setNodes(BAD)
    await startAt(kit, '2026-03-04T02:00:00.000Z')
    await startAt(kit, '2026-03-05T02:00:00.000Z')
    expect(kit.notices).toHaveLength(2)
    expect(kit.notices[1]).toMatchObject({ run: 'run-4', due: '2026-03-04T02:00:00.000Z', counts: { contradicted: 1 } })
    expect(kit.notices[1]?.changes[0]).toBe('Deviation without a risk acceptance: Claim of a.b. On gpu-1.')
    kit.setNodes(GOOD)
    await startAt(kit, '2026-03-06T02:00:00.000Z')
    expect(kit.notices[2]?.changes[0]).toBe(
      'Deviation ended: satisfied, not applicable or risk accepted now: Claim of a.b. On gpu-1.',
    )
  })
  test('a failure is reported once, and so is its end', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    kit.setNodes('collector.no-answer')
    await startAt(kit, '2026-03-02T02:00:00.000Z')
    await startAt(kit, '2026-03-03T02:00:00.000Z')
    kit.setNodes(GOOD)
    await startAt(kit, '2026-03-04T02:00:00.000Z')
    expect(kit.notices.slice(1).map(({ changes }) => changes)).toEqual([
      [
        'The run could not be exported: Collector did not start (collector.no-answer). Use an account with a POSIX shell, or use “collect --script”. See “schedule status”.',
      ],
      ['The run was exported; every declared node was collected completely.'],
    ])
    expect(JSON.stringify(kit.notices)).not.toContain('10.0.0.7')
  })
  test('a failure states no count of this night, and the next run no end of missed runs', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    kit.setNodes('collector.no-answer')
    await startAt(kit, '2026-03-02T02:00:00.000Z')
    expect(kit.notices.at(-1)?.summary).toBe(
      '1 change since the previous run. The last exported run, run-1: 1 of 1 declared nodes collected; deviations without a risk acceptance: 0.',
    )
    kit.setNodes(GOOD)
    await startAt(kit, '2026-03-05T02:00:00.000Z')
    await startAt(kit, '2026-03-06T02:00:00.000Z')
    expect(kit.notices.at(-1)?.changes).toEqual([
      'No further scheduled run was missed; the run chain keeps those that were.',
    ])
  })
  test('a failure before any run was exported names no count', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    kit.setNodes('collector.no-answer')
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    expect(kit.notices[0]?.summary).toBe('Monitoring started. No run was exported yet.')
    kit.setNodes(GOOD)
    await startAt(kit, '2026-03-02T02:00:00.000Z')
    expect(JSON.stringify(kit.notices)).not.toContain('it had 0')
  })
  test('the list of starts states an incomplete collection that another exit code hides', async () => {
    const kit = kitOf()
    kit.setNodes([{ name: 'gpu-1', verdicts: null }])
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    expect((await attemptsOf(kit))[0]).toMatchObject({ exit: 0, detail: 'Not every node was collected completely' })
  })
  test('one that was not delivered is kept, reported as a failure, and sent again under the same id', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    kit.refuseNotices(true)
    const outcome = await startAt(kit, '2026-03-01T02:00:00.000Z')
    expect(outcome).toMatchObject({ code: 'ran', failures: [{ code: 'notice.undelivered' }] })
    const state = JSON.parse(readFileSync(`${kit.schedule.out}/schedules/nightly/state.json`, 'utf8'))
    kit.refuseNotices(false)
    await startAt(kit, '2026-03-02T02:00:00.000Z')
    expect(kit.notices.map(({ id }) => id)).toEqual([state.waiting[0].notice.id])
    await startAt(kit, '2026-03-03T02:00:00.000Z')
    expect(kit.notices).toHaveLength(1)
  })
  test('a state file that was changed is reported, and watching begins anew', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    appendFileSync(`${kit.schedule.out}/schedules/nightly/state.json`, ' ')
    await startAt(kit, '2026-03-02T02:00:00.000Z')
    expect(kit.said).toContain('The stored state of earlier runs cannot be read; monitoring starts again.')
    expect(kit.notices).toHaveLength(2)
  })
})

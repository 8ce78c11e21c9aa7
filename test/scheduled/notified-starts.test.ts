import { readdirSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { readAttempts } from '../../main/app/scheduled/plan-run.ts'
import { fail } from '../../main/core/base/failure.ts'
import { must } from '../support/outcomes.ts'
import { type Kit, ranAt, scheduleKit } from '../support/schedule-kit.ts'

const kits: Kit[] = []
const kitOf = (...changes: Parameters<typeof scheduleKit>): Kit => {
  const kit = scheduleKit(...changes)
  kits.push(kit)
  return kit
}
afterEach(() => {
  for (const kit of kits.splice(0)) kit.remove()
})
const startAt = async (kit: Kit, at: string) => {
  kit.setClock(at)
  return must(await kit.start())
}

describe('a folder that is not the one of the schedule', () => {
  test('one that was moved, or is not mounted: nothing is run, created or recorded, and a notification states it', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    await kit.loseFolder()
    kit.setClock('2026-03-03T02:00:00.000Z')
    expect(await kit.start()).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect([kit.runs(), readdirSync(kit.schedule.out)]).toEqual([1, []])
    expect(kit.notices).toHaveLength(2)
    expect(kit.notices[1]).toMatchObject({ run: null, summary: 'No run was started.' })
    expect(kit.notices[1]?.changes[0]).toMatch(/^The folder or the run chain of the schedule could not be used: /)
  })
  test('one with a run chain of its own is not used either', async () => {
    const kit = kitOf()
    await kit.loseFolder()
    await kit.enter(ranAt('2026-03-01T02:00:00.000Z'))
    kit.setClock('2026-03-03T02:00:00.000Z')
    const refused = await kit.start()
    expect(refused).toMatchObject({ ok: false, error: { detail: expect.stringContaining('is not mounted') } })
    expect(await kit.dueTimes()).toEqual(['run 2026-03-01T02:00:00.000Z'])
  })
  test('a full or read-only folder is notified by each start of a timer, and by none of a person', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    const full: Kit['ports']['files']['hold'] = async () => fail('store.failed', 'EROFS at 10.0.0.7')
    Object.assign(kit.ports, { files: { ...kit.ports.files, hold: full } })
    kit.setClock('2026-03-02T02:00:00.000Z')
    await kit.start({ now: true })
    expect(kit.notices).toHaveLength(1)
    await kit.start()
    expect(kit.notices.at(-1)?.changes).toEqual([expect.stringContaining('Write failed (store.failed).')])
    expect(JSON.stringify(kit.notices)).not.toContain('10.0.0.7')
  })
})

describe('starts that end without a notification of their own', () => {
  test('a run that was killed: the next start sends one before its own run, and no second one', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    for (const day of ['02', '03', '04']) {
      kit.setClock(`2026-03-${day}T02:00:00.000Z`)
      await expect(kit.start({ during: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed')
    }
    expect(kit.notices.slice(1).map(({ changes }) => changes)).toEqual([
      ['Earlier scheduled runs were missed; see the run chain.'],
    ])
  })
  test('a lock that is never released: the second due time in a row is notified, and the file is named', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    const lock = `${kit.schedule.out}/schedules/nightly/running/lock.00000000.1.0.0123456789abcdef`
    writeFileSync(lock, '')
    for (const time of ['02T02:00', '02T03:00', '03T02:00', '03T03:00', '04T02:00'])
      expect(await startAt(kit, `2026-03-${time}:00.000Z`)).toMatchObject({ code: 'overlap' })
    expect(kit.notices.slice(1)).toMatchObject([{ at: '2026-03-03T02:00:00.000Z', summary: 'No run was started.' }])
    expect(kit.said.at(-1)).toContain(lock)
  })
  test('a time-stamp that is missing night after night: notified once with its reason, and so is its end', async () => {
    const kit = kitOf({ notify: [{ kind: 'syslog' }] })
    await startAt(kit, '2026-03-01T02:00:00.000Z')
    kit.setShortfalls([{ code: 'timestamp.unreachable', detail: 'at 10.0.0.7' }])
    for (const day of ['02', '03']) await startAt(kit, `2026-03-${day}T02:00:00.000Z`)
    kit.setShortfalls([])
    await startAt(kit, '2026-03-04T02:00:00.000Z')
    expect(kit.notices.slice(1).map(({ changes }) => changes)).toEqual([
      ['The run was exported but is incomplete. Time-stamp authority unreachable (timestamp.unreachable).'],
      ['The run was exported; every declared node was collected completely.'],
    ])
    const [, attempt] = must(await readAttempts(kit.ports, kit.schedule.out, kit.schedule.name))
    expect(attempt?.detail).toBe('Missing: timestamp.unreachable')
  })
})

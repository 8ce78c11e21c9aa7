import { appendFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAttempts } from '../../main/app/scheduled/plan-run.ts'
import { runningFolder, scheduleAttempts } from '../../main/core/base/layout.ts'
import { must } from '../support/outcomes.ts'
import { type Kit, scheduleKit } from '../support/schedule-kit.ts'

let kit: Kit
beforeEach(async () => {
  kit = scheduleKit()
  await startAt('2026-03-01T02:00:00.000Z')
})
afterEach(() => kit.remove())
const startAt = async (at: string) => {
  kit.setClock(at)
  return must(await kit.start())
}

const read = () => readAttempts(kit.ports, kit.schedule.out, 'nightly')

test('a line that was being written does not count, and is cut by the next start', async () => {
  appendFileSync(scheduleAttempts(kit.schedule), '{"id":"0123')
  expect(must(await read())).toHaveLength(1)
  await startAt('2026-03-02T02:00:00.000Z')
  expect(must(await read()).map(({ code }) => code)).toEqual(['ran', 'ran'])
})
test('a whole line that is no start is refused, named, and keeps no run from going', async () => {
  appendFileSync(scheduleAttempts(kit.schedule), '{"id":"0123"}\n')
  expect(await read()).toMatchObject({
    ok: false,
    error: { code: 'input.refused', detail: expect.stringContaining('attempts.jsonl:3') },
  })
  expect(await startAt('2026-03-02T02:00:00.000Z')).toMatchObject({ code: 'ran' })
})
test('the lock of a run is where others can look for it', () =>
  expect(runningFolder({ out: '/o', name: 'n' })).toBe('/o/schedules/n/running'))

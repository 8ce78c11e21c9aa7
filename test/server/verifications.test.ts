import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenEngine } from '../../main/server/edge/services/engagements.ts'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import type { SharedPack } from '../../schemas/ipc-portal.ts'
import { sharedExport } from '../support/portal-kit.ts'
import { answerValue, codeOf, fakeEngine, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

/** Verifications of auditors that the test lets continue, one after the other. */
const held: (() => void)[] = []
let isHeld = false
let [atOnce, most] = [0, 0]

/** The engine, whose verifications wait for the test. */
const heldEngine: OpenEngine = async (folder, desktop, elsewhere) => {
  const engine = await fakeEngine()(folder, desktop, elsewhere)
  const call: typeof engine.call = async (method, input, chosen) => {
    if (!isHeld || !['pack.choose-and-verify', 'pack.re-evaluate'].includes(method))
      return await engine.call(method, input, chosen)
    atOnce += 1
    most = Math.max(most, atOnce)
    await new Promise<void>((resolve) => held.push(resolve))
    const reply = await engine.call(method, input, chosen)
    atOnce -= 1
    return reply
  }
  return { ...engine, call }
}

let kit: TeamKit
let pack: SharedPack
let auditors: readonly Visitor[]
beforeAll(async () => {
  kit = await teamKit({
    openEngine: heldEngine,
    config: (config) => ({
      ...config,
      limits: { signInsPerMinute: 1000, verifications: 1, verificationsWaiting: 1 },
      monitoring: { address: '127.0.0.1', port: 0 },
    }),
  })
  pack = await sharedExport(await kit.as('officer'))
  auditors = await Promise.all(['a', 'b', 'c'].map((subject) => kit.as('auditor', subject)))
  isHeld = true
})
afterAll(async () => await kit.close())

const open = (who: Visitor | undefined) => {
  if (who === undefined) throw new Error('no auditor')
  return who.call('alpha', 'portal.open', { id: pack.id })
}
const gauges = async (): Promise<readonly string[]> =>
  (await (await fetch(`${kit.server.monitoring}/metrics`)).text())
    .split('\n')
    .filter((line) => line.startsWith('barewitness_verifications_'))
const untilWaiting = async (going: number, waiting: number): Promise<void> => {
  const wanted = [`barewitness_verifications_going ${going}`, `barewitness_verifications_waiting ${waiting}`]
  while ((await gauges()).join() !== wanted.join()) await pause()
}
const release = async (): Promise<void> => {
  while (held.length === 0) await pause()
  held.shift()?.()
}

test('auditors verify one after the other; what is beyond the line is refused, and nothing of others is disturbed', async () => {
  const [a, b, c] = auditors
  const first = open(a)
  await untilWaiting(1, 0)
  const second = open(b)
  await untilWaiting(1, 1)
  expect(codeOf(await open(c))).toBe('verification.busy')
  expect(codeOf(await open(a))).toBe('verification.busy')
  expect(codeOf(await open(b))).toBe('verification.busy')
  // What verifies nothing does not wait.
  expect(codeOf((await c?.call('alpha', 'portal.packs', null)) ?? (await first))).toBe('answered')
  await release()
  expect(answerValue<PackReview>(await first).file).toBe(pack.pack)
  await release()
  expect(answerValue<PackReview>(await second).file).toBe(pack.pack)
  expect(most).toBe(1)
  await untilWaiting(0, 0)
})

test('a verification that waits can be stopped, and the next one begins when its turn comes', async () => {
  const [a, b, c] = auditors
  const first = a?.call('alpha', 'pack.re-evaluate', null)
  await untilWaiting(1, 0)
  const second = open(b)
  await untilWaiting(1, 1)
  await b?.call('alpha', 'pack.stop', null)
  expect(codeOf(await second)).toBe('pack.stopped')
  const third = open(c)
  await untilWaiting(1, 1)
  await release()
  await release()
  expect([first && codeOf(await first), codeOf(await third)]).toEqual(['answered', 'answered'])
})

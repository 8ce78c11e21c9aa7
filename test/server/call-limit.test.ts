import { expect, test } from 'vitest'
import type { OpenEngine } from '../../main/server/edge/services/engagements.ts'
import type { Reply } from '../../schemas/ipc.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { codeOf, replyIn, type TeamKit, teamKit } from '../support/team-kit.ts'

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

/** An engine whose calls are answered when the test releases them. */
function heldEngine() {
  const waiting: { readonly method: string; readonly answer: (reply: Reply<unknown> | Error) => void }[] = []
  let calls = 0
  const open: OpenEngine = async () => ({
    call: (method: string) =>
      new Promise((resolve, reject) => {
        calls += 1
        waiting.push({ method, answer: (reply) => (reply instanceof Error ? reject(reply) : resolve(reply as never)) })
      }),
    onEvent: () => () => undefined,
    startDue: async () => ({ ok: true, value: null }),
    recordMissedRun: async () => ({ ok: true, value: null }),
    close: async () => undefined,
  })
  return {
    open,
    calls: () => calls,
    release: async (reply: Reply<unknown> | Error): Promise<void> => {
      while (waiting.length === 0) await pause()
      waiting.shift()?.answer(reply)
    },
  }
}

const kitOver = (open: OpenEngine, limits: { readonly callSeconds: number; readonly callsPerSession?: number }) =>
  teamKit({ openEngine: open, config: (config) => ({ ...config, limits: { signInsPerMinute: 1000, ...limits } }) })

const ends = (kit: TeamKit): readonly unknown[] =>
  kit
    .auditText()
    .split('\n')
    .filter((line) => line.includes('"call-ended"'))
    .map((line) => {
      const { method, subject, of, outcome } = JSON.parse(line)
      return { method, subject, of, outcome }
    })

test('a call that is not answered in time is a named failure, and the same call waits for the same work', async () => {
  const engine = heldEngine()
  const kit = await kitOver(engine.open, { callSeconds: 0.02 })
  const officer = await kit.as('officer')
  const late = await officer.call('alpha', 'fleet.get', null)
  expect([late.status, codeOf(late)]).toEqual([504, 'call.unfinished'])
  const again = await officer.call('alpha', 'fleet.get', null)
  expect([again.status, codeOf(again)]).toEqual([504, 'call.unfinished'])
  const other = await (await kit.as('officer', 'second')).call('alpha', 'fleet.get', null)
  expect([codeOf(other), engine.calls()]).toEqual(['call.unfinished', 2])
  await engine.release({ ok: true, value: 'the first answer' as never })
  while (ends(kit).length === 0) await pause()
  const answer = await officer.call('alpha', 'fleet.get', null)
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { ok: true, value: 'the first answer' }])
  expect(engine.calls()).toBe(2)
  expect(ends(kit)).toEqual([
    { method: 'fleet.get', subject: 'officer', of: { result: 'answered' }, outcome: 'allowed' },
  ])
  // Given once: from then on the call begins anew.
  await officer.call('alpha', 'fleet.get', null)
  expect(engine.calls()).toBe(3)
  await kit.close()
})

test('another input, and an answer that was not asked for in time, are new calls', async () => {
  const engine = heldEngine()
  const kit = await kitOver(engine.open, { callSeconds: 0.02 })
  const officer = await kit.as('officer')
  await officer.call('alpha', 'fleet.remove-nodes', { nodes: ['a'] })
  await officer.call('alpha', 'fleet.remove-nodes', { nodes: ['b'] })
  expect(engine.calls()).toBe(2)
  await engine.release({ ok: true, value: null })
  while (ends(kit).length === 0) await pause()
  kit.pass(3 * 60_000)
  await officer.call('alpha', 'fleet.remove-nodes', { nodes: ['a'] })
  expect(engine.calls()).toBe(3)
  await kit.close()
})

test('the same step with another uploaded file is a new call', async () => {
  const engine = heldEngine()
  const kit = await kitOver(engine.open, { callSeconds: 0.02 })
  const officer = await kit.as('officer')
  const { csrf } = await officer.session('alpha')
  const given = async (content: string): Promise<number> => {
    const sent = await officer.send(
      'POST',
      '/e/alpha/api/upload',
      { 'content-type': 'application/octet-stream', [TEAM_HEADERS.csrf]: csrf, [TEAM_HEADERS.fileName]: 'a.csv' },
      content,
    )
    const upload = replyIn<string>(sent)
    const headers = { [TEAM_HEADERS.upload]: upload.ok ? upload.value : '' }
    return (await officer.call('alpha', 'mappings.import-choose', null, headers)).status
  }
  expect([await given('one'), await given('two'), engine.calls()]).toEqual([504, 504, 2])
  await kit.close()
})

test('how late work ends is in the audit log: a failure by its code, an exception as a defect', async () => {
  const engine = heldEngine()
  const kit = await kitOver(engine.open, { callSeconds: 0.02 })
  const officer = await kit.as('officer')
  await officer.call('alpha', 'node.get', { of: 'run', node: 'node-1' })
  await engine.release({ ok: false, error: { code: 'store.failed', detail: 'the disk is full' } })
  while (ends(kit).length === 0) await pause()
  await officer.call('alpha', 'fleet.get', null)
  await engine.release(new Error('secret'))
  while (ends(kit).length === 1) await pause()
  expect(ends(kit)).toEqual([
    {
      method: 'node.get',
      subject: 'officer',
      of: { of: 'run', node: 'node-1', result: 'store.failed' },
      outcome: 'allowed',
    },
    { method: 'fleet.get', subject: 'officer', of: { result: 'bug' }, outcome: 'allowed' },
  ])
  const failed = await officer.call('alpha', 'fleet.get', null)
  expect([failed.status, codeOf(failed), failed.text.includes('secret')]).toEqual([500, 'bug', false])
  await kit.close()
})

test('unfinished work keeps its place among the calls of the session', async () => {
  const engine = heldEngine()
  const kit = await kitOver(engine.open, { callSeconds: 0.02, callsPerSession: 1 })
  const officer = await kit.as('officer')
  expect((await officer.call('alpha', 'fleet.get', null)).status).toBe(504)
  expect((await officer.call('alpha', 'home.get', null)).status).toBe(429)
  await engine.release({ ok: true, value: null })
  // The place becomes free after the end is in the audit log; a server that keeps it runs into the limit of the test.
  while ((await officer.call('alpha', 'home.get', null)).status === 429) await pause()
  expect(ends(kit)).toHaveLength(1)
  await kit.close()
})

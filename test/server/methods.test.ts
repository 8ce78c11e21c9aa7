import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ok } from '../../main/core/base/failure.ts'
import { ACCESS } from '../../main/server/access.ts'
import { checkAudit } from '../../main/server/audit.ts'
import type { Engine, Method } from '../../schemas/ipc.ts'
import { INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'
import { TEAM_HEADERS, TEAM_ROLES, type TeamRole } from '../../schemas/ipc-team.ts'
import { type Answered, replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

/** An engine that notes what it is asked, and answers null: so every method can be called for every role. */
const asked: string[] = []
const noting: Engine = {
  call: async (method) => {
    asked.push(method)
    return ok(null) as never
  },
  onEvent: () => () => undefined,
  close: async () => undefined,
}

let kit: TeamKit
const visitors = new Map<TeamRole, Visitor>()
beforeAll(async () => {
  // Inputs are judged by their schemas in other tests: here each call must reach the table.
  const sealer = { name: 'chen', engagement: 'alpha', tokenDigest: 'a'.repeat(64), certificate: 'c'.repeat(64) }
  kit = await teamKit({
    openEngine: async () => ({
      ...noting,
      startDue: async () => ({ ok: true, value: null }),
      recordMissedRun: async () => ({ ok: true, value: null }),
    }),
    problems: () => [],
    config: (config) => ({ ...config, sealers: [sealer] }),
  })
  for (const role of TEAM_ROLES) visitors.set(role, await kit.as(role))
})
afterAll(async () => await kit.close())

const visitor = (role: TeamRole): Visitor => {
  const found = visitors.get(role)
  if (found === undefined) throw new Error(`no visitor ${role}`)
  return found
}

/** Fits what every method asks of an input besides the role, and names nothing that is there. */
const INPUT = {
  identity: null,
  of: 'pack',
  id: '0'.repeat(32),
  handle: '0'.repeat(32),
  note: '',
  to: null,
  reason: '',
  file: '',
  label: '',
  until: '',
  title: '',
  text: '',
  due: '',
  comment: '',
}

async function callAs(role: TeamRole, method: Method): Promise<Answered> {
  const rule = ACCESS[method]
  const one = visitor(role)
  if (!('served' in rule) || rule.served !== 'upload' || !rule.roles.includes(role))
    return await one.call('alpha', method, INPUT)
  const { csrf } = await one.session('alpha')
  const sent = await one.send(
    'POST',
    '/e/alpha/api/upload',
    { 'content-type': 'application/octet-stream', [TEAM_HEADERS.csrf]: csrf, [TEAM_HEADERS.fileName]: 'a.csv' },
    'x',
  )
  const upload = replyIn<string>(sent)
  return await one.call('alpha', method, INPUT, { [TEAM_HEADERS.upload]: upload.ok ? upload.value : '' })
}

describe.each(TEAM_ROLES)('as %s', (role) => {
  test.each(Object.keys(INPUT_SCHEMAS) as Method[])('%s', async (method) => {
    const rule = ACCESS[method]
    asked.length = 0
    const answered = await callAs(role, method)
    if (role === 'administrator') {
      // The same answer as for an engagement that does not exist.
      expect([answered.status, asked]).toEqual([404, []])
    } else if ('roles' in rule && rule.roles.includes(role)) {
      // A draft that is shared is saved by the engine; the portal answers everything else by itself.
      const byEngine = rule.served !== 'portal' ? [method] : method === 'portal.share' ? ['export.save'] : []
      expect([answered.status, asked]).toEqual([200, byEngine])
    } else {
      expect([answered.status, asked]).toEqual([403, []])
      const reply = replyIn(answered)
      expect(reply.ok ? null : reply.error.code).toBe('access.refused')
      if ('refused' in rule) expect(reply.ok ? '' : reply.error.detail).toBe(rule.refused)
    }
  })
})

test('without a sealer, a signature is refused where an unsigned entry is served', async () => {
  asked.length = 0
  const officer = await kit.as('officer', 'beta-only')
  expect((await officer.call('beta', 'register.sign', INPUT)).status).toBe(403)
  expect((await officer.call('beta', 'responses.set', { identity: 'acme' })).status).toBe(403)
  expect(asked).toEqual([])
  expect((await officer.call('beta', 'responses.set', { identity: null })).status).toBe(200)
  expect((await visitor('officer').call('alpha', 'responses.set', { identity: 'acme' })).status).toBe(200)
})

test('every call and refusal of a member is in the audit log, which is intact', () => {
  const text = kit.auditText()
  expect(checkAudit(text).intact).toBe(true)
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; method: string | null; role: string | null; outcome: string })
  for (const method of Object.keys(INPUT_SCHEMAS) as Method[])
    for (const role of TEAM_ROLES.filter((one) => one !== 'administrator')) {
      const rule = ACCESS[method]
      const outcome = 'roles' in rule && rule.roles.includes(role) ? 'allowed' : 'refused'
      const found = entries.some(
        (entry) => entry.kind === 'call' && entry.method === method && entry.role === role && entry.outcome === outcome,
      )
      expect(found, `${method} ${role} ${outcome}`).toBe(true)
    }
})

import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fail, ok } from '../../main/core/base/failure.ts'
import type { SessionStore, StoredSession } from '../../main/core/team/session-store.ts'
import { SESSION_ACCESS, type ServerRole, type SessionMethod, sessionRefusal } from '../../main/server/access.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { SESSION_PATHS } from '../../main/server/routes.ts'
import type { ExportDraft, ExportPlan } from '../../schemas/ipc-packs.ts'
import { TEAM_HEADERS, TEAM_ROLES } from '../../schemas/ipc-team.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { closedAfterEach } from '../support/closing.ts'
import { newSigner, startSealer, withSealers } from '../support/sealer-kit.ts'
import { type SessionsUnderTest, sessionsContract } from '../support/sessions-contract.ts'
import { type Answered, replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

/** As a database keeps them. */
function memoryStore(): SessionStore {
  const kept = new Map<string, StoredSession>()
  return {
    load: async () => ok([...kept.values()]),
    add: async (one) => {
      kept.set(one.hash, one)
      return ok(null)
    },
    use: async () => ok(null),
    remove: async (hash) => {
      kept.delete(hash)
      return ok(null)
    },
  }
}
const underTest = (store: SessionStore | null): SessionsUnderTest => ({
  store: async () => store,
  dispose: async () => undefined,
})
sessionsContract('without a store', async () => underTest(null))
sessionsContract('with a store', async () => underTest(memoryStore()))

const METHODS = Object.keys(SESSION_ACCESS) as SessionMethod[]
const ROLES: readonly ServerRole[] = [...TEAM_ROLES, null]
const EVERYONES: readonly SessionMethod[] = ['sessions.own', 'sessions.end-own', 'sessions.end-all-own']

test.each(METHODS.flatMap((method) => ROLES.map((role) => [method, role] as const)))('%s for %s', (method, role) => {
  const may = EVERYONES.includes(method) || role === 'administrator'
  expect(sessionRefusal(role, method) === null).toBe(may)
})

const rowsIn = ({ text }: Answered): readonly string[] =>
  [...((text.split('<tbody>')[1] ?? '').split('</tbody>')[0]?.matchAll(/<tr>.*?<\/tr>/gs) ?? [])].map(([row]) => row)
const publicIdIn = (row: string): string => /name="session" value="([0-9a-f]{32})"/.exec(row)?.[1] ?? ''
const csrfIn = ({ text }: Answered): string => /name="csrf" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? ''

/** Sends a form of a page of sessions, as a browser does. */
async function sendForm(one: Visitor, method: SessionMethod, session = '', csrf?: string): Promise<Answered> {
  const token = csrf ?? csrfIn(await one.send('GET', SESSION_PATHS['sessions.own']))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return await one.send(
    'POST',
    SESSION_PATHS[method],
    headers,
    new URLSearchParams({ csrf: token, session }).toString(),
  )
}
const listed = async (one: Visitor, method: 'sessions.own' | 'sessions.list' = 'sessions.list') =>
  rowsIn(await one.send('GET', SESSION_PATHS[method]))
const rowOf = async (one: Visitor, name: string): Promise<string> =>
  (await listed(one)).find((row) => row.includes(`row">${name}<`)) ?? ''
const statusOf = async (one: Visitor): Promise<number> => (await one.call('alpha', 'fleet.get', null)).status
const entriesOf = ({ auditText }: TeamKit, kind: string) =>
  auditText()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((one) => one.kind === kind)

const open = closedAfterEach()
async function ownKit(...options: Parameters<typeof teamKit>): Promise<TeamKit> {
  const kit = await teamKit(...options)
  open.push(() => kit.close())
  return kit
}

describe('over HTTP', () => {
  let kit: TeamKit
  let administrator: Visitor
  beforeAll(async () => {
    kit = await teamKit()
    administrator = await kit.as('administrator')
  })
  afterAll(async () => await kit.close())

  test.each(METHODS.flatMap((method) => TEAM_ROLES.map((role) => [method, role] as const)))(
    '%s as %s',
    async (method, role) => {
      const one = await kit.as(role, `${role} of ${method}`)
      const answered =
        SESSION_ACCESS[method].verb === 'GET'
          ? await one.send('GET', SESSION_PATHS[method])
          : await sendForm(one, method, 'f'.repeat(32))
      const mayEnd = method === 'sessions.end-all-own' ? 303 : SESSION_ACCESS[method].verb === 'GET' ? 200 : 404
      expect(answered.status).toBe(sessionRefusal(role, method) === null ? mayEnd : 403)
      if (answered.status === 403)
        expect(entriesOf(kit, 'call').at(-1)).toMatchObject({ method, role, outcome: 'refused' })
    },
  )

  test('administrators see who is signed in, and neither ids nor hashes of sessions', async () => {
    const officer = await kit.as('officer', 'seen')
    const both = kit.visitor()
    await both.signIn({ sub: 'beta-only', name: 'Sam <both>', roles: 'operator', groups: ['team'] })
    const page = await administrator.send('GET', SESSION_PATHS['sessions.list'])
    const row = rowsIn(page).find((one) => one.includes('row">seen<')) ?? ''
    for (const part of [
      '<td>officer</td>',
      '<td>alpha</td>',
      'identity provider',
      new Date().toISOString().slice(0, 10),
    ])
      expect(row).toContain(part)
    expect(rowsIn(page).find((one) => one.includes('Sam &#60;both&#62;<br>beta-only'))).toContain('alpha<br>beta')
    const { hash } = { hash: officer.cookies.get('barewitness') ?? '' }
    expect(hash).not.toBe('')
    expect(page.text).not.toContain(hash)
    // The token of the forms, and public ids.
    const known = new Set([csrfIn(page), ...rowsIn(page).map(publicIdIn)])
    expect([...page.text.matchAll(/[0-9a-f]{32,}/g)].filter(([one]) => !known.has(one))).toEqual([])
  })

  test('a session that an administrator ended has no access, and others of the person go on', async () => {
    const [first, second] = [await kit.as('officer', 'ended'), await kit.as('officer', 'ended')]
    const [row = '', other = ''] = (await listed(administrator)).filter((one) => one.includes('row">ended<'))
    const answered = await sendForm(administrator, 'sessions.end', publicIdIn(row))
    expect([answered.status, answered.headers.location]).toEqual([303, SESSION_PATHS['sessions.list']])
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
    expect(entriesOf(kit, 'session-ended').at(-1)).toMatchObject({
      subject: 'administrator',
      role: 'administrator',
      method: 'sessions.end',
      of: { session: publicIdIn(row), person: 'ended' },
    })
    expect((await sendForm(administrator, 'sessions.end', publicIdIn(row))).status).toBe(404)
    expect((await sendForm(administrator, 'sessions.end-person', publicIdIn(other))).status).toBe(303)
    expect([await statusOf(second), checkAudit(kit.auditText()).intact]).toEqual([401, true])
  })

  test('all sessions of a person end with one step, and each has its entry', async () => {
    const visitors = [
      await kit.as('officer', 'many'),
      await kit.as('officer', 'many'),
      await kit.as('officer', 'other'),
    ]
    const row = await rowOf(administrator, 'many')
    expect(row).toContain('End all 2')
    expect((await sendForm(administrator, 'sessions.end-person', publicIdIn(row))).status).toBe(303)
    expect(await Promise.all(visitors.map(statusOf))).toEqual([401, 401, 200])
    const ended = entriesOf(kit, 'session-ended').filter(({ method }) => method === 'sessions.end-person')
    expect(ended.slice(-2)).toMatchObject([{ of: { person: 'many' } }, { of: { person: 'many' } }])
  })

  test('people see and end their own sessions, and those of no one else', async () => {
    const [here, there, other] = [
      await kit.as('auditor', 'own'),
      await kit.as('auditor', 'own'),
      await kit.as('officer'),
    ]
    const rows = await listed(here, 'sessions.own')
    expect([rows.length, rows.filter((row) => row.includes('this session')).length]).toEqual([2, 1])
    const [theirs = ''] = await listed(other, 'sessions.own')
    expect((await sendForm(here, 'sessions.end-own', publicIdIn(theirs))).status).toBe(404)
    expect(
      (await sendForm(here, 'sessions.end-own', publicIdIn(rows.find((row) => !row.includes('this')) ?? ''))).status,
    ).toBe(303)
    const status = async (one: Visitor) => (await one.send('GET', '/e/alpha/api/session')).status
    expect([await status(here), await status(there), await status(other)]).toEqual([200, 401, 200])
    const again = await kit.as('auditor', 'own')
    const answered = await sendForm(here, 'sessions.end-all-own')
    expect([answered.status, answered.headers.location, here.cookies.has('barewitness')]).toEqual([303, '/', false])
    expect([await status(again), await status(other)]).toEqual([401, 200])
  })

  test('a person who entered by invitation alone sees how they signed in, and can sign out everywhere', async () => {
    const own = await ownKit()
    const officer = await own.as('officer')
    const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const invited = replyIn<{ link: string }>(await officer.call('alpha', 'portal.invite', { label: 'A', until }))
    const guest = own.visitor()
    const begun = await guest.send(
      'GET',
      new URL(invited.ok ? invited.value.link : '').pathname.replace('/invitation', '/auth/invitation'),
    )
    await guest.send('GET', own.provider.approve(begun.headers.location ?? '', { sub: 'guest', name: 'guest' }))
    expect(await listed(guest, 'sessions.own')).toMatchObject([expect.stringContaining('by an invitation')])
    const row = await rowOf(await own.as('administrator'), 'guest')
    expect(row).toContain('<td>none</td><td>alpha (auditor)</td>')
    expect((await sendForm(guest, 'sessions.end-all-own')).status).toBe(303)
    expect((await guest.send('GET', SESSION_PATHS['sessions.own'])).headers.location).toBe('/')
  })

  test('forms of other pages, without a session, and for what is not there change nothing', async () => {
    const one = await kit.as('officer', 'kept')
    const [row = ''] = await listed(one, 'sessions.own')
    expect((await sendForm(one, 'sessions.end-own', publicIdIn(row), '0'.repeat(64))).status).toBe(403)
    expect((await sendForm(kit.visitor(), 'sessions.end-all-own', '', '0'.repeat(64))).status).toBe(401)
    for (const wrong of ['', 'x', '__proto__', '0'.repeat(32)])
      expect((await sendForm(one, 'sessions.end-own', wrong)).status).toBe(404)
    expect(await statusOf(one)).toBe(200)
  })
})

/** The events of a page, until the server ends them. */
function streamOf(kit: TeamKit, one: Visitor): Promise<{ readonly ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const headers = { cookie: `barewitness=${one.cookies.get('barewitness')}` }
    const { port } = new URL(kit.server.origin)
    request({ port, host: '127.0.0.1', path: '/e/alpha/api/events', headers }, (response) => {
      const ended = new Promise<void>((end) => void response.on('end', end))
      response.once('data', () => resolve({ ended }))
      response.resume()
    })
      .on('error', reject)
      .end()
  })
}

describe('what a session had open', () => {
  test('its event streams close at once, and no others', async () => {
    // No heartbeat, which looks for the session as well.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const kit = await ownKit()
    const [administrator, ended, other] = [
      await kit.as('administrator'),
      await kit.as('officer', 'x'),
      await kit.as('officer', 'y'),
    ]
    const streams = [await streamOf(kit, ended), await streamOf(kit, ended)]
    const kept = await streamOf(kit, other)
    let isOver = false
    void kept.ended.then(() => (isOver = true))
    await sendForm(administrator, 'sessions.end', publicIdIn(await rowOf(administrator, 'x')))
    await Promise.all(streams.map((one) => one.ended))
    expect(isOver).toBe(false)
    expect((await ended.send('GET', '/e/alpha/api/events')).status).toBe(401)
  })

  test('a call whose body arrives after the end is not made', async () => {
    const limits = { callsPerSession: 1, signInsPerMinute: 100 }
    const kit = await ownKit({ config: (config) => ({ ...config, limits }) })
    const [administrator, officer] = [await kit.as('administrator'), await kit.as('officer', 'slow')]
    const { csrf } = await officer.session('alpha')
    const { port } = new URL(kit.server.origin)
    const headers = {
      cookie: `barewitness=${officer.cookies.get('barewitness')}`,
      'content-type': 'application/json',
      'content-length': 4,
      [TEAM_HEADERS.csrf]: csrf,
    }
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/e/alpha/api/call/fleet.get', headers })
    const status = new Promise<number>((resolve) =>
      sent.on('response', (response) => resolve(response.statusCode ?? 0)),
    )
    sent.write('nu')
    // Until it has the only place.
    while ((await officer.call('alpha', 'no.such', null)).status !== 429) await sleep(10)
    await sendForm(administrator, 'sessions.end', publicIdIn(await rowOf(administrator, 'slow')))
    sent.end('ll')
    expect(await status).toBe(401)
    expect(entriesOf(kit, 'call').filter(({ method }) => method === 'fleet.get')).toEqual([])
  })

  test.each(['an administrator', 'signing out'])(
    'a signature that waits for its signer is withdrawn by %s',
    async (by) => {
      const signer = newSigner('J. Chen')
      const kit = await ownKit({ config: (config) => withSealers(config, signer) })
      const [administrator, officer, other] = [
        await kit.as('administrator'),
        await kit.as('officer', 'asks'),
        await kit.as('officer', 'other'),
      ]
      await officer.call('alpha', 'run.start', { nodes: [], only: 'all' })
      const going = async () => replyIn<{ going: boolean }>(await officer.call('alpha', 'run.status', null))
      for (let status = await going(); status.ok && status.value.going; status = await going()) await sleep(20)
      let confirm = (_: boolean): void => undefined
      let isAsked = false
      const confirms = async () => {
        isAsked = true
        return await new Promise<boolean>((resolve) => (confirm = resolve))
      }
      const sealer = startSealer(kit.server.origin, signer, { confirms })
      open.push(async () => {
        confirm(true)
        await sealer.stop()
      })
      const plan = async () => replyIn<ExportPlan>(await officer.call('alpha', 'export.plan', null))
      for (let now = await plan(); now.ok && now.value.identities.length === 0; now = await plan()) await sleep(20)
      const wanted = { frameworks: ['hipaa', 'soc2'], identity: 'chen', timestamp: false, also: [], redact: null }
      const built = officer.call('alpha', 'export.build', wanted)
      while (!isAsked) await sleep(10)
      if (by === 'an administrator')
        await sendForm(administrator, 'sessions.end', publicIdIn(await rowOf(administrator, 'asks')))
      else await sendForm(officer, 'sessions.end-all-own')
      // Work that had begun is answered.
      expect(replyIn<ExportDraft>(await built)).toMatchObject({ ok: false, error: { code: 'access.ended' } })
      confirm(true)
      // What the signer confirms now is used for nothing.
      while (!sealer.events.some(({ kind }) => kind === 'too-late')) await sleep(20)
      expect(entriesOf(kit, 'signature')).toEqual([])
      expect(await statusOf(other)).toBe(200)
    },
  )

  test('a database that is away: without access from then on, and stated', async () => {
    let isAway = false
    const store = memoryStore()
    const away = async () => fail('database.unreachable', 'away')
    const kit = await ownKit({
      database: {
        isReachable: async () => !isAway,
        sessionStore: () => ({ ...store, remove: (hash) => (isAway ? away() : store.remove(hash)) }),
      },
    })
    const [administrator, officer] = [await kit.as('administrator'), await kit.as('officer', 'x')]
    isAway = true
    const id = publicIdIn(await rowOf(administrator, 'x'))
    expect((await sendForm(administrator, 'sessions.end', id)).status).toBe(503)
    expect([await statusOf(officer), await rowOf(administrator, 'x')]).toEqual([
      401,
      expect.stringContaining('end it again'),
    ])
    isAway = false
    expect((await sendForm(administrator, 'sessions.end', id)).status).toBe(303)
    expect(await rowOf(administrator, 'x')).toBe('')
  })
})

describe('people whom the configuration no longer names', () => {
  const entering = (config: TeamConfig, people: readonly string[], groups: readonly string[] = []): TeamConfig => {
    const [alpha, ...others] = config.engagements
    return { ...config, engagements: [{ ...alpha, enter: { people: [...people], groups: [...groups] } }, ...others] }
  }
  const configured = async (change = (config: TeamConfig) => config) => {
    const running: TeamConfig[] = []
    const kit = await ownKit({
      config: (config) => {
        running.push(change(config))
        return change(config)
      },
    })
    const [config] = running
    if (config === undefined) throw new Error('no configuration')
    return { kit, config }
  }
  test('after a reload: signed out with their pages, and others not', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { kit, config } = await configured((one) => entering(one, ['leaves', 'stays']))
    const [leaves, stays, administrator] = [
      await kit.as('officer', 'leaves'),
      await kit.as('officer', 'stays'),
      await kit.as('administrator'),
    ]
    const stream = await streamOf(kit, leaves)
    expect((await kit.server.reload(entering(config, ['stays', 'comes']))).ok).toBe(true)
    await stream.ended
    expect([await statusOf(leaves), await statusOf(stays)]).toEqual([401, 200])
    expect([await rowOf(administrator, 'leaves'), (await kit.as('officer', 'comes')).cookies.size]).toEqual(['', 1])
    expect(entriesOf(kit, 'session-ended')).toMatchObject([{ subject: null, of: { person: 'leaves' } }])
    expect(entriesOf(kit, 'reload')).toMatchObject([{ of: { entered: 'alpha' } }])
    // They sign in again, and find nothing.
    const again = await kit.as('officer', 'leaves')
    expect([await statusOf(again), (await again.send('GET', '/e/alpha/')).status]).toEqual([404, 404])
    expect(await rowOf(administrator, 'leaves')).toContain('<td>none</td>')
  })
  test('after a reload in which another rule still names them: they stay signed in', async () => {
    const { kit, config } = await configured()
    const officer = await kit.as('officer')
    expect((await kit.server.reload(entering(config, ['officer']))).ok).toBe(true)
    expect([await statusOf(officer), entriesOf(kit, 'session-ended')]).toEqual([200, []])
  })
  test('after a reload with other roles: nothing changes before a start', async () => {
    const { kit, config } = await configured()
    const officer = await kit.as('officer')
    expect((await kit.server.reload({ ...config, roles: { officer: 'auditor' } })).ok).toBe(false)
    expect(await statusOf(officer)).toBe(200)
  })
  test('after a start with the sessions that were kept: their session enters nothing', async () => {
    const store = memoryStore()
    const database = { isReachable: async () => true, sessionStore: () => store }
    const before = await ownKit({ database, config: (config) => entering(config, ['leaves', 'stays']) })
    const [leaves, stays] = [await before.as('officer', 'leaves'), await before.as('officer', 'stays')]
    const after = await ownKit({ database, config: (config) => entering(config, ['stays']) })
    const moved = ({ cookies }: Visitor): Visitor => {
      const one = after.visitor()
      for (const [name, value] of cookies) one.cookies.set(name, value)
      return one
    }
    const status = async (one: Visitor) => (await moved(one).send('GET', '/e/alpha/api/session')).status
    expect([await status(leaves), await status(stays)]).toEqual([404, 200])
  })
})

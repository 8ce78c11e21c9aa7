import { afterEach, expect, test, vi } from 'vitest'
import { may, signedIn } from '../../renderer/models/team.ts'
import { keepSignedIn, openTeamBridge } from '../../renderer/state/team-bridge.ts'
import { TEAM_HEADERS, type TeamSession } from '../../schemas/ipc-team.ts'

const SESSION: TeamSession = {
  name: 'Sam',
  role: 'auditor',
  engagement: 'alpha',
  csrf: 'token',
  may: ['fleet.get', 'acceptances.save'],
}

// Files share modules: the page is left as it was found.
afterEach(async () => {
  serverWith({})
  await openTeamBridge()
  vi.unstubAllGlobals()
})

/** Answers requests by address, and notes them. */
function serverWith(replies: Readonly<Record<string, Response>>): {
  readonly asked: [string, RequestInit][]
  readonly left: string[]
} {
  const asked: [string, RequestInit][] = []
  const left: string[] = []
  vi.stubGlobal('fetch', async (address: string, request: RequestInit) => {
    asked.push([address, request])
    const reply = replies[address]
    if (reply === undefined) throw new Error('no network')
    return reply.clone()
  })
  vi.stubGlobal('location', { assign: (to: string) => left.push(to) })
  return { asked, left }
}
const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers })

test('in the window, everything is offered', () => {
  expect([signedIn(), may('run.start')]).toEqual([null, true])
})

test('without a session the page leaves for the sign-in', async () => {
  const { left } = serverWith({ 'api/session': json({ ok: false, error: { code: 'access.ended', detail: '' } }, 401) })
  expect(await openTeamBridge()).toBeNull()
  expect(left).toContain('/')
})

test('calls carry the token, replies and refusals come through, and a file is offered for download', async () => {
  const refusal = { ok: false, error: { code: 'access.refused', detail: 'why' } }
  const { asked, left } = serverWith({
    'api/session': json({ ok: true, value: SESSION }),
    'api/call/fleet.get': json({ ok: true, value: null }),
    'api/call/documents.add': json(refusal, 403),
    'api/call/acceptances.save': json({ ok: true, value: { file: 'a.csv' } }, 200, {
      [TEAM_HEADERS.download]: 'api/download/1',
    }),
    'api/call/home.get': new Response('<html>', { status: 502 }),
    'api/call/runs.list': json({ ok: false, error: { code: 'access.ended', detail: '' } }, 401),
  })
  const clicked: string[] = []
  vi.stubGlobal('document', {
    createElement: (name: string) => {
      if (name !== 'a') throw new Error('a refused method must open no choice of files')
      const link = { href: '', download: 'x', click: () => clicked.push(link.href) }
      return link
    },
  })
  const bridge = await openTeamBridge()
  if (bridge === null) throw new Error('no bridge')
  expect([may('fleet.get'), may('run.start'), signedIn()?.role]).toEqual([true, false, 'auditor'])
  expect(await bridge.call('fleet.get', null)).toEqual({ ok: true, value: null })
  const [, request] = asked.at(-1) ?? []
  expect(request?.headers).toMatchObject({ [TEAM_HEADERS.csrf]: 'token', 'content-type': 'application/json' })
  expect(request?.body).toBe('null')
  expect(await bridge.call('documents.add', {} as never)).toEqual(refusal)
  await bridge.call('acceptances.save', null)
  expect(clicked).toEqual(['api/download/1'])
  for (const method of ['home.get', 'engagement.get'] as const) {
    const reply = await bridge.call(method, null as never)
    expect(reply.ok ? null : reply.error.code).toBe('access.refused')
  }
  expect(left).toEqual([])
  await bridge.call('runs.list', null)
  expect(left).toEqual(['/'])
})

test('a step that the server did not finish in time is asked for again, and not for ever', async () => {
  const unfinished = json({ ok: false, error: { code: 'call.unfinished', detail: '' } }, 504)
  const { asked } = serverWith({
    'api/session': json({ ok: true, value: SESSION }),
    'api/call/fleet.get': unfinished,
  })
  const bridge = await openTeamBridge()
  expect(await bridge?.call('fleet.get', null)).toMatchObject({ ok: false, error: { code: 'call.unfinished' } })
  expect(asked.filter(([address]) => address === 'api/call/fleet.get')).toHaveLength(5)
  let left = 2
  vi.stubGlobal('fetch', async () => {
    left -= 1
    return left > 0 ? unfinished.clone() : json({ ok: true, value: null })
  })
  expect(await bridge?.call('fleet.get', null)).toEqual({ ok: true, value: null })
})

test('typing without a call keeps the session, with one request in half a minute', async () => {
  const { asked } = serverWith({
    'api/session': json({ ok: true, value: SESSION }),
    'api/call/app.info': json({ ok: true, value: null }),
  })
  const listeners: (() => void)[] = []
  const types = (): void => {
    for (const listener of listeners) listener()
  }
  vi.stubGlobal('addEventListener', (kind: string, listener: () => void) => {
    if (kind === 'input') listeners.push(listener)
  })
  let now = 0
  vi.stubGlobal('performance', { now: () => now })
  await openTeamBridge()
  keepSignedIn()
  const calls = () => asked.filter(([address]) => address === 'api/call/app.info').length
  const counts = [0, 29_999, 30_000, 30_001, 60_000].map((at) => {
    now = at
    types()
    return calls()
  })
  expect(counts).toEqual([0, 0, 1, 1, 2])
})

test('what a page asks by itself is marked, so that it is no use of the session', async () => {
  const { asked } = serverWith({
    'api/session': json({ ok: true, value: SESSION }),
    'api/call/fleet.get': json({ ok: true, value: null }),
  })
  const listeners: [kind: string, listener: () => void][] = []
  vi.stubGlobal('addEventListener', (...given: [string, () => void]) => listeners.push(given))
  let now = 0
  vi.stubGlobal('performance', { now: () => now })
  const bridge = await openTeamBridge()
  keepSignedIn()
  const marks: boolean[] = []
  const ask = async (at: number): Promise<void> => {
    now = at
    await bridge?.call('fleet.get', null)
    marks.push(new Headers(asked.at(-1)?.[1].headers).has(TEAM_HEADERS.unattended))
  }
  await ask(1)
  await ask(600_000)
  for (const [kind, listener] of listeners) if (kind === 'pointerdown') listener()
  await ask(600_001)
  await ask(660_000)
  expect(marks).toEqual([false, true, false, true])
})

import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StartingEngine } from '../../main/app/engine.ts'
import { ok } from '../../main/core/base/failure.ts'
import { ACCESS, decide, SESSION_ACCESS, type SessionMethod, sessionRefusal } from '../../main/server/access.ts'
import { COLLECTOR_VERBS, type CollectorVerb, SEALER_VERBS, type SealerVerb } from '../../main/server/program-access.ts'
import { SESSION_PATHS, type Wanted, wantedBy } from '../../main/server/routes.ts'
import type { Method } from '../../schemas/ipc.ts'
import { INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'
import { TEAM_HEADERS, type TeamRole } from '../../schemas/ipc-team.ts'
import { allCallers, CALLERS, type Caller, type CallerName, withPrograms } from '../support/team-callers.ts'
import { type Answered, answerValue, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'
import { sampled } from '../support/thorough.ts'

/** Every address of the server with every kind of caller: what is answered follows from the tables of access alone. */

/** Answers null to everything: what is tested here is decided before an engine is asked. */
const silent: StartingEngine = {
  call: async () => ok(null) as never,
  onEvent: () => () => undefined,
  startDue: async () => ok(null),
  recordMissedRun: async () => ok(null),
  close: async () => undefined,
}

let kit: TeamKit
let callers: Readonly<Record<CallerName, Caller>>
beforeAll(async () => {
  kit = await teamKit({
    openEngine: async () => silent,
    problems: () => [],
    config: (config) => withPrograms({ ...config, monitoring: { address: '127.0.0.1', port: 0 } }),
  })
  callers = await allCallers(kit)
})
afterAll(async () => await kit.close())

/** Status, and code of a failure: null for an answer that has none. */
type Expected = readonly [status: number, code: string | null]
const OK: Expected = [200, null]
const NO_SESSION: Expected = [401, 'access.ended']
const NO_SUCH: Expected = [404, 'input.not-found']
const NOT_ALLOWED: Expected = [403, 'access.refused']
const UNKNOWN_TOKEN: Expected = [401, 'access.refused']

/** The role of a caller in alpha; null for a person who is signed in and may not enter it; undefined without a session. */
const ROLE_IN_ALPHA: Readonly<Record<CallerName, TeamRole | null | undefined>> = {
  ...({ officer: 'officer', operator: 'operator', auditor: 'auditor', guest: 'auditor' } as const),
  ...{ administrator: null, 'officer-of-beta': null, 'officer-of-none': null },
  ...{ nobody: undefined, expired: undefined, ended: undefined, 'unknown-token': undefined },
  ...{ collector: undefined, 'collector-of-beta': undefined, sealer: undefined, 'sealer-of-beta': undefined },
}
/** At the identity provider, of those who have a session. */
const SERVER_ROLE: Partial<Readonly<Record<CallerName, TeamRole | null>>> = {
  ...({ officer: 'officer', operator: 'operator', auditor: 'auditor', administrator: 'administrator' } as const),
  ...({ guest: null, 'officer-of-beta': 'officer', 'officer-of-none': 'officer' } as const),
}

/** In alpha: without a session, then without access, then by role. */
const inAlpha = (by: CallerName, ofRole: (role: TeamRole) => Expected, withoutSession = NO_SESSION): Expected => {
  const role = ROLE_IN_ALPHA[by]
  if (role === undefined) return withoutSession
  return role === null ? NO_SUCH : ofRole(role)
}

interface Request {
  readonly verb: string
  readonly target: string
  readonly type?: string
  readonly body?: string
}

const [ID, LONG_ID] = ['0'.repeat(32), '0'.repeat(64)]
const JSON_TYPE = 'application/json'
const BYTES = 'application/octet-stream'

const whole = (answered: Answered): Expected => [answered.status, codeIn(answered)]
function codeIn({ text, headers }: Answered): string | null {
  if (!String(headers['content-type']).startsWith('application/json')) return null
  const reply = JSON.parse(text) as { readonly ok: boolean; readonly error?: { readonly code: string } }
  return reply.ok ? null : (reply.error?.code ?? '')
}

const sentBy = async (name: CallerName, { verb, target, type, body = '' }: Request): Promise<Expected> => {
  const { visitor, headers, csrf } = callers[name]
  const typed = type === undefined ? {} : { 'content-type': type }
  const cookies = new Map(visitor.cookies)
  const answered = await visitor.send(
    verb,
    target,
    { ...typed, [TEAM_HEADERS.csrf]: csrf, [TEAM_HEADERS.fileName]: 'a.csv', ...headers },
    body,
  )
  // A sign-in that is begun leaves a cookie, and the next request shall be of the same caller.
  visitor.cookies.clear()
  for (const [key, value] of cookies) visitor.cookies.set(key, value)
  return whole(answered)
}

interface Route {
  readonly request: Request
  readonly expected: (by: CallerName) => Expected
}

const get = (target: string, expected: Route['expected']): Route => ({ request: { verb: 'GET', target }, expected })
const anyone =
  (...expected: Expected) =>
  (): Expected =>
    expected

/** What each kind of route answers; a kind without a line does not compile. Those with a table of their own are below. */
const ROUTES: Readonly<Record<Exclude<Wanted['kind'], 'wrong-verb'>, Route | null>> = {
  start: get('/', anyone(200, null)),
  style: get('/server.css', anyone(200, null)),
  'sign-in': get('/auth/sign-in', anyone(303, null)),
  invitation: get(`/invitation/${LONG_ID}`, anyone(404, null)),
  accept: get(`/auth/invitation/${LONG_ID}`, anyone(303, null)),
  callback: get('/auth/callback?code=x', anyone(403, null)),
  // With a token of no page: the session stays for the others.
  'sign-out': {
    request: { verb: 'POST', target: '/auth/sign-out', body: `csrf=${LONG_ID}` },
    expected: (by) => [SERVER_ROLE[by] === undefined ? 303 : 403, null],
  },
  page: get('/e/alpha/', (by) => inAlpha(by, anyone(200, null), [303, null])),
  session: get('/e/alpha/api/session', (by) => inAlpha(by, anyone(200, null))),
  download: get(`/e/alpha/api/download/${LONG_ID}`, (by) => inAlpha(by, () => NO_SUCH)),
  upload: {
    request: { verb: 'POST', target: '/e/alpha/api/upload', type: BYTES, body: 'x' },
    expected: (by) => inAlpha(by, (role) => (uploads(role) ? OK : NOT_ALLOWED)),
  },
  unknown: get('/no-such', () => NO_SUCH),
  ...{ call: null, events: null, sessions: null, collector: null, sealer: null },
}

/** Whether a role may call any method that takes a file. */
const uploads = (role: TeamRole): boolean =>
  Object.values(ACCESS).some((rule) => 'served' in rule && rule.served === 'upload' && rule.roles.includes(role))

const single = Object.entries(ROUTES).flatMap(([kind, route]) => (route === null ? [] : [[kind, route] as const]))

describe.each(single)('%s', (kind, { request: asked, expected }) => {
  test.each(CALLERS)('by %s', async (by) => {
    // The sign-out of a page that knows no token is refused in its form, and not by a header.
    if (kind === 'sign-out') {
      const { visitor, headers } = callers[by]
      expect(whole(await visitor.send(asked.verb, asked.target, headers, asked.body))).toEqual(expected(by))
    } else expect(await sentBy(by, asked)).toEqual(expected(by))
  })
  test('is the route of its address', () => {
    expect(wantedBy(asked.verb, asked.target).kind).toBe(kind)
  })
})

describe('events', () => {
  test.each(CALLERS)('by %s', async (by) => {
    const { visitor, headers } = callers[by]
    const { port, host } = new URL(kit.server.origin)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        {
          ...{ port, host: '127.0.0.1', path: '/e/alpha/api/events', agent: false },
          headers: { host, ...headers, ...(cookie === '' ? {} : { cookie }) },
        },
        (response) => {
          sent.destroy()
          resolve(response.statusCode)
        },
      )
      sent.on('error', (problem) => (sent.destroyed ? undefined : reject(problem)))
      sent.end()
    })
    expect(status).toBe(inAlpha(by, () => OK)[0])
  })
})

/** Fits what every method asks of an input besides the role, and names nothing that is there. */
const INPUT = {
  ...{ identity: null, of: 'pack', id: ID, handle: ID, note: '', to: null, reason: '', file: '', label: '' },
  ...{ until: '', title: '', text: '', due: '', comment: '' },
}

describe('calls', () => {
  const METHODS = Object.keys(INPUT_SCHEMAS) as Method[]
  // Every method for every role is in methods.test.ts, of which these are the other callers.
  test.each(CALLERS)('by %s', async (by) => {
    for (const method of sampled(METHODS, 24)) {
      const expected = inAlpha(by, (role) => {
        const decision = decide(role, method, INPUT, { demo: true, sealer: true })
        if (!decision.allowed) return NOT_ALLOWED
        return decision.served === 'upload' ? [400, 'input.refused'] : OK
      })
      const asked = {
        verb: 'POST',
        target: `/e/alpha/api/call/${method}`,
        type: JSON_TYPE,
        body: JSON.stringify(INPUT),
      }
      const [status, code] = await sentBy(by, asked)
      // The portal and the engine answer a failure with status 200.
      expect([method, status, expected[0] === 200 ? null : code]).toEqual([method, ...expected])
    }
  })
  test.each(CALLERS)('of a method that does not exist, by %s', async (by) => {
    const asked = { verb: 'POST', target: '/e/alpha/api/call/no.such', type: JSON_TYPE, body: 'null' }
    expect(await sentBy(by, asked)).toEqual(inAlpha(by, () => NO_SUCH))
  })
})

describe.each(Object.keys(SESSION_ACCESS) as SessionMethod[])('%s', (method) => {
  const { verb } = SESSION_ACCESS[method]
  // A form with the token of the page, which names a session that does not exist.
  const none: Expected = verb === 'GET' ? [200, null] : [404, null]
  // It would end the session of the caller: with another token, it is refused as every form of another page.
  const endsOwn = method === 'sessions.end-all-own'
  test.each(CALLERS)('by %s', async (by) => {
    const { visitor, headers, csrf } = callers[by]
    const body = `csrf=${endsOwn ? LONG_ID : csrf}&session=${ID}`
    const role = SERVER_ROLE[by]
    const expected: Expected =
      role === undefined
        ? [verb === 'GET' ? 303 : 401, null]
        : sessionRefusal(role, method) !== null || endsOwn
          ? [403, null]
          : none
    expect(whole(await visitor.send(verb, SESSION_PATHS[method], headers, verb === 'GET' ? '' : body))).toEqual(
      expected,
    )
  })
})

/** Valid inputs of programs, so that nothing but the caller is refused. `expected`: for a program with a known token. */
const COLLECTOR_INPUTS: Readonly<Record<CollectorVerb, { readonly input: unknown; readonly expected: Expected }>> = {
  // Other rules than those of the server.
  ask: {
    input: { zone: 'frankfurt', catalogDigest: LONG_ID, waitSeconds: 0 },
    expected: [400, 'input.refused'],
  },
  renew: { input: { lease: ID, done: 0, total: 0 }, expected: [409, 'job.lease-ended'] },
  offer: { input: { lease: ID, recording: LONG_ID, digests: [] }, expected: [409, 'job.lease-ended'] },
  parts: { input: '', expected: [409, 'job.lease-ended'] },
  deliver: {
    input: { lease: ID, recording: LONG_ID, header: LONG_ID, captures: LONG_ID },
    expected: [409, 'job.lease-ended'],
  },
  refuse: { input: { lease: ID, reason: 'x' }, expected: [409, 'job.lease-ended'] },
}

describe.each(Object.keys(COLLECTOR_VERBS) as CollectorVerb[])('a collector: %s', (name) => {
  const { verb, job } = COLLECTOR_VERBS[name]
  const { input, expected } = COLLECTOR_INPUTS[name]
  const target = job ? `/collector/jobs/${ID}/${name}` : `/collector/${name}`
  test.each(CALLERS)('by %s', async (by) => {
    const asked = { verb, target, type: verb === 'PUT' ? BYTES : JSON_TYPE, body: JSON.stringify(input) }
    expect(await sentBy(by, asked)).toEqual(by.startsWith('collector') ? expected : UNKNOWN_TOKEN)
  })
})

const SEALER_INPUTS: Readonly<
  Record<SealerVerb, { readonly at: string; readonly input: unknown; readonly expected: Expected }>
> = {
  // A certificate that the configuration does not name.
  ask: {
    at: 'ask',
    input: { certificate: 'AAAA', chain: [], crls: [], waitSeconds: 0 },
    expected: [400, 'input.refused'],
  },
  answer: { at: `requests/${ID}/answer`, input: { signature: 'AAAA' }, expected: NO_SUCH },
  refuse: { at: `requests/${ID}/refuse`, input: { reason: 'x' }, expected: NO_SUCH },
  head: { at: 'head', input: {}, expected: OK },
  'sign-head': { at: 'head/answer', input: { statement: 'x', cms: 'AAAA' }, expected: [400, 'input.refused'] },
}

describe.each(Object.keys(SEALER_VERBS) as SealerVerb[])('a sealer: %s', (name) => {
  const { at, input, expected } = SEALER_INPUTS[name]
  test.each(CALLERS)('by %s', async (by) => {
    const asked = { verb: 'POST', target: `/sealer/${at}`, type: JSON_TYPE, body: JSON.stringify(input) }
    expect(await sentBy(by, asked)).toEqual(by.startsWith('sealer') ? expected : UNKNOWN_TOKEN)
  })
})

/** One address of every kind that has a table of its own. */
const OTHERS: readonly (readonly [kind: Wanted['kind'], verb: string, target: string])[] = [
  ['call', 'POST', '/e/alpha/api/call/fleet.get'],
  ['events', 'GET', '/e/alpha/api/events'],
  ...(Object.keys(SESSION_ACCESS) as SessionMethod[]).map(
    (method) => ['sessions', SESSION_ACCESS[method].verb, SESSION_PATHS[method]] as const,
  ),
  ...(Object.keys(COLLECTOR_VERBS) as CollectorVerb[]).map((name) => {
    const { verb, job } = COLLECTOR_VERBS[name]
    return ['collector', verb, job ? `/collector/jobs/${ID}/${name}` : `/collector/${name}`] as const
  }),
  ...Object.values(SEALER_INPUTS).map(({ at }) => ['sealer', 'POST', `/sealer/${at}`] as const),
]
const ADDRESSES = [
  ...single.map(([kind, { request: asked }]) => [kind, asked.verb, asked.target] as const),
  ...OTHERS,
].filter(([kind]) => kind !== 'unknown')

test.each(ADDRESSES)(
  '%s %s %s is answered for its own verb alone, to everyone the same',
  async (kind, verb, target) => {
    expect(wantedBy(verb, target).kind).toBe(kind)
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((one) => one !== verb)) {
      expect(wantedBy(other, target)).toEqual({ kind: 'wrong-verb', allow: verb })
      for (const by of sampled(CALLERS, 2))
        expect(await sentBy(by, { verb: other, target })).toEqual([405, 'input.refused'])
    }
  },
)

describe('monitoring', () => {
  test.each(['/healthz', '/readyz', '/metrics'])(
    '%s is answered on its own address, whatever is presented',
    async (path) => {
      for (const { visitor, headers } of Object.values(callers)) {
        const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answered = await fetch(`${kit.server.monitoring}${path}`, { headers: { ...headers, cookie } })
        expect(answered.status).toBe(200)
        expect((await fetch(`${kit.server.monitoring}${path}`, { method: 'POST' })).status).toBe(405)
        expect((await visitor.send('GET', path, headers)).status).toBe(404)
      }
    },
  )
  test('nothing of the server is answered there', async () => {
    for (const [, verb, target] of ADDRESSES)
      expect((await fetch(`${kit.server.monitoring}${target}`, { method: verb })).status).toBe(
        verb === 'GET' ? 404 : 405,
      )
  })
})

/** What alpha has, by the addresses and inputs that name it. */
describe('an ID of another engagement is answered like one that does not exist', () => {
  test('a file that waits to be downloaded, and an upload', async () => {
    const [alpha, beta] = [callers.officer, callers['officer-of-beta']]
    const sent = await alpha.visitor.send(
      'POST',
      '/e/alpha/api/upload',
      { 'content-type': BYTES, [TEAM_HEADERS.csrf]: alpha.csrf, [TEAM_HEADERS.fileName]: 'a.csv' },
      'x',
    )
    const { value: id } = JSON.parse(sent.text) as { readonly value: string }
    const using = (upload: string) =>
      beta.visitor.call('beta', 'mappings.import-choose', INPUT, { [TEAM_HEADERS.upload]: upload })
    const [real, madeUp] = [await using(id), await using(LONG_ID)]
    expect([real.status, real.text]).toEqual([400, madeUp.text])
    for (const at of [id, LONG_ID])
      expect((await beta.visitor.send('GET', `/e/beta/api/download/${at}`)).status).toBe(404)
  })
  test('every method of it, for someone who enters another one', async () => {
    const { visitor } = callers['officer-of-beta']
    const missing = await visitor.call('no-such', 'fleet.get', INPUT)
    for (const method of sampled(Object.keys(INPUT_SCHEMAS) as Method[], 24)) {
      const answered = await visitor.call('alpha', method, INPUT)
      expect([method, answered.status, answered.text]).toEqual([method, 404, missing.text])
    }
  })
  test('an invitation, and a request', async () => {
    const { visitor } = callers['officer-of-beta']
    const { officer, auditor } = callers
    const about = { control: '', node: '', check: '', period: '' }
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    answerValue(await officer.visitor.call('alpha', 'portal.invite', { label: 'other', until: day }))
    answerValue(await auditor.visitor.call('alpha', 'portal.ask', { title: 'other', text: '', about, due: day }))
    const idOf = async (method: Method): Promise<string> =>
      answerValue<readonly { readonly id: string; readonly label?: string; readonly title?: string }[]>(
        await officer.visitor.call('alpha', method, null),
      ).find(({ label, title }) => (label ?? title) === 'other')?.id ?? ''
    const ids = {
      'portal.end-access': await idOf('portal.invitations'),
      'portal.act': await idOf('portal.requests'),
    }
    for (const [method, id] of Object.entries(ids)) {
      const rest = { to: null, reason: 'x', comment: 'x', documents: [], packs: [], findings: [] }
      const asked = (by: Visitor, engagement: string, of: string) => by.call(engagement, method, { ...rest, id: of })
      const [real, madeUp] = [await asked(visitor, 'beta', id), await asked(visitor, 'beta', ID)]
      expect([method, real.status, real.text]).toEqual([method, madeUp.status, madeUp.text])
      expect([method, codeIn(real)]).toEqual([method, 'input.not-found'])
      // In its own engagement it is there.
      expect([method, codeIn(await asked(callers.officer.visitor, 'alpha', id))]).toEqual([method, null])
    }
  })
})

test('afterwards the sessions are as before, and ending all of one’s own ends them', async () => {
  for (const [by, role] of Object.entries(SERVER_ROLE)) {
    const { visitor, csrf } = callers[by as CallerName]
    expect([by, (await visitor.send('GET', '/sessions')).status]).toEqual([by, 200])
    expect(sessionRefusal(role ?? null, 'sessions.end-all-own')).toBeNull()
    const ended = await visitor.send('POST', SESSION_PATHS['sessions.end-all-own'], {}, `csrf=${csrf}`)
    expect([by, ended.status]).toEqual([by, 303])
    expect((await visitor.send('GET', '/sessions')).status).toBe(303)
  }
  expect(kit.logged.filter(({ problem }) => problem !== undefined)).toEqual([])
})

import { describe, expect, test } from 'vitest'
import { fail, ok } from '../../main/core/base/failure.ts'
import { isLoopback } from '../../main/core/base/loopback.ts'
import type { SessionStore, StoredSession } from '../../main/core/team/session-store.ts'
import { cookieIn, cookieOf, headersOf, isForeign } from '../../main/server/headers.ts'
import { htmlOf } from '../../main/server/html.ts'
import { readBody } from '../../main/server/json-body.ts'
import { concurrency, networkOf, rateLimit } from '../../main/server/limits.ts'
import { createMetrics } from '../../main/server/metrics.ts'
import { mayEnter, type Person, personOf, roleIn } from '../../main/server/person.ts'
import { wantedBy } from '../../main/server/routes.ts'
import { createSessions, csrfOf, loadSessions, policyOf } from '../../main/server/sessions.ts'
import { originOf, problemsOf } from '../../main/server/settings.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { must } from '../support/outcomes.ts'

const config = (part: Partial<TeamConfig> = {}): TeamConfig => ({
  schema: 'barewitness.team/1',
  listen: { address: '127.0.0.1', port: 8443 },
  oidc: { issuer: 'https://id.example.com', clientId: 'bw', rolesClaim: 'roles' },
  roles: { 'bw-officer': 'officer', 'bw-auditor': 'auditor', 'bw-admin': 'administrator' },
  engagements: [{ name: 'a', folder: '/srv/a', enter: {} }],
  auditLog: '/srv/audit.jsonl',
  ...part,
})
const places = (part: Partial<TeamConfig>): readonly string[] =>
  problemsOf(config(part)).map(({ path }) => path.join('.'))

describe('what is listened on', () => {
  test.each(['127.0.0.1', '127.255.0.9', '::1'])('%s is loopback', (address) => expect(isLoopback(address)).toBe(true))
  test.each([
    '0.0.0.0',
    '::',
    '128.0.0.1',
    '127.0.0.1.example.com',
    '127.0.0.999',
    'localhost',
    '::ffff:127.0.0.1',
    '',
  ])('%s is not', (address) => expect(isLoopback(address)).toBe(false))
  const tls = { certificate: '/c', key: '/k' }
  test.each<[string, Partial<TeamConfig>, readonly string[]]>([
    ['loopback without TLS', {}, []],
    ['beyond loopback without TLS', { listen: { address: '0.0.0.0', port: 1 } }, ['listen.address']],
    ['beyond loopback with TLS', { listen: { address: '0.0.0.0', port: 1, tls } }, []],
    ['a public address in plain HTTP', { publicUrl: 'http://audit.example.com' }, ['publicUrl']],
    ['a public address with another scheme', { publicUrl: 'https://audit.example.com' }, ['publicUrl']],
    ['monitoring beyond loopback', { monitoring: { address: '10.0.0.1', port: 1 } }, ['monitoring.address']],
    [
      'an identity provider in plain HTTP',
      { oidc: { ...config().oidc, issuer: 'http://id.example.com' } },
      ['oidc.issuer'],
    ],
    ['the same on loopback', { oidc: { ...config().oidc, issuer: 'http://127.0.0.1:9000' } }, []],
    [
      'two engagements of one name in one folder',
      { engagements: [config().engagements[0], config().engagements[0]] },
      ['engagements.1.name', 'engagements.1.folder'],
    ],
    [
      'a folder within another',
      { engagements: [config().engagements[0], { name: 'b', folder: '/srv/a/b', enter: {} }] },
      ['engagements.1.folder'],
    ],
    [
      'a folder whose name begins like another',
      { engagements: [config().engagements[0], { name: 'b', folder: '/srv/a2', enter: {} }] },
      [],
    ],
    [
      'groups without a claim',
      { engagements: [{ name: 'b', folder: '/srv/b', enter: { groups: ['x'] } }] },
      ['engagements.0.enter'],
    ],
  ])('%s', (_, part, problems) => expect(places(part)).toEqual(problems))
  test('origins', () => {
    expect(originOf(config(), 81)).toBe('http://127.0.0.1:81')
    expect(originOf(config({ listen: { address: '::1', port: 0, tls } }), 81)).toBe('https://[::1]:81')
    expect(originOf(config({ publicUrl: 'https://a.example' }), 81)).toBe('https://a.example')
  })
})

describe('who a person is', () => {
  const roleOf = (roles: unknown): string => {
    const person = personOf({ sub: 's', roles }, config())
    return person.ok ? (person.value.role ?? 'no role') : 'no access'
  }
  test.each<[unknown, string]>([
    ['bw-officer', 'officer'],
    [['x', 'bw-auditor'], 'auditor'],
    [['bw-officer', 'bw-officer'], 'officer'],
    [['bw-officer', 'bw-admin'], 'no access'],
    ['unknown', 'no role'],
    ['__proto__', 'no role'],
    ['constructor', 'no role'],
    [undefined, 'no role'],
    [{ 'bw-officer': true }, 'no role'],
    [[['bw-officer']], 'no role'],
  ])('%j: %s', (roles, role) => expect(roleOf(roles)).toBe(role))
  test.each([undefined, '', 7])('without a subject (%j): no access', (sub) =>
    expect(personOf({ sub, roles: 'bw-officer' }, config()).ok).toBe(false),
  )
  const person = (part: Partial<Person>): Person => ({ subject: 's', name: 'S', role: 'officer', groups: [], ...part })
  test('who may enter', () => {
    const enter = { people: ['s'], groups: ['g'] }
    expect(mayEnter(person({}), { enter })).toBe(true)
    expect(mayEnter(person({ subject: 't' }), { enter })).toBe(false)
    expect(mayEnter(person({ subject: 't', groups: ['g'] }), { enter })).toBe(true)
    expect(mayEnter(person({ role: 'administrator', groups: ['g'] }), { enter })).toBe(false)
    expect(mayEnter(person({}), { enter: {} })).toBe(false)
    expect(mayEnter(person({ role: null, groups: ['g'] }), { enter })).toBe(false)
  })
  test.each([
    ['officer', true, false, 'officer'],
    ['officer', true, true, 'officer'],
    ['officer', false, true, 'auditor'],
    ['officer', false, false, null],
    [null, true, false, null],
    [null, true, true, 'auditor'],
    [null, false, true, 'auditor'],
    ['administrator', true, true, null],
  ] as const)('role %s, entry %s, invited %s: %s', (role, isMember, isInvited, expected) => {
    const enter = isMember ? { people: ['s'] } : {}
    expect(roleIn(person({ role }), { enter }, () => isInvited)).toBe(expected)
  })
})

describe('sessions', () => {
  let next = 0
  const random = (count: number) => new Uint8Array(count).fill(++next)
  const times = { idleMs: 10, absoluteMs: 25 }
  const who: Person = { subject: 's', name: 'S', role: 'officer', groups: [] }
  test('ids have 256 bits, and only their hash is kept', async () => {
    const sessions = createSessions(times, random)
    const id = must(await sessions.start(who, 'provider', 0))
    expect(Buffer.from(id, 'base64url')).toHaveLength(32)
    const kept = sessions.find(id, 1, false)
    expect(kept?.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(kept)).not.toContain(id)
    expect(csrfOf(id)).not.toBe(kept?.hash)
  })
  test('end when idle, and use defers that', async () => {
    const sessions = createSessions(times, random)
    const id = must(await sessions.start(who, 'provider', 0))
    expect(sessions.find(id, 9, true)).not.toBeNull()
    expect(sessions.find(id, 18, false)).not.toBeNull()
    expect(sessions.find(id, 19, false)).toBeNull()
    expect(sessions.count()).toBe(0)
  })
  test('end at an absolute time, however much they are used', async () => {
    const sessions = createSessions(times, random)
    const id = must(await sessions.start(who, 'provider', 0))
    for (const at of [8, 16, 24]) expect(sessions.find(id, at, true)).not.toBeNull()
    expect(sessions.find(id, 25, true)).toBeNull()
  })
  test('end on sign-out', async () => {
    const sessions = createSessions(times, random)
    const id = must(await sessions.start(who, 'provider', 0))
    must(await sessions.end(sessions.list(0)))
    expect(sessions.find(id, 1, true)).toBeNull()
  })
  test('go on after a restart, by what a store kept, and no longer than without it', async () => {
    const kept = new Map<string, StoredSession>()
    const put = async (one: StoredSession) => {
      kept.set(one.hash, one)
      return ok(null)
    }
    const store: SessionStore = {
      load: async ({ createdAt, usedAt }) =>
        ok([...kept.values()].filter((one) => one.createdAt > createdAt && one.usedAt > usedAt)),
      add: put,
      use: (hash, usedAt) => put({ ...(kept.get(hash) as StoredSession), usedAt }),
      remove: async (hash) => {
        kept.delete(hash)
        return ok(null)
      },
    }
    const long = { idleMs: 60_000, absoluteMs: 200_000 }
    const reopened = async (now: number) =>
      createSessions(long, random, store, must(await loadSessions(store, long, now)))
    const sessions = createSessions(long, random, store)
    const [id, other] = [must(await sessions.start(who, 'provider', 0)), must(await sessions.start(who, 'provider', 0))]
    expect(JSON.stringify([...kept.values()])).not.toContain(id)
    expect(sessions.find(id, 40_000, true)).not.toBeNull()
    const again = await reopened(70_000)
    expect(again.find(id, 70_000, true)?.person).toEqual(who)
    expect(again.find(other, 70_000, true)).toBeNull()
    must(await again.end(again.list(70_000)))
    expect((await reopened(70_000)).find(id, 70_000, true)).toBeNull()
    const begun = { hash: 'x', publicId: 'a'.repeat(32), way: 'provider', createdAt: 70_000, usedAt: 70_000 }
    const person = JSON.stringify(who)
    for (const wrong of [
      { ...begun, person: '{"role":"owner"}' },
      { ...begun, person, way: 'other' },
      { ...begun, person, publicId: '../x' },
    ]) {
      kept.set('x', wrong)
      expect((await reopened(70_001)).count()).toBe(0)
    }
    kept.set('x', { ...begun, person })
    expect((await reopened(70_001)).count()).toBe(1)
  })
  test('do not begin where they cannot be stored', async () => {
    const away = async () => fail('database.unreachable', 'away')
    const store: SessionStore = { load: away, add: away, use: away, remove: away }
    const sessions = createSessions(times, random, store)
    expect((await sessions.start(who, 'provider', 0)).ok).toBe(false)
    expect(sessions.count()).toBe(0)
  })
  test('count under the configuration of people alone that they began with', () => {
    const config = {
      oidc: { issuer: 'https://id', clientId: 'c', rolesClaim: 'roles' },
      roles: { a: 'officer' },
    } as const
    expect(policyOf(config)).toBe(policyOf({ ...config, roles: { a: 'officer' } }))
    expect(policyOf({ ...config, roles: { a: 'auditor' } })).not.toBe(policyOf(config))
    expect(policyOf({ ...config, oidc: { ...config.oidc, issuer: 'https://other' } })).not.toBe(policyOf(config))
  })
  test.each([undefined, '', 'x', '../x', 'a'.repeat(44)])('%j is no session', (id) =>
    expect(createSessions(times, random).find(id, 0, true)).toBeNull(),
  )
})

describe('limits', () => {
  test('of a rate', () => {
    const limit = rateLimit(2, 10)
    expect([limit.take('a', 0), limit.take('a', 1), limit.take('a', 2), limit.take('b', 2)]).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect([limit.take('a', 10), limit.take('a', 10)]).toEqual([true, false])
  })
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('count %s as %s', (address, network) => expect(networkOf(address)).toBe(network))
  test('of what goes on at once', () => {
    const going = concurrency(1, 2)
    const leave = going.enter('a')
    expect([leave === null, going.enter('a'), going.enter('b') === null, going.enter('c')]).toEqual([
      false,
      null,
      false,
      null,
    ])
    leave?.()
    leave?.()
    expect(going.count()).toBe(1)
    expect(going.enter('a')).not.toBeNull()
  })
})

describe('bodies', () => {
  const read = (text: string | Uint8Array): unknown => {
    const body = readBody(typeof text === 'string' ? new TextEncoder().encode(text) : text)
    return body.ok ? body.value : 'refused'
  }
  test.each<[string, unknown]>([
    ['null', null],
    ['{"a":[{"b":1},{"b":2}],"b":"a"}', { a: [{ b: 1 }, { b: 2 }], b: 'a' }],
    [String.raw`{"a":"\"{\\","b":"}"}`, { a: '"{\\', b: '}' }],
  ])('%s is read', (text, value) => expect(read(text)).toEqual(value))
  test.each([
    '',
    '{',
    '{"a":1,"a":2}',
    String.raw`{"a":1,"\u0061":2}`,
    '[{"x":{"k":1,"j":2,"k":3}}]',
    '['.repeat(33) + ']'.repeat(33),
    '{"a":'.repeat(33),
    '[1] [2]',
    'undefined',
    '"\u0000',
  ])('%s is refused', (text) => expect(read(text)).toBe('refused'))
  test('what is not UTF-8 is refused', () => expect(read(new Uint8Array([0x22, 0xff, 0x22]))).toBe('refused'))
  test('a long text and many brackets are read through once', () => {
    expect(read(JSON.stringify('\\"'.repeat(500_000)))).toHaveLength(1_000_000)
    expect(read('['.repeat(1_000_000))).toBe('refused')
  })
})

describe('routes', () => {
  test.each<[string, string, string]>([
    ['GET', '/', 'start'],
    ['GET', '/e/a/', 'page'],
    ['GET', '/e/a/assets/index.js', 'page'],
    ['POST', '/e/a/api/call/run.start', 'call'],
    ['GET', '/e/a/api/call/run.start', 'wrong-verb'],
    ['HEAD', '/', 'wrong-verb'],
    ['GET', '/e/a/api/session', 'session'],
    ['GET', '/e/a/api/events', 'events'],
    ['POST', '/e/a/api/upload', 'upload'],
    ['GET', `/e/a/api/download/${'0'.repeat(64)}`, 'download'],
    ['GET', '/e/a/api/download/../x', 'unknown'],
    ['GET', '/auth/callback?code=1', 'callback'],
    ['GET', '/?x', 'unknown'],
    ['GET', '/sessions', 'sessions'],
    ['GET', '/sessions/all', 'sessions'],
    ['POST', '/sessions/end', 'sessions'],
    ['GET', '/sessions/end', 'wrong-verb'],
    ['POST', '/sessions', 'wrong-verb'],
    ['GET', '/sessions/', 'unknown'],
    ['GET', '/sessions/all?x', 'unknown'],
    ['GET', '/sessionsx', 'unknown'],
    ['GET', '/e/a/?x', 'unknown'],
    ['GET', '/e/A/', 'unknown'],
    ['GET', '/e/a', 'unknown'],
    ['GET', '//e/a/', 'unknown'],
    ['GET', '/e/../etc/passwd', 'unknown'],
    ['GET', 'http://other.example/', 'unknown'],
    ['GET', '/e/%61/', 'unknown'],
    ['GET', `/${'a'.repeat(5000)}`, 'unknown'],
  ])('%s %s: %s', (verb, target, kind) => expect(wantedBy(verb, target).kind).toBe(kind))
})

describe('headers', () => {
  test('a policy without exceptions on every response, and strict transport with TLS', () => {
    expect(headersOf(false)['Content-Security-Policy']).not.toMatch(/unsafe|\*|https?:|data:/)
    expect(headersOf(false)).not.toHaveProperty('Strict-Transport-Security')
    expect(headersOf(true)).toHaveProperty('Strict-Transport-Security')
  })
  test('cookies', () => {
    expect(cookieOf('a', 'b', { hasTls: true, sameSite: 'Strict' })).toBe(
      'a=b; Path=/; HttpOnly; SameSite=Strict; Secure',
    )
    expect(cookieIn('x=1; a=b', 'a')).toBe('b')
    expect(cookieIn('a=b; a=c', 'a')).toBeUndefined()
    expect(cookieIn(undefined, 'a')).toBeUndefined()
  })
  test.each<[string | undefined, string | undefined, boolean]>([
    [undefined, undefined, false],
    ['https://own', 'same-origin', false],
    ['https://other', undefined, true],
    ['null', undefined, true],
    // A form of our own page: without a referrer, browsers state no origin for it.
    ['null', 'same-origin', false],
    ['null', 'none', true],
    ['null', 'same-site', true],
    ['null', 'cross-site', true],
    ['https://other', 'same-origin', true],
    [undefined, 'cross-site', true],
    [undefined, 'same-site', true],
    [undefined, 'none', false],
  ])('origin %j, fetch site %j: foreign %j', (origin, fetchSite, foreign) =>
    expect(isForeign({ origin, fetchSite }, 'https://own')).toBe(foreign),
  )
})

test('pages escape every text', () => {
  const form = { action: '"><b>', fields: { '"<i>': '"<b>' }, label: '<i>', description: '"<b>' }
  const html = htmlOf({
    title: '<i>',
    lines: ['"&'],
    table: { caption: '"<i>', heads: ['<b>'], rows: [{ cells: ['<i>\n<b>', '<b>'], forms: [form] }] },
    forms: [form],
    links: [['/e/a/', "<b>'"]],
    signOut: { csrf: '">' },
  })
  expect(html).not.toMatch(/<i>|<b>|""/)
  expect(html).not.toContain('<script')
})

test('metrics have the form of Prometheus', () => {
  const metrics = createMetrics()
  metrics.count('barewitness_requests_total', { kind: 'call', status: '200' })
  metrics.count('barewitness_requests_total', { kind: 'call', status: '200' })
  const text = metrics.text({
    barewitness_sessions: 1,
    barewitness_calls_going: 0,
    barewitness_verifications_going: 1,
    barewitness_verifications_waiting: 2,
    barewitness_event_streams: 0,
    barewitness_jobs_waiting: 0,
    barewitness_jobs_leased: 0,
    barewitness_outbox_waiting: 2,
    barewitness_outbox_given_up: 0,
    barewitness_outbox_failing: null,
    barewitness_objects_waiting: 0,
    barewitness_objects_waiting_since_seconds: null,
    barewitness_objects_failing: 0,
    barewitness_objects_locked: 1,
    barewitness_audit_entries_waiting: 0,
    barewitness_audit_copy_failing: 0,
  })
  expect(text).toContain('\nbarewitness_requests_total{kind="call",status="200"} 2\n')
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? \d+)$/)
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { type TeamKit, teamKit } from '../support/team-kit.ts'

let kit: TeamKit
beforeAll(async () => {
  kit = await teamKit()
})
afterAll(async () => await kit.close())

const claims = { sub: 's', name: 'Sam', roles: ['officer'], groups: ['team'] }

test('a person signs in with code flow and PKCE, and is named on the first page', async () => {
  const visitor = kit.visitor()
  const done = await visitor.signIn(claims)
  expect([done.status, done.headers.refresh]).toEqual([200, '0; url=/'])
  const cookies = (done.headers['set-cookie'] ?? []).join('\n')
  expect(cookies).toMatch(/^barewitness=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/m)
  const start = await visitor.send('GET', '/')
  expect(start.text).toContain('Signed in as Sam, officer.')
  expect(start.text).toContain('href="/e/alpha/"')
  expect(start.text).not.toContain('beta')
})

test('the authorization request has state, nonce and challenge, each new', async () => {
  const asked = async () =>
    new URL((await kit.visitor().send('GET', '/auth/sign-in')).headers.location ?? '').searchParams
  const [one, two] = [await asked(), await asked()]
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect((one.get(name) ?? '').length).toBeGreaterThanOrEqual(43)
    expect(one.get(name)).not.toBe(two.get(name))
  }
  expect(one.get('response_type')).toBe('code')
})

describe('no session begins', () => {
  test.each([
    'nonce',
    'no-nonce',
    'issuer',
    'audience',
    'expired',
    'alg-none',
    'other-key',
    'hmac',
    'no-token',
    'redirect',
  ] as const)('with an ID token that is wrong: %s', async (lie) => {
    const visitor = kit.visitor()
    const done = await visitor.signIn(claims, lie)
    expect(done.status).toBe(403)
    expect(visitor.cookies.has('barewitness')).toBe(false)
    expect(done.text).toContain('did not confirm')
  })

  test.each([
    ['expired', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'],
    ['audience', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['no-token', 'OAUTH_INVALID_RESPONSE'],
    ['redirect', 'OAUTH_RESPONSE_BODY_ERROR invalid_grant'],
  ] as const)('and the log of the server has the code of the reason, for its administrator: %s', async (lie, code) => {
    const before = kit.logged.length
    await kit.visitor().signIn(claims, lie)
    expect(kit.logged.slice(before).filter(({ kind }) => kind === 'identity-provider')).toMatchObject([{ code }])
  })

  test('with another state', async () => {
    const visitor = kit.visitor()
    const begun = await visitor.send('GET', '/auth/sign-in')
    const back = new URL(kit.provider.approve(begun.headers.location ?? '', claims), 'http://x')
    back.searchParams.set('state', 'other')
    expect((await visitor.send('GET', `${back.pathname}${back.search}`)).status).toBe(403)
  })

  test('in a browser that did not begin it', async () => {
    const [victim, attacker] = [kit.visitor(), kit.visitor()]
    const begun = await attacker.send('GET', '/auth/sign-in')
    const back = kit.provider.approve(begun.headers.location ?? '', claims)
    expect((await victim.send('GET', back)).status).toBe(403)
  })

  test('twice with one code and cookie', async () => {
    const visitor = kit.visitor()
    const begun = await visitor.send('GET', '/auth/sign-in')
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const back = kit.provider.approve(begun.headers.location ?? '', claims)
    expect((await visitor.send('GET', back, { cookie })).status).toBe(200)
    expect((await visitor.send('GET', back, { cookie })).status).toBe(403)
  })

  test('later than ten minutes', async () => {
    const visitor = kit.visitor()
    const begun = await visitor.send('GET', '/auth/sign-in')
    kit.pass(600_000)
    expect((await visitor.send('GET', kit.provider.approve(begun.headers.location ?? '', claims))).status).toBe(403)
  })

  test.each([[{ roles: ['unknown'] }], [{ roles: ['officer', 'administrator'] }], [{ roles: undefined }]])(
    'without one known role: %j',
    async (part) => {
      const visitor = kit.visitor()
      expect((await visitor.signIn({ ...claims, ...part })).status).toBe(403)
      expect(visitor.cookies.has('barewitness')).toBe(false)
    },
  )

  test('with an error of the provider, whose text is not shown', async () => {
    const visitor = kit.visitor()
    const begun = await visitor.send('GET', '/auth/sign-in')
    const state = new URL(begun.headers.location ?? '').searchParams.get('state') ?? ''
    const done = await visitor.send('GET', `/auth/callback?error=access_denied&error_description=PWNED&state=${state}`)
    expect(done.status).toBe(403)
    expect(done.text).not.toContain('PWNED')
  })
})

test('a new sign-in ends the session before', async () => {
  const visitor = await kit.as('officer')
  const before = visitor.cookies.get('barewitness') ?? ''
  await visitor.signIn(claims)
  expect(visitor.cookies.get('barewitness')).not.toBe(before)
  const old = await kit.visitor().send('GET', '/e/alpha/api/session', { cookie: `barewitness=${before}` })
  expect(old.status).toBe(401)
})

test('sessions end when idle and at an absolute time', async () => {
  const idle = await kit.as('officer')
  expect((await idle.send('GET', '/e/alpha/api/session')).status).toBe(200)
  kit.pass(30 * 60_000)
  expect((await idle.send('GET', '/e/alpha/api/session')).status).toBe(401)
  const busy = await kit.as('officer')
  for (let minutes = 0; minutes < 460; minutes += 20) {
    kit.pass(20 * 60_000)
    expect((await busy.send('GET', '/e/alpha/api/session')).status).toBe(200)
  }
  kit.pass(20 * 60_000)
  expect((await busy.send('GET', '/e/alpha/api/session')).status).toBe(401)
})

test('a page that asks by itself, as after events, does not keep a session that no one uses', async () => {
  const left = await kit.as('officer')
  const { csrf } = await left.session('alpha')
  const headers = { [TEAM_HEADERS.csrf]: csrf, [TEAM_HEADERS.unattended]: '1', 'content-type': 'application/json' }
  for (const status of [200, 200, 401]) {
    kit.pass(10 * 60_000)
    expect((await left.send('POST', '/e/alpha/api/call/fleet.get', headers, 'null')).status).toBe(status)
  }
})

describe('sign-out', () => {
  test('ends the session with the token of the page, and not without it', async () => {
    const visitor = await kit.as('officer')
    const { csrf } = await visitor.session('alpha')
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await visitor.send('POST', '/auth/sign-out', form, 'csrf=x')).status).toBe(403)
    expect(
      (await visitor.send('POST', '/auth/sign-out', { ...form, origin: 'https://evil.example' }, `csrf=${csrf}`))
        .status,
    ).toBe(403)
    expect((await visitor.send('GET', '/e/alpha/api/session')).status).toBe(200)
    const cookie = `barewitness=${visitor.cookies.get('barewitness')}`
    expect((await visitor.send('POST', '/auth/sign-out', form, `csrf=${csrf}`)).status).toBe(303)
    expect((await kit.visitor().send('GET', '/e/alpha/api/session', { cookie })).status).toBe(401)
  })
})

test('attempts to sign in are limited for each address', async () => {
  const own = await teamKit({ config: (config) => ({ ...config, limits: { signInsPerMinute: 2 } }) })
  const statuses = []
  for (let at = 0; at < 3; at += 1) statuses.push((await own.visitor().send('GET', '/auth/sign-in')).status)
  expect(statuses).toEqual([303, 303, 429])
  own.pass(60_000)
  expect((await own.visitor().send('GET', '/auth/sign-in')).status).toBe(303)
  await own.close()
})

test('sign-ins and refusals are in the audit log', () => {
  const text = kit.auditText()
  expect(text).toMatch(/"kind":"sign-in"/)
  expect(text).toMatch(/"kind":"sign-in-refused"/)
  expect(text).toMatch(/"kind":"sign-out"/)
  expect(text).not.toMatch(/"[A-Za-z0-9_-]{43}"/)
})

test('as many people sign in within a minute from one address as the limit states', async () => {
  const own = await teamKit({ config: (config) => ({ ...config, limits: { signInsPerMinute: 3 } }) })
  const statuses: number[] = []
  for (const _ of [1, 2, 3]) statuses.push((await own.visitor().signIn(claims)).status)
  const visitor = own.visitor()
  statuses.push((await visitor.send('GET', '/auth/sign-in')).status)
  statuses.push((await visitor.send('GET', '/auth/callback?code=x&state=y')).status)
  own.pass(60_000)
  statuses.push((await own.visitor().signIn(claims)).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429, 200])
  await own.close()
})

test('a person has twenty sessions at most: the one that was used longest ago ends when another begins', async () => {
  const kit = await teamKit()
  const own = [await kit.as('auditor')]
  const other = await kit.as('officer')
  for (let at = 1; at < 20; at += 1) {
    kit.pass(1000)
    own.push(await kit.as('auditor'))
  }
  const statuses = async () =>
    await Promise.all([...own, other].map(async (one) => (await one.send('GET', '/e/alpha/api/session')).status))
  kit.pass(1000)
  expect((await own[0]?.send('GET', '/e/alpha/api/session'))?.status).toBe(200)
  await kit.as('auditor')
  expect(await statuses()).toEqual([200, 401, ...Array.from({ length: 19 }, () => 200)])
  await kit.close()
})

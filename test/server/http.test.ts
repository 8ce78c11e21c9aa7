import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fail, ok } from '../../main/core/base/failure.ts'
import type { SessionStore } from '../../main/core/team/session-store.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { newCertificate } from '../support/loopback-certificate.ts'
import { codeOf, replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

let kit: TeamKit
let officer: Visitor
let outsider: Visitor
beforeAll(async () => {
  kit = await teamKit()
  officer = await kit.as('officer')
  outsider = await kit.as('officer', 'beta-only')
})
afterAll(async () => await kit.close())

describe('engagements', () => {
  const TARGETS = ['', 'index.html', 'api/session', 'api/events', `api/download/${'0'.repeat(64)}`]
  test.each(TARGETS)('/%s of another engagement is answered as one that does not exist', async (rest) => {
    const [other, missing] = [
      await officer.send('GET', `/e/beta/${rest}`),
      await officer.send('GET', `/e/no-such/${rest}`),
    ]
    expect([other.status, other.text]).toEqual([404, missing.text])
    const names = ({ headers }: typeof other) => Object.keys(headers).sort()
    expect(names(other)).toEqual(names(missing))
  })
  test.each(['fleet.get', 'run.start', 'no.such'])('%s of another engagement, too', async (method) => {
    const [other, missing] = [await officer.call('beta', method, null), await officer.call('no-such', method, null)]
    expect([other.status, other.text]).toEqual([404, missing.text])
  })
  test('each has its own fleet and register', async () => {
    expect((await outsider.call('beta', 'fleet.get', null)).status).toBe(200)
    const started = await officer.call('alpha', 'demo.open', null)
    expect(codeOf(started)).toBe('answered')
    await kit.as('operator').then((one) => one.call('alpha', 'run.cancel', null))
    expect(replyIn(await officer.call('alpha', 'fleet.get', null))).toMatchObject({ ok: true, value: { demo: true } })
    expect(replyIn(await outsider.call('beta', 'fleet.get', null))).toEqual({ ok: true, value: null })
  })
  test('an upload of one engagement cannot be used in another, nor by another session', async () => {
    const both = kit.visitor()
    await both.signIn({ sub: 'beta-only', roles: 'officer', groups: ['team'] })
    const { csrf } = await both.session('alpha')
    const sent = await both.send(
      'POST',
      '/e/alpha/api/upload',
      { 'content-type': 'application/octet-stream', [TEAM_HEADERS.csrf]: csrf, [TEAM_HEADERS.fileName]: 'a.csv' },
      'x',
    )
    const upload = replyIn<string>(sent)
    const headers = { [TEAM_HEADERS.upload]: upload.ok ? upload.value : '' }
    expect((await both.call('beta', 'mappings.import-choose', null, headers)).status).toBe(400)
    expect((await officer.call('alpha', 'mappings.import-choose', null, headers)).status).toBe(400)
    expect((await both.call('alpha', 'mappings.import-choose', null, headers)).status).toBe(200)
    expect((await both.call('alpha', 'mappings.import-choose', null, headers)).status).toBe(400)
  })
})

describe('requests of other sites', () => {
  test('without a session, nothing is answered', async () => {
    const stranger = kit.visitor()
    expect((await stranger.call('alpha', 'fleet.get', null)).status).toBe(401)
    expect((await stranger.send('GET', '/e/alpha/')).status).toBe(303)
    expect((await stranger.send('GET', '/e/alpha/api/events')).status).toBe(401)
  })
  test.each([
    ['no token', { [TEAM_HEADERS.csrf]: '' }],
    ['another token', { [TEAM_HEADERS.csrf]: '0'.repeat(64) }],
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin of its own', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }],
  ])('%s', async (_, headers) => {
    expect((await officer.call('alpha', 'fleet.get', null, headers)).status).toBe(403)
  })
  test('the token of another session', async () => {
    const { csrf } = await outsider.session('beta')
    expect((await officer.call('alpha', 'fleet.get', null, { [TEAM_HEADERS.csrf]: csrf })).status).toBe(403)
  })
  test('another name of this server', async () => {
    expect((await officer.send('GET', '/', { host: 'evil.example' })).status).toBe(421)
  })
})

describe('hostile requests', () => {
  test.each<[string, string, Record<string, string>, number]>([
    ['no JSON', '{', {}, 400],
    ['the same key twice', '{"of":"run","of":"pack"}', {}, 400],
    ['deep nesting', '['.repeat(1000), {}, 400],
    ['a member too many', '{"of":"run","x":1}', {}, 400],
    ['another type', '{"of":7}', {}, 400],
    ['a form', 'of=run', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text', '{"of":"run"}', { 'content-type': 'text/plain' }, 415],
    ['a compressed body', '{"of":"run"}', { 'content-encoding': 'gzip' }, 415],
    ['more than 1 MiB', `"${'x'.repeat(1024 * 1024)}"`, {}, 413],
  ])('%s', async (_, body, headers, status) => {
    expect((await officer.call('alpha', 'register.get', body, headers)).status).toBe(status)
  })
  test('an unknown method, also one of objects', async () => {
    for (const method of ['no.such', 'constructor', 'toString'])
      expect((await officer.call('alpha', method, null)).status).toBe(404)
  })
  test.each([
    '/e/alpha/../beta/',
    '/e/alpha/..%2f..%2fetc/passwd',
    '/e/alpha/index.html/..',
    '/etc/passwd',
    '//x',
    '/e/alpha/%00',
  ])('%s is no file', async (target) => expect((await officer.send('GET', target)).status).toBe(404))
  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('%s is not answered', async (verb) => {
    expect((await officer.send(verb, '/e/alpha/')).status).toBe(405)
  })
  test('more than 1 MiB without a stated length ends the connection', async () => {
    const { csrf } = await officer.session('alpha')
    const { port } = new URL(kit.server.origin)
    const status = await new Promise<number | string>((resolve) => {
      const sent = request({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/e/alpha/api/call/register.get',
        headers: {
          'transfer-encoding': 'chunked',
          'content-type': 'application/json',
          [TEAM_HEADERS.csrf]: csrf,
          cookie: `barewitness=${officer.cookies.get('barewitness')}`,
        },
      })
      sent.on('response', (response) => resolve(response.statusCode ?? 0))
      sent.on('error', (problem: NodeJS.ErrnoException) => resolve(problem.code ?? ''))
      for (let at = 0; at < 20; at += 1) sent.write('x'.repeat(100_000))
    })
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(status)
  })
  const written = (bytes: string): Promise<string> =>
    new Promise((resolve) => {
      const { port } = new URL(kit.server.origin)
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
      let got = ''
      socket.on('data', (chunk) => {
        got += chunk.toString()
      })
      socket.on('close', () => resolve(got))
      socket.on('error', () => undefined)
    })
  test('what is not HTTP is ended', async () => {
    expect(await written('\0\0\0\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })
  test('two names of the server are none', async () => {
    const { host } = new URL(kit.server.origin)
    for (const hosts of [`Host: ${host}\r\nHost: evil.example`, `Host: ${host}\r\nHost: ${host}`])
      expect(await written(`GET / HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 421 /)
  })
  test('every answer has the headers, errors included', async () => {
    for (const target of ['/', '/no-such', '/e/alpha/', '/e/alpha/api/session', '/auth/callback?x']) {
      const { headers } = await officer.send('GET', target)
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect([headers['x-content-type-options'], headers['cache-control'], headers['x-frame-options']]).toEqual([
        'nosniff',
        'no-store',
        'DENY',
      ])
      expect(headers.server).toBeUndefined()
    }
  })
})

test('so many calls of one person at once, in all sessions together', async () => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const own = await teamKit({
    config: (config) => ({ ...config, limits: { callsPerSession: 1, signInsPerMinute: 100 } }),
    openEngine: async () => ({
      call: async () => {
        await held
        return { ok: true, value: null } as never
      },
      onEvent: () => () => undefined,
      startDue: async () => ({ ok: true, value: null }),
      recordMissedRun: async () => ({ ok: true, value: null }),
      close: async () => undefined,
    }),
  })
  const one = await own.as('officer')
  await one.call('alpha', 'no.such', null)
  const first = one.call('alpha', 'fleet.get', null)
  while (!own.auditText().includes('fleet.get')) await new Promise((resolve) => setTimeout(resolve, 5))
  expect((await one.call('alpha', 'fleet.get', null)).status).toBe(429)
  expect((await (await own.as('officer')).call('alpha', 'fleet.get', null)).status).toBe(429)
  expect((await (await own.as('auditor')).send('GET', '/e/alpha/')).status).toBe(200)
  release()
  expect((await first).status).toBe(200)
  expect((await one.call('alpha', 'fleet.get', null)).status).toBe(200)
  await own.close()
})

describe('failures', () => {
  test('an exception of the engine is answered without its message, and paths are not named', async () => {
    const own = await teamKit({
      openEngine: async (folder) => ({
        call: async (method) => {
          if (method === 'fleet.get') throw new Error('SECRET-MESSAGE')
          return { ok: false, error: { code: method === 'runs.list' ? 'bug' : 'store.failed', detail: `${folder}/x` } }
        },
        onEvent: () => () => undefined,
        startDue: async () => ({ ok: true, value: null }),
        recordMissedRun: async () => ({ ok: true, value: null }),
        close: async () => undefined,
      }),
    })
    const one = await own.as('officer')
    const [thrown, bug, failed] = [
      await one.call('alpha', 'fleet.get', null),
      await one.call('alpha', 'runs.list', null),
      await one.call('alpha', 'home.get', null),
    ]
    expect([thrown.status, bug.status, failed.status]).toEqual([500, 200, 200])
    for (const { text } of [thrown, bug, failed]) {
      expect(text).not.toContain('SECRET')
      expect(text).not.toContain(own.folder)
    }
    expect(JSON.stringify(own.logged)).not.toContain('SECRET')
    await own.close()
  })
})

describe('files', () => {
  test('what a method writes is downloaded once, by that session alone', async () => {
    const answered = await officer.call('alpha', 'acceptances.save', null)
    const address = String(answered.headers[TEAM_HEADERS.download])
    expect(address).toMatch(/^api\/download\/[0-9a-f]{64}$/)
    expect(replyIn(answered)).toEqual({ ok: true, value: { file: 'risk-acceptances.csv' } })
    const auditor = await kit.as('auditor')
    expect((await auditor.send('GET', `/e/alpha/${address}`)).status).toBe(404)
    const file = await officer.send('GET', `/e/alpha/${address}`)
    expect([file.status, file.headers['content-type']]).toEqual([200, 'application/octet-stream'])
    expect(file.headers['content-disposition']).toBe("attachment; filename*=UTF-8''risk-acceptances.csv")
    expect(Number(file.headers['content-length'])).toBe(Buffer.byteLength(file.text))
    expect((await officer.send('GET', `/e/alpha/${address}`)).status).toBe(404)
  })
  const upload = async (one: Visitor, body: string, headers: Record<string, string> = {}) =>
    await one.send(
      'POST',
      '/e/alpha/api/upload',
      {
        'content-type': 'application/octet-stream',
        [TEAM_HEADERS.csrf]: (await one.session('alpha')).csrf,
        [TEAM_HEADERS.fileName]: 'a.txt',
        ...headers,
      },
      body,
    )
  test('uploads are bounded, typed, and for roles that have a use for them', async () => {
    const own = await teamKit({ config: (config) => ({ ...config, limits: { uploadMiB: 1 } }) })
    const [writer, reader] = [await own.as('officer'), await own.as('operator')]
    expect((await upload(writer, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413)
    expect((await upload(writer, 'x', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await upload(writer, 'x', { [TEAM_HEADERS.fileName]: '%ff' })).status).toBe(400)
    expect((await upload(writer, 'x', { [TEAM_HEADERS.csrf]: '' })).status).toBe(403)
    expect((await upload(reader, 'x')).status).toBe(403)
    const statuses = []
    for (let at = 0; at < 9; at += 1) statuses.push((await upload(writer, 'x')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 413])
    await own.close()
  })
})

test('events: each once, missed ones again, and a request to load anew where they are kept no longer', async () => {
  const own = await teamKit()
  const one = await own.as('officer')
  const stream = async (last: string | null, until: RegExp): Promise<string> =>
    await new Promise((resolve, reject) => {
      const { port } = new URL(own.server.origin)
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          path: '/e/alpha/api/events',
          headers: {
            cookie: `barewitness=${one.cookies.get('barewitness')}`,
            ...(last === null ? {} : { 'last-event-id': last }),
          },
        },
        (response) => {
          let text = ''
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString()
            if (!until.test(text)) return
            sent.destroy()
            resolve(text)
          })
          response.on('error', () => undefined)
        },
      )
      sent.on('error', (problem) => (sent.destroyed ? undefined : reject(problem)))
      sent.end()
    })
  const all = stream(null, /"run-done"/)
  await one.call('alpha', 'demo.open', null)
  const text = await all
  const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '')
  expect(new Set(ids).size).toBe(ids.length)
  expect(text).toContain('"run-started"')
  const again = await stream(ids.at(-3) ?? '', /"run-done"/)
  expect([...again.matchAll(/^id: (.+)$/gm)].map(([, id]) => id)).toEqual(ids.slice(-2))
  for (const unknown of ['0123-1', 'x', `${ids[0]?.split('-')[0]}-999999`])
    expect(await stream(unknown, /\n\n.*\n\n/s)).toContain('event: resync')
  await own.close()
})

test('monitoring is on its own address, and names no one', async () => {
  const own = await teamKit({ config: (config) => ({ ...config, monitoring: { address: '127.0.0.1', port: 0 } }) })
  await own.as('officer', 'Sam-Subject')
  const get = async (path: string) => await fetch(`${own.server.monitoring}${path}`)
  expect((await get('/healthz')).status).toBe(200)
  expect((await get('/readyz')).status).toBe(200)
  const metrics = await (await get('/metrics')).text()
  expect(metrics).toContain('barewitness_sign_ins_total{outcome="allowed"} 1')
  expect(metrics).not.toMatch(/Sam|alpha/)
  expect((await get('/e/alpha/')).status).toBe(404)
  for (const path of ['/metrics', '/healthz']) expect((await own.visitor().send('GET', path)).status).toBe(404)
  await own.provider.close()
  await own.close()
})

const noSessions: SessionStore = {
  load: async () => ok([]),
  add: async () => ok(null),
  use: async () => ok(null),
  remove: async () => ok(null),
}

test('a sign-in or sign-out that the database did not store is not confirmed', async () => {
  let isAway = false
  const away = async () => (isAway ? fail('database.unreachable', 'the database cannot be used') : ok(null))
  const own = await teamKit({
    database: { isReachable: async () => !isAway, sessionStore: () => ({ ...noSessions, add: away, remove: away }) },
  })
  const officer = await own.as('officer')
  const { csrf } = await officer.session('alpha')
  isAway = true
  const refused = await own.visitor().signIn({ sub: 'b', name: 'b', roles: ['officer'], groups: ['team'] })
  expect([refused.status, refused.headers['set-cookie']]).toEqual([503, undefined])
  const out = await officer.send('POST', '/auth/sign-out', { [TEAM_HEADERS.csrf]: csrf })
  expect([out.status, codeOf(out)]).toEqual([503, 'database.unreachable'])
  expect((await officer.send('GET', '/e/alpha/api/session')).status).toBe(401)
  await own.close()
})

test('without its database, the server is alive and not ready', async () => {
  let isReachable = false
  const own = await teamKit({
    config: (config) => ({ ...config, monitoring: { address: '127.0.0.1', port: 0 } }),
    database: { isReachable: async () => isReachable, sessionStore: () => noSessions },
  })
  const statusOf = async (path: string) => (await fetch(`${own.server.monitoring}${path}`)).status
  expect([await statusOf('/healthz'), await statusOf('/readyz'), await statusOf('/metrics')]).toEqual([200, 503, 200])
  isReachable = true
  expect(await statusOf('/readyz')).toBe(200)
  await own.close()
})

test('a process that serves collectors alone opens no engine, and people enter nothing', async () => {
  const own = await teamKit({
    config: (config) => ({ ...config, serves: 'collectors' }),
    openEngine: async () => {
      throw new Error('an engine was opened')
    },
  })
  const officer = await own.as('officer')
  expect((await officer.send('GET', '/e/alpha/')).status).toBe(404)
  expect((await officer.send('GET', '/')).text).toContain('You may enter no engagement')
  await own.close()
})

test('with TLS: secure cookies for this host alone, and strict transport', async () => {
  const own = await teamKit({
    tls: await newCertificate(),
    config: (config) => ({ ...config, listen: { ...config.listen, tls: { certificate: '/c', key: '/k' } } }),
  })
  const one = own.visitor()
  const done = await one.signIn({ sub: 's', roles: 'officer', groups: ['team'] })
  expect(done.headers['set-cookie']?.[0]).toMatch(/^__Host-barewitness=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
  expect(done.headers['strict-transport-security']).toMatch(/max-age=\d{8}/)
  expect((await one.call('alpha', 'fleet.get', null)).status).toBe(200)
  await own.close()
})

describe('a server does not start', () => {
  test('over a folder with signing identities', async () => {
    await expect(
      teamKit({
        config: (config) => {
          const [first] = config.engagements
          mkdirSync(join(first.folder, 'identities', 'acme'), { recursive: true })
          return config
        },
      }),
    ).rejects.toThrow('holds signing keys')
  })
  test.each([
    ['an altered line', '{"index":0}\n'],
    ['no log at all', 'x\n'],
  ])('over an audit log with %s', async (_, text) => {
    await expect(
      teamKit({
        config: (config) => {
          writeFileSync(config.auditLog, text)
          return config
        },
      }),
    ).rejects.toThrow('line 1 does not continue')
  })
})

test('a line of the audit log that was not finished is removed, and the chain continues', async () => {
  const own = await teamKit({
    config: (config) => {
      writeFileSync(config.auditLog, '{"at":"2026')
      return config
    },
  })
  expect(checkAudit(own.auditText())).toMatchObject({ intact: true, head: { size: 1 } })
  await own.close()
})

import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkAudit } from '../../main/server/audit.ts'
import { FAILURE_CODES } from '../../schemas/failure-words.ts'
import type { Method } from '../../schemas/ipc.ts'
import { INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { newToken, withCollectors } from '../support/collector-kit.ts'
import { valuesOf } from '../support/schema-values.ts'
import { CHEN, newSigner, withSealers } from '../support/sealer-kit.ts'
import { type Answered, replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'
import { times } from '../support/thorough.ts'

const TOKEN = newToken()
const JSON_TYPE = { 'content-type': 'application/json' }
let kit: TeamKit
let officer: Visitor
beforeAll(async () => {
  kit = await teamKit({
    config: (config) => ({
      ...withCollectors(withSealers(config, newSigner('J. Chen')), {
        'frankfurt-1': { token: TOKEN, zone: 'frankfurt' },
      }),
      monitoring: { address: '127.0.0.1', port: 0 },
    }),
  })
  officer = await kit.as('officer')
})
afterAll(async () => await kit.close())

/** An answer by design: with its status, and with a failure from the closed list where it is a reply. */
function expectByDesign({ status, text, headers }: Answered): void {
  expect(status).toBeLessThan(500)
  if (text === '' || !String(headers['content-type']).startsWith('application/json')) return
  const reply = replyIn(Object({ text }))
  if (reply.ok) return
  expect(FAILURE_CODES).toContain(reply.error.code)
  expect(reply.error.code).not.toBe('bug')
}

/** What the server sends on a connection for these bytes, until either side ends it. */
const sentFor = (bytes: Uint8Array): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(kit.server.origin).port), '127.0.0.1', () => socket.end(bytes))
    let got = ''
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(got))
    socket.on('error', () => undefined)
  })

describe('any bytes on a connection', () => {
  const whole = (): Uint8Array =>
    Buffer.from(
      `POST /e/alpha/api/call/fleet.get HTTP/1.1\r\nHost: ${new URL(kit.server.origin).host}\r\nContent-Type: application/json\r\nContent-Length: 4\r\nCookie: barewitness=x\r\n\r\nnull`,
    )
  test('are ended with an HTTP error or without an answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(await sentFor(bytes)).toMatch(/^$|^HTTP\/1\.1 4/)
      }),
      { numRuns: times(60, 1000) },
    )
  })
  test('also a request with bytes that were changed, doubled or left out', async () => {
    const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), bytes: fc.uint8Array({ maxLength: 4 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(4), async (changes, cut) => {
        let bytes = Buffer.from(whole())
        for (const { at, bytes: put } of changes) {
          const place = Math.floor(at * bytes.length)
          bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)])
        }
        for (const [, status] of (await sentFor(bytes)).matchAll(/HTTP\/1\.1 (\d{3}) /g))
          expect(Number(status)).toBeLessThan(500)
      }),
      { numRuns: times(60, 2000) },
    )
  })
})

describe('any target', () => {
  const part = fc.oneof(
    fc.constantFrom('e', 'alpha', 'beta', 'api', 'call', 'download', 'events', 'collector', 'sealer', 'jobs', 'auth'),
    fc.constantFrom('..', '%2e%2e', '', '%00', '?', '#', 'a'.repeat(300), 'constructor', '0'.repeat(64)),
    fc.webPath(),
  )
  /** Places that parts alone reach too seldom. */
  const places = ['e/alpha', 'e/alpha/api', 'e/alpha/api/call', 'e/alpha/api/download', 'collector/jobs', 'sealer']
  test('is answered by design, for every verb', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'),
        fc.option(fc.constantFrom(...places), { nil: null }),
        fc.array(part, { maxLength: 7 }),
        async (verb, place, parts) => {
          const target = `/${[...(place === null ? [] : [place]), ...parts].join('/')}`
          // A stream of events does not end.
          if (target.endsWith('/api/events')) return
          expectByDesign(await officer.send(verb, target))
        },
      ),
      { numRuns: times(100, 2000) },
    )
  })
})

describe('any input', () => {
  // They end what the others need, or answer when a signer does.
  const APART: readonly Method[] = ['export.build', 'run.start', 'demo.open']
  const METHODS = (Object.keys(INPUT_SCHEMAS) as Method[]).filter((one) => !APART.includes(one))
  test.each(METHODS)('%s', async (method) => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: valuesOf(INPUT_SCHEMAS[method]) }, fc.jsonValue({ maxDepth: 3 })),
        async (input) => expectByDesign(await officer.call('alpha', method, JSON.stringify(input))),
      ),
      { numRuns: times(4, 60) },
    )
  })
})

describe('any message of a program', () => {
  const ids = fc.constantFrom('0'.repeat(32), 'f'.repeat(32), 'x', '')
  const body = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map((one) => JSON.stringify(one)),
    fc
      .record({ zone: fc.string(), catalogDigest: fc.string(), waitSeconds: fc.integer() })
      .map((one) => JSON.stringify(one)),
    fc.string({ maxLength: 200 }),
  )
  test.each([
    ['a collector', () => TOKEN, ['renew', 'offer', 'parts', 'deliver', 'refuse'], '/collector/jobs'],
    ['a sealer', () => CHEN, ['answer', 'refuse'], '/sealer/requests'],
  ] as const)('of %s', async (_, token, names, base) => {
    await fc.assert(
      fc.asyncProperty(
        ids,
        fc.constantFrom(...names),
        fc.constantFrom('POST', 'PUT'),
        body,
        async (id, name, verb, text) =>
          expectByDesign(
            await kit
              .visitor()
              .send(verb, `${base}/${id}/${name}`, { ...JSON_TYPE, authorization: `Bearer ${token()}` }, text),
          ),
      ),
      { numRuns: times(60, 1500) },
    )
  })
})

test('what is broken off leaves no stream, call or upload behind', async () => {
  const { port } = new URL(kit.server.origin)
  const { csrf } = await officer.session('alpha')
  const headers = { cookie: `barewitness=${officer.cookies.get('barewitness')}`, [TEAM_HEADERS.csrf]: csrf }
  const brokenOff = (method: string, path: string, more: Readonly<Record<string, string>>): Promise<void> =>
    new Promise((resolve) => {
      const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...headers, ...more } })
      sent
        .on('response', () => sent.destroy())
        .on('error', () => undefined)
        .on('close', () => resolve())
      sent.on('socket', (socket) => socket.on('connect', () => setTimeout(() => sent.destroy(), 5)))
      if (method === 'GET') sent.end()
      else sent.write('{"of":')
    })
  for (let turn = 0; turn < times(10, 200); turn += 1)
    await Promise.all(
      Array.from({ length: 6 }, (_, at) => [
        brokenOff('GET', '/e/alpha/api/events', {}),
        brokenOff('POST', '/e/alpha/api/call/register.get', { ...JSON_TYPE, 'content-length': '12' }),
        brokenOff('POST', '/e/alpha/api/upload', {
          'content-type': 'application/octet-stream',
          'content-length': '1000',
          [TEAM_HEADERS.fileName]: `${at}.csv`,
        }),
      ]).flat(),
    )
  const left = async (): Promise<readonly string[]> =>
    (await (await fetch(`${kit.server.monitoring}/metrics`)).text())
      .split('\n')
      .filter((line) => /^barewitness_(event_streams|calls_going) /.test(line))
  while ((await left()).some((line) => !line.endsWith(' 0'))) await sleep(20)
  expect(await left()).toHaveLength(2)
})

test('afterwards the server answers, no exception was logged, and neither log has a token', async () => {
  expect((await kit.visitor().send('GET', '/')).status).toBe(200)
  expect((await officer.call('alpha', 'fleet.get', null)).status).toBe(200)
  expect(kit.logged.filter(({ problem, status }) => problem !== undefined || Number(status) >= 500)).toEqual([])
  expect(checkAudit(kit.auditText()).intact).toBe(true)
  for (const token of [TOKEN, CHEN, officer.cookies.get('barewitness') ?? '-'])
    expect(`${kit.auditText()}${JSON.stringify(kit.logged)}`).not.toContain(token)
})

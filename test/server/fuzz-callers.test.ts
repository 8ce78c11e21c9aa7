import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide } from '../../main/server/access.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { FAILURE_CODES } from '../../schemas/failure-words.ts'
import type { Method } from '../../schemas/ipc.ts'
import { INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'
import { TEAM_HEADERS, type TeamRole } from '../../schemas/ipc-team.ts'
import { valuesOf } from '../support/schema-values.ts'
import { allCallers, type Caller, type CallerName, withPrograms } from '../support/team-callers.ts'
import { type Answered, replyIn, type TeamKit, teamKit } from '../support/team-kit.ts'
import { sampled, times } from '../support/thorough.ts'

/** Hostile requests by everyone who has a session or a token. A failure prints the seed and the shortest request that shows it. */

const NAMES = ['officer', 'operator', 'auditor', 'guest', 'administrator', 'collector', 'sealer'] as const
let kit: TeamKit
let callers: Readonly<Record<CallerName, Caller>>
beforeAll(async () => {
  kit = await teamKit({
    config: (config) =>
      withPrograms({ ...config, limits: { uploadMiB: 1 }, monitoring: { address: '127.0.0.1', port: 0 } }),
  })
  callers = await allCallers(kit)
})
afterAll(async () => await kit.close())

/** No answer to what is refused is larger; files and pages of the kit are not either. */
const LARGEST_ANSWER = 1024 * 1024

/** An answer by design: with its status, and with a failure from the closed list where it is a reply. */
function expectByDesign({ status, text, headers }: Answered): void {
  expect(status).toBeLessThan(500)
  expect(text.length).toBeLessThan(LARGEST_ANSWER)
  if (text === '' || !String(headers['content-type']).startsWith('application/json')) return
  const reply = replyIn(Object({ text }))
  if (reply.ok) return
  expect(FAILURE_CODES).toContain(reply.error.code)
  expect(reply.error.code).not.toBe('bug')
}

const [ID, LONG_ID] = ['0'.repeat(32), 'f'.repeat(64)]
const ADDRESSES: readonly (readonly [verb: string, target: string])[] = [
  ...(
    ['/', '/server.css', '/auth/sign-in', '/auth/callback?code=x&state=y', '/sessions', '/sessions/all'] as const
  ).map((target) => ['GET', target] as const),
  ...(['', 'api/session', `api/download/${LONG_ID}`, 'api/events/'] as const).map(
    (rest) => ['GET', `/e/alpha/${rest}`] as const,
  ),
  ...(['api/upload', 'api/call/register.get', 'api/call/portal.ask', 'api/call/constructor'] as const).map(
    (rest) => ['POST', `/e/alpha/${rest}`] as const,
  ),
  ['POST', '/e/beta/api/call/fleet.get'],
  ['POST', '/sessions/end'],
  ['POST', '/collector/ask'],
  ['PUT', `/collector/jobs/${ID}/parts`],
  ['POST', `/collector/jobs/${ID}/deliver`],
  ['POST', '/sealer/ask'],
  ['POST', `/sealer/requests/${ID}/answer`],
  ['POST', '/sealer/head/answer'],
]

const NAMES_OF_OBJECTS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'] as const
const bodies = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMES_OF_OBJECTS), fc.jsonValue({ maxDepth: 2 }))
      .map(([name, value]) => Buffer.from(`{"${name}":${JSON.stringify(value)},"of":"run"}`)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const))
      .map(([depth, [opens, closes]]) => Buffer.from(`${opens.repeat(depth)}0${closes.repeat(depth)}`)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('"\\ud800"', '\ufeffnull', '1e999', '-0', 'NaN', '{"a":1,"a":2}', 'null\0', '"\\u0000"', '[,]')
      .map((text) => Buffer.from(text)),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.from('"\xff\xfe\xed\xa0\x80"', 'latin1')) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(70_000, 1024 * 1024 - 2, 1024 * 1024 + 1)
      .map((size) => Buffer.from(`"${'x'.repeat(size)}"`)),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 30_000 })
      .map((count) => Buffer.from(`{${Array.from({ length: count }, (_, at) => `"k${at}":0`).join(',')}}`)),
  },
)

/** Visible ASCII: anything else is refused by the client before it is sent, and is sent as bytes further below. */
const value = fc.string({ minLength: 1, maxLength: 60 }).map((text) => text.replaceAll(/[^ -~]/g, 'x').trim() || 'x')
const headers = fc.dictionary(
  fc.constantFrom(
    ...(['content-type', 'content-encoding', 'origin', 'sec-fetch-site', 'last-event-id', 'accept', 'range'] as const),
    ...(['x-forwarded-for', 'x-http-method-override', 'x-barewitness-lease', 'referer', 'if-none-match'] as const),
    ...([TEAM_HEADERS.csrf, TEAM_HEADERS.upload, TEAM_HEADERS.fileName, 'cookie2', 'upgrade'] as const),
  ),
  fc.oneof(
    { weight: 4, arbitrary: value },
    {
      weight: 2,
      arbitrary: fc.constantFrom('application/json', 'application/octet-stream', 'gzip', 'null', 'same-origin', '%ff'),
    },
    { weight: 1, arbitrary: fc.constant('x'.repeat(20_000)) },
  ),
  { maxKeys: 5 },
)

const targets = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ADDRESSES) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'TRACE'),
        fc.constantFrom(...ADDRESSES),
        fc.webPath(),
      )
      .map(([verb, [, target], path]) => [verb, `${target}${path}`] as const),
  },
)

describe.each(NAMES)('by %s', (by) => {
  test('any verb, address, headers and body', async () => {
    const { visitor, headers: own, csrf } = callers[by]
    const cookies = [...visitor.cookies]
    await fc.assert(
      fc.asyncProperty(targets, headers, bodies, async ([verb, target], more, body) => {
        // With the token of the page, a form would sign the caller out.
        const page = target.startsWith('/e/') ? { [TEAM_HEADERS.csrf]: csrf, 'content-type': 'application/json' } : {}
        const hasBody = verb === 'POST' || verb === 'PUT'
        try {
          expectByDesign(await visitor.send(verb, target, { ...page, ...own, ...more }, hasBody ? body : ''))
        } catch (problem) {
          // A body that is not read to its end is answered by an end of the connection, which the client can notice first.
          if (!['ECONNRESET', 'EPIPE'].includes(String((problem as NodeJS.ErrnoException).code))) throw problem
        }
        visitor.cookies.clear()
        for (const [name, cookie] of cookies) visitor.cookies.set(name, cookie)
      }),
      { numRuns: times(25, 200) },
    )
  })

  test('requests that are cut off, or have bytes that no client sends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ADDRESSES),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.uint8Array({ maxLength: 6 }),
        fc.constantFrom(0, 1, 4, 2_000_000, -1),
        async ([verb, target], at, put, length) => {
          const whole = Buffer.from(requestOf(callers[by], verb, target, length))
          const place = Math.floor(at * whole.length)
          for (const bytes of [
            whole.subarray(0, place),
            Buffer.concat([whole.subarray(0, place), put, whole.subarray(place)]),
          ])
            for (const [, status] of (await sentFor(bytes)).matchAll(/HTTP\/1\.1 (\d{3}) /g))
              expect(Number(status)).toBeLessThan(500)
        },
      ),
      { numRuns: times(15, 120) },
    )
  })

  test('a body without an end is not kept', async () => {
    for (const [verb, target] of ADDRESSES.filter(([one]) => one !== 'GET')) {
      const { said, isEnded } = await endless(callers[by], verb, target)
      expect([verb, target, isEnded]).toEqual([verb, target, true])
      for (const [, status] of said.matchAll(/HTTP\/1\.1 (\d{3}) /g)) expect(Number(status)).toBeLessThan(500)
    }
  })
})

const ROLES: Partial<Readonly<Record<CallerName, TeamRole>>> = { operator: 'operator', auditor: 'auditor' }

describe.each(Object.entries(ROLES) as (readonly [CallerName, TeamRole])[])('calls by %s', (by, role) => {
  // They end what the others need. Officers are in fuzz.test.ts.
  const APART: readonly Method[] = ['run.start', 'demo.open']
  const may = (Object.keys(INPUT_SCHEMAS) as Method[]).filter(
    (method) =>
      !APART.includes(method) &&
      decide(role, method, { of: 'pack', identity: null }, { demo: true, sealer: true }).allowed,
  )
  test.each(sampled(may, 12))('%s', async (method) => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: valuesOf(INPUT_SCHEMAS[method]) }, fc.jsonValue({ maxDepth: 3 })),
        async (input) => expectByDesign(await callers[by].visitor.call('alpha', method, JSON.stringify(input))),
      ),
      { numRuns: times(3, 12) },
    )
  })
})

function requestOf({ visitor, headers: own, csrf }: Caller, verb: string, target: string, length: number): string {
  const { host } = new URL(kit.server.origin)
  const cookie = [...visitor.cookies].map(([name, one]) => `${name}=${one}`).join('; ')
  const lines = [
    `${verb} ${target} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(cookie === '' ? [] : [`Cookie: ${cookie}`]),
    ...Object.entries(own).map(([name, one]) => `${name}: ${one}`),
    ...(target.startsWith('/e/') ? [`${TEAM_HEADERS.csrf}: ${csrf}`] : []),
    `Content-Type: ${target.endsWith('upload') || verb === 'PUT' ? 'application/octet-stream' : 'application/json'}`,
    ...(verb === 'GET' ? [] : [length < 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${verb === 'GET' ? '' : length < 0 ? '4\r\nnull\r\n0\r\n\r\n' : 'null'}`
}

const port = (): number => Number(new URL(kit.server.origin).port)

/** What the server sends on a connection for these bytes, until either side ends it. */
const sentFor = (bytes: Uint8Array): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port(), '127.0.0.1', () => socket.end(bytes))
    let got = ''
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(got))
    socket.on('error', () => undefined)
  })

// Far more than the buffers of the kernel hold for both ends (tcp(7), tcp_rmem and tcp_wmem): what they took was not read by the server.
const MOST_SENT = 64 * 1024 * 1024

/** Sends chunks until the server ends the connection, or so many bytes are sent. `isEnded`: the server ended it. */
const endless = (
  caller: Caller,
  verb: string,
  target: string,
): Promise<{ readonly said: string; readonly isEnded: boolean }> =>
  new Promise((resolve) => {
    const [head] = requestOf(caller, verb, target, -1).split('\r\n\r\n')
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`
    let [got, isEnded] = ['', true]
    const socket = connect(port(), '127.0.0.1', () => {
      socket.write(`${head}\r\n\r\n`)
      more()
    })
    const more = (): void => {
      if (socket.destroyed) return
      if (socket.bytesWritten > MOST_SENT) {
        isEnded = false
        return void socket.destroy()
      }
      // The server is in this process: it gets its turn before the next chunk.
      socket.write(piece, () => setImmediate(more))
    }
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1')
    })
    socket.on('close', () => resolve({ said: got, isEnded }))
    socket.on('error', () => undefined)
  })

test('afterwards the server answers, nothing is left open, no exception was logged, and neither log has a secret', async () => {
  const going = async (): Promise<readonly string[]> =>
    (await (await fetch(`${kit.server.monitoring}/metrics`)).text())
      .split('\n')
      .filter((line) => /^barewitness_(event_streams|calls_going) /.test(line))
  while ((await going()).some((line) => !line.endsWith(' 0'))) await sleep(20)
  for (const name of NAMES.slice(0, 5))
    expect([name, (await callers[name].visitor.send('GET', '/sessions')).status]).toEqual([name, 200])
  expect((await callers.officer.visitor.call('alpha', 'fleet.get', null)).status).toBe(200)
  expect(kit.logged.filter(({ problem, status }) => problem !== undefined || Number(status) >= 500)).toEqual([])
  expect(checkAudit(kit.auditText()).intact).toBe(true)
  const logs = `${kit.auditText()}${JSON.stringify(kit.logged)}`
  for (const { visitor, headers: own, csrf } of Object.values(callers))
    for (const secret of [visitor.cookies.get('barewitness'), own.authorization?.slice('Bearer '.length), csrf])
      if (secret !== undefined && secret !== '') expect(logs).not.toContain(secret)
})

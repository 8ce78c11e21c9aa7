import { createHmac, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { notifyWebhook, webhookAddress } from '../../main/adapters/notify/index.ts'
import { NOTICE } from '../support/notice.ts'

const KEY = 'a key of somebody’s webhook'

let folder = ''
const at = (name: string): string => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bw-notify-'))
  writeFileSync(at('key'), `${KEY}\n`, { mode: 0o600 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Got {
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly path: string
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that answers each request as told, and what it got. */
async function listening(answer: (response: ServerResponse, number: number) => void) {
  const requests: Got[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      requests.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8'), path: request.url ?? '' })
      answer(response, requests.length)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hidden` }
}

const CLOCK = { now: () => '2026-03-02T02:10:00.500Z', ticks: () => 0n }
async function post(url: string, { secretFile = at('key') as string | null, limit = 2000 } = {}) {
  const waits: number[] = []
  const pause = async (milliseconds: number): Promise<void> => void waits.push(milliseconds)
  const outcome = await notifyWebhook({ kind: 'webhook', url, secretFile }, NOTICE, { clock: CLOCK, pause, limit })
  return { outcome, waits }
}

/** As the receiver would, from the documentation alone. */
function isSigned({ headers, body }: Got): boolean {
  const [, seconds = '', mac = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['barewitness-signature'])) ?? []
  const expected = createHmac('sha256', KEY).update(`${seconds}.${body}`).digest()
  return Number(seconds) === 1772417400 && timingSafeEqual(Buffer.from(mac, 'hex'), expected)
}

describe('a webhook', () => {
  test('gets the notice once, signed', async () => {
    const { requests, url } = await listening((response) => response.writeHead(204).end())
    expect((await post(url)).outcome.ok).toBe(true)
    expect(requests).toHaveLength(1)
    expect(requests.map(isSigned)).toEqual([true])
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(NOTICE)
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'barewitness-delivery': NOTICE.id,
    })
    expect(isSigned({ ...(requests[0] as Got), body: `${requests[0]?.body} ` })).toBe(false)
  })
  test('is tried three times, under one delivery id, with longer waits', async () => {
    const { requests, url } = await listening((response, number) => response.writeHead(number < 3 ? 503 : 200).end())
    const { outcome, waits } = await post(url)
    expect([outcome.ok, waits]).toEqual([true, [1000, 4000]])
    expect(requests.map(({ headers }) => headers['barewitness-delivery'])).toEqual([NOTICE.id, NOTICE.id, NOTICE.id])
    expect(requests.every(isSigned)).toBe(true)
  })
  test.each([
    [503, 3, 'HTTP status 503, 3 tries'],
    [429, 3, 'HTTP status 429, 3 tries'],
    [400, 1, 'HTTP status 400'],
    [404, 1, 'HTTP status 404'],
  ])('that answers %i is tried %i times, and reported without its path', async (status, tries, why) => {
    const { requests, url } = await listening((response) => response.writeHead(status).end())
    const { outcome } = await post(url)
    expect(requests).toHaveLength(tries)
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'notice.undelivered', detail: expect.stringContaining(why) },
    })
    expect(JSON.stringify(outcome)).not.toContain('hidden')
  })
  test('that redirects is not followed', async () => {
    const other = await listening((response) => response.writeHead(200).end())
    const { requests, url } = await listening((response) => response.writeHead(307, { location: other.url }).end())
    expect((await post(url)).outcome).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining('HTTP status 307; redirects are not followed') },
    })
    expect([requests.length, other.requests.length]).toEqual([1, 0])
  })
  test('that never answers is given up', async () => {
    const { requests, url } = await listening(() => undefined)
    expect((await post(url, { limit: 100 })).outcome).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining('no response within 0.1 s, 3 tries') },
    })
    expect(requests).toHaveLength(3)
  })
  test('that answers without end is not listened to', async () => {
    let sent = 0
    const { url } = await listening((response) => {
      const pour = (): void => {
        while (!response.destroyed && sent < 64 * 1024 * 1024) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536))) {
            response.once('drain', pour)
            return
          }
        }
      }
      response.writeHead(200)
      pour()
    })
    expect((await post(url)).outcome.ok).toBe(true)
    await sleep(200)
    // What the two sockets hold, and no more.
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })
  test('without a listener is reported', async () => {
    const { url } = await listening(() => undefined)
    servers.splice(0).map((server) => server.close())
    expect((await post(url)).outcome).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining('connection refused') },
    })
  })
  test('without a key is notified unsigned', async () => {
    const { requests, url } = await listening((response) => response.writeHead(200).end())
    await post(url, { secretFile: null })
    expect(requests[0]?.headers).not.toHaveProperty('barewitness-signature')
  })
  test('with a key that others can read, or none, is sent nothing', async () => {
    const { requests, url } = await listening((response) => response.writeHead(200).end())
    writeFileSync(at('open'), KEY)
    chmodSync(at('open'), 0o644)
    writeFileSync(at('empty'), '\n', { mode: 0o600 })
    for (const secretFile of [at('open'), at('empty'), at('nowhere')])
      expect((await post(url, { secretFile })).outcome.ok).toBe(false)
    expect(requests).toHaveLength(0)
  })
  test.each([
    ['https://hooks.example/x?token=hidden', true],
    ['http://localhost:8080/x', true],
    ['http://127.1.2.3/x', true],
    ['http://[::1]:9/x', true],
    ['http://hooks.example/x?token=hidden', false],
    ['http://127.0.0.1.example/x', false],
    ['https://me:hidden@hooks.example/', false],
    ['ftp://localhost/', false],
    ['not an address hidden', false],
  ])('at %s: %s', (url, allowed) => {
    const outcome = webhookAddress(url)
    expect(outcome.ok).toBe(allowed)
    if (!outcome.ok) expect(outcome.error.detail).not.toContain('hidden')
  })
})

import { existsSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

/** Larger than what the system takes from the server before a client reads it. */
const LARGE = new Uint8Array(32 * 1024 * 1024)

interface LargeKit {
  readonly kit: TeamKit
  readonly officer: Visitor
  /** Has a large file offered, and gives its address and its path on the server. */
  readonly offered: () => Promise<readonly [address: string, path: string]>
  /** Begins to download and reads the first bytes. */
  readonly begun: (address: string) => Promise<IncomingMessage>
}

async function largeKit(): Promise<LargeKit> {
  const written: string[] = []
  const kit = await teamKit({
    openEngine: async () => ({
      call: async (_method, _input, chosen) => {
        if (chosen === undefined) return { ok: true, value: null } as never
        writeFileSync(chosen.path, LARGE)
        written.push(chosen.path)
        return { ok: true, value: { file: 'risk-acceptances.csv' } } as never
      },
      onEvent: () => () => undefined,
      startDue: async () => ({ ok: true, value: null }),
      recordMissedRun: async () => ({ ok: true, value: null }),
      close: async () => undefined,
    }),
  })
  onTestFinished(() => kit.close())
  const officer = await kit.as('officer')
  const { hostname, port, host } = new URL(kit.server.origin)
  return {
    kit,
    officer,
    offered: async () => {
      const answered = await officer.call('alpha', 'acceptances.save', null)
      return [`/e/alpha/${answered.headers[TEAM_HEADERS.download]}`, written.at(-1) ?? '']
    },
    begun: (address) =>
      new Promise((resolve, reject) => {
        const cookie = [...officer.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const asked = request({ host: hostname, port, path: address, headers: { host, cookie } }, (response) => {
          response.once('data', () => {
            response.pause()
            resolve(response)
          })
          response.on('error', () => undefined)
        })
        asked.on('error', reject)
        asked.end()
      }),
  }
}

test('a download that a client breaks off leaves no file behind, and is no error of the server', async () => {
  const { kit, officer, offered, begun } = await largeKit()
  const [address, path] = await offered()
  expect(existsSync(path)).toBe(true)
  const response = await begun(address)
  response.destroy()
  const line = () => kit.logged.find(({ kind }) => kind === 'download')
  while (line() === undefined) await sleep(5)
  expect(line()).toMatchObject({ status: 400 })
  expect(line()).not.toHaveProperty('problem')
  expect(existsSync(path)).toBe(false)
  expect((await officer.send('GET', address)).status).toBe(404)
})

test('a session has eight downloads in progress at most, and the next one is there afterwards', async () => {
  const { officer, offered, begun } = await largeKit()
  const going: IncomingMessage[] = []
  for (let at = 0; at < 8; at += 1) going.push(await begun((await offered())[0]))
  const [address] = await offered()
  expect((await officer.send('GET', address)).status).toBe(429)
  going[0]?.destroy()
  const statusOf = async () => (await officer.send('GET', address)).status
  let status = await statusOf()
  while (status === 429) status = await statusOf()
  expect(status).toBe(200)
  for (const one of going) one.destroy()
})

test('a download ends with its session', async () => {
  const { kit, officer, offered, begun } = await largeKit()
  const [address, path] = await offered()
  const response = await begun(address)
  const { csrf } = await officer.session('alpha')
  const closed = new Promise<boolean>((resolve) => response.once('close', () => resolve(response.complete)))
  expect((await officer.send('POST', '/auth/sign-out', { [TEAM_HEADERS.csrf]: csrf })).status).toBe(303)
  response.resume()
  expect(await closed).toBe(false)
  const line = () => kit.logged.find(({ kind }) => kind === 'download')
  while (line() === undefined || existsSync(path)) await sleep(5)
  expect(line()).toMatchObject({ status: 400 })
})

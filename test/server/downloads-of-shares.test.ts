import { truncateSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { sharedExport } from '../support/portal-kit.ts'
import { type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

let kit: TeamKit
let officer: Visitor
let auditor: Visitor
beforeAll(async () => {
  kit = await teamKit()
  officer = await kit.as('officer')
  auditor = await kit.as('auditor')
})
afterAll(async () => await kit.close())

/** Larger than what the system takes from the server before a client reads it. */
const LARGE = 64 * 1024 * 1024

/** Begins to download, and reads the first bytes. */
const begun = (address: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(kit.server.origin)
    const cookie = [...auditor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const asked = request({ host: hostname, port, path: address, headers: { host, cookie } }, (response) => {
      response.once('data', () => {
        response.pause()
        resolve(response)
      })
      response.on('error', () => undefined)
    })
    asked.on('error', reject)
    asked.end()
  })

test('a download in progress ends when its share is ended, before everything was sent', async () => {
  const pack = await sharedExport(officer)
  truncateSync(join(kit.folder, 'alpha', 'shared-packs', pack.id, pack.pack), LARGE)
  const saved = await auditor.call('alpha', 'portal.save', { id: pack.id, file: pack.pack })
  const response = await begun(`/e/alpha/${saved.headers[TEAM_HEADERS.download]}`)
  expect(response.headers['content-length']).toBe(String(LARGE))
  await officer.call('alpha', 'portal.unshare', { id: pack.id, reason: 'Superseded.' })
  let read = 0
  response.on('data', (piece: Buffer) => {
    read += piece.length
  })
  response.resume()
  await new Promise((resolve) => response.once('close', resolve))
  expect(read).toBeLessThan(LARGE / 2)
  const line = () => kit.logged.find(({ kind }) => kind === 'download')
  while (line() === undefined) await sleep(5)
  expect(line()).toMatchObject({ status: 400 })
  expect(line()).not.toHaveProperty('problem')
})

import { X509Certificate } from 'node:crypto'
import { connect as connectPlainly, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TeamConfig } from '../../schemas/types.ts'
import { newCertificate } from '../support/loopback-certificate.ts'
import { type TeamKit, teamKit } from '../support/team-kit.ts'

const [before, renewed] = [await newCertificate(), await newCertificate()]
const fingerprintOf = ({ cert }: { readonly cert: string }): string => new X509Certificate(cert).fingerprint256

let kit: TeamKit
let running: TeamConfig
beforeAll(async () => {
  kit = await teamKit({
    tls: before,
    config: (config) => {
      running = { ...config, listen: { ...config.listen, tls: { certificate: '/c', key: '/k' } } }
      return running
    },
  })
})
afterAll(async () => await kit.close())

/** The certificate that a new connection is answered with. */
const presented = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(kit.server.origin)
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    }).on('error', reject)
  })
const noted = (): readonly (string | undefined)[] =>
  kit
    .auditText()
    .split('\n')
    .filter((line) => line.includes('"kind":"reload"'))
    .map((line) => JSON.parse(line).of.certificate)

test('a certificate that was renewed is presented after a reload, and everyone stays signed in', async () => {
  const officer = await kit.as('officer')
  expect(await presented()).toBe(fingerprintOf(before))
  expect((await kit.server.reload(running, renewed)).ok).toBe(true)
  expect(await presented()).toBe(fingerprintOf(renewed))
  expect((await officer.call('alpha', 'app.info', null)).status).toBe(200)
  expect((await kit.server.reload(running, renewed)).ok).toBe(true)
  expect(noted()).toEqual([fingerprintOf(renewed).replaceAll(':', '').toLowerCase(), undefined])
})

test('a key of another certificate changes nothing', async () => {
  const entries = kit.auditText()
  expect(await kit.server.reload(running, { ...renewed, key: before.key })).toMatchObject({
    ok: false,
    error: { code: 'input.refused', detail: expect.stringContaining('listen.tls') },
  })
  expect(await presented()).toBe(fingerprintOf(renewed))
  expect(kit.auditText()).toBe(entries)
})

test('connections that do not begin TLS, or send no header, end', async () => {
  const port = Number(new URL(kit.server.origin).port)
  const began = Date.now()
  const secondsUntilEnd = (socket: Socket): Promise<number> =>
    new Promise((resolve) => {
      socket.on('error', () => undefined).on('close', () => resolve((Date.now() - began) / 1000))
      socket.resume()
    })
  const plain = connectPlainly(port, '127.0.0.1')
  const secure = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  for (const seconds of await Promise.all([plain, secure].map(secondsUntilEnd))) expect(seconds).toBeLessThan(20)
})

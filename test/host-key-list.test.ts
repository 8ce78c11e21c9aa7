import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { decideHostKey, listBehind, listPath, loadTrust } from '../main/adapters/ssh/host-key.ts'
import { createHostKeys } from '../main/adapters/ssh/host-keys.ts'
import { hostIdentity, hostSerials } from '../main/catalog/hardware/machine/identity.ts'
import { evidenceHostIdentity } from '../main/catalog/operations/evidence/index.ts'
import { hostKeyList, sshSession } from '../main/catalog/operations/evidence/probes.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { decisionComment, holdsPrivateKey, listedKey, readDecision } from '../main/core/fleet/host-key-list.ts'
import { fingerprintOf } from '../main/core/fleet/known-hosts.ts'
import type { ConnectTarget } from '../main/core/ports/ports.ts'
import type { Parsed } from '../main/core/recording/probe.ts'
import { conclude } from '../main/core/rules/check.ts'
import { fakeHostKey } from './support/fake-nodes.ts'
import { folderOfTest } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const print = (name: string): string => fingerprintOf(fakeHostKey(name))
const LIST = `# order 1042\ndb-1 ${print('db-1')}\ndb-2 ${print('db-2')}\n`
const digestOf = (text: string): string => sha256(new TextEncoder().encode(text))

let folder: string
let decisions: string
beforeEach(() => {
  folder = folderOfTest('key-list')
  decisions = join(folder, 'fleet.json.known_hosts')
})

const target = (): ConnectTarget => ({
  node: { name: 'db-1', address: '192.0.2.1', port: 22, user: 'audit', sudo: false },
  trust: { knownHostsFiles: [], decisionsFile: decisions },
  credentials: { agent: false },
  transport: 'auto',
  jumps: [],
})
const shown = { type: 'ssh-ed25519', fingerprint: print('db-1'), blob: fakeHostKey('db-1') }
const record = async (list?: { readonly text: string; readonly line: number }): Promise<void> => {
  const recorded = await createHostKeys().record(decisions, target(), shown, 'from the console', list)
  expect(recorded.ok).toBe(true)
}

const decided = async () => {
  const trust = await loadTrust(target().trust)
  if (!trust.ok) throw new Error(trust.error.detail)
  const judged = must(decideHostKey(trust.value, '192.0.2.1', 22, shown.blob))
  return { trust: judged.trust, list: listBehind(judged, trust.value.files) }
}

describe('a host key that was compared with a list', () => {
  test('is trusted by that list, which is kept beside the decisions under its digest', async () => {
    await record({ text: LIST, line: 2 })
    const { trust, list } = await decided()
    expect(trust).toMatchObject({ how: 'list', list: { sha256: digestOf(LIST), line: 2 } })
    expect(trust.detail).toContain('from the console')
    expect(list).toBe(LIST)
    expect(readFileSync(listPath(decisions, digestOf(LIST)), 'utf8')).toBe(LIST)
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  test('without a list it is a decision', async () => {
    await record()
    expect(await decided()).toMatchObject({ trust: { how: 'decision' }, list: null })
  })

  test.each([
    ['the list is gone', () => rmSync(listPath(decisions, digestOf(LIST)))],
    ['the list was altered', () => writeFileSync(listPath(decisions, digestOf(LIST)), `${LIST}#\n`)],
    [
      'the decision names a line that does not hold the key',
      () => writeFileSync(decisions, readFileSync(decisions, 'utf8').replace(/(list:[0-9a-f]+):2/, '$1:3')),
    ],
    [
      'the decision names a list that was not kept',
      () =>
        writeFileSync(decisions, readFileSync(decisions, 'utf8').replace(/list:[0-9a-f]+/, `list:${'0'.repeat(64)}`)),
    ],
  ])('is a decision and no more where %s', async (_, spoil) => {
    await record({ text: LIST, line: 2 })
    spoil()
    expect(await decided()).toMatchObject({ trust: { how: 'decision' }, list: null })
  })

  test('a list larger than what is kept with a recording is not read', async () => {
    const large = `${LIST}${'#'.repeat(1024 * 1024)}`
    mkdirSync(`${decisions}.lists`)
    await record({ text: large, line: 2 })
    expect(await decided()).toMatchObject({ trust: { how: 'decision' }, list: null })
  })
})

describe('the words of a decision', () => {
  test('are read as they were written', () => {
    const list = { sha256: 'a'.repeat(64), line: 12 }
    for (const one of [
      { day: '2026-11-20', words: 'read on the console', list: null },
      { day: '2026-11-20', words: 'from the portal', list },
    ])
      expect(readDecision(decisionComment(one))).toEqual(one)
    expect(readDecision('compared on the console')).toEqual({ day: null, words: 'compared on the console', list: null })
    expect(readDecision('')).toEqual({ day: null, words: '', list: null })
    expect(readDecision(`2026-11-20 list:${'A'.repeat(64)}:1 x`).list).toBeNull()
  })
  test('and lists can be any bytes', () =>
    fc.assert(
      fc.property(fc.string(), fc.integer(), (text, line) => {
        expect(() => [readDecision(text), listedKey(text, line), holdsPrivateKey(text)]).not.toThrow()
      }),
    ))
  test('a private key is distinguished from host keys', () => {
    for (const kind of ['OPENSSH', 'RSA', 'EC', 'ENCRYPTED'])
      expect(holdsPrivateKey(`x\n-----BEGIN ${kind} PRIVATE KEY-----\n`)).toBe(true)
    expect(holdsPrivateKey('-----BEGIN PRIVATE KEY-----')).toBe(true)
    expect(holdsPrivateKey('PuTTY-User-Key-File-3: ssh-ed25519')).toBe(true)
    expect(holdsPrivateKey(LIST)).toBe(false)
  })
})

describe('what evidence.host-identity makes of it', () => {
  const host = { hostname: 'db-1', bootId: 'f00d' }
  const session = (list: object | null) => ({
    ok: true as const,
    fact: {
      keyType: 'ssh-ed25519',
      fingerprint: print('db-1'),
      trust: 'list',
      trustDetail: 'from the console',
      list,
      serverVersion: '',
      keyExchange: '',
      authMethod: 'publickey',
      transport: 'ssh2',
    },
  })
  const kept = { ok: true, fact: { sha256: digestOf(LIST), text: LIST } } as const
  const none: Parsed<unknown> = { ok: false, reason: 'this was not collected' }
  const verdictOf = (list: object | null, among: Parsed<unknown>): string =>
    conclude(
      evidenceHostIdentity,
      new Map<string, Parsed<unknown>>([
        [sshSession.id, session(list)],
        [hostIdentity.id, { ok: true, fact: host }],
        [hostSerials.id, none],
        [hostKeyList.id, among],
      ]),
      { node: { name: 'db-1', address: '192.0.2.1', port: 22, user: 'audit', sudo: false } } as never,
    ).verdict

  test.each([
    ['the list is there and its line holds the key', { sha256: digestOf(LIST), line: 2 }, kept, 'satisfied'],
    ['the line holds another key', { sha256: digestOf(LIST), line: 3 }, kept, 'inconclusive'],
    ['the line is a comment', { sha256: digestOf(LIST), line: 1 }, kept, 'inconclusive'],
    ['there is no such line', { sha256: digestOf(LIST), line: 99 }, kept, 'inconclusive'],
    ['another list was kept', { sha256: '0'.repeat(64), line: 2 }, kept, 'inconclusive'],
    ['no list was kept', { sha256: digestOf(LIST), line: 2 }, none, 'inconclusive'],
    ['the session names no list', null, kept, 'inconclusive'],
  ] as const)('%s', (_, named, among, verdict) => expect(verdictOf(named, among)).toBe(verdict))
})

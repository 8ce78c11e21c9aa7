import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { matchKeys } from '../main/core/fleet/host-key-list.ts'
import { fingerprintOf, knownHostsLine } from '../main/core/fleet/known-hosts.ts'
import { type EngineKit, engineKit, withNodes } from './support/engine-kit.ts'
import { fakeHostKey } from './support/fake-nodes.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { expectLinear } from './support/growth.ts'

const print = (name: string): string => fingerprintOf(fakeHostKey(name))
const base64 = (name: string): string => Buffer.from(fakeHostKey(name)).toString('base64')
const HOW = { howVerified: 'read on the console' }

// 1 is known to no one, of 2 another key is on record, 4 is known, the key of 9 was revoked.
const NODES = ['db-1', 'db-2', 'db-4', 'db-9']
let kit: EngineKit
beforeEach(async () => {
  kit = await engineKit()
  await withNodes(kit, NODES)
})
afterEach(() => kit.close())
const states = async () => (await kit.get('hostkeys.list', null)).map(({ node, state }) => [node, state])

describe('asking for host keys', () => {
  test('nothing is known before, and each key is judged by what is on record', async () => {
    expect(await states()).toEqual(NODES.map((node) => [node, 'not-asked']))
    const rows = await kit.get('hostkeys.scan', { nodes: NODES })
    expect(rows.map(({ node, state, onRecord, confirmedBy }) => [node, state, onRecord, confirmedBy])).toEqual([
      ['db-1', 'unknown', null, null],
      ['db-2', 'changed', print('old db-2'), null],
      ['db-4', 'confirmed', null, 'known_hosts: your known_hosts line 12'],
      ['db-9', 'revoked', null, null],
    ])
    expect(rows[0]).toMatchObject({ keyType: 'ssh-ed25519', fingerprint: print('db-1'), matched: null })
  })

  test('only named nodes are asked, and one that cannot be reached is reported', async () => {
    const ports = createFakePorts()
    await kit.close()
    kit = await engineKit({
      ...ports,
      hostKeys: {
        ...ports.hostKeys,
        scan: async () => ({ ok: false, error: { code: 'ssh.unreachable', detail: 'no route' } }),
      },
    })
    await withNodes(kit, NODES)
    const rows = await kit.get('hostkeys.scan', { nodes: ['db-2'] })
    expect(rows.map(({ state }) => state)).toEqual(['not-asked', 'unreachable', 'not-asked', 'not-asked'])
    expect(rows[1]?.failure).toEqual({ code: 'ssh.unreachable', detail: 'no route' })
  })

  test('many are asked at a time, never more than 32', async () => {
    const ports = createFakePorts()
    let now = 0
    let most = 0
    await kit.close()
    kit = await engineKit({
      ...ports,
      hostKeys: {
        ...ports.hostKeys,
        scan: async (target, signal) => {
          now += 1
          most = Math.max(most, now)
          await new Promise((resolve) => setTimeout(resolve, 5))
          now -= 1
          return await ports.hostKeys.scan(target, signal)
        },
      },
    })
    const names = Array.from({ length: 80 }, (_, at) => `n-${at + 1}`)
    await withNodes(kit, names)
    expect((await kit.get('hostkeys.scan', { nodes: names })).every(({ state }) => state !== 'not-asked')).toBe(true)
    expect(most).toBe(32)
  })

  test('a node with an unknown key is not logged in to', async () => {
    await kit.get('run.start', { nodes: ['db-1', 'db-2', 'db-9'], only: 'all' })
    await kit.heard('run-done')
    const rows = (await kit.get('assessment.get', { of: 'run' }))?.rows.map(({ failure }) => failure?.code)
    expect(rows).toEqual(['ssh.host-key-unknown', 'ssh.host-key-changed', undefined, 'ssh.host-key-revoked'])
  })

  test('no decision is accepted on the demo fleet’s keys', async () => {
    await kit.get('demo.open', null)
    expect(await kit.refusal('hostkeys.scan', { nodes: ['demo-gpu-01'] })).toBe('input.refused')
    expect(await kit.refusal('hostkeys.match-text', { text: print('demo-gpu-01') })).toBe('input.refused')
  })
})

describe('deciding about a key', () => {
  test('records the reason, which stays over a new start; a run then logs in', async () => {
    await kit.get('hostkeys.scan', { nodes: NODES })
    const rows = await kit.get('hostkeys.confirm', { node: 'db-1', fingerprint: print('db-1'), ...HOW })
    expect(rows[0]).toMatchObject({
      state: 'confirmed',
      confirmedBy: 'your decision: read on the console (2026-11-20)',
    })
    const again = await kit.reopened()
    expect((await again.get('hostkeys.scan', { nodes: ['db-1'] }))[0]?.state).toBe('confirmed')
    await again.get('run.start', { nodes: ['db-1'], only: 'all' })
    await again.heard('run-done')
    expect((await again.get('assessment.get', { of: 'run' }))?.rows[0]?.status).toBe('complete')
  })

  test('is refused for a key that was not shown last, and for none', async () => {
    const decision = { node: 'db-1', fingerprint: print('db-1'), ...HOW }
    expect(await kit.refusal('hostkeys.confirm', decision)).toBe('input.refused')
    await kit.get('hostkeys.scan', { nodes: NODES })
    expect(await kit.refusal('hostkeys.confirm', { ...decision, fingerprint: print('other') })).toBe('input.refused')
    expect(await kit.refusal('hostkeys.confirm', { ...decision, howVerified: '   ' })).toBe('input.refused')
    expect((await states())[0]).toEqual(['db-1', 'unknown'])
  })

  test('a changed key is replaced with a reason, a revoked one never', async () => {
    await kit.get('hostkeys.scan', { nodes: NODES })
    const rows = await kit.get('hostkeys.confirm', { node: 'db-2', fingerprint: print('db-2'), ...HOW })
    expect(rows[1]?.state).toBe('confirmed')
    expect(readFileSync(join(kit.folder, 'fleet.json.known_hosts'), 'utf8')).toBe(
      `192.0.2.2 ssh-ed25519 ${base64('db-2')} 2026-11-20 read on the console\n`,
    )
    expect(await kit.refusal('hostkeys.confirm', { node: 'db-9', fingerprint: print('db-9'), ...HOW })).toBe(
      'ssh.host-key-revoked',
    )
  })
})

describe('a pasted list', () => {
  test('fills in what matched and confirms nothing; confirming takes exactly those', async () => {
    await kit.get('hostkeys.scan', { nodes: NODES })
    const text = `# from the provider\n${print('db-1')}\n${print('db-4')}\n${print('db-9')}\nnonsense\n`
    const rows = await kit.get('hostkeys.match-text', { text })
    expect(rows.map(({ state, matched }) => [state, matched])).toEqual([
      ['unknown', 'pasted line 2'],
      ['changed', null],
      ['confirmed', 'pasted line 3'],
      ['revoked', null],
    ])
    const after = await kit.get('hostkeys.confirm-matched', HOW)
    expect(after.map(({ state }) => state)).toEqual(['confirmed', 'changed', 'confirmed', 'revoked'])
    expect(after[0]?.matched).toBe('pasted line 2')
    expect(readFileSync(join(kit.folder, 'fleet.json.known_hosts'), 'utf8').trim().split('\n')).toHaveLength(1)
    expect(await kit.refusal('hostkeys.confirm-matched', HOW)).toBe('input.refused')
  })

  test('confirms a key that only a decision confirmed so far; one that changed is left to a person', async () => {
    await kit.get('hostkeys.scan', { nodes: NODES })
    await kit.get('hostkeys.confirm', { node: 'db-1', fingerprint: print('db-1'), ...HOW })
    const text = ['db-1', 'db-2', 'db-4'].map((name) => `${name} ${print(name)}\n`).join('')
    const before = await kit.get('hostkeys.match-text', { text })
    expect(before.map(({ state, byDecision, matched }) => [state, byDecision, matched])).toEqual([
      ['confirmed', true, 'pasted line 1'],
      ['changed', false, 'pasted line 2'],
      ['confirmed', false, 'pasted line 3'],
      ['revoked', false, null],
    ])
    const after = await kit.get('hostkeys.confirm-matched', { howVerified: 'from the portal of the provider' })
    expect(after.map(({ state, byDecision }) => [state, byDecision])).toEqual([
      ['confirmed', false],
      ['changed', false],
      ['confirmed', false],
      ['revoked', false],
    ])
    const decisions = readFileSync(join(kit.folder, 'fleet.json.known_hosts'), 'utf8').trim().split('\n')
    expect(decisions).toHaveLength(1)
    expect(decisions[0]).toContain(`list:${sha256(new TextEncoder().encode(text))}:1 from the portal of the provider`)
    expect(await kit.refusal('hostkeys.confirm-matched', HOW)).toBe('input.refused')
  })

  test('is kept with the decisions, which name it and the line of each key', async () => {
    await kit.get('hostkeys.scan', { nodes: NODES })
    await kit.get('hostkeys.confirm', { node: 'db-2', fingerprint: print('db-2'), ...HOW })
    const text = `db-2 ${print('db-2')}\ndb-1 ${print('db-1')}\n`
    await kit.get('hostkeys.match-text', { text })
    const rows = await kit.get('hostkeys.confirm-matched', HOW)
    const digest = sha256(new TextEncoder().encode(text))
    const decisions = readFileSync(join(kit.folder, 'fleet.json.known_hosts'), 'utf8')
    expect(decisions).toContain(`2026-11-20 list:${digest}:2 read on the console\n`)
    expect(decisions).toContain(`2026-11-20 list:${digest}:1 read on the console\n`)
    expect(readFileSync(join(kit.folder, `fleet.json.known_hosts.lists/${digest}.txt`), 'utf8')).toBe(text)
    expect(rows[0]?.confirmedBy).toContain('read on the console')
  })

  test('with a private key in it, or larger than is kept, is refused', async () => {
    await kit.get('hostkeys.scan', { nodes: NODES })
    const key = `${print('db-1')}\n-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n`
    expect(await kit.refusal('hostkeys.match-text', { text: key })).toBe('input.refused')
    expect(await kit.refusal('hostkeys.match-text', { text: '€'.repeat(400_000) })).toBe('input.refused')
    expect(await kit.refusal('hostkeys.confirm-matched', HOW)).toBe('input.refused')
  })

  test('the next list replaces the one before', async () => {
    await kit.get('hostkeys.scan', { nodes: NODES })
    await kit.get('hostkeys.match-text', { text: print('db-1') })
    expect((await kit.get('hostkeys.match-text', { text: 'nothing' })).map(({ matched }) => matched)).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(await kit.refusal('hostkeys.confirm-matched', HOW)).toBe('input.refused')
  })
})

describe('what a line states', () => {
  const node = { node: 'gpu-1', address: '192.0.2.7', port: 22, fingerprint: print('gpu-1') }
  const other = { ...node, port: 2222 }
  const line = (port = 22, host = '192.0.2.7'): string => knownHostsLine(host, port, fakeHostKey('gpu-1'), 'comment')
  test.each([
    ['a fingerprint', print('gpu-1')],
    ['a padded fingerprint', `${print('gpu-1')}=`],
    ['ssh-keygen -lf of a key', `256 ${print('gpu-1')} root@some-image (ED25519)`],
    ['ssh-keygen -lf without a comment', `256 ${print('gpu-1')} no comment (ED25519)`],
    ['ssh-keygen -lf of known_hosts', `256 ${print('gpu-1')} 192.0.2.7 (ED25519)`],
    ['what ssh asks', `ED25519 key fingerprint is ${print('gpu-1')}.`],
    ['a table with a name', `gpu-1, ${print('gpu-1')}`],
    ['a name and a colon', `GPU-1: ${print('gpu-1')}`],
    ['a public key', `ssh-ed25519 ${base64('gpu-1')} root@image`],
    ['known_hosts by address', line()],
    ['known_hosts by name', line(22, 'gpu-1')],
    ['known_hosts with several hosts', `gpu-9,192.0.2.7 ssh-ed25519 ${base64('gpu-1')}`],
    ['a line from Windows', `${print('gpu-1')}\r`],
  ])('matches %s', (_, text) => expect(matchKeys(`\n${text}`, [node])).toEqual(new Map([['gpu-1', 2]])))
  test.each([
    ['another key', print('gpu-2')],
    ['another host in known_hosts', line(22, '192.0.2.8')],
    ['another port in known_hosts', line(2222)],
    ['a host that is ruled out', `!192.0.2.7,* ssh-ed25519 ${base64('gpu-1')}`],
    ['another host in front', `gpu-2 ${print('gpu-1')}`],
    ['another host behind', `256 ${print('gpu-1')} 192.0.2.8 (ED25519)`],
    ['a revoked line', `@revoked ${line()}`],
    ['an authority', `@cert-authority * ssh-ed25519 ${base64('gpu-1')}`],
    ['a comment', `# ${print('gpu-1')}`],
    ['a longer text', `${print('gpu-1')}A`],
    ['a type that is not the key’s', `192.0.2.7 ssh-rsa ${base64('gpu-1')}`],
    ['options before a key', `command="x" ssh-ed25519 ${base64('gpu-1')}`],
  ])('does not match %s', (_, text) => expect(matchKeys(text, [node]).size).toBe(0))
  test('a port of its own is matched with it, or by the bare host', () => {
    expect(matchKeys(line(2222), [other]).get('gpu-1')).toBe(1)
    expect(matchKeys(line(), [other]).get('gpu-1')).toBe(1)
    expect(matchKeys(line(2223), [other]).size).toBe(0)
  })
  test.each([
    ['in what ssh-keygen prints', `256 ${print('gpu-1')} root@gpu-2 (ED25519)`],
    ['by address', `256 ${print('gpu-1')} root@192.0.2.8 (ED25519)`],
    ['in a public key', `ssh-ed25519 ${base64('gpu-1')} root@gpu-2`],
  ])('a comment that names another node of the fleet is no match: %s', (_, text) => {
    const second = { node: 'gpu-2', address: '192.0.2.8', port: 22 }
    expect(matchKeys(text, [node]).size).toBe(1)
    expect(matchKeys(text, [node], [node, second]).size).toBe(0)
    expect(matchKeys(text, [{ ...node, ...second }], [node, second]).size).toBe(1)
  })

  test('two nodes that share a key are distinguished by the host column', () => {
    const twin = { ...node, node: 'gpu-2', address: '192.0.2.8' }
    expect([...matchKeys(line(), [node, twin]).keys()]).toEqual(['gpu-1'])
    // A line that names no one cannot tell whose key it is that two of them show.
    expect([...matchKeys(print('gpu-1'), [node, twin]).keys()]).toEqual([])
    expect([...matchKeys(`${print('gpu-1')}\ngpu-2 ${print('gpu-1')}`, [node, twin]).keys()]).toEqual(['gpu-2'])
  })
  test('a long list takes time that grows with its length', () => {
    expectLinear((size) => {
      expect(matchKeys(`x ${'SHA256:'.repeat(size)}\n`.repeat(6) + print('gpu-1'), [node]).get('gpu-1')).toBe(7)
    }, 5000)
  })
})

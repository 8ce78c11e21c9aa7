import { describe, expect, test } from 'vitest'
import { BANNED } from '../../schemas/words.ts'
import { checksOf, probesOf } from '../support/checks-of.ts'
import { fixtureNames } from '../support/fixtures.ts'
import { captures, concludeAll, expectedOf, steps } from './encryption-readings.ts'

const checks = checksOf('encryption-at-rest', 'encryption-in-transit')
const probes = probesOf(checks)

const DEMO = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-nosudo-06', 'demo-shared-05']
const OURS = ['fx-btrfs-half', 'fx-storage-lab', 'fx-storage-lab-user', 'fx-zfs-remote']
const nodes = [...DEMO, ...OURS]
describe('encryption checks', () => {
  test('the fixtures are there', () => expect(fixtureNames()).toEqual(expect.arrayContaining(nodes)))

  test.each(nodes)('%s comes out as expected', (node) => {
    const all = concludeAll(node)
    const got = Object.fromEntries(Object.keys(expectedOf(node)).map((check) => [check, all.get(check)?.verdict]))
    expect(Object.keys(got).length).toBeGreaterThan(0)
    expect(got).toEqual(expectedOf(node))
  })

  // That every verdict has a fixture: nothing-forgotten.test.ts.

  test('the plain scratch drive is named, by both checks, and nothing else is held against the node', () => {
    const all = concludeAll('demo-gpu-02')
    for (const id of ['encryption.at-rest.block-graph', 'encryption.at-rest.scratch']) {
      const against = steps(all.get(id), 'contradicts')
      expect(against).toHaveLength(1)
      expect(against[0]).toContain('“/scratch”: there is no encrypting layer')
      expect(against[0]).toContain('nvme3n1')
      expect(against[0]).toContain('serial DEMO0DATA002')
    }
  })

  test('boot partitions are listed and do not decide', () => {
    const graph = concludeAll('demo-gpu-01').get('encryption.at-rest.block-graph')
    expect(graph?.verdict).toBe('satisfied')
    expect(steps(graph, 'unclear')).toEqual([expect.stringContaining('“/boot”, “/boot/efi”')])
  })

  test('the proof path leads from the mount through every layer to the drive', () => {
    const found = steps(concludeAll('demo-gpu-01').get('encryption.at-rest.block-graph'), 'supports').find((text) =>
      text.startsWith('“/”'),
    )
    expect(found).toContain(
      '/ (ext4) → vg0-root [dm-1] (lvm) → luks-os [dm-0] (crypt) → md1 (raid1) → one of 2: nvme0n1p3',
    )
  })

  test('without administrator rights a layer is seen but not credited', () => {
    const graph = concludeAll('demo-nosudo-06').get('encryption.at-rest.block-graph')
    expect(graph?.verdict).toBe('inconclusive')
    expect(steps(graph, 'unclear').join()).toContain(
      'an encrypting layer is present; its cipher needs administrator rights',
    )
  })

  test('clear-text listeners are named with port and process', () => {
    const against = steps(concludeAll('demo-shared-05').get('encryption.in-transit.plaintext-listeners'), 'contradicts')
    expect(against.join()).toMatch(/tcp\/2375 on 0\.0\.0\.0, process dockerd.*tcp\/6379/)
  })

  test('weak SSH algorithms are named one by one', () => {
    const against = steps(concludeAll('demo-metal-04').get('encryption.in-transit.ssh-algorithms'), 'contradicts')
    expect(against).toEqual(expect.arrayContaining([expect.stringContaining('“aes256-cbc”: CBC mode')]))
  })

  test('no text over-claims, and every check states what it does not show', () => {
    const said = [
      ...checks.flatMap(({ expected, limitations }) => [expected, limitations]),
      ...probes.flatMap(({ title, why }) => [title, why]),
      ...nodes.flatMap((node) =>
        [...concludeAll(node).values()].flatMap(({ observations }) => observations.map(({ text }) => text)),
      ),
    ]
    for (const banned of BANNED) for (const text of said) expect(text).not.toMatch(banned)
    for (const { expected, limitations } of checks) {
      expect(expected).toMatch(/\.$/)
      expect(limitations.length).toBeGreaterThan(40)
    }
  })

  test('the two claims stay apart: every check about stored data states what a running node shows', () => {
    for (const { id, limitations } of checks.filter(({ id }) => /at-rest\.(block|cipher|swap|scratch|crash)/.test(id)))
      expect(limitations, id).toContain('running, unlocked node')
  })

  test.each(nodes)(
    '%s: without any one capture nothing becomes better, and no needed capture can be missed',
    (node) => {
      const whole = captures(node)
      const before = concludeAll(node, whole)
      for (const left of whole.keys()) {
        const after = concludeAll(node, new Map([...whole].filter(([key]) => key !== left)))
        for (const check of checks) {
          const verdict = after.get(check.id)?.verdict
          if (before.get(check.id)?.verdict !== 'satisfied')
            expect(verdict, `${check.id} without ${left}`).not.toBe('satisfied')
          const needed = Object.values(check.requires).some((probe) => left.startsWith(`${probe.id}/`))
          if (needed) expect(verdict, `${check.id} without ${left}`).toBe('inconclusive')
        }
      }
    },
  )

  test('without the device-mapper table no volume behind dm-crypt is credited', () => {
    const whole = captures('demo-gpu-01')
    const all = concludeAll('demo-gpu-01', new Map([...whole].filter(([key]) => key !== 'storage.dm-table/table')))
    for (const id of ['block-graph', 'cipher', 'swap', 'scratch', 'crash-dumps', 'key-custody'])
      expect(all.get(`encryption.at-rest.${id}`)?.verdict, id).toBe('inconclusive')
  })

  test('truncated answers support nothing', () => {
    const cut = new Map(
      [...captures('demo-gpu-01')].map(([key, answer]) => [
        key,
        { ...answer, meta: { ...answer.meta, status: 'truncated' as const } },
      ]),
    )
    for (const [id, { verdict }] of concludeAll('demo-gpu-01', cut)) expect(verdict, id).toBe('inconclusive')
  })

  test('the order of captures carries no meaning', () => {
    for (const node of nodes)
      expect([...concludeAll(node, new Map([...captures(node)].reverse()))]).toEqual([...concludeAll(node)])
  })
})

import { expect, test } from 'vitest'
import { sharedKeys, sharedLine } from '../../renderer/parts/HostKeys.tsx'

const row = (node: string, fingerprint: string | null) => ({ node, fingerprint })

test('a key of one node, and nodes without a key, are no remark', () => {
  expect(sharedKeys([row('a', 'SHA256:1'), row('b', 'SHA256:2'), row('c', null), row('d', null)])).toEqual([])
})

test('nodes with one key are listed together, most nodes first', () => {
  const rows = [
    row('a', 'SHA256:1'),
    row('b', 'SHA256:2'),
    row('c', 'SHA256:1'),
    row('d', 'SHA256:2'),
    row('e', 'SHA256:2'),
  ]
  const shared = sharedKeys(rows)
  expect(shared.map(({ nodes }) => nodes)).toEqual([
    ['b', 'd', 'e'],
    ['a', 'c'],
  ])
  expect(sharedLine(shared)).toBe('2 host keys were presented by several nodes.')
  expect(sharedLine(shared.slice(0, 1))).toBe('3 nodes presented the same host key.')
})

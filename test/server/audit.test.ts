import { describe, expect, test } from 'vitest'
import { type AuditEvent, checkAudit, EMPTY_LOG, referencesIn } from '../../main/server/audit.ts'
import { chainedLine } from '../../main/server/chained-log.ts'

const event = (part: Partial<AuditEvent> = {}): AuditEvent => ({
  at: '2026-11-28T00:00:00.000Z',
  kind: 'call',
  subject: 's',
  name: 'S',
  role: 'auditor',
  engagement: 'a',
  method: 'node.get',
  of: { node: 'gpu-01' },
  outcome: 'allowed',
  reason: '',
  ...part,
})

function logOf(count: number): string {
  let [text, head] = ['', EMPTY_LOG]
  for (let at = 0; at < count; at += 1) {
    const next = chainedLine(head, event({ of: { node: `gpu-${at}` } }))
    text += next.line
    head = next.head
  }
  return text
}

describe('the chain of the audit log', () => {
  test('is intact as written', () => {
    expect(checkAudit('')).toEqual({ intact: true, head: EMPTY_LOG })
    expect(checkAudit(logOf(3))).toMatchObject({ intact: true, head: { size: 3 } })
  })
  const lines = logOf(4).trimEnd().split('\n')
  const textOf = (kept: readonly (string | undefined)[]): string => kept.map((line) => `${line}\n`).join('')
  test.each<[string, string, number]>([
    ['a changed entry', textOf([lines[0], lines[1]?.replace('gpu-1', 'gpu-9'), lines[2], lines[3]]), 3],
    ['a removed entry', textOf([lines[0], lines[2], lines[3]]), 2],
    ['a removed first entry', textOf(lines.slice(1)), 1],
    ['entries in another order', textOf([lines[0], lines[2], lines[1], lines[3]]), 2],
    ['an entry twice', textOf([lines[0], lines[0]]), 2],
    ['other spacing', textOf([lines[0]?.replace(':', ': ')]), 1],
    ['a line that is no JSON', textOf([lines[0], 'x']), 2],
    ['a line without its end', logOf(2).slice(0, -1), 2],
    ['an empty line', `${logOf(1)}\n`, 2],
  ])('shows %s', (_, text, line) => expect(checkAudit(text)).toEqual({ intact: false, line }))
})

test('entries refer to what was asked for, without statements or pasted text', () => {
  expect(
    referencesIn({ node: 'n', capture: 'p/c', reason: 'secret reason', text: 'pasted', identity: 'x', offset: 3 }),
  ).toEqual({ node: 'n', capture: 'p/c' })
  for (const input of [null, 'x', [], 7, { node: { deep: true } }]) expect(referencesIn(input)).toEqual({})
})

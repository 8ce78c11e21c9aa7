import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createIntegrations } from '../../main/adapters/outbox/index.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { sentPacks } from '../../main/app/outbox/sent-packs.ts'
import { itemDigest, type Letter, letterAfter, type OutboxEntry } from '../../main/core/outbox/journal.ts'
import { sentRows } from '../../main/core/outbox/sent.ts'
import { SENT_WORDS, sentReason } from '../../schemas/sent-words.ts'
import { realClock } from '../support/deps.ts'
import { FINDING, PACK } from '../support/outbox-items.ts'
import { integrationsFile } from '../support/outbox-kit.ts'
import { sampleCatalog } from '../support/sample-pack.ts'

const [AT, LATER] = ['2026-11-28T06:00:00.000Z', '2026-11-28T07:00:00.000Z']
const letter = (part: Partial<Letter> = {}): Letter => ({
  target: 'tickets',
  key: FINDING.key,
  digest: itemDigest(FINDING),
  asOf: FINDING.asOf,
  attempts: 1,
  state: { is: 'delivered' },
  remote: null,
  run: 'run-1',
  at: AT,
  ...part,
})
const waiting = { is: 'waiting', item: FINDING, until: null, why: 'example.org: HTTP status 503' } as const
const givenUp = { is: 'given-up', why: 'example.org: HTTP status 422' } as const

describe('what became of a run', () => {
  test.each<[string, readonly Letter[], object]>([
    ['all delivered', [letter(), letter({ at: LATER })], { state: 'sent', at: LATER, why: null }],
    ['one waits', [letter({ at: LATER }), letter({ state: waiting })], { state: 'waiting', at: AT, why: waiting.why }],
    [
      'one was given up',
      [letter({ state: waiting }), letter({ state: givenUp })],
      { state: 'given-up', why: givenUp.why },
    ],
    ['a time is not known', [letter(), letter({ at: null })], { state: 'sent', at: null }],
  ])('%s', (_, letters, row) => {
    expect(sentRows(letters, [])).toMatchObject([{ run: 'run-1', target: 'tickets', ...row }])
  })
  test('receivers and runs are apart, the latest run first', () => {
    const letters = [letter(), letter({ target: 'siem', state: waiting }), letter({ run: 'run-2' })]
    expect(sentRows(letters, []).map(({ run, target, state }) => [run, target, state])).toEqual([
      ['run-2', 'tickets', 'sent'],
      ['run-1', 'tickets', 'sent'],
      ['run-1', 'siem', 'waiting'],
    ])
  })
  test('a pack is never sent by its notes alone', () => {
    const pack = { run: 'run-1', refusal: null, isSettled: true }
    const refusal = { at: AT, code: 'pack.unverified', why: 'no' } as const
    expect(sentRows([], [pack])).toMatchObject([{ state: 'nothing', target: null, at: null }])
    expect(sentRows([], [{ ...pack, isSettled: false }])).toMatchObject([{ state: 'not-planned' }])
    expect(sentRows([], [{ ...pack, isSettled: false, refusal }])).toMatchObject([{ state: 'refused', ...refusal }])
    // Items of another run, and those of a run that an earlier version did not keep.
    const others = [letter({ run: 'run-2' }), letter({ run: null })]
    expect(sentRows(others, [pack]).filter(({ run }) => run === 'run-1')).toMatchObject([{ state: 'nothing' }])
  })
  test('a refused file beside delivered items is stated as well', () => {
    const refusal = { at: LATER, code: 'store.failed', why: 'the folder cannot be written' } as const
    const rows = sentRows([letter()], [{ run: 'run-1', refusal, isSettled: false }])
    expect(rows.map(({ state }) => state)).toEqual(['refused', 'sent'])
    expect(sentReason(rows[0] ?? (undefined as never))).toContain(refusal.why)
  })
  test('a journal keeps run and time of a letter, and reads those of earlier versions', () => {
    const about = { target: 'tickets', key: FINDING.key, digest: itemDigest(FINDING) }
    const entries: readonly OutboxEntry[] = [
      { kind: 'planned', ...about, at: AT, item: FINDING },
      { kind: 'attempted', ...about, at: AT },
      { kind: 'delivered', ...about, at: LATER, remote: null },
    ]
    const last = entries.reduce<Letter | undefined>((before, entry) => letterAfter(before, entry) ?? before, undefined)
    expect(last).toMatchObject({ run: FINDING.run, at: LATER, state: { is: 'delivered' } })
    const { run: _, at: __, ...old } = letter()
    expect(letterAfter(undefined, { kind: 'kept', letter: old })).toMatchObject({ run: null, at: null })
    expect(letterAfter(undefined, { kind: 'kept', letter: { ...old, state: waiting } })).toMatchObject({
      run: FINDING.run,
      at: null,
    })
  })
})

describe('reading an outbox', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bw-sent-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const ports = { ...createPorts(sampleCatalog), integrations: createIntegrations(realClock) }
  const file = () => integrationsFile(folder, { url: () => 'http://127.0.0.1:1' }, { only: ['webhook'] })
  test('without an outbox, nothing is sent and nothing is missing', async () => {
    expect(await sentPacks(ports, { file: file(), folder })).toEqual({ rows: { rows: [], total: 0 }, shortfalls: [] })
  })
  test('a journal or a note that cannot be read is named, and nothing counts as sent', async () => {
    const path = file()
    const outbox = await ports.integrations.openOutbox(join(folder, 'outbox'))
    if (!outbox.ok) throw new Error(outbox.error.detail)
    await outbox.value.record({
      kind: 'planned',
      target: 'own',
      key: PACK.key,
      digest: itemDigest(PACK),
      at: AT,
      item: PACK,
    })
    await outbox.value.close()
    expect((await sentPacks(ports, { file: path, folder })).rows.rows).toMatchObject([
      { run: PACK.run, target: 'own', state: 'waiting', at: AT },
    ])
    writeFileSync(join(folder, 'outbox', 'packs.jsonl'), 'x\n')
    expect(await sentPacks(ports, { file: path, folder })).toMatchObject({
      rows: { total: 0 },
      shortfalls: [{ code: 'store.failed' }],
    })
    writeFileSync(join(folder, 'outbox', 'packs.jsonl'), '')
    writeFileSync(join(folder, 'outbox', 'outbox.jsonl'), '{"kind":"delivered"}\n')
    expect(await sentPacks(ports, { file: path, folder })).toMatchObject({
      rows: { total: 0 },
      shortfalls: [{ code: 'store.failed' }],
    })
    expect(await sentPacks(ports, { file: join(folder, 'none.json'), folder })).toMatchObject({ rows: { total: 0 } })
  })
})

test('every state has its own word, and one alone states that something was sent', () => {
  const words = Object.entries(SENT_WORDS)
  expect(new Set(words.map(([, word]) => word)).size).toBe(words.length)
  expect(words.filter(([, word]) => /^sent/i.test(word)).map(([state]) => state)).toEqual(['sent'])
})

import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ipcValidator } from '../../main/adapters/ipc-validator.ts'
import { type Asker, type Frame, type GateParts, handleCall, opensPack, REVIEW_MAY } from '../../main/electron/gate.ts'
import type { Engine, Method } from '../../schemas/ipc.ts'
import { DIALOGS, INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'

vi.mock('electron', () => ({ dialog: {} }))
const { SAVED_AS } = await import('../../main/electron/dialogs.ts')

const OURS: Frame = { origin: 'barewitness://app', parent: null }
const MAIN: Asker = { frame: OURS, window: 'main' }
const REVIEW: Asker = { frame: OURS, window: 'review' }

function gate(chosen: string | null = '/chosen/by/a/person') {
  const reached: { readonly method: string; readonly input: unknown; readonly chosen: unknown }[] = []
  const engine = {
    call: async (method: Method, input: unknown, path: unknown) => {
      reached.push({ method, input, chosen: path })
      return { ok: true, value: null }
    },
  } as unknown as Pick<Engine, 'call'>
  const asked: string[] = []
  const dropped: (string | null)[] = []
  const answered: string[] = []
  const parts: GateParts = {
    engine,
    problems: ipcValidator(),
    choose: async (what) => {
      asked.push(what)
      return chosen
    },
    dropped: async (path) => void dropped.push(path),
    answered: (method) => void answered.push(method),
  }
  return { parts, reached, asked, dropped, answered }
}

const HANDLE = 'a'.repeat(32)
const ATTACHMENT = {
  controls: [{ framework: 'soc2', control: 'CC6.1' }],
  need: null,
  shows: 'the contract',
  saidBy: 'the provider',
  method: 'received',
  owner: 'M. Ortiz',
  validUntil: null,
}
const WITHDRAWAL = { id: HANDLE, by: 'M. Ortiz', reason: 'no longer so' }

/** One input that fits, for every method there is. */
const VALID: Readonly<Record<Method, unknown>> = {
  'app.info': null,
  'catalog.get': null,
  'settings.get': null,
  'settings.set': { concurrency: 8, authority: null, singleKeys: true, theme: 'dark' },
  'demo.open': null,
  'fleet.get': null,
  'fleet.import-choose': { kind: 'csv' },
  'fleet.import-text': { kind: 'ssh-config', text: 'Host a' },
  'fleet.accept': { handle: HANDLE },
  'fleet.edit-node': { node: 'db-1', address: '192.0.2.1', port: 22, user: '', sudo: true },
  'fleet.remove-nodes': { nodes: ['db-1'] },
  'hostkeys.list': null,
  'hostkeys.scan': { nodes: ['db-1'] },
  'hostkeys.confirm': { node: 'db-1', fingerprint: `SHA256:${'A'.repeat(43)}`, howVerified: 'console' },
  'hostkeys.match-text': { text: 'SHA256:x' },
  'hostkeys.confirm-matched': { howVerified: 'console' },
  'run.preview': { nodes: [] },
  'run.preview-save': { nodes: [] },
  'run.start': { nodes: ['db-1', 'db-2'], only: 'missing' },
  'run.pause': null,
  'run.resume': null,
  'run.cancel': null,
  'run.status': null,
  'runs.list': null,
  'runs.open': { run: '20260514-091200' },
  'assessment.get': { of: 'pack' },
  'node.get': { of: 'pack', node: 'db-1' },
  'figures.get': { of: 'pack', node: 'db-1' },
  'evidence.list': { of: 'pack', node: 'db-1' },
  'evidence.get': { of: 'pack', node: 'db-1', capture: 'cpu.flags/answer', stream: 'stderr', offset: 0 },
  'register.get': { of: 'pack' },
  'exceptions.accept': {
    check: 'isolation.layer',
    nodes: ['db-1'],
    reason: 'moves in June',
    compensatingMeasure: 'a wall',
    owner: 'M. Ortiz',
    requestedBy: 'M. Ortiz',
    approvedBy: 'A. Smith',
    until: '2027-03-01',
  },
  'exceptions.withdraw': WITHDRAWAL,
  'exceptions.save': null,
  'attachments.add': ATTACHMENT,
  'attachments.note': { ...ATTACHMENT, name: 'note', text: 'seen' },
  'attachments.withdraw': WITHDRAWAL,
  'attachments.show': { of: 'pack', id: HANDLE },
  'requests.set': { framework: 'soc2', control: 'CC6.1', need: 'contract', owner: 'M. Ortiz', due: '2026-12-01' },
  'export.plan': null,
  'export.build': { frameworks: ['hipaa'], identity: null, timestamp: false, withhold: null },
  'export.review': { handle: HANDLE },
  'export.save': { handle: HANDLE },
  'export.discard': { handle: HANDLE },
  'pack.choose-and-verify': null,
  'pack.recent': null,
  'pack.open-recent': { handle: HANDLE },
  'pack.review': null,
  'pack.trust': { howVerified: 'by telephone' },
  'pack.re-evaluate': null,
  'review.sample': { size: 5, seed: '20260602' },
  'review.worksheet': null,
  'review.note': { node: 'db-1', check: 'isolation.layer', state: 'question', note: '' },
  'review.save-worksheet': null,
  'trust.list': null,
  'trust.add-choose': { for: 'signers', howVerified: 'by telephone' },
  'trust.remove': { fingerprint: '0'.repeat(64) },
  'identities.list': null,
  'identities.create': { name: 'default', subject: 'Acme' },
  'identities.backup': { name: 'default' },
  'identities.restore': null,
  'identities.rotate': { name: 'default', why: 'yearly' },
}

describe('8: the gate lets our own calls through', () => {
  test.each(Object.entries(VALID))('%s', async (method, input) => {
    const { parts, reached, asked, answered } = gate()
    const reply = await handleCall(parts, MAIN, { method, input })
    expect(reply).toEqual({ ok: true, value: null })
    const dialog = DIALOGS[method as Method]
    expect(reached).toEqual([
      { method, input, chosen: dialog === undefined ? undefined : { path: '/chosen/by/a/person' } },
    ])
    expect(asked).toEqual(dialog === undefined ? [] : [dialog])
    expect(answered).toEqual([method])
  })
  test('a closed dialog answers null and reaches nobody', async () => {
    const { parts, reached } = gate(null)
    expect(await handleCall(parts, MAIN, { method: 'export.save', input: { handle: HANDLE } })).toEqual({
      ok: true,
      value: null,
    })
    expect(reached).toEqual([])
  })
})

describe('8: the gate refuses', () => {
  const cases: readonly (readonly [string, Frame | null, unknown])[] = [
    ['a frame that is gone', null, { method: 'app.info', input: null }],
    ['a frame inside the page', { ...OURS, parent: {} }, { method: 'app.info', input: null }],
    ['another origin', { origin: 'https://example.invalid', parent: null }, { method: 'app.info', input: null }],
    [
      'an origin that begins like ours',
      { origin: 'barewitness://app.example.invalid', parent: null },
      { method: 'app.info', input: null },
    ],
    ['no message', OURS, undefined],
    ['a method of every object', OURS, { method: 'constructor', input: null }],
    ['the prototype', OURS, { method: '__proto__', input: null }],
    ['a method given as a list', OURS, { method: ['app.info'], input: null }],
    ['an inherited method', OURS, Object.create({ method: 'app.info', input: null })],
    ['input for a method without any', OURS, { method: 'app.info', input: {} }],
    ['a missing member', OURS, { method: 'run.start', input: {} }],
    ['one member too many', OURS, { method: 'run.start', input: { nodes: [], path: '/etc/passwd' } }],
    [
      'a member named __proto__',
      OURS,
      { method: 'run.start', input: JSON.parse('{"nodes":[],"__proto__":{"a":1}}') as unknown },
    ],
    [
      'a path as a capture',
      OURS,
      {
        method: 'evidence.get',
        input: { of: 'run', node: 'a', capture: '../../etc/passwd', stream: 'stdout', offset: 0 },
      },
    ],
    [
      'a negative offset',
      OURS,
      { method: 'evidence.get', input: { of: 'run', node: 'a', capture: 'a/b', stream: 'stdout', offset: -1 } },
    ],
    [
      'a message of more than 1 MiB',
      OURS,
      { method: 'fleet.import-text', input: { kind: 'csv', text: 'x'.repeat(1024 * 1024) } },
    ],
    ['a number too large for JSON', OURS, { method: 'run.start', input: { nodes: [1n] } }],
    ['a circle', OURS, { method: 'run.start', input: circle() }],
  ]
  test.each(cases)('%s', async (_name, frame, message) => {
    const { parts, reached } = gate()
    expect(await handleCall(parts, { frame, window: 'main' }, message)).toMatchObject({
      ok: false,
      error: { code: 'input.refused' },
    })
    expect(reached).toEqual([])
  })
})

test('8: a page in a window that we did not open for calls may ask nothing', async () => {
  const { parts, reached } = gate()
  for (const message of [{ method: 'app.info', input: null }, { dropped: '/a.zip' }])
    expect(await handleCall(parts, { frame: OURS, window: null }, message)).toMatchObject({ ok: false })
  expect(reached).toEqual([])
})

describe('8: the window in which a pack is read', () => {
  const MAY = [
    'app.info',
    'assessment.get',
    'attachments.show',
    'catalog.get',
    'evidence.get',
    'evidence.list',
    'figures.get',
    'node.get',
    'pack.choose-and-verify',
    'pack.open-recent',
    'pack.re-evaluate',
    'pack.recent',
    'pack.review',
    'pack.trust',
    'register.get',
    'review.note',
    'review.sample',
    'review.save-worksheet',
    'review.worksheet',
    'settings.get',
  ]
  test.each(Object.entries(VALID))('%s', async (method, input) => {
    const { parts, reached, asked } = gate()
    const { ok } = await handleCall(parts, REVIEW, { method, input })
    expect(ok).toBe(MAY.includes(method))
    expect(reached.length).toBe(ok ? 1 : 0)
    if (!ok) expect(asked).toEqual([])
  })
  const ofPack = Object.entries(REVIEW_MAY).flatMap(([method, may]) => (may === 'pack' ? [method as Method] : []))
  test.each(ofPack)('%s shows nothing of this computer’s own fleet', async (method) => {
    const { parts, reached } = gate()
    const input = { ...(VALID[method] as object), of: 'run' }
    expect(await handleCall(parts, REVIEW, { method, input })).toEqual({
      ok: false,
      error: { code: 'input.refused', detail: `${method}: this window reads a pack only` },
    })
    expect(reached).toEqual([])
    expect(await handleCall(parts, MAIN, { method, input })).toMatchObject({ ok: true })
  })
})

describe('17: a drop', () => {
  test.each([['/a.zip'], [null]])('of %j is handed over', async (path) => {
    const { parts, dropped, reached } = gate()
    expect(await handleCall(parts, REVIEW, { dropped: path })).toEqual({ ok: true, value: null })
    expect(dropped).toEqual([path])
    expect(reached).toEqual([])
  })
  test.each([[7], [['/a.zip']], [{}], ['x'.repeat(4097)]])('of something else is refused', async (path) => {
    const { parts, dropped } = gate()
    expect(await handleCall(parts, MAIN, { dropped: path })).toMatchObject({ ok: false })
    expect(dropped).toEqual([])
  })
})

test('a pack is open after these three, unless the dialog was closed', () => {
  const value = { ok: true, value: {} } as const
  const opening = Object.keys(VALID).filter((method) => opensPack(method as Method, value))
  expect(opening.sort()).toEqual(['export.review', 'pack.choose-and-verify', 'pack.open-recent'])
  expect(opensPack('pack.open-recent', { ok: true, value: null })).toBe(false)
  expect(opensPack('pack.open-recent', { ok: false, error: { code: 'pack.unreadable', detail: '' } })).toBe(false)
})

function circle(): unknown {
  const all: { nodes: unknown[] } = { nodes: [] }
  all.nodes.push(all)
  return all
}

test('8: 10 000 random messages never throw and never reach the engine', async () => {
  const { parts, reached } = gate()
  const method = fc.oneof(
    fc.constantFrom(...Object.keys(INPUT_SCHEMAS), '__proto__', 'toString'),
    fc.string(),
    fc.anything(),
  )
  // Null alone is what methods without input take, hence no null here.
  const input = fc
    .anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true })
    .filter((value) => value !== null && !isEmptyAsJson(value))
  const message = fc.oneof(fc.record({ method, input }), fc.anything())
  await fc.assert(
    fc.asyncProperty(message, async (value) => {
      expect(await handleCall(parts, MAIN, value)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    }),
    { numRuns: 10_000 },
  )
  expect(reached).toEqual([])
}, 60_000)

function isEmptyAsJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) === 'null'
  } catch {
    return false
  }
}

test('8: a throw behind the gate is answered as our mistake', async () => {
  const { parts } = gate()
  const broken: GateParts = { ...parts, engine: { call: () => Promise.reject(new Error('no')) } }
  expect(await handleCall(broken, MAIN, { method: 'app.info', input: null })).toEqual({
    ok: false,
    error: { code: 'bug', detail: 'no' },
  })
})

describe('10: the contract keeps paths, commands, addresses and secrets out', () => {
  const properties = (schema: unknown): string[] =>
    typeof schema !== 'object' || schema === null
      ? []
      : Object.entries(schema).flatMap(([name, value]) =>
          name === 'properties' ? [...Object.keys(value as object), ...properties(value)] : properties(value),
        )
  // An address is typed in where a node is edited; single keys are those of the keyboard.
  const KNOWN = ['fleet.edit-node address', 'fleet.edit-node port', 'settings.set singleKeys']
  test.each(Object.entries(INPUT_SCHEMAS))('%s', (method, schema) => {
    const named = properties(schema).filter((name) =>
      /path|command|argv|url|address|host$|port|key|password|passphrase|secret|token/i.test(name),
    )
    expect(named.map((name) => `${method} ${name}`).filter((found) => !KNOWN.includes(found))).toEqual([])
  })
  test('every file is chosen in a dialog, and every saved file has a name of its own', () => {
    const saving = Object.entries(DIALOGS).flatMap(([method, what]) => (what === 'save-file' ? [method] : []))
    expect(saving.sort()).toEqual(Object.keys(SAVED_AS).sort())
  })
})

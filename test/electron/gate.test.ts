import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ipcProblems as problems } from '../../main/adapters/ipc-validator.ts'
import { type Asker, type Frame, type GateParts, handleCall, opensPack, REVIEW_MAY } from '../../main/electron/gate.ts'
import type { Engine, Method } from '../../schemas/ipc.ts'
import { DIALOGS, INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'
import { HANDLE, VALID } from './valid-inputs.ts'

vi.mock('electron', () => ({ dialog: {} }))
const { SAVED_AS } = await import('../../main/electron/dialogs.ts')

const OURS: Frame = { origin: 'barewitness://app', parent: null }
const MAIN: Asker = { frame: OURS, window: 'main' }
const REVIEW: Asker = { frame: OURS, window: 'review' }

test('no input fits a method that does not exist', () => {
  expect([problems('fleet.get', null), problems('fleet.get', {}).length, problems('no.method', null).length]).toEqual([
    [],
    1,
    1,
  ])
})

const ofSchemas = new Ajv2020()
test.each(Object.entries(INPUT_SCHEMAS))('the input of %s is a schema by the one that it names', (_method, schema) => {
  expect(ofSchemas.validateSchema(schema)).toBe(true)
})

function gate(chosen: string | null = '/chosen/by/a/person') {
  const reached: { readonly method: string; readonly input: unknown; readonly chosen: unknown }[] = []
  const engine = {
    call: async (method: Method, input: unknown, path: unknown) => {
      reached.push({ method, input, chosen: path })
      return { ok: true, value: null }
    },
  } as unknown as Pick<Engine, 'call'>
  const asked: string[] = []
  const offered: string[] = []
  const dropped: (string | null)[] = []
  const answered: string[] = []
  const parts: GateParts = {
    engine,
    problems,
    choose: async (what, _method, name) => {
      asked.push(what)
      offered.push(name)
      return chosen
    },
    dropped: async (path) => void dropped.push(path),
    answered: (method) => void answered.push(method),
  }
  return { parts, reached, asked, offered, dropped, answered }
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
  test('the file of a table is named after the table, other files after their method', async () => {
    const { parts, offered } = gate()
    await handleCall(parts, MAIN, { method: 'table.save', input: { table: 'host-keys', rows: [['Node']] } })
    await handleCall(parts, MAIN, { method: 'fleet.save-file', input: VALID['fleet.save-file'] })
    await handleCall(parts, MAIN, { method: 'table.save', input: { table: '../nodes', rows: [['Node']] } })
    expect(offered).toEqual(['host-keys.csv', 'fleet.yaml'])
  })
  test('a closed dialog answers null and reaches no method', async () => {
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
    'findings.get',
    'finding.get',
    'documents.show',
    'catalog.get',
    'claims.answers',
    'claims.get',
    'coverage.get',
    'engagement.get',
    'evidence.get',
    'evidence.list',
    'figures.get',
    'location.get',
    'node.get',
    'node.timeline',
    'pack.choose-and-verify',
    'pack.import-checkpoint',
    'pack.open-recent',
    'pack.re-evaluate',
    'pack.recent',
    'pack.review',
    'pack.stop',
    'pack.trust',
    'pack.trust-authority',
    'register.get',
    'review.limits',
    'review.note',
    'review.populations',
    'review.sample',
    'review.save-workbook',
    'review.save-worksheet',
    'review.save-worksheet-pdf',
    'review.worksheet',
    'search.index',
    'settings.get',
    'table.save',
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
      error: { code: 'input.refused', detail: `${method}: not available in the review window` },
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
})

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
  // An address is typed in where a node is edited; single keys are those of the keyboard. A path that holds ePHI on nodes, and the title of
  // an organization's report, are declared as text: nothing opens them. A schedule names a passphrase file by the handle of a choice in a dialog.
  const KNOWN = [
    'fleet.edit-node address',
    'fleet.edit-node port',
    'settings.set singleKeys',
    'engagement.set path',
    'engagement.set report',
    'engagement.set reportingBasis',
    'schedules.add passphrase',
    'schedules.change passphrase',
  ]
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

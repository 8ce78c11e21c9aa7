import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ipcValidator } from '../../main/adapters/ipc-validator.ts'
import { type Frame, type GateParts, handleCall } from '../../main/electron/gate.ts'
import type { Engine, Method } from '../../schemas/ipc.ts'
import { DIALOGS, INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'

const OURS: Frame = { origin: 'barewitness://app', parent: null }

function gate(chosen: string | null = '/chosen/by/a/person') {
  const reached: { readonly method: string; readonly input: unknown; readonly chosen: unknown }[] = []
  const engine = {
    call: async (method: Method, input: unknown, path: unknown) => {
      reached.push({ method, input, chosen: path })
      return { ok: true, value: null }
    },
  } as unknown as Pick<Engine, 'call'>
  const asked: string[] = []
  const parts: GateParts = {
    engine,
    problems: ipcValidator(),
    choose: async (what) => {
      asked.push(what)
      return chosen
    },
  }
  return { parts, reached, asked }
}

const VALID: Readonly<Record<Method, unknown>> = {
  'app.info': null,
  'demo.open': null,
  'fleet.get': null,
  'fleet.import-choose': { kind: 'csv' },
  'fleet.import-text': { kind: 'ssh-config', text: 'Host a' },
  'fleet.accept': { handle: 'a'.repeat(32) },
  'hostkeys.list': null,
  'hostkeys.scan': { nodes: ['db-1'] },
  'hostkeys.confirm': { node: 'db-1', fingerprint: `SHA256:${'A'.repeat(43)}`, howVerified: 'console' },
  'run.preview': { nodes: [] },
  'run.start': { nodes: ['db-1', 'db-2'] },
  'run.cancel': null,
  'assessment.get': { of: 'run' },
  'evidence.list': { of: 'pack', node: 'db-1' },
  'evidence.get': { of: 'run', node: 'db-1', capture: 'cpu.flags/answer', stream: 'stderr', offset: 0 },
  'export.start': { frameworks: ['hipaa'] },
  'pack.choose-and-verify': null,
  'pack.review': null,
}

describe('the gate lets our own calls through', () => {
  test.each(Object.entries(VALID))('%s', async (method, input) => {
    const { parts, reached, asked } = gate()
    const reply = await handleCall(parts, OURS, { method, input })
    expect(reply).toEqual({ ok: true, value: null })
    const dialog = DIALOGS[method as Method]
    expect(reached).toEqual([
      { method, input, chosen: dialog === undefined ? undefined : { path: '/chosen/by/a/person' } },
    ])
    expect(asked).toEqual(dialog === undefined ? [] : [dialog])
  })
  test('a closed dialog answers null and reaches nobody', async () => {
    const { parts, reached } = gate(null)
    expect(await handleCall(parts, OURS, { method: 'export.start', input: { frameworks: ['soc2'] } })).toEqual({
      ok: true,
      value: null,
    })
    expect(reached).toEqual([])
  })
})

describe('the gate refuses', () => {
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
    expect(await handleCall(parts, frame, message)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(reached).toEqual([])
  })
})

function circle(): unknown {
  const all: { nodes: unknown[] } = { nodes: [] }
  all.nodes.push(all)
  return all
}

test('10 000 random messages never throw and never reach the engine', async () => {
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
      expect(await handleCall(parts, OURS, value)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
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

test('a throw behind the gate is answered as our mistake', async () => {
  const { parts } = gate()
  const broken: GateParts = { ...parts, engine: { call: () => Promise.reject(new Error('no')) } }
  expect(await handleCall(broken, OURS, { method: 'app.info', input: null })).toEqual({
    ok: false,
    error: { code: 'bug', detail: 'no' },
  })
})

describe('the contract keeps paths, commands, addresses and secrets out', () => {
  const properties = (schema: unknown): string[] =>
    typeof schema !== 'object' || schema === null
      ? []
      : Object.entries(schema).flatMap(([name, value]) =>
          name === 'properties' ? [...Object.keys(value as object), ...properties(value)] : properties(value),
        )
  test.each(Object.entries(INPUT_SCHEMAS))('%s', (_method, schema) => {
    for (const name of properties(schema))
      expect(name).not.toMatch(/path|command|argv|url|address|host$|port|key|password|passphrase|secret|token/i)
  })
})

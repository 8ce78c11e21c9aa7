import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { recordVantage, signedVantage } from '../main/app/collect/vantage-nodes.ts'
import { declaredLocation } from '../main/app/location/ask-databases.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { canonicalJson, jsonBytes } from '../main/core/base/canonical-json.ts'
import { fail, ok } from '../main/core/base/failure.ts'
import { vantagePlaceProblem } from '../main/core/fleet/vantage.ts'
import type { ConnectTarget, Signer, Transport } from '../main/core/ports/ports.ts'
import type { VantageRecord } from '../schemas/types.ts'
import { realClock, targetOf, validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { localConnection } from './support/local-transport.ts'
import { must } from './support/outcomes.ts'
import { sampleSigner, sealing } from './support/sample-pack.ts'
import { measurementOf, PLACE, unsignedVantage, vantageOf } from './support/vantage.ts'

const folder = folderOfTests('vantage')
const ports = createPorts(catalog)
let signer: Signer
beforeAll(async () => {
  signer = await sampleSigner(folder, 'prober')
})

const read = (file: string) => ports.declarations.vantage(file, null)
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const refusal = async (path: string): Promise<string> => {
  const made = await read(path)
  return made.ok ? 'it was read' : `${made.error.code}: ${made.error.detail.replaceAll(`${folder}/`, '')}`
}

/** Records over connections of this machine; some nodes fail before anyone logs in. */
const recording = (fails: Readonly<Record<string, 'ssh.unreachable' | 'ssh.auth-refused'>> = {}): Ports => ({
  ...ports,
  transport: {
    connect: async ({ node }: ConnectTarget) => {
      const code = fails[node.name]
      return code === undefined ? ok(localConnection(['sh', '-s'])) : fail(code, 'made up for a test')
    },
  } satisfies Transport,
})

const asked = (targets: readonly ConnectTarget[], signal = new AbortController().signal) => ({
  targets,
  place: PLACE,
  spreadSeconds: 0,
  concurrency: 8,
  signal,
  onEvent: () => undefined,
  openSigner: async () => ok(signer),
})

describe('recording', () => {
  test('times every node without a question, signs it, and reads back as it was written', async () => {
    const connected: string[] = []
    const base = recording({ 'node-b': 'ssh.unreachable' })
    const transport: Transport = {
      connect: async (target, signal) => {
        const made = await base.transport.connect(target, signal)
        if (!made.ok) return made
        return ok({
          ...made.value,
          exec: async (command) => {
            const started = await made.value.exec(command)
            if (!started.ok) return started
            const write = (data: Uint8Array): void => {
              connected.push(new TextDecoder().decode(data))
              started.value.write(data)
            }
            return ok({ ...started.value, write })
          },
          timePath: async () => ({ tcpMs: 0.2, keepaliveMs: [0.3], jumps: 0, remoteAddress: '127.0.0.1' }),
        })
      },
    }
    const made = await recordVantage({ ...base, transport }, asked([targetOf('node-a'), targetOf('node-b')]))
    if (!made.ok) throw new Error(made.error.detail)
    const [a, b] = made.value.measurements
    expect(a).toMatchObject({ node: 'node-a', hostKey: `SHA256:${'A'.repeat(43)}`, failure: null })
    expect(a?.echo?.bursts.flatMap(({ samples }) => samples).length).toBeGreaterThanOrEqual(15)
    expect(a?.path).toEqual({ tcpMs: 0.2, keepaliveMs: [0.3], jumps: 0, remoteAddress: '127.0.0.1' })
    expect(b).toMatchObject({ node: 'node-b', hostKey: null, echo: null, path: null })
    expect(b?.failure).toEqual({ code: 'ssh.unreachable', detail: 'made up for a test' })
    // A line of a question names its probe; here there is none.
    expect(connected[0]).not.toMatch(/^[cpx] \d/m)
    expect(connected.slice(1).every((text) => /^[0-9a-f]{32}\n$/.test(text))).toBe(true)
    expect(validator.problems('vantage' as never, made.value)).toEqual([])
    const path = file('fresh.json', jsonBytes(made.value))
    expect(await read(path)).toEqual(made)
    const located = must(await declaredLocation(ports, { vantages: ['fresh.json'] }, join(folder, 'fleet.yaml')))
    expect(located.location).toEqual({ vantages: [made.value] })
    const scope = { fleet: 'sample', population: ['node-a'], frameworks: ['soc2'], location: located.location }
    expect(validator.problems('scope', scope)).toEqual([])
  })

  test('three refused logins stop it, and a stop leaves the rest out; each with its reason', async () => {
    const names = ['node-a', 'node-b', 'node-c', 'node-d']
    const refused = Object.fromEntries(names.map((name) => [name, 'ssh.auth-refused' as const]))
    const made = must(
      await recordVantage(recording(refused), {
        ...asked(names.map((name) => targetOf(name))),
        concurrency: 1,
      }),
    )
    expect(made.measurements.map(({ failure }) => failure?.code)).toEqual(Array(4).fill('ssh.auth-refused'))
    const stop = new AbortController()
    stop.abort()
    const stopped = await recordVantage(recording(), asked([targetOf('node-a')], stop.signal))
    expect(stopped.ok && stopped.value.measurements[0]?.failure?.code).toBe('run.cancelled')
  })

  test('no node is contacted from a place that is none, nor without a key', async () => {
    const transport: Transport = { connect: () => Promise.reject(new Error('contacted')) }
    const input = asked([targetOf('node-a')])
    const far = await recordVantage({ ...ports, transport }, { ...input, place: { ...PLACE, radiusKm: 51 } })
    expect(far).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    const keyless = { ...input, openSigner: async () => fail('identity.missing', 'no identity') }
    expect(await recordVantage({ ...ports, transport }, keyless)).toMatchObject({
      ok: false,
      error: { code: 'identity.missing' },
    })
  })
})

test.each([
  [{ name: ' ' }, 'no name'],
  [{ declaredBy: '' }, 'no declaring person'],
  [{ name: 'IP-derived' }, 'IP-derived'],
  [{ declaredBy: 'geoip lookup' }, 'IP-derived'],
  [{ latitude: 91 }, 'latitude'],
  [{ longitude: Number.NaN }, 'longitude'],
  [{ radiusKm: 0 }, 'greater than 0'],
  [{ radiusKm: 50.1 }, '50 km'],
])('a place with %j is refused', (changes, words) => {
  expect(vantagePlaceProblem({ ...PLACE, ...changes })).toContain(words)
})

test('places that people name are taken', () => {
  for (const name of ['Office, Frankfurt', 'Ship based in Kiel', 'Philip derived this'])
    expect(vantagePlaceProblem({ ...PLACE, name, radiusKm: 50 })).toBeNull()
})

describe('reading', () => {
  const at = realClock.now()
  let record: VantageRecord
  beforeAll(async () => {
    record = await vantageOf(unsignedVantage(new Date().toISOString(), ['node-a', 'node-b']), signer)
  })

  test('white space and the order of keys change nothing', async () => {
    const { schema, ...rest } = record
    const other = JSON.stringify({ ...rest, schema }, null, 2)
    expect(await read(file('spaced.json', `${other}\n`))).toEqual(ok(record))
  })

  test('any changed byte is refused, or reads as the same record', async () => {
    const bytes = jsonBytes(record)
    const byte = fc.record({ place: fc.nat(bytes.length - 1), value: fc.nat(255) })
    const changed = fc.asyncProperty(byte, async ({ place, value }) => {
      const altered = new Uint8Array(bytes)
      altered[place] = value
      const again = await read(file('altered.json', altered))
      expect(again.ok ? canonicalJson(again.value) : again.error.code).toBe(
        again.ok ? canonicalJson(record) : 'input.refused',
      )
    })
    await fc.assert(changed, { numRuns: 400 })
  })

  test('whatever the file holds, it is refused and nothing is thrown', async () => {
    const bytes = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (content) => {
      expect(await refusal(file('any.json', content))).toMatch(/^input\.refused: any\.json/)
    })
    await fc.assert(bytes, { numRuns: 60 })
    const json = fc.asyncProperty(fc.json(), async (content) => {
      expect(await refusal(file('any.json', content))).toMatch(/^input\.refused: any\.json/)
    })
    await fc.assert(json, { numRuns: 60 })
  })

  test('what cannot be read is reported in plain words', async () => {
    expect(await refusal(join(folder, 'absent.json'))).toBe('input.not-found: absent.json could not be read')
    expect(await refusal(file('yaml.json', 'schema: barewitness.vantage/1\n'))).toBe(
      'input.refused: yaml.json is not JSON in UTF-8',
    )
    const { vantage: _, ...rest } = record
    expect(await refusal(file('short.json', canonicalJson(rest)))).toBe(
      'input.refused: short.json is not a vantage record: the document lacks “vantage”',
    )
  })

  test.each<[string, (record: VantageRecord) => VantageRecord, RegExp]>([
    [
      'a sample',
      (one) => ({
        ...one,
        measurements: one.measurements.map((node) => ({
          ...node,
          echo: node.echo && {
            ...node.echo,
            bursts: node.echo.bursts.map((burst) => ({ ...burst, samples: [1, 1, 1] })),
          },
        })),
      }),
      /signature is invalid/,
    ],
    ['the place', (one) => ({ ...one, vantage: { ...one.vantage, latitude: 51 } }), /signature is invalid/],
    [
      'the moment of signing',
      (one) => ({ ...one, signature: { ...one.signature, at: one.startedAt.replace(/\d{3}Z/, '999Z') } }),
      /signature is invalid/,
    ],
    [
      'the key named',
      (one) => ({ ...one, signature: { ...one.signature, fingerprint: '0'.repeat(64) } }),
      /signature is invalid/,
    ],
    [
      'certificates beside it',
      (one) => ({ ...one, signature: { ...one.signature, chain: [] } }),
      /signature is invalid/,
    ],
  ])('a record with %s changed is refused', async (_, change, words) => {
    expect(await refusal(file('changed.json', canonicalJson(change(record))))).toMatch(words)
  })

  test.each<[string, Parameters<typeof unsignedVantage>[2], RegExp]>([
    [
      'a node twice',
      { measurements: [measurementOf('node-a', at), measurementOf('node-a', at)] },
      /“node-a” is in it twice/,
    ],
    ['times without a node', { measurements: [measurementOf('node-a', at, { hostKey: null })] }, /without a host key/],
    [
      'a node timed on another day',
      { measurements: [measurementOf('node-a', '2026-01-01T00:00:00.000Z')] },
      /before its start/,
    ],
    ['an end before its beginning', { startedAt: '2099-01-01T00:00:00.000Z', measurements: [] }, /ends before/],
    ['a day that is none', { endedAt: '2026-02-30T00:00:00.000Z', measurements: [] }, /ends before/],
  ])('a record cannot be signed with %s', async (_, changes, words) => {
    const unsigned = unsignedVantage(at, ['node-a'], changes)
    const made = await signedVantage(ports, unsigned, async () => ok(signer))
    expect(made).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(made.ok ? '' : made.error.detail).toMatch(words)
  })

  test('a demonstration key signs demonstrations only, of any day', async () => {
    const demo = await sealing.demoSigner()
    const old = unsignedVantage('2026-11-20T09:00:00.000Z', ['node-a'])
    await expect(vantageOf(old, demo)).rejects.toThrow('demo key')
    const marked = await vantageOf({ ...old, demo: true }, demo)
    expect(await read(file('demo.json', canonicalJson(marked)))).toEqual(ok(marked))
  })

  test('the same id twice is refused', async () => {
    file('one.json', canonicalJson(record))
    const twice = await declaredLocation(ports, { vantages: ['one.json', 'one.json'] }, join(folder, 'fleet.yaml'))
    expect(twice).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })
})

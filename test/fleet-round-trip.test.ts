import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFleets } from '../main/adapters/fleet-file.ts'
import { fleetChanges, pathsIn } from '../main/core/fleet/fleet.ts'
import schema from '../schemas/fleet.schema.json' with { type: 'json' }
import { FLEET_SECTIONS, NODE_SECTIONS, type SectionName } from '../schemas/ipc-declarations.ts'
import type { Fleet } from '../schemas/types.ts'

const fleets = createFleets()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'barewitness-fleet-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Texts as people write them, with what YAML reads as something else: numbers, dates, booleans, marks and line ends. */
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ minLength: 1, maxLength, unit: 'grapheme' }),
    fc.constantFrom('yes', 'null', '0x1f', '1e3', '2026-01-02', '~', '- a', 'a: b', '#x', ' x', 'a\nb', '“é”', "'"),
  )
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const list = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<readonly T[] | undefined> =>
  optional(fc.array(value, { maxLength: 3 }))
const port = fc.record({
  port: fc.integer({ min: 1, max: 65_535 }),
  protocol: fc.constantFrom('tcp' as const, 'udp' as const),
  name: text(20),
})
// JSON has no negative zero.
const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true }).map((value) => value + 0)
const place = fc.record(
  {
    name: text(30),
    country: fc.constantFrom('US', 'NO', 'DE'),
    latitude: degrees(90),
    longitude: degrees(180),
    radiusKm: fc.integer({ min: 0, max: 20_040 }),
    declaredBy: text(30),
  },
  { requiredKeys: ['name', 'latitude', 'longitude', 'radiusKm', 'declaredBy'] },
)
const account = fc.record(
  {
    account: text(20),
    kind: fc.constantFrom('person' as const, 'service' as const, 'emergency' as const, 'provider' as const),
    owner: text(30),
    administrator: fc.boolean(),
    until: fc.constantFrom('2027-01-31', '2028-02-29'),
  },
  { requiredKeys: ['account', 'kind'] },
)
const lists = {
  ephiPaths: list(text(30).map((path) => `/${path}`)),
  roster: list(text(20)),
  accounts: list(account),
  services: list(port),
  ephiFlows: list(port),
}

const without = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
const node = (name: string) =>
  fc
    .record({
      name: fc.constant(name),
      address: fc.constantFrom('192.0.2.7', 'gpu.example', '[2001:db8::1]'),
      port: optional(fc.integer({ min: 1, max: 65_535 })),
      sudo: optional(fc.boolean()),
      agent: optional(fc.boolean()),
      role: optional(text(30)),
      zone: optional(fc.constantFrom('frankfurt', 'tokyo-2')),
      location: optional(place),
      identityFile: optional(fc.constantFrom('~/.ssh/audit', '/keys/audit', 'keys/audit')),
      ...lists,
    })
    .map(without)
const anyFleet: fc.Arbitrary<Fleet> = fc
  .record({
    name: text(40),
    nodes: fc.tuple(node('gpu-01'), node('gpu-02')),
    profile: optional(fc.constantFrom('baseline' as const, 'cis' as const, 'stig' as const)),
    concurrency: optional(fc.integer({ min: 1, max: 256 })),
    timestampAuthority: optional(fc.constant('http://tsa.example/?a=1&b=#2')),
    residency: list(fc.record({ name: text(30), region: fc.constantFrom('EU', 'US') })),
    thresholds: list(
      fc.record({
        threshold: fc.constantFrom('ssh.idle' as const, 'log.days' as const),
        value: fc.integer({ min: 0, max: 1000 }),
        reason: text(50),
      }),
    ),
    askMetadata: optional(fc.boolean()),
    locationSpreadSeconds: optional(fc.integer({ min: 0, max: 3600 })),
    ...lists,
  })
  .map((fleet) => without(fleet) as Fleet)

describe('a fleet that the window saves', () => {
  test.each(['fleet.yaml', 'fleet.json'])('is the fleet that the command line reads: %s', async (name) => {
    const path = join(folder, name)
    await fc.assert(
      fc.asyncProperty(anyFleet, async (fleet) => {
        writeFileSync(path, fleets.textOf(fleet, path))
        const read = await fleets.read(path)
        expect(read.ok ? read.value.fleet : read.error).toEqual(fleet)
        expect(fleetChanges(fleet, read.ok ? read.value.fleet : fleet)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('names no file relative to the folder that it was read from', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        const moved = fleets.moved(fleet, '/etc/audit/fleet.yaml')
        for (const { file } of pathsIn(moved)) expect(file).toMatch(/^(\/|~\/)/)
        expect(fleets.moved(moved, '/elsewhere/fleet.yaml')).toEqual(moved)
      }),
    )
  })
})

describe('sections', () => {
  const members = (sections: Readonly<Record<string, readonly string[]>>): readonly string[] =>
    Object.values(sections).flat().sort()
  // `nodes` are edited one by one; the other three have a screen of their own.
  const ELSEWHERE = ['nodes', 'engagement', 'provider', 'mappings']

  test('every member of the fleet is in one section', () => {
    const known = Object.keys(schema.properties).filter((name) => !ELSEWHERE.includes(name))
    expect(members(FLEET_SECTIONS)).toEqual(known.sort())
  })

  test('every member of a node is in one section, but its name: evidence is stored under it', () => {
    const known = Object.keys(schema.$defs.FleetNode.properties).filter((name) => name !== 'name')
    expect(members(NODE_SECTIONS)).toEqual(known.sort())
  })

  test('no section of the fleet has the name of one of a node', () => {
    const names: readonly SectionName[] = [
      ...(Object.keys(FLEET_SECTIONS) as SectionName[]),
      ...(Object.keys(NODE_SECTIONS) as SectionName[]),
    ]
    expect(new Set(names).size).toBe(names.length)
  })
})

import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { canonicalJson } from '../../main/core/base/canonical-json.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import { captureKey, type Parsed, readProbe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording/recording.ts'
import { type Check, type Conclusion, conclude } from '../../main/core/rules/check.ts'
import { checks, type Evaluated, fixtures, probes } from '../support/evaluated.ts'
import { FIXTURE_TIME, fixtureSettings } from '../support/fixtures.ts'
import { sampled } from '../support/thorough.ts'

/** Rules that hold for every probe and every check. A new one is covered as soon as the catalog lists it. */

const needed = (check: Check): readonly string[] => Object.values(check.requires).map((probe) => probe.id)
const read = (check: Check): readonly string[] => [
  ...needed(check),
  ...Object.values(check.optional ?? {}).map((probe) => probe.id),
]
const missing: Parsed<unknown> = { ok: false, reason: 'this was not collected' }
const without = (fixture: Evaluated, probe: string, check: Check): Conclusion =>
  conclude(check, new Map([...fixture.readings, [probe, missing]]), fixture.context)

describe('the lists', () => {
  test('ids are unique', () => {
    for (const list of [probes, checks]) {
      const ids = list.map(({ id }) => id)
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    }
  })

  test('a check reads only probes of the catalog', () => {
    const known = new Set(probes.map(({ id }) => id))
    expect(checks.flatMap((check) => read(check).filter((id) => !known.has(id)))).toEqual([])
  })

  test('every probe states what it asks and why; every check states what it expects and does not show', () => {
    for (const { id, title, why } of probes) expect([id, title, why].every((text) => text.trim().length > 3)).toBe(true)
    for (const { id, expected, limitations } of checks)
      expect([id, /\.$/.test(expected), /\.$/.test(limitations), limitations.length > 20]).toEqual([
        id,
        true,
        true,
        true,
      ])
  })
})

describe('the commands', () => {
  const commands = probes.flatMap((probe) =>
    Object.entries(probe.commands).flatMap(([name, command]) =>
      command.kind === 'run' ? [{ at: captureKey(probe.id, name), command, live: probe.live === true }] : [],
    ),
  )
  const text = (argv: readonly (string | { readonly glob: string })[]): readonly string[] =>
    argv.map((part) => (typeof part === 'string' ? part : part.glob))

  test('each only reads, by the list of programs and arguments', () => {
    const denied = commands.map(({ at, command }) => [at, deniedCommand(text(command.argv))]).filter(([, why]) => why)
    expect(denied).toEqual([])
  })

  // script.ts writes them into the collector as a comment, and refuses others.
  test('the collector can write each name', () => {
    expect(commands.filter(({ at }) => !/^[a-z0-9.-]+\/[a-zA-Z0-9]+$/.test(at)).map(({ at }) => at)).toEqual([])
  })

  test('no two ask the same of the node with the same rights', () => {
    const seen = new Map<string, string[]>()
    // Live tests measure: they ask the same before and after, and more than once. So does one counter that is looked at twice.
    for (const { at, command } of commands.filter(({ live }) => !live)) {
      const key = JSON.stringify([command.as, command.argv])
      seen.set(key, [...(seen.get(key) ?? []), at])
    }
    expect([...seen.values()].filter((places) => places.length > 1)).toEqual([
      ['cpu.energy/before', 'cpu.energy/after'],
    ])
  })

  test('none that runs as root holds a path pattern or an empty word', () => {
    const root = commands.filter(({ command }) => command.as === 'root')
    const bad = root.filter(({ command }) => command.argv.some((part) => typeof part !== 'string' || part === ''))
    expect(bad.map(({ at }) => at)).toEqual([])
  })

  test('path patterns are absolute', () => {
    const patterns = commands.flatMap(({ command }) =>
      command.argv.flatMap((part) => (typeof part === 'string' ? [] : [part.glob])),
    )
    expect(patterns.filter((pattern) => !/^\/[A-Za-z0-9_*?./:[\]-]+$/.test(pattern))).toEqual([])
  })
})

describe('the verdicts', () => {
  // That every way to end has a fixture: nothing-forgotten.test.ts.

  test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    '%s gives the verdicts that its file expects',
    (name, { conclusions }) => {
      const expected = fixtureSettings(name).expected ?? {}
      const got = Object.fromEntries(
        Object.keys(expected).map((id) => [id, conclusions.get(id)?.verdict ?? 'no such check']),
      )
      expect(got).toEqual(expected)
    },
  )

  test('a check without its evidence is inconclusive', () => {
    const decided: unknown[] = []
    for (const check of checks)
      for (const fixture of sampled(fixtures, 25))
        for (const probe of needed(check)) {
          const { verdict } = without(fixture, probe, check)
          if (verdict !== 'inconclusive') decided.push([check.id, fixture.name, probe, verdict])
        }
    expect(decided).toEqual([])
  })

  test('taking any evidence away never makes a verdict better', () => {
    const better: unknown[] = []
    for (const check of checks) {
      for (const fixture of sampled(fixtures, 25)) {
        const before = fixture.conclusions.get(check.id)?.verdict
        if (before === 'satisfied') continue
        for (const probe of read(check)) {
          if (fixture.readings.get(probe)?.ok !== true) continue
          if (without(fixture, probe, check).verdict === 'satisfied') better.push([check.id, fixture.name, probe])
        }
      }
    }
    expect(better).toEqual([])
  })

  test('each capture matters: without any one of them its probe gives no fact', () => {
    const unmoved: string[] = []
    for (const probe of probes) {
      const fixture = fixtures.find(({ readings }) => readings.get(probe.id)?.ok === true)
      if (fixture === undefined) continue
      for (const command of Object.keys(probe.commands)) {
        const key = captureKey(probe.id, command)
        const left = new Map([...fixture.captures].filter(([name]) => name !== key))
        if (readProbe(probe, left).ok) unmoved.push(key)
      }
    }
    expect(unmoved).toEqual([])
  })

  test('every probe is read from at least one fixture', () => {
    const unread = probes.filter((probe) => !fixtures.some(({ readings }) => readings.get(probe.id)?.ok === true))
    expect(unread.map(({ id }) => id)).toEqual([])
  })

  test('reasons rest on what the check reads', () => {
    const stray: unknown[] = []
    for (const check of checks) {
      const own = new Map(
        [...Object.values(check.requires), ...Object.values(check.optional ?? {})].map((probe) => [probe.id, probe]),
      )
      for (const { name, conclusions } of fixtures) {
        const { observations = [], verdict } = conclusions.get(check.id) ?? {}
        if (observations.length === 0) stray.push([check.id, name, verdict, 'no reason'])
        for (const step of observations) {
          const probe = step.probe === null ? null : own.get(step.probe)
          if (probe === undefined) stray.push([check.id, name, step.probe])
          for (const command of step.commands ?? [])
            if (probe == null || !(command in probe.commands)) stray.push([check.id, name, step.probe, command])
        }
      }
    }
    expect(stray).toEqual([])
  })
})

describe('the same evidence gives the same assessment', () => {
  const input = (loaded: LoadedRecording) => ({
    catalog,
    scope: { fleet: 'fixtures', population: [loaded.recording.node.name], frameworks: [] },
    recordings: [loaded],
    asOf: FIXTURE_TIME,
  })

  test.each(sampled(fixtures, 25).map(({ name, loaded }) => [name, loaded] as const))('%s', (_, loaded) => {
    const first = canonicalJson(assess(input(loaded)))
    const again = canonicalJson(assess(input(loaded)))
    // A fixed order far from the first: by digest of the capture's name.
    const shuffled = [...loaded.captures].sort((a, b) => (shuffleKey(a) < shuffleKey(b) ? -1 : 1))
    expect(again).toBe(first)
    expect(canonicalJson(assess(input({ ...loaded, captures: shuffled })))).toBe(first)
  })

  const shuffleKey = ({ meta }: CapturedAnswer): string => sha256(captureKey(meta.probe, meta.command))
})

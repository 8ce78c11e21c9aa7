import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { askedFor, readProbe } from '../main/core/recording/probe.ts'
import { capturesByKey, readingsOf } from '../main/core/recording/readings.ts'
import type { CapturedAnswer, LoadedRecording } from '../main/core/recording/recording.ts'
import { type Context, conclude } from '../main/core/rules/check.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'

const NODES = ['demo-gpu-01', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05']
const node = (name: string): LoadedRecording => fixtureRecording(name, catalog.probes)
const changed = (loaded: LoadedRecording, change: (one: CapturedAnswer) => CapturedAnswer): LoadedRecording => ({
  ...loaded,
  captures: loaded.captures.map(change),
})
describe('readings that nodes share', () => {
  test('the same answers of two nodes are one reading, and others are read by themselves', () => {
    // The memory is emptied when it is full, which it may be in the middle of a node, but not in the node after it.
    for (let filled = 0; filled < 8; filled += 1) {
      const unlike = (own: CapturedAnswer) => ({ ...own, stderr: Buffer.from(`${filled}`) })
      const [, two, three] = [1, 2, 3].map(() => readingsOf(catalog, changed(node('demo-gpu-01'), unlike)))
      expect(three).not.toBe(two)
      expect([...(three ?? [])].filter(([id, reading]) => two?.get(id) === reading).length).toBeGreaterThan(100)
    }
    const first = node('demo-gpu-01')
    const more = new TextEncoder().encode('x')
    const changes: readonly ((own: CapturedAnswer) => Partial<CapturedAnswer>)[] = [
      // The digest that is stated stays: the bytes alone count.
      ({ stdout }) => ({ stdout: Buffer.concat([stdout, more]) }),
      ({ stderr }) => ({ stderr: Buffer.concat([stderr, more]) }),
      ({ meta }) => ({ meta: { ...meta, exitCode: 3 } }),
      ({ meta }) => ({ meta: { ...meta, exitCode: 127 } }),
      ({ meta }) => ({ meta: { ...meta, status: 'truncated' } }),
      ({ meta }) => ({ meta: { ...meta, argv: [...meta.argv, '--all'] } }),
      ({ meta }) => ({ meta: { ...meta, privilege: 'sudo', exitCode: 1 } }),
      ({ meta }) => ({ meta: { ...meta, masked: { 'private-key': 1 } } }),
    ]
    for (const change of changes) {
      const other = changed(first, (own) => ({ ...own, ...change(own) }))
      const [readings, captures] = [readingsOf(catalog, other), capturesByKey(other.captures)]
      for (const probe of catalog.probes)
        expect(readings.get(probe.id)).toEqual(readProbe(probe, captures, askedFor(other.recording)))
    }
  })

  test('no rule changes a fact: what the first node left is what the next one finds', () => {
    for (const name of NODES) {
      const loaded = node(name)
      const scope = { fleet: 'fixture', population: [name], frameworks: ['hipaa', 'soc2'] }
      const before = assess({ catalog, scope, recordings: [loaded], asOf: FIXTURE_TIME })
      for (const reading of readingsOf(catalog, loaded).values()) frozen(reading)
      expect(assess({ catalog, scope, recordings: [loaded], asOf: FIXTURE_TIME })).toEqual(before)
    }
  })

  test('a check that names no context reads none: its conclusion is shared between nodes', () => {
    const unread = new Proxy({} as Context, {
      get: (_, member) => {
        throw new Error(`read ${String(member)} of the context`)
      },
    })
    const alike = catalog.checks.filter(({ evaluate }) => evaluate.length <= 2)
    expect(alike.length).toBeGreaterThan(20)
    for (const { evaluate } of alike) expect(String(evaluate)).not.toMatch(/^[^{]*(?:\.\.\.|\barguments\b)[^{]*=>/)
    for (const name of NODES) {
      // Of its own, so that nothing is remembered of it.
      const readings = new Map([...readingsOf(catalog, node(name))].map(([id, reading]) => [id, { ...reading }]))
      for (const check of alike) expect(() => conclude(check, readings, unread)).not.toThrow()
    }
  })

  test('of ordinary questions, how long an answer took is not read', () => {
    const ordinary = catalog.probes.filter(({ live }) => live !== true)
    for (const name of NODES) {
      const loaded = node(name)
      const slower = changed(loaded, (own) => ({
        ...own,
        meta: { ...own.meta, durationMs: own.meta.durationMs + 90_000, heardMs: 90_000 },
      }))
      const [one, two] = [capturesByKey(loaded.captures), capturesByKey(slower.captures)]
      for (const probe of ordinary) expect(readProbe(probe, two)).toEqual(readProbe(probe, one))
    }
  })
})

/** Objects alone: the members of a map or of bytes cannot be frozen, which a rule would have to call a method for. */
function frozen(value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of value instanceof Map || value instanceof Set ? value : Object.values(value)) frozen(part)
}

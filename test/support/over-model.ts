import { catalog } from '../../main/catalog/index.ts'
import { type Conclusion, conclude } from '../../main/core/check.ts'
import { captureKey, known, type Parsed, type Probe, readProbe } from '../../main/core/probe.ts'
import type { DeclaredNode } from '../../schemas/types.ts'
import { fact } from './answers.ts'
import { BASELINE } from './baseline.ts'
import { FIXTURE_TIME, fixtureRecording } from './fixtures.ts'

type Replaced = readonly [Probe<unknown>, Parsed<unknown>]
type Declared = { readonly [K in keyof DeclaredNode]?: DeclaredNode[K] | undefined }

/** A check over demo-gpu-01, which supports nearly everything, with some facts in place of its own. */
export const over = (id: string, ...facts: readonly Replaced[]): Conclusion => overDeclared({}, id, ...facts)

/** The same with parts of the declaration replaced, or taken out where undefined. */
export function overDeclared(declared: Declared, id: string, ...facts: readonly Replaced[]): Conclusion {
  const check = catalog.checks.find((candidate) => candidate.id === id)
  if (check === undefined) throw new Error(`no such check: ${id}`)
  const probes = [...Object.values(check.requires), ...Object.values(check.optional ?? {})]
  const { recording, captures } = fixtureRecording('demo-gpu-01', probes)
  const byKey = new Map(captures.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture]))
  const readings = new Map<string, Parsed<unknown>>(probes.map((probe) => [probe.id, readProbe(probe, byKey)]))
  for (const [probe, reading] of facts) readings.set(probe.id, reading)
  const node = Object.fromEntries(
    Object.entries({ ...recording.node, ...declared }).filter(([, value]) => value !== undefined),
  ) as unknown as DeclaredNode
  return conclude(check, readings, { node, asOf: FIXTURE_TIME, observedAt: FIXTURE_TIME, thresholds: BASELINE })
}

/** The fact that demo-gpu-01 gives, with some of it changed. */
export function changed<F>(probe: Probe<F>, change: (fact: F) => F): Replaced {
  const { captures } = fixtureRecording('demo-gpu-01', [probe as Probe<unknown>])
  const byKey = new Map(captures.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture]))
  return [probe as Probe<unknown>, known(change(fact(readProbe(probe, byKey))))]
}

export const said = ({ observations }: Conclusion): string =>
  observations.map(({ direction, text }) => `${direction}: ${text}`).join('\n')

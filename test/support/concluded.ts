import { catalog } from '../../main/catalog/index.ts'
import { sshdEffective } from '../../main/catalog/probes/sshd-effective.ts'
import { type Conclusion, conclude } from '../../main/core/check.ts'
import { captureKey, known, type Parsed, readProbe } from '../../main/core/probe.ts'
import type { DeclaredNode } from '../../schemas/types.ts'
import { BASELINE } from './baseline.ts'
import { FIXTURE_TIME, fixtureRecording } from './fixtures.ts'

type Declared = { readonly [K in keyof DeclaredNode]?: DeclaredNode[K] | undefined }

/** One check over one fixture node, with the declaration or settings of the SSH server changed where a test says so. */
export function concluded(
  fixture: string,
  id: string,
  declared: Declared = {},
  sshd: Readonly<Record<string, string>> = {},
): Conclusion {
  const check = catalog.checks.find((candidate) => candidate.id === id)
  if (check === undefined) throw new Error(`no such check: ${id}`)
  const probes = [...Object.values(check.requires), ...Object.values(check.optional ?? {})]
  const { recording, captures } = fixtureRecording(fixture, probes)
  const byKey = new Map(captures.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture]))
  const readings = new Map<string, Parsed<unknown>>(probes.map((probe) => [probe.id, readProbe(probe, byKey)]))
  const settings = readProbe(sshdEffective, byKey)
  if (settings.ok) {
    const changed = Object.entries(sshd).map(([key, value]) => [key, [value]] as const)
    readings.set(sshdEffective.id, known({ settings: new Map([...settings.fact.settings, ...changed]) }))
  }
  const node = Object.fromEntries(
    Object.entries({ ...recording.node, ...declared }).filter(([, value]) => value !== undefined),
  )
  return conclude(check, readings, {
    node: node as unknown as DeclaredNode,
    asOf: FIXTURE_TIME,
    observedAt: FIXTURE_TIME,
    thresholds: BASELINE,
  })
}

export const verdict = (...input: Parameters<typeof concluded>): string => concluded(...input).verdict
export const texts = (...input: Parameters<typeof concluded>): readonly string[] =>
  concluded(...input).observations.map(({ direction, text }) => `${direction}: ${text}`)

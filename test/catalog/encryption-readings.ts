import { FORWARDING } from '../../main/catalog/data-protection/listeners/forwarded.ts'
import { storageRemote } from '../../main/catalog/data-protection/mounts/probes.ts'
import { osIdentity } from '../../main/catalog/hardware/machine/identity.ts'
import { captureKey, type Parsed, readProbe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'
import { type Conclusion, conclude } from '../../main/core/rules/check.ts'
import { BASELINE } from '../support/baseline.ts'
import { checksOf, probesOf } from '../support/checks-of.ts'
import { FIXTURE_TIME, fixtureRecording, fixtureSettings } from '../support/fixtures.ts'

const checks = checksOf('encryption-at-rest', 'encryption-in-transit')
const probes = [...probesOf(checks), osIdentity, storageRemote, ...Object.values(FORWARDING)]

/** The answers of a fixture node by "probe/command", for this group's probes. */
export function captures(node: string): ReadonlyMap<string, CapturedAnswer> {
  const { captures } = fixtureRecording(node, probes)
  return new Map(captures.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture]))
}

/** Every conclusion of this group on one node, by check id. */
export function concludeAll(node: string, from = captures(node)): ReadonlyMap<string, Conclusion> {
  const readings = new Map<string, Parsed<unknown>>(probes.map((probe) => [probe.id, readProbe(probe, from)]))
  const declared = fixtureRecording(node, []).recording.node
  const context = { node: declared, asOf: FIXTURE_TIME, observedAt: FIXTURE_TIME, thresholds: BASELINE }
  return new Map(checks.map((check) => [check.id, conclude(check, readings, context)]))
}

/** The text of the steps that say `says`. */
export const steps = (conclusion: Conclusion | undefined, says: string): readonly string[] =>
  (conclusion?.observations ?? []).filter((step) => step.direction === says).map(({ text }) => text)

/** What the fixture says it must come out as, of this group only. */
export const expectedOf = (node: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fixtureSettings(node).expected ?? {}).filter(([check]) => checks.some(({ id }) => id === check)),
  )

import { signedVantage } from '../../main/app/collect/vantage-nodes.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { UnsignedVantage } from '../../main/core/fleet/vantage.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import type { VantageMeasurement, VantageRecord } from '../../schemas/types.ts'
import { must } from './outcomes.ts'
import { sealing } from './sample-pack.ts'

export const PLACE = {
  name: 'Office, Frankfurt',
  country: 'DE',
  latitude: 50.11,
  longitude: 8.68,
  radiusKm: 2,
  declaredBy: 'M. Ortiz',
}

/** A node as it was timed at a moment. */
export const measurementOf = (
  node: string,
  at: string,
  changes: Partial<VantageMeasurement> = {},
): VantageMeasurement => ({
  node,
  address: '192.0.2.1',
  port: 22,
  hostKey: `SHA256:${node.slice(-1).repeat(43)}`,
  at,
  echo: {
    bursts: [{ at, samples: [5.1, 5.2, 5.3, 5.4], nonces: sha256(node), wallDriftMs: 0.1 }],
    warmup: 3,
    mismatches: 0,
  },
  path: { tcpMs: 5, keepaliveMs: [5.2], jumps: 0, remoteAddress: '192.0.2.1' },
  failure: null,
  ...changes,
})

/** A record of nodes timed at a moment, not signed yet. */
export const unsignedVantage = (
  at: string,
  nodes: readonly string[],
  changes: Partial<UnsignedVantage> = {},
): UnsignedVantage => ({
  schema: 'barewitness.vantage/1',
  id: 'vantage-one',
  recorder: '0.1.0',
  vantage: PLACE,
  startedAt: at,
  endedAt: at,
  demo: false,
  measurements: nodes.map((node) => measurementOf(node, at)),
  ...changes,
})

/** The same signed at the moment at which it ended, or a failed test. */
export async function vantageOf(record: UnsignedVantage, signer: Signer): Promise<VantageRecord> {
  const clock = { now: () => record.endedAt, ticks: () => 0n }
  return must(await signedVantage({ sealing, clock }, record, async () => ok(signer)))
}

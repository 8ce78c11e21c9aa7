import { quote } from '../../../core/plain-text.ts'
import type { Parsed } from '../../../core/probe.ts'
import { type ChronyState, timeChrony } from '../../probes/time-chrony.ts'
import { type Found, hinted } from '../found.ts'

/** Clocks that clouds offer at addresses that no router passes on (their documentation of time services). */
const CLOCKS: ReadonlyMap<string, string> = new Map([
  ['169.254.169.123', 'AWS'],
  ['169.254.169.254', 'Google Cloud or Oracle Cloud'],
])

/** A time source that exists only inside a provider’s network: whose network, not where. Anyone can make one at that address. */
export function timePeerSignals(reading: Parsed<ChronyState>): readonly Found[] {
  const peers = reading.ok ? (reading.fact.nearby ?? []) : []
  return peers.flatMap((peer) => {
    const cloud = CLOCKS.get(peer)
    return cloud === undefined
      ? []
      : [
          hinted(
            'time-peer',
            null,
            `The clock is set by ${quote(peer)}, which is the time source inside ${cloud}. That identifies no location.`,
            timeChrony,
            'sources',
          ),
        ]
  })
}

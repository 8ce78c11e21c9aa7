import type { DeclaredLocation } from '../../../schemas/types.ts'
import type { DeclaredSites } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import type { EmulatedTimes } from '../../core/ports/ports.ts'
import { siteRowsInCsv } from '../declarations/sites-file.ts'

/**
 * The provider's site record as its portal would export it: an entry for every serial number in the firmware of a node.
 * The entry of demo-metal-04 agrees with the contract, and round trips exclude it.
 */
const SITES = `serial,site,country,latitude,longitude,radius_km,address,room,rack,unit
DEMO-S0001,KC1,US,39.1012,-94.5844,1,"1 Example Street, Kansas City",Hall 2,R12,14
DEMO-S0002,ASH1,US,39.0437,-77.4875,1,"2 Example Street, Ashburn",Hall 1,R07,21
DEMO-S0004,FRA1,DE,50.1109,8.6821,1,"3 Example Street, Frankfurt",Hall 4,R02,8
DEMO-S0005,ASH1,US,39.0437,-77.4875,1,"2 Example Street, Ashburn",Hall 1,R09,3
`

const EUROPEAN = 'demo-metal-04'

/**
 * Durations of the echo of a demo node and of opening its connection, in ms. They are invented, because all nodes run
 * on this computer and real durations depend on its load. The connections of demo-gpu-02 are accepted nearer than the
 * node.
 */
export const roundTripsOf = (node: string): EmulatedTimes =>
  node === 'demo-gpu-02' ? { echoMs: 40, tcpMs: 0.4 } : { echoMs: 0.2, tcpMs: 0.4 }

/** Location evidence from outside the demo nodes: synthetic, like the nodes. */
export function demoLocation(
  nodes: readonly string[],
  day: (days: number) => string,
): { readonly location: DeclaredLocation; readonly sites: Uint8Array } {
  const { sites, bytes } = demoSites(day)
  return {
    location: {
      sites,
      residency: [
        {
          name: 'Images stay in the United States (demo)',
          nodes: nodes.filter((one) => one !== EUROPEAN),
          region: 'US',
        },
        { name: 'European study stays in the EEA (demo)', nodes: [EUROPEAN], region: 'EEA' },
      ],
    },
    sites: bytes,
  }
}

function demoSites(day: (days: number) => string): DeclaredSites {
  const bytes = new TextEncoder().encode(SITES)
  return {
    sites: {
      source: 'Portal of Example Hosting (made up)',
      kind: 'csv',
      on: day(-20),
      declaredBy: 'M. Ortiz (demo)',
      file: { name: 'sites.csv', size: bytes.length, sha256: sha256(bytes) },
      rows: [...siteRowsInCsv(bytes).rows],
    },
    bytes,
  }
}

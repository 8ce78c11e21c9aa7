import type { DeclaredLocation } from '../../../schemas/types.ts'
import { sha256 } from '../../core/digest.ts'
import type { DeclaredSites } from '../../core/world.ts'
import { siteRowsInCsv } from '../declarations/sites-csv.ts'

/**
 * The provider's record of where machines stand, as its portal would give it: a row for every serial number that the firmware of a node
 * names. That of demo-metal-04 says what the contract says, and round trips say otherwise.
 */
const SITES = `serial,site,country,latitude,longitude,radius_km,address,room,rack,unit
DEMO-S0001,KC1,US,39.1012,-94.5844,1,"1 Example Street, Kansas City",Hall 2,R12,14
DEMO-S0002,ASH1,US,39.0437,-77.4875,1,"2 Example Street, Ashburn",Hall 1,R07,21
DEMO-S0004,FRA1,DE,50.1109,8.6821,1,"3 Example Street, Frankfurt",Hall 4,R02,8
DEMO-S0005,ASH1,US,39.0437,-77.4875,1,"2 Example Street, Ashburn",Hall 1,R09,3
`

const EUROPEAN = 'demo-metal-04'

/**
 * By node, for how long in all what it is told and what it says is held back, in ms. The echo is timed for real, between programs of one computer, so that a node that is
 * said to be far away needs a delay: without one it would be contradicted. A longer one only widens what is in reach.
 */
export const DEMO_DELAYS: Readonly<Record<string, number>> = { 'demo-gpu-02': 40 }

/** What is brought from outside the demo nodes to judge where they are: made up, like the nodes. */
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

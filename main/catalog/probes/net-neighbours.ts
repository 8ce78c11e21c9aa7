import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../read-text.ts'
import { inOrder, isContainerEnd } from '../steady.ts'

export interface Neighbour {
  readonly address: string
  readonly device: string
  readonly mac: string
  /** The kernel's states, such as REACHABLE or PERMANENT. */
  readonly states: readonly string[]
}
export interface Neighbours {
  readonly neighbours: readonly Neighbour[]
  /** Routers of the default routes. */
  readonly gateways: readonly { readonly address: string; readonly device: string }[]
}

const MOST = 20_000

/** ip-neighbor(8), ip-route(8). Only what the kernel has already learnt is read: nothing is sent. */
export const netNeighbours = defineProbe({
  id: 'net.neighbours',
  title: 'Network neighbors and gateway',
  why: 'The hardware address of the gateway can distinguish a switch from a hypervisor’s software bridge.',
  ignoredInDrift: {
    why: 'The kernel removes neighbors that were inactive for a while; only static entries are compared.',
    normalize: ({ neighbours, gateways }: Neighbours) => ({
      gateways: inOrder(gateways),
      permanent: inOrder(
        neighbours.filter(({ states, device }) => states.includes('PERMANENT') && !isContainerEnd(device)),
      ),
    }),
  },
  commands: {
    neighbours: run(['ip', '-j', 'neigh', 'show']),
    routes: run(['ip', '-j', 'route', 'show', 'default']),
    routes6: run(['ip', '-6', '-j', 'route', 'show', 'default']),
  },
  parse({ neighbours, routes, routes6 }): Parsed<Neighbours> {
    if (neighbours.exitCode !== 0) return unknown('ip did not list the neighbors')
    // A kernel without IPv6 refuses the second list of routes; the first is always there.
    if (routes.exitCode !== 0) return unknown('ip did not list the default routes')
    const [near, ways, ways6] = [
      rows(neighbours.text),
      rows(routes.text),
      routes6.exitCode === 0 ? rows(routes6.text) : [],
    ]
    if (near === null || ways === null || ways6 === null) return unknown('the output of ip is not the expected JSON')
    if (near.length > MOST) return unknown(`ip listed more than ${MOST} neighbors`)
    return known<Neighbours>({
      neighbours: near.flatMap((row) => {
        const [address, device, mac] = [asText(row.dst), asText(row.dev), asText(row.lladdr)]
        // Without a hardware address no one responded there.
        return address === null || device === null || mac === null
          ? []
          : [
              {
                address,
                device,
                mac: mac.toLowerCase(),
                states: asList(row.state).flatMap((state) => asText(state) ?? []),
              },
            ]
      }),
      gateways: [...ways, ...ways6].flatMap(gatewaysOf),
    })
  },
})

type Row = { readonly [key: string]: JsonValue }

/** Rows of an ip response; older versions print nothing instead of an empty list. Null where it is none. */
function rows(text: string): readonly Row[] | null {
  if (text.trim() === '') return []
  const document = readJson(text, 'ip')
  return document.ok && Array.isArray(document.fact) ? document.fact.map(asRecord) : null
}

/** A default route has one gateway, or several with a weight each. */
function gatewaysOf(row: Row): Neighbours['gateways'] {
  return [row, ...asList(row.nexthops).slice(0, 64).map(asRecord)].flatMap((hop) => {
    const address = asText(hop.gateway) ?? asText(asRecord(hop.via).host)
    const device = asText(hop.dev) ?? asText(row.dev)
    return address === null || device === null ? [] : [{ address, device }]
  })
}

import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import {
  asCount,
  asList,
  asRecord,
  asText,
  inOrder,
  isContainerEnd,
  type JsonValue,
  readJson,
} from '../../base/read-text.ts'

export interface NetLink {
  readonly name: string
  /** The kind of virtual interface, such as vxlan, bridge or bond; empty for devices. */
  readonly kind: string
  readonly mtu: number | null
  readonly mac: string
  /** The address burnt into the device, where it differs from the one in use and ip states this. */
  readonly permanentMac: string | null
  readonly isUp: boolean
  /** For overlays, the number of the virtual network. */
  readonly networkId: number | null
  /** Virtual functions that this adapter has switched on and configured, as ip lists them. */
  readonly virtualFunctions: number
}

export interface NetLinks {
  readonly links: readonly NetLink[]
}

/** A host of containers has some hundreds; a larger response is not read. */
const MOST = 20_000

/** ip-link(8), iproute2's JSON. It holds no keys: those of tunnels have commands of their own. */
export const netLinks = defineProbe({
  id: 'net.links',
  title: 'Kinds of network interfaces',
  why: 'Shows overlays, tunnels, bridges and taps, and addresses that differ from an adapter’s permanent address.',
  ignoredInDrift: {
    why: 'Container interfaces appear and disappear with their containers, and software interfaces have random addresses. Not detected: an interface created or named like a container interface.',
    normalize: ({ links }: NetLinks) => ({
      links: inOrder(
        links
          .filter(({ name, kind }) => kind !== 'veth' && !isContainerEnd(name))
          .map(({ mac, ...link }) => (link.kind === '' ? { ...link, mac } : link)),
      ),
    }),
  },
  commands: { links: run(['ip', '-d', '-j', 'link', 'show'], { maxBytes: 8 * 1024 * 1024 }) },
  parse({ links }) {
    if (links.exitCode !== 0) return unknown('ip did not list the interfaces')
    const document = readJson(links.text, 'ip')
    if (!document.ok) return document
    const rows = asList(document.fact).map(asRecord)
    if (rows.length > MOST) return unknown(`ip listed more than ${MOST} interfaces`)
    const named = rows.filter((row) => asText(row.ifname) !== null)
    return named.length === 0 ? unknown('ip listed no interface') : known<NetLinks>({ links: named.map(readLink) })
  },
})

function readLink(row: { readonly [key: string]: JsonValue }): NetLink {
  const info = asRecord(row.linkinfo)
  const data = asRecord(info.info_data)
  return {
    name: asText(row.ifname) ?? '',
    kind: asText(info.info_kind) ?? '',
    mtu: asCount(row.mtu),
    mac: asText(row.address) ?? '',
    permanentMac: asText(row.permaddr),
    isUp: asList(row.flags).includes('UP'),
    networkId: asCount(data.id) ?? asCount(data.vni),
    virtualFunctions: asList(row.vfinfo_list).length,
  }
}

export interface Route {
  /** A prefix such as 10.0.0.0/8, one address, or `default`. */
  readonly to: string
  /** Null where the destination is on the link itself. */
  readonly via: string | null
  readonly device: string | null
  /** blackhole, unreachable or prohibit, where the kernel drops the traffic; null for routes that lead somewhere. */
  readonly drops: string | null
}

export interface Routes {
  readonly ipv4: readonly Route[]
  readonly ipv6: readonly Route[]
}

/** A host with the whole Internet table has about a million; a larger response than this is not read. */
const MOST_ROUTES = 50_000

const DROPPING = ['blackhole', 'unreachable', 'prohibit'] as const

/** ip-route(8), iproute2's JSON: the main table. Tables of policy routing are not in it. */
export const netRoutes = defineProbe({
  id: 'net.routes',
  title: 'Routes',
  why: 'Shows which networks the server reaches, and through which gateway and interface.',
  ignoredInDrift: {
    why: 'Routes to containers appear and disappear with them; the order of equal routes has no meaning. Not detected: a route added through a container interface.',
    normalize: ({ ipv4, ipv6 }: Routes) => {
      const lasting = (routes: readonly Route[]): readonly Route[] =>
        inOrder(routes.filter(({ device }) => device === null || !isContainerEnd(device)))
      return { ipv4: lasting(ipv4), ipv6: lasting(ipv6) }
    },
  },
  commands: {
    ipv4: run(['ip', '-j', 'route', 'show']),
    ipv6: run(['ip', '-j', '-6', 'route', 'show']),
  },
  parse({ ipv4, ipv6 }) {
    const [four, six] = [readRoutes(ipv4), readRoutes(ipv6)]
    if (!four.ok) return four
    if (!six.ok) return six
    return known<Routes>({ ipv4: four.fact, ipv6: six.fact })
  },
})

function readRoutes({ exitCode, text }: Answer): Parsed<readonly Route[]> {
  if (exitCode !== 0) return unknown('ip did not list the routes as JSON')
  // iproute2 prints nothing at all, or an empty list, where a family has no route.
  if (text.trim() === '') return known([])
  const document = readJson(text, 'ip')
  if (!document.ok) return document
  if (!Array.isArray(document.fact)) return unknown('the output of ip has an unexpected format')
  const rows = asList(document.fact).map(asRecord)
  if (rows.length > MOST_ROUTES) return unknown(`ip listed more than ${MOST_ROUTES} routes`)
  return known(
    rows.flatMap((row) => {
      const to = asText(row.dst)
      if (to === null) return []
      const hops = asList(row.nexthops).map(asRecord)
      const nexts = hops.length > 0 ? hops : [row]
      return nexts.map(
        (next): Route => ({
          to,
          via: asText(next.gateway) ?? asText(asRecord(next.via).host),
          device: asText(next.dev),
          drops: DROPPING.find((kind) => kind === row.type) ?? null,
        }),
      )
    }),
  )
}

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

/** Rows of an ip answer; older versions print nothing instead of an empty list. Null for anything else. */
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

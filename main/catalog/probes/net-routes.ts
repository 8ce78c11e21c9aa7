import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, readJson } from '../read-text.ts'
import { inOrder, isContainerEnd } from '../steady.ts'

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
const MOST = 50_000

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
  if (rows.length > MOST) return unknown(`ip listed more than ${MOST} routes`)
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

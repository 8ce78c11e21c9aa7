import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../read-text.ts'
import { inOrder, isContainerEnd } from '../steady.ts'

export interface NetLink {
  readonly name: string
  /** What made it, such as vxlan, bridge or bond; empty for devices. */
  readonly kind: string
  readonly mtu: number | null
  readonly mac: string
  /** The address burnt into the device, where it differs from the one in use and ip states this. */
  readonly permanentMac: string | null
  readonly isUp: boolean
  /** Of overlays: the number of the virtual network. */
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

const whole = (value: JsonValue | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

function readLink(row: { readonly [key: string]: JsonValue }): NetLink {
  const info = asRecord(row.linkinfo)
  const data = asRecord(info.info_data)
  return {
    name: asText(row.ifname) ?? '',
    kind: asText(info.info_kind) ?? '',
    mtu: whole(row.mtu),
    mac: asText(row.address) ?? '',
    permanentMac: asText(row.permaddr),
    isUp: asList(row.flags).includes('UP'),
    networkId: whole(data.id) ?? whole(data.vni),
    virtualFunctions: asList(row.vfinfo_list).length,
  }
}

import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'

export interface TunnelInterface {
  readonly name: string
  readonly up: boolean
}

export interface VpnInterfaces {
  readonly wireguard: readonly TunnelInterface[]
}

/** Existence only: `wg show … dump` would print private and preshared keys. */
export const vpnInterfaces = defineProbe({
  id: 'network.vpn-interfaces',
  title: 'WireGuard tunnels',
  why: 'Records encrypted tunnels that traffic may take. No keys are shown by this command.',
  commands: { wireguard: run(['ip', '-d', '-j', 'link', 'show', 'type', 'wireguard']) },
  parse: ({ wireguard }) =>
    wireguard.exitCode === 0 ? parseTunnels(wireguard.text) : unknown('ip did not list the tunnels'),
})

/** Reads `ip -j link show` (ip-link(8)); older versions print nothing when there is no such interface. */
export function parseTunnels(text: string): Parsed<VpnInterfaces> {
  const links = parseLinks(text)
  if (links === null) return unknown('the answer of ip is not the expected JSON')
  const wireguard = links.map((link) => ({ name: link.name, up: link.flags.includes('UP') }))
  return known({ wireguard })
}

export interface IpLink {
  readonly name: string
  readonly flags: readonly string[]
  /** linkinfo.info_data as ip printed it. */
  readonly data: Readonly<Record<string, unknown>>
}

/** The links of an `ip -d -j link` answer, or null when it is not one. Empty objects, which ip prints for filtered links, are left out. */
export function parseLinks(text: string): readonly IpLink[] | null {
  if (text.trim() === '') return []
  const document = parseJson(text)
  if (!Array.isArray(document)) return null
  const links: IpLink[] = []
  for (const entry of document) {
    if (!isRecord(entry)) return null
    if (Object.keys(entry).length === 0) continue
    if (typeof entry.ifname !== 'string') return null
    const info = isRecord(entry.linkinfo) ? entry.linkinfo.info_data : undefined
    links.push({
      name: entry.ifname,
      flags: Array.isArray(entry.flags) ? entry.flags.filter((flag) => typeof flag === 'string') : [],
      data: isRecord(info) ? info : {},
    })
  }
  return links
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

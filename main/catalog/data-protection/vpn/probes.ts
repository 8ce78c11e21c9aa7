import { defineProbe, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { asList, inOrder, isRecord, type JsonValue, kindsOf, lines, readJson } from '../../base/read-text.ts'

interface TunnelInterface {
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

/** Parses `ip -j link show` (ip-link(8)); older versions print nothing where there is no such interface. */
export function parseTunnels(text: string): Parsed<VpnInterfaces> {
  const links = parseLinks(text)
  if (links === null) return unknown('the output of ip is not the expected JSON')
  const wireguard = links.map((link) => ({ name: link.name, up: link.flags.includes('UP') }))
  return known({ wireguard })
}

/** One peer of a WireGuard interface, without its keys. */
export interface WireguardPeer {
  readonly interface: string
  /** Seconds since 1970 by the node's clock; 0 where there was none yet. */
  readonly lastHandshake: number
}

/** wg(8), `latest-handshakes`: interface, the peer's public key, seconds. Never `dump`, which prints private and preshared keys. */
export const wireguardPeers = defineProbe({
  id: 'network.wireguard-peers',
  title: 'Peers of WireGuard tunnels',
  why: 'Shows whether a tunnel has ever been in use. Private and preshared keys are not read.',
  ignoredInDrift: {
    why: 'Peers shake hands every two minutes while there is traffic.',
    normalize: ({ peers }: { readonly peers: readonly WireguardPeer[] }) =>
      inOrder(peers.map((peer) => peer.interface)),
  },
  commands: { handshakes: runAsRoot(['wg', 'show', 'all', 'latest-handshakes']) },
  parse({ handshakes }) {
    if (handshakes.exitCode !== 0) return unknown('wg did not list the peers')
    const peers = lines(handshakes.text).map((line): WireguardPeer | null => {
      const [name = '', , seconds = ''] = line.split('\t')
      return name !== '' && /^\d{1,12}$/.test(seconds) ? { interface: name, lastHandshake: Number(seconds) } : null
    })
    return peers.includes(null)
      ? unknown('the output of wg has an unexpected format')
      : known({ peers: peers.filter((peer) => peer !== null) })
  },
})

export interface IpsecState {
  /** Security associations in the kernel, by protocol and algorithms, without keys. */
  readonly associations: readonly {
    readonly protocol: string
    readonly mode: string
    readonly algorithms: readonly string[]
  }[]
  /** Policies that require protection (those of sockets left out). */
  readonly policies: number
}

/**
 * ip-xfrm(8): `nokeys` prints “<<Keys hidden>>” in the place of each key. An ip without this word
 * takes it for an address, complains, ends with status 255 and lists nothing; so no version prints keys.
 */
export const ipsec = defineProbe({
  id: 'network.ipsec',
  title: 'IPsec associations and policies',
  why: 'Shows which traffic the kernel protects with IPsec, and with which algorithms. The command itself omits keys.',
  ignoredInDrift: {
    why: 'Associations are renewed as their keys expire; only their protection is compared.',
    normalize: ({ associations, policies }: IpsecState) => ({ associations: kindsOf(associations), policies }),
  },
  commands: {
    states: runAsRoot(['ip', 'xfrm', 'state', 'list', 'nokeys']),
    policies: runAsRoot(['ip', 'xfrm', 'policy', 'list']),
  },
  parse({ states, policies }) {
    if (states.exitCode !== 0 || policies.exitCode !== 0)
      return unknown('ip did not list the associations and policies')
    const associations: { protocol: string; mode: string; algorithms: string[] }[] = []
    for (const line of lines(states.text)) {
      const [, protocol, mode = ''] = /^\tproto (\w{1,16})\b.{0,80}?\bmode (\w{1,16})/.exec(line) ?? []
      if (protocol !== undefined) associations.push({ protocol, mode, algorithms: [] })
      const algorithm = /^\t(?:enc|auth-trunc|auth|aead) (\S{1,64})/.exec(line)?.[1]
      if (algorithm !== undefined) associations.at(-1)?.algorithms.push(algorithm)
    }
    const heads = lines(states.text).filter((line) => line.startsWith('src ')).length
    if (heads !== associations.length) return unknown('the list of associations has an unexpected format')
    return known<IpsecState>({
      associations,
      policies: lines(policies.text).filter((line) => /^\tdir (?:in|out|fwd) /.test(line)).length,
    })
  },
})

interface IpLink {
  readonly name: string
  readonly flags: readonly string[]
  /** linkinfo.info_data as ip printed it. */
  readonly data: Readonly<Record<string, JsonValue>>
}

/**
 * The links of an `ip -d -j link` response, or null when it is not one. Empty objects, which ip prints for filtered links, are left out.
 */
export function parseLinks(text: string): readonly IpLink[] | null {
  if (text.trim() === '') return []
  const document = readJson(text, 'ip')
  if (!document.ok || !Array.isArray(document.fact)) return null
  const links: IpLink[] = []
  for (const entry of asList(document.fact)) {
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

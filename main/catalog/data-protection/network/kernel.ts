import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import {
  FIRST_DRAWN_PORT,
  grepIsComplete,
  isContainerEnd,
  lastingSettings,
  oneLineFiles,
} from '../../base/read-text.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'

interface NetworkSysctls {
  /** Path below /proc/sys/net → value, for example ipv4/conf/all/rp_filter. */
  readonly values: ReadonlyMap<string, string>
}

/** Linux Documentation/networking/ip-sysctl.rst. Settings that do not exist (no IPv6) are left out of the response. */
export const sysctlNetwork = defineProbe({
  id: 'sysctl.network',
  title: 'Network settings of the kernel',
  why: 'Shows whether the server accepts forged or redirected traffic, and whether it forwards traffic for others.',
  ignoredInDrift: {
    why: 'Container interfaces have their own settings while they exist.',
    normalize: ({ values }: NetworkSysctls) => ({ values: lastingSettings(values) }),
  },
  commands: {
    values: run([
      'grep',
      '-s',
      '-H',
      '',
      '/proc/sys/net/ipv4/ip_forward',
      '/proc/sys/net/ipv4/tcp_syncookies',
      '/proc/sys/net/ipv4/icmp_echo_ignore_broadcasts',
      '/proc/sys/net/ipv4/ip_local_port_range',
      glob('/proc/sys/net/ipv4/conf/*/accept_source_route'),
      glob('/proc/sys/net/ipv4/conf/*/accept_redirects'),
      glob('/proc/sys/net/ipv4/conf/*/rp_filter'),
      glob('/proc/sys/net/ipv4/conf/*/forwarding'),
      glob('/proc/sys/net/ipv6/conf/*/accept_source_route'),
      glob('/proc/sys/net/ipv6/conf/*/accept_redirects'),
      glob('/proc/sys/net/ipv6/conf/*/disable_ipv6'),
      glob('/proc/sys/net/ipv6/conf/*/forwarding'),
    ]),
  },
  parse({ values }) {
    const read = new Map(
      [...oneLineFiles(values.text)].map(([path, value]) => [path.replace('/proc/sys/net/', ''), value]),
    )
    const core = ['ipv4/ip_forward', 'ipv4/tcp_syncookies', 'ipv4/conf/all/rp_filter', 'ipv4/conf/all/accept_redirects']
    if (core.some((path) => !read.has(path))) return unknown('the kernel’s network settings are not all visible')
    return known<NetworkSysctls>({ values: read })
  },
})

/** The ports that the kernel draws from (ip-sysctl.rst, ip_local_port_range): the default range, and what was chosen beyond it. */
export function drawnRange(sysctl: Parsed<NetworkSysctls>): { readonly first: number; readonly last: number } {
  const chosen = sysctl.ok ? (sysctl.fact.values.get('ipv4/ip_local_port_range') ?? '') : ''
  const [, first, last] = /^(\d{1,5})\s+(\d{1,5})$/.exec(chosen) ?? []
  return {
    first: Math.min(FIRST_DRAWN_PORT, Number(first ?? FIRST_DRAWN_PORT)),
    last: Math.max(LAST_DRAWN_PORT, Number(last ?? LAST_DRAWN_PORT)),
  }
}

const LAST_DRAWN_PORT = 60_999

/** Names of interfaces (and `default`, which new ones inherit) that have any setting of the family. */
const interfacesOf = ({ values }: NetworkSysctls, family: 'ipv4' | 'ipv6'): readonly string[] => [
  ...new Set(
    [...values.keys()].flatMap((path) => {
      const [from, conf, name] = path.split('/')
      return from !== family || conf !== 'conf' || name === undefined || name === 'all' ? [] : [name]
    }),
  ),
]

interface MoreNetworkSysctls {
  /** Path below /proc/sys/net → value, for example ipv4/conf/all/send_redirects. */
  readonly values: ReadonlyMap<string, string>
}

/** Linux Documentation/networking/ip-sysctl.rst: settings that the CIS Benchmarks name beyond those that are evaluated. */
export const sysctlNetworkMore = defineProbe({
  id: 'sysctl.network-more',
  title: 'Further network settings of the kernel',
  why: 'Shows settings that benchmarks name: sending redirects, logging packets with impossible addresses, and taking routes from announcements.',
  ignoredInDrift: {
    why: 'Container interfaces have their own settings while they exist.',
    normalize: ({ values }: MoreNetworkSysctls) => ({ values: lastingSettings(values) }),
  },
  commands: {
    values: run([
      'grep',
      '-H',
      '',
      '/proc/sys/net/ipv4/icmp_ignore_bogus_error_responses',
      glob('/proc/sys/net/ipv4/conf/*/send_redirects'),
      glob('/proc/sys/net/ipv4/conf/*/secure_redirects'),
      glob('/proc/sys/net/ipv4/conf/*/log_martians'),
      glob('/proc/sys/net/ipv6/conf/*/accept_ra'),
    ]),
  },
  parse({ values }) {
    if (!grepIsComplete(values)) return unknown('the kernel’s network settings could not all be read')
    const read = [...oneLineFiles(values.text)].map(
      ([path, value]) => [path.replace('/proc/sys/net/', ''), value] as const,
    )
    return read.length === 0
      ? unknown('the kernel showed none of these settings')
      : known<MoreNetworkSysctls>({ values: new Map(read) })
  },
})

/**
 * Whether the kernel carries IPv6: switched off on every interface, or not there at all (ipv6.disable=1 at the start), when it shows no setting
 * of it. The one reading hides files that it may not read, the other reports them, so that both are needed for that; null where one lacks.
 */
export function ipv6State(
  sysctl: Parsed<NetworkSysctls>,
  more: Parsed<MoreNetworkSysctls>,
): 'on' | 'off' | 'absent' | null {
  if (!sysctl.ok) return null
  const shows = ({ values }: NetworkSysctls): boolean => [...values.keys()].some((path) => path.startsWith('ipv6/'))
  if (!shows(sysctl.fact)) return more.ok ? (shows(more.fact) ? 'on' : 'absent') : null
  const names = ['all', ...interfacesOf(sysctl.fact, 'ipv6')]
  return names.every((name) => sysctl.fact.values.get(`ipv6/conf/${name}/disable_ipv6`) === '1') ? 'off' : 'on'
}

type Family = 'ipv4' | 'ipv6'

export const networkKernelParams = defineCheck({
  id: 'network.kernel-params',
  property: 'operations',
  expected:
    'The kernel refuses source-routed and redirected traffic, checks source addresses, and resists connection floods, on every interface.',
  limitations:
    'These are the values in force now; they can differ after a restart. Forwarding is recorded and not evaluated, because container hosts need it. So are settings that the CIS Benchmarks name but this check does not require: sending redirects, logging packets with impossible addresses, responses to broken error messages, and router announcements.',
  requires: { sysctl: sysctlNetwork },
  optional: { more: sysctlNetworkMore },
  evaluate({ sysctl }, { more }) {
    const value = (path: string): string | undefined => sysctl.values.get(path)
    return decide([
      // ip-sysctl.rst: 1 sends them once the queue is full, 2 always.
      /^[12]$/.test(value('ipv4/tcp_syncookies') ?? '')
        ? supports('SYN cookies are on.', sysctlNetwork)
        : contradicts('SYN cookies are off.', sysctlNetwork),
      ...(value('ipv4/icmp_echo_ignore_broadcasts') === '0'
        ? [contradicts('The node responds to pings to a broadcast address.', sysctlNetwork)]
        : []),
      perInterface(
        sysctl,
        'ipv4',
        acceptsSourceRoute,
        'IPv4 source routing is refused',
        'IPv4 source routing is accepted',
      ),
      perInterface(sysctl, 'ipv4', acceptsRedirects4, 'IPv4 redirects are refused', 'IPv4 redirects are accepted'),
      reversePath(sysctl),
      ...ipv6Steps(sysctl, more),
      supports(
        value('ipv4/ip_forward') === '1'
          ? 'The node forwards IPv4 traffic, as a host of containers or guests does (recorded, not evaluated).'
          : 'The node does not forward IPv4 traffic.',
        sysctlNetwork,
      ),
      ...moreSteps(more),
    ])
  },
})

export const NO_IPV6 = supports('The kernel has no IPv6: it shows none of its settings.', sysctlNetworkMore)

function ipv6Steps(sysctl: NetworkSysctls, more: Parsed<MoreNetworkSysctls>): readonly DraftObservation[] {
  const state = ipv6State(known(sysctl), more)
  if (state === 'absent') return [NO_IPV6]
  if (state === null)
    return [unclear('No setting of IPv6 was read; whether the kernel has IPv6 is not known.', sysctlNetwork)]
  return [
    perInterface(
      sysctl,
      'ipv6',
      acceptsSourceRoute6,
      'IPv6 source routing is refused',
      'IPv6 source routing is accepted',
    ),
    perInterface(sysctl, 'ipv6', acceptsRedirects6, 'IPv6 redirects are refused', 'IPv6 redirects are accepted'),
  ]
}

// CIS Benchmarks for RHEL 9, Ubuntu 24.04 and Debian 13, “Network Kernel Parameters”: setting, value requested, what it means where it
// differs.
const ASKED: readonly (readonly [string, string, string])[] = [
  ['send_redirects', '0', 'redirects are sent'],
  ['secure_redirects', '0', 'redirects of listed gateways are taken'],
  ['log_martians', '1', 'packets with impossible addresses are not logged'],
  ['accept_ra', '0', 'router announcements are taken'],
]

/** Differences from the benchmarks, as a record: the interfaces with each difference. */
function moreSteps(more: Parsed<MoreNetworkSysctls>): readonly DraftObservation[] {
  if (!more.ok)
    return [supports(`Further settings were not read: ${more.reason} (they are not evaluated).`, sysctlNetworkMore)]
  const { values } = more.fact
  const found = ASKED.flatMap(([setting, asked, meaning]) => {
    const names = [...values].flatMap(([path, value]) => {
      const [, conf, name = '', key] = path.split('/')
      return conf === 'conf' && key === setting && name !== 'lo' && value !== asked ? [name] : []
    })
    return names.length === 0 ? [] : [`${meaning} on ${named(names, 5)}`]
  })
  const bogus = values.get('ipv4/icmp_ignore_bogus_error_responses') === '0' ? ['broken error messages are logged'] : []
  const all = [...found, ...bogus]
  return [
    supports(
      all.length === 0
        ? 'The further settings that the CIS Benchmarks name have the recommended values.'
        : `Different from the CIS Benchmarks (recorded, not evaluated): ${all.join('; ')}.`,
      sysctlNetworkMore,
    ),
  ]
}

type Weak = (read: (name: string, setting: string) => string | undefined, name: string) => boolean

// ip-sysctl.rst: how the value for all interfaces and the one of the interface combine. A value that is missing counts as weak.
const acceptsSourceRoute: Weak = (read, name) =>
  read('all', 'accept_source_route') !== '0' && read(name, 'accept_source_route') !== '0'
const acceptsRedirects4: Weak = (read, name) => {
  const [all, own] = [read('all', 'accept_redirects') !== '0', read(name, 'accept_redirects') !== '0']
  return read(name, 'forwarding') === '1' ? all && own : all || own
}

const lacksReversePath: Weak = (read, name) =>
  !(Math.max(Number(read('all', 'rp_filter')), Number(read(name, 'rp_filter'))) >= 1)
// IPv6: a negative value refuses, zero accepts only type 2 headers (mobile IPv6); the interface's own value decides.
const acceptsSourceRoute6: Weak = (read, name) => !(Number(read(name, 'accept_source_route')) <= 0)
const acceptsRedirects6: Weak = (read, name) =>
  read(name, 'accept_redirects') !== '0' && read(name, 'forwarding') !== '1'

/**
 * Interfaces created by a container network. Cilium switches the check off itself (99-zzz-override_cilium.conf) and
 * has its own.
 */
const isOfContainers = (name: string): boolean => isContainerEnd(name) || /^(lxc_health|cilium_\w{1,11})$/.test(name)

function reversePath(sysctl: NetworkSysctls): DraftObservation {
  const open = weakInterfaces(sysctl, 'ipv4', lacksReversePath)
  return open !== null && open.length > 0 && open.every(isOfContainers)
    ? unclear(
        `Source addresses are checked except on interfaces of a container network, whose own checks were not read: ${named(open)}.`,
        sysctlNetwork,
      )
    : perInterface(sysctl, 'ipv4', lacksReversePath, 'Source addresses are checked', 'Source addresses are not checked')
}

/** Interfaces on which a setting is weak; null where none was listed. */
function weakInterfaces(sysctl: NetworkSysctls, family: Family, weak: Weak): readonly string[] | null {
  const read = (name: string, key: string): string | undefined => sysctl.values.get(`${family}/conf/${name}/${key}`)
  // Loopback carries no traffic from outside; an interface without IPv6 accepts none.
  const all = interfacesOf(sysctl, family).filter((name) => name !== 'lo')
  // The kernel always has the settings that new interfaces inherit: without them the response is not whole.
  return all.length === 0 ? null : all.filter((name) => read(name, 'disable_ipv6') !== '1' && weak(read, name))
}

function perInterface(sysctl: NetworkSysctls, family: Family, weak: Weak, good: string, bad: string): DraftObservation {
  const open = weakInterfaces(sysctl, family, weak)
  if (open === null) return unclear(`${good}: no interface was listed to show it.`, sysctlNetwork)
  return open.length === 0
    ? supports(`${good} on every interface.`, sysctlNetwork)
    : contradicts(`${bad} on ${named(open)}.`, sysctlNetwork)
}

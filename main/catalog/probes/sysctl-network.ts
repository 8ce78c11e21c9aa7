import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { oneLineFiles } from '../read-text.ts'
import { lastingSettings } from '../steady.ts'

export interface NetworkSysctls {
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

/** Names of interfaces (and `default`, which new ones inherit) that have any setting of the family. */
export const interfacesOf = ({ values }: NetworkSysctls, family: 'ipv4' | 'ipv6'): readonly string[] => [
  ...new Set(
    [...values.keys()].flatMap((path) => {
      const [from, conf, name] = path.split('/')
      return from !== family || conf !== 'conf' || name === undefined || name === 'all' ? [] : [name]
    }),
  ),
]

import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, oneLineFiles } from '../read-text.ts'
import { lastingSettings } from '../steady.ts'

export interface MoreNetworkSysctls {
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

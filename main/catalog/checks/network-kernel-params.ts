import { defineCheck, type Step } from '../../core/check.ts'
import { interfacesOf, type NetworkSysctls, sysctlNetwork } from '../probes/sysctl-network.ts'
import { named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

type Family = 'ipv4' | 'ipv6'

export const networkKernelParams = defineCheck({
  id: 'network.kernel-params',
  property: 'integrity',
  claim:
    'The kernel refuses source-routed and redirected traffic, checks source addresses, and resists connection floods, on every interface.',
  limits:
    'These are the values in force now; they can differ after a restart. Forwarding is recorded and not judged, because container hosts need it.',
  needs: { sysctl: sysctlNetwork },
  evaluate({ sysctl }) {
    const value = (path: string): string | undefined => sysctl.values.get(path)
    const single = (path: string, expected: string, good: string, bad: string): Step =>
      value(path) === expected ? speaksFor(good, sysctlNetwork) : speaksAgainst(bad, sysctlNetwork)
    return weigh([
      single('ipv4/tcp_syncookies', '1', 'SYN cookies are on.', 'SYN cookies are off.'),
      perInterface(
        sysctl,
        'ipv4',
        acceptsSourceRoute,
        'IPv4 source routing is refused',
        'IPv4 source routing is accepted',
      ),
      perInterface(sysctl, 'ipv4', acceptsRedirects4, 'IPv4 redirects are refused', 'IPv4 redirects are accepted'),
      perInterface(
        sysctl,
        'ipv4',
        lacksReversePath,
        'Source addresses are checked',
        'Source addresses are not checked',
      ),
      ...(value('ipv6/conf/all/accept_redirects') === undefined
        ? []
        : [
            perInterface(
              sysctl,
              'ipv6',
              acceptsSourceRoute6,
              'IPv6 source routing is refused',
              'IPv6 source routing is accepted',
            ),
            perInterface(
              sysctl,
              'ipv6',
              acceptsRedirects6,
              'IPv6 redirects are refused',
              'IPv6 redirects are accepted',
            ),
          ]),
      speaksFor(
        value('ipv4/ip_forward') === '1'
          ? 'The node forwards IPv4 traffic (recorded, not judged).'
          : 'The node does not forward IPv4 traffic.',
        sysctlNetwork,
      ),
    ])
  },
})

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

function perInterface(sysctl: NetworkSysctls, family: Family, weak: Weak, good: string, bad: string): Step {
  const read = (name: string, key: string): string | undefined => sysctl.values.get(`${family}/conf/${name}/${key}`)
  // Loopback carries no traffic from outside; an interface without IPv6 accepts none.
  const names = interfacesOf(sysctl, family).filter((name) => name !== 'lo' && read(name, 'disable_ipv6') !== '1')
  const open = names.filter((name) => weak(read, name))
  return open.length === 0
    ? speaksFor(`${good} on every interface.`, sysctlNetwork)
    : speaksAgainst(`${bad} on ${named(open)}.`, sysctlNetwork)
}

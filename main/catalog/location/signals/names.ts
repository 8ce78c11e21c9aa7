import { quote } from '../../../core/plain-text.ts'
import type { Parsed } from '../../../core/probe.ts'
import { type DnsSearch, dnsSearch } from '../../probes/dns-search.ts'
import { type HostIdentity, hostIdentity } from '../../probes/host-identity.ts'
import { type Found, hinted } from '../found.ts'
import { countryInName } from '../place-names.ts'

/** Names of the host and of its domains, where they hold the code of a city. Anyone can choose them. */
export function nameSignals(host: Parsed<HostIdentity>, search: Parsed<DnsSearch>): readonly Found[] {
  const hostname = host.ok ? host.fact.hostname : ''
  const own = countryInName(hostname)
  const domains = search.ok ? search.fact.domains.flatMap((domain) => ({ domain, found: countryInName(domain) })) : []
  const theirs = domains.flatMap(({ domain, found }) => (found === null ? [] : [{ domain, ...found }]))
  const [first] = theirs
  const agreed = first !== undefined && theirs.every(({ country }) => country === first.country)
  return [
    ...(own === null
      ? []
      : [
          hinted(
            'host-name',
            own.country,
            `The name of the host, ${quote(hostname)}, holds ${own.code.toUpperCase()}, a place in ${own.country}.`,
            hostIdentity,
          ),
        ]),
    ...(!agreed
      ? []
      : [
          hinted(
            'dns-search',
            first.country,
            `Names are looked up in ${quote(first.domain)}, which holds ${first.code.toUpperCase()}, a place in ${first.country}.`,
            dnsSearch,
          ),
        ]),
  ]
}

import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, lines } from '../read-text.ts'

export interface DnsSearch {
  /** Domains in which short names are looked up. */
  readonly domains: readonly string[]
}

/** resolv.conf(5). */
export const dnsSearch = defineProbe({
  id: 'net.dns-search',
  title: 'DNS search domains',
  why: 'Domain names of networks often contain the location of a data center. This is a hint only; it decides nothing.',
  commands: { lines: run(['grep', '-E', '^[ \t]*(search|domain)[ \t]', '/etc/resolv.conf'], { maxBytes: 65536 }) },
  parse(answers) {
    if (!grepIsComplete(answers.lines)) return unknown('the settings of name resolution could not be read')
    // The last of these lines counts.
    const [, ...domains] = (lines(answers.lines.text).at(-1) ?? '').trim().split(/[ \t]+/)
    return known<DnsSearch>({ domains: domains.slice(0, 32).map((domain) => domain.slice(0, 255)) })
  },
})

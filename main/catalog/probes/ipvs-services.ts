import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

/** A virtual service: what arrives at it is handed to other machines, or to other network namespaces. */
export interface VirtualService {
  /** Such as "tcp 10.0.0.1:443", or the mark of the packets that it takes. */
  readonly name: string
}
export interface VirtualServices {
  readonly services: readonly VirtualService[]
}

const TABLE = '/proc/net/ip_vs'

/**
 * Load balancing in the kernel (IPVS; net/netfilter/ipvs/ip_vs_ctl.c, ip_vs_info_seq_show): Kubernetes can use it for its services. No
 * process listens there. Without the module there is no table.
 */
export const ipvsServices = defineProbe({
  id: 'ipvs.services',
  title: 'Ports load-balanced by the kernel to other machines',
  why: 'Shows ports that other machines reach although no program on this server listens there.',
  commands: { table: run(['cat', TABLE], { needsPath: [TABLE] }) },
  parse({ table }) {
    if (isAbsent(table)) return known<VirtualServices>({ services: [] })
    const [head = '', columns = '', ...rows] = lines(table.text)
    if (table.exitCode !== 0 || !head.startsWith('IP Virtual Server version') || !columns.startsWith('Prot '))
      return unknown('the table of virtual services has an unexpected format')
    const services: VirtualService[] = []
    // The line that names the columns of destinations begins as they do.
    for (const row of rows.filter((line) => !/^ {2}-> /.test(line))) {
      const name = serviceIn(row)
      if (name === null) return unknown('the table of virtual services has an unexpected format')
      services.push({ name })
    }
    return known<VirtualServices>({ services })
  },
})

/** Addresses and ports are hexadecimal, IPv6 addresses in square brackets; FWM is the mark that a firewall put on packets. */
function serviceIn(row: string): string | null {
  const mark = /^FWM {2}([0-9A-F]{8}) /.exec(row)?.[1]
  if (mark !== undefined) return `mark ${Number.parseInt(mark, 16)}`
  const [, protocol, v4, v6, port] =
    /^(TCP|UDP|SCTP) +(?:([0-9A-F]{8})|\[([0-9a-f:.]{2,45})\]):([0-9A-F]{4}) /.exec(row) ?? []
  if (protocol === undefined || port === undefined) return null
  const address =
    v4 === undefined ? `[${v6}]` : (v4.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
  return `${protocol.toLowerCase()} ${address}:${Number.parseInt(port, 16)}`
}

import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface Connections {
  readonly tcp: readonly { readonly peer: string; readonly port: number; readonly unsentBytes: number }[]
}

/** ss(8): established TCP connections without process names. Needed to see that a configured log target is in use. */
export const networkConnections = defineProbe({
  id: 'network.connections',
  title: 'Established network connections',
  why: 'Shows whether a configured service, such as a log receiver, is connected at this moment. No content is read.',
  commands: { tcp: run(['ss', '-H', '-t', '-n', 'state', 'established']) },
  parse({ tcp }) {
    if (tcp.exitCode !== 0) return unknown('the connections could not be listed')
    const read = lines(tcp.text).map((line) => {
      const [, unsent = '', , peer = ''] = line.trim().split(/\s+/)
      const [, address, port] = /^(.*):(\d{1,5})$/.exec(peer) ?? []
      return address === undefined || !/^\d{1,12}$/.test(unsent)
        ? null
        : { peer: address, port: Number(port), unsentBytes: Number(unsent) }
    })
    if (read.includes(null)) return unknown('the answer of ss has another form')
    return known<Connections>({ tcp: read.filter((connection) => connection !== null) })
  },
})

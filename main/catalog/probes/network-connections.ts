import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface Connections {
  readonly tcp: readonly {
    readonly peer: string
    readonly port: number
    readonly unsentBytes: number
    /** Address and port at this end. */
    readonly local: { readonly address: string; readonly port: number }
  }[]
}

/** ss(8): established TCP connections without process names. Needed to see that a configured log target is in use. */
export const networkConnections = defineProbe({
  id: 'network.connections',
  title: 'Established network connections',
  why: 'Shows whether a configured service, such as a log receiver, is connected at this moment. No content is read.',
  ignoredInDrift: {
    why: 'Connections open and close continuously. Not detected: the peers of the node.',
    normalize: () => null,
  },
  commands: { tcp: run(['ss', '-H', '-t', '-n', 'state', 'established']) },
  parse({ tcp }) {
    if (tcp.exitCode !== 0) return unknown('the connections could not be listed')
    const read = lines(tcp.text).map((line) => {
      const [, unsent = '', near = '', peer = ''] = line.trim().split(/\s+/)
      const [, address, port] = SOCKET.exec(peer) ?? []
      const [, own, ownPort] = SOCKET.exec(near) ?? []
      return address === undefined || own === undefined || !/^\d{1,12}$/.test(unsent)
        ? null
        : {
            peer: address,
            port: Number(port),
            unsentBytes: Number(unsent),
            local: { address: own, port: Number(ownPort) },
          }
    })
    if (read.includes(null)) return unknown('the output of ss has an unexpected format')
    return known<Connections>({ tcp: read.filter((connection) => connection !== null) })
  },
})

const SOCKET = /^(.*):(\d{1,5})$/

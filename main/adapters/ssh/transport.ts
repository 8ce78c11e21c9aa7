import { setMaxListeners } from 'node:events'
import { fail } from '../../core/failure.ts'
import type { ConnectTarget, Transport } from '../../core/ports.ts'
import { loadTrust, onlyAuthorities } from './host-key.ts'
import { needsSystemClient } from './login.ts'
import { findSsh } from './openssh-config.ts'
import { createOpensshTransport } from './openssh-transport.ts'
import { createPacer, type Pacing } from './pacing.ts'
import { createSsh2Transport } from './ssh2-transport.ts'

/**
 * Both SSH clients behind one port, paced. A node names its client; `auto` is ssh2, except where only the system ssh
 * program can do it (certificates, hardware keys, host certificates), or where ssh2 finds no common algorithm. That
 * second connection is not a second login: the first ended in the key exchange.
 */
export function createTransport(pacing: Partial<Pacing> = {}): Transport {
  const ssh2 = createSsh2Transport()
  const openssh = createOpensshTransport()
  const pacer = createPacer(pacing)

  // The system's program reports nothing before it is through, and a person may have to touch a key meanwhile.
  const bySystem = (
    target: ConnectTarget,
    signal: AbortSignal,
    heard: () => void,
  ): ReturnType<Transport['connect']> => {
    heard()
    return openssh.connect(target, signal)
  }
  const choose = async (
    target: ConnectTarget,
    signal: AbortSignal,
    heard: () => void,
  ): ReturnType<Transport['connect']> => {
    if (target.transport === 'openssh') return await bySystem(target, signal, heard)
    if (target.transport === 'ssh2') return await ssh2.connect(target, signal, heard)
    const why = await whyOpenssh(target)
    if (why !== null) {
      if (findSsh() === null) return fail('ssh.client-missing', why)
      return await bySystem(target, signal, heard)
    }
    const first = await ssh2.connect(target, signal, heard)
    if (first.ok || first.error.code !== 'ssh.no-common-algorithm' || findSsh() === null) return first
    return await bySystem(target, signal, heard)
  }
  return {
    connect: (target, signal) => {
      // One signal stops a whole fleet; Node would warn of a leak at eleven listeners.
      setMaxListeners(0, signal)
      return pacer.run(target, signal, (heard) => choose(target, signal, heard))
    },
  }
}

/** What about a target, or one of its jump hosts, requires the system ssh program; null when ssh2 is enough. */
async function whyOpenssh(target: ConnectTarget): Promise<string | null> {
  for (const hop of [...target.jumps, target]) {
    const trust = await loadTrust(hop.trust)
    if (trust.ok && onlyAuthorities(trust.value, hop.node.address, hop.node.port))
      return 'only a certificate authority is on record for the host key'
    const credentials = await needsSystemClient(hop.credentials)
    if (credentials !== null) return credentials
    if (hop.transport === 'openssh') return `${hop.node.name} selects the system ssh program`
  }
  return null
}

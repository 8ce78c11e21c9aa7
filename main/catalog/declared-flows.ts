import type { DeclaredFlow } from '../../schemas/types.ts'
import type { DraftObservation } from '../core/check.ts'
import { plain, quote } from '../core/plain-text.ts'
import type { Parsed } from '../core/probe.ts'
import { isKnownSuite, suiteWeakness } from '../core/tls/suites.ts'
import { argueListener, seenAt } from './clear-listeners.ts'
import { type Listener, networkListeners } from './probes/listeners.ts'
import { type SshServer, type SshServers, sshServers } from './probes/ssh-servers.ts'
import { type TlsListeners, type TlsPort, tlsListeners } from './probes/tls-listeners.ts'
import { type IpsecState, ipsec, type VpnInterfaces, vpnInterfaces } from './probes/vpn-interfaces.ts'
import { supports, unclear } from './steps.ts'
import { socketName } from './tls-reading.ts'
import { targetOf } from './tls-targets.ts'

/** What shows whether a socket is protected. */
export interface FlowEvidence {
  readonly tls: Parsed<TlsListeners>
  readonly ssh: Parsed<SshServers>
  readonly vpn: Parsed<VpnInterfaces>
  readonly associations: Parsed<IpsecState>
}

/** RoCE v2 (IBTA Annex A17): the packets of a fabric, which a documented boundary decision has to cover. */
export const isFabricPort = ({ protocol, port }: Pick<Listener, 'protocol' | 'port'>): boolean =>
  protocol === 'udp' && port === 4791

/**
 * Steps about one declared flow: one for each socket at its port. Only what was observed counts for it: a response of TLS (RFC 8446, 5246),
 * the proposal of an SSH server (RFC 4253), or a binding to a WireGuard interface. That a port is encrypted by convention does not.
 */
export function argueFlow(
  flow: DeclaredFlow,
  listeners: readonly Listener[],
  evidence: FlowEvidence,
  sshPort: number,
): readonly DraftObservation[] {
  const name = `Declared ePHI flow ${quote(flow.name)} (${flow.protocol}/${flow.port})`
  if (isFabricPort(flow))
    return [
      unclear(
        `${name} is RDMA over a fabric, which this check does not decide; the documented boundary decision for the fabric has to cover it.`,
        null,
      ),
    ]
  const own = listeners.filter(({ protocol, port }) => protocol === flow.protocol && port === flow.port)
  const reachable = own.filter(({ loopback }) => !loopback)
  if (own.length === 0)
    return [unclear(`${name}: no socket listens on this port, so its protection was not observed.`, networkListeners)]
  if (reachable.length === 0)
    return [
      unclear(
        `${name}: only the loopback interface is listened on, so how other machines reach it was not observed.`,
        networkListeners,
      ),
    ]
  return reachable.map((listener) => argueSocket(name, listener, evidence, sshPort))
}

function argueSocket(name: string, listener: Listener, evidence: FlowEvidence, sshPort: number): DraftObservation {
  const seen = seenAt(evidence.tls, listener)
  const where = `${name}: ${socketName(listener)}`
  const tunnel = tunnelOf(listener, evidence.vpn)
  // socket(7), SO_BINDTODEVICE: only packets that arrive by that interface are taken.
  if (tunnel !== null)
    return supports(`${where} is bound to the WireGuard interface ${quote(tunnel)}, which is up.`, vpnInterfaces)
  if (seen?.outcome === 'tls') return argueTls(where, seen)
  const server = listener.protocol === 'tcp' ? sshAt(evidence.ssh, listener) : null
  if (server !== null && server.offer !== null)
    return server.isMixed
      ? unclear(`${where}: one connection reached another SSH server than the next.`, sshServers)
      : supports(`${where} responded with the SSH key exchange${versionOf(server)}.`, sshServers)
  if (seen?.says === 'ssh') return supports(`${where} responded as SSH, which is encrypted.`, tlsListeners)
  const step = argueListener(listener, seen, sshPort)
  const text = `${name}: ${step.text}`
  if (step.direction === 'contradicts')
    return mayUseIpsec(evidence.associations)
      ? unclear(
          `${text} The kernel holds IPsec policies and encrypting associations; whether they cover this flow is not read.`,
          ipsec,
        )
      : { ...step, text }
  return step.direction === 'unclear' ? { ...step, text } : unclear(`${text} That was not observed.`, networkListeners)
}

const versionOf = ({ version }: SshServer): string => (version === '' ? '' : ` (${plain(version, 60)})`)

/** The suites of TLS that NIST SP 800-52 rev. 2 refuses, and versions before 1.2, leave the flow open: `tls-listeners` evaluates them. */
function argueTls(where: string, { accepted }: TlsPort): DraftObservation {
  const sound = accepted.filter(
    ({ version, suite }) => /^TLS 1\.[23]$/.test(version) && isKnownSuite(suite) && suiteWeakness(suite) === null,
  )
  return sound.length > 0
    ? supports(
        `${where} responded with ${[...new Set(sound.map(({ version }) => version))].join(' and ')}.`,
        tlsListeners,
      )
    : unclear(
        `${where} responded with TLS, but chose no version from 1.2 on with a suite that NIST SP 800-52 allows; encryption.in-transit.tls-listeners tests that.`,
        tlsListeners,
      )
}

/** The WireGuard interface that a socket is bound to, where that is up. */
const tunnelOf = ({ interface: bound }: Listener, vpn: Parsed<VpnInterfaces>): string | null =>
  bound !== null && vpn.ok && vpn.fact.wireguard.some(({ name, up }) => name === bound && up) ? bound : null

/** Whether some traffic is encrypted by IPsec: associations with ESP and a cipher other than the null cipher (RFC 4303, RFC 2410, RFC 4543). */
const mayUseIpsec = (state: Parsed<IpsecState>): boolean =>
  state.ok &&
  state.fact.policies > 0 &&
  state.fact.associations.some(
    ({ protocol, algorithms }) =>
      protocol === 'esp' && !algorithms.some((one) => /cipher_null|digest_null|rfc4543/.test(one)),
  )

/** The SSH server that was heard at a socket; by the other family where a service listens on all addresses of both. */
function sshAt(ssh: Parsed<SshServers>, listener: Listener): SshServer | null {
  if (!ssh.ok) return null
  const { host, port } = targetOf(listener)
  for (const one of host === '::1' ? [host, '127.0.0.1'] : [host]) {
    const at = (found: { readonly host: string; readonly port: number }): boolean =>
      found.host === one && found.port === port
    if (ssh.fact.passed.some(at)) return null
    const server = ssh.fact.servers.find(at)
    if (server !== undefined) return server
  }
  return null
}

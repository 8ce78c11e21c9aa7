import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { isKnownSuite, isStaticRsa, suiteName, suiteWeakness } from '../../core/tls/suites.ts'
import { conventionOf } from '../port-conventions.ts'
import { listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { type AcceptedTls, type TlsPort, tlsListeners } from '../probes/tls-listeners.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import { type ReachablePort, reachablePorts, whyUnobserved } from '../tls-reading.ts'

export const encryptionInTransitTlsListeners = defineCheck({
  id: 'encryption.in-transit.tls-listeners',
  property: 'encryption-in-transit',
  expected:
    'Every port of this node that responded with TLS supports version 1.2 or later, and accepted no suite that is broken, export-grade or anonymous.',
  limitations:
    'Tested from the node itself, without a host name: a service may treat outside clients, or a host name, differently. Services that begin in clear text and switch to TLS, and UDP services, are not evaluated here; clear-text ports have their own check. The listener on port 22 and on the port of this session is taken for the SSH server. A program that listens on all addresses of both families is tested over IPv4.',
  requires: { sockets: networkListeners, tls: tlsListeners },
  optional: { processes: listenerProcesses },
  evaluate({ sockets, tls }, { processes }, { node }) {
    const ports = reachablePorts(sockets, processes.ok ? processes.fact : null, tls, node.port)
    if (ports.length === 0) {
      const text = `${count(sockets.listeners.length, 'socket')} listed: other than the SSH server, no TCP port can be addressed by other machines.`
      return { verdict: 'not-applicable', observations: [unclear(text, networkListeners)] }
    }
    const spoken = ports.filter(({ seen }) => seen?.outcome === 'tls')
    const because = ports.flatMap(argue)
    if (spoken.length > 0 || because.length > 0) return decide(because)
    const text = `None of ${count(ports.length, 'port')} responded with TLS: ${ports
      .map(({ listener }) => listener.port)
      .slice(0, 12)
      .join(', ')}. Whether they use clear text is tested by another check.`
    return decide([unclear(text, tlsListeners)])
  },
})

/** Steps about one port; none where it plainly uses something else. */
function argue(port: ReachablePort): readonly DraftObservation[] {
  const { name, seen, listener } = port
  const why = whyUnobserved(port)
  if (why !== null) return [unclear(`${name} ${why}.`, tlsListeners)]
  const isExpected = conventionOf('tcp', listener.port)?.kind === 'encrypted'
  if (seen?.outcome !== 'tls') {
    return isExpected ? [unclear(`${name} did not respond with TLS, as expected by convention.`, tlsListeners)] : []
  }
  return argueTls(name, seen)
}

const OLD = ['SSL 3.0', 'TLS 1.0', 'TLS 1.1']

function argueTls(name: string, { accepted, weak, staticRsa, open, isWeakOpen }: TlsPort): readonly DraftObservation[] {
  const old = [...new Set(accepted.filter(({ version }) => OLD.includes(version)).map(({ version }) => version))].sort()
  const refused = [...accepted, ...weak].filter(({ suite }) => suiteWeakness(suite) !== null)
  const unknown = [...accepted, ...weak].filter(({ suite }) => !isKnownSuite(suite))
  const modern = accepted.filter(
    (one) => !OLD.includes(one.version) && !refused.includes(one) && !unknown.includes(one),
  )
  const without = [...staticRsa, ...accepted].find(({ suite }) => isStaticRsa(suite))
  const note =
    without === undefined
      ? ''
      : `; it also takes key exchange by the certificate’s own RSA key (${suiteName(without.suite)}), which gives no forward secrecy`
  return [
    ...(old.length > 0 ? [contradicts(`${name} accepts ${old.join(' and ')}.`, tlsListeners)] : []),
    ...[...new Map(refused.map((one) => [one.suite, one])).values()].map((one) =>
      contradicts(`${name} accepts ${shown(one)}: ${suiteWeakness(one.suite)}.`, tlsListeners),
    ),
    ...(unknown.length > 0
      ? [unclear(`${name} chose ${unknown.map(shown).join(', ')}, which is not listed in this catalog.`, tlsListeners)]
      : []),
    ...(open.length > 0
      ? [unclear(`${name} did not respond on TLS ${[...open].sort().join(', ')}.`, tlsListeners)]
      : []),
    ...(isWeakOpen ? [unclear(`${name} gave no response to an offer of weak suites only.`, tlsListeners)] : []),
    ...(accepted.length === 0
      ? [unclear(`${name} uses TLS and declined every version that was offered.`, tlsListeners)]
      : []),
    ...(modern.length > 0
      ? [supports(`${name} supports ${modern.map(shown).join(' and ')}${note}.`, tlsListeners)]
      : []),
  ]
}

const shown = ({ version, suite }: AcceptedTls): string => `${version} with ${suiteName(suite)}`

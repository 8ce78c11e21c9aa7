import { plain } from '../../../core/base/plain-text.ts'
import { type Conclusion, type Context, type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import type { ThresholdValue } from '../../../core/rules/profile.ts'
import type { CertificateFields } from '../../../core/tls/certificate-fields.ts'
import { isKnownSuite, isStaticRsa, suiteName, suiteWeakness } from '../../../core/tls/client-hello.ts'
import type { PassedOver } from '../../../core/tls/server-reply.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { conventionOf, FORWARDING, type ForwardingReadings, forwardedSteps } from '../listeners/forwarded.ts'
import { type Listener, type Listeners, listenerProcesses, networkListeners } from '../listeners/probes.ts'
import data from './checks.json' with { type: 'json' }
import {
  type AcceptedTls,
  isSshListener,
  type ObservedPort,
  observedAt,
  reachableTcp,
  type TlsListeners,
  type TlsPort,
  tlsListeners,
} from './probes.ts'

/** A TCP socket that other machines can address, other than the SSH server’s, with what it responded to TLS. */
interface ReachablePort extends ObservedPort {
  readonly listener: Listener
  /** "tcp/443 on 0.0.0.0, process nginx": fit to be in a sentence. */
  readonly name: string
}

export const socketName = ({ protocol, address, interface: bound, port, processes }: Listener): string => {
  const host = address.includes(':') ? `[${address}]` : address
  const by = processes.length === 0 ? '' : `, process ${processes.map((name) => plain(name, 40)).join(', ')}`
  return `${protocol}/${port} on ${plain(host, 60)}${bound === null ? '' : ` (${plain(bound, 20)})`}${by}`
}

export const reachablePorts = (
  sockets: Listeners,
  named: Listeners | null,
  tls: TlsListeners,
  sshPort: number,
): readonly ReachablePort[] =>
  reachableTcp(sockets.listeners, named?.listeners ?? [])
    // A process can give itself any name: by port alone is the SSH server left out.
    .filter((listener) => !isSshListener({ ...listener, processes: [] }, sshPort))
    .map((listener) => ({ listener, name: socketName(listener), ...observedAt(tls, listener) }))

const WHY: Readonly<Record<PassedOver, string>> = {
  ssh: 'it was taken for the SSH server',
  printer: 'printer ports are not contacted',
  job: 'ports chosen by running jobs are not contacted',
  foreign: 'its address was not shown to be the node’s own',
  hidden: 'from the node itself, another socket may respond in its place',
  limit: 'more ports listen than the limit of this probe',
  time: 'the time for all ports was over',
  unreached: 'nothing could be reached through this session',
}

/** The reason why a port was skipped, worded to follow a colon. */
export const whyPassed = (why: PassedOver): string => WHY[why]

const isOtherProtocol = (port: number): boolean => {
  const kind = conventionOf('tcp', port)?.kind
  return kind !== undefined && kind !== 'encrypted'
}

/** Why nothing is known of TLS on a port, to follow its name; null where something is. */
function whyUnobserved({ listener, seen, passed }: ReachablePort): string | null {
  if (seen === null) return `was not tested: ${passed === null ? 'it is not in the collector’s record' : WHY[passed]}`
  switch (seen.outcome) {
    case 'refused':
      return 'was not observed: the SSH server forwards no connections to it'
    case 'failed':
      return 'accepted no connection when tested'
    // Services of other protocols hang up on what they do not understand, or wait for more.
    case 'closed':
      return isOtherProtocol(listener.port) ? null : 'closed the connection without a response when TLS was started'
    case 'silent':
      return isOtherProtocol(listener.port) ? null : 'gave no complete response in time when TLS was started'
    default:
      return null
  }
}

/** No socket that could use TLS: what rules or the kernel hand on is in no list of sockets, so that only its absence makes this complete. */
function withoutPorts({ listeners }: Listeners, forwarding: ForwardingReadings): Conclusion {
  const text = `${count(listeners.length, 'socket')} listed: other than the SSH server, no TCP port can be addressed by other machines.`
  const forwarded = forwardedSteps(forwarding, [])
  const observations = [unclear(text, networkListeners), ...forwarded]
  return { verdict: forwarded.length === 0 ? 'not-applicable' : 'inconclusive', observations }
}

const encryptionInTransitTlsListeners = defineCheck({
  id: 'encryption.in-transit.tls-listeners',
  property: 'encryption-in-transit',
  expected:
    'Every port of this node that responded with TLS supports version 1.2 or later, and accepted no suite that is broken, export-grade or anonymous.',
  limitations:
    'Tested from the node itself, without a host name: a service may treat outside clients, or a host name, differently. Services that begin in clear text and switch to TLS, and UDP services, are not evaluated here; clear-text ports have their own check. Ports that the packet filter or the kernel hands on are not tested. The listener on port 22 and on the port of this session is taken for the SSH server. A program that listens on all addresses of both families is tested over IPv4.',
  requires: { sockets: networkListeners, tls: tlsListeners },
  optional: { processes: listenerProcesses, ...FORWARDING },
  evaluate({ sockets, tls }, { processes, ...forwarding }, { node }) {
    const ports = reachablePorts(sockets, processes.ok ? processes.fact : null, tls, node.port)
    if (ports.length === 0) return withoutPorts(sockets, forwarding)
    const answering = ports.filter(({ seen }) => seen?.outcome === 'tls')
    const because = ports.flatMap(argueUnencrypted)
    if (answering.length > 0 || because.length > 0) return decide(because)
    const text = `None of ${count(ports.length, 'port')} responded with TLS: ${ports
      .map(({ listener }) => listener.port)
      .slice(0, 12)
      .join(', ')}. Whether they use clear text is tested by another check.`
    return decide([unclear(text, tlsListeners)])
  },
})

/** Steps about one port; none where it plainly uses something else. */
function argueUnencrypted(port: ReachablePort): readonly DraftObservation[] {
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

const encryptionInTransitCertValidity = defineCheck({
  id: 'encryption.in-transit.cert-validity',
  property: 'encryption-in-transit',
  expected:
    'The certificate that each TLS port of this node presented first is within its validity period and not about to expire, names its subject, and has a key and a signature of current strength.',
  limitations:
    'Where a certificate’s whole term is shorter than four times the limit, a quarter of that term must be left instead. Covers the certificate presented to a client that names no host. A service may present others to other clients, and of a chain the first five are read. Not tested: whether clients trust its issuer, whether it was revoked, whether the signatures in the chain verify, and whether the names are those that clients request. Certificates that no port of this node presents, such as those of clients and behind forwarded ports, are not covered.',
  requires: { sockets: networkListeners, tls: tlsListeners },
  optional: { processes: listenerProcesses, ...FORWARDING },
  thresholds: ['tls.days-left', 'tls.rsa-bits'],
  evaluate({ sockets, tls }, { processes, ...forwarding }, context) {
    const ports = reachablePorts(sockets, processes.ok ? processes.fact : null, tls, context.node.port)
    if (ports.length === 0) return withoutPorts(sockets, forwarding)
    const because = ports.flatMap((port) => argue(port, context))
    const none = unclear(`None of ${count(ports.length, 'port')} showed a certificate.`, tlsListeners)
    return decide(because.length > 0 ? because : [none])
  },
})

function argue(port: ReachablePort, context: Context): readonly DraftObservation[] {
  const { name, seen } = port
  const why = whyUnobserved(port)
  if (why !== null) return [unclear(`${name} ${why}.`, tlsListeners)]
  if (seen?.outcome !== 'tls') return []
  const [leaf, ...issuers] = seen.certificates
  if (leaf === undefined)
    return [unclear(`${name} accepts TLS and presented no certificate that could be parsed.`, tlsListeners)]
  if (leaf === null || issuers.includes(null))
    return [unclear(`${name} showed a certificate that could not be read.`, tlsListeners)]
  const above = issuers.filter((issuer) => issuer !== null)
  const problems = [
    ...term(name, leaf, above, context),
    ...strength(name, leaf, above, context),
    ...identity(name, leaf),
    ...links(name, leaf, above),
  ]
  const days = daysLeft(leaf, context)
  const good = `${name} presents ${whose(leaf)}, ${keyText(leaf)}, valid until ${leaf.notAfter.slice(0, 10)} (${count(days, 'day')} left); ${chainText(leaf, above)}.`
  return problems.length > 0 ? problems : [supports(good, tlsListeners)]
}

const whose = ({ names, commonName }: CertificateFields): string =>
  `a certificate for ${names.length > 0 ? named(names, 4) : named([commonName])}`

const keyText = ({ key }: CertificateFields): string =>
  key.kind === 'unknown'
    ? 'a key of unknown kind'
    : key.kind === 'EdDSA'
      ? 'an Edwards-curve key'
      : `${key.kind} key of ${key.bits} bits`

const DAY = 86_400_000
const daysLeft = ({ notAfter }: CertificateFields, { asOf }: Context): number =>
  Math.floor((Date.parse(notAfter) - Date.parse(asOf)) / DAY)

/**
 * How long a certificate must still be valid: the limit, or a quarter of its whole term if that is less. ACME clients
 * renew when a third of the term is left, as Let’s Encrypt’s integration guide recommends, so that certificates with
 * a term of 90 days or less would regularly miss the limit.
 */
function needed({ notBefore, notAfter }: CertificateFields, limit: ThresholdValue): { ms: number; text: string } {
  const quarter = (Date.parse(notAfter) - Date.parse(notBefore)) / 4
  return quarter < limit.value * DAY
    ? { ms: quarter, text: 'a quarter of its term' }
    : { ms: limit.value * DAY, text: limitText(limit) }
}

/**
 * The leaf must last a while, and its issuer must at least be valid. One further up may be left aside: clients end the chain at the first
 * authority that they trust (RFC 5280 §6.1), as with ISRG Root X1 below its expired certificate by DST Root CA X3.
 */
function term(
  name: string,
  leaf: CertificateFields,
  above: readonly CertificateFields[],
  context: Context,
): readonly DraftObservation[] {
  const least = needed(leaf, limitOf(context, 'tls.days-left'))
  const days = daysLeft(leaf, context)
  const at = Date.parse(context.asOf)
  const [ended, early] = [
    [leaf, ...above].filter(({ notAfter }) => Date.parse(notAfter) < at),
    [leaf, ...above].filter(({ notBefore }) => Date.parse(notBefore) > at),
  ]
  return [
    ...ended.map((one) =>
      one === leaf || one === above[0]
        ? contradicts(
            `${name} shows ${one === leaf ? 'a certificate' : 'an issuer’s certificate'} that ended on ${one.notAfter.slice(0, 10)}.`,
            tlsListeners,
          )
        : unclear(
            `${name} sends along the certificate of ${named([one.commonName])}, which ended on ${one.notAfter.slice(0, 10)}; clients that trust an authority of this name themselves do not need it.`,
            tlsListeners,
          ),
    ),
    ...early.map((one) =>
      contradicts(`${name} shows a certificate that is not valid before ${one.notBefore.slice(0, 10)}.`, tlsListeners),
    ),
    ...(!ended.includes(leaf) && Date.parse(leaf.notAfter) - at < least.ms
      ? [
          contradicts(
            `${name} shows a certificate that ends on ${leaf.notAfter.slice(0, 10)}, in ${count(days, 'day')} (at least ${least.text}).`,
            tlsListeners,
          ),
        ]
      : []),
  ]
}

const BROKEN_HASHES = ['MD2', 'MD5', 'SHA-1']

/** NIST SP 800-52 rev. 2 §3.2 and SP 800-131A rev. 2 (112 bits: curves from 224). A root is trusted for itself, not for its signature. */
function strength(
  name: string,
  leaf: CertificateFields,
  above: readonly CertificateFields[],
  context: Context,
): readonly DraftObservation[] {
  const least = limitOf(context, 'tls.rsa-bits')
  return [leaf, ...above].flatMap((one) => {
    const which = one === leaf ? 'its certificate' : `the certificate of its issuer ${named([one.commonName])}`
    const isRoot = one !== leaf && one.subject === one.issuer
    const { key, hash } = one
    return [
      ...(key.kind === 'unknown'
        ? [unclear(`${name}: ${which} has a key of a kind that is not known here.`, tlsListeners)]
        : []),
      ...(key.kind === 'RSA' && key.bits < least.value
        ? [
            contradicts(
              `${name}: ${which} has an RSA key of ${key.bits} bits (at least ${limitText(least)}).`,
              tlsListeners,
            ),
          ]
        : []),
      ...(key.kind === 'EC' && key.bits < 224
        ? [contradicts(`${name}: ${which} has a key on a curve of ${key.bits} bits.`, tlsListeners)]
        : []),
      ...(!isRoot && BROKEN_HASHES.includes(hash)
        ? [contradicts(`${name}: ${which} is signed over ${hash}, for which collisions are known.`, tlsListeners)]
        : []),
      ...(!isRoot && hash === ''
        ? [unclear(`${name}: ${which} is signed in a way that is not known here.`, tlsListeners)]
        : []),
    ]
  })
}

/** RFC 9525 §2: clients compare names of the extension, and no others. */
function identity(name: string, { names, commonName }: CertificateFields): readonly DraftObservation[] {
  if (names.length > 0) return []
  return commonName === ''
    ? [contradicts(`${name} presents a certificate that names no subject.`, tlsListeners)]
    : [
        unclear(
          `${name} shows a certificate that names ${named([commonName])} as its common name alone, which today’s clients do not compare.`,
          tlsListeners,
        ),
      ]
}

function links(
  name: string,
  leaf: CertificateFields,
  above: readonly CertificateFields[],
): readonly DraftObservation[] {
  const chain = [leaf, ...above]
  const broken = chain.findIndex((one, at) => at > 0 && chain[at - 1]?.issuer !== one.subject)
  return broken < 0
    ? []
    : [unclear(`${name}: certificate ${broken + 1} of the chain did not issue the one before it.`, tlsListeners)]
}

/** A statement, not a judgement: whether an issuer is trusted is for the clients to decide. */
function chainText(leaf: CertificateFields, above: readonly CertificateFields[]): string {
  if (leaf.subject === leaf.issuer) return 'it is self-signed, so no other authority confirms it'
  const last = above.at(-1)
  if (last === undefined) return 'its issuer’s certificate was not sent along'
  return last.subject === last.issuer
    ? `its chain of ${above.length + 1} was sent with its root ${plain(named([last.commonName]), 80)}`
    : `its chain of ${above.length + 1} was sent, up to one below the root`
}

export const tlsSubject = defineSubject({
  id: 'tls',
  title: 'TLS listeners',
  probes: [tlsListeners],
  checks: [encryptionInTransitTlsListeners, encryptionInTransitCertValidity],
  data,
})

import { type Context, type DraftObservation, defineCheck } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import type { CertificateFields } from '../../core/tls/certificate-fields.ts'
import { listenerProcesses, networkListeners } from '../listeners/probes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { defineSubject } from '../subject.ts'
import { limitOf, limitText } from '../thresholds.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionInTransitTlsListeners, type ReachablePort, reachablePorts, whyUnobserved } from './checks.ts'
import { tlsListeners } from './probes.ts'

const encryptionInTransitCertValidity = defineCheck({
  id: 'encryption.in-transit.cert-validity',
  property: 'encryption-in-transit',
  expected:
    'The certificate that each TLS port of this node presented first is within its validity period and not about to expire, names its subject, and has a key and a signature of current strength.',
  limitations:
    'Covers the certificate presented to a client that names no host. A service may present others to other clients, and of a chain the first five are read. Not tested: whether clients trust its issuer, whether it was revoked, whether the signatures in the chain verify, and whether the names are those that clients request. Certificates that no port presents, such as those of clients, are not covered.',
  requires: { sockets: networkListeners, tls: tlsListeners },
  optional: { processes: listenerProcesses },
  thresholds: ['tls.days-left', 'tls.rsa-bits'],
  evaluate({ sockets, tls }, { processes }, context) {
    const ports = reachablePorts(sockets, processes.ok ? processes.fact : null, tls, context.node.port)
    if (ports.length === 0) {
      const text = `${count(sockets.listeners.length, 'socket')} listed: other than the SSH server, no TCP port can be addressed by other machines.`
      return { verdict: 'not-applicable', observations: [unclear(text, networkListeners)] }
    }
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

/** The leaf must last a while; those above it must at least be valid. */
function term(
  name: string,
  leaf: CertificateFields,
  above: readonly CertificateFields[],
  context: Context,
): readonly DraftObservation[] {
  const least = limitOf(context, 'tls.days-left')
  const days = daysLeft(leaf, context)
  const at = Date.parse(context.asOf)
  const [ended, early] = [
    [leaf, ...above].filter(({ notAfter }) => Date.parse(notAfter) < at),
    [leaf, ...above].filter(({ notBefore }) => Date.parse(notBefore) > at),
  ]
  return [
    ...ended.map((one) =>
      contradicts(
        `${name} shows ${one === leaf ? 'a certificate' : 'an issuer’s certificate'} that ended on ${one.notAfter.slice(0, 10)}.`,
        tlsListeners,
      ),
    ),
    ...early.map((one) =>
      contradicts(`${name} shows a certificate that is not valid before ${one.notBefore.slice(0, 10)}.`, tlsListeners),
    ),
    ...(ended.length === 0 && days < least.value
      ? [
          contradicts(
            `${name} shows a certificate that ends on ${leaf.notAfter.slice(0, 10)}, in ${count(days, 'day')} (at least ${limitText(least)}).`,
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

/** A statement, not a judgement: who vouches for a key is for its clients to decide. */
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

import { type Conclusion, type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import type { SshOffer } from '../../core/ssh-offer.ts'
import { type Listener, listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { sshOffers } from '../probes/ssh-offers.ts'
import { sshServers } from '../probes/ssh-servers.ts'
import { type SshdSettings, sshdEffective } from '../probes/sshd-effective.ts'
import {
  heardAt,
  RUNNING_SSH,
  type RunningSsh,
  type RunningSshEvidence,
  runningSsh,
  sessionPort,
} from '../running-ssh.ts'
import { type AlgorithmUse, gradeSshAlgorithm, hasOwnTag, isCuttable, STRICT_KEX } from '../ssh-algorithms.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { observedAt } from '../tls-reading.ts'
import { reachableTcp } from '../tls-targets.ts'

const USES: readonly (readonly [AlgorithmUse, string])[] = [
  ['kexalgorithms', 'key exchange'],
  ['hostkeyalgorithms', 'host key'],
  ['ciphers', 'cipher'],
  ['macs', 'message authentication'],
]

type Lists = Readonly<Record<AlgorithmUse, readonly string[]>>

export const encryptionInTransitSshAlgorithms = defineCheck({
  id: 'encryption.in-transit.ssh-algorithms',
  property: 'encryption-in-transit',
  expected:
    'The SSH servers that other machines can reach offer only key exchange, host key, cipher and message authentication algorithms without known weakness.',
  limitations:
    'Covers the offers of the running servers to this session and to connections from the node itself; a server may make another to other addresses. Servers that listen for the node alone, in containers or on addresses of other programs’ networks are not evaluated. Lengths of host keys and of Diffie-Hellman groups are not read. Where the offer was not observed, the settings alone can show a deviation but never satisfy the check.',
  requires: {},
  optional: { offers: sshOffers, sshd: sshdEffective, ...RUNNING_SSH },
  evaluate(_, { offers, sshd, ...evidence }): Conclusion {
    const running = runningSsh(sshd, evidence, { keywords: [] })
    const settings = sshd.ok && running.isBearing ? listsOfSettings(sshd.fact) : null
    const session = offers.ok ? listsOfOffer(offers.fact) : null
    const others = [...otherServers(running, session, evidence), ...unlisted(running, evidence)]
    if (!offers.ok || session === null) {
      const why = unclearAbout(sshOffers, offers)
      const bySettings = settings === null ? unclearAbout(sshdEffective, sshd) : argueLists(settings, sshdEffective)
      return decide([...why, ...bySettings, ...others])
    }
    const judged = decide([...argueLists(session, sshOffers), ...strictness(offers.fact, sshOffers), ...others])
    return settings === null
      ? judged
      : { ...judged, observations: [...judged.observations, ...differences(session, settings)] }
  },
})

/**
 * The offers of servers that do not carry this session. Of several servers at its port, it is not reported which one carries it, so that
 * each has to have been heard.
 */
function otherServers(
  { servers }: RunningSsh,
  session: Lists | null,
  evidence: RunningSshEvidence,
): readonly DraftObservation[] {
  const port = sessionPort(evidence.sshLogin)
  const reachable = servers.filter(({ listener }) => !listener.loopback)
  const atPort = servers.filter(({ listener }) => port === null || listener.port === port)
  return reachable.flatMap((server): readonly DraftObservation[] => {
    const isCarrier = atPort.length === 1 && atPort[0] === server
    const { name, listener } = server
    const { seen, step } = heardAt(listener, name, evidence)
    const offer = seen?.offer ?? null
    if (offer === null || seen?.isMixed === true)
      return isCarrier ? [] : [step ?? unclear(`What the SSH server at ${name} offers was not recorded.`, sshServers)]
    const lists = listsOfOffer(offer)
    const told = [...argueLists(lists, sshServers), ...strictness(offer, sshServers)]
    if (session === null || USES.some(([use]) => lists[use].join() !== session[use].join()))
      return told.map((one) => ({ ...one, text: `At ${name}: ${one.text}` }))
    return isCarrier ? [] : [supports(`The SSH server at ${name} offers the same.`, sshServers)]
  })
}

/** Why an SSH server may listen that was not found: it is known by the process that holds a socket, or by how it greets. */
function unlisted(
  { servers }: RunningSsh,
  { sshSockets, sshOwners, sshTls }: RunningSshEvidence,
): readonly DraftObservation[] {
  if (!sshSockets.ok) return unclearAbout(networkListeners, sshSockets)
  if (sshOwners.ok) return []
  const isKnown = (listener: Listener): boolean =>
    servers.some((server) => server.listener.port === listener.port) ||
    (sshTls.ok && ['tls', 'plain'].includes(observedAt(sshTls.fact, listener).seen?.outcome ?? ''))
  return reachableTcp(sshSockets.fact.listeners, []).every(isKnown) ? [] : unclearAbout(listenerProcesses, sshOwners)
}

/** Both directions together: one weak direction is a weak offer. */
const listsOfOffer = (offer: SshOffer): Lists => ({
  kexalgorithms: offer.kex,
  hostkeyalgorithms: offer.hostKey,
  ciphers: [...new Set([...offer.cipherToNode, ...offer.cipherFromNode])],
  macs: [...new Set([...offer.macToNode, ...offer.macFromNode])],
})

const listsOfSettings = ({ settings }: SshdSettings): Lists => ({
  kexalgorithms: names(settings.get('kexalgorithms')),
  hostkeyalgorithms: names(settings.get('hostkeyalgorithms')),
  ciphers: names(settings.get('ciphers')),
  macs: names(settings.get('macs')),
})

function argueLists(lists: Lists, probe: Probe<unknown>): readonly DraftObservation[] {
  const { ciphers } = lists
  return USES.flatMap(([use, what]) => {
    if (lists[use].length === 0) return [unclear(`No ${what} algorithms are named.`, probe)]
    if (use === 'macs' && ciphers.length > 0 && ciphers.every(hasOwnTag))
      return [supports('Every cipher carries its own tag, so the listed message authentication is not used.', probe)]
    return argueList(use, what, lists, probe)
  })
}

function argueList(use: AlgorithmUse, what: string, lists: Lists, probe: Probe<unknown>): readonly DraftObservation[] {
  const readings = lists[use].map((name) => ({ name, reading: gradeSshAlgorithm(use, name) }))
  const refused = readings.flatMap(({ name, reading }) =>
    reading.kind === 'refused'
      ? [contradicts(`Offered ${what} ${named([name])}: ${reading.why}${softener(use, lists.ciphers)}.`, probe)]
      : [],
  )
  const unknown = readings.filter(({ reading }) => reading.kind === 'unknown').map(({ name }) => name)
  const accepted = readings.filter(({ reading }) => reading.kind === 'accepted').map(({ name }) => name)
  const hybrid = readings.some(({ reading }) => reading.kind === 'accepted' && reading.postQuantum)
  return [
    ...refused,
    ...(unknown.length > 0 ? [unclear(`Offered ${what} not listed in this catalog: ${named(unknown)}.`, probe)] : []),
    ...(accepted.length > 0
      ? [
          supports(
            `Offered ${what} without known weakness: ${named(accepted, 20)}${hybrid ? ', among them post-quantum hybrids' : ''}.`,
            probe,
          ),
        ]
      : []),
  ]
}

/** A weak MAC matters only to a client that also picks a cipher without its own tag. */
const softener = (use: AlgorithmUse, ciphers: readonly string[]): string =>
  use === 'macs' && ciphers[0] !== undefined && hasOwnTag(ciphers[0])
    ? '; advisory, since it is used only where the client declines the preferred ciphers, which carry their own tag'
    : ''

function strictness(
  { kex, cipherToNode, cipherFromNode, macToNode, macFromNode }: SshOffer,
  probe: Probe<unknown>,
): readonly DraftObservation[] {
  if (kex.includes(STRICT_KEX)) return [supports('The server offers the strict key exchange.', probe)]
  const open = [
    ...cipherToNode.filter((cipher) => isCuttable(cipher, macToNode)),
    ...cipherFromNode.filter((cipher) => isCuttable(cipher, macFromNode)),
  ]
  const text = 'The server does not offer the strict key exchange that mends CVE-2023-48795 (Terrapin)'
  return open.length > 0
    ? [unclear(`${text}, and offers what it touches: ${named([...new Set(open)])}.`, probe)]
    : [supports(`${text}; none of the ciphers it offers is touched by it.`, probe)]
}

/** Markers and negotiation extensions, and key exchanges of GSSAPI, are in the offer and not in the setting. */
const isOfSetting = (name: string): boolean => !/^(ext-info-|kex-strict-|gss-)/.test(name)

/**
 * What differs between offer and settings. The offer decides the verdict: it is what clients get. Some distributions pass the lists on the
 * command line, so that the settings that sshd prints on its own differ without any person's fault.
 */
function differences(offered: Lists, settings: Lists): readonly DraftObservation[] {
  const kinds = [
    ['kexalgorithms', 'key exchange', offered.kexalgorithms.filter(isOfSetting), settings.kexalgorithms],
    ['ciphers', 'cipher', offered.ciphers, settings.ciphers],
    ['macs', 'message authentication', offered.macs, settings.macs],
  ] as const
  return kinds.flatMap(([use, what, now, later]) => {
    const [gone, added] = [now.filter((name) => !later.includes(name)), later.filter((name) => !now.includes(name))]
    if (later.length === 0 || (gone.length === 0 && added.length === 0)) return []
    const changes = [
      ...(gone.length > 0 ? [`offered and not in the settings: ${named(gone)}`] : []),
      ...(added.length > 0 ? [`in the settings and not offered: ${named(added)}`] : []),
    ]
    return [
      ...weaker(use, what, added),
      unclear(
        `The running server’s ${what} differs from the settings it would load now, as after a change without a reload; ${changes.join('; ')}.`,
        sshdEffective,
      ),
    ]
  })
}

/** What the settings allow beyond the running offer, where that is weak: it is offered from the next reload on. */
function weaker(use: AlgorithmUse, what: string, added: readonly string[]): readonly DraftObservation[] {
  const refused = added.filter((name) => gradeSshAlgorithm(use, name).kind === 'refused')
  return refused.length === 0
    ? []
    : [
        unclear(
          `The settings allow weaker ${what} algorithms than the server offers now: ${named(refused)}. Unless its start names other lists, it offers them from its next reload on.`,
          sshdEffective,
        ),
      ]
}

const names = (values: readonly string[] | undefined): readonly string[] =>
  (values ?? [])
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')

import type { SshOffer } from '../../../core/fleet/ssh-methods.ts'
import type { Probe } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { type SshdSettings, sshdEffective } from '../../access/sshd/probes.ts'
import {
  heardAt,
  RUNNING_SSH,
  type RunningSsh,
  type RunningSshEvidence,
  runningSsh,
  sessionPort,
} from '../../access/sshd/running.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type Listener, listenerProcesses, networkListeners } from '../listeners/probes.ts'
import { observedAt, reachableTcp } from '../tls/probes.ts'
import data from './checks.json' with { type: 'json' }
import { sshHostKeyQuality, sshHostKeys } from './host-keys.ts'
import { sshOffers, sshServers } from './probes.ts'

/** Why an algorithm is or isn't accepted. `unknown` is never taken for good. */
type AlgorithmReading =
  | { readonly kind: 'accepted'; readonly postQuantum: boolean }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown' }

type AlgorithmUse = 'ciphers' | 'macs' | 'kexalgorithms' | 'hostkeyalgorithms'

const ACCEPTED: Readonly<Record<AlgorithmUse, RegExp>> = {
  ciphers: /^(aes(128|192|256)-ctr|aes(128|256)-gcm@openssh\.com|chacha20-poly1305@openssh\.com)$/,
  macs: /^(hmac-sha2-(256|512)(-etm@openssh\.com)?|umac-128(-etm)?@openssh\.com)$/,
  kexalgorithms:
    /^(curve25519-sha256(@libssh\.org)?|ecdh-sha2-nistp(256|384|521)|diffie-hellman-group-exchange-sha256|diffie-hellman-group14-sha256|diffie-hellman-group1[5678]-sha512|sntrup761x25519-sha512(@openssh\.com)?|mlkem768x25519-sha256|mlkem768nistp256-sha256|mlkem1024nistp384-sha384|gss-(group14-sha256|group16-sha512|nistp256-sha256|curve25519-sha256)-[\w+/=-]*)$/,
  hostkeyalgorithms:
    /^((sk-)?ssh-ed25519|ecdsa-sha2-nistp(256|384|521)|sk-ecdsa-sha2-nistp256|rsa-sha2-(256|512)|webauthn-sk-ecdsa-sha2-nistp256)(-cert-v01)?(@openssh\.com)?$/,
}

/**
 * The lists that OpenSSH 10 and RFC 9142 discourage; thresholds as in the CIS Debian 12 and RHEL 9 benchmarks. The first that fits uses.
 */
const REFUSED: Readonly<Record<AlgorithmUse, readonly (readonly [RegExp, string])[]>> = {
  ciphers: [
    [/^none$/, 'no encryption'],
    [/^3des|^des/, 'DES blocks of 64 bits'],
    [/^arcfour|^rc4/, 'RC4, whose output is biased'],
    [/^(blowfish|cast128|idea)/, 'blocks of 64 bits'],
    [/-cbc/, 'CBC mode, open to plaintext recovery'],
  ],
  macs: [
    [/^none$/, 'no integrity protection'],
    [/md5/, 'MD5'],
    [/-96/, 'a tag cut to 96 bits'],
    [/ripemd/, 'RIPEMD-160'],
    [/^umac-64/, 'a tag of 64 bits'],
    [/^hmac-sha1/, 'SHA-1'],
  ],
  kexalgorithms: [
    [/group1-/, 'a group of 1024 bits'],
    [/sha1$|sha1-/, 'SHA-1'],
    [/^rsa1024/, 'a key of 1024 bits'],
  ],
  hostkeyalgorithms: [
    [/^ssh-dss/, 'DSA'],
    [/^ssh-rsa(-cert|$)/, 'signatures over SHA-1'],
  ],
}

const MARKERS = /^(kex-strict-[sc]-v00@openssh\.com|ext-info-[sc])$/

/** Grades one algorithm name of SSH (RFC 4253, RFC 9142, openssh PROTOCOL files). */
function gradeSshAlgorithm(use: AlgorithmUse, name: string): AlgorithmReading {
  const why = REFUSED[use].find(([pattern]) => pattern.test(name))?.[1]
  if (why !== undefined) return { kind: 'refused', why }
  if (ACCEPTED[use].test(name) || (use === 'kexalgorithms' && MARKERS.test(name))) {
    return { kind: 'accepted', postQuantum: /^(mlkem|sntrup)/.test(name) }
  }
  return { kind: 'unknown' }
}

/** OpenSSH’s PROTOCOL §1.10: with it on both sides, nothing can be slipped into or out of the key exchange (CVE-2023-48795, “Terrapin”). */
const STRICT_KEX = 'kex-strict-s-v00@openssh.com'

/** Whether a key exchange without the strict marker can be cut at its beginning unnoticed: with ChaCha20, or CBC and an encrypt-then-MAC tag. */
const isCuttable = (cipher: string, macs: readonly string[]): boolean =>
  cipher.startsWith('chacha20-poly1305') || (/-cbc/.test(cipher) && macs.some((mac) => /-etm@/.test(mac)))

/** Ciphers that carry their own integrity tag, so that no MAC from the list is used with them. */
const hasOwnTag = (cipher: string): boolean => /-gcm@|^chacha20-poly1305@/.test(cipher)

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
 * each must have replied.
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
    const found = [...argueLists(lists, sshServers), ...strictness(offer, sshServers)]
    if (session === null || USES.some(([use]) => lists[use].join() !== session[use].join()))
      return found.map((one) => ({ ...one, text: `At ${name}: ${one.text}` }))
    return isCarrier ? [] : [supports(`The SSH server at ${name} offers the same.`, sshServers)]
  })
}

/**
 * Why there may be an SSH server that was not found: servers are identified by the process that owns a socket, or by
 * their greeting.
 */
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
  const text = 'The server does not offer the strict key exchange that resolves CVE-2023-48795 (Terrapin)'
  return open.length > 0
    ? [unclear(`${text}, and offers what it touches: ${named([...new Set(open)])}.`, probe)]
    : [supports(`${text}; none of the ciphers it offers is touched by it.`, probe)]
}

/** Markers and negotiation extensions, and key exchanges of GSSAPI, are in the offer and not in the setting. */
const isOfSetting = (name: string): boolean => !/^(ext-info-|kex-strict-|gss-)/.test(name)

/**
 * Differences between offer and settings. The offer decides the verdict, because clients receive it. Some
 * distributions pass the lists on the command line, so that the settings printed by sshd alone may differ without
 * fault.
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

/** Weak algorithms that the settings allow beyond the running offer; they are offered from the next reload. */
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

export const sshEncryptionSubject = defineSubject({
  id: 'ssh-encryption',
  title: 'SSH server: algorithms and host keys',
  probes: [sshOffers, sshServers, sshHostKeys],
  checks: [encryptionInTransitSshAlgorithms, sshHostKeyQuality],
  data,
})

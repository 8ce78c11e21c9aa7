import { defineProbe, known, type Parsed, unknown } from '../../core/probe.ts'
import type { AskedName, MethodsOutcome } from '../../core/ssh-methods.ts'
import { nameList, OFFER_LISTS, type SshOffer } from '../../core/ssh-offer.ts'
import type { PassedOver, TlsTarget } from '../../core/tls/observation.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../read-text.ts'
import { inOrder } from '../steady.ts'
import { readPassed, readTarget } from '../tls-targets.ts'

export interface SshAnswer {
  readonly who: AskedName
  readonly user: string
  readonly outcome: MethodsOutcome
  readonly methods: readonly string[]
}
/** An SSH server as it responded through the session. */
export interface SshServer extends TlsTarget {
  /** Its name for itself, for example OpenSSH_9.6p1; empty where it gave none. */
  readonly version: string
  readonly hostKey: { readonly type: string; readonly fingerprint: string } | null
  readonly offer: SshOffer | null
  readonly answers: readonly SshAnswer[]
  readonly isMixed: boolean
}
export interface SshServers {
  readonly forwarding: boolean
  readonly servers: readonly SshServer[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
}

const NAMES: readonly AskedName[] = ['root', 'declared', 'nobody']
const OUTCOMES: readonly MethodsOutcome[] = [
  'methods',
  'accepted',
  'no-common',
  'closed',
  'silent',
  'not-ssh',
  'refused',
  'failed',
]
const REASONS: readonly PassedOver[] = ['foreign', 'hidden', 'limit', 'time', 'unreached']
const MOST_SERVERS = 64

/** What the node's SSH servers responded to `none` requests that came through the session (RFC 4252 §5.2). */
export const sshServers = defineProbe({
  id: 'ssh.servers',
  title: 'Login methods offered by running SSH servers',
  why: 'Queries each listening SSH server, through the session, for the methods it offers to root, to one declared account and to a name that no account has. No password, key or signature is sent; if a server grants access without one, the connection is closed at once.',
  leaves: [
    'OpenSSH: “Received disconnect from 127.0.0.1 port …” and “Disconnected from authenticating user root 127.0.0.1 port … [preauth]”, the same for the declared account, and “Invalid user barewitness-no-such-account from 127.0.0.1 port …” with “Disconnected from invalid user …”. Where empty passwords are permitted, also “Failed none for …”, or “Accepted none for …”. OpenSSH 9.8 and newer may count these against the address that they come from, which is the node’s own, for some seconds (PerSourcePenalties).',
    'dropbear: “Child connection from 127.0.0.1:…” and “Exit before auth from <127.0.0.1:…>”, with “Login attempt for nonexistent user” for the name without an account.',
    'Three connections for each listener, to eight listeners at most, from the node’s own address. Where the session’s server does not forward, its refusal is all that may be logged.',
  ],
  ignoredInDrift: {
    why: 'A busy server responds late or not at all, and the total time limit may end earlier.',
    normalize: ({ forwarding, servers }: SshServers) => ({
      forwarding,
      servers: inOrder(
        servers.map(({ answers, ...server }) => ({
          ...server,
          answers: answers.filter(({ outcome }) => outcome === 'methods' || outcome === 'accepted'),
        })),
      ),
    }),
  },
  commands: { servers: { kind: 'measure', measure: 'ssh-servers' } },
  parse({ servers }) {
    const json = readJson(servers.text, 'the collector')
    if (!json.ok) return json
    const { forwarding, asked, passed } = asRecord(json.fact)
    const form = unknown('the collector’s record of the SSH servers has an unexpected format')
    if ((forwarding !== 'used' && forwarding !== 'not-available') || !Array.isArray(asked) || !Array.isArray(passed))
      return form
    if (asked.length > MOST_SERVERS || passed.length > 65_536) return form
    const read = asked.map(readServer)
    const left = passed.map((one) => readPassed(one, REASONS))
    if (read.includes(null) || left.includes(null)) return form
    return known<SshServers>({
      forwarding: forwarding === 'used',
      servers: read.filter((server) => server !== null),
      passed: left.filter((target) => target !== null),
    }) satisfies Parsed<SshServers>
  },
})

function readServer(value: JsonValue): SshServer | null {
  const row = asRecord(value)
  const target = readTarget(row)
  const answers = asList(row.answers).map(readAnswer)
  if (target === null || answers.length === 0 || answers.length > NAMES.length || answers.includes(null)) return null
  const key = asRecord(row.hostKey)
  const [type, fingerprint] = [asText(key.type), asText(key.fingerprint)]
  return {
    ...target,
    version: asText(row.version) ?? '',
    hostKey: type === null || fingerprint === null ? null : { type, fingerprint },
    offer: readOffer(row.offer),
    answers: answers.filter((answer) => answer !== null),
    isMixed: row.isMixed !== false,
  }
}

function readAnswer(value: JsonValue): SshAnswer | null {
  const row = asRecord(value)
  const [who, outcome] = [NAMES.find((name) => name === row.who), OUTCOMES.find((name) => name === row.outcome)]
  const user = asText(row.user)
  const methods = nameList(
    asList(row.methods)
      .map((name) => asText(name) ?? ',')
      .join(','),
  )
  return who === undefined || outcome === undefined || user === null || methods === null
    ? null
    : { who, user, outcome, methods }
}

function readOffer(value: JsonValue | undefined): SshOffer | null {
  const row = asRecord(value)
  const lists = OFFER_LISTS.map((key) => {
    const names = asList(row[key]).map(asText)
    return names.includes(null) ? null : nameList(names.join(','))
  })
  if (lists.includes(null)) return null
  const offer = Object.fromEntries(OFFER_LISTS.map((key, at) => [key, lists[at]])) as unknown as SshOffer
  return offer.kex.length === 0 ? null : offer
}

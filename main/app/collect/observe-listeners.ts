import type { DeclaredNode } from '../../../schemas/types.ts'
import { sshProcesses } from '../../catalog/access/sshd/probes.ts'
import { sessionPort } from '../../catalog/access/sshd/running.ts'
import { sudoLog } from '../../catalog/access/sudo/probes.ts'
import { type Listener, listenerProcesses, networkListeners } from '../../catalog/data-protection/listeners/probes.ts'
import { netRoutes } from '../../catalog/data-protection/network/links.ts'
import { askedNames, sshListeners, sshTargets } from '../../catalog/data-protection/ssh-encryption/probes.ts'
import {
  isAddress,
  ownAddresses,
  reachableTcp,
  tlsListeners,
  tlsTargets,
} from '../../catalog/data-protection/tls/probes.ts'
import { loginSession } from '../../catalog/operations/login-records/index.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { PlannedCommand } from '../../core/collector/plan.ts'
import type {
  AskedName,
  MethodsHeard,
  SshServerObservation,
  SshServersObservation,
} from '../../core/fleet/ssh-methods.ts'
import type { Connection } from '../../core/ports/ports.ts'
import { type Answer, captureKey, needsMeasure, type Probe, readProbe } from '../../core/recording/probe.ts'
import type { CapturedAnswer } from '../../core/recording/recording.ts'
import type { PassedOver, TlsObservation, TlsTarget } from '../../core/tls/server-reply.ts'
import type { Watch } from './run.ts'
import { nothingAsked, observeTls, stopOf, type TlsDeps, type TlsPlan } from './tls-listeners.ts'

/** The servers to query, in this order and for which accounts, and those skipped beforehand. */
interface SshPlan extends TlsPlan {
  readonly names: readonly { readonly who: AskedName; readonly user: string }[]
}

const ANSWER_MS = 5000
const ALL_MS = 40_000

/**
 * Queries the node's SSH servers, one at a time, for their login methods: one connection for each account, since
 * servers end a connection that changes its user, and one `none` request in it (RFC 4252, section 5.2). Ends within 40
 * seconds, and at once when the collection is stopped. A server that did not reply for the first account is not queried
 * for the others; nothing is concluded from a missing reply.
 */
export async function observeSshServers(
  { clock, pause }: Pick<Ports, 'clock' | 'pause'>,
  { askMethods }: Pick<Connection, 'askMethods'>,
  { ask, passed, names }: SshPlan,
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
): Promise<SshServersObservation> {
  if (askMethods === undefined) return nothingAsked({ ask, passed })
  const end = clock.ticks() + BigInt(ALL_MS) * 1_000_000n
  const stopped = stopOf(signal)
  const asked: SshServerObservation[] = []
  const left: { host: string; port: number; why: PassedOver }[] = []
  let over: 'unreached' | 'time' | null = null
  for (const target of ask) {
    const seen: { who: AskedName; user: string; heard: MethodsHeard }[] = []
    for (const { who, user } of over === null ? names : []) {
      if (signal.aborted) over = 'unreached'
      else if (clock.ticks() >= end) over = 'time'
      if (over !== null) break
      const answer = await askMethods({ ...target, user }, Promise.race([pause(ANSWER_MS), stopped]))
      heard()
      if (answer.outcome === 'lost' || signal.aborted) {
        over = 'unreached'
        break
      }
      seen.push({ who, user, heard: answer })
      if (answer.outcome !== 'methods' && answer.outcome !== 'accepted') break
    }
    const observed = over === null ? observationOf(target, seen) : null
    if (observed === null) left.push({ ...target, why: over ?? 'unreached' })
    else asked.push(observed)
  }
  return { forwarding: 'used', asked, passed: [...passed, ...left] }
}

function observationOf(
  target: TlsTarget,
  seen: readonly { readonly who: AskedName; readonly user: string; readonly heard: MethodsHeard }[],
): SshServerObservation | null {
  const first = seen[0]?.heard
  if (first === undefined) return null
  const { version, hostKey, offer } = first
  return {
    host: target.host,
    port: target.port,
    version,
    hostKey,
    offer,
    isMixed: seen.some(({ heard }) => heard.version !== version || heard.hostKey?.fingerprint !== hostKey?.fingerprint),
    answers: seen.flatMap(({ who, user, heard: { outcome, methods } }) =>
      outcome === 'lost' ? [] : [{ who, user, outcome, methods }],
    ),
  }
}

const LISTENERS: readonly string[] = [networkListeners, listenerProcesses, netRoutes, sshProcesses, loginSession].map(
  ({ id }) => id,
)
const MEASURES = ['tls-listeners', 'ssh-servers'] as const

/** Whether the capture of a probe lists the ports to query. */
export const isAboutListeners = (probe: string): boolean => LISTENERS.includes(probe)

/** Tools whose output may show a query to a port: processes, connections, lines in logs, logins. */
const LISTING: ReadonlySet<unknown> = new Set([
  ...['auditctl', 'journalctl', 'last', 'lastlog', 'lslogins', 'ps', 'ss', 'tail', 'who'],
])

/**
 * Whether queries to ports must wait for the output of a command: they are planned from it, or might show in it.
 * Sudo's own log does not show them. It is compared with the commands before it, and is therefore read in its place.
 */
export const isDisturbed = ({ probe, run }: Pick<PlannedCommand, 'probe' | 'run'>): boolean =>
  isAboutListeners(probe) || (LISTING.has(run.argv[0]) && probe !== sudoLog.id)

/**
 * Queries to the node's own ports through the session, each once; null where the node listed none that could be read.
 */
interface ListenerMeasures {
  /** The ports that the node listed in this collection, queried for TLS. */
  readonly 'tls-listeners': () => Promise<TlsObservation | null>
  /**
   * Ports of SSH servers, queried for their login methods; after TLS, which identifies SSH servers under other names.
   */
  readonly 'ssh-servers': () => Promise<SshServersObservation | null>
}

/**
 * `listed` holds the node's captures so far, by probe and command; it is read when a measurement is first requested.
 */
export function listenerMeasures(
  deps: TlsDeps,
  connection: Connection,
  { listed, node }: { readonly listed: ReadonlyMap<string, CapturedAnswer>; readonly node: DeclaredNode },
  watch: Watch,
): ListenerMeasures {
  const read = (probe: typeof networkListeners): readonly Listener[] | null => {
    const reading = readProbe(probe, listed)
    return reading.ok ? reading.fact.listeners : null
  }
  // A bound address is the node's own where its routes show that, or where this session found it.
  const own = (): ReadonlySet<string> => {
    const routes = readProbe(netRoutes, listed).ok ? listed.get(captureKey(netRoutes.id, 'ipv4')) : undefined
    const found = routes === undefined ? [] : ownAddresses(Buffer.from(routes.stdout).toString())
    return new Set([...found, node.address].filter(isAddress))
  }
  const onLoopback = (sockets: readonly Listener[]): readonly Listener[] =>
    sockets.filter(({ protocol, loopback }) => protocol === 'tcp' && loopback)
  const tls = async (): Promise<TlsObservation | null> => {
    const sockets = read(networkListeners)
    if (sockets === null) return null
    const plan = tlsTargets(reachableTcp(sockets, read(listenerProcesses) ?? []), {
      sshPort: node.port,
      own: own(),
      loopback: onLoopback(sockets),
    })
    return await observeTls(deps, connection, plan, watch)
  }
  const ssh = async (asked: TlsObservation | null): Promise<SshServersObservation | null> => {
    const sockets = read(networkListeners)
    if (sockets === null) return null
    const processes = readProbe(sshProcesses, listed)
    const seen = asked === null ? null : tlsListeners.parse({ listeners: asAnswer(asked) })
    const servers = sshListeners(sockets, read(listenerProcesses) ?? [], {
      sshPorts: [node.port, sessionPort(readProbe(loginSession, listed)) ?? node.port],
      processes: processes.ok ? processes.fact.processes : [],
      tls: seen?.ok === true ? seen.fact : null,
    })
    const plan = { ...sshTargets(servers, { own: own(), loopback: onLoopback(sockets) }), names: askedNames(node) }
    return await observeSshServers(deps, connection, plan, watch)
  }
  let tlsHeard: Promise<TlsObservation | null> | null = null
  let sshHeard: Promise<SshServersObservation | null> | null = null
  return {
    'tls-listeners': () => {
      tlsHeard ??= tls()
      return tlsHeard
    },
    'ssh-servers': () => {
      sshHeard ??= (tlsHeard ?? Promise.resolve(null)).then(ssh)
      return sshHeard
    },
  }
}

/** Our own measurements in the form of the recording, so that there is only one way to read them. */
const asAnswer = (observed: TlsObservation): Answer => ({
  exitCode: 0,
  text: JSON.stringify(observed),
  errorText: '',
  bytes: new Uint8Array(),
  seconds: { node: null, collectingComputer: null },
})

/**
 * Makes the remaining queries to the node's ports before the round trips are timed, since the session may not last as
 * long.
 */
export async function measureListeners(
  measures: ListenerMeasures,
  probes: readonly Probe<unknown>[],
  skip: ReadonlySet<string>,
): Promise<void> {
  for (const measure of MEASURES) if (needsMeasure(probes, measure, skip)) await measures[measure]()
}

/** A resumed collection lists the listeners again when their ports were not queried yet: it uses only its own list. */
export function withListeners(probes: readonly Probe<unknown>[], skip: ReadonlySet<string>): ReadonlySet<string> {
  if (!MEASURES.some((measure) => needsMeasure(probes, measure, skip))) return skip
  return new Set([...skip].filter((key) => !isAboutListeners(key.slice(0, key.lastIndexOf('/')))))
}

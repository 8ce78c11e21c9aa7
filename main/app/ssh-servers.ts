import type { Clock, Connection } from '../core/ports.ts'
import type { AskedName, MethodsHeard, SshServerObservation, SshServersObservation } from '../core/ssh-methods.ts'
import type { PassedOver, TlsTarget } from '../core/tls/observation.ts'

export interface SshAskDeps {
  readonly clock: Clock
  readonly pause: (milliseconds: number) => Promise<void>
}

/** The servers to query, in this order and for which accounts, and those skipped beforehand. */
export interface SshPlan {
  readonly ask: readonly TlsTarget[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
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
  { clock, pause }: SshAskDeps,
  { askMethods }: Pick<Connection, 'askMethods'>,
  { ask, passed, names }: SshPlan,
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
): Promise<SshServersObservation> {
  if (askMethods === undefined)
    return {
      forwarding: 'not-available',
      asked: [],
      passed: [...passed, ...ask.map((one) => ({ ...one, why: 'unreached' as const }))],
    }
  const end = clock.ticks() + BigInt(ALL_MS) * 1_000_000n
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })
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

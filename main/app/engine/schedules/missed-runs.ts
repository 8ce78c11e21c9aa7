import type { Schedule } from '../../../../schemas/types.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { type Outcome, ok } from '../../../core/base/failure.ts'
import type { IdentityInfo } from '../../../core/ports/identities.ts'
import type { LoggedEntry } from '../../../core/run-chain/entry.ts'
import { chainOfFleet } from '../../history/run-chain.ts'
import { readAttempts } from '../../scheduled/plan-run.ts'
import { servedMissed } from '../../scheduled/served.ts'
import { recordMissed } from '../../scheduled/states.ts'
import type { EngineContext } from '../context/context.ts'
import { scheduledRuns, shelfOf } from '../runs/stored-runs.ts'
import { signerOf } from '../trust/trust-identities.ts'
import { identitiesFolder } from '../trust/trust-secrets.ts'
import { firstOfSchedules } from './schedule-view.ts'

/** A missed run that is to be signed. */
export interface MissedDue {
  readonly schedule: string
  readonly due: string
}

/** Missed runs of a team server, which are entered into the run chain as one machine enters them. */
export interface MissedRuns {
  /**
   * Has a sealer sign the oldest missed run, and enters it into the run chain. Null where no run was missed or no
   * sealer is connected. Nothing is stored before it is signed, because missed runs are derived from the run chain
   * each time. `noted` is awaited before a due time is first sent to a signer. A due time that the signer refused is
   * not sent again by this process. Fails as the signer, the run chain and the store do.
   */
  readonly recordMissedRun: (noted: (missed: MissedDue) => Promise<void>) => Promise<Outcome<MissedDue | null>>
}

/** A schedule and its starts at a time when no run was missed. */
interface Quiet {
  readonly of: string
  readonly until: string | null
}

export function missedRuns(context: EngineContext): MissedRuns {
  const { ports, session, folder } = context
  const quiet = new Map<string, Quiet>()
  const [known, refused] = [new Set<string>(), new Set<string>()]

  const find = async (schedule: Schedule): Promise<Outcome<Found | null>> => {
    const { name, out, fleetName } = schedule
    const attempts = await readAttempts(ports, out, name)
    if (!attempts.ok) return attempts
    const now = ports.clock.now()
    const of = canonicalJson({ schedule, starts: attempts.value.map(({ id, code }) => `${id} ${code}`) })
    const before = quiet.get(name)
    if (before?.of === of && (before.until === null || now < before.until)) return ok(null)
    const chain = await chainOfFleet(ports, out, fleetName)
    if (!chain.ok) return chain
    const shelf = shelfOf(context)
    const stored = shelf === null ? ok([]) : await scheduledRuns(shelf)
    if (!stored.ok) return stored
    const entries = chain.value?.entries ?? []
    const collected = new Set(stored.value.flatMap((one) => (one.schedule === name ? [one.due] : [])))
    const due = servedMissed({ schedule, entries, attempts: attempts.value, collected, now, zones: ports.zones })
    if (!due.ok) return due
    const missed = due.value.missed.find((one) => !refused.has(`${name} ${one.due}`))
    if (missed !== undefined) return ok({ missed, entries })
    quiet.set(name, { of, until: due.value.next })
    return ok(null)
  }

  const record = async (
    schedule: Schedule,
    { missed, entries }: Found,
    signers: readonly IdentityInfo[],
    noted: (missed: MissedDue) => Promise<void>,
  ): Promise<Outcome<MissedDue | null>> => {
    const { name } = schedule
    const one: MissedDue = { schedule: name, due: missed.due }
    const key = `${name} ${missed.due}`
    if (!known.has(key)) await noted(one)
    known.add(key)
    const openSigner = signerOf(context, signerFor(name, entries, signers))
    const recorded = await recordMissed(ports, schedule, [missed], openSigner)
    if (!recorded.ok) {
      if (recorded.error.code === 'sealing.refused') refused.add(key)
      return recorded
    }
    context.notify({ kind: 'schedules-changed' })
    return ok(recorded.value > 0 ? one : null)
  }

  return {
    recordMissedRun: async (noted) => {
      if (session.demo) return ok(null)
      const signers = await ports.identities.list(identitiesFolder(folder))
      if (!signers.ok || signers.value.length === 0) return signers.ok ? ok(null) : signers
      return await firstOfSchedules(context, async (schedule) => {
        const found = await find(schedule)
        if (!found.ok) return found
        return found.value === null ? ok(null) : await record(schedule, found.value, signers.value, noted)
      })
    },
  }
}

interface Found {
  readonly missed: { readonly due: string; readonly why: string }
  readonly entries: readonly LoggedEntry[]
}

/** The sealer that signed the schedule, otherwise the first connected one. Null where none is connected. */
function signerFor(schedule: string, entries: readonly LoggedEntry[], signers: readonly IdentityInfo[]): string | null {
  const plan = entries.findLast(({ entry }) => entry.kind === 'plan' && entry.schedule === schedule)?.entry
  const own = signers.find(({ fingerprint }) => plan?.kind === 'plan' && fingerprint === plan.signer)
  return (own ?? signers[0])?.name ?? null
}

import { failureWords } from '../../../schemas/failure-words.ts'
import type { Planned, Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Failure, Outcome } from '../../core/failure.ts'
import { chainFolderOf, packOfRun } from '../../core/layout.ts'
import type { Signer } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import type { GapEntry, LoggedEntry } from '../../core/run-chain/entry.ts'
import { appendSigned } from '../append-signed.ts'
import type { Attempt } from './attempts.ts'
import { answeredDue } from './plan-run.ts'

export interface MissedRun {
  readonly due: string
  readonly why: string
}

/**
 * Enters due times without a run into the fleet’s chain, each signed, in one operation; returns how many were entered.
 * Due times that have an entry by now are omitted; a run of `unwritten` does not count, since its pack does not exist.
 * Fails as appendSigned() does.
 */
export async function recordMissed(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>,
  { name, out, fleetName }: Pick<Schedule, 'name' | 'out' | 'fleetName'>,
  missed: readonly MissedRun[],
  openSigner: () => Promise<Outcome<Signer>>,
  unwritten: ReadonlySet<string> = new Set(),
): Promise<Outcome<number>> {
  if (missed.length === 0) return ok(0)
  let entered = 0
  const recorded = await appendSigned(
    ports,
    { fleet: fleetName, chainFolder: chainFolderOf(out, fleetName), openSigner, begin: true },
    (at, signer, chain) => {
      const answered = answeredDue(name, withoutRuns(chain.entries, unwritten))
      const gaps = missed
        .filter(({ due }) => !answered.has(Date.parse(due)))
        .map(({ due, why }): GapEntry => ({ kind: 'gap', schedule: name, due, at, fleet: fleetName, why, signer }))
      entered = gaps.length
      return ok(gaps)
    },
  )
  return recorded.ok ? ok(entered) : recorded
}

export const withoutRuns = (entries: readonly LoggedEntry[], runs: ReadonlySet<string>): readonly LoggedEntry[] =>
  entries.filter(({ entry }) => entry.kind !== 'run' || !runs.has(entry.run))

/**
 * Runs that the chain names and whose packs were never written: an entry precedes its pack. Only of due times whose
 * last start did not finish, since a pack that was deleted later had been sealed.
 */
export async function unwrittenRuns(
  ports: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'name' | 'out'>,
  entries: readonly LoggedEntry[],
  attempts: readonly Attempt[],
): Promise<ReadonlySet<string>> {
  const last = new Map(attempts.map(({ due, code }) => [due, code]))
  const found = new Set<string>()
  for (const [due, code] of last) {
    if (due === null || (code !== 'going' && code !== 'failed')) continue
    const run = await unwrittenRun(ports, schedule, entries, due)
    if (run !== null) found.add(run)
  }
  return found
}

/** The run of one due time that the chain names and whose pack does not exist; null where there is none. */
export async function unwrittenRun(
  { files }: Pick<Ports, 'files'>,
  { name, out }: Pick<Schedule, 'name' | 'out'>,
  entries: readonly LoggedEntry[],
  due: string,
): Promise<string | null> {
  const last = entries.findLast(({ entry }) => entry.kind === 'run' && isFor(entry.planned, name, due))?.entry
  if (last?.kind !== 'run') return null
  return (await files.isThere(packOfRun(out, last.run))) ? null : last.run
}

const isFor = (planned: Planned | undefined, name: string, due: string): boolean =>
  planned !== undefined && planned.schedule === name && Date.parse(planned.due) === Date.parse(due)

/** Why a due time has no run, according to the starts of the schedule. */
export function whyMissed(due: string, attempts: readonly Attempt[]): string {
  const last = attempts.findLast((one) => one.due !== null && Date.parse(one.due) === Date.parse(due))
  if (last === undefined) return 'No run was started: the computer was off or asleep, or its timer did not fire.'
  if (last.code === 'overlap') return 'No run was started: the previous run was still in progress.'
  if (last.code === 'going') return `A run was started at ${last.startedAt} and did not finish.`
  if (last.code === 'stopped')
    return `A run was started at ${last.startedAt} and stopped before any node was collected.`
  if (last.code === 'failed') return `A run was started at ${last.startedAt} and could not be exported.`
  return `A run was started at ${last.startedAt}, but the run chain has no entry of it.`
}

export const WHY_TOO_LATE = 'The run could start only long after it was due, and this schedule skips missed runs.'

/** The title of the failure. Its detail is not entered into the chain: it may contain paths and addresses. */
export const whyFailed = ({ code }: Failure): string =>
  `A run was started and nothing could be exported: ${failureWords[code].title} (${code}).`

import type { Schedule } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { RunResult } from '../run.ts'

/** Failures that may be temporary. A refused login is never retried: it could lock an account. */
const PASSING: ReadonlySet<string> = new Set([
  'ssh.unreachable',
  'ssh.lost',
  'ssh.timed-out',
  'ssh.jump-failed',
  'ssh.channel-refused',
  'collector.no-answer',
  'collector.truncated',
  'collector.garbled',
  'collector.timed-out',
  'collector.sudo-slow',
])

/**
 * Nodes of a run that are retried: those that failed for a reason that may be temporary, and those that were not
 * attempted.
 */
export function worthAgain(population: readonly string[], { recordings }: Pick<RunResult, 'recordings'>): string[] {
  const failures = new Map(
    recordings.map(({ recording: { node, outcome } }) => [
      node.name,
      outcome.status === 'complete' ? null : (outcome.failure?.code ?? 'collector.truncated'),
    ]),
  )
  // After several refused logins the other nodes were skipped on purpose.
  const leftAlone = [...failures.values()].includes('ssh.auth-refused')
  return population.filter((node) => {
    const failure = failures.get(node)
    if (failure === undefined) return !leftAlone
    return failure !== null && PASSING.has(failure)
  })
}

interface Collecting<C> {
  readonly first: () => Promise<Outcome<C>>
  /** Resumes this run and collects what is missing from these nodes. */
  readonly again: (run: string, nodes: readonly string[]) => Promise<Outcome<C>>
  readonly retries: Schedule['retries']
  /** Resolves after so many milliseconds, or when the run is to stop. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
  readonly report: (text: string) => void
}

/**
 * Collects, and retries incomplete nodes as often as the schedule allows. Collected evidence is never lost in a later
 * attempt.
 */
export async function collectAgain<C extends { readonly population: readonly string[]; readonly result: RunResult }>({
  first,
  again,
  retries,
  wait,
  signal,
  report: say,
}: Collecting<C>): Promise<Outcome<C>> {
  const begun = await first()
  if (!begun.ok) return begun
  let collected = begun.value
  for (let tried = 1; tried <= retries.times; tried += 1) {
    const nodes = worthAgain(collected.population, collected.result)
    if (nodes.length === 0 || collected.result.cancelled) break
    say(
      `${nodes.length} of ${collected.population.length} nodes were not collected completely; retrying in ${retries.waitMinutes} min (${tried} of ${retries.times}).`,
    )
    await wait(retries.waitMinutes * 60_000)
    if (signal.aborted) break
    const more = await again(collected.result.run, nodes)
    if (!more.ok) {
      say(`The retry failed: ${more.error.code}.`)
      break
    }
    collected = { ...collected, result: merged(collected.result, more.value.result) }
  }
  return ok(collected)
}

/** The later recording of each node. */
function merged(before: RunResult, after: RunResult): RunResult {
  const later = new Map(after.recordings.map((one) => [one.recording.node.name, one]))
  const kept = before.recordings.filter(({ recording }) => !later.has(recording.node.name))
  return { ...after, recordings: [...kept, ...after.recordings] }
}

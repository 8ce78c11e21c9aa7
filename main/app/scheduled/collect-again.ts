import type { Schedule } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { RunResult } from '../run.ts'

/** Failures that may be gone a while later. A refused login is never tried again: it could lock an account. */
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

/** Nodes of a run that are worth asking again: those that failed for a reason that may pass, and those that nobody came to. */
export function worthAgain(population: readonly string[], { recordings }: Pick<RunResult, 'recordings'>): string[] {
  const failures = new Map(
    recordings.map(({ recording: { node, outcome } }) => [
      node.name,
      outcome.status === 'complete' ? null : (outcome.failure?.code ?? 'collector.truncated'),
    ]),
  )
  // After several refused logins the rest was left alone on purpose.
  const leftAlone = [...failures.values()].includes('ssh.auth-refused')
  return population.filter((node) => {
    const failure = failures.get(node)
    if (failure === undefined) return !leftAlone
    return failure !== null && PASSING.has(failure)
  })
}

interface Collecting<C> {
  readonly first: () => Promise<Outcome<C>>
  /** Goes on with this run, asking these nodes for what is missing. */
  readonly again: (run: string, nodes: readonly string[]) => Promise<Outcome<C>>
  readonly retries: Schedule['retries']
  /** Resolves after so many milliseconds, or when the run is to stop. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

/** Collects, and goes on with the nodes that are missing as often as the schedule says. What was collected is never lost to a later try. */
export async function collectAgain<C extends { readonly population: readonly string[]; readonly result: RunResult }>({
  first,
  again,
  retries,
  wait,
  signal,
  say,
}: Collecting<C>): Promise<Outcome<C>> {
  const begun = await first()
  if (!begun.ok) return begun
  let collected = begun.value
  for (let tried = 1; tried <= retries.times; tried += 1) {
    const nodes = worthAgain(collected.population, collected.result)
    if (nodes.length === 0 || collected.result.cancelled) break
    say(
      `${nodes.length} of ${collected.population.length} nodes did not answer in full; they are asked again in ${retries.waitMinutes} min (${tried} of ${retries.times}).`,
    )
    await wait(retries.waitMinutes * 60_000)
    if (signal.aborted) break
    const more = await again(collected.result.run, nodes)
    if (!more.ok) {
      say(`They could not be asked again: ${more.error.code}.`)
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

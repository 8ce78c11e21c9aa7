import type { Ports } from '../core/all-ports.ts'
import type { Outcome } from '../core/failure.ts'
import type { KeptRun } from '../core/history.ts'

/** Stores a run in the history below a folder. Fails with store.failed or input.refused: see HistoryStore. */
export async function keepRun(
  world: Pick<Ports, 'openHistory'>,
  folder: string,
  kept: KeptRun,
): Promise<Outcome<null>> {
  const history = await world.openHistory(folder)
  if (!history.ok) return history
  return await history.value.keep(kept)
}

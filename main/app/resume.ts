import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { compare } from '../core/recording.ts'
import { ok } from '../core/result.ts'

/** The latest run in a store: run names begin with their UTC minute, so the greatest name is the latest. */
export async function latestRun(world: Pick<Ports, 'openStore'>, storeFolder: string): Promise<Outcome<string>> {
  const store = await world.openStore(storeFolder)
  if (!store.ok) return store
  const runs = await store.value.runs()
  if (!runs.ok) return runs
  const latest = [...runs.value].sort(compare).at(-1)
  return latest === undefined ? fail('input.not-found', `there is no run to resume in ${storeFolder}`) : ok(latest)
}

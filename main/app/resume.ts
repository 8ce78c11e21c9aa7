import { fail, type Outcome } from '../core/failure.ts'
import { compare } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'

/**
 * The latest run in a store: run names begin with their UTC minute, so the greatest name is the latest. `tell` gets what a person should
 * know of the store.
 */
export async function latestRun(
  world: World,
  storeFolder: string,
  tell: (text: string) => void,
): Promise<Outcome<string>> {
  const store = await world.openStore(storeFolder)
  if (!store.ok) return store
  for (const text of store.value.told) tell(text)
  const runs = await store.value.runs()
  store.value.close()
  if (!runs.ok) return runs
  const latest = [...runs.value].sort(compare).at(-1)
  return latest === undefined ? fail('input.not-found', `there is no run to resume in ${storeFolder}`) : ok(latest)
}

import type { EngineContext } from './context.ts'
import { inTurn } from './kept-json.ts'

type Turn = ReturnType<typeof inTurn>
/**
 * What two calls must not change at once, whichever methods they are: the current fleet with the run that is started or
 * shown, the open pack, the list of trust anchors, the signing identities. A call that needs two locks takes them in
 * this order.
 */
type Shared = 'fleet' | 'pack' | 'anchors' | 'identities'

const turns = new WeakMap<object, Map<string, Turn>>()

/** One queue for a resource that several groups of methods share. */
export function turnOf({ world, folder }: Pick<EngineContext, 'world' | 'folder'>, what: Shared): Turn {
  const own = turns.get(world) ?? new Map<string, Turn>()
  turns.set(world, own)
  const key = `${what} ${folder}`
  const turn = own.get(key) ?? inTurn()
  own.set(key, turn)
  return turn
}

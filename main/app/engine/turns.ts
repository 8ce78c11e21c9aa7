import type { EngineContext } from './context.ts'
import { inTurn } from './kept-json.ts'

type Turn = ReturnType<typeof inTurn>
/**
 * What two calls must not change at once, whichever methods they are: the current fleet with the run that is begun or shown, the open pack, the
 * list of trust anchors, the signing identities. Who needs two takes them in this order.
 */
type Shared = 'fleet' | 'pack' | 'anchors' | 'identities'

const turns = new WeakMap<object, Map<string, Turn>>()

/** The one queue for something that several groups of methods share. */
export function turnOf({ world, folder }: Pick<EngineContext, 'world' | 'folder'>, what: Shared): Turn {
  const own = turns.get(world) ?? new Map<string, Turn>()
  turns.set(world, own)
  const key = `${what} ${folder}`
  const turn = own.get(key) ?? inTurn()
  own.set(key, turn)
  return turn
}

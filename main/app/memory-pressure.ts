import type { World } from '../core/world.ts'

/** So many nodes leave garbage that is worth the time it takes to look for it. */
const NODES = 50

/** Gives back memory after every so many nodes. */
export function tidyAfter({ tidyMemory }: Pick<World, 'tidyMemory'>, nodes: number): void {
  if (nodes > 0 && nodes % NODES === 0) tidyMemory()
}

/** Gives back memory after one part of the work over so many nodes: of a large fleet each leaves more garbage than all that the next needs. */
export function collectGarbageBetween({ tidyMemory }: Pick<World, 'tidyMemory'>, nodes: number): void {
  if (nodes > NODES) tidyMemory()
}

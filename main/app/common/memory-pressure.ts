import type { Ports } from '../../core/all-ports.ts'

/** After this many nodes, the garbage justifies the time of a collection. */
const NODES = 50

/** Collects garbage after every NODES nodes. */
export function tidyAfter({ tidyMemory }: Pick<Ports, 'tidyMemory'>, nodes: number): void {
  if (nodes > 0 && nodes % NODES === 0) tidyMemory()
}

/**
 * Collects garbage between two stages over this many nodes: with a large fleet, the garbage of a stage takes more
 * memory than the next stage needs.
 */
export function collectGarbageBetween({ tidyMemory }: Pick<Ports, 'tidyMemory'>, nodes: number): void {
  if (nodes > NODES) tidyMemory()
}

import type { LocationArgument } from '../../core/catalog.ts'
import type { Probe } from '../../core/probe.ts'

/** One statement of where a node is, before it cites captures. */
export type Found = LocationArgument['signals'][number]

/** What the party that administers the node, or its network, states: a country at most, never a point on the map. */
export const asserted = (
  id: string,
  country: string | null,
  text: string,
  probe: Probe<unknown>,
  ...commands: readonly string[]
): Found => ({
  id,
  class: 'E5',
  hint: false,
  country,
  place: null,
  text,
  probe: probe.id,
  ...(commands.length === 0 ? {} : { commands }),
})

/** Something that anyone can choose, such as a name: shown, and counted nowhere. */
export const hinted = (...said: Parameters<typeof asserted>): Found => ({ ...asserted(...said), hint: true })

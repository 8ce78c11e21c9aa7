import type { Figure } from '../../../schemas/figure.ts'
import type { Place } from '../../../schemas/types.ts'
import { drawnLand } from '../location/peers.ts'
import { fleetMap } from './fleet-map.ts'

/**
 * The map of a fleet before any collection, from declarations only. Null where no place is declared. No rule uses it,
 * so it is not part of the rules module.
 */
export const declaredMap = (places: readonly Place[]): Figure | null =>
  fleetMap(
    places.map((claim) => ({ location: { claim, results: [], distanceBounds: [] } })),
    drawnLand(),
  )

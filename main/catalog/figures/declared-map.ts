import type { Figure } from '../../../schemas/figure.ts'
import type { Place } from '../../../schemas/types.ts'
import { drawnLand } from '../location/peers.ts'
import { fleetMap } from './fleet-map.ts'

/**
 * The map of a fleet before any collection, from declarations only, so that it states no result. Null where no place is
 * declared. No rule uses it, so it is not part of the rules module.
 */
export function declaredMap(places: readonly Place[]): Figure | null {
  const figure = fleetMap(
    places.map((claim) => ({ location: { claim, results: [], distanceBounds: [] } })),
    drawnLand(),
  )
  return (
    figure && {
      ...figure,
      title: 'Declared places of nodes',
      caption: 'Each hatched area is a declared place at its declared size.',
      legend: figure.legend.map(({ sample }) => ({ sample, text: 'Declared place, at its declared size' })),
      table: { head: figure.table.head.slice(0, -1), rows: figure.table.rows.map((row) => row.slice(0, -1)) },
    }
  )
}

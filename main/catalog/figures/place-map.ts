import type { Figure } from '../../../schemas/figure.ts'
import type { PlacePoint, PlaceView } from '../../../schemas/ipc-declarations.ts'
import { cos } from '../../core/elementary.ts'
import { type MapView, mapView } from '../../core/geo/map.ts'
import { drawnLand } from '../location/timing.ts'
import { FRAME, landMarks, mapEdge } from './location-map.ts'
import { place, scaleBar } from './map-marks.ts'
import { FIGURE_WIDTH } from './marks.ts'

/** The part of the Earth that is shown: all of it where no middle is given. */
const viewOf = ({ middle, km }: PlaceView): MapView =>
  mapView(middle === null ? [] : [{ center: middle, radiusKm: km }], FRAME)

/** A map on which the coordinates of one place are chosen, with the place as declared so far. */
export function placeMap(shown: PlaceView, declared: (PlacePoint & { readonly radiusKm: number }) | null): Figure {
  const view = viewOf(shown)
  return {
    kind: 'location-map',
    title: 'Coordinates of the place',
    caption: 'The hatched area is the place as entered, with its radius.',
    width: FIGURE_WIDTH,
    height: view.frame.height + 1,
    marks: [
      ...landMarks(view, drawnLand()),
      ...(declared === null ? [] : place(view, { center: declared, radiusKm: declared.radiusKm }, 'plain')),
      ...scaleBar(view),
      ...mapEdge(view),
    ],
    legend: [],
    table: { head: [], rows: [] },
  }
}

const COARSE_DEGREES = 10
const FINEST_DEGREES = 1e-4
const AROUND = [-1, 0, 1].flatMap((north) => [-1, 0, 1].map((east) => [north, east] as const))

/**
 * The coordinates at a point of that map, to as many decimals as the map shows; null beside the Earth. The projection is the one that draws the
 * map, searched for the point, so that both can never differ.
 */
export function pointOnMap(shown: PlaceView, x: number, y: number): PlacePoint | null {
  const view = viewOf(shown)
  const off = (point: PlacePoint): number => {
    const at = view.at(point)
    return at === null ? Number.POSITIVE_INFINITY : (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y)
  }
  let best = startOf(shown)
    .map((point) => ({ point, off: off(point) }))
    .reduce((nearest, one) => (one.off < nearest.off ? one : nearest))
  for (let step = COARSE_DEGREES; step > FINEST_DEGREES; ) {
    const better = neighbours(best.point, step)
      .map((point) => ({ point, off: off(point) }))
      .reduce((nearest, one) => (one.off < nearest.off ? one : nearest))
    if (better.off < best.off) best = better
    else step /= 2
  }
  return best.off > 1 ? null : rounded(best.point, view.kmPerPoint)
}

function startOf({ middle }: PlaceView): readonly PlacePoint[] {
  if (middle !== null) return [middle]
  const all: PlacePoint[] = []
  for (let latitude = -80; latitude <= 80; latitude += COARSE_DEGREES)
    for (let longitude = -175; longitude < 180; longitude += COARSE_DEGREES) all.push({ latitude, longitude })
  return all
}

function neighbours({ latitude, longitude }: PlacePoint, step: number): readonly PlacePoint[] {
  // Degrees of longitude get shorter towards the poles; a step is about as long in each direction.
  const wide = step / Math.max(0.05, cos((latitude * Math.PI) / 180))
  return AROUND.map(([north, east]) => ({
    latitude: Math.min(90, Math.max(-90, latitude + north * step)),
    longitude: ((longitude + east * wide + 540) % 360) - 180,
  }))
}

/** A point of the map is some kilometres wide: more decimals would state what nobody chose. */
function rounded({ latitude, longitude }: PlacePoint, kmPerPoint: number | null): PlacePoint {
  const factor = kmPerPoint === null || kmPerPoint > 5 ? 10 : 100
  const to = (value: number): number => Math.round(value * factor) / factor
  return { latitude: to(latitude), longitude: to(longitude) }
}

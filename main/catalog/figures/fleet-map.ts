import type { Figure, FigureTone } from '../../../schemas/figure.ts'
import type { PlacePoint, PlaceView } from '../../../schemas/ipc-declarations.ts'
import { locationVerdictWords } from '../../../schemas/location-words.ts'
import type { DistanceBound, Location, LocationResult, Place } from '../../../schemas/types.ts'
import { cos } from '../../core/base/elementary.ts'
import { alike } from '../../core/base/grouping.ts'
import { plain } from '../../core/base/plain-text.ts'
import { LOCATION_VERDICTS, worstVerdict } from '../../core/conclusion/location-verdicts.ts'
import type { DrawnLand } from '../../core/geo/atlas.ts'
import { type MapView, mapView } from '../../core/geo/map.ts'
import { drawnLand } from '../location/peers.ts'
import { discOf, FRAME, landMarks, MEASURED_FROM, mapEdge, placeText } from './location-map.ts'
import { areaKey, boxOf, FIGURE_WIDTH, type Name, names, place, scaleBar, square, squaresOf } from './marks.ts'

type Verdict = LocationResult['result']

const TONES: Readonly<Record<Verdict, FigureTone>> = {
  contradicted: 'against',
  conflicting: 'unclear',
  bounded: 'for',
  corroborated: 'for',
  uncorroborated: 'plain',
  undetermined: 'plain',
}

const KEYS: readonly (readonly [tone: FigureTone, text: string])[] = [
  ['against', 'Declared place: contradicted for at least one node'],
  ['unclear', 'Declared place: conflicting evidence for at least one node'],
  ['for', 'Declared place: bounded or corroborated for every node'],
  ['plain', 'Declared place: not corroborated or undetermined for at least one node'],
]

interface Site {
  readonly place: Place
  readonly nodes: number
  readonly counts: ReadonlyMap<Verdict, number>
  readonly tone: FigureTone
}

/** The data drawn for a node: its declared place, and its location results if any. */
interface LocatedNode {
  readonly location?: Pick<Location, 'claim' | 'results' | 'distanceBounds'> | null | undefined
}

/**
 * Where the nodes of a fleet are declared to be, and the vantage points that measured them. Null where no place was
 * declared.
 */
export function fleetMap(nodes: readonly LocatedNode[], land: DrawnLand): Figure | null {
  const located = nodes.flatMap(({ location }) => location ?? [])
  const sites = alike(
    located.filter(({ claim }) => claim !== null),
    ({ claim }) => `${claim?.latitude} ${claim?.longitude} ${claim?.radiusKm}`,
  ).flatMap((group): readonly Site[] => {
    const found = group.map(({ results }) => worstVerdict(results))
    const claim = group[0]?.claim
    if (claim == null) return []
    const counts = new Map(
      LOCATION_VERDICTS.map((verdict) => [verdict, found.filter((one) => one === verdict).length] as const),
    )
    const worst = LOCATION_VERDICTS.find((verdict) => (counts.get(verdict) ?? 0) > 0) ?? 'undetermined'
    return [{ place: claim, nodes: group.length, counts, tone: TONES[worst] }]
  })
  if (sites.length === 0) return null
  const vantages = alike(
    located.flatMap(({ distanceBounds }) => distanceBounds),
    ({ vantage }) => `${vantage.latitude} ${vantage.longitude} ${vantage.name}`,
  ).flatMap((group): readonly { readonly vantage: Place; readonly discs: readonly DistanceBound[] }[] =>
    group[0] === undefined ? [] : [{ vantage: group[0].vantage, discs: group }],
  )
  const view = mapView(
    [...sites.map((site) => site.place), ...vantages.map(({ vantage }) => vantage)].map(discOf),
    FRAME,
  )
  const stood = squaresOf(
    view,
    vantages.map(({ vantage }) => vantage),
  )
  return {
    kind: 'location-map',
    title: 'Declared places of nodes and vantage points',
    caption:
      'Each hatched area is a declared place at its declared size. It shows where nodes are declared to be; the table lists the supporting evidence.',
    width: FIGURE_WIDTH,
    height: view.frame.height + 1,
    marks: [
      ...landMarks(view, land),
      ...sites.flatMap((site) => place(view, discOf(site.place), site.tone)),
      ...stood.map(square),
      ...names(
        view,
        [
          // The smallest first: a name beside a wide place leaves the points in it alone.
          ...[...sites]
            .sort((a, b) => a.place.radiusKm - b.place.radiusKm)
            .flatMap((site): readonly Name[] => {
              const at = view.at(site.place)
              const area = boxOf(view, discOf(site.place))
              return at === null
                ? []
                : [
                    {
                      at,
                      text: site.place.name,
                      end: `: ${site.nodes}`,
                      bold: true,
                      ...(area === null ? {} : { area }),
                    },
                  ]
            }),
          ...vantages.flatMap(({ vantage }): readonly Name[] => {
            const at = view.at(vantage)
            return at === null ? [] : [{ at, text: vantage.name }]
          }),
        ],
        stood,
      ),
      ...scaleBar(view),
      ...mapEdge(view),
    ],
    legend: [
      ...KEYS.filter(([tone]) => sites.some((site) => site.tone === tone)).map(([tone, text]) =>
        areaKey(text, tone, 'hatched', { weight: 2, dashed: false }),
      ),
      ...(stood.length === 0 ? [] : [MEASURED_FROM]),
    ],
    table: {
      head: ['Place', 'Declared by', 'Nodes', 'Verdicts, the worst of each node'],
      rows: [
        ...sites.map((site) => [
          `Declared: ${placeText(site.place)}`,
          plain(site.place.declaredBy, 80),
          `${site.nodes}`,
          LOCATION_VERDICTS.flatMap((verdict) => {
            const count = site.counts.get(verdict) ?? 0
            return count === 0 ? [] : [`${count} ${locationVerdictWords[verdict].label.toLowerCase()}`]
          }).join(', '),
        ]),
        ...vantages.map(({ vantage, discs }) => [
          `Measured from: ${placeText(vantage)}`,
          plain(vantage.declaredBy, 80),
          `${discs.length}`,
          '',
        ]),
      ],
    },
  }
}

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
 * The coordinates at a point of that map, to as many decimals as the map shows; null outside the Earth. The projection that draws the map is searched
 * for the point, so that the two cannot differ.
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

/** A point of the map is some kilometres wide: more decimals would state a precision that is not there. */
function rounded({ latitude, longitude }: PlacePoint, kmPerPoint: number | null): PlacePoint {
  const factor = kmPerPoint === null || kmPerPoint > 5 ? 10 : 100
  const to = (value: number): number => Math.round(value * factor) / factor
  return { latitude: to(latitude), longitude: to(longitude) }
}

import type { Figure, FigureKey, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import type { DistanceBound, Location, Place } from '../../../schemas/types.ts'
import { plain } from '../../core/base/plain-text.ts'
import { type DrawnLand, landRings } from '../../core/geo/atlas.ts'
import type { Disc, Region } from '../../core/geo/geodesy.ts'
import { cornersOutline, FARTHEST_KM, type MapView, mapView } from '../../core/geo/map.ts'
import type { XY } from '../../core/geo/thin.ts'
import {
  area,
  areaKey,
  box,
  edge,
  edgeOfAll,
  FIGURE_WIDTH,
  line,
  type Name,
  names,
  place,
  scaleBar,
  square,
  squareKey,
  squaresOf,
  within,
} from './marks.ts'

/** Where nodes are required to be, as a map can show it. */
export interface DrawnPolicy {
  readonly title: string
  readonly region: Region
}

export const FRAME = { left: 0.5, top: 0.5, width: FIGURE_WIDTH - 1, height: 280 } as const
const THIN = { weight: 1, dashed: false } as const
const DASHED = { weight: 1, dashed: true } as const
const HEAVY = { weight: 3, dashed: false } as const
/** More countries fill the picture with hatching that shows nothing. */
const MOST_COUNTRIES = 40

interface Reach extends DistanceBound {
  readonly disc: Disc
}

/**
 * Where a node is declared to be, how far away it can be by each round trip, and the remaining area by all of them.
 * Never a pin: each place is an area. Null where nothing is declared and no time gives a bound.
 */
export function locationMap(location: Location, policies: readonly DrawnPolicy[], land: DrawnLand): Figure | null {
  const { claim, distanceBounds } = location
  const reaches = distanceBounds
    .flatMap((one): readonly Reach[] =>
      one.maxDistanceKm === null || one.maxDistanceKm >= FARTHEST_KM
        ? []
        : [{ ...one, disc: { center: one.vantage, radiusKm: one.maxDistanceKm } }],
    )
    .sort((a, b) => a.disc.radiusKm - b.disc.radiusKm)
  const claimed = claim === null ? [] : [discOf(claim)]
  const [nearest] = reaches
  if (claim === null && nearest === undefined) return null
  const edges = edgeOfAll(reaches.map(({ disc }) => disc))
  const apart = reaches.length > 1 && edges.length === 0
  // Times that exclude each other are seen only where all of them are in the picture.
  const held = apart ? reaches : reaches.slice(0, 1)
  const view = mapView([...claimed, ...held.map(({ disc }) => disc)], FRAME)
  const tone = toneOf(location)
  const stood = squaresOf(
    view,
    distanceBounds.map(({ vantage }) => vantage),
  )
  const policed = policies.flatMap(({ region }) => policyMarks(view, region, land))
  const estimates = distanceBounds.flatMap(({ vantage, estimateKm }) =>
    estimateKm === null || estimateKm >= FARTHEST_KM
      ? []
      : edge(view, { center: vantage, radiusKm: estimateKm }, 'plain', DASHED),
  )
  return {
    kind: 'location-map',
    title: 'Declared place and distance bounds',
    caption: captionOf(location, reaches.length, apart),
    width: FIGURE_WIDTH,
    height: view.frame.height + 1,
    marks: [
      ...landMarks(view, land),
      ...policed,
      ...(apart ? [] : commonMarks(view, reaches, tone)),
      ...(reaches.length < 2 ? [] : reaches.flatMap(({ disc }) => edge(view, disc, 'plain', THIN))),
      ...estimates,
      ...edges.flatMap((run) => view.pieces(run)).map((piece) => line(piece, tone, HEAVY)),
      ...claimed.flatMap((disc) => place(view, disc, 'plain')),
      ...stood.map(square),
      ...names(view, [...claimName(view, claim), ...vantageNames(view, distanceBounds)], stood),
      ...scaleBar(view),
      ...mapEdge(view),
    ],
    legend: [
      ...(claim === null ? [] : [DECLARED_PLACE]),
      ...(distanceBounds.length === 0 ? [] : [MEASURED_FROM]),
      ...(reaches.length < 2
        ? []
        : [areaKey('In reach of one round trip, at the speed of light', 'plain', 'none', THIN)]),
      ...(nearest === undefined || apart
        ? []
        : [areaKey('In reach of all: it can be anywhere here', tone, 'solid', HEAVY)]),
      ...(estimates.length === 0
        ? []
        : [areaKey('Estimate at the usual speed in fibre; decides nothing', 'plain', 'none', DASHED)]),
      ...(policed.length === 0 ? [] : [areaKey('Where it has to be', 'quiet', 'hatched', null)]),
    ],
    table: {
      head: HEAD,
      rows: [
        ...claimRows(claim),
        ...policyRows(policies),
        ...distanceBounds.map((one) => discRow(view, one)),
        ...commonRows(location, reaches.length, apart),
      ],
    },
  }
}

export const discOf = ({ latitude, longitude, radiusKm }: Place): Disc => ({
  center: { latitude, longitude },
  radiusKm,
})

/**
 * The result of the round-trip times for the declared place, otherwise for the first region that it is required to be
 * in.
 */
function toneOf({ results }: Location): FigureTone {
  const decided = results.find((one) => one.of === 'declared-place') ?? results[0]
  return TONES[decided?.delay ?? 'unusable']
}

const TONES: Readonly<Record<Location['results'][number]['delay'], FigureTone>> = {
  inside: 'for',
  outside: 'against',
  undecided: 'unclear',
  unusable: 'plain',
}

const DECLARED_PLACE: FigureKey = areaKey('Declared place, at its declared size', 'plain', 'hatched', {
  weight: 2,
  dashed: false,
})
export const MEASURED_FROM = squareKey([square([12, 5])], 'Where round trips were measured from')
export const landMarks = (view: MapView, land: DrawnLand): readonly FigureMark[] =>
  area(landRings(view, land), 'quiet', 'solid', 'solid')
/** The edge of a map: that of the Earth, or of the visible part. */
export const mapEdge = ({ frame: { left, top, width, height }, globe }: MapView): readonly FigureMark[] =>
  globe === null ? [box(left, top, width, height, 'quiet')] : area([globe], 'quiet', 'none', 'solid')

function captionOf({ claim }: Location, reaches: number, apart: boolean): string {
  if (reaches === 0)
    return 'The declared place. No usable round trip bounds where the node can be. Borders are for orientation.'
  if (apart)
    return 'The discs have no part in common, so at least one time or one declared place is wrong. This is no evidence against the node.'
  const where =
    'The holder of the SSH session keys is somewhere in the shaded area; delay does not show where in it, or whether that is the audited machine.'
  return claim === null ? where : `${where} Borders are for orientation.`
}

/** The common part of the discs: the smallest of them, cut by the others. */
function commonMarks(view: MapView, reaches: readonly Reach[], tone: FigureTone): readonly FigureMark[] {
  const [smallest, ...others] = reaches.map(({ disc }) => within(view, disc))
  return smallest === undefined ? [] : area(smallest, tone, 'solid', 'none', others)
}

function policyMarks(view: MapView, region: Region, land: DrawnLand): readonly FigureMark[] {
  if (region.kind === 'polygon') {
    const outline = cornersOutline(region.corners)
    return [
      ...area(view.rings([outline]), 'quiet', 'hatched'),
      ...outline.flatMap((ring) => view.pieces(ring)).map((piece) => line(piece, 'plain', DASHED)),
    ]
  }
  if (region.kind === 'disc') return area(within(view, region.disc), 'quiet', 'hatched')
  return region.codes.length > MOST_COUNTRIES
    ? []
    : area(landRings(view, land, new Set(region.codes)), 'quiet', 'hatched')
}

function claimName(view: MapView, claim: Place | null): readonly Name[] {
  const at = claim === null ? null : view.at(claim)
  if (claim === null || at === null) return []
  // Next to the area, not over it.
  const right = Math.max(
    at[0] + 4,
    ...within(view, discOf(claim))
      .flat()
      .map(([x]) => x),
  )
  const beside = right > FRAME.width - 60 ? at : ([right, at[1]] as const)
  return [{ at: beside, text: `Declared: ${claim.name}`, bold: true }]
}

const vantageNames = (view: MapView, discs: readonly DistanceBound[]): readonly Name[] =>
  discs.flatMap(({ vantage }) => {
    const at: XY | null = view.at(vantage)
    return at === null ? [] : [{ at, text: vantage.name }]
  })

const HEAD = ['Part', 'Declared by', 'Round trip', 'It can be away at most', 'From'] as const

const km = (value: number): string => `${Math.ceil(value)} km`
export const placeText = ({ name, country, latitude, longitude, radiusKm }: Place): string =>
  `${plain(name, 80)}${country === undefined ? '' : `, ${plain(country, 20)}`}, within ${radiusKm} km of ${latitude}, ${longitude}`

const claimRows = (claim: Place | null): readonly (readonly string[])[] =>
  claim === null ? [] : [[`Declared place: ${placeText(claim)}`, plain(claim.declaredBy, 80), '', '', '']]

const policyRows = (policies: readonly DrawnPolicy[]): readonly (readonly string[])[] =>
  policies.map(({ title }) => [`Has to be in: ${plain(title, 120)}`, 'fleet file', '', '', ''])

function discRow(view: MapView, one: DistanceBound): readonly string[] {
  const { vantage, milliseconds, maxDistanceKm, record } = one
  const unseen =
    maxDistanceKm !== null && edge(view, { center: vantage, radiusKm: maxDistanceKm }, 'plain', THIN).length === 0
  return [
    `Measured from: ${placeText(vantage)}`,
    plain(vantage.declaredBy, 80),
    milliseconds === null ? 'not usable' : `${milliseconds.toFixed(2)} ms`,
    maxDistanceKm === null
      ? 'not bounded'
      : maxDistanceKm >= FARTHEST_KM
        ? 'anywhere on Earth'
        : `${km(maxDistanceKm)}${unseen ? ', edge beyond the picture' : ''}`,
    record === null ? 'this collection' : `record ${plain(record, 60)}`,
  ]
}

function commonRows({ reachable }: Location, reaches: number, apart: boolean): readonly (readonly string[])[] {
  if (reaches === 0) return []
  const lands = reachable === null ? '' : reachable.length === 0 ? 'no land' : `land of ${reachable.join(', ')}`
  return [['In reach of all', '', '', apart ? 'nowhere: the times exclude each other' : lands, '']]
}

import { readFileSync, writeFileSync } from 'node:fs'
import { OVERLAYS, SHAPES, SPLITS, type Split } from './border-codes.ts'

const folder = new URL('../../main/catalog/location/', import.meta.url)
const atlas = (scale: string) => new URL(`../../node_modules/world-atlas/countries-${scale}.json`, import.meta.url)
const names = JSON.parse(readFileSync(new URL('countries.json', folder), 'utf8')) as {
  readonly names: Readonly<Record<string, string>>
}

const CODES = new Map(Object.entries(names.names).map(([code, name]) => [name, code]))

type Pair = readonly [number, number]
interface Topology {
  readonly transform: { readonly scale: Pair; readonly translate: Pair }
  readonly arcs: readonly (readonly Pair[])[]
  readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } }
}

type Geometry = { readonly properties: { readonly name: string } } & (
  | { readonly type: 'Polygon'; readonly arcs: readonly (readonly number[])[] }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] }
)
interface Shape {
  readonly codes: readonly string[]
  readonly polygons: readonly (readonly (readonly number[])[])[]
}

/** Numbers below 128 take one byte: seven bits each, the lowest first, and a mark that more follow; the sign is in the lowest bit. */
function varints(numbers: readonly number[]): number[] {
  return numbers.flatMap((signed) => {
    const bytes: number[] = []
    let rest = signed < 0 ? -2 * signed - 1 : 2 * signed
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
    return [...bytes, rest]
  })
}

function codesOf(name: string): readonly string[] {
  const listed = SHAPES[name]
  if (listed !== undefined) return listed
  const code = CODES.get(name)
  if (code === undefined) throw new Error(`no code for ${name}`)
  return [code]
}

/** Where a polygon of a topology lies: the middle of its first arc’s extent is enough for islands far from home. */
function middleOf(topology: Topology, polygon: readonly (readonly number[])[]): Pair {
  const { scale, translate } = topology.transform
  const extent = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number]
  for (const arc of polygon[0] ?? []) {
    let [x, y] = [0, 0]
    for (const [dx, dy] of topology.arcs[arc < 0 ? ~arc : arc] ?? []) {
      x += dx
      y += dy
      extent[0] = Math.min(extent[0], x)
      extent[1] = Math.min(extent[1], y)
      extent[2] = Math.max(extent[2], x)
      extent[3] = Math.max(extent[3], y)
    }
  }
  return [
    ((extent[0] + extent[2]) / 2) * scale[0] + translate[0],
    ((extent[1] + extent[3]) / 2) * scale[1] + translate[1],
  ]
}

const holds = ({ box: [south, west, north, east] }: Split, [longitude, latitude]: Pair): boolean =>
  south <= latitude && latitude <= north && west <= longitude && longitude <= east

function shapesOf(topology: Topology): Shape[] {
  return topology.objects.countries.geometries.flatMap((geometry) => {
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs
    const splits = SPLITS.filter(({ of }) => of === geometry.properties.name)
    const parts = splits.map((split) => ({
      codes: split.codes,
      polygons: polygons.filter((polygon) => holds(split, middleOf(topology, polygon))),
    }))
    const taken = new Set(parts.flatMap((part) => part.polygons))
    return [
      { codes: codesOf(geometry.properties.name), polygons: polygons.filter((polygon) => !taken.has(polygon)) },
      ...parts,
    ].filter((shape) => shape.polygons.length > 0)
  })
}

/** Land drawn here by hand, as closed arcs in the steps of the topology. */
function drawnByHand({ transform: { scale, translate } }: Topology): Pair[][] {
  return OVERLAYS.map(({ corners }) => {
    const points = [...corners, ...corners.slice(0, 1)].map(
      ([latitude, longitude]): Pair => [
        Math.round((longitude - translate[0]) / scale[0]),
        Math.round((latitude - translate[1]) / scale[1]),
      ],
    )
    return points.map(([x, y], at): Pair => {
      const before = points[at - 1] ?? [0, 0]
      return [x - before[0], y - before[1]]
    })
  })
}

/** The text of one of the packed files of borders. */
export function generateBorders(scale: '10m' | '50m'): string {
  const topology = JSON.parse(readFileSync(atlas(scale), 'utf8')) as Topology
  const byHand = scale === '10m' ? drawnByHand(topology) : []
  const arcs = [...topology.arcs, ...byHand]
  const shapes = [
    ...shapesOf(topology),
    ...byHand.map((_, at) => ({
      codes: OVERLAYS[at]?.codes ?? [],
      polygons: [[[topology.arcs.length + at]]],
    })),
  ]
  const packed = arcs.flatMap((arc) => varints([arc.length, ...arc.flat()]))
  return [
    '{',
    `"title": "Natural Earth 4.1.0, countries at 1:${scale === '10m' ? '10' : '50'},000,000 (public domain), as in world-atlas 2.0.2",`,
    '"asOf": "2018-05-21",',
    `"scale": ${JSON.stringify(topology.transform.scale)},`,
    `"translate": ${JSON.stringify(topology.transform.translate)},`,
    `"shapes": [\n${shapes.map((shape) => JSON.stringify(shape)).join(',\n')}\n],`,
    `"arcs": "${Buffer.from(packed).toString('base64')}"`,
    '}\n',
  ].join('\n')
}

if (process.argv[1]?.endsWith('generate-borders.ts') === true)
  for (const scale of ['10m', '50m'] as const)
    writeFileSync(new URL(`borders-${scale}.json`, folder), generateBorders(scale))

import { type PackedAtlas, readAtlas, ringOf } from '../../core/geo/atlas.ts'
import { bordersOf } from '../../core/geo/borders.ts'
import type { DrawnLand } from '../../core/geo/land.ts'
import type { Borders, Box } from '../../core/geo/region.ts'
import fine from './borders-10m.json' with { type: 'json' }
import coarse from './borders-50m.json' with { type: 'json' }

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A line of 0.2 mm at 1:10,000,000 is 2 km wide, and its manufacturers straightened what is narrower; the steps of the arcs add 0.3 km. */
const TOLERANCE_KM = 5

const packed: PackedAtlas = fine
const unpacked = once(() => bordersOf(readAtlas(packed), TOLERANCE_KM))

/**
 * Countries of the world by their land, for verdicts. Read when first asked. Land that several states hold or claim names each of them;
 * islands too small for 1:10,000,000 are missing.
 */
export const BORDERS: Borders = {
  landIn: (box: Box) => unpacked().landIn(box),
  toleranceKm: TOLERANCE_KM,
  codes: new Set(packed.shapes.flatMap(({ codes }) => codes)),
}

/** The same at 1:50,000,000, for drawing alone; of land with several codes, the first. */
export const drawnLand: () => DrawnLand = once(() => {
  const atlas = readAtlas(coarse)
  return atlas.shapes.map(({ codes, polygons }) => ({
    code: codes[0] ?? '',
    polygons: polygons.map((rings) => rings.map((ring) => ringOf(atlas, ring))),
  }))
})

import PDFDocument from 'pdfkit'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { drawArea } from '../../main/adapters/pdf/figure.ts'
import { FRAME, locationMap } from '../../main/catalog/figures/location-map.ts'
import { drawnLand } from '../../main/catalog/location/peers.ts'
import { landRings } from '../../main/core/geo/atlas.ts'
import { type MapView, mapView } from '../../main/core/geo/map.ts'
import type { XY } from '../../main/core/geo/thin.ts'
import { FigureView } from '../../renderer/parts/Figure.tsx'
import type { Figure, FigureMark } from '../../schemas/figure.ts'
import { discFrom, locationOf, placeOf } from '../support/location.ts'

type Area = Extract<FigureMark, { is: 'area' }>
type Rings = readonly (readonly XY[])[]

const land = drawnLand()
const worldFrom = (longitude: number): MapView =>
  mapView([{ center: { latitude: 39, longitude }, radiusKm: 19_000 }], FRAME)

/** Whether a point is painted where rings are filled by the even-odd rule. */
const isPainted = ([x, y]: XY, rings: Rings): boolean =>
  rings.reduce((inside, ring) => {
    let crossed = inside
    for (const [index, [ax, ay]] of ring.entries()) {
      const [bx, by] = ring[(index + 1) % ring.length] ?? [ax, ay]
      if (ay > y !== by > y && ax + ((y - ay) / (by - ay)) * (bx - ax) > x) crossed = !crossed
    }
    return crossed
  }, false)

const LAND = [
  ['Chad', 15, 19],
  ['Poland', 52, 19],
  ['Mongolia', 47, 104],
  ['India', 22, 78],
  ['Kansas', 38.5, -98],
  ['Brazil', -10, -55],
  ['Australia', -25, 135],
  ['Greenland', 72, -40],
  ['Chukotka, beyond the date line', 66, -174],
  ['Kamchatka', 56, 159],
  ['Antarctica, south of the Atlantic', -80, 10],
  ['Antarctica, on the date line', -85, 179],
  ['Antarctica, towards the pole', -83, -100],
] as const
const SEA = [
  ['the Atlantic', 0, -30],
  ['the Atlantic, north', 45, -35],
  ['the Pacific', 0, -150],
  ['the Pacific, on the date line', 40, 180],
  ['the Pacific, south', -40, -120],
  ['the Indian Ocean', -25, 80],
  ['the Southern Ocean', -58, 20],
  ['the Arctic Ocean', 86, 0],
  ['the Caspian Sea', 41.5, 51],
] as const
const CENTERS = [0, -77.49, 170, -175, 100]

/** What `Location.world` of the window and of the report is drawn from: a time so long that all of the Earth is in the picture. */
const figureFrom = (longitude: number): Figure => {
  const office = placeOf('Office', 39, longitude, 2)
  const figure = locationMap(locationOf({ distanceBounds: [discFrom(office, 90)], claim: null }), [], land)
  if (figure === null) throw new Error('no map')
  return figure
}

const landOf = ({ marks }: Figure): Area => {
  const drawn = marks.find((mark) => mark.is === 'area')
  if (drawn?.fill !== 'solid' || drawn.tone !== 'quiet') throw new Error('the first area of a map is its land')
  return drawn
}

/** Rings of a path that is closed with Z. */
const ringsOfPath = (path: string): Rings =>
  path
    .split('Z')
    .filter((part) => part !== '')
    .map((part) =>
      part
        .slice(1)
        .split('L')
        .map((pair): XY => {
          const [x, y] = pair.split(' ').map(Number)
          return [x ?? Number.NaN, y ?? Number.NaN]
        }),
    )

/** As the window paints it: the path that is filled, and by which rule. */
function paintedInWindow(figure: Figure): Rings {
  const html = renderToStaticMarkup(createElement(FigureView, { figure }))
  const [tag] = html.match(/<path class="figure-area figure-quiet solid"[^>]*>/) ?? []
  expect(tag).toContain('fill-rule="evenodd"')
  return ringsOfPath(tag?.match(/ d="([^"]*)"/)?.[1] ?? '')
}

/** As the report paints it: the operators before the one that fills by the even-odd rule (ISO 32000-1, 8.5.2 and 8.5.3). */
async function paintedInReport(mark: Area): Promise<Rings> {
  const doc = new PDFDocument({ compress: false, size: [600, 400], margin: 0 })
  const chunks: Buffer[] = []
  doc.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const ended = new Promise<void>((done) => void doc.on('end', done))
  drawArea(doc, mark, (x, y) => [x, y], 1)
  doc.end()
  await ended
  const content = Buffer.concat(chunks).toString('latin1')
  const rings: XY[][] = []
  for (const [, x, y, moves, fills] of content.matchAll(/^(?:(-?[\d.]+) (-?[\d.]+) ([ml])|(f\*))$/gm)) {
    if (fills !== undefined) return rings
    if (moves === 'm') rings.push([])
    rings.at(-1)?.push([Number(x), Number(y)])
  }
  throw new Error('nothing is filled by the even-odd rule')
}

describe('a map of the world', () => {
  describe.each(CENTERS)('centred on %s°', (longitude) => {
    const view = worldFrom(longitude)
    const rings = landRings(view, land)
    const where = (latitude: number, east: number): XY => {
      const at = view.at({ latitude, longitude: east })
      if (at === null) throw new Error('not in the picture')
      return at
    }
    test('is of the world', () => expect(view.kind).toBe('world'))
    test.each(LAND)('%s is filled', (_, latitude, east) => expect(isPainted(where(latitude, east), rings)).toBe(true))
    test.each(SEA)('%s is not', (_, latitude, east) => expect(isPainted(where(latitude, east), rings)).toBe(false))
  })

  test('no country covers sea that is far from it, drawn alone', () => {
    const view = worldFrom(0)
    const wrong = land.filter((country) => {
      const rings = landRings(view, [country])
      return SEA.some(([, latitude, longitude]) => {
        const at = view.at({ latitude, longitude })
        return at !== null && isPainted(at, rings)
      })
    })
    expect(wrong.map(({ code }) => code)).toEqual([])
  })

  test('the window and the report fill land, and not sea', async () => {
    for (const longitude of CENTERS) {
      const figure = figureFrom(longitude)
      const view = mapView([], FRAME)
      const turned = (latitude: number, east: number): XY => {
        const at = view.at({ latitude, longitude: ((east - longitude + 540) % 360) - 180 })
        if (at === null) throw new Error('not in the picture')
        return at
      }
      for (const rings of [paintedInWindow(figure), await paintedInReport(landOf(figure))]) {
        expect(LAND.filter(([, latitude, east]) => !isPainted(turned(latitude, east), rings))).toEqual([])
        expect(SEA.filter(([, latitude, east]) => isPainted(turned(latitude, east), rings))).toEqual([])
      }
    }
  })

  test('has a smooth edge, and none where a part of the Earth is shown', () => {
    const edge = worldFrom(30).globe
    if (edge === null) throw new Error('no edge')
    expect(edge.length).toBeGreaterThan(40)
    // A turn of more than 20° shows as a corner; the ends of the two straight lines of the poles are the only ones.
    const turns = edge.map((point, index) => {
      const before = edge[(index + edge.length - 1) % edge.length] ?? point
      const after = edge[(index + 1) % edge.length] ?? point
      const into = Math.atan2(point[1] - before[1], point[0] - before[0])
      const out = Math.atan2(after[1] - point[1], after[0] - point[0])
      return Math.abs(((((out - into) * 180) / Math.PI + 540) % 360) - 180)
    })
    expect(turns.filter((degrees) => degrees > 20).length).toBeLessThanOrEqual(4)
    expect(mapView([{ center: { latitude: 39, longitude: -77 }, radiusKm: 500 }], FRAME).globe).toBeNull()
  })
})

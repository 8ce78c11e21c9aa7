import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { declaredMap } from '../main/catalog/figures/declared-map.ts'
import { fleetMap } from '../main/catalog/figures/fleet-map.ts'
import { type DrawnPolicy, locationMap } from '../main/catalog/figures/location-map.ts'
import { drawnLand } from '../main/catalog/location/peers.ts'
import { commonEdge, cornersOutline, discOutline, mapView } from '../main/core/geo/map.ts'
import { thinnedLine, thinnedRing } from '../main/core/geo/thin.ts'
import type { Figure, FigureMark } from '../schemas/figure.ts'
import type { Location, NodeAssessment, Place } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { ASHBURN, answerOf, discFrom, locationOf, placeOf } from './support/location.ts'

const land = drawnLand()
const mapOf = (location: Location, policies: readonly DrawnPolicy[] = [], drawn = land): Figure => {
  const figure = locationMap(location, policies, drawn)
  if (figure === null) throw new Error('no map')
  return figure
}

const areas = ({ marks }: Figure): readonly Extract<FigureMark, { is: 'area' }>[] =>
  marks.filter((mark) => mark.is === 'area')
const legend = (figure: Figure): readonly string[] => figure.legend.map(({ text }) => text)

const DALLAS = placeOf('Dallas', 32.8, -96.8, 5)
const DENVER = placeOf('Denver', 39.7, -104.9, 5)
const OFFICE = placeOf('Office', 39.04, -77.49, 2)

describe('the map of a node', () => {
  it('shows the declared place as a hatched area, also where it is declared to the point', () => {
    for (const radiusKm of [0, 60, 1500]) {
      const hatched = areas(mapOf(locationOf({ claim: { ...ASHBURN, radiusKm } }))).filter(
        ({ fill }) => fill === 'hatched',
      )
      expect(hatched).toHaveLength(1)
      const across = hatched.flatMap(({ rings }) => rings.flat().map(([x]) => x))
      expect(Math.max(...across) - Math.min(...across)).toBeGreaterThanOrEqual(6)
    }
  })

  it('cuts the smallest disc by all others, and draws the edge of what is left', () => {
    const figure = mapOf(
      locationOf({ distanceBounds: [discFrom(DALLAS, 24), discFrom(OFFICE, 12), discFrom(DENVER, 15)] }),
    )
    const [common] = areas(figure).filter(({ fill, tone }) => fill === 'solid' && tone === 'unclear')
    expect(common?.within).toHaveLength(2)
    expect(figure.marks.filter((mark) => mark.is === 'line' && mark.weight === 3).length).toBeGreaterThan(0)
    expect(legend(figure)).toContain('In reach of all: it can be anywhere here')
  })

  it('states that times exclude each other, and shades nothing', () => {
    const figure = mapOf(locationOf({ distanceBounds: [discFrom(DALLAS, 4), discFrom(OFFICE, 2)] }))
    expect(areas(figure).filter(({ fill, tone }) => fill === 'solid' && tone !== 'quiet')).toEqual([])
    expect(figure.caption).toContain('no evidence against the node')
    expect(figure.table.rows.at(-1)?.[3]).toBe('nowhere: the times exclude each other')
  })

  it('draws estimates broken, and states that they decide nothing', () => {
    const figure = mapOf(locationOf({ distanceBounds: [discFrom(OFFICE, 3)] }))
    expect(figure.marks.some((mark) => mark.is === 'line' && mark.dashed)).toBe(true)
    expect(legend(figure)).toContain('Estimate at the usual speed in fibre; decides nothing')
  })

  it('is of the whole world where that is what the times allow', () => {
    const figure = mapOf(locationOf({ distanceBounds: [discFrom(OFFICE, 90)] }))
    expect(figure.height).toBeLessThan(300)
    expect(figure.marks.some((mark) => mark.is === 'text' && mark.text.endsWith(' km'))).toBe(false)
  })

  it('bounds nothing by a time that light would take all around the Earth', () => {
    const figure = mapOf(
      locationOf({
        distanceBounds: [discFrom(OFFICE, 200), discFrom(DALLAS, 1, { milliseconds: null, maxDistanceKm: null })],
      }),
    )
    expect(figure.table.rows.map((row) => row[3])).toEqual(['', 'anywhere on Earth', 'not bounded'])
    expect(figure.caption).toContain('No usable round trip bounds')
  })

  it('shows the same in its table: who declared, how long, how far, from which record', () => {
    const figure = mapOf(
      locationOf({ distanceBounds: [discFrom(DALLAS, 24, { record: 'dallas-1' })], reachable: ['MX', 'US'] }),
    )
    expect(figure.table.rows).toEqual([
      ['Declared place: Ashburn, US, within 60 km of 39.04, -77.48', 'M. Ortiz', '', '', ''],
      ['Measured from: Dallas, within 5 km of 32.8, -96.8', 'M. Ortiz', '24.00 ms', '3605 km', 'record dallas-1'],
      ['In reach of all', '', '', 'land of MX, US', ''],
    ])
  })

  it('hatches the countries of a policy, or its polygon', () => {
    const distanceBounds = [discFrom(DALLAS, 12)]
    const countries = mapOf(locationOf({ distanceBounds }), [
      { title: 'North America', region: { kind: 'countries', codes: ['US', 'CA'] } },
    ])
    const polygon = mapOf(locationOf({ distanceBounds }), [
      { title: 'East', region: { kind: 'polygon', corners: [OFFICE, DALLAS, placeOf('Chicago', 41.9, -87.6, 1)] } },
    ])
    for (const figure of [countries, polygon])
      expect(areas(figure).filter(({ fill, tone }) => fill === 'hatched' && tone === 'quiet')).toHaveLength(1)
  })

  it('is none where nothing is claimed and nothing bounds', () =>
    expect(locationMap(locationOf({ claim: null, distanceBounds: [] }), [], land)).toBeNull())

  it('stays small and within its frame for any position of a node, and contains no banned word', () => {
    const latitude = fc.double({ min: -90, max: 90, noNaN: true })
    const longitude = fc.double({ min: -180, max: 180, noNaN: true })
    const where = fc.tuple(latitude, longitude, fc.double({ min: 0, max: 20040, noNaN: true }))
    fc.assert(
      fc.property(
        where,
        fc.array(fc.tuple(where, fc.double({ min: 0.01, max: 200, noNaN: true })), { maxLength: 4 }),
        ([north, east, radius], from) => {
          const figure = mapOf(
            locationOf({
              claim: placeOf('\u202eSite\u0007', north, east, radius),
              distanceBounds: from.map(([[y, x, around], time]) =>
                discFrom(placeOf('W'.repeat(90), y, x, Math.min(50, around)), time),
              ),
            }),
            [],
            [],
          )
          expect(JSON.stringify(figure).length).toBeLessThan(200_000)
          for (const mark of figure.marks) {
            const points = mark.is === 'line' ? [mark.points] : mark.is === 'area' ? mark.rings : []
            for (const [x, y] of points.flat()) {
              expect(x >= -0.1 && x <= figure.width + 0.1 && y >= -0.1 && y <= figure.height + 0.1).toBe(true)
            }
          }
          for (const text of [figure.caption, ...legend(figure), ...figure.table.rows.flat()]) {
            expect(text).not.toMatch(/[\u0000-\u001f\u202a-\u202e]/)
            for (const banned of BANNED) expect(text).not.toMatch(banned)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of a region takes under 60 kB', () => {
    const distanceBounds = [discFrom(DALLAS, 24), discFrom(OFFICE, 12), discFrom(DENVER, 15)]
    expect(JSON.stringify(mapOf(locationOf({ distanceBounds }))).length).toBeLessThan(60_000)
    expect(JSON.stringify(mapOf(locationOf({ distanceBounds: [discFrom(OFFICE, 100)] }))).length).toBeLessThan(60_000)
  })
})

describe('the map of a fleet', () => {
  const nodeAt = (node: string, location: Location): NodeAssessment => ({ node, location }) as NodeAssessment
  it('has keys that are read alone, whichever of them there are', () => {
    const results = ['contradicted', 'conflicting', 'corroborated', 'undetermined'] as const
    for (const result of results) {
      const located = locationOf({ claim: ASHBURN, results: [answerOf({ result })] })
      const figure = fleetMap([nodeAt('a', located)], land)
      expect(figure === null ? [] : legend(figure)).toEqual([expect.stringMatching(/^Declared place: /)])
    }
  })

  it('has one area for a place that several nodes are declared in, toned by the worst of them', () => {
    const nodes = [
      nodeAt('a', locationOf({ results: [answerOf({ result: 'bounded' })], distanceBounds: [discFrom(OFFICE, 1)] })),
      nodeAt(
        'b',
        locationOf({ results: [answerOf({ result: 'contradicted' })], distanceBounds: [discFrom(OFFICE, 1)] }),
      ),
      nodeAt('c', locationOf({ claim: DALLAS })),
    ]
    const figure = fleetMap(nodes, land)
    expect(figure?.table.rows).toEqual([
      [
        'Declared: Ashburn, US, within 60 km of 39.04, -77.48',
        'M. Ortiz',
        '2',
        '1 contradicted, 1 bounded within area',
      ],
      ['Declared: Dallas, within 5 km of 32.8, -96.8', 'M. Ortiz', '1', '1 undetermined'],
      ['Measured from: Office, within 2 km of 39.04, -77.49', 'M. Ortiz', '2', ''],
    ])
    expect(figure?.marks.some((mark) => mark.is === 'area' && mark.tone === 'against')).toBe(true)
    expect(fleetMap([nodeAt('a', locationOf({ claim: null }))], land)).toBeNull()
  })

  it('names a wide place beside its area, and cuts the name rather than the number of nodes', () => {
    const states = placeOf('Contiguous United States (provider contract, all regions)', 39.8, -98.6, 2400)
    const located = locationOf({ claim: states, distanceBounds: [] })
    const away = nodeAt('c', locationOf({ claim: placeOf('Frankfurt', 50.1, 8.7, 60), distanceBounds: [] }))
    const figure = fleetMap([nodeAt('a', located), nodeAt('b', located), away], land)
    const label = figure?.marks.find((mark) => mark.is === 'text' && mark.text.startsWith('Contiguous'))
    expect(label).toMatchObject({ text: expect.stringMatching(/^Contiguous United States .*…: 2$/) })
    const hatched = figure?.marks.find((mark) => mark.is === 'area' && mark.fill === 'hatched')
    const across = hatched?.is === 'area' ? hatched.rings.flat().map(([x]) => x) : []
    const isBeside = (x: number): boolean => x > Math.max(...across) || x < Math.min(...across)
    expect(label?.is === 'text' && isBeside(label.x)).toBe(true)
  })
})

describe('what maps are drawn with', () => {
  it('keeps a thinned line within its tolerance, and leaves out what is less than a dot', () => {
    expect(
      thinnedLine([
        [0, 0],
        [5, 0.1],
        [10, 0],
      ]),
    ).toEqual([
      [
        [0, 0],
        [10, 0],
      ],
    ])
    expect(
      thinnedLine([
        [0, 0],
        [5, 4],
        [10, 0],
      ]),
    ).toEqual([
      [
        [0, 0],
        [5, 4],
        [10, 0],
      ],
    ])
    expect(thinnedLine([])).toEqual([])
    expect(
      thinnedLine([
        [1, 1],
        [1.01, 1],
      ]),
    ).toEqual([])
    expect(
      thinnedRing([
        [0, 0],
        [0.3, 0],
        [0.3, 0.3],
        [0, 0],
      ]),
    ).toEqual([])
    expect(
      thinnedRing([
        [0, 0],
        [5, 0],
        [10, 0],
        [10, 10],
        [0, 10],
        [0, 0],
      ]),
    ).toEqual([
      [
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
      ],
    ])
  })

  it('finds the edge of the common part by what is within every disc', () => {
    const disc = (longitude: number, radiusKm: number) => ({ center: { latitude: 0, longitude }, radiusKm })
    expect(commonEdge([disc(0, 500), disc(20, 500)])).toEqual([])
    expect(commonEdge([disc(0, 500), disc(0, 5000)])).toHaveLength(1)
    expect(commonEdge([disc(0, 1000), disc(10, 1000)]).length).toBeGreaterThanOrEqual(2)
  })

  it('encloses the inside of a polygon whichever way round its corners are given', () => {
    const corners = [OFFICE, DALLAS, DENVER]
    const view = mapView([{ center: DALLAS, radiusKm: 3000 }], { left: 0, top: 0, width: 600, height: 330 })
    const covered = (rings: readonly (readonly (readonly [number, number])[])[]): number =>
      Math.max(...rings.flat().map(([x]) => x)) - Math.min(...rings.flat().map(([x]) => x))
    const [one, other] = [corners, [...corners].reverse()].map((order) => covered(view.rings([cornersOutline(order)])))
    expect(one).toBeCloseTo(other ?? 0, 0)
    expect(one).toBeLessThan(300)
    expect(discOutline({ center: DALLAS, radiusKm: 20_040 })).toBeNull()
  })
})

it('the map of declared places states no result, because nothing was evaluated', () => {
  const place: Place = { name: 'Ashburn', latitude: 39.04, longitude: -77.49, radiusKm: 60, declaredBy: 'contract' }
  const figure = declaredMap([place, place])
  expect(figure?.legend.map(({ text }) => text)).toEqual(['Declared place, at its declared size'])
  expect(figure?.table).toEqual({
    head: ['Place', 'Declared by', 'Nodes'],
    rows: [['Declared: Ashburn, within 60 km of 39.04, -77.49', 'contract', '2']],
  })
  expect(`${figure?.title} ${figure?.caption}`).not.toMatch(/evidence|vantage/)
  expect(declaredMap([])).toBeNull()
})

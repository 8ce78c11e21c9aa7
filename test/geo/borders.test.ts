import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { REFERENCES } from '../../main/catalog/definition/definition.ts'
import borders from '../../main/catalog/location/borders-10m.json' with { type: 'json' }
import { areaName, countryName, GROUPS, isCountry, regionOfPolicy } from '../../main/catalog/location/discs.ts'
import { BORDERS, drawnLand } from '../../main/catalog/location/peers.ts'
import { canonicalJson } from '../../main/core/base/canonical-json.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { generateBorders } from '../support/generate-borders.ts'

const at = (latitude: number, longitude: number): string =>
  [...BORDERS.landIn({ south: latitude, north: latitude, west: longitude, east: longitude })].sort().join(' ')

describe('borders of the world', () => {
  test.each(['10m', '50m'] as const)('what is committed at 1:%s is what the generator writes', (scale) => {
    const file = new URL(`../../main/catalog/location/borders-${scale}.json`, import.meta.url)
    expect(readFileSync(file, 'utf8') === generateBorders(scale)).toBe(true)
  })

  test('are listed with their date and digest', () => {
    expect(REFERENCES.find(({ id }) => id === 'borders-10m')).toMatchObject({
      asOf: '2018-05-21',
      sha256: sha256(canonicalJson(borders)),
    })
    expect(REFERENCES.find(({ id }) => id === 'countries')).toMatchObject({ asOf: '2026-01-01' })
  })

  test.each([
    ['Windsor, Ontario, across the river from Detroit, is not in the United States alone', 42.28, -82.95, 'CA'],
    ['Kansas City', 39.1, -94.58, 'US'],
    ['the 49th parallel stays on its parallel: 20 km north of it', 49.2, -100, 'CA'],
    ['and 20 km south of it', 48.8, -100, 'US'],
    ['Paris', 48.85, 2.35, 'FR'],
    ['Rome holds another state', 41.9, 12.46, 'IT VA'],
    ['Lesotho is a hole in South Africa', -29.6, 28.3, 'LS'],
    ['Kaliningrad is cut off', 54.7, 20.5, 'RU'],
    ['Chukotka, beyond the date line', 66.5, -175, 'RU'],
    ['Taveuni, on the date line', -16.85, -179.97, 'FJ'],
    ['the south pole', -90, 12, 'AQ'],
    ['near the south pole', -89.95, -120, 'AQ'],
    ['the north pole is sea', 90, 0, ''],
    ['open sea', 0, -30, ''],
    ['Puerto Rico has a code of its own', 18.4, -66.1, 'PR'],
    ['Hong Kong, too', 22.3, 114.17, 'HK'],
    ['French Guiana is drawn as France, and has one of its own', 4.9, -52.3, 'FR GF'],
    ['Svalbard', 78.2, 15.6, 'NO SJ'],
    ['the Crimea', 45.2, 34.2, 'RU UA'],
    ['Pristina', 42.66, 21.16, 'RS XK'],
    ['Laayoune', 27.15, -13.15, 'EH MA'],
    ['Leh', 34.16, 77.58, 'CN IN PK'],
  ])('%s', (_, latitude, longitude, codes) => expect(at(latitude, longitude)).toBe(codes))

  test('a box names what any of its parts names, across the date line and near the poles, too', () => {
    let seed = 7
    const random = (): number => {
      seed = (seed * 48271) % 2147483647
      return seed / 2147483647
    }
    for (let round = 0; round < 1500; round++) {
      const south = random() * 179 - 90
      const west = random() * 359 - 180
      const north = Math.min(90, south + random() ** 4 * 30)
      const east = Math.min(180, west + random() ** 4 * 30)
      const whole = BORDERS.landIn({ south, north, west, east })
      const latitude = south + random() * (north - south)
      const longitude = west + random() * (east - west)
      for (const code of at(latitude, longitude).split(' ').filter(Boolean)) expect(whole.has(code)).toBe(true)
    }
    expect(BORDERS.landIn({ south: -90, north: 90, west: -180, east: 180 }).size).toBe(250)
  })

  test('members of the European Union and the European Economic Area, by code', () => {
    const states = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')
    const territories = ['AX', 'GF', 'GP', 'MF', 'MQ', 'RE', 'YT']
    expect(states).toHaveLength(27)
    expect(GROUPS.EU?.codes).toEqual([...states, ...territories].sort())
    expect(GROUPS.EEA?.codes).toEqual([...states, ...territories, 'IS', 'LI', 'NO'].sort())
  })

  test('every code that is drawn has a name, and every name is drawn', () => {
    expect([...BORDERS.codes].filter((code) => !isCountry(code))).toEqual([])
    for (const { codes } of Object.values(GROUPS))
      for (const code of codes) expect(BORDERS.codes.has(code), code).toBe(true)
    expect(BORDERS.codes.size).toBe(250)
  })

  test('land for drawing is closed rings', () => {
    const rings = drawnLand().flatMap(({ polygons }) => polygons.flat())
    expect(rings.length).toBeGreaterThan(1000)
    for (const ring of rings) expect(ring.at(-1)).toEqual(ring[0])
    expect(drawnLand()).toBe(drawnLand())
  })
})

describe('a policy names a region', () => {
  test('by code, list, group or corners', () => {
    expect(regionOfPolicy({ region: 'US' })).toEqual({ ok: true, value: { kind: 'countries', codes: ['US'] } })
    expect(regionOfPolicy({ country: ['FR', 'DE', 'FR'] })).toMatchObject({ value: { codes: ['DE', 'FR'] } })
    const eu = regionOfPolicy({ region: 'eu' })
    expect(eu.ok && eu.value.kind === 'countries' && eu.value.codes).toHaveLength(34)
    const eea = regionOfPolicy({ region: 'EEA' })
    expect(eea.ok && eea.value.kind === 'countries' && eea.value.codes).toHaveLength(37)
    const polygon = [
      [0, 0],
      [0, 10],
      [10, 10],
    ] as never
    expect(regionOfPolicy({ polygon })).toMatchObject({ ok: true, value: { kind: 'polygon' } })
    expect(countryName('DE')).toBe('Germany')
    expect(['eu ', 'EEA', 'de', 'constructor'].map(areaName)).toEqual([
      'the European Union as of 2026-01-01',
      'the European Economic Area as of 2026-01-01',
      'Germany',
      'CONSTRUCTOR',
    ])
    expect(countryName('constructor')).toBe('constructor')
  })

  test.each([
    [{}, 'one of region, country, polygon is'],
    [{ region: 'US', country: ['DE'] }, 'region and country: only one of them'],
    [{ region: 'UK' }, 'the United Kingdom is GB'],
    [{ region: 'constructor' }, 'no country code of ISO 3166-1'],
    [{ country: ['ZZ'] }, 'no country code of ISO 3166-1'],
    [
      {
        polygon: [
          [0, 0],
          [10, 10],
        ],
      },
      'at least three corners',
    ],
    [
      {
        polygon: [
          [0, 0],
          [10, 10],
          [0, 10],
          [10, 0],
        ],
      },
      'crosses itself: the line after corner 1 meets the one after corner 3',
    ],
    [
      {
        polygon: [
          [0, 170],
          [0, -170],
          [10, 170],
        ],
      },
      'crosses the date line after corner 1',
    ],
    [
      {
        polygon: [
          [0, 0],
          [0, 10],
          [0, 5],
        ],
      },
      'turns back on itself',
    ],
    [
      {
        polygon: [
          [0, 0],
          [0, 0],
          [0, 5],
        ],
      },
      'is given twice in a row',
    ],
    [
      {
        polygon: [
          [0, 0],
          [91, 0],
          [0, 5],
        ],
      },
      'corner 2 of the polygon is no [latitude, longitude]',
    ],
  ])('%j is refused in words', (policy, words) => {
    const region = regionOfPolicy(policy as never)
    expect(!region.ok && region.error).toContain(words)
  })
})

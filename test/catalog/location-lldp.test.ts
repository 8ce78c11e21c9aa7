import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { netLldpNetworkd, netLldpPlace } from '../../main/catalog/data-protection/network/lldp.ts'
import { lldpSignals } from '../../main/catalog/location/signals.ts'
import { type Parsed, type Probe, readProbe, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { byKey } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'

const captures = byKey(fixtureRecording('fx-loc-cloud', [netLldpNetworkd, netLldpPlace]).captures)
const read = <F>(probe: Probe<F>): Parsed<F> => readProbe(probe, captures)
const factOf = <F>(probe: Probe<F>): F => fact(read(probe))

const NONE = unknown('not asked')

describe('LLDP', () => {
  test('json0 of lldpd 1.0.16 with an address and coordinates', () => {
    expect(factOf(netLldpPlace).neighbours).toEqual([
      {
        device: 'eth0',
        name: 'leaf-3.iad2.example',
        chassis: '1e:5a:26:0e:98:47',
        port: '1e:5a:26:0e:98:47',
        country: 'US',
        address: ['Ashburn', '20147', 'Devin Shafron Dr', '44470', 'DC2', '3'],
        point: { latitude: 39.0437, longitude: -77.4873 },
      },
    ])
    const [said, switches] = lldpSignals(read(netLldpPlace), NONE)
    expect(said).toMatchObject({
      class: 'E5',
      hint: false,
      country: 'US',
      place: { country: 'US', latitude: 39.0437, longitude: -77.4873 },
    })
    expect(switches).toMatchObject({ id: 'lldp.switches', hint: true, country: 'US' })
  })

  test('networkd is heard where lldpd does not answer, and names no place', () => {
    expect(factOf(netLldpNetworkd).neighbours).toMatchObject([
      { device: 'eth0', port: 'Ethernet17', country: null, point: null },
    ])
    expect(lldpSignals(NONE, read(netLldpNetworkd))).toMatchObject([{ hint: true, probe: 'net.lldp-networkd' }])
    expect(lldpSignals(NONE, NONE)).toEqual([])
    expect(netLldpNetworkd.parse({ neighbours: answer('LINK CHASSIS-ID\n') }).ok).toBe(false)
  })

  const point = (lat: unknown, lon: unknown) => {
    const reading = netLldpPlace.parse({
      places: answer(
        JSON.stringify({
          lldp: [
            {
              interface: [
                {
                  name: 'e',
                  'lldp-med': [{ location: [{ type: 'Coordinates', lat: [{ value: lat }], lon: [{ value: lon }] }] }],
                },
              ],
            },
          ],
        }),
      ),
    })
    return reading.ok ? reading.fact.neighbours[0]?.point : 'refused'
  }
  test('coordinates have a letter for a sign, and a limit', () => {
    expect(point('33.8S', '151.2E')).toEqual({ latitude: -33.8, longitude: 151.2 })
    for (const [lat, lon] of [
      ['91N', '1E'],
      ['1N', '181W'],
      ['1E', '1N'],
      ['-1N', '1E'],
      [1, 1],
      ['', ''],
      ['1e3N', '1E'],
    ])
      expect(point(lat, lon)).toBeNull()
  })

  test('any JSON is read', () => {
    const hostile = fc.oneof(
      fc.json(),
      fc
        .json()
        .map(
          (inner) =>
            `{"lldp":[{"interface":[${inner},{"lldp-med":[{"location":[${inner}]}]}]}],"Neighbors":[{"Neighbors":[${inner}]}]}`,
        ),
    )
    fc.assert(
      fc.property(hostile, (text) => {
        const [lldpd, networkd] = [
          netLldpPlace.parse({ places: answer(text) }),
          netLldpNetworkd.parse({ neighbours: answer(text) }),
        ]
        expect(
          [...lldpSignals(lldpd, NONE), ...lldpSignals(NONE, networkd)].every(
            ({ text: said }) => typeof said === 'string',
          ),
        ).toBe(true)
      }),
    )
  })
})

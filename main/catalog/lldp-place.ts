import { asList, asRecord, asText, type JsonValue } from './read-text.ts'

/** A switch at the other end of a cable, with where it states that it stands (ANSI/TIA-1057, 10.2.4, LLDP-MED location). */
export interface LldpPlace {
  /** Our interface that heard it. */
  readonly device: string
  readonly name: string
  readonly chassis: string
  readonly port: string
  /** ISO 3166-1, where it gives a civic address. */
  readonly country: string | null
  /** The rest of the address, from large to small. */
  readonly address: readonly string[]
  /** Degrees, north and east positive. */
  readonly point: { readonly latitude: number; readonly longitude: number } | null
}
export interface LldpPlaces {
  readonly neighbours: readonly LldpPlace[]
}

export const MOST_NEIGHBOURS = 4096
/** IEEE 802.1AB-2016, 8.5: texts have at most 255 bytes. */
const LONGEST = 255

type Fields = { readonly [key: string]: JsonValue }

/** The text of a leaf of `lldpctl -f json0`: always a list of one with a value. */
const leaf = (value: JsonValue | undefined): string =>
  (asText(asRecord(asList(value)[0]).value) ?? '').trim().slice(0, LONGEST)

/** lldpcli(8), json0: every element is a list, whatever the count. */
export function neighboursInJson0(document: JsonValue): readonly LldpPlace[] {
  return asList(asRecord(document).lldp)
    .flatMap((one) => asList(asRecord(one).interface))
    .map((one) => {
      const heard = asRecord(one)
      const [chassis, port, med] = [heard.chassis, heard.port, heard['lldp-med']].map((part) =>
        asRecord(asList(part)[0]),
      )
      const places = asList(med?.location).map(asRecord)
      const civic = places.find(({ type }) => type === 'Civic address')
      const country = leaf(civic?.country)
      return {
        device: (asText(heard.name) ?? '').slice(0, 64),
        name: leaf(chassis?.name),
        chassis: leaf(chassis?.id),
        port: leaf(port?.id),
        country: /^[A-Z]{2}$/.test(country) ? country : null,
        address: civic === undefined ? [] : CIVIC.map((part) => leaf(civic[part])).filter((text) => text !== ''),
        point: pointOf(places.find(({ type }) => type === 'Coordinates')),
      }
    })
}

/** Parts of a civic address (RFC 4776, 3.4) by the names that lldpd gives them. */
const CIVIC = [
  'country-subdivision',
  'county',
  'city',
  'city-division',
  'zip',
  'street',
  'number',
  'building',
  'floor',
  'room',
]

function pointOf(place: Fields | undefined): LldpPlace['point'] {
  const [latitude, longitude] = [degrees(leaf(place?.lat), 'NS', 90), degrees(leaf(place?.lon), 'EW', 180)]
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

/** Such as 39.0437N: the letter is the sign. */
function degrees(text: string, letters: string, most: number): number | null {
  const [, digits, letter = ''] = /^(\d{1,3}(?:\.\d{1,10})?)([NSEW])$/.exec(text) ?? []
  const value = Number(digits)
  if (digits === undefined || !letters.includes(letter) || value > most) return null
  return letter === letters[1] && value > 0 ? -value : value
}

/** io.systemd.Network.GetLLDPNeighbors, as networkctl(1) prints it: which switch and port, and no place. */
export const neighboursOfNetworkd = (document: JsonValue): readonly LldpPlace[] =>
  asList(asRecord(document).Neighbors)
    .map(asRecord)
    .flatMap(({ InterfaceName, Neighbors }) =>
      asList(Neighbors)
        .map(asRecord)
        .map(({ SystemName, ChassisID, PortID }) => ({
          device: (asText(InterfaceName) ?? '').slice(0, 64),
          name: (asText(SystemName) ?? '').slice(0, LONGEST),
          chassis: (asText(ChassisID) ?? '').slice(0, LONGEST),
          port: (asText(PortID) ?? '').slice(0, LONGEST),
          country: null,
          address: [],
          point: null,
        })),
    )

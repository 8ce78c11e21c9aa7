import { defineProbe, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { asList, asRecord, asText, inOrder, isAbsent, type JsonValue, readJson } from '../../base/read-text.ts'

/** A switch at the other end of a cable, with the location that it reports (ANSI/TIA-1057, 10.2.4, LLDP-MED location). */
export interface LldpPlace {
  /** The node’s interface that received it. */
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

const MOST_NEIGHBOURS = 4096
/** IEEE 802.1AB-2016, 8.5: texts have at most 255 bytes. */
const LONGEST = 255

/** The text of a leaf of `lldpctl -f json0`: always a list of one with a value. */
const leaf = (value: JsonValue | undefined): string =>
  (asText(asRecord(asList(value)[0]).value) ?? '').trim().slice(0, LONGEST)

/** lldpcli(8), json0: every element is a list, whatever the count. */
function neighboursInJson0(document: JsonValue): readonly LldpPlace[] {
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

/** Parts of a civic address (RFC 4776, 3.4), by their names in lldpd. */
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

function pointOf(place: { readonly [key: string]: JsonValue } | undefined): LldpPlace['point'] {
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
const neighboursOfNetworkd = (document: JsonValue): readonly LldpPlace[] =>
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

export interface LldpNeighbour {
  /** The node’s interface that received it. */
  readonly device: string
  readonly name: string
  readonly chassis: string
  readonly description: string
  readonly port: string
  /** The roles that it states to have enabled: Bridge, Router, Station, … */
  readonly capabilities: readonly string[]
  readonly vlans: readonly string[]
}

interface Lldp {
  readonly neighbours: readonly LldpNeighbour[]
}

const MOST = 4096
/** IEEE 802.1AB, 8.5.7: a system description has at most 255 bytes. */
const LONGEST_TEXT = 255

/**
 * lldpcli(8): what a running lldpd has received. IEEE 802.1AB frames are not forwarded by bridges, so the sender is at the other end of the
 * cable.
 */
export const netLldp = defineProbe({
  id: 'net.lldp',
  title: 'Switches at the other end of the cables',
  why: 'Where the LLDP service already runs, it knows which switch and port each cable leads to.',
  ignoredInDrift: {
    why: 'Switches are listed in the order in which they were detected.',
    normalize: ({ neighbours }: Lldp) => ({ neighbours: inOrder(neighbours) }),
  },
  commands: { neighbours: runAsRoot(['lldpctl', '-f', 'json']) },
  parse({ neighbours }) {
    if (neighbours.exitCode !== 0) return unknown('the LLDP service does not run here')
    const document = readJson(neighbours.text, 'lldpctl')
    if (!document.ok) return document
    const top = asRecord(document.fact).lldp
    if (top === undefined) return unknown('the output of lldpctl has an unexpected format')
    // One neighbor is an object, several are a list; each is under the name of our interface.
    const found = each(asRecord(top).interface).flatMap((entry) =>
      Object.entries(asRecord(entry)).map(([device, neighbour]) => readNeighbour(device, asRecord(neighbour))),
    )
    return found.length > MOST ? unknown(`more than ${MOST} LLDP neighbors`) : known<Lldp>({ neighbours: found })
  },
})

const each = (value: JsonValue | undefined): readonly JsonValue[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

function readNeighbour(device: string, neighbour: { readonly [key: string]: JsonValue }): LldpNeighbour {
  const outer = asRecord(neighbour.chassis)
  // A chassis with a name is nested under it; one without is not.
  const [name = '', inner] = outer.id === undefined ? (Object.entries(outer)[0] ?? []) : ['', outer as JsonValue]
  const chassis = asRecord(inner)
  const port = asRecord(neighbour.port)
  return {
    device,
    name,
    chassis: asText(asRecord(chassis.id).value) ?? '',
    description: texts(chassis.descr).join(' ').slice(0, LONGEST_TEXT),
    port: asText(asRecord(port.id).value) ?? '',
    capabilities: each(chassis.capability).flatMap((one) => {
      const { type, enabled } = asRecord(one)
      return enabled === true && typeof type === 'string' ? [type] : []
    }),
    vlans: each(neighbour.vlan).flatMap((one) => asText(asRecord(one)['vlan-id']) ?? []),
  }
}

const texts = (value: JsonValue | undefined): readonly string[] =>
  asList(each(value)).flatMap((one) => asText(one) ?? [])

/**
 * networkctl(1): what systemd-networkd itself received, where it runs. No rights are needed. There is no JSON output
 * before version 257.
 */
export const netLldpNetworkd = defineProbe({
  id: 'net.lldp-networkd',
  title: 'Switches detected by systemd-networkd',
  why: 'Where the LLDP service is not installed, the network service of systemd may know which switch and port each cable leads to.',
  ignoredInDrift: {
    why: 'Switches are listed in the order in which they were detected.',
    normalize: ({ neighbours }: LldpPlaces) => ({ neighbours: inOrder(neighbours) }),
  },
  commands: {
    neighbours: run(['networkctl', '--json=short', 'lldp'], { needsPath: ['/run/systemd/netif/state'] }),
  },
  parse({ neighbours }) {
    if (isAbsent(neighbours)) return unknown('systemd-networkd does not run here')
    const document = neighbours.exitCode === 0 ? readJson(neighbours.text, 'networkctl') : null
    if (document === null || !document.ok || asRecord(document.fact).Neighbors === undefined)
      return unknown('this version of networkctl does not report LLDP in a supported format')
    const found = neighboursOfNetworkd(document.fact)
    return found.length > MOST_NEIGHBOURS
      ? unknown(`more than ${MOST_NEIGHBOURS} LLDP neighbors`)
      : known<LldpPlaces>({ neighbours: found })
  },
})

/** lldpcli(8): json0 keeps its shape whatever the number of neighbors, and carries what switches report about where they stand. */
export const netLldpPlace = defineProbe({
  id: 'net.lldp-place',
  title: 'Locations announced by switches',
  why: 'Switch and port show in which rack a server is; some switches also announce an address or coordinates.',
  ignoredInDrift: {
    why: 'Switches are listed in the order in which they were detected.',
    normalize: ({ neighbours }: LldpPlaces) => ({ neighbours: inOrder(neighbours) }),
  },
  commands: { places: runAsRoot(['lldpctl', '-f', 'json0']) },
  parse({ places }) {
    if (places.exitCode !== 0) return unknown('the LLDP service does not run here')
    const document = readJson(places.text, 'lldpctl')
    if (!document.ok) return document
    if (asRecord(document.fact).lldp === undefined) return unknown('the output of lldpctl has an unexpected format')
    const neighbours = neighboursInJson0(document.fact)
    return neighbours.length > MOST_NEIGHBOURS
      ? unknown(`more than ${MOST_NEIGHBOURS} LLDP neighbors`)
      : known<LldpPlaces>({ neighbours })
  },
})

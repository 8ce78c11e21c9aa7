import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface LldpNeighbour {
  /** Our interface that heard it. */
  readonly device: string
  readonly name: string
  readonly chassis: string
  readonly description: string
  readonly port: string
  /** What it states it is and has switched on: Bridge, Router, Station, … */
  readonly capabilities: readonly string[]
  readonly vlans: readonly string[]
}
export interface Lldp {
  readonly neighbours: readonly LldpNeighbour[]
}

const MOST = 4096
/** IEEE 802.1AB, 8.5.7: a system description has at most 255 bytes. */
const LONGEST_TEXT = 255

/**
 * lldpcli(8): what a running lldpd has heard. IEEE 802.1AB frames are not forwarded by bridges, so who is heard is at the other end of the
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
    // One neighbor stands alone, several in a list; each is under the name of our interface.
    const found = each(asRecord(top).interface).flatMap((entry) =>
      Object.entries(asRecord(entry)).map(([device, said]) => readNeighbour(device, asRecord(said))),
    )
    return found.length > MOST ? unknown(`more than ${MOST} LLDP neighbors`) : known<Lldp>({ neighbours: found })
  },
})

const each = (value: JsonValue | undefined): readonly JsonValue[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

function readNeighbour(device: string, said: { readonly [key: string]: JsonValue }): LldpNeighbour {
  const outer = asRecord(said.chassis)
  // A chassis with a name is under it; one without stands as it is.
  const [name = '', inner] = outer.id === undefined ? (Object.entries(outer)[0] ?? []) : ['', outer as JsonValue]
  const chassis = asRecord(inner)
  const port = asRecord(said.port)
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
    vlans: each(said.vlan).flatMap((one) => asText(asRecord(one)['vlan-id']) ?? []),
  }
}

const texts = (value: JsonValue | undefined): readonly string[] =>
  asList(each(value)).flatMap((one) => asText(one) ?? [])

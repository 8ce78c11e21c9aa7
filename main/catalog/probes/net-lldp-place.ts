import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { type LldpPlaces, MOST_NEIGHBOURS, neighboursInJson0 } from '../lldp-place.ts'
import { asRecord, readJson } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** lldpcli(8): json0 keeps its shape whatever the number of neighbours, and carries what switches say of where they stand. */
export const netLldpPlace = defineProbe({
  id: 'net.lldp-place',
  title: 'Where switches say that they stand',
  why: 'Switch and port tell in which rack a server is; some switches are given an address or coordinates, too.',
  volatile: {
    why: 'Switches are listed in the order in which they were heard.',
    steady: ({ neighbours }: LldpPlaces) => ({ neighbours: inOrder(neighbours) }),
  },
  commands: { places: runAsRoot(['lldpctl', '-f', 'json0']) },
  parse({ places }) {
    if (places.exitCode !== 0) return unknown('the LLDP service does not run here')
    const document = readJson(places.text, 'lldpctl')
    if (!document.ok) return document
    if (asRecord(document.fact).lldp === undefined) return unknown('the answer of lldpctl has another form')
    const neighbours = neighboursInJson0(document.fact)
    return neighbours.length > MOST_NEIGHBOURS
      ? unknown(`more than ${MOST_NEIGHBOURS} LLDP neighbours`)
      : known<LldpPlaces>({ neighbours })
  },
})

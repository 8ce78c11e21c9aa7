import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { type LldpPlaces, MOST_NEIGHBOURS, neighboursInJson0 } from '../lldp-place.ts'
import { asRecord, readJson } from '../read-text.ts'
import { inOrder } from '../steady.ts'

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

import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { type LldpPlaces, MOST_NEIGHBOURS, neighboursOfNetworkd } from '../lldp-place.ts'
import { asRecord, isAbsent, readJson } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** networkctl(1): what systemd-networkd itself heard, where it runs. No rights are needed. Before version 257 there is no JSON of it. */
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

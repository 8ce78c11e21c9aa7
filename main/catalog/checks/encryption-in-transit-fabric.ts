import { defineCheck } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { type RdmaPort, rdmaLinks } from '../probes/rdma-links.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const encryptionInTransitFabric = defineCheck({
  id: 'encryption.in-transit.fabric',
  property: 'encryption-in-transit',
  claim: 'Every active RDMA port encrypts what it sends.',
  limits:
    'Most GPU fabrics send in clear and rest on physical isolation: expect a recorded exception here rather than support. Encryption inside an adapter or a switch, partition keys, and links inside the chassis such as NVLink are not read.',
  needs: { links: rdmaLinks },
  evaluate({ links }) {
    const active = links.ports.filter(({ active }) => active)
    if (active.length === 0) {
      const text =
        links.ports.length === 0
          ? 'The kernel lists no RDMA port.'
          : `None of ${links.ports.length} RDMA ports is active.`
      return { verdict: 'not-applicable', because: [leavesUnclear(text, rdmaLinks)] }
    }
    const covered = new Set(links.encryptingMacsec)
    return weigh(
      active.map((port) => {
        const name = `${plain(port.device, 40)} port ${port.port}`
        if (port.linkLayer === 'InfiniBand')
          return speaksAgainst(`${name} is InfiniBand, which has no encryption of its own.`, rdmaLinks)
        if (port.linkLayer !== 'Ethernet') return leavesUnclear(`${name} does not name its link layer.`, rdmaLinks)
        return isCovered(port, covered)
          ? speaksFor(
              `${name} reaches the network only over MACsec interfaces that encrypt: ${shown(port)}.`,
              rdmaLinks,
            )
          : speaksAgainst(
              `${name} is RDMA over Ethernet, and nothing on this node encrypts it (${shown(port)}).`,
              rdmaLinks,
            )
      }),
    )
  },
})

const isCovered = ({ interfaces }: RdmaPort, encrypting: ReadonlySet<string>): boolean =>
  interfaces.length > 0 && interfaces.every((name) => encrypting.has(name))

const shown = ({ interfaces }: RdmaPort): string =>
  interfaces.length === 0 ? 'no interface named' : interfaces.map((name) => plain(name, 20)).join(', ')

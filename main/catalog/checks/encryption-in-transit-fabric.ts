import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { type RdmaPort, rdmaLinks } from '../probes/rdma-links.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'

export const encryptionInTransitFabric = defineCheck({
  id: 'encryption.in-transit.fabric',
  property: 'encryption-in-transit',
  expected: 'Every active RDMA port encrypts its traffic.',
  limitations:
    'Most GPU fabrics send in clear text and depend on physical isolation: a risk acceptance is more likely here than a satisfied result. Encryption inside an adapter, a switch or a provider’s network (as clouds state of EFA) is not visible from here. NVLink, inside the chassis or between racks, is not evaluated. Partition keys and virtual networks separate, they do not encrypt.',
  requires: { links: rdmaLinks },
  evaluate({ links }) {
    const active = links.ports.filter(({ active }) => active)
    const slingshot = links.hasSlingshot ? [unclear(SLINGSHOT, rdmaLinks)] : []
    if (active.length === 0 && slingshot.length === 0) {
      const text =
        links.ports.length === 0
          ? 'The kernel lists no RDMA port.'
          : `None of ${links.ports.length} RDMA ports is active.`
      return { verdict: 'not-applicable', observations: [unclear(text, rdmaLinks)] }
    }
    const covered = new Set(links.encryptingMacsec)
    return decide([...active.map((port) => argue(port, covered)), ...slingshot])
  },
})

const SLINGSHOT =
  'The kernel has Slingshot adapters; nothing on this node shows that they encrypt, so take what they send as clear.'

function argue(port: RdmaPort, covered: ReadonlySet<string>): DraftObservation {
  const name = `${plain(port.device, 40)} port ${port.port}`
  switch (port.linkLayer) {
    case 'InfiniBand':
      return contradicts(`${name} is InfiniBand, which has no encryption of its own.`, rdmaLinks)
    case 'Ethernet':
      return isCovered(port, covered)
        ? supports(`${name} reaches the network only over MACsec interfaces that encrypt: ${shown(port)}.`, rdmaLinks)
        : contradicts(
            `${name} is RDMA over Ethernet, and nothing on this node encrypts it (${shown(port)}).`,
            rdmaLinks,
          )
    // rdma_link_layer of ib_verbs.h; Amazon’s adapter is neither of the two.
    case 'Unspecified':
      return unclear(
        `${name} belongs to a fabric of its own kind${/^(efa|rdmap)/.test(port.device) ? ' (EFA)' : ''}; nothing on this node shows that it encrypts, so take what it sends as clear.`,
        rdmaLinks,
      )
    default:
      return unclear(`${name} does not name its link layer.`, rdmaLinks)
  }
}

const isCovered = ({ interfaces }: RdmaPort, encrypting: ReadonlySet<string>): boolean =>
  interfaces.length > 0 && interfaces.every((name) => encrypting.has(name))

const shown = ({ interfaces }: RdmaPort): string =>
  interfaces.length === 0 ? 'no interface named' : interfaces.map((name) => plain(name, 20)).join(', ')

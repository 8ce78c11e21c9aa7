import { defineCheck } from '../../core/check.ts'
import { netInterfaces } from '../probes/net-interfaces.ts'
import { count, named, supports } from '../steps.ts'

export const inventoryNetworkInterfaces = defineCheck({
  id: 'inventory.network-interfaces',
  property: 'evidence',
  expected: 'The network interfaces of this server are recorded with their addresses and drivers.',
  ends: 'recorded',
  limitations: 'Reported by the kernel. Addresses can be set by software, and the other end of a link is not shown.',
  requires: { nics: netInterfaces },
  evaluate({ nics: { interfaces } }) {
    const backed = interfaces.filter(({ driver }) => driver !== null)
    const list = backed.map(
      ({ name, driver, mac, speedMbps, isUp }) =>
        `${name} (${driver}, ${mac}${speedMbps === null || speedMbps <= 0 ? '' : `, ${speedMbps} Mb/s`}${isUp ? '' : ', down'})`,
    )
    return {
      verdict: 'informational',
      observations: [
        supports(
          `${count(backed.length, 'interface')} backed by a device${list.length === 0 ? '' : `: ${named(list, 12)}`}; ${interfaces.length - backed.length} made by software.`,
          netInterfaces,
        ),
      ],
    }
  },
})

import type { DeviceLocality } from '../../../../schemas/types.ts'
import type { Layer } from '../../../../schemas/words.ts'
import { plain } from '../../../core/plain-text.ts'
import { type FabricAdapter, infiniband } from '../../probes/infiniband.ts'
import { netInterfaces } from '../../probes/net-interfaces.ts'
import { pciDevices } from '../../probes/pci-devices.ts'
import { HYPERVISOR_DRIVERS, isVirtualFunctionId, PROVIDER_DRIVERS } from '../net-tables.ts'
import type { Read } from '../signal.ts'
import { partOf } from './nic.ts'
import { answer, type Place, real } from './real.ts'

/**
 * Where each fabric adapter is. Its PCI function responses; where the kernel did not state which one it is, the rest of the bus bounds the
 * response.
 */
export function hcaAnswers(read: Read, layer: Layer): readonly DeviceLocality[] {
  const fabric = read(infiniband)
  return fabric.ok
    ? fabric.fact.adapters.map((adapter) =>
        answer(
          'hca',
          `${adapter.name}${adapter.boardId === '' ? '' : ` ${adapter.boardId}`}`,
          placeOf(adapter, read, layer),
        ),
      )
    : []
}

/** Adapters made of software on top of a network interface (Soft-RoCE, Soft-iWARP): under no device, without a board and without firmware. */
export const isSoftwareAdapter = ({ name, pciAddress, driver, boardId, firmware }: FabricAdapter): boolean =>
  pciAddress === null && driver === null && (/^(rxe|siw)\w*$/.test(name) || (boardId === '' && firmware === ''))

function placeOf(adapter: FabricAdapter, read: Read, layer: Layer): Place {
  const { driver, pciId, physicalFunction, divisibleInto } = adapter
  if (isSoftwareAdapter(adapter))
    return { is: 'virtual', text: 'RDMA made of software on an ordinary network interface; it is no fabric adapter.' }
  const hypervisor = HYPERVISOR_DRIVERS.get(driver ?? '')
  if (hypervisor !== undefined) return { is: 'virtual', text: `Its driver is for adapters of ${hypervisor}.` }
  const provider = PROVIDER_DRIVERS.get(driver ?? '')
  if (provider !== undefined)
    return {
      is: 'virtual-function',
      text: `An adapter that a card of ${provider} presents, to guests and to whole machines alike; the fabric behind it is the provider’s.`,
    }
  if (pciId === null) return withoutFunction(read, layer)
  const part = partOf({ physicalFunction, pciId, path: '' }, driver ?? '')
  if (part !== null) return { is: 'virtual-function', text: part }
  const divides = divisibleInto === null ? '' : ` that can be divided into ${divisibleInto} virtual functions`
  return real(layer, `The physical function ${plain(pciId, 12)} at ${plain(adapter.pciAddress ?? '', 20)}${divides}`)
}

/** The adapter's PCI function is not known: one virtual function among those of the bus and of the interfaces leaves all of them open. */
function withoutFunction(read: Read, layer: Layer): Place {
  const [pci, nics] = [read(pciDevices), read(netInterfaces)]
  const ids = [
    ...(pci.ok ? pci.fact.devices.map(({ vendor, device }) => `${vendor}:${device}`) : []),
    ...(nics.ok ? nics.fact.interfaces.map(({ pciId }) => pciId) : []),
  ]
  if (ids.some((id) => isVirtualFunctionId(id) && id?.startsWith('15b3:') === true))
    return { is: 'virtual-function', text: 'Virtual functions of a fabric adapter are on the PCI bus.' }
  return pci.ok
    ? real(layer, 'A physical function')
    : { is: 'unknown', text: 'Which PCI function it is was not read, and neither was the PCI bus.' }
}

import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
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
export function hcaAnswers(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const fabric = read(infiniband)
  return fabric.ok
    ? fabric.fact.adapters.map((adapter) =>
        answer(
          'hca',
          `${adapter.name}${adapter.boardId === '' ? '' : ` ${adapter.boardId}`}`,
          placeOf(adapter, read, environment),
        ),
      )
    : []
}

/** Adapters made of software on top of a network interface (Soft-RoCE, Soft-iWARP): under no device, without a board and without firmware. */
export const isSoftwareAdapter = ({ name, pciAddress, driver, boardId, firmware }: FabricAdapter): boolean =>
  pciAddress === null && driver === null && (/^(rxe|siw)\w*$/.test(name) || (boardId === '' && firmware === ''))

function placeOf(adapter: FabricAdapter, read: Read, environment: Environment): Place {
  const { driver, pciId, physicalFunction, divisibleInto } = adapter
  if (isSoftwareAdapter(adapter))
    return {
      attachment: 'virtual',
      text: 'RDMA made of software on an ordinary network interface; it is no fabric adapter.',
    }
  const hypervisor = HYPERVISOR_DRIVERS.get(driver ?? '')
  if (hypervisor !== undefined) return { attachment: 'virtual', text: `Its driver is for adapters of ${hypervisor}.` }
  const provider = PROVIDER_DRIVERS.get(driver ?? '')
  if (provider !== undefined)
    return {
      attachment: 'virtual-function',
      text: `An adapter that a card of ${provider} presents, to guests and to whole machines alike; the fabric behind it is the provider’s.`,
    }
  if (pciId === null) return withoutFunction(read, environment)
  const part = partOf({ physicalFunction, pciId, path: '' }, driver ?? '')
  if (part !== null) return { attachment: 'virtual-function', text: part }
  const divides = divisibleInto === null ? '' : ` that can be divided into ${divisibleInto} virtual functions`
  return real(
    environment,
    `The physical function ${plain(pciId, 12)} at ${plain(adapter.pciAddress ?? '', 20)}${divides}`,
  )
}

/** The adapter's PCI function is not known: one virtual function among those of the bus and of the interfaces leaves all of them open. */
function withoutFunction(read: Read, environment: Environment): Place {
  const [pci, nics] = [read(pciDevices), read(netInterfaces)]
  const ids = [
    ...(pci.ok ? pci.fact.devices.map(({ vendor, device }) => `${vendor}:${device}`) : []),
    ...(nics.ok ? nics.fact.interfaces.map(({ pciId }) => pciId) : []),
  ]
  if (ids.some((id) => isVirtualFunctionId(id) && id?.startsWith('15b3:') === true))
    return { attachment: 'virtual-function', text: 'Virtual functions of a fabric adapter are on the PCI bus.' }
  return pci.ok
    ? real(environment, 'A physical function')
    : { attachment: 'undetermined', text: 'Which PCI function it is was not read, and neither was the PCI bus.' }
}

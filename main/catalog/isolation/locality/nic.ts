import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
import { plain } from '../../../core/plain-text.ts'
import { type NetInterface, netInterfaces } from '../../probes/net-interfaces.ts'
import {
  FUNCTION_DRIVERS,
  HYPERVISOR_DRIVERS,
  IMITATED_DRIVERS,
  isVirtio,
  isVirtualFunctionId,
  PROVIDER_DRIVERS,
} from '../net-tables.ts'
import type { Read } from '../signal.ts'
import { answer, type Place, real } from './real.ts'

/** Where each network adapter is. Interfaces that no device backs are none, and neither are ports of the switch inside an adapter. */
export function nicAnswers(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const nics = read(netInterfaces)
  return nics.ok
    ? nics.fact.interfaces.flatMap((nic) =>
        nic.driver === null || isRepresentor(nic)
          ? []
          : [answer('nic', nic.name, placeOf(nic, nic.driver, environment))],
      )
    : []
}

/** Documentation/networking/representors.rst: represents the switch port of another function, and is no adapter itself. */
export const isRepresentor = ({ portName }: NetInterface): boolean => /^(c\d+)?pf\d+(vf|sf)\d+$/.test(portName)

function placeOf(nic: NetInterface, driver: string, environment: Environment): Place {
  const isMetal = environment === 'bare-metal' || environment === 'hypervisor-host'
  const said = plain(driver, 40)
  const hypervisor = HYPERVISOR_DRIVERS.get(driver)
  if (hypervisor !== undefined)
    return { attachment: 'virtual', text: `Its driver ${said} is for adapters of ${hypervisor}.` }
  if (isVirtio(driver, nic.path))
    return {
      attachment: 'virtual',
      text: isMetal
        ? `Its driver ${said} is for paravirtual adapters; on real hardware a data-processing unit presents one.`
        : `Its driver ${said} is for paravirtual adapters of a hypervisor.`,
    }
  const provider = PROVIDER_DRIVERS.get(driver)
  if (provider !== undefined)
    return {
      attachment: 'virtual-function',
      text: `Its driver ${said} is for adapters that a card of ${provider} presents, both to guests and to whole machines; the network behind it is the provider’s.`,
    }
  const part = partOf(nic, driver)
  if (part !== null) return { attachment: 'virtual-function', text: part }
  if (nic.path.includes('/usb')) return real(environment, 'An adapter on USB, as management controllers present one')
  if (environment === 'virtual-machine' && IMITATED_DRIVERS.has(driver))
    return {
      attachment: 'virtual',
      text: `Its driver ${said} is for an old adapter that emulators imitate, and this is a guest.`,
    }
  const divides = nic.divisibleInto === null ? '' : ` that can be divided into ${nic.divisibleInto} virtual functions`
  return real(environment, `A physical function${divides}`)
}

/** What it is a part of, in a sentence, or null for a whole one. */
export function partOf(
  { physicalFunction, pciId, path }: Pick<NetInterface, 'physicalFunction' | 'pciId' | 'path'>,
  driver: string,
): string | null {
  if (physicalFunction !== null)
    return `A virtual function of the adapter at ${plain(physicalFunction, 20)}, which is in this system as well.`
  if (/\.sf\.\d+\//.test(path) || driver === 'mlx5_core.sf')
    return 'A subfunction of an adapter; what else is on the adapter is decided by who manages it.'
  return FUNCTION_DRIVERS.has(driver) || isVirtualFunctionId(pciId)
    ? 'A virtual function of an adapter that is not in this system: others can share it.'
    : null
}

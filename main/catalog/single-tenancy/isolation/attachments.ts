import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
import { plain, quote } from '../../../core/base/plain-text.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { compare } from '../../../core/recording/recording.ts'
import { type NetInterface, netInterfaces } from '../../data-protection/network/interfaces.ts'
import {
  FUNCTION_DRIVERS,
  HYPERVISOR_DRIVERS,
  IMITATED_DRIVERS,
  isVirtio,
  isVirtualFunctionId,
  PROVIDER_DRIVERS,
} from '../../data-protection/network/known-adapters.ts'
import { type FabricAdapter, infiniband } from '../../hardware/fabric/index.ts'
import { isGpuFunction, isVirtualGpuName } from '../../hardware/gpu/models.ts'
import { gpuNvidia, type NvidiaGpu } from '../../hardware/gpu/nvidia.ts'
import { type GpuCard, gpuCards } from '../../hardware/gpu/probes.ts'
import { gpusOf, isNvidiaGpu, type PciDevice, pciDevices } from '../../hardware/pci/probes.ts'
import { answer, diskAnswers, type Place, real } from './disk-attachment.ts'

/** The attachment of each GPU and accelerator on the PCI bus, including one that only the driver lists. */
export function gpuAnswers(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const [pci, driver, graphics] = [read(pciDevices), read(gpuNvidia), read(gpuCards)]
  const gpus = new Map(driver.ok ? driver.fact.gpus.map((gpu) => [gpu.address, gpu]) : [])
  const cards = new Map(graphics.ok ? graphics.fact.cards.map((card) => [card.address, card]) : [])
  const onBus = new Set(pci.ok ? gpusOf(pci.fact.devices) : [])
  const listed = pci.ok ? pci.fact.devices.filter((device) => onBus.has(device) || gpus.has(device.address)) : []
  const addresses = new Set(listed.map(({ address }) => address))
  return [
    ...listed.map((device) => {
      const gpu = gpus.get(device.address)
      const card = cards.get(device.address)
      const place = gpu === undefined ? undrivenPlace(device, card, environment) : nvidiaPlace(gpu, environment)
      return answer('gpu', nameOf(device.address, gpu?.name ?? card?.productName ?? null), lent(device, place))
    }),
    ...[...gpus.values()]
      .filter(({ address }) => !addresses.has(address))
      .map((gpu) => {
        const place = nvidiaPlace(gpu, environment)
        const isReal = place.attachment === 'physical'
        return answer(
          'gpu',
          nameOf(gpu.address, gpu.name),
          isReal
            ? { attachment: 'undetermined', text: 'The driver knows it, and it was not seen on the PCI bus.' }
            : place,
        )
      }),
  ]
}

const nameOf = (address: string, name: string | null): string =>
  name === null || name === '' ? address : `${address} ${name}`

/** An NVIDIA GPU that the driver responded about. Its own word for "virtual" or "handed to a guest" is on any environment. */
function nvidiaPlace(gpu: NvidiaGpu, environment: Environment): Place {
  const { virtualization, name, migMode, slices } = gpu
  if (/^VGPU$/i.test(virtualization) || isVirtualGpuName(name))
    return { attachment: 'virtual', text: 'A virtual GPU: a part of one that its owner shares out among guests.' }
  if (/^Pass-?Through$/i.test(virtualization))
    return {
      attachment: 'passthrough',
      text: `A whole GPU passed through to a guest, as reported by its driver.${sliceText(gpu)}`,
    }
  const isHost = /^Host (VGPU|VSGA)$/i.test(virtualization)
  if (/^Enabled$/i.test(migMode) && !isOnHardware(environment))
    return {
      attachment: environment === 'undetermined' ? 'undetermined' : 'virtual',
      text:
        slices.length === 1
          ? 'A GPU divided into slices (MIG), of which one is visible here: the others can belong to another tenant.'
          : `A GPU divided into slices (MIG), ${slices.length} of them visible here; others can belong to another tenant.`,
    }
  if (!isHost && !/^None$/i.test(virtualization))
    return { attachment: 'undetermined', text: 'Its driver does not report how it is attached.' }
  const whole = real(environment, 'A physical function')
  return {
    attachment: whole.attachment,
    text: `${whole.text}${isHost ? ' It serves virtual GPUs to guests of this system.' : ''}${sliceText(gpu)}`,
  }
}

const sliceText = ({ migMode, slices }: NvidiaGpu): string =>
  /^Enabled$/i.test(migMode)
    ? ` It is divided into slices (MIG): ${slices.length === 0 ? 'none is configured' : `${slices.length} configured on this system`}.`
    : ''

const isOnHardware = (environment: Environment): boolean =>
  environment === 'bare-metal' || environment === 'hypervisor-host'

/** A GPU of another manufacturer, or an NVIDIA GPU of which the driver stated nothing. */
function undrivenPlace(device: PciDevice, card: GpuCard | undefined, environment: Environment): Place {
  if (card !== undefined && card.physicalFunction !== null)
    return {
      attachment: 'virtual-function',
      text: `A virtual function of the GPU at ${plain(card.physicalFunction, 20)}, which is in this system as well.`,
    }
  if (isGpuFunction(device))
    return {
      attachment: 'virtual-function',
      text: 'A virtual function of a GPU that is not in this system: others can share it.',
    }
  if (isNvidiaGpu(device)) {
    const how =
      device.driver === 'vfio-pci'
        ? 'It is set aside for a guest of this system (driver vfio-pci).'
        : 'NVIDIA’s driver did not report it.'
    return { attachment: 'undetermined', text: how }
  }
  const whole = real(environment, 'A physical function')
  const partition = card?.partition ?? null
  const divided =
    partition === null || /^SPX$/i.test(partition)
      ? ''
      : ` It is divided into partitions (${quote(partition, 20)}), all of this system.`
  return { attachment: whole.attachment, text: `${whole.text}${divided}` }
}

/** Virtual functions that are switched on belong to a GPU that is being shared out; it stays where it is. */
const lent = ({ virtualFunctions }: PciDevice, place: Place): Place =>
  virtualFunctions > 0
    ? {
        attachment: place.attachment,
        text: `${place.text} Virtual functions are switched on (${virtualFunctions}) for guests.`,
      }
    : place

/**
 * The attachment of each network adapter. Interfaces without a device, and ports of the switch inside an adapter, do
 * not count.
 */
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

/**
 * Documentation/networking/representors.rst: a representor stands for the switch port of another function and is not
 * an adapter itself.
 */
export const isRepresentor = ({ portName }: NetInterface): boolean => /^(c\d+)?pf\d+(vf|sf)\d+$/.test(portName)

function placeOf(nic: NetInterface, driver: string, environment: Environment): Place {
  const isMetal = environment === 'bare-metal' || environment === 'hypervisor-host'
  const name = plain(driver, 40)
  const hypervisor = HYPERVISOR_DRIVERS.get(driver)
  if (hypervisor !== undefined)
    return { attachment: 'virtual', text: `Its driver ${name} is for adapters of ${hypervisor}.` }
  if (isVirtio(driver, nic.path))
    return {
      attachment: 'virtual',
      text: isMetal
        ? `Its driver ${name} is for paravirtual adapters; on real hardware a data-processing unit presents one.`
        : `Its driver ${name} is for paravirtual adapters of a hypervisor.`,
    }
  const provider = PROVIDER_DRIVERS.get(driver)
  if (provider !== undefined)
    return {
      attachment: 'virtual-function',
      text: `Its driver ${name} is for adapters that a card of ${provider} presents, both to guests and to whole machines; the network behind it is the provider’s.`,
    }
  const part = partOf(nic, driver)
  if (part !== null) return { attachment: 'virtual-function', text: part }
  if (nic.path.includes('/usb')) return real(environment, 'An adapter on USB, as management controllers present one')
  if (environment === 'virtual-machine' && IMITATED_DRIVERS.has(driver))
    return {
      attachment: 'virtual',
      text: `Its driver ${name} is for an old adapter that emulators imitate, and this is a guest.`,
    }
  const divides = nic.divisibleInto === null ? '' : ` that can be divided into ${nic.divisibleInto} virtual functions`
  return real(environment, `A physical function${divides}`)
}

/** The whole that it is a part of, in a sentence; null for a whole device. */
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

/**
 * The attachment of each fabric adapter, by its PCI function; where the kernel did not state which one it is, the
 * rest of the bus bounds the result.
 */
export function hcaAnswers(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const fabric = read(infiniband)
  return fabric.ok
    ? fabric.fact.adapters.map((adapter) =>
        answer(
          'hca',
          `${adapter.name}${adapter.boardId === '' ? '' : ` ${adapter.boardId}`}`,
          portPlace(adapter, read, environment),
        ),
      )
    : []
}

/**
 * Software adapters on top of a network interface (Soft-RoCE, Soft-iWARP): under no device, without board and
 * firmware.
 */
export const isSoftwareAdapter = ({ name, pciAddress, driver, boardId, firmware }: FabricAdapter): boolean =>
  pciAddress === null && driver === null && (/^(rxe|siw)\w*$/.test(name) || (boardId === '' && firmware === ''))

function portPlace(adapter: FabricAdapter, read: Read, environment: Environment): Place {
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

/**
 * The attachment of each device, one result per device. A device that looks physical is called native only where the
 * system was concluded to run on hardware.
 */
export function decideAttachments(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const devices = [
    ...gpuAnswers(read, environment),
    ...nicAnswers(read, environment),
    ...hcaAnswers(read, environment),
    ...diskAnswers(read, environment),
  ]
  return devices.sort((a, b) => compare(a.kind, b.kind) || compare(a.device, b.device))
}

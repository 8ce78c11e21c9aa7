import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
import { plain, quote } from '../../../core/plain-text.ts'
import { isGpuFunction, isVirtualGpuName } from '../../gpu/models.ts'
import { type GpuCard, gpuCards } from '../../probes/gpu-cards.ts'
import { gpuNvidia, type NvidiaGpu } from '../../probes/gpu-nvidia.ts'
import { isGpu, isNvidiaGpu, type PciDevice, pciDevices } from '../../probes/pci-devices.ts'
import type { Read } from '../signal.ts'
import { answer, type Place, real } from './real.ts'

/** Where each GPU and accelerator of the PCI bus is. One that the driver knows and the bus does not is listed as well. */
export function gpuAnswers(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const [pci, driver, graphics] = [read(pciDevices), read(gpuNvidia), read(gpuCards)]
  const gpus = new Map(driver.ok ? driver.fact.gpus.map((gpu) => [gpu.address, gpu]) : [])
  const cards = new Map(graphics.ok ? graphics.fact.cards.map((card) => [card.address, card]) : [])
  const listed = pci.ok ? pci.fact.devices.filter((device) => isGpu(device) || gpus.has(device.address)) : []
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

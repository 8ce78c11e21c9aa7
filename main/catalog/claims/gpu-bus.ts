import type { DraftObservation } from '../../core/check.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { isGpu, isNvidiaGpu, type PciDevice, type PciDevices, pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, unclear } from '../steps.ts'

export const NVIDIA = '10de'
/** Manufacturers whose devices for pictures can be GPUs that compute: NVIDIA, AMD, Intel, Habana. */
const MAKERS: readonly string[] = [NVIDIA, '1002', '8086', '1da3']

/** The GPUs and accelerators of the PCI bus; with a vendor, those of one manufacturer. */
export const gpusOnBus = ({ devices }: PciDevices, vendor?: string): readonly PciDevice[] =>
  devices.filter((device) => (isGpu(device) || isNvidiaGpu(device)) && isOf(device, vendor))

const isOf = (device: PciDevice, vendor: string | undefined): boolean =>
  vendor === undefined || device.vendor === vendor

/**
 * The step that there is no GPU, where the bus was read whole and has none; one that leaves it open where it shows no device at all or
 * one that may be a GPU; null where there is a GPU.
 */
export function withoutGpu(bus: PciDevices, vendor?: string): DraftObservation | null {
  if (bus.devices.length === 0)
    return unclear('No device is listed on a PCI bus, so that nothing shows which GPUs there are.', pciDevices)
  if (gpusOnBus(bus, vendor).length > 0) return null
  const displays = bus.devices.filter(
    (device) => MAKERS.includes(device.vendor) && isOf(device, vendor) && /^(03|12)/.test(device.class),
  )
  return displays.length > 0
    ? unclear(
        `${count(displays.length, 'device')} for pictures on the PCI bus can be a GPU or a part of the mainboard.`,
        pciDevices,
      )
    : contradicts(
        `No GPU${vendor === NVIDIA ? ' by NVIDIA' : ''} among ${count(bus.devices.length, 'PCI device')}.`,
        pciDevices,
      )
}

/** That the driver is silent about GPUs on the bus: then nothing holds of every GPU. None where it reports each. */
export function undriven(bus: PciDevices, gpus: readonly Pick<NvidiaGpu, 'address'>[]): readonly DraftObservation[] {
  const answered = new Set(gpus.map(({ address }) => address))
  const silent = gpusOnBus(bus, NVIDIA).filter(({ address }) => !answered.has(address))
  return silent.length === 0
    ? []
    : [unclear(`The driver does not report ${count(silent.length, 'GPU')} on the bus.`, gpuNvidia)]
}

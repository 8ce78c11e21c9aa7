import { gpuNvidia, type NvidiaGpus } from '../../gpu/nvidia.ts'
import { isNvidiaGpu, type PciDevice, pciDevices } from '../../pci/probes.ts'
import { notApplicable, type Observation, type Read, unreadable } from '../signal.ts'

/** NVIDIA GPUs on the PCI bus; null where the bus was not read. */
export function listedGpus(read: Read): number | null {
  const pci = read(pciDevices)
  return pci.ok ? pci.fact.devices.filter(isNvidiaGpu).length : null
}

/** No NVIDIA GPU: not on the bus, and none that a driver knows. An unread bus leaves that open. */
export function lacksNvidia(read: Read): Observation | null {
  const driver = read(gpuNvidia)
  return listedGpus(read) === 0 && !(driver.ok && driver.fact.gpus.length > 0)
    ? notApplicable('The PCI bus has no NVIDIA GPU.')
    : null
}

/**
 * Judges what the driver reports about its GPUs. Without a driver's report it cannot be evaluated; a machine without such GPUs has nothing
 * to evaluate.
 */
export function onNvidia(read: Read, judge: (driver: NvidiaGpus, listed: number | null) => Observation): Observation {
  const none = lacksNvidia(read)
  if (none !== null) return none
  const driver = read(gpuNvidia)
  if (!driver.ok) return unreadable(gpuNvidia, driver.reason)
  return driver.fact.gpus.length === 0
    ? unreadable(gpuNvidia, 'the driver responds, and lists no GPU')
    : judge(driver.fact, listedGpus(read))
}

/** Judges the devices of a PCI bus that was read; a machine without one has nothing to evaluate. */
export function onPci(read: Read, judge: (devices: readonly PciDevice[]) => Observation): Observation {
  const reading = read(pciDevices)
  if (!reading.ok) return unreadable(pciDevices, reading.reason)
  return reading.fact.devices.length === 0 ? notApplicable('The machine has no PCI bus.') : judge(reading.fact.devices)
}

import { type PciDevice, pciDevices } from '../../probes/pci-devices.ts'
import { notApplicable, type Observation, type Read, unreadable } from '../signal.ts'

/** Judges the devices of a PCI bus that was read; a machine without one has nothing to evaluate. */
export function onPci(read: Read, judge: (devices: readonly PciDevice[]) => Observation): Observation {
  const reading = read(pciDevices)
  if (!reading.ok) return unreadable(pciDevices, reading.reason)
  return reading.fact.devices.length === 0 ? notApplicable('The machine has no PCI bus.') : judge(reading.fact.devices)
}

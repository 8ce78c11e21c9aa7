import { cpuFeatures } from '../probes/cpu-features.ts'
import { type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { pciPorts } from '../probes/pci-ports.ts'
import { fastPorts, isOfProcessor } from './pci-hardware.ts'
import type { Read } from './signal.ts'

/**
 * Data-processing units: the whole functions and the bridges that they show to the machine they are in, and no virtual function (pci.ids).
 */
const UNITS: ReadonlySet<string> = new Set([
  // NVIDIA BlueField to BlueField-4: adapters, bridges of the card and bridges that it emulates, its management interface.
  ...['a2d0', 'a2d1', 'a2d2', 'a2d4', 'a2d5', 'a2d6', 'a2d7', 'a2d8', 'a2d9'].map((id) => `15b3:${id}`),
  ...['a2da', 'a2db', 'a2dc', 'a2dd', 'a2de', 'a2df'].map((id) => `15b3:${id}`),
  ...['1975', '1978', '197a', '197b', '197c', '2021', '2024', '2025'].map((id) => `15b3:${id}`),
  ...['c2d1', 'c2d2', 'c2d3', 'c2d4', 'c2d5', 'c2d6'].map((id) => `15b3:${id}`),
  // AMD Pensando.
  ...['0002', '0008', '1000', '1001', '1002', '1004', '1005', '1007', '100c'].map((id) => `1dd8:${id}`),
  // Intel’s infrastructure processors; Broadcom Stingray; Alibaba’s card.
  ...['8086:1452', '14e4:d802', '14e4:d804', '1ded:2050', '1ded:5011', '1ded:8000'],
])
/** Manufacturers of cards that a provider builds for itself. Every function of theirs is one of such a card, or of a hypervisor. */
const PROVIDERS: ReadonlySet<string> = new Set(['1d0f', '1ae0', '1ded'])
const VIRTIO = '1af4'

/**
 * Functions that guests have, where a card in this machine presents them: each is behind a port of the processor whose registers for link
 * equalization were read, a virtio function next to a data-processing unit below that same port. What such a function looks like decides
 * about that device, and nothing about the machine. Without a response about the ports there is none: ports of QEMU have no such registers,
 * and ports of Amazon (1d0f:0200) are in guests as well (measured: an instance with eight H100).
 */
export function cardFunctions(read: Read): ReadonlySet<string> {
  const [pci, cpu, ports] = [read(pciDevices), read(cpuFeatures), read(pciPorts)]
  if (!pci.ok || !cpu.ok || !ports.ok) return new Set()
  const { devices } = pci.fact
  const equalizing = new Set(ports.fact.ports.filter(({ equalizes }) => equalizes).map(({ address }) => address))
  const real = new Set(
    fastPorts(devices)
      .filter((port) => port.above.length === 0 && isOfProcessor(cpu.fact, port) && equalizing.has(port.address))
      .map(({ address }) => address),
  )
  const portOf = ({ above: [first] }: PciDevice): string | null =>
    first !== undefined && real.has(first) ? first : null
  const withUnit = new Set(
    devices.filter(({ vendor, device }) => UNITS.has(`${vendor}:${device}`)).flatMap((unit) => portOf(unit) ?? []),
  )
  return new Set(
    devices
      .filter((device) => {
        const port = portOf(device)
        return port !== null && (PROVIDERS.has(device.vendor) || (device.vendor === VIRTIO && withUnit.has(port)))
      })
      .map(({ address }) => address),
  )
}

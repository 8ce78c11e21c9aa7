import { type PciDevice, type PciPort, pciDevices, pciPorts } from '../../main/catalog/hardware/pci/probes.ts'
import { known } from '../../main/core/recording/probe.ts'
import type { Fact } from './signal-facts.ts'

/** A PCI function from "address vendor:device class [rest]"; it hangs on the root bus of its own address. */
export function pciFunction(row: string, rest: Partial<PciDevice> = {}): PciDevice {
  const [address = '', id = '', kind = '000000'] = row.split(' ')
  const [vendor = '', device = ''] = id.split(':')
  return {
    address,
    vendor,
    device,
    subsystemVendor: '0000',
    subsystemDevice: '0000',
    class: kind.padEnd(6, '0'),
    driver: null,
    above: [],
    root: address.slice(0, -5),
    maxLinkSpeed: null,
    maxLinkWidth: null,
    virtualFunctions: 0,
    ...rest,
  }
}

export const pci = (...devices: readonly (string | PciDevice)[]): Fact => [
  pciDevices,
  known({ devices: devices.map((one) => (typeof one === 'string' ? pciFunction(one) : one)) }),
]

export const port = (rest: Partial<PciPort>): PciPort => ({
  address: '0000:00:01.0',
  vendor: '8086',
  device: '352a',
  speed: 16,
  width: 16,
  isExtended: true,
  equalizes: false,
  physical16: false,
  physical32: false,
  margins: false,
  reportsErrors: true,
  isEqualized: false,
  ...rest,
})
export const ports = (...list: readonly PciPort[]): Fact => [pciPorts, known({ ports: list })]

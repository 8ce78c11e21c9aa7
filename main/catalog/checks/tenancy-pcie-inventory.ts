import { defineCheck } from '../../core/check.ts'
import { isVirtualFunction, SHARED_VENDORS, VIRTUAL_VENDORS } from '../isolation/pci-tables.ts'
import { type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

export const tenancyPcieInventory = defineCheck({
  id: 'tenancy.pcie-inventory',
  property: 'isolation',
  expected:
    'Every GPU, network adapter, fabric adapter and drive controller on the PCI bus is a physical function of a hardware manufacturer.',
  limitations:
    'Ids are read through firmware that the provider controls. Serial numbers were not compared with an inventory of the chassis, since none is declared, and a physical function can have been handed to a guest.',
  requires: { pci: pciDevices },
  evaluate({ pci }) {
    const devices = pci.devices.filter((device) => /^(01|02|03|12)/.test(device.class) && device.class !== '030000')
    const list = (some: readonly PciDevice[]): string =>
      named(
        some.map(({ address, vendor, device }) => `${address} ${vendor}:${device}`),
        4,
      )
    const virtual = devices.filter(({ vendor }) => VIRTUAL_VENDORS.has(vendor))
    const shared = devices.filter(({ vendor }) => SHARED_VENDORS.has(vendor))
    const functions = devices.filter(isVirtualFunction)
    if (devices.length === 0)
      return decide([unclear('No GPU, adapter or drive controller is on the PCI bus.', pciDevices)])
    return decide([
      ...(virtual.length > 0
        ? [contradicts(`Emulated devices (${virtual.length}): ${list(virtual)}.`, pciDevices, 'ids')]
        : []),
      ...(shared.length > 0
        ? [
            contradicts(
              `Devices made by a hypervisor or a provider’s data-processing unit (${shared.length}): ${list(shared)}.`,
              pciDevices,
              'ids',
            ),
          ]
        : []),
      ...(functions.length > 0
        ? [contradicts(`Virtual functions (${functions.length}): ${list(functions)}.`, pciDevices, 'ids')]
        : []),
      ...(virtual.length + shared.length + functions.length === 0
        ? [
            supports(
              `${count(devices.length, 'GPU, adapter or drive controller', 'GPUs, adapters and drive controllers')}, all physical functions of hardware manufacturers.`,
              pciDevices,
              'ids',
            ),
          ]
        : []),
    ])
  },
})

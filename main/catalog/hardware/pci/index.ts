import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }
import { pciIommu, tenancyIommu, tenancyPcieInventory } from './iommu.ts'
import { pciDevices, pciPorts, usbDevices } from './probes.ts'

export const pciSubject = defineSubject({
  id: 'pci',
  title: 'PCI devices',
  probes: [pciDevices, pciIommu, pciPorts, usbDevices],
  checks: [tenancyPcieInventory, tenancyIommu],
  data,
})

import { quote } from '../../core/plain-text.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { virtBuses } from '../probes/virt-buses.ts'
import { count, named, speaksAgainst } from '../steps.ts'
import { isSince2009 } from './cpu-tables.ts'
import { COPIED_HOST_BRIDGES, SHARED_VENDORS, VIRTUAL_HOST_BRIDGES, VIRTUAL_VENDORS } from './pci-tables.ts'
import type { LayerReadings } from './readings.ts'
import { type Sign, sign } from './signs.ts'

/** Signs of virtualization on the buses and in the devices. */
export const deviceSigns = (readings: LayerReadings): readonly Sign[] => [
  ...busSigns(readings),
  ...bridgeSigns(readings),
  ...vendorSigns(readings),
  ...gpuSigns(readings),
  ...diskSigns(readings),
]

function busSigns({ buses }: LayerReadings): readonly Sign[] {
  if (!buses.ok) return []
  const { vmbus, xen, qemuFirmwareConfig, hypervisorType, deviceTreeHypervisor, controlProgram } = buses.fact
  const tree =
    deviceTreeHypervisor === null
      ? null
      : /xen/.test(deviceTreeHypervisor)
        ? 'Xen'
        : /kvm/.test(deviceTreeHypervisor)
          ? 'KVM'
          : null
  return [
    ...(vmbus > 0
      ? [
          sign(
            'bus',
            'names',
            'Microsoft Hyper-V',
            speaksAgainst(`${count(vmbus, 'device')} on Hyper-V’s bus.`, virtBuses, 'lists'),
          ),
        ]
      : []),
    ...(xen > 0
      ? [sign('bus', 'names', 'Xen', speaksAgainst(`${count(xen, 'device')} on Xen’s bus.`, virtBuses, 'lists'))]
      : []),
    ...(qemuFirmwareConfig
      ? [
          sign(
            'bus',
            'impossible',
            'QEMU',
            speaksAgainst('The kernel found QEMU’s firmware configuration device.', virtBuses, 'lists'),
          ),
        ]
      : []),
    ...(hypervisorType === null
      ? []
      : [
          sign(
            'bus',
            'names',
            hypervisorType === 'xen' ? 'Xen' : null,
            speaksAgainst(
              `The kernel says that it runs on the hypervisor ${quote(hypervisorType)}.`,
              virtBuses,
              'files',
            ),
          ),
        ]),
    ...(deviceTreeHypervisor === null
      ? []
      : [
          sign(
            'bus',
            'names',
            tree,
            speaksAgainst(`The device tree names a hypervisor: ${quote(deviceTreeHypervisor)}.`, virtBuses, 'files'),
          ),
        ]),
    ...(controlProgram === null
      ? []
      : [
          sign(
            'bus',
            'names',
            /KVM/.test(controlProgram) ? 'KVM' : /z\/VM/.test(controlProgram) ? 'z/VM' : null,
            speaksAgainst(
              `The machine names a control program above this system: ${quote(controlProgram)}.`,
              virtBuses,
              'files',
            ),
          ),
        ]),
  ]
}

const id = ({ vendor, device }: PciDevice): string => `${vendor}:${device}`

function bridgeSigns({ pci, cpu }: LayerReadings): readonly Sign[] {
  if (!pci.ok) return []
  const bridges = pci.fact.devices.filter(({ address }) => /^[0-9a-f]{4,8}:00:00\.0$/.test(address))
  const vendor = cpu.ok ? cpu.fact.vendor : null
  const isModern = cpu.ok && cpu.fact.architecture === 'x86' && isSince2009(cpu.fact)
  const qemu = pci.fact.devices.filter(
    (device) => device.subsystemVendor === '1af4' && device.subsystemDevice === '1100' && device.vendor !== '1af4',
  )
  return [
    ...bridges.flatMap((bridge) => {
      const virtual = VIRTUAL_HOST_BRIDGES.get(id(bridge))
      const copied = COPIED_HOST_BRIDGES.get(id(bridge))
      return [
        ...(virtual === undefined
          ? []
          : [
              sign(
                'pci',
                'impossible',
                virtual,
                speaksAgainst(
                  `The host bridge ${bridge.address} is ${id(bridge)}, the one ${virtual} presents.`,
                  pciDevices,
                  'ids',
                ),
              ),
            ]),
        ...(copied === undefined || !isModern
          ? []
          : [
              sign(
                'pci',
                'impossible',
                null,
                speaksAgainst(
                  `A processor launched after 2009 sits behind the chipset ${copied}; on hardware the two cannot meet.`,
                  pciDevices,
                  'ids',
                ),
              ),
            ]),
      ]
    }),
    ...(vendor === 'AuthenticAMD' && bridges[0]?.vendor === '8086' && !VIRTUAL_HOST_BRIDGES.has(id(bridges[0]))
      ? [
          sign(
            'pci',
            'impossible',
            null,
            speaksAgainst(`The processor is AMD, and its host bridge is Intel’s ${id(bridges[0])}.`, pciDevices, 'ids'),
          ),
        ]
      : []),
    ...(vendor === 'GenuineIntel' && bridges[0]?.vendor === '1022'
      ? [
          sign(
            'pci',
            'impossible',
            null,
            speaksAgainst(`The processor is Intel, and its host bridge is AMD’s ${id(bridges[0])}.`, pciDevices, 'ids'),
          ),
        ]
      : []),
    ...(qemu.length > 0
      ? [
          sign(
            'pci',
            'impossible',
            'QEMU',
            speaksAgainst(
              `QEMU’s subsystem id 1af4:1100 stands on ${count(qemu.length, 'device')} of the chipset (${named(
                qemu.map(({ address }) => address),
                3,
              )}).`,
              pciDevices,
              'ids',
            ),
          ),
        ]
      : []),
  ]
}

function vendorSigns({ pci }: LayerReadings): readonly Sign[] {
  if (!pci.ok) return []
  const of = (vendor: string): readonly PciDevice[] => pci.fact.devices.filter((device) => device.vendor === vendor)
  const virtual = [...VIRTUAL_VENDORS].flatMap(([vendor, platform]) => {
    const found = of(vendor)
    return found.length === 0
      ? []
      : [
          sign(
            'pci',
            'names',
            platform,
            speaksAgainst(
              `${count(found.length, 'PCI device')} with the vendor id ${vendor} of ${platform}.`,
              pciDevices,
              'ids',
            ),
          ),
        ]
  })
  const shared = [...SHARED_VENDORS].flatMap(([vendor, name]) => {
    const found = of(vendor)
    return found.length === 0
      ? []
      : [
          sign(
            'pci',
            'odd',
            null,
            speaksAgainst(
              `${count(found.length, 'PCI device')} with the vendor id ${vendor} (${name}): guests have them, and so has hardware with a data-processing unit.`,
              pciDevices,
              'ids',
            ),
          ),
        ]
  })
  return [...virtual, ...shared]
}

function gpuSigns({ gpus }: LayerReadings): readonly Sign[] {
  if (!gpus.ok) return []
  const given = gpus.fact.gpus.filter(({ virtualization }) => /^(Pass-?Through|VGPU)$/i.test(virtualization))
  const unlinked = gpus.fact.gpus.filter(
    ({ virtualization, maxHostLink }) => virtualization === 'None' && maxHostLink === 'N/A',
  )
  return [
    ...(given.length > 0
      ? [
          sign(
            'gpu',
            'names',
            null,
            speaksAgainst(
              `The GPU driver says of ${count(given.length, 'GPU')}: given to a guest (${quote(given[0]?.virtualization ?? '')}).`,
              gpuNvidia,
            ),
          ),
        ]
      : []),
    ...(unlinked.length > 0
      ? [
          sign(
            'gpu',
            'odd',
            null,
            speaksAgainst(
              `The GPU driver says “None” for virtualization of ${count(unlinked.length, 'GPU')}, and sees no real port above.`,
              gpuNvidia,
            ),
          ),
        ]
      : []),
  ]
}

function diskSigns({ disks }: LayerReadings): readonly Sign[] {
  if (!disks.ok) return []
  const emulated = disks.fact.disks.filter(({ model }) =>
    /^(QEMU |VMware Virtual|VBOX |ORCL-VBOX|nvme_card|Msft Virtual)/i.test(model),
  )
  return emulated.map(({ name, model }) =>
    sign(
      'disk',
      'impossible',
      /^QEMU/i.test(model) ? 'QEMU' : /^VMware/i.test(model) ? 'VMware' : null,
      speaksAgainst(
        `Drive ${quote(name)} calls itself ${quote(model)}, the name of an emulated drive.`,
        inventoryDisks,
      ),
    ),
  )
}

import { plain } from '../../../core/base/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { listedFolders, listingIsComplete, sysfsValues } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  foundLines,
  grepIsComplete,
  inOrder,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
} from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { isVirtualFunctionId } from '../../data-protection/network/known-adapters.ts'
import {
  isUnitDrive,
  SHARED_VENDORS,
  VIRTUAL_VENDORS,
  virtualDevicePlatform,
} from '../../single-tenancy/isolation/pci-hardware.ts'
import { type HostedDevices, virtHosted } from '../../single-tenancy/virtualization/index.ts'
import { type GpuDirect, rdmaGpudirect } from '../fabric/rdma.ts'
import { isGpuFunction } from '../gpu/models.ts'
import { type OsIdentity, osIdentity } from '../machine/identity.ts'
import { type PciDevice, pciDevices } from './probes.ts'

export interface Iommu {
  readonly units: readonly string[]
  readonly groups: readonly string[]
  /** Group → DMA, DMA-FQ (translated), identity (passed through), blocked, auto. */
  readonly types: ReadonlyMap<string, string>
  readonly kernelArguments: readonly string[]
}

const GROUPS = '/sys/kernel/iommu_groups'
const UNITS = '/sys/class/iommu'

/** Documentation/ABI/testing/sysfs-kernel-iommu_groups, sysfs-class-iommu; kernel-parameters.txt for the arguments. */
export const pciIommu = defineProbe({
  id: 'pci.iommu',
  title: 'Memory protection against devices',
  why: 'An IOMMU limits which memory a device can reach. On AI servers it is often switched to pass-through.',
  ignoredInDrift: {
    why: 'Groups and units are listed in the order in which they were found.',
    normalize: ({ units, groups, ...rest }: Iommu) => ({
      ...rest,
      units: inOrder(units),
      groups: inOrder(groups),
      types: inOrder(rest.types),
    }),
  },
  commands: {
    lists: run(['ls', '-1', GROUPS, UNITS, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    types: run(['grep', '-sH', '', glob('/sys/kernel/iommu_groups/*/type'), ALWAYS_FILE], OF_ALWAYS_FILE),
    kernel: run(
      [
        'grep',
        '-o',
        '-H',
        '-E',
        '(intel_iommu|amd_iommu|iommu|iommu[.][a-z]+)=[a-z,_]+|^Linux$',
        '/proc/cmdline',
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ lists, types, kernel }) {
    if (!listingIsComplete(lists)) return unknown('the IOMMU groups could not be listed')
    if (!grepIsComplete(kernel)) return unknown('the kernel’s arguments could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && !folders.has(GROUPS))
      return unknown('the list of IOMMU groups has an unexpected format')
    return known<Iommu>({
      units: folders.get(UNITS) ?? [],
      groups: folders.get(GROUPS) ?? [],
      types: new Map(
        [...sysfsValues(types.text, ['type'])].map(([path, type]) => [path.split('/').at(-2) ?? '', type]),
      ),
      kernelArguments: foundLines(kernel.text).flatMap(({ path, line }) => (path === ALWAYS_FILE ? [] : [line])),
    })
  },
})

/**
 * An IOMMU that is off or passes devices through is recorded and is no deviation: NVIDIA recommends it for GPUDirect
 * on bare-metal x86 (GPUDirect Storage Best Practices Guide, System Settings, IOMMU; Installation and Troubleshooting
 * Guide, Before You Install GDS), and without guests every device belongs to the same party as the memory.
 *
 * It never contradicts. A device bound to vfio-pci without any device group runs in the mode without an IOMMU
 * (drivers/vfio, enable_unsafe_noiommu_mode). Whether a guest uses it, or a program of the tenant’s own (DPDK, SPDK),
 * cannot be read, so the result is unclear. A group with default pass-through is not such a case, since VFIO assigns
 * each group that it hands over a translation of its own.
 */
export const tenancyIommu = defineCheck({
  id: 'tenancy.iommu',
  property: 'isolation',
  expected: 'An IOMMU is active, and every group of devices reaches memory through its translation.',
  ends: 'supported-or-recorded',
  limitations:
    'It limits where devices can write; it does not show whether their firmware is genuine, or what devices could reach before the kernel started. An IOMMU that is off or passes devices through is recorded: a server without guests does not require translation, and NVIDIA recommends against it for GPUDirect on bare-metal x86. An IOMMU that a hypervisor below this system uses is not seen.',
  requires: { iommu: pciIommu },
  optional: { hosted: virtHosted, direct: rdmaGpudirect, system: osIdentity },
  evaluate({ iommu }, { hosted, direct, system }): Conclusion {
    const { groups, units, types, kernelArguments } = iommu
    const passed = groups.filter((group) => types.get(group) === 'identity')
    const asked = kernelArguments.length > 0 ? ` The kernel was started with ${named(kernelArguments)}.` : ''
    if (groups.length === 0) {
      const off = unclear(
        `This kernel uses no IOMMU: it lists no group of devices.${asked}`,
        pciIommu,
        'lists',
        'kernel',
      )
      const handedOver = givenAway(hosted)
      return handedOver.length > 0
        ? { verdict: 'inconclusive', observations: [off, ...handedOver] }
        : { verdict: 'informational', observations: [off, NONE_GIVEN_AWAY, ...recommended(direct, system)] }
    }
    const active =
      units.length > 0
        ? supports(`IOMMU units: ${units.length}; groups of devices: ${groups.length}.${asked}`, pciIommu, 'lists')
        : unclear(
            `There are ${count(groups.length, 'group')} of devices, and no IOMMU that names itself.`,
            pciIommu,
            'lists',
          )
    if (passed.length > 0) {
      const text = `Passed through without translation: ${passed.length} of ${count(groups.length, 'group')}.`
      const observations = [active, unclear(text, pciIommu, 'types'), ...recommended(direct, system)]
      return { verdict: 'informational', observations }
    }
    return decide([active, treated(iommu)])
  },
})

function treated({ groups, types }: Iommu): DraftObservation {
  const unread = groups.filter((group) => !types.has(group))
  return unread.length > 0
    ? unclear(
        `The kernel does not state how ${count(unread.length, 'group')} of ${groups.length} are treated.`,
        pciIommu,
        'types',
      )
    : supports(`Translated: ${groups.length} of ${count(groups.length, 'group')}.`, pciIommu, 'types')
}

const NONE_GIVEN_AWAY = unclear('No PCI device is set aside for a guest (driver vfio-pci).', virtHosted, 'lists')

/** Devices that are handed over while nothing translates for them; or that this was not read, which must not read as none. */
function givenAway(hosted: Parsed<HostedDevices>): readonly DraftObservation[] {
  if (!hosted.ok) return unclearAbout(virtHosted, hosted)
  const { heldBack } = hosted.fact
  if (heldBack.length === 0) return []
  const text = `${count(heldBack.length, 'PCI device')} set aside by vfio-pci without an IOMMU (${named(heldBack)}): a program that uses them can reach all memory. Whether that is a guest or a program of this server is not shown.`
  return [unclear(text, virtHosted, 'lists')]
}

/** Modules for which NVIDIA's guides recommend it; gdrdrv and the software adapters of the same probe are not among them. */
const DIRECT: ReadonlySet<string> = new Set(['nvidia_peermem', 'nv_peer_mem', 'nvidia_fs'])

/** Only for x86: on Grace the same guide requires an IOMMU that translates. */
function recommended(direct: Parsed<GpuDirect>, system: Parsed<OsIdentity>): readonly DraftObservation[] {
  if (!direct.ok) return unclearAbout(rdmaGpudirect, direct)
  const modules = direct.fact.modules.filter((module) => DIRECT.has(module))
  if (modules.length === 0) return []
  if (!system.ok) return unclearAbout(osIdentity, system)
  const loaded = `Modules for GPUDirect are loaded: ${named(modules)}.`
  const { machine } = system.fact
  return [
    unclear(
      machine === 'x86_64'
        ? `${loaded} For them NVIDIA recommends an IOMMU that is off or passes devices through, on bare-metal x86 (GPUDirect Storage Best Practices Guide).`
        : `${loaded} NVIDIA’s recommendation of an IOMMU that is off is for x86, and this server is ${plain(machine, 20)}.`,
      rdmaGpudirect,
      'modules',
    ),
  ]
}

/** Controllers of drives of 1996 and 1997 (PIIX3, PIIX4), which emulators copy: no machine of 64 bits had one. */
const COPIED_CONTROLLERS: ReadonlySet<string> = new Set(['8086:7010', '8086:7111'])

/**
 * A device of an emulator, by its own id or by that of the board that it states: QEMU writes 1af4:1100 on whatever it copies (include/hw/pci/pci.h),
 * Xen and VMware write ids of their own. Displays count where only an emulator has them.
 */
const isEmulated = (device: PciDevice): boolean => {
  const { vendor, subsystemVendor, subsystemDevice } = device
  return (
    VIRTUAL_VENDORS.has(vendor) ||
    virtualDevicePlatform(device) !== null ||
    // 1234 is assigned to no one, and boards of some makers state it.
    (VIRTUAL_VENDORS.has(subsystemVendor) && subsystemVendor !== '1234') ||
    (subsystemVendor === '1af4' && subsystemDevice === '1100' && vendor !== '1af4') ||
    COPIED_CONTROLLERS.has(`${vendor}:${device.device}`)
  )
}

const isVirtualFunction = (device: PciDevice): boolean =>
  isVirtualFunctionId(`${device.vendor}:${device.device}`) || isGpuFunction(device)

/**
 * The virtual functions that this system created: the physical function is visible, has that many enabled, and is
 * below the same port (drivers/pci/iov.c gives both one parent). Where there are more than that, another system
 * created them.
 */
function ownFunctions(functions: readonly PciDevice[], devices: readonly PciDevice[]): ReadonlySet<PciDevice> {
  const placeOf = ({ vendor, root, above }: PciDevice): string => [vendor, root, ...above].join(' ')
  const made = new Map<string, number>()
  for (const device of devices)
    if (!isVirtualFunction(device))
      made.set(placeOf(device), (made.get(placeOf(device)) ?? 0) + device.virtualFunctions)
  const there = (place: string): number => functions.filter((one) => placeOf(one) === place).length
  return new Set(functions.filter((one) => there(placeOf(one)) <= (made.get(placeOf(one)) ?? 0)))
}

export const tenancyPcieInventory = defineCheck({
  id: 'tenancy.pcie-inventory',
  property: 'isolation',
  expected:
    'Every GPU, network adapter, fabric adapter and drive controller on the PCI bus is a physical function of a hardware manufacturer, or a virtual function that this system made of one.',
  limitations:
    'Ids are read through firmware that the provider controls. Serial numbers were not compared with an inventory of the chassis, since none is declared, and a physical function can have been handed to a guest.',
  requires: { pci: pciDevices },
  evaluate({ pci }) {
    const devices = pci.devices.filter(
      (device) => /^(01|02|03|12)/.test(device.class) && (device.class !== '030000' || isEmulated(device)),
    )
    const list = (some: readonly PciDevice[]): string =>
      named(
        some.map(({ address, vendor, device }) => `${address} ${vendor}:${device}`),
        4,
      )
    const virtual = devices.filter(isEmulated)
    const shared = devices.filter(
      (device) => !virtual.includes(device) && (SHARED_VENDORS.has(device.vendor) || isUnitDrive(device)),
    )
    const parts = devices.filter(isVirtualFunction)
    const own = ownFunctions(parts, devices)
    const functions = parts.filter((device) => !own.has(device))
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
              `${count(devices.length - own.size, 'GPU, adapter or drive controller', 'GPUs, adapters and drive controllers')}, all physical functions of hardware manufacturers.`,
              pciDevices,
              'ids',
            ),
          ]
        : []),
      ...(own.size > 0
        ? [
            supports(
              `Virtual functions (${own.size}) that this system made of devices in view: ${list([...own])}.`,
              pciDevices,
              'ids',
              'links',
            ),
          ]
        : []),
    ])
  },
})

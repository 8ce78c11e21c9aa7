import { bootMemory } from '../../machine/acpi.ts'
import { type DmiProcessor, dmiTable } from '../../machine/dmi.ts'
import { inventoryMemory, memorySpd } from '../../machine/memory.ts'
import { pciDevices } from '../../pci/probes.ts'
import { cpuFeatures } from '../../processors/features.ts'
import { contradicts, count, supports } from '../../steps.ts'
import { virtBuses } from '../../virtualization/probes.ts'
import { metal, neutral, notApplicable, type Observation, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { NO_SMBIOS } from './smbios-extent.ts'

const KIB_PER_MIB = 1024
const MOST_DIFFERENCE = 0.25
/** Mirroring leaves a half or a third, and a graphics unit can take three quarters; a fifth is left by nothing we know of. */
const LEAST_EXPLAINED = 0.2
/** The kernel counts less than the firmware handed over: its own code, memory set aside for a crash kernel, tables of pages. */
const AGREES = 0.15

const size = (kib: number): string =>
  kib < 10 * 1024 * 1024 ? `${Math.round(kib / 1024)} MiB` : `${Math.round(kib / 1024 / 1024)} GiB`

const memorySum: Signal = {
  id: 'dmi.memsum',
  family: 'firmware',
  title: 'Memory modules against memory in use',
  onMetal: 'Modules add up to the memory in use, less a few percent.',
  onGuest: 'One made-up module that fits, or the modules of another machine, which do not.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s own table describes as much memory as the guest was given, without any option.',
    'Mirrored or spared modules hold less than they add up to; a graphics unit may keep a part.',
    'Non-volatile modules, memory on the processor and memory on other buses break the sum, so that machines with them are left out.',
    'A control domain of Xen holds only its own part.',
    'A limit on the kernel’s command line lowers the memory in use, which is why the firmware’s own map is compared as well.',
  ],
  source:
    'DMTF DSP0134 type 17; proc_meminfo(5); Documentation/ABI/testing/sysfs-firmware-memmap; measured: sums of 113 boards against their mapped ranges.',
  probes: [dmiTable, inventoryMemory, bootMemory, cpuFeatures, virtBuses],
  observe(read) {
    const [table, memory, boot] = [read(dmiTable), read(inventoryMemory), read(bootMemory)]
    if (!table.ok) return unreadable(dmiTable, table.reason)
    if (!table.fact.present) return notApplicable(NO_SMBIOS)
    if (!memory.ok) return unreadable(inventoryMemory, memory.reason)
    const modules = table.fact.modules.filter(({ isMainMemory }) => isMainMemory)
    const listed = modules.reduce((sum, { mebibytes }) => sum + mebibytes, 0) * KIB_PER_MIB
    const used = memory.fact.totalKib
    if (listed === 0 || used === 0) return neutral('no module with a size')
    const value = `${size(listed)} in modules, ${size(used)} in use`
    const buses = read(virtBuses)
    if (buses.ok && buses.fact.isControlDomain) return neutral(value)
    if (modules.some(({ isNonVolatile, kind }) => isNonVolatile || kind === 'HBM')) return neutral(value)
    if (Math.abs(listed - used) / Math.max(listed, used) <= MOST_DIFFERENCE)
      return metal(value, supports(`The modules that the firmware lists add up to what is in use: ${value}.`, dmiTable))
    const cpu = read(cpuFeatures)
    if (used > listed)
      // Memory on the processor's package or behind CXL has no module in this table.
      return cpu.ok && cpu.fact.architecture === 'x86' ? more(value) : neutral(value)
    const mapped = boot.ok && boot.fact.map !== null ? boot.fact.map.memoryBytes / 1024 : null
    const confirmed = mapped !== null && Math.abs(mapped - used) / Math.max(mapped, used) <= AGREES
    return less(value, confirmed && used < listed * LEAST_EXPLAINED ? mapped : null)
  },
}

const more = (value: string): Observation =>
  virtual(
    value,
    sign(
      'hint',
      null,
      contradicts(`The system has more memory than the modules that its firmware lists: ${value}.`, dmiTable),
    ),
  )

const less = (value: string, mapped: number | null): Observation =>
  virtual(
    value,
    mapped !== null
      ? sign(
          'impossible',
          null,
          contradicts(
            `The firmware lists memory that it did not hand over: ${value}, and ${size(mapped)} in the firmware’s own memory map.`,
            dmiTable,
          ),
        )
      : sign(
          'odd',
          null,
          contradicts(
            `The firmware lists more memory than the system has: ${value}. Mirrored modules would explain a half or a third.`,
            dmiTable,
          ),
        ),
  )

const sum = (processors: readonly DmiProcessor[], field: 'cores' | 'coresEnabled' | 'threads'): number | null => {
  const values = processors.flatMap((processor) => processor[field] ?? [])
  return values.length === processors.length && values.every((value) => value > 0)
    ? values.reduce((total, value) => total + value, 0)
    : null
}

const cores: Signal = {
  id: 'dmi.cores',
  family: 'firmware',
  title: 'Processors in the firmware’s table against those in use',
  onMetal: 'Sockets, cores and threads fit what the kernel counts.',
  onGuest: 'Fit where the hypervisor wrote the table; another machine’s copy does not.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s own table counts what -smp sets, without any option.',
    'Cores switched off in the firmware, in the kernel or by its command line; threads switched off.',
    'Firmware that counts wrongly, or that leaves the numbers out (before 2010).',
    'Control domains hold a part of the processors.',
  ],
  source: 'DMTF DSP0134 type 4; proc_cpuinfo(5).',
  probes: [dmiTable, cpuFeatures, virtBuses],
  observe(read) {
    const [table, cpu, buses] = [read(dmiTable), read(cpuFeatures), read(virtBuses)]
    if (!table.ok) return unreadable(dmiTable, table.reason)
    if (!table.fact.present) return notApplicable(NO_SMBIOS)
    if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
    const { processors } = table.fact
    if (processors.length === 0) return neutral('no processor described')
    const foreign = processors.find(
      ({ signature }) =>
        signature !== null &&
        cpu.fact.architecture === 'x86' &&
        cpu.fact.family !== null &&
        (signature.family !== cpu.fact.family || signature.model !== cpu.fact.model),
    )?.signature
    if (foreign != null)
      return virtual(
        `family ${foreign.family}, model ${foreign.model} in the table`,
        sign(
          'odd',
          null,
          contradicts(
            `The firmware describes a processor of family ${foreign.family}, model ${foreign.model}; the one in use is of family ${cpu.fact.family}, model ${cpu.fact.model}.`,
            dmiTable,
          ),
        ),
      )
    const [enabled, listedCores] = [sum(processors, 'coresEnabled'), sum(processors, 'cores')]
    const least = enabled ?? listedCores
    const most = sum(processors, 'threads') ?? (listedCores === null ? null : listedCores * 2)
    const used = cpu.fact.logicalCpus
    if (least === null || most === null) return neutral('the table has no numbers of cores')
    const value = `${least} cores and ${most} threads in ${count(processors.length, 'socket')}; ${count(used, 'logical CPU')} in use`
    if (used === least || used === most) return metal(value)
    if (buses.ok && buses.fact.isControlDomain) return neutral(value)
    return used < least || used > Math.max(most, least * 2)
      ? virtual(
          value,
          sign(
            'odd',
            null,
            contradicts(
              `The firmware’s processors are not those in use: ${value}. Processors switched off would explain fewer.`,
              dmiTable,
            ),
          ),
        )
      : neutral(value)
  },
}

/** Domain, bus and device of a PCI address, without the function. */
const place = (address: string): string => address.slice(0, address.lastIndexOf('.'))

const slots: Signal = {
  id: 'dmi.slots',
  family: 'firmware',
  title: 'Card slots against the PCI bus',
  onMetal: 'Slots in use have addresses at which devices or their ports are.',
  onGuest: 'No slots, or another machine’s addresses.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s -smbios file= writes any slots, and since 9.0 type=9 with the device behind each.',
    'Firmware before 2010 gives no addresses, and some boards write them into the wrong digits.',
    'Bus numbers move when cards are added or the kernel renumbers.',
  ],
  source: 'DMTF DSP0134 type 9; Documentation/ABI/testing/sysfs-bus-pci.',
  probes: [dmiTable, pciDevices],
  observe(read) {
    const [table, pci] = [read(dmiTable), read(pciDevices)]
    if (!table.ok) return unreadable(dmiTable, table.reason)
    if (!table.fact.present) return notApplicable(NO_SMBIOS)
    if (!pci.ok) return unreadable(pciDevices, pci.reason)
    const places = new Set(pci.fact.devices.flatMap(({ address, above }) => [address, ...above].map(place)))
    const domains = new Set(pci.fact.devices.map(({ address }) => address.slice(0, address.indexOf(':'))))
    const used = table.fact.slots.flatMap(({ address, inUse }) => (inUse && address !== null ? [address] : []))
    const usable = used.filter((address) => domains.has(address.slice(0, 4)))
    const found = usable.filter((address) => places.has(place(address)))
    const value = `${count(usable.length, 'slot')} in use with an address, ${found.length} of them on the bus`
    if (usable.length >= 3 && found.length === 0)
      return virtual(
        value,
        sign(
          'hint',
          null,
          contradicts(
            `The firmware names ${usable.length} slots in use, and at none of their addresses is a device.`,
            dmiTable,
          ),
        ),
      )
    return found.length >= 1 && found.length * 2 >= usable.length
      ? metal(value, supports(`Slots that the firmware describes are where the bus has devices: ${value}.`, dmiTable))
      : neutral(value)
  },
}

const chips: Signal = {
  id: 'dmi.spd',
  family: 'firmware',
  title: 'Data chips on the memory modules',
  onMetal: 'A driver holds the chip of each module, where the bus is open to the system.',
  onGuest: 'None.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s Q35 has eight such chips on its bus by default; with modules in the table the kernel gives them a driver.',
    'On most servers the management controller owns the bus or no driver is loaded: missing chips are no evidence.',
    'Emulators can place empty chips on an emulated bus.',
  ],
  source: 'Linux drivers/misc/eeprom/ee1004.c, drivers/hwmon/spd5118.c; JEDEC JESD21-C, JESD300-5.',
  probes: [memorySpd],
  observe(read) {
    const spd = read(memorySpd)
    if (!spd.ok) return unreadable(memorySpd, spd.reason)
    const { chips: held } = spd.fact
    if (held === null) return notApplicable('No driver for data chips of memory modules is loaded.')
    const value = count(held.length, 'chip')
    return held.length > 0
      ? metal(value, supports(`A driver holds the data chips of memory modules: ${value}.`, memorySpd))
      : neutral(value)
  },
}

/** Signals that hold SMBIOS against what is in use. */
export const smbiosSumSignals: readonly Signal[] = [memorySum, cores, slots, chips]

import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, supports } from '../../../base/steps.ts'
import { bootMemory } from '../../../hardware/machine/acpi.ts'
import { type DmiProcessor, type DmiTable, dmiEntries, dmiTable } from '../../../hardware/machine/dmi.ts'
import { inventoryMemory, memorySpd } from '../../../hardware/machine/memory.ts'
import { pciDevices } from '../../../hardware/pci/probes.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import { virtBuses } from '../../virtualization/index.ts'
import {
  hintSign,
  metal,
  neutral,
  notApplicable,
  type Observation,
  oddSign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'

export const NO_SMBIOS = 'This machine’s firmware has no SMBIOS table.'

/** A signal that needs the whole table, read as root. */
export function withTable(observe: (table: DmiTable) => Observation): (read: Read) => Observation {
  return (read) => {
    const table = read(dmiTable)
    if (!table.ok) return unreadable(dmiTable, table.reason)
    return table.fact.present ? observe(table.fact) : notApplicable(NO_SMBIOS)
  }
}

const rich: Signal = {
  id: 'dmi.rich',
  family: 'firmware',
  title: 'What the firmware describes of the board',
  onMetal: 'Caches, slots, connectors and built-in devices, and often manufacturer-specific structures.',
  onGuest: 'Next to none of them; VMware lists hundreds that are empty.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A plain number of structures misleads: guests of VMware have over 200.',
    'A copied table of another server describes a whole board.',
    'Some manufacturers omit connectors, slots or built-in devices; none of 113 measured boards omitted all of these and the caches.',
  ],
  source:
    'DMTF DSP0134 §6.2 (required structures) and types 7 to 10, 17, 38, 41; measured on 113 boards and 21 guests.',
  probes: [dmiTable, dmiEntries],
  observe(read) {
    const table = read(dmiTable)
    if (table.ok) return table.fact.present ? described(fromTable(table.fact)) : notApplicable(NO_SMBIOS)
    const entries = read(dmiEntries)
    return entries.ok && entries.fact.counts !== null && entries.fact.counts.size > 0
      ? described(fromCounts(entries.fact.counts))
      : unreadable(dmiTable, table.reason)
  },
}

interface Described {
  readonly kinds: readonly string[]
  /** Things that only real boards were seen to describe: modules with data, a management interface, the manufacturer's own structures. */
  readonly ownData: boolean
  readonly probe: typeof dmiTable | typeof dmiEntries
}

const kindsOf = (kinds: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(kinds).flatMap(([kind, there]) => (there ? [kind] : []))

const fromTable = ({ caches, slots, counts, modules }: DmiTable): Described => ({
  kinds: kindsOf({
    caches: caches > 0,
    slots: slots.some(({ kind, address }) => /PCI|M\.2|OCP|Mezzanine|riser/i.test(kind) || address !== null),
    connectors: counts.has(8),
    'built-in devices': counts.has(10) || counts.has(41),
  }),
  ownData: counts.has(38) || modules.some(({ partNumber, speed }) => partNumber !== null || speed !== null),
  probe: dmiTable,
})

const fromCounts = (counts: ReadonlyMap<number, number>): Described => ({
  kinds: kindsOf({
    caches: counts.has(7),
    slots: counts.has(9),
    connectors: counts.has(8),
    'built-in devices': counts.has(10) || counts.has(41),
  }),
  ownData: counts.has(38) || [...counts.keys()].some((type) => type >= 128),
  probe: dmiEntries,
})

function described({ kinds, ownData, probe }: Described): Observation {
  if (kinds.length === 0)
    return virtual(
      'neither caches, slots, connectors nor built-in devices',
      oddSign(
        'The firmware describes neither a processor cache nor a slot, connector or built-in device; real boards describe at least one of them.',
        probe,
      ),
    )
  const value = kinds.join(', ')
  return kinds.length >= 2 && ownData
    ? metal(value, supports(`The firmware describes a whole board: ${value}.`, probe))
    : neutral(value)
}

const modules: Signal = {
  id: 'dmi.dimm',
  family: 'firmware',
  title: 'Memory modules in the firmware’s table',
  onMetal: 'Each with its manufacturer, part number, speed and rank.',
  onGuest: 'One or a few without any of these.',
  spoofingEffort: 'S0',
  pitfalls: [
    'One server in eight gives no part number, and boards before 2008 often no speed.',
    'A copied table names real modules.',
  ],
  source: 'DMTF DSP0134 type 17; measured on 2,048 servers and 35 guests.',
  probes: [dmiTable],
  observe: withTable(({ modules: all }) => {
    if (all.length === 0) return neutral('no module')
    const described = all.filter(
      ({ partNumber, speed, rank }) => partNumber !== null || speed !== null || rank !== null,
    )
    const value = `${count(all.length, 'module')}, ${described.length} with part number, speed or rank`
    if (described.length === 0)
      return virtual(
        value,
        hintSign(
          `Of ${count(all.length, 'memory module')} that the firmware lists, none has a part number, a speed or a rank.`,
          dmiTable,
        ),
      )
    const serials = all.flatMap(({ serial }) => serial ?? [])
    const isCopied = serials.length >= 4 && serials.length === all.length && new Set(serials).size === 1
    if (isCopied)
      return virtual(
        value,
        hintSign(
          `All ${serials.length} memory modules have the same serial number, ${quote(serials[0] ?? '', 40)}.`,
          dmiTable,
        ),
      )
    const whole = all.some(({ partNumber, speed, rank }) => partNumber !== null && (speed !== null || rank !== null))
    return whole ? metal(value) : neutral(value)
  }),
}

/** Signals in how much SMBIOS describes. */
export const smbiosExtentSignals: readonly Signal[] = [rich, modules]

const KIB_PER_MIB = 1024
const MOST_DIFFERENCE = 0.25
/** Mirroring leaves a half or a third, and a graphics unit can take three quarters; no known setting leaves a fifth. */
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
  virtual(value, hintSign(`The system has more memory than the modules that its firmware lists: ${value}.`, dmiTable))

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
      : oddSign(
          `The firmware lists more memory than the system has: ${value}. Mirrored modules would explain a half or a third.`,
          dmiTable,
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
        oddSign(
          `The firmware describes a processor of family ${foreign.family}, model ${foreign.model}; the one in use is of family ${cpu.fact.family}, model ${cpu.fact.model}.`,
          dmiTable,
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
          oddSign(
            `The firmware’s processors are not those in use: ${value}. Processors switched off would explain fewer.`,
            dmiTable,
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
        hintSign(
          `The firmware names ${usable.length} slots in use, and at none of their addresses is a device.`,
          dmiTable,
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

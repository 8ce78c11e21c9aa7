import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, named, supports } from '../../../base/steps.ts'
import { type AcpiHeaders, type AcpiOverview, acpiHeaders, acpiOverview } from '../../../hardware/machine/acpi.ts'
import { dmiIdentity } from '../../../hardware/machine/dmi.ts'
import { type CpuFeatures, cpuFeatures } from '../../../hardware/processors/features.ts'
import { isSince2009 } from '../cpu-tables.ts'
import {
  claimsServer,
  metal,
  neutral,
  notApplicable,
  type Observation,
  oddSign,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'

type Table = AcpiHeaders['tables'][number]

interface Maker {
  readonly platform: string
  /** Whether the table carries this manufacturer's mark. */
  readonly made: (table: Table) => boolean
  /** The cloud writes it on its bare metal too. */
  readonly alsoMetal?: true
}

const byOem =
  (pattern: RegExp) =>
  ({ oemId }: Table): boolean =>
    pattern.test(oemId)
const byEither =
  (pattern: RegExp) =>
  ({ oemId, creatorId }: Table): boolean =>
    pattern.test(oemId) || pattern.test(creatorId)

// PTLTD is Phoenix, which VMware took over with its BIOS and which real machines carry; MSFT and INTL are compilers. Neither counts.
const MAKERS: readonly Maker[] = [
  { platform: 'QEMU', made: byEither(/^(BOCHS|BXPC)$/) },
  { platform: 'Microsoft Hyper-V', made: byOem(/^(VRTUAL|MSFTVM)$/) },
  { platform: 'Xen', made: byOem(/^Xen$/) },
  { platform: 'Firecracker', made: byEither(/^(FIRECK|FCAT)$/) },
  { platform: 'Cloud Hypervisor', made: byOem(/^CLOUDH$/) },
  { platform: 'VirtualBox', made: byEither(/^VBOX/) },
  { platform: 'VMware', made: byEither(/^(VMWARE|VMW)$/) },
  { platform: 'Parallels', made: byEither(/^PRLS/) },
  { platform: 'bhyve', made: byOem(/^BHYVE$/) },
  { platform: 'ACRN', made: byOem(/^ACRN$/) },
  { platform: 'KVM', made: byOem(/^CROSVM$/) },
  {
    platform: 'Google Compute Engine',
    made: (table) => table.oemId === 'Google' && table.creatorId === 'GOOG',
    alsoMetal: true,
  },
  { platform: 'Amazon EC2', made: byOem(/^AMAZON$/), alsoMetal: true },
]

const makers: Signal = {
  id: 'acpi.oem',
  family: 'firmware',
  title: 'Who made the ACPI tables',
  onMetal: 'The manufacturer of the board or of its firmware.',
  onGuest: 'The hypervisor; where its name was changed, often still as the table’s creator.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Microsoft’s and Intel’s compilers sign tables of real machines; Phoenix signs real ones and VMware’s.',
    'Amazon and Google may sign the tables of their bare metal as they do those of guests.',
    'QEMU has a setting for the manufacturer and the table ID, not for the creator.',
  ],
  source:
    'ACPI 6.5 §5.2.6; QEMU hw/acpi/aml-build.c; measured on five booted guests and published kernel logs of real machines.',
  probes: [acpiHeaders, dmiIdentity],
  observe(read) {
    const headers = read(acpiHeaders)
    if (!headers.ok) return unreadable(acpiHeaders, headers.reason)
    const { tables } = headers.fact
    const oems = [...new Set(tables.map(({ oemId }) => oemId).filter((oem) => oem !== ''))]
    const value = named(oems, 4)
    const found = MAKERS.flatMap((maker) => {
      const made = tables.filter(maker.made)
      return made.length === 0 ? [] : [{ maker, made }]
    })
    const signs = found.flatMap(({ maker, made }) => makerSign(read, maker, made))
    if (signs.length > 0) return virtual(value, ...signs)
    return found.length === 0 && tables.length >= 3 && oems.length > 0 ? metal(value) : neutral(value)
  },
}

function makerSign(read: Read, { platform, alsoMetal }: Maker, made: readonly Table[]): readonly Sign[] {
  const names = named(made.map(({ name }) => name))
  if (alsoMetal !== true)
    return [
      sign(
        'impossible',
        platform,
        contradicts(`Firmware tables ${names} carry the manufacturer ID of ${platform}.`, acpiHeaders, 'heads'),
      ),
    ]
  const dmi = read(dmiIdentity)
  const isMetalSize = dmi.ok && /\.metal(-|$)/.test(dmi.fact.productName.slice(0, 120))
  return isMetalSize
    ? []
    : [
        sign(
          'odd',
          platform,
          contradicts(
            `Firmware tables ${names} carry the mark of ${platform}, as its guests’ do, and perhaps its bare metal’s.`,
            acpiHeaders,
            'heads',
          ),
        ),
      ]
}

const HYPERVISOR_IDS: readonly (readonly [RegExp, string])[] = [
  [/^FIRECKVM/, 'Firecracker'],
  [/^MsHyperV/, 'Microsoft Hyper-V'],
  [/^QEMU/, 'QEMU'],
  [/^CLOUDH/, 'Cloud Hypervisor'],
  [/^BHYVE/i, 'bhyve'],
]

const hypervisorIdentity: Signal = {
  id: 'acpi.hvid',
  family: 'firmware',
  title: 'Hypervisor’s name in the fixed ACPI table (FADT)',
  onMetal: 'Zeros.',
  onGuest: 'The hypervisor’s name, where the table is new enough to hold it.',
  spoofingEffort: 'S0',
  pitfalls: ['Tables before ACPI 6 end earlier; QEMU on x86 writes such a short one.'],
  source: 'ACPI 6.5, table 5.9, offset 268 (Hypervisor Vendor Identity); measured: Firecracker.',
  probes: [acpiHeaders],
  observe(read) {
    const headers = read(acpiHeaders)
    if (!headers.ok) return unreadable(acpiHeaders, headers.reason)
    const { hypervisorId, hasHypervisorField } = headers.fact
    if (hypervisorId === null) return hasHypervisorField ? metal('zeros') : neutral('the table is too short to hold it')
    const platform = HYPERVISOR_IDS.find(([pattern]) => pattern.test(hypervisorId))?.[1]
    return virtual(
      quote(hypervisorId),
      sign(
        platform === undefined ? 'odd' : 'names',
        platform ?? null,
        contradicts(`The firmware’s FADT names a hypervisor: ${quote(hypervisorId)}.`, acpiHeaders, 'heads'),
      ),
    )
  },
}

/** Signals in the headers of ACPI tables. */
const acpiMakerSignals: readonly Signal[] = [makers, hypervisorIdentity]

const NO_ACPI = 'This machine’s firmware has no ACPI tables.'

const profile: Signal = {
  id: 'acpi.profile',
  family: 'firmware',
  title: 'Power profile that the firmware prefers',
  onMetal: 'Enterprise server (4), performance server (7), desktop (1), workstation (3).',
  onGuest: 'Unspecified (0).',
  spoofingEffort: 'S1',
  pitfalls: ['Some real firmware leaves it unspecified too.'],
  source: 'ACPI 6.5, table 5.9 (Preferred_PM_Profile); Documentation/ABI/testing/sysfs-firmware-acpi.',
  probes: [acpiOverview, dmiIdentity],
  observe(read) {
    const [acpi, dmi] = [read(acpiOverview), read(dmiIdentity)]
    if (!acpi.ok) return unreadable(acpiOverview, acpi.reason)
    if (!acpi.fact.present) return notApplicable(NO_ACPI)
    const { profile: value } = acpi.fact
    if (value === null) return unreadable(acpiOverview, 'the power profile could not be read')
    if (value !== 0) return value <= 8 ? metal(String(value)) : neutral(String(value))
    // The firmware’s name for the machine is text chosen by its manufacturer, so that it words the reading but has no
    // weight.
    return virtual(
      '0',
      oddSign(
        dmi.ok && claimsServer(dmi.fact)
          ? 'The firmware calls the machine a server, and leaves the power profile unspecified (0), as emulators do.'
          : 'The firmware leaves the power profile unspecified (0), as emulators do.',
        acpiOverview,
        'profile',
      ),
    )
  },
}

// Hardware ids that only virtual machine monitors declare (their ACPI sources; Linux drivers qemu_fw_cfg, vmgenid, hv_vmbus, virtio_mmio).
const DEVICES: readonly (readonly [RegExp, string | null])[] = [
  [/^QEMU(0001|0002|VGID)$/, 'QEMU'],
  [/^(VMBUS|MSFT1000)$/i, 'Microsoft Hyper-V'],
  [/^FCVM(GID|CLK)$/, 'Firecracker'],
  [/^XEN0000$/, 'Xen'],
  [/^(LNRO0005|VMGENCTR)$/, null],
]

const devices: Signal = {
  id: 'acpi.hid',
  family: 'firmware',
  title: 'Devices that ACPI declares',
  onMetal: 'Controllers, sensors and buttons of a board.',
  onGuest: 'Few, and some that only hypervisors have, such as QEMU’s configuration device or virtio windows.',
  spoofingEffort: 'S1',
  pitfalls: ['A guest’s firmware can leave them out; hardware of few parts declares few.'],
  source:
    'Documentation/ABI/testing/sysfs-bus-acpi; QEMU, Firecracker and Hyper-V device ids in the Linux drivers that bind to them.',
  probes: [acpiOverview],
  observe(read) {
    const acpi = read(acpiOverview)
    if (!acpi.ok) return unreadable(acpiOverview, acpi.reason)
    const { devices: ids, present } = acpi.fact
    if (!present || ids.length === 0) return notApplicable('This kernel lists no devices of ACPI.')
    const signs = ids.flatMap((id) =>
      DEVICES.flatMap(([pattern, platform]) =>
        pattern.test(id)
          ? [
              sign(
                'impossible',
                platform,
                contradicts(
                  `The firmware declares the device ${quote(id)}, which only hypervisors have.`,
                  acpiOverview,
                  'lists',
                ),
              ),
            ]
          : [],
      ),
    )
    const value = `${count(ids.length, 'kind')} of device`
    if (signs.length > 0) return virtual(value, ...signs)
    return ids.some((id) => /^(ACPI000D|INT3F0D|INT34|INTC|AMDI|HISI|NVDA|APMC|AMPC|ARMHC)/.test(id))
      ? metal(value)
      : neutral(value)
  },
}

/** Signals in what ACPI declares. */
const acpiDeviceSignals: readonly Signal[] = [profile, devices]

/** No DSDT of a guest came near this, those of VMware apart; real ones are above 40,000, small boards apart. */
const SMALL_DSDT = 9000
const LARGE_DSDT = 20000
const FEW_TABLES = 9
const MANY_TABLES = 15
// Tables with which servers report errors and their management controller.
const SERVER_TABLES: ReadonlySet<string> = new Set([
  'HEST',
  'BERT',
  'EINJ',
  'ERST',
  'SPMI',
  'SDEI',
  'AGDI',
  'PCCT',
  'RAS2',
])

const tableSet: Signal = {
  id: 'acpi.set',
  family: 'firmware',
  title: 'Which ACPI tables there are',
  onMetal: '15 to 60, among them those for errors, for DMA protection and for the management controller.',
  onGuest: 'Six to nine, often with WAET, which exists for guests.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s -acpitable adds tables of any name.',
    'Small boards have ten or fewer, and no table for errors.',
    'DMA protection switched off in the firmware leaves out its table.',
    'Guests under UEFI, with memory nodes or a TPM, have a few more.',
  ],
  source:
    'ACPI 6.5 §5.2.6; Microsoft, Windows ACPI Emulated Devices Table; Intel VT-d §8 (DMAR); AMD 48882 §5.2 (IVRS); measured on five booted guests.',
  probes: [acpiOverview, cpuFeatures, dmiIdentity],
  observe(read) {
    const acpi = read(acpiOverview)
    if (!acpi.ok) return unreadable(acpiOverview, acpi.reason)
    const cpu = read(cpuFeatures)
    if (!acpi.fact.present) return withoutAcpi(cpu.ok ? cpu.fact : null)
    const names = new Set(acpi.fact.tables.map(({ name }) => name.replace(/^SSDT\d+$/, 'SSDT').slice(0, 8)))
    const value = `${count(acpi.fact.tables.length, 'table')}`
    const signs = [...foreignTables(names, cpu.ok ? cpu.fact.vendor : null), ...fewTables(read, acpi.fact, names)]
    if (signs.length > 0) return virtual(value, ...signs)
    const ofServer = [...SERVER_TABLES].filter((name) => names.has(name))
    return acpi.fact.tables.length >= MANY_TABLES && ofServer.length > 0
      ? metal(value, supports(`The firmware has ${value}, with ${ofServer.join(', ')}.`, acpiOverview, 'lists'))
      : neutral(value)
  },
}

function withoutAcpi(cpu: CpuFeatures | null): Observation {
  if (cpu === null) return neutral('no ACPI tables')
  if (cpu.architecture !== 'x86' || !isSince2009(cpu)) return notApplicable(NO_ACPI)
  return virtual(
    'no ACPI tables',
    oddSign(
      'There are no ACPI tables; hardware with a current processor has them, unless the kernel ignores them.',
      acpiOverview,
      'lists',
    ),
  )
}

function foreignTables(names: ReadonlySet<string>, vendor: string | null): readonly Sign[] {
  const statements: readonly (readonly [boolean, string])[] = [
    [names.has('WAET'), 'The firmware has a WAET table, which exists to describe emulated devices to a guest.'],
    [
      (vendor === 'AuthenticAMD' || vendor === 'HygonGenuine') && names.has('DMAR'),
      'The processor is AMD’s design, and the firmware has Intel’s DMAR table.',
    ],
    [vendor === 'GenuineIntel' && names.has('IVRS'), 'The processor is Intel, and the firmware has AMD’s IVRS table.'],
  ]
  return statements.flatMap(([there, text]) =>
    there ? [sign('impossible', null, contradicts(text, acpiOverview, 'lists'))] : [],
  )
}

function fewTables(read: Read, { tables }: AcpiOverview, names: ReadonlySet<string>): readonly Sign[] {
  const [cpu, dmi] = [read(cpuFeatures), read(dmiIdentity)]
  if (!cpu.ok || cpu.fact.architecture !== 'x86' || !isSince2009(cpu.fact)) return []
  const isServer = dmi.ok && claimsServer(dmi.fact)
  const lacksServers = ![...SERVER_TABLES, 'DMAR', 'IVRS'].some((name) => names.has(name))
  if (tables.length > FEW_TABLES || !lacksServers) return []
  return [
    oddSign(
      `The firmware has only ${count(tables.length, 'ACPI table')}, and none for errors, DMA protection or a management controller${isServer ? ', while it calls itself a server' : ''}.`,
      acpiOverview,
      'lists',
    ),
  ]
}

const mainTable: Signal = {
  id: 'acpi.dsdt',
  family: 'firmware',
  title: 'The main ACPI table (DSDT)',
  onMetal: 'Tens of thousands of bytes to a million, about a real board.',
  onGuest: '500 to 9,000 bytes, with the names of emulated devices; VMware’s is large.',
  spoofingEffort: 'S1',
  pitfalls: [
    'Small boards with firmware built from few parts have short tables too.',
    'Size alone is no evidence against VMware.',
    'Four-letter names can meet by chance; only the eight-letter ids of emulated devices count in full.',
  ],
  source: 'ACPI 6.5 §5.2.11; QEMU docs/specs/fw_cfg.rst (QEMU0002); measured on guests of QEMU and Firecracker.',
  probes: [acpiOverview, acpiHeaders, cpuFeatures],
  observe(read) {
    const [acpi, headers, cpu] = [read(acpiOverview), read(acpiHeaders), read(cpuFeatures)]
    if (!acpi.ok) return unreadable(acpiOverview, acpi.reason)
    const size = acpi.fact.tables.find(({ name }) => name === 'DSDT')?.size ?? null
    if (!acpi.fact.present || size === null) return notApplicable('This machine’s firmware has no main ACPI table.')
    const marks = headers.ok ? headers.fact.marks : []
    const isSmall = size < SMALL_DSDT && cpu.ok && cpu.fact.architecture === 'x86' && isSince2009(cpu.fact)
    const signs = [...markSigns(marks), ...(isSmall ? [smallTable(size)] : [])]
    const value = `${size} bytes`
    if (signs.length > 0) return virtual(value, ...signs)
    if (!headers.ok) return neutral(value)
    return size >= LARGE_DSDT && marks.length === 0 ? metal(value) : neutral(value)
  },
}

const smallTable = (size: number): Sign =>
  oddSign(
    `The firmware’s main table (DSDT) has ${size} bytes; those of real machines have 50,000 and more.`,
    acpiOverview,
    'lists',
  )

// Ids of devices that exist in emulators only, as they occur in the table.
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/^(QEMU0002|BXPC|BOCHS)$/, 'QEMU'],
  [/^(FIRECK|FCVMGID)$/, 'Firecracker'],
  [/^VMBUS$/i, 'Microsoft Hyper-V'],
  [/^XEN0000$/, 'Xen'],
]

function markSigns(marks: readonly string[]): readonly Sign[] {
  const certain = MARKS.flatMap(([pattern, platform]) => {
    const found = marks.filter((mark) => pattern.test(mark))
    return found.length === 0
      ? []
      : [
          sign(
            'impossible',
            platform,
            contradicts(
              `The firmware’s main table names what only ${platform} has: ${named(found)}.`,
              acpiHeaders,
              'marks',
            ),
          ),
        ]
  })
  const loose = marks.filter((mark) => /^(FWCF|VGID|VBOX|VMWARE)$/.test(mark))
  return certain.length > 0 || loose.length === 0
    ? certain
    : [oddSign(`The firmware’s main table holds names that emulators use: ${named(loose)}.`, acpiHeaders, 'marks')]
}

/** Signals in the ACPI tables. */
export const acpiSignals: readonly Signal[] = [...acpiMakerSignals, tableSet, mainTable, ...acpiDeviceSignals]

import { acpiHeaders } from '../../probes/acpi-headers.ts'
import { type AcpiOverview, acpiOverview } from '../../probes/acpi-overview.ts'
import { type CpuFeatures, cpuFeatures } from '../../probes/cpu-features.ts'
import { dmiIdentity } from '../../probes/dmi-identity.ts'
import { contradicts, count, named, supports } from '../../steps.ts'
import { claimsServer } from '../claims.ts'
import { isSince2009 } from '../cpu-tables.ts'
import {
  metal,
  neutral,
  notApplicable,
  type Observation,
  type Read,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { acpiDeviceSignals } from './acpi-devices.ts'
import { acpiMakerSignals } from './acpi-makers.ts'

const NO_ACPI = 'This machine’s firmware has no ACPI tables.'
/** No DSDT of a guest came near this, those of VMware apart; real ones are above 40,000, small boards apart. */
const SMALL_DSDT = 9000
const LARGE_DSDT = 20000
const FEW_TABLES = 9
const MANY_TABLES = 15
// What servers report their errors and their management controller with.
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
    sign(
      'odd',
      null,
      contradicts(
        'There are no ACPI tables; hardware with a current processor has them, unless the kernel ignores them.',
        acpiOverview,
        'lists',
      ),
    ),
  )
}

function foreignTables(names: ReadonlySet<string>, vendor: string | null): readonly Sign[] {
  const said: readonly (readonly [boolean, string])[] = [
    [names.has('WAET'), 'The firmware has a WAET table, which exists to describe emulated devices to a guest.'],
    [
      (vendor === 'AuthenticAMD' || vendor === 'HygonGenuine') && names.has('DMAR'),
      'The processor is AMD’s design, and the firmware has Intel’s DMAR table.',
    ],
    [vendor === 'GenuineIntel' && names.has('IVRS'), 'The processor is Intel, and the firmware has AMD’s IVRS table.'],
  ]
  return said.flatMap(([there, text]) =>
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
    sign(
      'odd',
      null,
      contradicts(
        `The firmware has only ${count(tables.length, 'ACPI table')}, and none for errors, DMA protection or a management controller${isServer ? ', while it calls itself a server' : ''}.`,
        acpiOverview,
        'lists',
      ),
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
  sign(
    'odd',
    null,
    contradicts(
      `The firmware’s main table (DSDT) has ${size} bytes; those of real machines have 50,000 and more.`,
      acpiOverview,
      'lists',
    ),
  )

// Ids of devices that exist in emulators only, as they are in the table.
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
    : [
        sign(
          'odd',
          null,
          contradicts(
            `The firmware’s main table holds names that emulators use: ${named(loose)}.`,
            acpiHeaders,
            'marks',
          ),
        ),
      ]
}

/** Signals in the ACPI tables. */
export const acpiSignals: readonly Signal[] = [...acpiMakerSignals, tableSet, mainTable, ...acpiDeviceSignals]

import { quote } from '../../core/plain-text.ts'
import { acpiHeaders } from '../probes/acpi-headers.ts'
import { acpiOverview } from '../probes/acpi-overview.ts'
import { named, speaksAgainst } from '../steps.ts'
import { isSince2009 } from './cpu-tables.ts'
import { claimsServer } from './firmware-signs.ts'
import type { LayerReadings } from './readings.ts'
import { type Sign, sign } from './signs.ts'

/** Signs of virtualization in the ACPI tables. */
export const acpiSigns = (readings: LayerReadings): readonly Sign[] => [
  ...overviewSigns(readings),
  ...headerSigns(readings),
]

const SMALL_DSDT = 9000

function overviewSigns({ acpi, cpu, dmi }: LayerReadings): readonly Sign[] {
  if (!acpi.ok || !acpi.fact.present) return []
  const { tables, devices, profile } = acpi.fact
  const has = (name: string): boolean => tables.some((table) => table.name === name)
  const residue = devices.filter((id) => id === 'QEMU0002' || id === 'VMBUS' || id === 'MSFT1000' || id === 'LNRO0005')
  const dsdt = tables.find(({ name }) => name === 'DSDT')?.size ?? null
  const vendor = cpu.ok ? cpu.fact.vendor : null
  return [
    ...residue.map((id) =>
      sign(
        'acpi',
        'impossible',
        id.startsWith('QEMU') ? 'QEMU' : id === 'LNRO0005' ? null : 'Microsoft Hyper-V',
        speaksAgainst(
          `The firmware declares the device ${quote(id)}, which only hypervisors have.`,
          acpiOverview,
          'lists',
        ),
      ),
    ),
    ...(has('WAET')
      ? [
          sign(
            'acpi',
            'impossible',
            null,
            speaksAgainst(
              'The firmware has a WAET table, which exists to tell a guest about emulated devices.',
              acpiOverview,
              'lists',
            ),
          ),
        ]
      : []),
    ...(vendor === 'AuthenticAMD' && has('DMAR')
      ? [
          sign(
            'acpi',
            'impossible',
            null,
            speaksAgainst('The processor is AMD, and the firmware has Intel’s DMAR table.', acpiOverview, 'lists'),
          ),
        ]
      : []),
    ...(vendor === 'GenuineIntel' && has('IVRS')
      ? [
          sign(
            'acpi',
            'impossible',
            null,
            speaksAgainst('The processor is Intel, and the firmware has AMD’s IVRS table.', acpiOverview, 'lists'),
          ),
        ]
      : []),
    ...(dsdt !== null && dsdt < SMALL_DSDT && cpu.ok && cpu.fact.architecture === 'x86' && isSince2009(cpu.fact)
      ? [
          sign(
            'acpi',
            'odd',
            null,
            speaksAgainst(
              `The firmware’s main table (DSDT) has ${dsdt} bytes; those of real machines have 50,000 and more.`,
              acpiOverview,
              'lists',
            ),
          ),
        ]
      : []),
    ...(profile === 0 && dmi.ok && claimsServer(dmi.fact)
      ? [
          sign(
            'acpi',
            'odd',
            null,
            speaksAgainst(
              'The firmware names a server maker, and leaves the power profile unspecified (0), as emulators do.',
              acpiOverview,
              'profile',
            ),
          ),
        ]
      : []),
  ]
}

// OEM id, OEM table id or creator id → platform.
const ACPI_MAKERS: readonly (readonly [RegExp, string])[] = [
  [/^(BOCHS|BXPC|BXPC.*)$/, 'QEMU'],
  [/^(VRTUAL|MICROSFT)$/, 'Microsoft Hyper-V'],
  [/^Xen$/, 'Xen'],
  [/^(FIRECK|FCAT)$/, 'Firecracker'],
  [/^CLOUDH$/, 'Cloud Hypervisor'],
  [/^VBOX/, 'VirtualBox'],
  [/^(PTLTD|VMWARE)$/, 'VMware'],
  [/^PRLS/, 'Parallels'],
  [/^BHYVE$/, 'bhyve'],
  [/^(Google|GOOG)/, 'Google Compute Engine'],
]
const HYPERVISOR_IDS: readonly (readonly [RegExp, string])[] = [
  [/^FIRECKVM/, 'Firecracker'],
  [/^MsHyperV/, 'Microsoft Hyper-V'],
  [/^QEMU/, 'QEMU'],
  [/^CLOUDH/, 'Cloud Hypervisor'],
]

function headerSigns({ headers }: LayerReadings): readonly Sign[] {
  if (!headers.ok) return []
  const { tables, hypervisorId, marks } = headers.fact
  const makers = ACPI_MAKERS.flatMap(([pattern, platform]) => {
    // Microsoft compiled tables of real machines too, so its creator id alone ("MSFT", "INTL") says nothing; VRTUAL is Hyper-V's OEM id.
    const found = tables.filter(
      ({ oemId, creatorId }) => pattern.test(oemId) || (platform !== 'Microsoft Hyper-V' && pattern.test(creatorId)),
    )
    const makes = platform === 'Microsoft Hyper-V' ? found.filter(({ oemId }) => oemId === 'VRTUAL') : found
    return makes.length === 0
      ? []
      : [
          sign(
            'acpi',
            'impossible',
            platform,
            speaksAgainst(
              `Firmware tables ${named(makes.map(({ name }) => name))} carry the maker’s mark of ${platform}.`,
              acpiHeaders,
              'heads',
            ),
          ),
        ]
  })
  const hypervisor =
    hypervisorId === null ? undefined : HYPERVISOR_IDS.find(([pattern]) => pattern.test(hypervisorId))?.[1]
  return [
    ...makers,
    ...(hypervisorId === null
      ? []
      : [
          sign(
            'acpi',
            hypervisor === undefined ? 'odd' : 'names',
            hypervisor ?? null,
            speaksAgainst(`The firmware’s FADT names a hypervisor: ${quote(hypervisorId)}.`, acpiHeaders, 'heads'),
          ),
        ]),
    ...(marks.some((mark) => mark === 'QEMU0002' || mark === 'FWCF')
      ? [
          sign(
            'acpi',
            'impossible',
            'QEMU',
            speaksAgainst(`The firmware’s main table names emulated devices: ${named(marks)}.`, acpiHeaders, 'marks'),
          ),
        ]
      : []),
  ]
}

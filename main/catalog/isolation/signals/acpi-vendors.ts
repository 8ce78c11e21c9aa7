import { quote } from '../../../core/plain-text.ts'
import { type AcpiHeaders, acpiHeaders } from '../../machine/acpi.ts'
import { dmiIdentity } from '../../machine/dmi.ts'
import { contradicts, named } from '../../steps.ts'
import { metal, neutral, type Read, type Sign, type Signal, sign, unreadable, virtual } from '../signal.ts'

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
export const acpiMakerSignals: readonly Signal[] = [makers, hypervisorIdentity]

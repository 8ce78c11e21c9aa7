import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface AcpiHeaders {
  readonly tables: readonly {
    readonly name: string
    readonly oemId: string
    readonly oemTableId: string
    readonly creatorId: string
  }[]
  /** Hypervisor vendor identity of the FADT (ACPI 6.5, table 5.9, offset 268), where it is not zero. */
  readonly hypervisorId: string | null
  /** The FADT is long enough to hold that field. */
  readonly hasHypervisorField: boolean
  /** Names of emulated devices that are in the DSDT. */
  readonly marks: readonly string[]
}

const FOLDER = '/sys/firmware/acpi/tables/'
const TABLES =
  'FACP DSDT APIC MCFG HPET WAET DMAR IVRS SRAT SLIT HEST BERT SPMI TPM2 SSDT SSDT1 SSDT2 SPCR GTDT IORT PPTT BGRT'.split(
    ' ',
  )
/** What the table begins with. */
const SIGNATURE = 'DSDT'
const DSDT = `${FOLDER}${SIGNATURE}`

/** ACPI 6.5 §5.2.6: OEM id at 10, OEM table id at 16, creator id at 28. 276 bytes reach the FADT's hypervisor identity. */
export const acpiHeaders = defineProbe({
  id: 'acpi.headers',
  title: 'Firmware tables: manufacturers',
  why: 'Each firmware table names its manufacturer. Emulators leave their own name in fields that are rarely changed.',
  commands: {
    heads: runAsRoot(['head', '-v', '-c', '276', ...TABLES.map((name) => FOLDER + name)]),
    marks: runAsRoot(
      [
        'grep',
        '-a',
        '-o',
        '-E',
        `${SIGNATURE}|QEMU0002|FWCF|BXPC|BOCHS|VMBUS|VMBus|VGID|FIRECK|VBOX|VMWARE|XEN0000|FCVMGID`,
        DSDT,
      ],
      { control: SIGNATURE },
    ),
  },
  parse({ heads, marks }) {
    const read = parseHeads(heads.bytes)
    if (read.length === 0) return unknown('the firmware’s tables could not be opened')
    if (marks.exitCode > 1 && !isAbsent(marks)) return unknown('the DSDT could not be searched')
    const facp = read.find(({ name }) => name === 'FACP')?.text
    return known<AcpiHeaders>({
      tables: read.map(({ name, text }) => ({
        name,
        oemId: field(text, 10, 6),
        oemTableId: field(text, 16, 8),
        creatorId: field(text, 28, 4),
      })),
      hypervisorId: hypervisorId(facp),
      hasHypervisorField: (facp?.length ?? 0) >= 276,
      marks: [...new Set(lines(marks.text))].filter((mark) => mark !== SIGNATURE && /^[A-Za-z0-9]{4,8}$/.test(mark)),
    })
  },
})

/** What `head -v` printed: a heading per file, its bytes, and one line break between them. */
function parseHeads(bytes: Uint8Array): readonly { readonly name: string; readonly text: string }[] {
  const text = new TextDecoder('latin1').decode(bytes)
  const parts = text.split(/(?:^|\n)==> \/sys\/firmware\/acpi\/tables\/([A-Z0-9]{4,6}) <==\n/)
  return parts.flatMap((name, index) =>
    index % 2 === 1 && (parts[index + 1]?.length ?? 0) >= 36 ? [{ name, text: parts[index + 1] ?? '' }] : [],
  )
}

const field = (text: string, offset: number, length: number): string =>
  text
    .slice(offset, offset + length)
    .replace(/[^\x20-\x7e]/g, ' ')
    .trim()

function hypervisorId(facp: string | undefined): string | null {
  const id = facp === undefined || facp.length < 276 ? '' : field(facp, 268, 8)
  return id === '' ? null : id
}

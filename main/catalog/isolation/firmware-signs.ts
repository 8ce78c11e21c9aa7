import { quote } from '../../core/plain-text.ts'
import { type DmiIdentity, dmiIdentity } from '../probes/dmi-identity.ts'
import { dmiTable } from '../probes/dmi-table.ts'
import { speaksAgainst } from '../steps.ts'
import { isSince2009 } from './cpu-tables.ts'
import type { LayerReadings } from './readings.ts'
import { type Sign, sign } from './signs.ts'

/** Signs of virtualization in SMBIOS. */
export const firmwareSigns = (readings: LayerReadings): readonly Sign[] => [
  ...identitySigns(readings),
  ...tableSigns(readings),
]

type Field = 'sysVendor' | 'productName' | 'biosVendor' | 'boardVendor' | 'chassisAssetTag' | 'chassisVendor'
interface NamedBy {
  readonly platform: string
  readonly field: Field
  readonly pattern: RegExp
  readonly unless?: readonly [Field, RegExp]
}

// Exact product words only: makers of real servers (Oracle, Nutanix, Amazon, Microsoft, Red Hat) stand in these fields too.
const NAMED_BY: readonly NamedBy[] = [
  { platform: 'QEMU', field: 'sysVendor', pattern: /^QEMU$/i },
  { platform: 'QEMU', field: 'productName', pattern: /^Standard PC \(/ },
  { platform: 'QEMU', field: 'chassisVendor', pattern: /^(QEMU|Bochs)$/ },
  { platform: 'QEMU', field: 'biosVendor', pattern: /^(SeaBIOS|EFI Development Kit II \/ OVMF|Bochs)$/i },
  {
    platform: 'KVM',
    field: 'productName',
    pattern: /^(KVM|RHEV Hypervisor|oVirt Node|KubeVirt|RHEL-AV|KVM Virtual Machine|QEMU KVM Virtual Machine)$/i,
  },
  { platform: 'KVM', field: 'sysVendor', pattern: /^(KVM|KubeVirt)$/i },
  { platform: 'OpenStack', field: 'productName', pattern: /^OpenStack (Nova|Compute)$/i },
  { platform: 'VMware', field: 'productName', pattern: /^VMware/i },
  { platform: 'VirtualBox', field: 'productName', pattern: /^VirtualBox$/i },
  { platform: 'VirtualBox', field: 'biosVendor', pattern: /^innotek GmbH$/i },
  { platform: 'Xen', field: 'productName', pattern: /^HVM domU$/i },
  { platform: 'Microsoft Hyper-V', field: 'productName', pattern: /^Virtual Machine$/ },
  { platform: 'Google Compute Engine', field: 'productName', pattern: /^Google Compute Engine$/ },
  { platform: 'Amazon EC2', field: 'sysVendor', pattern: /^Amazon EC2$/, unless: ['productName', /\.metal(-|$)/] },
  { platform: 'Parallels', field: 'productName', pattern: /^Parallels (Virtual|ARM)/i },
  { platform: 'bhyve', field: 'biosVendor', pattern: /^BHYVE$/i },
  { platform: 'bhyve', field: 'productName', pattern: /^BHYVE$/i },
  { platform: 'Cloud Hypervisor', field: 'sysVendor', pattern: /^Cloud Hypervisor$/i },
  {
    platform: 'Oracle Cloud',
    field: 'chassisAssetTag',
    pattern: /^OracleCloud\.com$/,
    unless: ['sysVendor', /^Oracle/],
  },
  { platform: 'Nutanix AHV', field: 'productName', pattern: /^AHV$/ },
  { platform: 'OpenBSD vmm', field: 'sysVendor', pattern: /^OpenBSD$/ },
  { platform: 'Apple Virtualization', field: 'productName', pattern: /^Apple Virtualization Generic Platform$/ },
]

function identitySigns({ dmi, cpu }: LayerReadings): readonly Sign[] {
  if (!dmi.ok) return []
  const { fact } = dmi
  if (!fact.present)
    return cpu.ok && cpu.fact.architecture === 'x86' && isSince2009(cpu.fact)
      ? [
          sign(
            'firmware',
            'hint',
            null,
            speaksAgainst(
              'There is no SMBIOS table; machines with a current processor and hardware firmware have one.',
              dmiIdentity,
            ),
          ),
        ]
      : []
  return NAMED_BY.filter(
    ({ field, pattern, unless }) => pattern.test(fact[field]) && unless?.[1].test(fact[unless[0]]) !== true,
  ).map(({ platform, field }) =>
    sign(
      'firmware',
      'names',
      platform,
      speaksAgainst(`The firmware’s identity says ${quote(fact[field])}, a name of ${platform}.`, dmiIdentity),
    ),
  )
}

/** A maker's server, by the words of the firmware. Only text: used to see contradictions. */
export const claimsServer = ({ present, sysVendor, chassisType }: DmiIdentity): boolean =>
  present &&
  (/^(Supermicro|Dell|HPE?\b|Hewlett|Lenovo|Inspur|Quanta|GIGABYTE|ASUS|NVIDIA|Cisco|Fujitsu|Intel|Huawei|ZTE|Wiwynn|Foxconn|IBM)/i.test(
    sysVendor,
  ) ||
    ['17', '23', '28', '29'].includes(chassisType))

function tableSigns({ table, memory, cpu }: LayerReadings): readonly Sign[] {
  if (!table.ok || !table.fact.present) return []
  const { virtualMachineBit, modules, counts } = table.fact
  const listed = modules.reduce((sum, { mebibytes }) => sum + mebibytes, 0) * 1024
  const used = memory.ok ? memory.fact.totalKib : 0
  const differs = listed > 0 && used > 0 && Math.abs(listed - used) / Math.max(listed, used) > 0.25
  const gib = (kib: number): string => `${Math.round(kib / 1024 / 1024)} GiB`
  const bare = !counts.has(7) && !counts.has(9) && cpu.ok && isSince2009(cpu.fact)
  return [
    ...(virtualMachineBit
      ? [
          sign(
            'firmware',
            'odd',
            null,
            speaksAgainst(
              'The firmware sets the bit “System is a virtual machine”; a few real boards do so by mistake.',
              dmiTable,
            ),
          ),
        ]
      : []),
    ...(differs
      ? [
          sign(
            'firmware',
            'odd',
            null,
            speaksAgainst(
              `The firmware lists memory modules of ${gib(listed)} in all, and the kernel has ${gib(used)}.`,
              dmiTable,
            ),
          ),
        ]
      : []),
    ...(bare
      ? [
          sign(
            'firmware',
            'hint',
            null,
            speaksAgainst(
              'The firmware describes neither a processor cache nor a slot; nearly all real servers have both.',
              dmiTable,
            ),
          ),
        ]
      : []),
  ]
}

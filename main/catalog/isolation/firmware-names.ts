import type { DmiIdentity } from '../probes/dmi-identity.ts'
import type { DmiTable } from '../probes/dmi-table.ts'

type Field =
  | 'sysVendor'
  | 'productName'
  | 'productVersion'
  | 'biosVendor'
  | 'biosVersion'
  | 'boardVendor'
  | 'chassisAssetTag'
  | 'chassisVendor'

interface NamedBy {
  readonly platform: string | null
  readonly field: Field
  readonly pattern: RegExp
  readonly unless?: readonly [Field, RegExp]
  /** The same words are on the cloud's bare metal. */
  readonly alsoMetal?: true
}

// Exact product words only: manufacturers of real servers (Oracle, Nutanix, Amazon, Google, Microsoft, Red Hat, Joyent) are in these fields
// too.
const NAMED_BY: readonly NamedBy[] = [
  { platform: 'QEMU', field: 'sysVendor', pattern: /^QEMU$/i },
  { platform: 'QEMU', field: 'sysVendor', pattern: /^Bochs$/ },
  { platform: 'QEMU', field: 'productName', pattern: /^Standard PC \(/ },
  { platform: 'QEMU', field: 'productVersion', pattern: /^(pc|virt)-(q35|i440fx|\d)[\w.-]*$/ },
  { platform: 'QEMU', field: 'productVersion', pattern: /^RHEL[\d. -]+PC \((Q35|i440FX) \+ / },
  { platform: 'QEMU', field: 'chassisVendor', pattern: /^(QEMU|Bochs)$/ },
  { platform: 'QEMU', field: 'biosVendor', pattern: /^(SeaBIOS|EFI Development Kit II \/ OVMF|Bochs)$/i },
  { platform: 'QEMU', field: 'biosVendor', pattern: /^(Proxmox|Ubuntu|Debian) distribution of EDK II$/i },
  { platform: 'QEMU', field: 'biosVersion', pattern: /prebuilt\.qemu(-project)?\.org$/ },
  {
    platform: 'KVM',
    field: 'productName',
    pattern: /^(KVM|RHEV Hypervisor|oVirt Node|KubeVirt|RHEL-AV|KVM Virtual Machine|QEMU KVM Virtual Machine)$/i,
  },
  { platform: 'KVM', field: 'sysVendor', pattern: /^(KVM|KubeVirt)$/i },
  { platform: 'KVM', field: 'boardVendor', pattern: /^KVM$/ },
  { platform: 'KVM', field: 'productName', pattern: /^(Droplet|vServer)$/ },
  { platform: 'KVM', field: 'productName', pattern: /^CVM$/, unless: ['sysVendor', /^(?!Tencent Cloud$)/] },
  { platform: 'OpenStack', field: 'productName', pattern: /^OpenStack (Nova|Compute)$/i },
  { platform: 'VMware', field: 'productName', pattern: /^VMware/i },
  { platform: 'VirtualBox', field: 'productName', pattern: /^VirtualBox$/i },
  { platform: 'VirtualBox', field: 'biosVendor', pattern: /^innotek GmbH$/i },
  { platform: 'Xen', field: 'productName', pattern: /^HVM domU$/i },
  { platform: 'Xen', field: 'biosVendor', pattern: /^Xen$/ },
  { platform: 'Microsoft Hyper-V', field: 'productName', pattern: /^Virtual Machine$/ },
  { platform: 'Microsoft Hyper-V', field: 'biosVersion', pattern: /^Hyper-V UEFI Release/ },
  { platform: 'Google Compute Engine', field: 'productName', pattern: /^Google Compute Engine$/, alsoMetal: true },
  { platform: 'Amazon EC2', field: 'sysVendor', pattern: /^Amazon EC2$/, unless: ['productName', /\.metal(-|$)/] },
  { platform: null, field: 'productName', pattern: /^Alibaba Cloud ECS$/, alsoMetal: true },
  { platform: 'Parallels', field: 'productName', pattern: /^Parallels (Virtual|ARM)/i },
  { platform: 'bhyve', field: 'biosVendor', pattern: /^BHYVE$/i },
  { platform: 'bhyve', field: 'productName', pattern: /^BHYVE$/i },
  { platform: null, field: 'productName', pattern: /^SmartDC HVM$/ },
  { platform: 'Cloud Hypervisor', field: 'sysVendor', pattern: /^Cloud Hypervisor$/i },
  // The cloud's bare metal carries the tag too, under the name of the party that built it.
  {
    platform: 'Oracle Cloud',
    field: 'chassisAssetTag',
    pattern: /^OracleCloud\.com$/,
    unless: ['sysVendor', /^(?!QEMU$)/i],
  },
  { platform: 'Nutanix AHV', field: 'productName', pattern: /^AHV$/ },
  { platform: 'OpenBSD vmm', field: 'sysVendor', pattern: /^OpenBSD$/ },
  { platform: 'Apple Virtualization', field: 'productName', pattern: /^Apple Virtualization Generic Platform$/ },
]

/** A name of a platform in the firmware’s words. */
export interface FirmwareName {
  readonly platform: string | null
  /** The node's own words. */
  readonly words: string
  /** The cloud writes it on its bare metal too. */
  readonly alsoMetal: boolean
}

/** Names of hypervisors, and of clouds, in the identity that firmware reports. */
export const namesInIdentity = (identity: DmiIdentity): readonly FirmwareName[] =>
  NAMED_BY.filter(
    ({ field, pattern, unless }) =>
      pattern.test(identity[field].slice(0, 120)) && unless?.[1].test(identity[unless[0]].slice(0, 120)) !== true,
  ).map(({ platform, field, alsoMetal }) => ({ platform, words: identity[field], alsoMetal: alsoMetal === true }))

const EMULATOR = /^(QEMU|Bochs|pc-(q35|i440fx)-[\w.-]+|RHEL[\d. -]+PC \((Q35|i440FX) \+ .*)$/i

/** Names of emulators in places that a changed identity leaves behind: manufacturers of processors and memory modules. */
export function emulatorsInTable({ processors, modules }: DmiTable): readonly string[] {
  const said = [...processors.flatMap(({ maker, version }) => [maker, version]), ...modules.map(({ maker }) => maker)]
  return [...new Set(said.flatMap((words) => (words !== null && EMULATOR.test(words.slice(0, 120)) ? [words] : [])))]
}

// What firmware houses leave where the board's manufacturer was to write its name.
const EMPTY_WORDS =
  /^(|to be filled by o\.?e\.?m\.?|default string|system manufacturer|system product name|not specified|\.+|empty|n\/a|unknown)$/i

/** Whether anyone wrote a manufacturer or product into the identity. */
export const hasOwnWords = ({ sysVendor, productName, boardVendor }: DmiIdentity): boolean =>
  [sysVendor, productName, boardVendor].some((words) => !EMPTY_WORDS.test(words.trim().slice(0, 120)))

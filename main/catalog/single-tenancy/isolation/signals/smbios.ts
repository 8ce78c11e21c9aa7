import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, unclear } from '../../../base/steps.ts'
import { type DmiIdentity, type DmiTable, dmiIdentity, dmiTable } from '../../../hardware/machine/dmi.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import { isSince2009 } from '../cpu-tables.ts'
import {
  hintSign,
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
import { NO_SMBIOS, smbiosExtentSignals, smbiosSumSignals, withTable } from './smbios-sums.ts'

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
  /** The cloud’s bare metal has the same words. */
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
interface FirmwareName {
  readonly platform: string | null
  /** The node's own words. */
  readonly words: string
  /** The cloud writes it on its bare metal too. */
  readonly alsoMetal: boolean
}

/** Names of hypervisors, and of clouds, in the identity that firmware reports. */
const namesInIdentity = (identity: DmiIdentity): readonly FirmwareName[] =>
  NAMED_BY.filter(
    ({ field, pattern, unless }) =>
      pattern.test(identity[field].slice(0, 120)) && unless?.[1].test(identity[unless[0]].slice(0, 120)) !== true,
  ).map(({ platform, field, alsoMetal }) => ({ platform, words: identity[field], alsoMetal: alsoMetal === true }))

const EMULATOR = /^(QEMU|Bochs|pc-(q35|i440fx)-[\w.-]+|RHEL[\d. -]+PC \((Q35|i440FX) \+ .*)$/i

/** Names of emulators in places that a changed identity leaves behind: manufacturers of processors and memory modules. */
function emulatorsInTable({ processors, modules }: DmiTable): readonly string[] {
  const makers = [...processors.flatMap(({ maker, version }) => [maker, version]), ...modules.map(({ maker }) => maker)]
  return [...new Set(makers.flatMap((words) => (words !== null && EMULATOR.test(words.slice(0, 120)) ? [words] : [])))]
}

// Placeholders of firmware vendors where the board’s manufacturer should have written its name.
const EMPTY_WORDS =
  /^(|to be filled by o\.?e\.?m\.?|default string|system manufacturer|system product name|not specified|\.+|empty|n\/a|unknown)$/i

/** Whether anyone wrote a manufacturer or product into the identity. */
const hasOwnWords = ({ sysVendor, productName, boardVendor }: DmiIdentity): boolean =>
  [sysVendor, productName, boardVendor].some((words) => !EMPTY_WORDS.test(words.trim().slice(0, 120)))

const strings: Signal = {
  id: 'dmi.strings',
  family: 'firmware',
  title: 'Names in the firmware’s hardware table',
  onMetal: 'The manufacturer of the board, the system and its firmware.',
  onGuest: 'The hypervisor’s or the cloud’s name, unless someone wrote another.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Hypervisor vendors build servers too: Oracle, Sun, Nutanix and Joyent are named on real boards, so only exact product names count.',
    'Amazon’s .metal sizes, Google’s bare metal and Alibaba’s carry the same cloud name as their guests.',
    'Text: the operator of the machine chooses it. A manufacturer’s name is no evidence of hardware.',
  ],
  source: 'DMTF DSP0134 types 0 to 4 and 17; Linux drivers/firmware/dmi-id.c; measured on 221 servers and 35 guests.',
  probes: [dmiIdentity, dmiTable, cpuFeatures],
  observe(read) {
    const identity = read(dmiIdentity)
    if (!identity.ok) return unreadable(dmiIdentity, identity.reason)
    if (!identity.fact.present) return withoutTable(read)
    const [table, cpu] = [read(dmiTable), read(cpuFeatures)]
    const names = namesInIdentity(identity.fact)
    // Where a cloud offers both, its name indicates a guest only together with the processor’s hypervisor flag.
    const showsGuest = cpu.ok && cpu.fact.hypervisorBit
    const signs = [
      ...names.filter(({ alsoMetal }) => !alsoMetal || showsGuest).map(nameSign),
      ...(table.ok ? emulatorsInTable(table.fact) : []).map(leftover),
    ]
    const { sysVendor, productName, biosVendor } = identity.fact
    const value = [sysVendor, productName, biosVendor].map((words) => quote(words, 40)).join(', ')
    if (signs.length > 0) return virtual(value, ...signs)
    const cloud = names[0]
    if (cloud !== undefined)
      return neutral(
        value,
        unclear(
          `The firmware’s identity is ${quote(cloud.words)}, as on both guests and bare metal of this cloud.`,
          dmiIdentity,
        ),
      )
    return hasOwnWords(identity.fact) ? metal(value) : neutral(value)
  },
}

const nameSign = ({ platform, words }: FirmwareName): Sign =>
  sign(
    'names',
    platform,
    contradicts(
      `The firmware’s identity is ${quote(words)}, a name of ${platform ?? 'virtual machines'}.`,
      dmiIdentity,
    ),
  )

const leftover = (words: string): Sign =>
  sign(
    'odd',
    'QEMU',
    contradicts(
      `The firmware names ${quote(words)} as manufacturer of a processor or memory module, as QEMU does.`,
      dmiTable,
    ),
  )

function withoutTable(read: Read): Observation {
  const cpu = read(cpuFeatures)
  if (!cpu.ok) return neutral('no SMBIOS table')
  if (cpu.fact.architecture !== 'x86') return notApplicable(NO_SMBIOS)
  return isSince2009(cpu.fact)
    ? virtual(
        'no SMBIOS table',
        hintSign(
          'There is no SMBIOS table; machines with a current processor and hardware firmware have one.',
          dmiIdentity,
        ),
      )
    : neutral('no SMBIOS table')
}

const machineBit: Signal = {
  id: 'dmi.vmbit',
  family: 'firmware',
  title: 'Firmware’s own virtual-machine bit',
  onMetal: 'Clear.',
  onGuest: 'Set by UEFI guests and some clouds; clear in many others.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A few real boards set it by mistake: 8 of 162,480 in a public collection, a 24-module server among them.',
    'SeaBIOS guests and Google’s leave it clear, so that a clear bit is weak evidence.',
  ],
  source: 'DMTF DSP0134 table 7 (BIOS characteristics, extension byte 2, bit 4); measured.',
  probes: [dmiTable],
  observe: withTable(({ virtualMachineBit }) =>
    virtualMachineBit
      ? virtual(
          'set',
          oddSign(
            'The firmware sets the bit “System is a virtual machine”; a few real boards do so by mistake.',
            dmiTable,
          ),
        )
      : metal('clear'),
  ),
}

/** Signals in SMBIOS (DMTF DSP0134). */
export const smbiosSignals: readonly Signal[] = [strings, machineBit, ...smbiosExtentSignals, ...smbiosSumSignals]

import type { CapturedFile } from './files.ts'
import { isKernelLog } from './from-kernel.ts'
import { isGrepped } from './from-lists.ts'

export type Kind =
  | 'acpi-list'
  | 'acpidump'
  | 'cpuid'
  | 'cpuinfo'
  | 'dmidecode'
  | 'grepped'
  | 'identity'
  | 'ip-link'
  | 'ipmitool'
  | 'kernel-log'
  | 'lsblk'
  | 'lscpu'
  | 'lspci'
  | 'lstopo'
  | 'msr'
  | 'nvidia-text'
  | 'nvidia-topology'
  | 'nvidia-xml'
  | 'signature'
  | 'times'
  | 'udev'
  | 'xen-domains'

/** By content first, since names are whatever the collector chose; each looks at the beginning of a file only. */
const BY_CONTENT: readonly (readonly [pattern: RegExp, kind: Kind])[] = [
  [/^# dmidecode \d|^Handle 0x[0-9A-F]{4}, DMI type \d/m, 'dmidecode'],
  [/^P: \/devices\//m, 'udev'],
  [/<nvidia_smi_log>/, 'nvidia-xml'],
  [/=NVSMI LOG=/, 'nvidia-text'],
  [/^\s+(?:\x1b\[4m)?GPU0\s[\s\S]*^GPU0\s+X\s/m, 'nvidia-topology'],
  [/^\{\s*"lscpu":|^Architecture:\s+\S/, 'lscpu'],
  [
    /^processor\s*: \d|^processor \d+: version =|^vendor_id\s*: IBM\/S390|^cpu\s+: (?:POWER|TI|UltraSparc)|^Processor\s+: \S/m,
    'cpuinfo',
  ],
  [
    /^\s*0x[0-9a-f]{8}[ :].*eax=(?:0x)?[0-9a-f]{8}|^CPUID [0-9A-F]{8}: [0-9A-F]{8}-|<cpudata\b|^# mask e\[abcd\]x|^(?:basic|ext)_cpuid\[\d+\]=/m,
    'cpuid',
  ],
  [
    /^(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] (?:.*\[[0-9a-f]{4}\]:|(?:Class )?[0-9a-f]{4}: [0-9a-f]{4}:[0-9a-f]{4}|[A-Z].*: )/m,
    'lspci',
  ],
  [/^\{\s*"blockdevices":/, 'lsblk'],
  [/^\[\s*\{\s*"ifindex":\s*\d+,\s*"ifname"/, 'ip-link'],
  [/^Name\s+ID\s+Mem\s+VCPUs[\s\S]*^Domain-0\s/m, 'xen-domains'],
  [/^Machine \(\d+[MG]B/, 'lstopo'],
  [/^[A-Z0-9]{4} @ 0x[0-9A-F]{8,16}\s*\n\s+0000: /m, 'acpidump'],
  [/^(?:FACP|APIC|DSDT) \d+ .{14} .{4}$/m, 'acpi-list'],
  [/^dev_cpuid_ns=\d|^\d+ bytes .*copied, [\d.]+ s/m, 'times'],
  [/^0x[0-9a-f]{1,8}[ :=]+(?:0x)?[0-9a-f]{1,16}\s*$/m, 'msr'],
  [/^Device ID\s+: \d|^FRU Device Description|^SEL Information|Instantaneous power reading/m, 'ipmitool'],
]

const BY_NAME: readonly (readonly [pattern: RegExp, kind: Kind])[] = [
  [/^dmi_id(\.txt)?$/, 'identity'],
  [/^cpuid[_-]signature/, 'signature'],
  [/^dmesg|^journal|kern\.log/, 'kernel-log'],
  [/^ipmitool/, 'ipmitool'],
]
/** What other tools said of the machine is no capture of it. */
const VERDICTS = /^(virt-what|systemd-detect-virt|facter)/

const BEGINNING = 65_536

/** What a captured file is, by what it holds and else by its name; null for what no probe asks for. */
export function kindOf({ name, text }: CapturedFile): Kind | null {
  if (VERDICTS.test(name)) return null
  const byName = BY_NAME.find(([pattern]) => pattern.test(name))?.[1]
  if (byName !== undefined) return byName
  const beginning = text.slice(0, BEGINNING)
  // A script stands where a tool failed.
  if (beginning.startsWith('#!')) return null
  const byContent = BY_CONTENT.find(([pattern]) => pattern.test(beginning))?.[1]
  if (byContent !== undefined) return byContent
  if (isKernelLog(text)) return 'kernel-log'
  return isGrepped(text) ? 'grepped' : null
}

import { printed, type VirtualNode } from './virtual-node.ts'

/** The kernel's messages without times and names, as the journal prints them with -o cat. */
export const kernelMessages = (text: string): readonly string[] =>
  text.split(/\r?\n/).flatMap((line) => {
    const bare = line
      .replace(/^<\d+>/, '')
      .replace(/^[A-Z][a-z]{2} +\d+ [\d:.]+ \S+ kernel: /, '')
      .replace(/^\[ *\d+\.\d+\](?:\[[^\]]*\])? ?/, '')
    return bare.trim() === '' ? [] : [bare]
  })

export const isKernelLog = (text: string): boolean =>
  /^(<\d+>)?\[ *\d+\.\d{6}\] |^[A-Z][a-z]{2} +\d+ [\d:.]+ \S+ kernel: /m.test(text.slice(0, 8192)) ||
  /^Linux version \d/.test(text)

const MOST_ASKED = 4096

/** What the kernel said while starting: the journal, its release, its command line, the firmware's memory map, the memory it found. */
export function putKernelLog(node: VirtualNode, text: string): void {
  const messages = kernelMessages(text)
  node.program('journalctl', (argv) => {
    const pattern = argv[argv.indexOf('-g') + 1]
    if (!argv.includes('-k') || pattern === undefined || pattern.length > MOST_ASKED) return null
    const wanted = argv.includes('-g') ? new RegExp(pattern, pattern === pattern.toLowerCase() ? 'i' : '') : /./
    const found = messages.filter((message) => wanted.test(message))
    return printed(found.map((message) => `${message}\n`).join(''), found.length > 0 ? 0 : 1)
  })
  const first = (pattern: RegExp): string | undefined => messages.flatMap((line) => pattern.exec(line)?.[1] ?? [])[0]
  const release = first(/^Linux version (\S+)/)
  if (release !== undefined) node.program('uname', (argv) => (argv[1] === '-r' ? printed(`${release}\n`) : null))
  const cmdline = first(/^(?:Kernel command line|Command line): (.*)$/)
  if (cmdline !== undefined) node.file('/proc/cmdline', `${cmdline}\n`)
  const memory = first(/^Memory: \d+K\/(\d+)K available/)
  if (memory !== undefined) node.file('/proc/meminfo', `MemTotal:       ${memory} kB\n`)
  putMemoryMap(node, messages)
  putUnits(node, messages)
}

/** Units that guard memory against devices, which a log from its start names each: Intel's as they are called, AMD's by their number. */
function putUnits(node: VirtualNode, messages: readonly string[]): void {
  if (!messages.some((line) => line.startsWith('Linux version '))) return
  const intel = messages.flatMap((line) => /^DMAR: (dmar\d+): reg_base_addr/.exec(line)?.[1] ?? [])
  const amd = messages.filter((line) => /AMD-Vi: Found IOMMU (?:at|cap)/.test(line)).map((_, index) => `ivhd${index}`)
  node.folder('/sys/class/iommu', 'whole')
  for (const name of new Set([...intel, ...amd])) node.folder(`/sys/class/iommu/${name}`, 'part')
}

// arch/x86/kernel/e820.c: what the log calls a range, and what sysfs calls it.
const TYPES: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^usable/, 'System RAM'],
  [/^reserved/, 'Reserved'],
  [/^ACPI data/, 'ACPI Tables'],
  [/^ACPI NVS/, 'ACPI Non-volatile Storage'],
  [/^unusable/, 'Unusable memory'],
  [/^persistent/, 'Persistent Memory'],
  [/^soft reserved/, 'Soft Reserved'],
]

function putMemoryMap(node: VirtualNode, messages: readonly string[]): void {
  const ranges = messages.flatMap((line) => {
    const [, start, end, type] = /^BIOS-e820: \[mem (0x[0-9a-f]+)-(0x[0-9a-f]+)\] (.*)$/.exec(line) ?? []
    return start === undefined || end === undefined || type === undefined ? [] : [{ start, end, type }]
  })
  // The firmware's folders are known where the map is there, and whether the system started through UEFI is.
  if (ranges.length === 0) return
  node.folder('/sys/firmware/memmap', 'whole')
  for (const [index, { start, end, type }] of ranges.entries()) {
    const folder = `/sys/firmware/memmap/${index}`
    const short = (address: string): string => `0x${Number(address).toString(16)}\n`
    node.file(`${folder}/start`, short(start))
    node.file(`${folder}/end`, short(end))
    node.file(`${folder}/type`, `${TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'Unknown E820 type'}\n`)
  }
  if (messages.some((line) => /^efi: EFI v|^EFI v/.test(line))) node.folder('/sys/firmware/efi', 'shown')
  if (node.lookup('/sys/firmware/efi') !== 'unknown') node.folder('/sys/firmware', 'shown')
}

/** hwloc's picture of the machine: memory in use, nodes, caches of the first core. */
export function putLstopo(node: VirtualNode, text: string): void {
  const [, size, unit] = /^Machine \((\d+)([MG])B/m.exec(text) ?? []
  if (size !== undefined)
    node.file('/proc/meminfo', `MemTotal:       ${Number(size) * (unit === 'G' ? 1024 * 1024 : 1024)} kB\n`)
  const nodes = new Set([...text.matchAll(/NUMANode L#(\d+)/g)].map(([, number]) => number))
  for (const number of nodes) node.folder(`/sys/devices/system/node/node${number}`, 'part')
  if (nodes.size > 0) node.folder('/sys/devices/system/node', 'shown')
  const caches = [...text.matchAll(/\bL(\d)(d|i)? L#0 \((\d+)([KM])B\)/g)].sort(
    ([, a = '', x = ''], [, b = '', y = '']) => Number(a) - Number(b) || x.localeCompare(y),
  )
  for (const [index, [, level = '', kind, amount = '', kilo]] of caches.entries()) {
    const folder = `/sys/devices/system/cpu/cpu0/cache/index${index}`
    node.file(`${folder}/level`, `${level}\n`)
    node.file(`${folder}/type`, `${kind === 'd' ? 'Data' : kind === 'i' ? 'Instruction' : 'Unified'}\n`)
    node.file(`${folder}/size`, `${Number(amount) * (kilo === 'M' ? 1024 : 1)}K\n`)
  }
  const core = /Core L#0[^\n]*?((?:\n? *\+? ?PU L#\d+ \(P#\d+\))+)/.exec(text)?.[1] ?? ''
  const siblings = [...core.matchAll(/P#(\d+)/g)].map(([, number]) => number)
  if (siblings.length > 0)
    node.file('/sys/devices/system/cpu/cpu0/topology/thread_siblings_list', `${siblings.join(',')}\n`)
}

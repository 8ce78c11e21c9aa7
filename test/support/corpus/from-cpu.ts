import { mendProcessors, putTopology } from './consequences.ts'
import { type CpuidDump, readCpuid } from './cpuid-dumps.ts'
import { cpuinfoFromCpuid } from './cpuid-flags.ts'
import { putCpuidDevice, putMsrDevice, signatureDump } from './processor-devices.ts'
import type { VirtualNode } from './virtual-node.ts'

/** A dump of the processor's identification, with the list of processors that follows from it where none was captured. */
export function putCpuid(node: VirtualNode, texts: readonly string[]): void {
  const dumps = texts.flatMap((text) => readCpuid(text) ?? [])
  if (dumps.length === 0) return
  const whole: CpuidDump = {
    leaves: new Map(dumps.toReversed().flatMap(({ leaves }) => [...leaves])),
    processors: Math.max(...dumps.map(({ processors }) => processors)),
  }
  putCpuidDevice(node, whole)
  const cpuinfo = cpuinfoFromCpuid(whole)
  if (cpuinfo !== null) node.file('/proc/cpuinfo', cpuinfo)
}

/** What hypervisors call themselves in the identification, by the name that lscpu prints for them. */
const SIGNATURES: Readonly<Record<string, string>> = {
  KVM: 'KVMKVMKVM',
  VMware: 'VMwareVMware',
  Microsoft: 'Microsoft Hv',
  Xen: 'XenVMMXenVMM',
  bhyve: 'bhyve bhyve ',
  ACRN: 'ACRNACRNACRN',
  TCG: 'TCGTCGTCGTCG',
}

/** A hypervisor's signature of twelve characters as one line of text. Fewer printable ones are a helper's way to say "none". */
export function putSignature(node: VirtualNode, text: string): void {
  const signature = text.replace(/[\r\n]+$/, '')
  if (/^[\x20-\x7e]{6,12}$/.test(signature)) putCpuidDevice(node, withVendor(node, signature))
}

function withVendor(node: VirtualNode, signature: string): CpuidDump {
  const cpuinfo = node.text('/proc/cpuinfo') ?? ''
  const field = (name: string): string => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(cpuinfo)?.[1] ?? ''
  return signatureDump(field('vendor_id'), Number(field('cpuid level')) || 1, signature)
}

/** lscpu's answer as fields, from its text or its JSON. */
export function lscpuFields(text: string): ReadonlyMap<string, string> {
  if (text.trimStart().startsWith('{')) return jsonFields(text)
  const fields = new Map<string, string>()
  let last = ''
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] =
      /^\s{0,8}([A-Z][^:]{1,40}|L\d[a-z]?( cache)?): *(.*)$/.exec(line)?.filter((_, i) => i !== 2) ?? []
    if (name !== undefined) {
      last = name.trim()
      if (!fields.has(last)) fields.set(last, value)
      // A narrow terminal cuts long values in the middle of a word.
    } else if (/^ {12,}\S|^ {12,} \S/.test(line) && last !== '')
      fields.set(last, (fields.get(last) ?? '') + line.slice(indentOf(text)))
  }
  return fields
}

const indentOf = (text: string): number => /^Architecture: +/m.exec(text)?.[0].length ?? 0

function jsonFields(text: string): ReadonlyMap<string, string> {
  type Row = { readonly field?: string; readonly data?: string | null; readonly children?: readonly Row[] }
  const flat = (rows: readonly Row[]): readonly Row[] => rows.flatMap((row) => [row, ...flat(row.children ?? [])])
  try {
    const { lscpu } = JSON.parse(text) as { readonly lscpu: readonly Row[] }
    return new Map(flat(lscpu).map(({ field, data }) => [(field ?? '').replace(/:$/, ''), data ?? '']))
  } catch {
    return new Map()
  }
}

/** "L2: 16 MiB (4 instances)", or of older releases "L2 cache: 4096K": what one of them holds, as the kernel's files of the first CPU. */
function putCaches(node: VirtualNode, fields: ReadonlyMap<string, string>): void {
  if (node.lookup('/sys/devices/system/cpu/cpu0/cache/index0') !== 'unknown') return
  const caches = [...fields].flatMap(([name, value]) => {
    const [, level, kind] = /^L(\d)([di])?(?: cache)?$/.exec(name) ?? []
    const [, amount, unit] = /^([\d.]+) ?([KM])/.exec(value) ?? []
    const instances = Number(/\((\d+) instances?\)/.exec(value)?.[1] ?? 1)
    if (level === undefined || amount === undefined) return []
    return [{ level, kind, kib: Math.round((Number(amount) * (unit === 'M' ? 1024 : 1)) / instances) }]
  })
  for (const [index, { level, kind, kib }] of caches.entries()) {
    const folder = `/sys/devices/system/cpu/cpu0/cache/index${index}`
    node.file(`${folder}/level`, `${level}\n`)
    node.file(`${folder}/type`, `${kind === 'd' ? 'Data' : kind === 'i' ? 'Instruction' : 'Unified'}\n`)
    node.file(`${folder}/size`, `${kib}K\n`)
  }
}

/** What lscpu said: the processors where their list was not captured, the hypervisor's signature, and the nodes of memory. */
export function putLscpu(node: VirtualNode, text: string): void {
  const fields = lscpuFields(text)
  const at = (name: string): string => fields.get(name)?.trim() ?? ''
  const isX86 = /x86|i[3-6]86/.test(at('Architecture'))
  if (at('Flags') !== '' && isX86) node.file('/proc/cpuinfo', cpuinfoOf(at))
  const signature = SIGNATURES[at('Hypervisor vendor')]
  // lscpu has the vendor from the identification only where the virtualization is full.
  if (isX86 && signature !== undefined && /^full/.test(at('Virtualization type')))
    putCpuidDevice(node, signatureDump(at('Vendor ID'), 1, signature))
  mendProcessors(node, Number(at('CPU(s)')))
  if (at('Model name') !== '') putTopology(node)
  putCaches(node, fields)
  const nodes = Number(at('NUMA node(s)'))
  // lscpu shows nothing about them where the kernel shows none.
  if (at('NUMA node(s)') === '' && at('Model name') !== '') node.absent('/sys/devices/system/node')
  if (nodes > 0) {
    node.folder('/sys/devices/system/node', 'whole')
    // A node is always at distance 10 from itself.
    if (nodes === 1) node.file('/sys/devices/system/node/node0/distance', '10\n')
    for (let index = 0; index < nodes; index += 1)
      node.file(`/sys/devices/system/node/node${index}/cpulist`, `${at(`NUMA node${index} CPU(s)`)}\n`)
  }
}

function cpuinfoOf(at: (name: string) => string): string {
  const [sockets, cores, threads] = ['Socket(s)', 'Core(s) per socket', 'Thread(s) per core'].map(
    (name) => Number(at(name)) || 1,
  )
  const perSocket = (cores ?? 1) * (threads ?? 1)
  const count = Number(at('CPU(s)')) || perSocket * (sockets ?? 1)
  const block = (index: number): string =>
    [
      `processor\t: ${index}`,
      `vendor_id\t: ${at('Vendor ID')}`,
      `cpu family\t: ${at('CPU family')}`,
      `model\t\t: ${at('Model')}`,
      `model name\t: ${at('Model name')}`,
      `stepping\t: ${at('Stepping')}`,
      `physical id\t: ${Math.floor(index / perSocket)}`,
      `siblings\t: ${perSocket}`,
      `cpu cores\t: ${cores}`,
      `flags\t\t: ${at('Flags')}`,
      ...(at('Address sizes') === '' ? [] : [`address sizes\t: ${at('Address sizes')}`]),
      '',
    ].join('\n')
  return Array.from({ length: Math.min(count, 4096) }, (_, index) => block(index)).join('\n')
}

/** "0x8b 100000000": number and value of a register of the model, both hexadecimal; other words are registers that could not be read. */
export function putMsr(node: VirtualNode, texts: readonly string[]): void {
  const registers = new Map<number, bigint>()
  for (const line of texts.join('\n').split('\n')) {
    const [, number, value] = /^\s*(0x[0-9a-f]{1,8})\s*[:= ]\s*(?:0x)?([0-9a-f]{1,16})\s*$/i.exec(line) ?? []
    if (number !== undefined && value !== undefined && !registers.has(Number(number)))
      registers.set(Number(number), BigInt(`0x${value}`))
  }
  if (registers.size > 0) putMsrDevice(node, registers)
}

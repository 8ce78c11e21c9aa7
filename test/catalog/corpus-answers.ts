import { existsSync, readFileSync } from 'node:fs'
import type { Answer } from '../../main/core/probe.ts'

/**
 * Reads a folder of the corpus as if its machine had answered our commands: each file is brought into the form of the command that asks
 * for the same thing. What a case does not hold is not answered, so it counts as not collected.
 */
export function answersOfCase(folder: string): ReadonlyMap<string, Partial<Answer>> {
  const answers = new Map<string, Partial<Answer>>()
  const read = (...names: readonly string[]): string | null => {
    const path = names.map((name) => `${folder}/${name}`).find((candidate) => existsSync(candidate))
    return path === undefined ? null : readFileSync(path, 'latin1')
  }
  const put = (key: string, text: string, exitCode = 0, errorText = ''): void =>
    void answers.set(key, { text, exitCode, errorText })

  const cpuinfo = read('cpuinfo.txt', 'root/proc/cpuinfo')
  if (cpuinfo !== null) put('cpu.features/cpuinfo', cpuinfo)
  const dmi = read('dmidecode.txt')
  if (dmi !== null && /^Handle /m.test(dmi)) {
    put('dmi.table/table', dmi)
    put('dmi.identity/fields', identityFields(dmi), 2, ABSENT)
  }
  const id = read('dmi_id.txt')
  if (id !== null)
    put(
      'dmi.identity/fields',
      id.startsWith('ls: ') ? '' : id.replace(/^([a-z_]+)=(.*)$/gm, '/sys/class/dmi/id/$1:$2'),
      2,
      ABSENT,
    )
  const stat = read('stat.txt')
  if (stat !== null) put('steal/stat', stat)
  const smi = read('nvidia-smi-q-x.xml')
  if (smi !== null) put('gpu.nvidia/query', smi)
  readPlatform(read, put)
  readAcpi(read, put, (key, bytes) => void answers.set(key, { bytes, exitCode: 0 }))
  readPci(read, put)
  readLeaf(read, (key, bytes) => void answers.set(key, { bytes, exitCode: 0 }))
  readContainers(read, put)
  readBuses(folder, read, put)
  return answers
}

type Read = (...names: readonly string[]) => string | null
type Put = (key: string, text: string, exitCode?: number, errorText?: string) => void
type PutBytes = (key: string, bytes: Uint8Array) => void

const ABSENT = 'x: No such file or directory\n'

function identityFields(dmi: string): string {
  const field = (type: number, name: string): string => {
    const block = dmi.split(/\n(?=Handle 0x)/).find((part) => new RegExp(`DMI type ${type},`).test(part)) ?? ''
    return (new RegExp(`^\\s+${name}: (.*)$`, 'm').exec(block)?.[1] ?? '').trim()
  }
  const fields: readonly (readonly [string, number, string])[] = [
    ['sys_vendor', 1, 'Manufacturer'],
    ['product_name', 1, 'Product Name'],
    ['product_version', 1, 'Version'],
    ['board_vendor', 2, 'Manufacturer'],
    ['board_name', 2, 'Product Name'],
    ['bios_vendor', 0, 'Vendor'],
    ['bios_version', 0, 'Version'],
    ['chassis_vendor', 3, 'Manufacturer'],
    ['chassis_asset_tag', 3, 'Asset Tag'],
  ]
  return fields.map(([file, type, name]) => `/sys/class/dmi/id/${file}:${field(type, name)}\n`).join('')
}

function readPlatform(read: Read, put: Put): void {
  const pmu = read('pmu.txt')
  const clocks = read('clocksource.txt')
  if (pmu === null || clocks === null) return
  const names = (text: string | null): readonly string[] =>
    (text ?? '')
      .split(/\s+/)
      .filter((word) => word !== '' && !/^(ls|cat):|^\/|cannot|No|such|file|or|directory$/.test(word))
  put(
    'cpu.platform/lists',
    `/sys/bus/event_source/devices:\n${names(pmu).join('\n')}\n\n/sys/devices/system/edac/mc:\n${names(read('edac.txt')).join('\n')}\n`,
  )
  put(
    'cpu.platform/values',
    `/sys/devices/system/clocksource/clocksource0/available_clocksource:${clocks.split('\n')[0]}\n${read('vulnerabilities.txt') ?? ''}`,
  )
}

function readAcpi(read: Read, put: Put, putBytes: PutBytes): void {
  const tables = (read('acpi_tables.txt') ?? '').split('\n').flatMap((line) => {
    const [, name, size, rest] = /^([A-Z0-9]{4,5}) (\d+) (.*)$/.exec(line) ?? []
    return name === undefined || size === undefined || rest === undefined ? [] : [{ name, size: Number(size), rest }]
  })
  if (tables.length === 0) return
  const rows = tables.map(({ name, size }) => `-r-------- 1 root root ${size} Nov 21 06:59 ${name}`)
  put('acpi.overview/lists', `/sys/firmware/acpi/tables:\ntotal 0\n${rows.join('\n')}\n`, 2, ABSENT)
  put('acpi.overview/profile', read('acpi_pm_profile.txt') ?? '')
  const id = (read('acpi_facp_hvid.txt') ?? '').replace(/^\d{7}/gm, '').replace(/\s+/g, '')
  const heads = tables.map(({ name, rest }) => {
    const bytes = new Uint8Array(name === 'FACP' && id !== '' ? 276 : 40)
    const set = (offset: number, text: string): void =>
      bytes.set(new TextEncoder().encode(text).subarray(0, bytes.length - offset), offset)
    set(10, rest.slice(0, -4).replace(/\s+$/, '').slice(0, 14))
    set(28, rest.slice(-4))
    if (bytes.length === 276) set(268, id.slice(0, 8))
    return Buffer.concat([Buffer.from(`==> /sys/firmware/acpi/tables/${name} <==\n`), bytes])
  })
  putBytes(
    'acpi.headers/heads',
    Buffer.concat(heads.flatMap((head, index) => (index === 0 ? [head] : [Buffer.from('\n'), head]))),
  )
  const marks = (read('dsdt_strings.txt') ?? '').match(/QEMU0002|FWCF|BXPC|VMBUS/g) ?? []
  put('acpi.headers/marks', marks.map((mark) => `${mark}\n`).join(''), marks.length > 0 ? 0 : 1)
}

interface Function {
  readonly address: string
  readonly kind: string
  readonly id: string
  readonly subsystem: string
}

function readPci(read: Read, put: Put): void {
  const devices = [...fromLspci(read('lspci.txt'), read('lspci-vvv.txt')), ...fromUdev(read('udevadm-export-db.txt'))]
  if (devices.length === 0) return
  const link = ({ address }: Function): string =>
    `lrwxrwxrwx 1 root root 0 Nov 21 06:59 ${address} -> ../../../devices/pci0000:00/${address}\n`
  const uevent = ({ address, kind, id, subsystem }: Function): string => {
    const path = `/sys/bus/pci/devices/${address}/uevent:`
    return `${path}PCI_CLASS=${kind}\n${path}PCI_ID=${id}\n${path}PCI_SUBSYS_ID=${subsystem}\n`
  }
  put('pci.devices/tree', `total 0\n${devices.map(link).join('')}`)
  put('pci.devices/ids', devices.map(uevent).join(''))
  put('pci.devices/links', '', 2)
}

function fromLspci(list: string | null, details: string | null): readonly Function[] {
  return (list ?? '').split('\n').flatMap((line) => {
    const [, slot, kind, id] = /^([0-9a-f:.]+) .*?\[([0-9a-f]{4})\]: .*\[([0-9a-f]{4}:[0-9a-f]{4})\]/.exec(line) ?? []
    if (slot === undefined || kind === undefined || id === undefined) return []
    const block = (details ?? '').split(/\n\n/).find((part) => part.includes(`${slot} `)) ?? ''
    const subsystem = /Subsystem: .*\[([0-9a-f]{4}:[0-9a-f]{4})\]/.exec(block)?.[1] ?? '0000:0000'
    return [{ address: slot.length === 7 ? `0000:${slot}` : slot, kind: `${kind}00`, id, subsystem }]
  })
}

function fromUdev(database: string | null): readonly Function[] {
  return (database ?? '').split(/\n\n/).flatMap((block) => {
    const field = (name: string): string | undefined => new RegExp(`^E: ${name}=(.*)$`, 'm').exec(block)?.[1]
    const address = field('PCI_SLOT_NAME')
    const id = field('PCI_ID')
    if (address === undefined || id === undefined || field('SUBSYSTEM') !== 'pci') return []
    return [{ address, kind: field('PCI_CLASS') ?? '0', id, subsystem: field('PCI_SUBSYS_ID') ?? '0000:0000' }]
  })
}

function readLeaf(read: Read, put: PutBytes): void {
  const raw = `${read('cpuid-hv.txt') ?? ''}\n${read('cpuid-raw.txt') ?? ''}`
  const leaf = (number: number): Uint8Array | null => {
    const line = new RegExp(
      `0x${number.toString(16).padStart(8, '0')} 0x00: eax=0x(\\w+) ebx=0x(\\w+) ecx=0x(\\w+) edx=0x(\\w+)`,
    ).exec(raw)
    if (line === null) return null
    const bytes = Buffer.alloc(16)
    for (const [index, register] of line.slice(1, 5).entries())
      bytes.writeUInt32LE(Number.parseInt(register, 16), index * 4)
    return bytes
  }
  const basic = leaf(0)
  const base = leaf(0x40000000)
  const later = leaf(0x40000010)
  if (basic === null || base === null || later === null) return
  const reserved = new Uint8Array(257 * 16)
  reserved.set(base, 0)
  reserved.set(later, 0x10 * 16)
  reserved.set(leaf(0x40000100) ?? new Uint8Array(16), 0x100 * 16)
  put('cpu.hypervisor-leaf/basic', basic)
  put('cpu.hypervisor-leaf/reserved', reserved)
}

function readContainers(read: Read, put: Put): void {
  const cgroup = read('proc_1_cgroup.txt', 'root/proc/self/cgroup')
  // Namespaces were not captured; a container manager's group of the first process stands for one that is not the initial one.
  if (cgroup === null || !/docker|lxc|libpod/.test(cgroup)) return
  put('namespaces/own', 'lrwxrwxrwx 1 root root 0 Nov 21 06:59 pid -> pid:[4026532999]\n')
  put('namespaces/first', cgroup.replace(/^/gm, '/proc/1/cgroup:'))
  put('namespaces/marks', '', 2, ABSENT)
}

function readBuses(folder: string, read: Read, put: Put): void {
  const files: readonly string[] = [
    '/sys/hypervisor/type',
    '/sys/hypervisor/properties/features',
    '/proc/xen/capabilities',
    '/proc/device-tree/hypervisor/compatible',
    '/proc/sysinfo',
    '/proc/ppc64/lparcfg',
  ]
  const found = files.filter((path) => existsSync(`${folder}/root${path}`))
  if (found.length === 0) return
  put('virt.buses/lists', '', 2, ABSENT)
  put(
    'virt.buses/files',
    found
      .map((path) =>
        (read(`root${path}`) ?? '')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => `${path}:${line}\n`)
          .join(''),
      )
      .join(''),
    2,
    ABSENT,
  )
}

import { printed, type VirtualNode } from './virtual-node.ts'

const FIELDS: readonly (readonly [file: string, type: number, name: string])[] = [
  ['bios_vendor', 0, 'Vendor'],
  ['bios_version', 0, 'Version'],
  ['bios_date', 0, 'Release Date'],
  ['bios_release', 0, 'BIOS Revision'],
  ['sys_vendor', 1, 'Manufacturer'],
  ['product_name', 1, 'Product Name'],
  ['product_version', 1, 'Version'],
  ['product_serial', 1, 'Serial Number'],
  ['product_family', 1, 'Family'],
  ['product_sku', 1, 'SKU Number'],
  ['board_vendor', 2, 'Manufacturer'],
  ['board_name', 2, 'Product Name'],
  ['board_version', 2, 'Version'],
  ['board_serial', 2, 'Serial Number'],
  ['chassis_vendor', 3, 'Manufacturer'],
  ['chassis_version', 3, 'Version'],
  ['chassis_serial', 3, 'Serial Number'],
  ['chassis_asset_tag', 3, 'Asset Tag'],
]
// SMBIOS 3.7, table 17, in the words of dmidecode; the kernel shows the number.
const CHASSIS =
  'Other|Unknown|Desktop|Low Profile Desktop|Pizza Box|Mini Tower|Tower|Portable|Laptop|Notebook|Hand Held|Docking Station|All In One|Sub Notebook|Space-saving|Lunch Box|Main Server Chassis|Expansion Chassis|Sub Chassis|Bus Expansion Chassis|Peripheral Chassis|RAID Chassis|Rack Mount Chassis|Sealed-case PC|Multi-system|CompactPCI|AdvancedTCA|Blade|Blade Enclosing|Tablet|Convertible|Detachable|IoT Gateway|Embedded PC|Mini PC|Stick PC'.split(
    '|',
  )
const FOLDER = '/sys/class/dmi/id'

interface Structure {
  readonly type: number
  readonly text: string
}

/** What dmidecode printed: the same for the types that are asked for, the fields that the kernel shows to any user, and the extent. */
export function putDmidecode(node: VirtualNode, captured: string): void {
  if (/No SMBIOS nor DMI entry point found/.test(captured)) {
    node.program('dmidecode', () => printed(captured, 1))
    node.absent(FOLDER)
    node.absent('/sys/firmware/dmi')
    return
  }
  // Copies on web pages have spaces where dmidecode prints tabs.
  const text = captured.replace(/^( {8})+/gm, (spaces) => '\t'.repeat(spaces.length / 8))
  const [heading = '', ...blocks] = text.split(/^(?=Handle 0x)/m)
  const structures = blocks.flatMap((block): readonly Structure[] => {
    const type = /DMI type (\d+)/.exec(block)?.[1]
    return type === undefined ? [] : [{ type: Number(type), text: block }]
  })
  if (structures.length === 0) return
  putIdentity(node, structures)
  if (!isWhole(heading, structures)) return
  node.program('dmidecode', (argv) => {
    if (argv.length > 1 && argv[1] !== '-t') return null
    const types = argv[1] === '-t' ? new Set((argv[2] ?? '').split(',').map(Number)) : null
    return printed(
      heading +
        structures
          .filter(({ type }) => types === null || types.has(type))
          .map((one) => one.text)
          .join(''),
    )
  })
  putExtent(node, heading, structures)
}

/** An excerpt lacks the end mark of the table, or holds far fewer structures than its heading says. */
function isWhole(heading: string, structures: readonly Structure[]): boolean {
  const declared = Number(/^(\d+) structures/m.exec(heading)?.[1] ?? '0')
  const hasEnd = structures.some(({ type }) => type === 127)
  return declared > 0 ? structures.length >= declared * 0.8 : hasEnd
}

function putIdentity(node: VirtualNode, structures: readonly Structure[]): void {
  const first = (type: number): string => structures.find((one) => one.type === type)?.text ?? ''
  const value = (type: number, name: string): string | null =>
    new RegExp(`^\\t${name}: ?(.*)$`, 'm').exec(first(type))?.[1]?.trim() ?? null
  for (const [file, type, name] of FIELDS) {
    const text = value(type, name)
    if (text !== null) node.file(`${FOLDER}/${file}`, `${text === 'Not Specified' ? '' : text}\n`)
  }
  const chassis = CHASSIS.indexOf(value(3, 'Type') ?? '')
  if (chassis >= 0) node.file(`${FOLDER}/chassis_type`, `${chassis + 1}\n`)
}

function putExtent(node: VirtualNode, heading: string, structures: readonly Structure[]): void {
  const bytes = /occupying (\d+) bytes/.exec(heading)?.[1]
  if (bytes !== undefined) node.file('/sys/firmware/dmi/tables/DMI', '', { size: Number(bytes), isWhole: false })
  if (bytes === undefined) return
  node.folder('/sys/firmware/dmi/tables', 'shown')
  node.folder('/sys/firmware/dmi/entries', 'whole')
  const counts = new Map<number, number>()
  for (const { type } of structures) {
    const index = counts.get(type) ?? 0
    counts.set(type, index + 1)
    node.folder(`/sys/firmware/dmi/entries/${type}-${index}`, 'part')
  }
}

/** "name=value" per file of the kernel's identity folder, or the complaint that there is none. */
export function putIdentityFiles(node: VirtualNode, text: string): void {
  const rows = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([a-z_]+)[=:] ?(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined || name === 'ls' ? [] : [{ name, value }]
  })
  if (rows.length > 0) node.folder(FOLDER, 'whole')
  for (const { name, value } of rows) node.file(`${FOLDER}/${name}`, `${value}\n`)
}

// In a modalias names stand without their spaces.
const PHRASES = [
  'American Megatrends',
  'Phoenix Technologies',
  'Microsoft Corporation',
  'Virtual Machine',
  'VMware Virtual Platform',
  'VMware, Inc.',
  'Google Compute Engine',
  'Amazon EC2',
  'Red Hat',
  'Standard PC',
  'innotek GmbH',
  'HVM domU',
  'Alibaba Cloud',
  'Dell Inc.',
  'Hewlett-Packard',
  'Oracle Corporation',
  'Intel Corporation',
  'Cisco Systems',
]
const KEYS: Readonly<Record<string, string>> = {
  bvn: 'bios_vendor',
  bvr: 'bios_version',
  bd: 'bios_date',
  svn: 'sys_vendor',
  pn: 'product_name',
  pvr: 'product_version',
  rvn: 'board_vendor',
  rn: 'board_name',
  cvn: 'chassis_vendor',
  ct: 'chassis_type',
}

/** The identity in a modalias of the kernel ("dmi:bvn…:bvr…:"); well-known names get their spaces back. */
export function putModalias(node: VirtualNode, modalias: string): void {
  for (const part of modalias.replace(/^dmi:/, '').split(':')) {
    const key = Object.keys(KEYS).find((name) => part.startsWith(name))
    if (key === undefined) continue
    const spaced = PHRASES.reduce(
      (text, phrase) => text.replaceAll(phrase.replaceAll(' ', ''), phrase),
      part.slice(key.length),
    )
    node.file(`${FOLDER}/${KEYS[key]}`, `${spaced}\n`)
  }
}

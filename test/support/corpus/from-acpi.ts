import type { VirtualNode } from './virtual-node.ts'

const TABLES = '/sys/firmware/acpi/tables'

interface Table {
  readonly name: string
  readonly size: number
  /** OEM id and OEM table id: fourteen characters. */
  readonly oem: string
  readonly creator: string
}

/** Heads of the firmware's tables, rebuilt from what was noted of them, with what was noted of their contents. */
export interface AcpiNotes {
  readonly list: string | null
  readonly profile: string | null
  /** od -c of the hypervisor's identity in the FADT. */
  readonly hypervisorId: string | null
  /** Words found in the DSDT, with counts before them. */
  readonly words: string | null
  /** The kernel's messages, which name every table too. */
  readonly messages: string | null
}

/** ACPI 6.5 §5.2.6: length at 4, OEM id at 10, OEM table id at 16, creator id at 28; FADT: profile at 45, hypervisor identity at 268. */
export function putAcpi(node: VirtualNode, notes: AcpiNotes): void {
  const tables = notes.list === null ? fromMessages(notes.messages ?? '') : fromList(notes.list)
  if (notes.profile !== null && /^\d/.test(notes.profile)) node.file('/sys/firmware/acpi/pm_profile', notes.profile)
  if (tables.length === 0) return
  node.folder(TABLES, 'whole')
  for (const table of tables) {
    const isDescription = table.name === 'FACP'
    const head = new Uint8Array(Math.min(table.size, isDescription ? 276 : 40))
    const set = (offset: number, text: string): void =>
      head.set(Buffer.from(text, 'latin1').subarray(0, Math.max(0, head.length - offset)), offset)
    set(0, table.name.slice(0, 4))
    if (head.length >= 8) new DataView(head.buffer).setUint32(4, table.size, true)
    set(10, table.oem)
    set(28, table.creator)
    if (isDescription && head.length > 45) head[45] = Number(notes.profile ?? 0)
    if (isDescription && head.length >= 276) set(268, identity(notes.hypervisorId ?? ''))
    const words = table.name === 'DSDT' ? wordsOf(notes.words) : null
    const content = words === null ? head : Buffer.concat([head, Buffer.from(`\0${words.join('\0')}\0`, 'latin1')])
    node.file(`${TABLES}/${table.name}`, content, { size: table.size, isWhole: words !== null || isDescription })
  }
}

function fromList(list: string): readonly Table[] {
  return list.split('\n').flatMap((line) => {
    const [, name, size, rest] = /^([A-Z0-9]{4,6}) (\d+) (.*)$/.exec(line) ?? []
    if (name === undefined || size === undefined || rest === undefined) return []
    const clean = /^[. ]*$/.test(rest) ? '' : rest
    return [{ name, size: Number(size), oem: clean.slice(0, 14), creator: clean.slice(-4) }]
  })
}

const MESSAGE =
  /ACPI: ([A-Z0-9]{4}) 0x[0-9A-F]{8,16} ([0-9A-F]{6,8})(?: \(v\d+ (.{6}) (.{8}) [0-9A-F]{8} (.{4}) [0-9A-F]{8}\))?/

function fromMessages(messages: string): readonly Table[] {
  const seen = new Map<string, number>()
  return messages.split('\n').flatMap((line) => {
    const [, name, size = '0', oem = '', table = '', creator = ''] = MESSAGE.exec(line) ?? []
    if (name === undefined || /^(RSDP|RSDT|XSDT)$/.test(name)) return []
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    const isNumbered = name === 'SSDT' || count > 1
    return [{ name: isNumbered ? `${name}${count}` : name, size: Number.parseInt(size, 16), oem: oem + table, creator }]
  })
}

const identity = (dump: string): string =>
  dump
    .replace(/^[0-7]{7}/gm, '')
    .replace(/\\0/g, '')
    .replace(/\s+/g, '')
    .slice(0, 8)

const wordsOf = (text: string | null): readonly string[] | null =>
  text === null ? null : text.split('\n').flatMap((line) => /^\s*(?:\d+ )?(\S.*)$/.exec(line)?.[1] ?? [])

/** A table as its bytes: four capital letters, then its length. */
export function isAcpiTable(bytes: Uint8Array): boolean {
  const length = bytes.length >= 36 ? Buffer.from(bytes.subarray(4, 8)).readUInt32LE(0) : 0
  return length === bytes.length && /^[A-Z0-9]{4}$/.test(Buffer.from(bytes.subarray(0, 4)).toString('latin1'))
}

export function putTable(node: VirtualNode, bytes: Uint8Array, fileName: string): void {
  const own = /^[A-Z]{4}\d{0,3}$/.exec(fileName.replace(/\.\w+$/, '').toUpperCase())?.[0]
  node.file(`${TABLES}/${own ?? Buffer.from(bytes.subarray(0, 4)).toString('latin1')}`, bytes)
  node.folder(TABLES, 'shown')
}

/** acpidump: "FACP @ 0x…" and rows of an offset and up to sixteen bytes. */
export function putAcpidump(node: VirtualNode, text: string): void {
  for (const block of text.split(/^(?=[A-Z0-9]{4} @ 0x)/m)) {
    const name = /^([A-Z0-9]{4}) @ 0x/.exec(block)?.[1]
    const rows = block.match(/^ {2,4}[0-9A-F]{4,8}: ((?:[0-9A-F]{2} ){1,16})/gim) ?? []
    const digits = rows
      .map((row) => row.slice(row.indexOf(':') + 1))
      .join('')
      .replace(/\s+/g, '')
    if (name !== undefined && digits !== '') putTable(node, Buffer.from(digits, 'hex'), name)
  }
  node.folder(TABLES, 'whole')
}

import type { VirtualNode } from './virtual-node.ts'

/** Folders that small text files list by their names alone, one file per folder. */
const FOLDERS: Readonly<Record<string, string>> = {
  'pmu.txt': '/sys/bus/event_source/devices',
  'edac.txt': '/sys/devices/system/edac/mc',
  'powercap.txt': '/sys/class/powercap',
  'thermal.txt': '/sys/class/thermal',
  'efi.txt': '/sys/firmware/efi',
}

/** How many there are, where only that was noted. */
const COUNTS: Readonly<Record<string, readonly [folder: string, name: string]>> = {
  'iommu_groups.txt': ['/sys/kernel/iommu_groups', ''],
  'tpm.txt': ['/sys/class/tpm', 'tpm'],
}

export const isSmallList = (name: string): boolean => name in FOLDERS || name in COUNTS

/** A folder's names, in columns or lines, or how many it has; what the listing complained of is absent. */
export function putSmallList(node: VirtualNode, name: string, text: string): void {
  putComplaints(node, text)
  const folder = FOLDERS[name]
  const own = text.split('\n').filter((line) => !isComplaint(line))
  const [counted, prefix] = COUNTS[name] ?? []
  const number = /^\d+$/.exec(own[0]?.trim() ?? '')?.[0]
  if (counted !== undefined && prefix !== undefined && number !== undefined) {
    node.folder(counted, 'whole')
    for (let index = 0; index < Math.min(Number(number), 100_000); index += 1)
      node.folder(`${counted}/${prefix}${index}`, name === 'iommu_groups.txt' ? 'whole' : 'part')
    return
  }
  const target = folder ?? counted
  if (target === undefined || own.length < text.split('\n').length) return
  node.folder(target, 'whole')
  for (const word of own.join(' ').split(/\s+/)) if (/^[\w.:@-]+$/.test(word)) node.folder(`${target}/${word}`, 'part')
}

const COMPLAINT =
  /^(?:ls|cat|grep|find|head|dd): (?:cannot (?:access|open) |can't open )?['‘"]?(\/[^'’":]*(?::[^'’":/ ]+)*)['’"]?: No such file or directory/
const isComplaint = (line: string): boolean => COMPLAINT.test(line)

export function putComplaints(node: VirtualNode, text: string): void {
  for (const line of text.split('\n')) {
    const path = COMPLAINT.exec(line)?.[1]
    if (path !== undefined) node.absent(path)
  }
}

/** Listings with headings ("/sys/bus:" and the names below), wherever they stand in a text, and what they complained of. */
export function putListings(node: VirtualNode, text: string): void {
  putComplaints(node, text)
  let folder: string | null = null
  for (const line of text.split('\n')) {
    const heading = /^(\/[^\s:]+):$/.exec(line)?.[1]
    if (heading !== undefined) {
      folder = heading
      node.folder(folder, 'whole')
    } else if (line.trim() === '' || isComplaint(line) || line.startsWith('/')) folder = null
    else if (folder !== null && /^([\w.:@+-]+\s*)+$/.test(line))
      for (const name of line.trim().split(/\s+/)) node.folder(`${folder}/${name}`, 'part')
    else folder = null
  }
}

/** "/path:value" lines, as grep prints files of one line, whose path can hold colons: a value never begins with what a path goes on with. */
export function putGrepped(node: VirtualNode, text: string): void {
  const contents = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const [, path, value] = /^(\/(?:sys|proc)\/[^\s:]*(?::[0-9a-f]{2}[^\s:]*)*):(.*)$/i.exec(line) ?? []
    if (path !== undefined && value !== undefined) contents.set(path, `${contents.get(path) ?? ''}${value}\n`)
  }
  for (const [path, content] of contents) node.file(path, content)
}

export const isGrepped = (text: string): boolean => /^\/(sys|proc)\/[^\s]+:\S/m.test(text.slice(0, 4096))

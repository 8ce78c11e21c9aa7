import type { CapturedFile } from './files.ts'
import { nameOf } from './paths.ts'
import type { VirtualNode } from './virtual-node.ts'

const ROOTS = new Set(['proc', 'sys', 'dev', 'run', 'etc'])

/** Where a captured file stood on its machine, from the path it was kept under; null for files that are no part of a tree. */
export function placeOf(path: string): string | null {
  const parts = path.split('/')
  const root = parts.indexOf('root')
  const at = parts.findIndex((part) => ROOTS.has(part))
  if (at >= 0 && at < parts.length - 1) return `/${parts.slice(at).join('/')}`
  if (root >= 0 && root < parts.length - 1) {
    const below = parts.slice(root + 1)
    // Process folders were once kept without the folder above them.
    return /^(\d+|self)$/.test(below[0] ?? '') ? `/proc/${below.join('/')}` : `/${below.join('/')}`
  }
  const flat = parts.findIndex((part) => /^(sys|proc)_[a-z0-9_]+$/.test(part))
  if (flat >= 0 && flat < parts.length - 1)
    return `/${[(parts[flat] ?? '').replaceAll('_', '/'), ...parts.slice(flat + 1)].join('/')}`
  const file =
    /^proc_(cpuinfo|meminfo|stat|interrupts|cmdline|iomem|ioports|modules|version|uptime|1_cgroup|1_environ|1_comm|self_status|self_cgroup|self_mountinfo)(\.txt)?$/.exec(
      nameOf(path),
    )?.[1]
  return file === undefined ? null : `/proc/${file.replace('_', '/')}`
}

/** A captured tree: its files where they stood, and the links by class and bus that copying lost. */
export function putTree(node: VirtualNode, files: readonly CapturedFile[]): void {
  const placed = files.flatMap((file) => {
    const place = placeOf(file.path)
    return place === null ? [] : [{ place, file }]
  })
  for (const { place, file } of placed) {
    if (file.target !== null) node.link(place, file.target)
    else node.file(place, file.bytes)
  }
  for (const folder of new Set(placed.flatMap(({ place }) => foldersOf(place)))) node.folder(folder, 'shown')
  putLinks(
    node,
    placed.map(({ place }) => place),
  )
}

function foldersOf(place: string): readonly string[] {
  const parts = place.split('/').slice(1, -1)
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`).filter((path) => path.split('/').length > 3)
}

const BY_KIND: readonly (readonly [pattern: RegExp, folder: string])[] = [
  [/^\/sys\/devices\/.*\/block\/([^/]+)$/, '/sys/block'],
  [/^\/sys\/devices\/.*\/net\/([^/]+)$/, '/sys/class/net'],
  [/^\/sys\/devices\/.*\/nvme\/(nvme\d+)$/, '/sys/class/nvme'],
  [/^\/sys\/devices\/.*\/infiniband\/([^/]+)$/, '/sys/class/infiniband'],
  [/^\/sys\/devices\/.*\/hwmon\/(hwmon\d+)$/, '/sys/class/hwmon'],
  [/^\/sys\/devices\/.*\/(virtio\d+)$/, '/sys/bus/virtio/devices'],
  [/^\/sys\/devices\/virtual\/dmi\/(id)$/, '/sys/class/dmi'],
  [/^\/sys\/devices\/virtual\/powercap\/.*\/([^/]+:[\d:]+)$/, '/sys/class/powercap'],
]
const PCI = /^\/sys\/devices\/pci[^/]+\/(?:.*\/)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/

function putLinks(node: VirtualNode, places: readonly string[]): void {
  const folders = new Set(places.flatMap(foldersOf))
  for (const folder of folders)
    for (const [pattern, links] of BY_KIND) {
      const name = pattern.exec(folder)?.[1]
      if (name === undefined) continue
      node.link(`${links}/${name}`, `${'../'.repeat(links.split('/').length - 2)}${folder.slice('/sys/'.length)}`)
      node.folder(links, 'shown')
    }
  putPciLinks(node, folders)
}

/**
 * Functions of the PCI bus in a tree. Copies of a tree are often cut down to what their project needed: without a function on the first
 * bus that is a bridge to the processor, the bus was not copied whole, and nothing is said of it.
 */
function putPciLinks(node: VirtualNode, folders: ReadonlySet<string>): void {
  const functions = [...folders].flatMap((folder) => {
    const address = PCI.exec(folder)?.[1]
    return address === undefined ? [] : [{ folder, address }]
  })
  const classOf = (folder: string): string =>
    (node.text(`${folder}/class`) ?? /PCI_CLASS=(\S+)/.exec(node.text(`${folder}/uevent`) ?? '')?.[1] ?? '').trim()
  const isHostBridge = (folder: string): boolean => /^(0x0)?600..$/i.test(classOf(folder))
  if (!functions.some(({ folder, address }) => isHostBridge(folder) && /:00:00\.0$/.test(address))) return
  const isChipset = functions.some(({ folder }) => /^(0x0)?601..$/i.test(classOf(folder)))
  if (!isChipset) return
  for (const { folder, address } of functions) {
    node.link(`/sys/bus/pci/devices/${address}`, `../../../${folder.slice('/sys/'.length)}`)
    putUevent(node, folder, address)
  }
  node.folder('/sys/bus/pci/devices', 'shown')
}

/** Old kernels keep the ids in files of their own only. */
function putUevent(node: VirtualNode, folder: string, address: string): void {
  const value = (name: string): string => (node.text(`${folder}/${name}`) ?? '').trim().replace(/^0x/, '').toUpperCase()
  if (value('vendor') === '' || value('class') === '') return
  node.file(
    `${folder}/uevent`,
    `PCI_CLASS=${value('class').replace(/^0+/, '')}\nPCI_ID=${value('vendor')}:${value('device')}\nPCI_SUBSYS_ID=${value('subsystem_vendor')}:${value('subsystem_device')}\nPCI_SLOT_NAME=${address}\n`,
  )
}

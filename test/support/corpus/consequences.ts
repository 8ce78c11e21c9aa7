import type { VirtualNode } from './virtual-node.ts'

/** What follows from what was captured, without which a question about several things at once could not be answered. */
export function putConsequences(node: VirtualNode): void {
  const isListed = (path: string): boolean => {
    const entry = node.lookup(path)
    return typeof entry !== 'string' && entry.kind === 'folder' && entry.listing !== 'part'
  }
  if (isListed('/sys/block') && !node.names('/sys/block').some((name) => name.startsWith('nvme')))
    node.absent('/sys/class/nvme')
  // A unit without a group guards nothing, and the kernel makes groups for all functions behind a working one.
  if (isListed('/sys/kernel/iommu_groups') && node.names('/sys/kernel/iommu_groups').length === 0)
    node.folder('/sys/class/iommu', 'whole')
  // With a handler of the management controller's interface there is a device for every one that the firmware tells of.
  if (isListed('/sys/class/ipmi') && node.names('/sys/class/ipmi').length === 0)
    node.absent('/sys/devices/platform/*ipmi*')
  const cpuinfo = node.text('/proc/cpuinfo') ?? ''
  // Files of other architectures.
  if (/^flags\s*:/m.test(cpuinfo))
    for (const path of ['/proc/sysinfo', '/proc/ppc64', '/proc/device-tree/hypervisor'])
      if (node.lookup(path) === 'unknown') node.absent(path)
}

const TOPOLOGY = /^\/sys\/devices\/system\/cpu\/cpu\d+\/topology(\/|$)/

/** Copies of trees are often cut down to the first processors: then the list of processors says where they sit, if it has them all. */
export function mendTopology(node: VirtualNode): void {
  const placed = node.paths().filter((path) => /^\/sys\/devices\/system\/cpu\/cpu\d+\/topology$/.test(path)).length
  const running = countOf(node.text('/sys/devices/system/cpu/online')?.trim() ?? '')
  const listed = (node.text('/proc/cpuinfo')?.match(/^processor\s*: \d+/gm) ?? []).length
  const expected = running ?? listed
  if (placed === 0 || placed === expected) return
  node.forget(TOPOLOGY)
  if (listed === expected) putTopology(node)
}

/**
 * A list of processors is often kept for the first one alone. Where the machine is known to have more, the others are like it, each
 * package as large as the first says.
 */
export function mendProcessors(node: VirtualNode, count: number): void {
  const text = node.text('/proc/cpuinfo') ?? ''
  const blocks = text.trimEnd().split(/\n\s*\n/)
  const first = blocks[0] ?? ''
  if (blocks.length !== 1 || count < 2 || count > MOST_PROCESSORS || !/^processor\s*: 0$/m.test(first)) return
  const number = (name: string): number => Number(new RegExp(`^${name}\\s*: (\\d+)$`, 'm').exec(first)?.[1] ?? '0')
  const perPackage = number('siblings') || count
  const threads = Math.max(1, Math.round(perPackage / (number('cpu cores') || perPackage)))
  const others = Array.from({ length: count }, (_, index) =>
    first
      .replace(/^(processor\s*: )\d+$/m, `$1${index}`)
      .replace(/^(physical id\s*: )\d+$/m, `$1${Math.floor(index / perPackage)}`)
      .replace(/^(core id\s*: )\d+$/m, `$1${Math.floor((index % perPackage) / threads)}`)
      .replace(/^((?:initial )?apicid\s*: )\d+$/gm, `$1${index}`),
  )
  node.forget(/^\/proc\/cpuinfo$/)
  node.file('/proc/cpuinfo', `${others.join('\n\n')}\n\n`)
}

const MOST_PROCESSORS = 8192

/** How many CPUs a list of the kernel such as "0-3,8" names; null where it is none. */
function countOf(list: string): number | null {
  if (!/^[\d,-]+$/.test(list)) return null
  return list.split(',').reduce((total, part) => {
    const [first = '0', last = first] = part.split('-')
    return total + Number(last) - Number(first) + 1
  }, 0)
}

/** Where each processor sits, from the list of processors: only where that list is known to be whole. */
export function putTopology(node: VirtualNode): void {
  const blocks = (node.text('/proc/cpuinfo') ?? '').split(/\n\s*\n/)
  const field = (block: string, name: string): string | undefined =>
    new RegExp(`^${name}\\s*: (\\d+)$`, 'm').exec(block)?.[1]
  const cpus = blocks.flatMap((block) => {
    const [number, socket, core] = ['processor', 'physical id', 'core id'].map((name) => field(block, name))
    return number === undefined || socket === undefined || core === undefined ? [] : [{ number, socket, core }]
  })
  for (const { number, socket, core } of cpus) {
    const folder = `/sys/devices/system/cpu/cpu${number}/topology`
    const siblings = cpus.filter((one) => one.socket === socket && one.core === core).map((one) => one.number)
    node.file(`${folder}/physical_package_id`, `${socket}\n`)
    node.file(`${folder}/core_id`, `${core}\n`)
    node.file(`${folder}/thread_siblings_list`, `${siblings.join(',')}\n`)
  }
}

import { printed, type VirtualNode } from './virtual-node.ts'

const MANAGERS = /docker|kubepods|libpod|lxc|containerd|machine\.slice|podman/
const FILES = ['/.dockerenv', '/run/.containerenv', '/run/systemd/container', '/proc/vz', '/proc/bc']
/** Other places where container managers show themselves, and the limits that they set. */
const TRACES = [
  '/proc/user_beancounters',
  '/.dockerinit',
  '/dev/lxd',
  '/dev/incus',
  '/dev/.lxc-boot-id',
  '/run/secrets',
  '/run/host',
  '/sys/fs/cgroup',
]

/** A tree that holds the first thing that is asked of a session was kept for the sake of these marks: what it lacks was not there. */
export function putMarks(node: VirtualNode): void {
  if (typeof node.lookup('/proc/self/status') === 'string') return
  for (const path of [...FILES, ...TRACES]) if (node.lookup(path) === 'unknown') node.absent(path)
  if (node.lookup('/sys/devices/system/cpu/online') === 'unknown') node.absent('/sys/devices/system/cpu/online')
}

/**
 * Whether the capture was made inside a container. Few captures hold the session's own namespaces; where the first process sits in a
 * container manager's group, or says in its environment that it is one, its process namespace cannot be the initial one, and some
 * other number stands for it here.
 */
export function putContainer(node: VirtualNode): void {
  if (node.lookup('/proc/self/ns') !== 'unknown') return
  const first = node.text('/proc/1/cgroup') ?? ''
  const own = node.text('/proc/self/cgroup') ?? ''
  const says = /(?:^|[\0 \n])container=([a-z]+)/.exec(node.text('/proc/1/environ') ?? '')?.[1]
  const isThere = (path: string): boolean => typeof node.lookup(path) !== 'string'
  // OpenVZ shows /proc/vz everywhere and /proc/bc on its host; systemd notes the manager of the container that it was started in.
  const isMarked = (isThere('/proc/vz') && !isThere('/proc/bc')) || isThere('/run/systemd/container')
  if (!MANAGERS.test(first) && !MANAGERS.test(own) && says === undefined && !isMarked) return
  node.link('/proc/self/ns/pid', 'pid:[4026532999]')
  node.folder('/proc/self/ns', 'shown')
  if (first === '') node.file('/proc/1/cgroup', own === '' ? `1:name=systemd:/${says ?? ''}\n` : own)
  for (const path of FILES) if (node.lookup(path) === 'unknown') node.absent(path)
}

// Folders that only hypervisors provide.
const PROVIDED = [
  '/sys/bus/vmbus/devices',
  '/sys/bus/xen/devices',
  '/sys/bus/virtio/devices',
  '/sys/firmware/qemu_fw_cfg',
]
const SHOWN = [
  '/sys/hypervisor/type',
  '/proc/xen/capabilities',
  '/proc/device-tree/hypervisor/compatible',
  '/proc/sysinfo',
  '/proc/ppc64/lparcfg',
]

/** A tree that was kept for the sake of a hypervisor's files held all of them that its machine had. */
export function putHypervisorBuses(node: VirtualNode): void {
  const isShown = (path: string): boolean => typeof node.lookup(path) !== 'string'
  if (SHOWN.some(isShown)) for (const path of PROVIDED) if (node.lookup(path) === 'unknown') node.absent(path)
  const hypervisor = node.lookup('/sys/hypervisor')
  // Xen's guests have files here; an empty folder, or none, is a kernel without Xen beneath it.
  if (
    hypervisor === 'absent' ||
    (typeof hypervisor !== 'string' &&
      node.names('/sys/hypervisor').length === 0 &&
      hypervisor.kind === 'folder' &&
      hypervisor.listing === 'whole')
  )
    node.folder('/sys/bus/xen/devices', 'whole')
}

/** The list of Xen's domains: only the control domain can ask for it. */
export function putXenDomains(node: VirtualNode): void {
  node.file('/proc/xen/capabilities', 'control_d\n')
}

/** Answers of ipmitool, by what they begin with. */
const IPMI: readonly (readonly [pattern: RegExp, words: readonly string[]])[] = [
  [/^Device ID\s+:/m, ['mc', 'info']],
  [/^FRU Device Description|^ ?Board Mfg Date/m, ['fru']],
  [/^SEL Information/m, ['sel', 'info']],
  [/Instantaneous power reading/m, ['dcmi', 'power', 'reading']],
  [/^[^|\n]+\| [0-9A-Fa-f]{2}h \| \w+\s*\|/m, ['sdr', 'elist']],
]

export function putIpmitool(node: VirtualNode, text: string): boolean {
  const words = IPMI.find(([pattern]) => pattern.test(text))?.[1]
  if (words === undefined) return false
  node.program('ipmitool', (argv) => (words.every((word, index) => argv[index + 1] === word) ? printed(text) : null))
  return true
}

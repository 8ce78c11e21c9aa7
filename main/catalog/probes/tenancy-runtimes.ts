import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'
import { inOrder } from '../steady.ts'

export interface Runtimes {
  /** Namespaces of containerd that have had tasks: moby is Docker, k8s.io is Kubernetes. */
  readonly containerdNamespaces: readonly string[]
  /** Containers that containerd runs, in the namespaces whose tasks were listed. */
  readonly containerdTasks: readonly string[]
  /** Namespaces of containerd of which only the name was listed. */
  readonly unlistedNamespaces: readonly string[]
  /** Containers that Podman or CRI-O has mounted for running. */
  readonly podmanContainers: readonly string[]
  readonly libvirtGuests: readonly string[]
  readonly lxcContainers: readonly string[]
  /** Containers and guests of LXD and Incus that exist, running or not. */
  readonly definedContainers: readonly string[]
  readonly definedGuests: readonly string[]
  /** Guests that Xen’s tools keep data of: they run, or an earlier start of the system left it. */
  readonly xenGuests: readonly string[]
  /** Guests that Firecracker’s jailer has made a place for. */
  readonly jailedGuests: readonly string[]
  readonly machines: readonly string[]
}

const CONTAINERD = '/run/containerd/io.containerd.runtime.v2.task'
const TASKS: readonly string[] = ['moby', 'k8s.io', 'default'].map((name) => `${CONTAINERD}/${name}`)
const PODMAN = '/run/containers/storage/overlay-containers'
const LIBVIRT: readonly string[] = ['/run/libvirt/qemu', '/run/libvirt/lxc', '/run/libvirt/ch']
const LXC = '/var/lib/lxc'
const POOLS: readonly string[] = ['/var/lib/lxd', '/var/snap/lxd/common/lxd', '/var/lib/incus']
const XEN = '/var/lib/xen'
const JAILER = '/srv/jailer/firecracker'
const MACHINES = '/run/systemd/machines'

/** State folders of container and guest managers that only administrators may list. Names only. */
export const tenancyRuntimes = defineProbe({
  id: 'tenancy.runtimes',
  title: 'State of container and guest managers',
  why: 'Lists containers and guests as reported by their managers, to compare with the processes.',
  ignoredInDrift: {
    why: 'Managers restart containers under other IDs; only definitions and the namespaces of containerd are compared. Not detected: a container started manually, and the rights it runs with.',
    normalize: ({ containerdTasks: _, podmanContainers: __, jailedGuests: ___, ...lists }: Runtimes) =>
      Object.fromEntries(Object.entries(lists).map(([list, names]) => [list, inOrder(names)])),
  },
  commands: {
    lists: runAsRoot([
      'ls',
      '-1',
      CONTAINERD,
      ...TASKS,
      PODMAN,
      ...LIBVIRT,
      LXC,
      ...POOLS.flatMap((pool) => [`${pool}/containers`, `${pool}/virtual-machines`]),
      XEN,
      JAILER,
      MACHINES,
    ]),
  },
  parse({ lists }) {
    if (!listingIsComplete(lists)) return unknown('the state of container and guest managers could not be listed')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0) return unknown('the list of managers has an unexpected format')
    const names = (...paths: readonly string[]): readonly string[] => paths.flatMap((path) => folders.get(path) ?? [])
    return known<Runtimes>({
      containerdNamespaces: names(CONTAINERD),
      containerdTasks: names(...TASKS),
      unlistedNamespaces: names(CONTAINERD).filter((name) => !folders.has(`${CONTAINERD}/${name}`)),
      podmanContainers: names(PODMAN).filter((name) => /^[0-9a-f]{64}$/.test(name)),
      libvirtGuests: names(...LIBVIRT).flatMap((name) => /^(.+)\.xml$/.exec(name)?.[1] ?? []),
      lxcContainers: names(LXC),
      definedContainers: names(...POOLS.map((pool) => `${pool}/containers`)),
      definedGuests: names(...POOLS.map((pool) => `${pool}/virtual-machines`)),
      // libxl_dom.c: userdata-<kind>.<domain>.<uuid>.<name>; domain 0 is this system itself.
      xenGuests: [
        ...new Set(
          names(XEN).flatMap((name) => /^userdata-[a-z]\.([1-9]\d{0,5})\.[0-9a-f-]{36}\./.exec(name)?.[1] ?? []),
        ),
      ],
      jailedGuests: names(JAILER),
      machines: names(MACHINES).filter((name) => !name.startsWith('unit:')),
    })
  },
})

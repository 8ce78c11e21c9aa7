import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'

export interface Runtimes {
  /** Namespaces of containerd that have tasks: moby is Docker, k8s.io is Kubernetes. */
  readonly containerdNamespaces: readonly string[]
  readonly libvirtGuests: readonly string[]
  readonly lxcContainers: readonly string[]
  readonly machines: readonly string[]
}

const CONTAINERD = '/run/containerd/io.containerd.runtime.v2.task'
const LIBVIRT = '/run/libvirt/qemu'
const LXC = '/var/lib/lxc'
const MACHINES = '/run/systemd/machines'

/** State folders of container and guest managers that only administrators may list. Names only. */
export const tenancyRuntimes = defineProbe({
  id: 'tenancy.runtimes',
  title: 'State of container and guest managers',
  why: 'Lists containers and guests from the side of the programs that manage them, to compare with the processes.',
  commands: { lists: runAsRoot(['ls', '-1', CONTAINERD, LIBVIRT, LXC, MACHINES]) },
  parse({ lists }) {
    if (!listingIsComplete(lists)) return unknown('the state of container and guest managers could not be listed')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0) return unknown('the list of managers has another form')
    const names = (folder: string): readonly string[] => folders.get(folder) ?? []
    return known<Runtimes>({
      containerdNamespaces: names(CONTAINERD),
      libvirtGuests: names(LIBVIRT).flatMap((name) => /^(.+)\.xml$/.exec(name)?.[1] ?? []),
      lxcContainers: names(LXC),
      machines: names(MACHINES).filter((name) => !name.startsWith('unit:')),
    })
  },
})

import { defineProbe, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete, longListing } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_PATH,
  foundLines,
  inOrder,
  isAbsent,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_PATH,
} from '../../base/read-text.ts'

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

interface Sessions {
  readonly sessions: readonly { readonly user: string; readonly terminal: string }[]
}

/** who(1). An empty answer means that no terminal is in use. */
export const tenancySessions = defineProbe({
  id: 'tenancy.sessions',
  title: 'Open login sessions',
  why: 'Shows who is logged in on a terminal right now.',
  ignoredInDrift: {
    why: 'Users log in and out. Not detected: who is logged in; accounts and keys are compared separately.',
    normalize: () => null,
  },
  commands: { who: run(['who']) },
  parse({ who }) {
    if (who.exitCode !== 0) return unknown('the open sessions could not be listed')
    const rows = lines(who.text).map((line) => /^(\S+)\s+(\S+)\s+\S/.exec(line))
    if (rows.includes(null)) return unknown('the list of open sessions has an unexpected format')
    return known<Sessions>({ sessions: rows.map((row) => ({ user: row?.[1] ?? '', terminal: row?.[2] ?? '' })) })
  },
})

export const NAMESPACE_KINDS = ['pid', 'user', 'uts', 'ipc', 'cgroup', 'time'] as const
type NamespaceKind = (typeof NAMESPACE_KINDS)[number]

export interface Namespaces {
  /** Null for a kind that the kernel does not have: control groups since 4.6, time since 5.6, users where they were built in. */
  readonly own: Readonly<Record<NamespaceKind, number | null>>
  /** Names of processes 1 and 2; on a kernel seen from outside containers, process 2 is kthreadd. */
  readonly firstProcess: string | null
  readonly secondProcess: string | null
  /** Control groups of process 1 that a container manager made. */
  readonly containerGroups: readonly string[]
  /** Files that container managers leave. */
  readonly marks: readonly string[]
}

/** include/linux/proc_ns.h: the initial namespaces have fixed inode numbers. */
export const INITIAL_NAMESPACES: Readonly<Record<NamespaceKind, number>> = {
  pid: 4026531836,
  user: 4026531837,
  uts: 4026531838,
  ipc: 4026531839,
  cgroup: 4026531835,
  time: 4026531834,
}

/** namespaces(7), cgroups(7). Hardware looks the same from inside a container; only the namespaces show. */
export const namespaces = defineProbe({
  id: 'namespaces',
  title: 'Namespaces of this session',
  why: 'Shows whether the session runs on the server itself or in a container on it.',
  ignoredInDrift: {
    why: 'Namespaces that the kernel does not make at its start have another number each time; in a container, the second process is whatever ran second.',
    normalize: ({ own, firstProcess, secondProcess, ...rest }: Namespaces) => ({
      ...rest,
      own: Object.fromEntries(
        Object.entries(own).map(([kind, number]) => [
          kind,
          number !== null && number >= FIRST_DRAWN ? 'drawn' : number,
        ]),
      ),
      firstProcess,
      isKernelSecond: secondProcess === null ? null : secondProcess === 'kthreadd',
    }),
  },
  commands: {
    own: run(['ls', '-l', '/proc/self/ns']),
    first: run(['grep', '-sH', '', '/proc/1/comm', '/proc/2/comm', '/proc/1/cgroup', ALWAYS_FILE], OF_ALWAYS_FILE),
    marks: run(
      ['ls', '-d', '/.dockerenv', '/run/.containerenv', '/run/systemd/container', '/proc/vz', '/proc/bc', ALWAYS_PATH],
      OF_ALWAYS_PATH,
    ),
  },
  parse({ own, first, marks }) {
    const links = new Map(longListing(lines(own.text)).map(({ name, target }) => [name, target ?? '']))
    if (own.exitCode !== 0 || links.size === 0) return unknown('the namespaces of this session could not be read')
    if (marks.exitCode !== 0 && !isAbsent(marks))
      return unknown('the marks of container managers could not be looked for')
    const inode = (kind: NamespaceKind): number | null => {
      const digits = /:\[(\d{1,12})\]$/.exec(links.get(kind) ?? '')?.[1]
      return digits === undefined ? null : Number(digits)
    }
    const found = foundLines(first.text)
    const line = (path: string): string | null => found.find((one) => one.path === path)?.line.trim() ?? null
    return known<Namespaces>({
      own: {
        pid: inode('pid'),
        user: inode('user'),
        uts: inode('uts'),
        ipc: inode('ipc'),
        cgroup: inode('cgroup'),
        time: inode('time'),
      },
      firstProcess: line('/proc/1/comm'),
      secondProcess: line('/proc/2/comm'),
      containerGroups: found
        .filter(
          (one) =>
            one.path === '/proc/1/cgroup' &&
            /docker|kubepods|libpod|\/lxc[./]|containerd|crio-|\/ecs\/|machine\.slice/.test(one.line),
        )
        .map((one) => one.line),
      marks: lines(marks.text).filter((path) => path.startsWith('/') && path !== ALWAYS_PATH),
    })
  },
})

// include/linux/proc_fs.h, PROC_DYNAMIC_FIRST: below are the namespaces that the kernel itself makes (include/linux/proc_ns.h).
const FIRST_DRAWN = 0xf0000000

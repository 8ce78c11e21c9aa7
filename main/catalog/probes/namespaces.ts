import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { longListing } from '../isolation/listing.ts'
import { ALWAYS_FILE, ALWAYS_PATH, foundLines, isAbsent, lines, OF_ALWAYS_FILE, OF_ALWAYS_PATH } from '../read-text.ts'

export const NAMESPACE_KINDS = ['pid', 'user', 'uts', 'ipc', 'cgroup', 'time'] as const
export type NamespaceKind = (typeof NAMESPACE_KINDS)[number]

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

import type { Read } from '../../../core/recording/readings.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { contradicts, named } from '../../base/steps.ts'
import { storageMounts } from '../../data-protection/mounts/probes.ts'
import { sessionLimits } from '../tenancy/limits.ts'
import { INITIAL_NAMESPACES, namespaces } from '../tenancy/sessions.ts'

type ContainerPlatform = 'Docker' | 'Podman' | 'LXC' | 'OpenVZ' | 'Kubernetes' | 'systemd-nspawn'

interface ContainerAnswer {
  readonly isContainer: boolean
  readonly platform: ContainerPlatform | null
  /** The observations that show it; empty where it is no container, or where nothing that states this was read. */
  readonly steps: readonly DraftObservation[]
}

/**
 * Whether our session runs in a container: its process or user namespace is not the initial one of the system, or the
 * kernel states it in another way. Files left by container software never decide, since guests and hardware made from
 * images have them too. Unread evidence never counts for "no container".
 */
export function containerAnswer(read: Read): ContainerAnswer {
  const shown = [...namespaceSteps(read), ...kernelSteps(read)]
  if (shown.length === 0) return { isContainer: false, platform: null, steps: [] }
  const marks = marksOf(read)
  return {
    isContainer: true,
    platform: platformOf(read, marks),
    steps: [
      ...shown,
      ...(marks.length > 0
        ? [contradicts(`Its manager left traces: ${named(marks.map(({ text }) => text))}.`, marks[0]?.probe ?? null)]
        : []),
    ],
  }
}

function namespaceSteps(read: Read): readonly DraftObservation[] {
  const reading = read(namespaces)
  if (!reading.ok) return []
  const { own, secondProcess } = reading.fact
  const others = (['pid', 'user'] as const).filter(
    (kind) => own[kind] !== null && own[kind] !== INITIAL_NAMESPACES[kind],
  )
  if (others.length > 0)
    return [
      contradicts(
        `Our session runs in a container: its ${others.join(' and ')} namespace is not the system’s initial one.`,
        namespaces,
        'own',
      ),
    ]
  // kernel/fork.c, init/main.c: the second process of every system is the kernel's own.
  return own.pid !== null && secondProcess !== null && secondProcess !== 'kthreadd'
    ? [
        contradicts(
          `The process namespace has the number of the initial one, but process 2 is ${named([secondProcess])} and not the kernel’s own: the visible values were falsified.`,
          namespaces,
          'first',
        ),
      ]
    : []
}

function kernelSteps(read: Read): readonly DraftObservation[] {
  const reading = read(sessionLimits)
  if (!reading.ok) return []
  const { depth, schedulerId, virtualServer, traces } = reading.fact
  return [
    ...(depth !== null && depth > 1
      ? [contradicts(`Our processes live ${depth} process namespaces deep.`, sessionLimits, 'status')]
      : []),
    ...(schedulerId !== null && schedulerId !== 1
      ? [
          contradicts(
            `The first visible process is number ${schedulerId} to the kernel’s scheduler.`,
            sessionLimits,
            'status',
          ),
        ]
      : []),
    ...(isOpenVz(traces)
      ? [
          contradicts(
            'The kernel is OpenVZ’s, and this is one of its containers: /proc/vz is there and /proc/bc is not.',
            sessionLimits,
            'traces',
          ),
        ]
      : []),
    ...(virtualServer !== null && virtualServer > 0
      ? [contradicts(`The kernel calls this virtual server ${virtualServer} of its own.`, sessionLimits, 'status')]
      : []),
  ]
}

/** OpenVZ shows /proc/vz everywhere, and /proc/bc on the system that holds the containers only. */
export const isOpenVz = (traces: readonly string[]): boolean =>
  traces.includes('/proc/vz') && !traces.includes('/proc/bc')

interface ContainerMark {
  readonly platform: ContainerPlatform | null
  readonly text: string
  readonly probe: typeof namespaces | typeof sessionLimits | typeof storageMounts
}

// First match wins: a pod of Kubernetes can sit in a group of Docker's, and Podman's groups are below the manager's own slice.
const GROUPS: readonly (readonly [RegExp, ContainerPlatform])[] = [
  [/kubepods/, 'Kubernetes'],
  [/libpod/, 'Podman'],
  [/docker/, 'Docker'],
  [/\/lxc[./]/, 'LXC'],
  [/systemd-nspawn@|machine\.slice\/machine-/, 'systemd-nspawn'],
]
const FILES: ReadonlyMap<string, ContainerPlatform | null> = new Map<string, ContainerPlatform | null>([
  ['/.dockerenv', 'Docker'],
  ['/.dockerinit', 'Docker'],
  ['/run/.containerenv', 'Podman'],
  ['/dev/lxd/sock', 'LXC'],
  ['/dev/incus/sock', 'LXC'],
  ['/dev/.lxc-boot-id', 'LXC'],
  ['/run/secrets/kubernetes.io', 'Kubernetes'],
  ['/run/systemd/container', null],
])
// Names of the container interface of systemd; Proxmox and LXD write lxc, Podman writes oci or podman.
const MANAGERS: ReadonlyMap<string, ContainerPlatform> = new Map<string, ContainerPlatform>([
  ['docker', 'Docker'],
  ['podman', 'Podman'],
  ['lxc', 'LXC'],
  ['lxc-libvirt', 'LXC'],
  ['openvz', 'OpenVZ'],
  ['systemd-nspawn', 'systemd-nspawn'],
])
// Where managers store the files that they mount into each container.
const MOUNTED: readonly (readonly [RegExp, ContainerPlatform])[] = [
  [/\/kubelet\/pods\/|\/io\.containerd\.grpc\.v1\.cri\//, 'Kubernetes'],
  [/\/overlay-containers\/[0-9a-f]{64}\/userdata\//, 'Podman'],
  [/\/docker\/containers\/[0-9a-f]{64}\//, 'Docker'],
]

/**
 * Traces of container software in the systems that it runs, with the software that leaves them. They decide nothing
 * alone.
 */
export function marksOf(read: Read): readonly ContainerMark[] {
  return [...namespaceMarks(read), ...limitMarks(read), ...mountMarks(read)]
}

function namespaceMarks(read: Read): readonly ContainerMark[] {
  const reading = read(namespaces)
  if (!reading.ok) return []
  const { marks, containerGroups } = reading.fact
  return [
    ...marks
      .filter((path) => FILES.has(path))
      .map((path) => ({ platform: FILES.get(path) ?? null, text: path, probe: namespaces })),
    ...containerGroups.slice(0, 1).map((group) => ({
      platform: GROUPS.find(([pattern]) => pattern.test(group))?.[1] ?? null,
      text: group,
      probe: namespaces,
    })),
  ]
}

function limitMarks(read: Read): readonly ContainerMark[] {
  const reading = read(sessionLimits)
  if (!reading.ok) return []
  const { traces, manager } = reading.fact
  return [
    ...traces
      .filter((path) => FILES.has(path))
      .map((path) => ({ platform: FILES.get(path) ?? null, text: path, probe: sessionLimits })),
    ...(manager === null || manager === ''
      ? []
      : [{ platform: MANAGERS.get(manager) ?? null, text: manager, probe: sessionLimits }]),
  ]
}

function mountMarks(read: Read): readonly ContainerMark[] {
  const reading = read(storageMounts)
  if (!reading.ok) return []
  const { mounts } = reading.fact
  // The system that runs containers has their layers mounted deep in its own tree; a container has one as its own root.
  const root = mounts.find(({ point }) => point === '/')
  const given = mounts.filter(({ point }) => /^\/etc\/(hosts|hostname|resolv\.conf)$/.test(point))
  const from = MOUNTED.find(([pattern]) => given.some((mount) => pattern.test(mount.root)))
  return [
    ...(from === undefined
      ? []
      : [{ platform: from[1], text: `files of ${from[1]} mounted in /etc`, probe: storageMounts }]),
    ...(mounts.some(({ fsType, point }) => fsType === 'fuse.lxcfs' && point.startsWith('/proc/'))
      ? [{ platform: 'LXC' as const, text: 'lxcfs mounted on /proc', probe: storageMounts }]
      : []),
    ...(root?.fsType === 'overlay'
      ? [{ platform: null, text: 'a root of layers (overlay)', probe: storageMounts }]
      : []),
  ]
}

/** The innermost manager that names itself: Kubernetes before the runtime it uses. */
function platformOf(read: Read, marks: readonly ContainerMark[]): ContainerPlatform | null {
  const limits = read(sessionLimits)
  if (limits.ok && isOpenVz(limits.fact.traces)) return 'OpenVZ'
  const names = marks.flatMap(({ platform }) => (platform === null ? [] : [platform]))
  return names.includes('Kubernetes') ? 'Kubernetes' : (names[0] ?? null)
}

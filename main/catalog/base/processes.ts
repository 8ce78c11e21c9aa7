import { defineProbe, known, type Parsed, run, unknown } from '../../core/recording/probe.ts'
import { isAbsent, kindsOf, lines } from './read-text.ts'

export interface Process {
  readonly pid: number
  readonly user: string
  /** At most 15 characters, chosen by the program. */
  readonly command: string
  readonly cgroup: string
}

export interface Processes {
  readonly processes: readonly Process[]
  /** Both the first process and the kernel's own are in the list: nothing hides others (proc(5), hidepid). */
  readonly isComplete: boolean
}

/** ps(1), without arguments and environments: they can hold secrets. */
export const tenancyProcesses = defineProbe({
  id: 'tenancy.processes',
  title: 'Running processes',
  why: 'Shows which accounts run programs here, which of them are in containers, and whether virtual machines run. Names only, no arguments.',
  ignoredInDrift: {
    why: 'Processes start and end continuously. Not detected: which programs run, and under which account.',
    normalize: ({ isComplete }: Processes) => ({ isComplete }),
  },
  commands: { list: run(['ps', '-ww', '-eo', 'pid,user:32,comm,cgroup']) },
  parse: ({ list }) => (list.exitCode === 0 ? parseProcesses(list.text) : unknown('the processes could not be listed')),
})

export function parseProcesses(text: string): Parsed<Processes> {
  const [heading = '', ...rows] = lines(text)
  if (!/^\s*PID\s+USER\s+COMMAND\s+CGROUP\s*$/.test(heading))
    return unknown('the list of processes has an unexpected format')
  const read = rows.map((row) => {
    const [, pid, user, command, cgroup] = /^\s*(\d{1,10})\s+(\S+)\s+(.*?)\s+(\S+)\s*$/.exec(row) ?? []
    return pid === undefined || user === undefined || command === undefined || cgroup === undefined
      ? null
      : { pid: Number(pid), user, command, cgroup }
  })
  if (read.includes(null)) return unknown('a line of the list of processes has an unexpected format')
  const processes = read.filter((one) => one !== null)
  const has = (pid: number, name?: string): boolean =>
    processes.some((one) => one.pid === pid && (name === undefined || one.command === name))
  return known({ processes, isComplete: has(1) && has(2, 'kthreadd') })
}

const PODS = /kubepods[^:]*?pod([0-9a-f]{8}[0-9a-f_-]{20,40})/
const CONTAINER_GROUPS: readonly { readonly manager: string; readonly pattern: RegExp }[] = [
  { manager: 'Kubernetes', pattern: PODS },
  { manager: 'Docker', pattern: /\/docker[-/]([0-9a-f]{12,64})/ },
  // Podman's libpod/container_internal_linux.go: below its unit where that has one (--cgroups=split, as Quadlet runs it), else a scope.
  { manager: 'Podman', pattern: /libpod-(?:payload-)?([0-9a-f]{12,64})/ },
  { manager: 'containerd', pattern: /(?:cri-containerd-|\/nerdctl-|\/containerd\/)([0-9a-f]{12,64})/ },
  // Its default namespace without systemd’s driver: a group at the root, with the container’s id or the name that ctr was given.
  { manager: 'containerd', pattern: /:\/default\/([A-Za-z0-9][A-Za-z0-9_.-]{0,75})(?=\/|,|$)/ },
  { manager: 'CRI-O', pattern: /crio-(?!conmon)([0-9a-f]{12,64})/ },
  { manager: 'LXC', pattern: /\/lxc(?:\.payload[./]|\/)([A-Za-z0-9_.-]{1,64})/ },
  // systemd's machine.c: a scope where it was started by hand; libvirt registers its guests there too, under the name of their driver.
  {
    manager: 'systemd-nspawn',
    pattern:
      /machine\.slice\/(?:systemd-nspawn@|machine-(?!(?:qemu|lxc|ch|xen)\\x2d))([^/:]{1,64}?)\.(?:service|scope)(?:\/|,|$)/,
  },
  // Docker and others name a container by 64 digits; whoever starts it can put it into a group of its own, as Amazon ECS does.
  { manager: 'other', pattern: /\/([0-9a-f]{64})(?=\/|,|$)/ },
]

/** Whether a container manager made the control group that the process sits in. */
export const isInContainer = ({ cgroup }: Process): boolean =>
  CONTAINER_GROUPS.some(({ pattern }) => pattern.test(cgroup))

/**
 * Whether the kubelet of the system started the process. An image or the pod chooses its number (runAsUser), so that the name of an account
 * here for that number shows no one; whose the pod is shows in its namespace.
 */
export const isInPod = (process: Process): boolean => podOf(process) !== null

/** Digits of the id of the pod that the process is in, as plainId() gives those of a folder; null outside of pods. */
export function podOf({ cgroup }: Process): string | null {
  const uid = PODS.exec(cgroup)?.[1]
  return uid === undefined || ownerOf(cgroup) !== null ? null : plainId(uid)
}

/** Control groups and folders write the id of a pod with different signs between its digits. */
export const plainId = (id: string): string => id.replace(/[-_]/g, '')

/** Whether Slurm made the control group that the process is in, for a job (Slurm, “Control Group v2 plugin”, and cgroup.conf(5)). */
export const isInJob = ({ cgroup }: Process): boolean =>
  cgroup.includes('slurm') && /\/job_\d{1,10}\//.test(`${cgroup}/`)

export interface Container {
  readonly manager: string
  readonly id: string
  readonly users: readonly string[]
  /** The account in whose session it runs, without a manager that root runs (rootless containers); null for others. */
  readonly ownerId: number | null
}

/** Containers (pods, for Kubernetes) that have a process, by the control group they sit in. */
export function containersOf({ processes }: Processes): readonly Container[] {
  const found = new Map<string, { manager: string; id: string; users: Set<string>; ownerId: number | null }>()
  for (const { cgroup, user } of processes) {
    for (const { manager, pattern } of CONTAINER_GROUPS) {
      const id = pattern.exec(cgroup)?.[1]
      if (id === undefined) continue
      const entry = found.get(`${manager} ${id}`) ?? { manager, id, users: new Set<string>(), ownerId: ownerOf(cgroup) }
      entry.users.add(user)
      found.set(`${manager} ${id}`, entry)
      break
    }
  }
  return [...found.values()].map(({ manager, id, users, ownerId }) => ({
    manager,
    id,
    users: [...users].sort(),
    ownerId,
  }))
}

// systemd.slice(5): everything a login started is below user-<uid>.slice.
function ownerOf(cgroup: string): number | null {
  const digits = /\/user-(\d{1,10})\.slice\//.exec(cgroup)?.[1]
  return digits === undefined ? null : Number(digits)
}

// Names as ps shows them: cut after 15 characters.
const MONITORS =
  /^(qemu-system-.*|qemu-kvm|qemu|kvm|firecracker|cloud-hyperviso?r?|crosvm|VBoxHeadless|VirtualBoxVM|vmware-vmx|lkvm|libvirt_lxc|bhyve|stratovirt|dragonball.*|jailer)$/
const GUEST_SERVICES =
  /^(libvirtd|virtqemud|virtxend|xenstored|xl|vboxwebsrv|VBoxSVC|vmware-hostd|nova-compute|incusd|lxd|multipassd|qmeventd|pvedaemon( worke)?|virt-handler|xapi|oxenstored)$/

// Threads that the kernel starts for an open guest, whatever the program that opened it calls itself (virt/kvm, drivers/vhost).
const GUEST_THREADS = /^(vhost-\d{1,10}|kvm-pit\/\d{1,10}|kvm-nx-lpage-re.*)$/

/** Threads of the kernel that exist only while a guest is open. */
export const guestThreadsOf = ({ processes }: Processes): readonly Process[] =>
  processes.filter(({ command, user }) => user === 'root' && GUEST_THREADS.test(command))
/** Programs that run a virtual machine. */
export const monitorsOf = ({ processes }: Processes): readonly Process[] =>
  processes.filter(({ command }) => MONITORS.test(command))
/** Services that start virtual machines. */
export const guestServicesOf = ({ processes }: Processes): readonly Process[] =>
  processes.filter(({ command }) => GUEST_SERVICES.test(command))

interface ComputeProcesses {
  /** Ids of the processes that hold an AMD GPU for computing. */
  readonly ids: readonly number[]
}

/** drivers/gpu/drm/amd/amdkfd/kfd_process.c: one folder per process, by its id in the initial namespace. */
export const tenancyKfd = defineProbe({
  id: 'tenancy.kfd',
  title: 'Processes that compute on AMD GPUs',
  why: 'The kernel names every process that has opened an AMD GPU for computing.',
  ignoredInDrift: {
    why: 'Jobs start and end.',
    normalize: () => null,
  },
  commands: { processes: run(['ls', '-1', '/sys/class/kfd/kfd/proc']) },
  parse({ processes }) {
    if (isAbsent(processes)) return known<ComputeProcesses>({ ids: [] })
    if (processes.exitCode !== 0) return unknown('the processes on AMD GPUs could not be listed')
    const names = lines(processes.text)
    if (names.some((name) => !/^\d{1,10}$/.test(name)))
      return unknown('the list of processes on AMD GPUs has an unexpected format')
    return known<ComputeProcesses>({ ids: names.map(Number) })
  },
})

export interface Pods {
  /** `uid` is how the control groups of the pod name it too. */
  readonly pods: readonly { readonly namespace: string; readonly name: string; readonly uid: string }[]
}

/** The kubelet keeps one folder per pod, named namespace_pod_uid (kubernetes pkg/kubelet/kuberuntime/helpers.go, BuildPodLogsDirectory). */
export const tenancyPods = defineProbe({
  id: 'tenancy.pods',
  title: 'Kubernetes pods on this server',
  why: 'Shows which Kubernetes namespaces have work on this server. Names only; no log is opened.',
  ignoredInDrift: {
    why: 'The cluster starts and ends pods automatically; only the namespaces with pods are compared. Not detected: a further pod in a namespace that already has some.',
    normalize: ({ pods }: Pods) => ({ namespaces: kindsOf(pods.map(({ namespace }) => namespace)) }),
  },
  commands: { pods: run(['ls', '-1', '/var/log/pods']) },
  parse({ pods }) {
    if (isAbsent(pods)) return known<Pods>({ pods: [] })
    if (pods.exitCode !== 0) return unknown('the list of pods could not be read')
    const read = lines(pods.text).map((name) =>
      /^([a-z0-9.-]{1,63})_([a-z0-9.-]{1,253})_([0-9a-f-]{16,40})$/.exec(name),
    )
    if (read.includes(null)) return unknown('a folder in the list of pods has another name than pods have')
    return known<Pods>({
      pods: read.map((match) => ({ namespace: match?.[1] ?? '', name: match?.[2] ?? '', uid: match?.[3] ?? '' })),
    })
  },
})

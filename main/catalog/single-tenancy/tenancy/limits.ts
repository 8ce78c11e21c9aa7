import { type Answer, defineProbe, known, run, unknown } from '../../../core/recording/probe.ts'
import { listingIsComplete } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_PATH,
  foundLines,
  grepIsComplete,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_PATH,
  oneLineFiles,
} from '../../base/read-text.ts'

export interface SessionLimits {
  /**
   * Nesting depth of our process in process namespaces, as visible in this /proc; null on kernels that do not state
   * it.
   */
  readonly depth: number | null
  /** Capabilities that the session can never have, by number, below the highest that it can; null where the kernel does not state. */
  readonly droppedCapabilities: readonly number[] | null
  readonly filtersCalls: boolean | null
  /** Number of the virtual server (Linux-VServer, OpenVZ); 0 is the system itself, null on other kernels. */
  readonly virtualServer: number | null
  /** Id of process 1 in the scheduler’s numbering; kernels up to 4.13 show the outer one. Null where it was not readable. */
  readonly schedulerId: number | null
  /** What a container manager wrote about itself; null without any. */
  readonly manager: string | null
  /** Whether the visible tree of control groups is the whole one, or a part of it; null where its root does not show. */
  readonly groups: 'whole' | 'part' | null
  /** Limits at the root of the visible tree; null where there is none. */
  readonly cpuQuota: number | null
  readonly memoryBytes: number | null
  /** Processors that are on, and those that the tree of control groups may use; null where not reported. */
  readonly processors: number | null
  readonly usableProcessors: number | null
  /** Files of container software that exist. */
  readonly traces: readonly string[]
}

const GROUPS = '/sys/fs/cgroup'

/** proc_pid_status(5), capabilities(7), cgroups(7), the container interface of systemd. Our own session only; environments are not read. */
export const sessionLimits = defineProbe({
  id: 'session.limits',
  title: 'Limits of this session',
  why: 'A container differs from a full system in its permitted operations, its permitted resources, and the traces of its manager.',
  ignoredInDrift: {
    why: 'Outside its own namespace, the first process has another number at each start.',
    normalize: ({ schedulerId, ...limits }: SessionLimits) => ({
      ...limits,
      isFirst: schedulerId === null ? null : schedulerId === 1,
    }),
  },
  commands: {
    status: run([
      'grep',
      '-HE',
      '^(NSpid|CapBnd|Seccomp|VxID|envID):|, #threads: ',
      '/proc/self/status',
      '/proc/1/sched',
    ]),
    groups: run(
      [
        'grep',
        '-H',
        '',
        '/run/systemd/container',
        '/run/host/container-manager',
        `${GROUPS}/cgroup.type`,
        `${GROUPS}/cpu.max`,
        `${GROUPS}/memory.max`,
        `${GROUPS}/cpuset.cpus.effective`,
        `${GROUPS}/cpu/cpu.cfs_quota_us`,
        `${GROUPS}/cpu/cpu.cfs_period_us`,
        `${GROUPS}/memory/memory.limit_in_bytes`,
        `${GROUPS}/cpuset/cpuset.effective_cpus`,
        '/sys/devices/system/cpu/online',
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
    traces: run(
      [
        'ls',
        '-1d',
        '/proc/vz',
        '/proc/bc',
        '/proc/user_beancounters',
        '/.dockerinit',
        '/dev/lxd/sock',
        '/dev/incus/sock',
        '/dev/.lxc-boot-id',
        '/run/secrets/kubernetes.io',
        ALWAYS_PATH,
      ],
      OF_ALWAYS_PATH,
    ),
  },
  parse({ status, groups, traces }) {
    const found = foundLines(status.text)
    const own = new Map(
      found.flatMap(({ path, line }) => {
        const [, key, value] = /^(\w{4,8}):\s*(.*)$/.exec(line) ?? []
        return path !== '/proc/self/status' || key === undefined || value === undefined ? [] : [[key, value.trim()]]
      }),
    )
    if (!statusIsComplete(status) || own.size === 0) return unknown('the state of this session could not be read')
    if (!grepIsComplete(groups)) return unknown('the root of the control groups could not be read')
    if (!listingIsComplete(traces)) return unknown('the files of container software could not be looked for')
    const files = oneLineFiles(groups.text)
    const bounding = own.get('CapBnd')
    return known<SessionLimits>({
      depth: own.get('NSpid')?.split(/\s+/).length ?? null,
      droppedCapabilities: bounding === undefined ? null : droppedFrom(bounding),
      filtersCalls: own.has('Seccomp') ? own.get('Seccomp') !== '0' : null,
      virtualServer: wholeOf(own.get('VxID') ?? own.get('envID')),
      schedulerId: schedulerIdOf(found),
      manager: files.get('/run/systemd/container') ?? files.get('/run/host/container-manager') ?? null,
      groups: rootOf(files),
      cpuQuota: quotaOf(files),
      memoryBytes: memoryOf(files),
      processors: countOf(files.get('/sys/devices/system/cpu/online')),
      usableProcessors: countOf(
        files.get(`${GROUPS}/cpuset.cpus.effective`) ?? files.get(`${GROUPS}/cpuset/cpuset.effective_cpus`),
      ),
      traces: lines(traces.text).filter((path) => path.startsWith('/') && path !== ALWAYS_PATH),
    })
  },
})

/** The first process of the system may be hidden from us (proc(5), hidepid); our own state may not. */
const statusIsComplete = ({ exitCode, errorText }: Answer): boolean =>
  exitCode === 0 || (exitCode === 2 && lines(errorText).every((complaint) => complaint.includes('/proc/1/sched: ')))

function schedulerIdOf(found: ReturnType<typeof foundLines>): number | null {
  for (const { path, line } of found) {
    if (path !== '/proc/1/sched') continue
    const id = /\((\d{1,10}), #threads: \d{1,10}\)$/.exec(line.slice(-64))?.[1]
    if (id !== undefined) return Number(id)
  }
  return null
}

const wholeOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : null

/** Zeros below the highest bit that is set (capabilities(7): numbers are given out without gaps). Old kernels set all 64. */
function droppedFrom(hex: string): readonly number[] | null {
  if (!/^[0-9a-f]{1,16}$/i.test(hex)) return null
  const set = BigInt(`0x${hex}`)
  return Array.from({ length: set.toString(2).length }, (_, bit) => bit).filter(
    (bit) => set !== 0n && ((set >> BigInt(bit)) & 1n) === 0n,
  )
}

/** Documentation/admin-guide/cgroup-v2.rst: cgroup.type and memory.max are in every group except the root of all. */
function rootOf(files: ReadonlyMap<string, string>): SessionLimits['groups'] {
  if ([`${GROUPS}/cgroup.type`, `${GROUPS}/memory.max`, `${GROUPS}/cpu.max`].some((path) => files.has(path)))
    return 'part'
  return files.has(`${GROUPS}/cpuset.cpus.effective`) ? 'whole' : null
}

function quotaOf(files: ReadonlyMap<string, string>): number | null {
  const [, quota, period] = /^(\d{1,15}) (\d{1,15})$/.exec(files.get(`${GROUPS}/cpu.max`) ?? '') ?? [
    '',
    files.get(`${GROUPS}/cpu/cpu.cfs_quota_us`),
    files.get(`${GROUPS}/cpu/cpu.cfs_period_us`),
  ]
  const [used, of] = [wholeOf(quota), wholeOf(period)]
  return used === null || of === null || of === 0 ? null : used / of
}

// The largest number represents no limit in version 1 (page_counter.h).
const NO_LIMIT = 2 ** 60
function memoryOf(files: ReadonlyMap<string, string>): number | null {
  const text = files.get(`${GROUPS}/memory.max`) ?? files.get(`${GROUPS}/memory/memory.limit_in_bytes`)
  if (text === undefined || !/^\d{1,20}$/.test(text)) return null
  return Number(text) < NO_LIMIT ? Number(text) : null
}

/** Number of items in a list such as 0-3,8 (cpuset(7), "List format"); null where it is invalid. */
function countOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$/.test(text)) return null
  return text.split(',').reduce((sum, part) => {
    const [from = 0, to = from] = part.split('-').map(Number)
    return sum + Math.max(0, to - from + 1)
  }, 0)
}

import { sessionLimits } from '../../probes/session-limits.ts'
import { count, unclear } from '../../steps.ts'
import { containerAnswer } from '../container.ts'
import { metal, neutral, type Signal, unreadable } from '../signal.ts'

/** include/uapi/linux/capability.h: those without which an administrator cannot see or change the machine itself. */
const TELLING: ReadonlyMap<number, string> = new Map([
  [12, 'network administration'],
  [16, 'kernel modules'],
  [17, 'raw input and output'],
  [19, 'tracing'],
  [21, 'system administration'],
  [22, 'restart'],
  [25, 'the clock'],
  [34, 'the kernel’s log'],
])

const caps: Signal = {
  id: 'ns.caps',
  family: 'session',
  title: 'Maximum privileges of the session',
  onMetal: 'every capability of the kernel',
  onGuest: 'the same: containers lack some, guests do not',
  spoofingEffort: 'S0',
  pitfalls: [
    'Services that start logins are hardened with fewer capabilities on hardware too.',
    'The first process of a small guest may give up some for all: seen in a Firecracker guest.',
    'A privileged container has them all.',
  ],
  source:
    'capabilities(7), "Capability bounding set"; proc_pid_status(5). Measured: one dropped in a Firecracker guest.',
  probes: [sessionLimits],
  observe(read) {
    const reading = read(sessionLimits)
    if (!reading.ok) return unreadable(sessionLimits, reading.reason)
    const dropped = reading.fact.droppedCapabilities
    if (dropped === null) return neutral('not reported by this kernel')
    if (dropped.length === 0) return metal('all')
    const telling = dropped.flatMap((number) => TELLING.get(number) ?? [])
    const said = `${count(dropped.length, 'capability', 'capabilities')} given up`
    return telling.length === 0 || containerAnswer(read).isContainer
      ? neutral(said)
      : neutral(
          said,
          unclear(
            `The session cannot obtain: ${telling.join(', ')}. Data visible to an administrator may be hidden from it.`,
            sessionLimits,
            'status',
          ),
        )
  },
}

/** A limit below this part of the machine is one that a person set. */
const NEARLY_ALL = 0.99

const groups: Signal = {
  id: 'ns.cgroup',
  family: 'session',
  title: 'Limits at the visible root',
  onMetal: 'the whole tree of control groups, every processor, no limit',
  onGuest: 'the same: a container sees a part of the tree and its limits',
  spoofingEffort: 'S0',
  pitfalls: [
    'A container may be given everything.',
    'On systems with control groups of version 1 the root looks the same from inside, without a limit.',
  ],
  source:
    'Linux Documentation/admin-guide/cgroup-v2.rst (files of non-root groups), cgroup-v1/memory.rst; cgroup_namespaces(7).',
  probes: [sessionLimits],
  observe(read) {
    const reading = read(sessionLimits)
    if (!reading.ok) return unreadable(sessionLimits, reading.reason)
    const { groups: root, cpuQuota, memoryBytes, processors, usableProcessors } = reading.fact
    const limits = [
      ...(processors !== null && usableProcessors !== null && usableProcessors < processors * NEARLY_ALL
        ? [`${usableProcessors} of ${count(processors, 'processor')}`]
        : []),
      ...(cpuQuota === null ? [] : [`the time of ${Math.round(cpuQuota * 10) / 10} processors`]),
      ...(memoryBytes === null ? [] : [`${Math.round(memoryBytes / 2 ** 20)} MiB of memory`]),
    ]
    if (limits.length === 0 && root === 'whole') return metal('the whole tree, no limit')
    if (limits.length === 0 && root === null) return neutral('no limit; whether the tree is complete is not reported')
    const said = limits.length > 0 ? limits.join(', ') : 'a part of the tree, no limit'
    return containerAnswer(read).isContainer
      ? neutral(said)
      : neutral(
          said,
          unclear(`Limits are set at the root of the visible control groups: ${said}.`, sessionLimits, 'groups'),
        )
  },
}

/** What our session may do and use. */
export const limitSignals: readonly Signal[] = [caps, groups]

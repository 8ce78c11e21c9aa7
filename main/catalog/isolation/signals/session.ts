import { INITIAL_NAMESPACES, NAMESPACE_KINDS, namespaces } from '../../probes/namespaces.ts'
import { sessionLimits } from '../../probes/session-limits.ts'
import { storageMounts } from '../../probes/storage-mounts.ts'
import { named, supports, unclear } from '../../steps.ts'
import { containerAnswer, isOpenVz, marksOf } from '../container.ts'
import { metal, neutral, type Signal, unreadable } from '../signal.ts'
import { hostSignals } from './session-hosts.ts'
import { limitSignals } from './session-limits.ts'

/** The same kernel shows containers on hardware and containers in a guest alike: none of these signals shows the two apart. */
const SAME = 'the same: these indicate containers, not guests'

const inodes: Signal = {
  id: 'ns.inode',
  family: 'session',
  title: 'Namespaces of the session',
  onMetal: 'the initial ones, whose numbers are fixed in the kernel',
  onGuest: SAME,
  spoofingEffort: 'S0',
  pitfalls: [
    'A guest shows the same as hardware, without any falsification.',
    'Network and mount namespaces have no fixed number.',
    'Kernels before 3.8 have no numbers for processes and users.',
  ],
  source: 'Linux include/linux/proc_ns.h; namespaces(7).',
  probes: [namespaces],
  observe(read) {
    const reading = read(namespaces)
    if (!reading.ok) return unreadable(namespaces, reading.reason)
    const { own } = reading.fact
    if (own.pid === null)
      return neutral(
        'process namespace not reported',
        unclear('The kernel does not report the process namespace of the session.', namespaces, 'own'),
      )
    const others = NAMESPACE_KINDS.filter((kind) => own[kind] !== null && own[kind] !== INITIAL_NAMESPACES[kind])
    if (others.length === 0)
      return metal('all initial', supports('Our session sits in the system’s initial namespaces.', namespaces, 'own'))
    const said = `not initial: ${others.join(', ')}`
    // A service may be kept in namespaces of its own for less than a container (systemd.exec(5), "Sandboxing").
    return containerAnswer(read).isContainer
      ? neutral(said)
      : neutral(
          said,
          unclear(`Our session is not in the initial namespace of: ${others.join(', ')}.`, namespaces, 'own'),
        )
  },
}

const first: Signal = {
  id: 'ns.pid1',
  family: 'session',
  title: 'The first processes',
  onMetal: 'process 2 is the kernel’s own, and process 1 sits in no container’s group',
  onGuest: SAME,
  spoofingEffort: 'S0',
  pitfalls: [
    'Where other users’ processes are hidden, the first ones cannot be read.',
    'Under version 2 of control groups a container sees its own group as the root.',
    'Its environment can contain “container=”, but holds secrets: it is not read.',
  ],
  source: 'Linux init/main.c (rest_init), kernel/sched/debug.c; cgroups(7).',
  probes: [namespaces, sessionLimits],
  observe(read) {
    const reading = read(namespaces)
    if (!reading.ok) return unreadable(namespaces, reading.reason)
    const { firstProcess, secondProcess, containerGroups } = reading.fact
    if (firstProcess === null || secondProcess === null) return neutral('hidden from the session')
    const said = `${named([firstProcess, secondProcess])}, ${containerGroups.length === 0 ? 'in no' : 'in a'} container’s group`
    const limits = read(sessionLimits)
    const outside = limits.ok ? limits.fact.schedulerId : null
    if (secondProcess === 'kthreadd' && containerGroups.length === 0 && (outside === null || outside === 1))
      return metal(said)
    return containerAnswer(read).isContainer
      ? neutral(said)
      : neutral(
          said,
          unclear(
            'The first process sits in a control group that container software made, in the system’s initial namespaces.',
            namespaces,
            'first',
          ),
        )
  },
}

const files: Signal = {
  id: 'ns.files',
  family: 'session',
  title: 'What container software leaves behind',
  onMetal: 'none of its files, no root of layers, nothing mounted over /proc',
  onGuest: SAME,
  spoofingEffort: 'S0',
  pitfalls: [
    'A guest that was started from a container image keeps its files and is none: seen in a Firecracker guest.',
    'Live and image-based systems have a root of layers on hardware too.',
  ],
  source:
    'Container interface of systemd; Docker and Podman documentation; lxcfs. Measured: /.dockerenv in a Firecracker guest.',
  probes: [namespaces, sessionLimits, storageMounts],
  observe(read) {
    for (const probe of [namespaces, sessionLimits, storageMounts]) {
      const reading = read<unknown, string>(probe)
      if (!reading.ok) return unreadable(probe, reading.reason)
    }
    const marks = marksOf(read).map(({ text }) => text)
    if (marks.length === 0) return metal('none')
    return containerAnswer(read).isContainer
      ? neutral(named(marks, 4))
      : neutral(
          named(marks, 4),
          unclear(
            `Traces of container software are there: ${named(marks)}. The process namespace is the initial one, so they alone are weak evidence.`,
            namespaces,
            'marks',
          ),
        )
  },
}

const openVz: Signal = {
  id: 'ns.vz',
  family: 'session',
  title: 'OpenVZ and Linux-VServer',
  onMetal: 'no trace of either, or both of OpenVZ’s folders on the system that holds its containers',
  onGuest: SAME,
  spoofingEffort: 'S0',
  pitfalls: ['OpenVZ since version 7 has ordinary namespaces as well.'],
  source: 'OpenVZ kernel, kernel/bc/proc.c and kernel/ve; Linux-VServer, /proc/self/status.',
  probes: [sessionLimits],
  observe(read) {
    const reading = read(sessionLimits)
    if (!reading.ok) return unreadable(sessionLimits, reading.reason)
    const { traces, virtualServer } = reading.fact
    if (isOpenVz(traces)) return neutral('a container of OpenVZ')
    if (virtualServer !== null && virtualServer > 0) return neutral(`virtual server ${virtualServer}`)
    if (traces.includes('/proc/vz'))
      return neutral(
        'a system that holds OpenVZ’s containers',
        unclear('The kernel is OpenVZ’s, and this system can hold containers of others.', sessionLimits, 'traces'),
      )
    return metal('no trace')
  },
}

/** What distinguishes a container from a whole system, and a system that holds guests from one that holds none. */
export const sessionSignals: readonly Signal[] = [inodes, first, files, openVz, ...limitSignals, ...hostSignals]

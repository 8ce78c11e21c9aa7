import { count, named, supports, unclear } from '../../../base/steps.ts'
import { storageMounts } from '../../../data-protection/mounts/probes.ts'
import { sessionLimits } from '../../tenancy/limits.ts'
import { INITIAL_NAMESPACES, NAMESPACE_KINDS, namespaces } from '../../tenancy/sessions.ts'
import { virtBuses, virtGuests, virtHosted } from '../../virtualization/index.ts'
import { containerAnswer, isOpenVz, marksOf } from '../container.ts'
import { metal, neutral, type Signal, unreadable } from '../signal.ts'

const kvm: Signal = {
  id: 'host.kvm',
  family: 'session',
  title: 'Guests of this system’s own kernel',
  onMetal: 'the module can be loaded; in use where guests run',
  onGuest: 'rarely: a guest can run guests only where its own machine allows it',
  spoofingEffort: 'S0',
  pitfalls: [
    'Guests within guests are one option of the KVM module.',
    'Many clouds let guests run guests: a working module shows no hardware.',
    'The count also rises with each open file of a guest: it shows “some”, not “how many”.',
    'Where the kernel has KVM built in, there is no count.',
  ],
  source: 'Linux virt/kvm/kvm_main.c; drivers/vfio/pci; include/uapi/linux/if_tun.h.',
  probes: [virtGuests, virtHosted],
  observe(read) {
    const reading = read(virtGuests)
    if (!reading.ok) return unreadable(virtGuests, reading.reason)
    const hosted = read(virtHosted)
    const { found, openGuests } = reading.fact
    const lent = hosted.ok ? hosted.fact.heldBack.length + hosted.fact.mediated.length + hosted.fact.taps.length : 0
    const held = openGuests === null ? 'KVM not a loaded module' : `KVM held ${count(openGuests, 'time')}`
    return neutral(
      found.length === 0
        ? 'no support for guests'
        : `${held}; ${lent === 0 ? 'nothing configured for guests' : `${count(lent, 'device')} configured for guests`}`,
    )
  },
}

const xen: Signal = {
  id: 'host.xen',
  family: 'session',
  title: 'Xen’s control domain',
  onMetal: 'no Xen at all, or the control domain, which sees the hardware',
  onGuest: 'an ordinary domain, which may control nothing',
  spoofingEffort: 'S0',
  pitfalls: [
    'Where Xen’s file system is not mounted, the control domain looks like a guest: an old one is then named wrongly by other tools.',
    'A domain that serves devices to others need not be the control domain.',
  ],
  source:
    'Linux include/xen/interface/features.h (bit 11), drivers/xen/xenfs; virt-what’s record of a control domain of 2010.',
  probes: [virtBuses, virtHosted],
  observe(read) {
    const reading = read(virtBuses)
    if (!reading.ok) return unreadable(virtBuses, reading.reason)
    const hosted = read(virtHosted)
    const served = hosted.ok ? hosted.fact.xenGuests.length : 0
    const { isControlDomain, hypervisorType } = reading.fact
    if (isControlDomain) return neutral(`control domain, serves devices to ${count(served, 'guest')}`)
    return neutral(hypervisorType === 'xen' ? 'on Xen, and may not control it' : 'no control domain')
  },
}

/** Signals of a system that hosts guests. They show neither hardware nor guest. */
const hostSignals: readonly Signal[] = [kvm, xen]

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
    const summary = `${count(dropped.length, 'capability', 'capabilities')} given up`
    return telling.length === 0 || containerAnswer(read).isContainer
      ? neutral(summary)
      : neutral(
          summary,
          unclear(
            `The session cannot obtain: ${telling.join(', ')}. Data visible to an administrator may be hidden from it.`,
            sessionLimits,
            'status',
          ),
        )
  },
}

/** A limit below this fraction of the machine was set by a person. */
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
    const summary = limits.length > 0 ? limits.join(', ') : 'a part of the tree, no limit'
    return containerAnswer(read).isContainer
      ? neutral(summary)
      : neutral(
          summary,
          unclear(`Limits are set at the root of the visible control groups: ${summary}.`, sessionLimits, 'groups'),
        )
  },
}

/** What our session may do and use. */
const limitSignals: readonly Signal[] = [caps, groups]

/**
 * A kernel shows containers in the same way on hardware and in a guest, so none of these signals distinguishes the
 * two.
 */
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
    const summary = `not initial: ${others.join(', ')}`
    // A service may have namespaces of its own without being a container (systemd.exec(5), "Sandboxing").
    return containerAnswer(read).isContainer
      ? neutral(summary)
      : neutral(
          summary,
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
    const summary = `${named([firstProcess, secondProcess])}, ${containerGroups.length === 0 ? 'in no' : 'in a'} container’s group`
    const limits = read(sessionLimits)
    const outside = limits.ok ? limits.fact.schedulerId : null
    if (secondProcess === 'kthreadd' && containerGroups.length === 0 && (outside === null || outside === 1))
      return metal(summary)
    return containerAnswer(read).isContainer
      ? neutral(summary)
      : neutral(
          summary,
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

/** Signals that distinguish a container from a whole system, and a system with guests from one without. */
export const sessionSignals: readonly Signal[] = [inodes, first, files, openVz, ...limitSignals, ...hostSignals]

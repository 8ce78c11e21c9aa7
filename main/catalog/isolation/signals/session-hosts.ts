import { virtBuses } from '../../probes/virt-buses.ts'
import { virtGuests } from '../../probes/virt-guests.ts'
import { virtHosted } from '../../probes/virt-hosted.ts'
import { count } from '../../steps.ts'
import { neutral, type Signal, unreadable } from '../signal.ts'

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

/** What shows a system that holds guests. Neither hardware nor guest is shown by it. */
export const hostSignals: readonly Signal[] = [kvm, xen]

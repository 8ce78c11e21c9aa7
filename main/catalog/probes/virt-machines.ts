import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'

export interface KernelMachines {
  /** Ids of the processes that hold an open virtual machine; null where the kernel keeps no such list. */
  readonly holders: readonly number[] | null
}

const KVM = '/sys/kernel/debug/kvm'
/** A folder that every kernel with the file system has (mm/backing-dev.c): it shows “no KVM” and “no such list” apart. */
const ALWAYS = '/sys/kernel/debug/bdi'

/** virt/kvm/kvm_main.c, kvm_create_vm_debugfs: one folder per open machine, named after the process and its descriptor. Names only. */
export const virtMachines = defineProbe({
  id: 'virt.machines',
  title: 'Virtual machines open in the kernel',
  why: 'The kernel itself identifies the process of each open virtual machine, whatever the process name.',
  ignoredInDrift: {
    why: 'Process IDs change at each start. Not detected: a further guest where there are already some.',
    normalize: ({ holders }: KernelMachines) => ({ hasHolders: holders === null ? null : holders.length > 0 }),
  },
  commands: { lists: runAsRoot(['ls', '-1', KVM, ALWAYS]) },
  parse({ lists }) {
    if (!listingIsComplete(lists)) return unknown('the kernel’s list of open machines could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0)
      return unknown('the kernel’s list of open machines has an unexpected format')
    const machines = folders.get(KVM)
    if (machines === undefined && !folders.has(ALWAYS)) return known<KernelMachines>({ holders: null })
    const holders = (machines ?? []).flatMap((name) => /^(\d{1,10})-\d{1,10}$/.exec(name)?.[1] ?? [])
    return known<KernelMachines>({ holders: [...new Set(holders.map(Number))].sort((a, b) => a - b) })
  },
})

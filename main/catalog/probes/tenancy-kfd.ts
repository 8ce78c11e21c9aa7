import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface ComputeProcesses {
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

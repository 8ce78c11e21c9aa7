import type { DraftObservation } from '../../core/check.ts'
import { cpuFeatures } from '../processors/features.ts'
import { cpuHypervisorLeaf } from '../processors/leaves.ts'
import { contradicts } from '../steps.ts'
import { virtBuses } from '../virtualization/probes.ts'
import { hostFeatures, instruments } from './cpu-hardware.ts'
import { type Observed, signsOf } from './observe.ts'
import type { Read } from './signal.ts'

export interface HostAnswer {
  readonly platform: string | null
  readonly step: DraftObservation
}

/** A hypervisor beneath us that lets us see and manage the hardware: Xen's control domain, Hyper-V's root partition, or one with every host feature. */
export function hypervisorHost(read: Read, observed: readonly Observed[]): HostAnswer | null {
  const buses = read(virtBuses)
  if (buses.ok && buses.fact.isControlDomain)
    return {
      platform: 'Xen',
      step: contradicts(
        'This system is Xen’s control domain: it runs on the hypervisor and manages its guests.',
        virtBuses,
        'files',
      ),
    }
  const leaf = read(cpuHypervisorLeaf)
  if (leaf.ok && leaf.fact.mayCreatePartitions)
    return {
      platform: 'Microsoft Hyper-V',
      step: contradicts(
        'This system may create Hyper-V partitions: it is the root partition of the hypervisor.',
        cpuHypervisorLeaf,
        'reserved',
      ),
    }
  const cpu = read(cpuFeatures)
  // A guest that firmware, GPU driver or stolen time name as such is none that manages the hypervisor.
  const isNamedGuest = signsOf(observed).some(
    ({ signal, sign }) => sign.weight === 'names' && ['firmware', 'gpu', 'timing'].includes(signal.family),
  )
  if (!cpu.ok || !cpu.fact.hypervisorBit || isNamedGuest) return null
  const hasHardware = instruments(read).some(({ is }) => is === 'answers')
  return hostFeatures(read).holds && hasHardware
    ? {
        platform: null,
        step: contradicts(
          'The hypervisor flag is set, but the processor shows every host feature and a working instrument: this system manages the underlying hypervisor.',
          cpuFeatures,
        ),
      }
    : null
}

export function partitionStep(read: Read): DraftObservation | null {
  const buses = read(virtBuses)
  return buses.ok && buses.fact.isPartition
    ? contradicts(
        'The machine is divided by its firmware, and this system is one logical partition.',
        virtBuses,
        'files',
      )
    : null
}

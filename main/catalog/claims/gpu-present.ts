import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { count, decide, supports } from '../steps.ts'
import { gpusOnBus, withoutGpu } from './gpu-bus.ts'

const LIMITS = 'Devices on the PCI bus by their ids. A virtual GPU and one without a driver count as well.'

/** For claims about GPUs, which do not apply to a server without one. A part of a GPU is one here, so that it cannot end such a claim. */
export const gpuPresent: ClaimTest = {
  id: 'gpu.present',
  title: 'A GPU is on the PCI bus.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'gpu.present',
      property: 'operations',
      expected: 'At least one GPU or accelerator is on the PCI bus.',
      limitations: LIMITS,
      requires: { pci: pciDevices },
      evaluate: ({ pci }) =>
        decide([withoutGpu(pci) ?? supports(`${count(gpusOnBus(pci).length, 'GPU')} on the PCI bus.`, pciDevices)]),
    })
  },
}

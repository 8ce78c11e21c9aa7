import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { isGpuFunction, isVirtualGpuName } from '../gpu/models.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { gpusOnBus, NVIDIA, undriven, withoutGpu } from './gpu-bus.ts'

const LIMITS =
  'Whether each GPU is a whole one of this system, at one moment. Its present users are covered by the check of GPU processes; earlier users are not shown. A GPU that a hypervisor passes through whole looks the same.'

/**
 * The part of tenancy.gpu-exclusive that no roster and no setting of the tenant decides: a GPU that is a part of another one was divided by
 * the party that owns the machine.
 */
export const gpuWhole: ClaimTest = {
  id: 'gpu.whole',
  title: 'Every GPU on the bus is a whole one.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'gpu.whole',
      property: 'isolation',
      expected: 'Every GPU on the bus is a whole one: none is virtual, and none is a function of another.',
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia },
      evaluate({ pci }, { driver }) {
        const none = withoutGpu(pci)
        if (none !== null) return decide([none])
        const gpus = gpusOnBus(pci)
        const functions = gpus.filter(isGpuFunction)
        const told = driver.ok ? driver.fact.gpus : []
        const virtual = told.filter(
          ({ name, virtualization }) => isVirtualGpuName(name) || /^VGPU$/i.test(virtualization),
        )
        // Ids of NVIDIA's and Intel's virtual functions are those of the whole GPU; only the driver distinguishes them.
        const whole = told.filter((gpu) => !virtual.includes(gpu) && ATTACHED.test(gpu.virtualization) && isInView(gpu))
        const unsaid = told.length - virtual.length - whole.length
        const others = gpus.filter(({ vendor }) => vendor !== NVIDIA).length - functions.length
        const say = (
          some: readonly (PciDevice | NvidiaGpu)[],
          step: typeof supports,
          text: string,
        ): readonly DraftObservation[] =>
          some.length === 0
            ? []
            : [
                step(
                  `${text} (${some.length} of ${count(gpus.length, 'GPU')}): ${named(some.map(({ address }) => address))}.`,
                  some === functions ? pciDevices : gpuNvidia,
                ),
              ]
        return decide([
          ...say(functions, contradicts, 'Functions of a GPU that its owner shares out'),
          ...say(virtual, contradicts, 'Virtual GPUs'),
          ...say(whole, supports, 'Whole GPUs, by the driver'),
          ...(unsaid > 0
            ? [
                unclear(
                  `The driver does not show whether ${count(unsaid, 'GPU')} is whole: how it is attached or its memory is not given.`,
                  gpuNvidia,
                ),
              ]
            : []),
          ...(others > 0
            ? [
                unclear(
                  `Whether ${count(others, 'GPU')} of another manufacturer is whole is not evaluated here.`,
                  pciDevices,
                ),
              ]
            : []),
          ...(gpus.some(({ vendor }) => vendor === NVIDIA) ? unclearAbout(gpuNvidia, driver) : []),
          ...(driver.ok ? undriven(pci, told) : []),
        ])
      },
    })
  },
}

/** nvidia-smi(1), virtualization mode: a host that lends parts of a GPU has the whole of it. */
const ATTACHED = /^(None|Pass-Through|Host VGPU|Host VSGA)$/i

/** Of a divided GPU (MIG) whose memory the driver withholds, only slices are in view. */
const isInView = ({ migMode, memory }: NvidiaGpu): boolean => !/^Enabled$/i.test(migMode) || memory.totalMib !== null

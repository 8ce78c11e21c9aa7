import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { isVirtualGpuName } from '../gpu/models.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { isGpu, isNvidiaGpu, pciDevices } from '../probes/pci-devices.ts'
import { type Processes, tenancyProcesses } from '../probes/tenancy-processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

export const tenancyGpuExclusive = defineCheck({
  id: 'tenancy.gpu-exclusive',
  property: 'isolation',
  expected:
    'The GPUs are dedicated physical devices: none is virtual, shared as functions, a slice (MIG) of a device that is not visible, or only partly visible.',
  limitations:
    'One moment of observation, as reported by the GPU driver. Who uses the GPUs is not part of it, nor is who used them before and whether their memory was cleared. A device that this system divides into slices itself counts as whole.',
  requires: { pci: pciDevices },
  optional: { gpus: gpuNvidia, processes: tenancyProcesses },
  evaluate({ pci }, { gpus, processes }) {
    const listed = pci.devices.filter(isGpu)
    if (listed.length === 0 && pci.devices.length > 0)
      return {
        verdict: 'not-applicable',
        observations: [
          supports(`None of the ${count(pci.devices.length, 'PCI device')} is a GPU or accelerator.`, pciDevices),
        ],
      }
    if (!gpus.ok)
      return decide([
        unclear(`${count(listed.length, 'GPU')} on the PCI bus.`, pciDevices),
        ...unclearAbout(gpuNvidia, gpus),
      ])
    const nvidia = listed.filter(isNvidiaGpu).length
    const lent = listed.filter((device) => device.virtualFunctions > 0)
    return decide([
      nvidia === listed.length && nvidia === gpus.fact.gpus.length
        ? supports(`The driver reports every GPU on the PCI bus (${nvidia} of ${nvidia}).`, gpuNvidia)
        : unclear(
            `The PCI bus has ${count(listed.length, 'GPU')}, and the driver reports ${gpus.fact.gpus.length}.`,
            gpuNvidia,
          ),
      ...(lent.length > 0
        ? [
            contradicts(
              `GPUs with virtual functions switched on: ${named(lent.map(({ address }) => address))}.`,
              pciDevices,
              'links',
            ),
          ]
        : []),
      ...modeSteps(gpus.fact.gpus),
      ...sliceSteps(gpus.fact.gpus, processes),
    ])
  },
})

function modeSteps(gpus: readonly NvidiaGpu[]): readonly DraftObservation[] {
  const shared = gpus.filter(
    ({ virtualization, name }) => /^(VGPU|Host VGPU|Host VSGA)$/i.test(virtualization) || isVirtualGpuName(name),
  )
  const unsaid = gpus.filter(({ virtualization }) => virtualization === '' || virtualization === 'N/A')
  return [
    ...(shared.length > 0
      ? [
          contradicts(
            `GPUs that are virtual or serve virtual ones (${shared.length}): ${named(shared.map(({ address }) => address))}.`,
            gpuNvidia,
          ),
        ]
      : []),
    ...(unsaid.length > 0
      ? [unclear(`The driver does not report how ${count(unsaid.length, 'GPU')} are attached.`, gpuNvidia)]
      : []),
  ]
}

/**
 * A GPU divided into slices (MIG) is whole where this system divides it for itself: the whole of it is in view, and the list of processes
 * is that of the system and not of a container. Where the whole is not in view, another system divided it.
 */
function sliceSteps(gpus: readonly NvidiaGpu[], processes: Parsed<Processes>): readonly DraftObservation[] {
  const divided = gpus.filter(({ migMode }) => /^Enabled$/i.test(migMode))
  if (divided.length === 0) return [supports('No GPU is divided into slices (MIG).', gpuNvidia)]
  const partial = divided.filter(({ memory }) => memory.totalMib === null)
  if (partial.length > 0)
    return [
      contradicts(
        `Of divided GPUs (MIG, ${partial.length}) only slices are in view, and not the whole: ${named(partial.map(({ address }) => address))}.`,
        gpuNvidia,
      ),
    ]
  if (!processes.ok) return unclearAbout(tenancyProcesses, processes)
  const slices = divided.reduce((sum, { migDevices }) => sum + migDevices, 0)
  const what = `${count(divided.length, 'GPU')} divided into slices (MIG), ${count(slices, 'slice')} configured`
  return [
    processes.fact.isComplete
      ? supports(`${what}; the whole of each GPU is in view, so this system divides them for itself.`, gpuNvidia)
      : unclear(
          `${what}; not every process of the system is in view, so it is unknown whether this system divides them for its own use.`,
          gpuNvidia,
        ),
  ]
}

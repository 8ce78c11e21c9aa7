import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { known } from '../../core/probe.ts'
import { isVirtualGpuName } from '../gpu/models.ts'
import { gpuProcessSteps } from '../isolation/tenancy/gpu-processes.ts'
import { rosterOf } from '../isolation/tenancy/roster.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { isGpu, isNvidiaGpu, pciDevices } from '../probes/pci-devices.ts'
import { type Processes, tenancyProcesses } from '../probes/tenancy-processes.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const tenancyGpuExclusive = defineCheck({
  id: 'tenancy.gpu-exclusive',
  property: 'isolation',
  claim:
    'The GPUs are whole: none is virtual, lent out as functions or seen only in part, and every process on them belongs to a user on the declared roster.',
  limits:
    'One moment of observation, as the GPU driver tells it. Who used the GPUs before, and whether their memory was cleared, is not shown.',
  needs: { pci: pciDevices, processes: tenancyProcesses },
  wants: { gpus: gpuNvidia },
  evaluate({ pci, processes }, { gpus }, context) {
    const listed = pci.devices.filter(isGpu)
    if (listed.length === 0 && pci.devices.length > 0)
      return {
        verdict: 'not-applicable',
        because: [
          speaksFor(`None of the ${count(pci.devices.length, 'PCI device')} is a GPU or accelerator.`, pciDevices),
        ],
      }
    if (!gpus.ok)
      return weigh([
        leavesUnclear(`${count(listed.length, 'GPU')} on the PCI bus.`, pciDevices),
        ...unclearAbout(gpuNvidia, gpus),
      ])
    const nvidia = listed.filter(isNvidiaGpu).length
    const lent = listed.filter((device) => device.virtualFunctions > 0)
    return weigh([
      nvidia === listed.length && nvidia === gpus.fact.gpus.length
        ? speaksFor(`The driver answers for every GPU on the PCI bus (${nvidia} of ${nvidia}).`, gpuNvidia)
        : leavesUnclear(
            `The PCI bus has ${count(listed.length, 'GPU')}, and the driver answers for ${gpus.fact.gpus.length}.`,
            gpuNvidia,
          ),
      ...(lent.length > 0
        ? [
            speaksAgainst(
              `GPUs with virtual functions switched on: ${named(lent.map(({ address }) => address))}.`,
              pciDevices,
              'links',
            ),
          ]
        : []),
      ...modeSteps(gpus.fact.gpus),
      ...sliceSteps(gpus.fact.gpus, processes, rosterOf(context) !== null),
      ...gpuProcessSteps({ gpus, processes: known(processes) }, context),
    ])
  },
})

function modeSteps(gpus: readonly NvidiaGpu[]): readonly Step[] {
  const shared = gpus.filter(
    ({ virtualization, name }) => /^(VGPU|Host VGPU|Host VSGA)$/i.test(virtualization) || isVirtualGpuName(name),
  )
  const unsaid = gpus.filter(({ virtualization }) => virtualization === '' || virtualization === 'N/A')
  return [
    ...(shared.length > 0
      ? [
          speaksAgainst(
            `GPUs that are virtual or serve virtual ones (${shared.length}): ${named(shared.map(({ address }) => address))}.`,
            gpuNvidia,
          ),
        ]
      : []),
    ...(unsaid.length > 0
      ? [leavesUnclear(`The driver does not say how ${count(unsaid.length, 'GPU')} are attached.`, gpuNvidia)]
      : []),
  ]
}

/**
 * A GPU divided into slices (MIG) is no fault where this system divides it for itself: the whole of it is in view, so is every process
 * of the system, and a roster says whose they are. Where the whole is not in view, somebody else divided it.
 */
function sliceSteps(gpus: readonly NvidiaGpu[], { isComplete }: Processes, hasRoster: boolean): readonly Step[] {
  const divided = gpus.filter(({ migMode }) => /^Enabled$/i.test(migMode))
  if (divided.length === 0) return [speaksFor('No GPU is divided into slices (MIG).', gpuNvidia)]
  const partial = divided.filter(({ memory }) => memory.totalMib === null)
  if (partial.length > 0)
    return [
      speaksAgainst(
        `Of divided GPUs (MIG, ${partial.length}) only slices are in view, and not the whole: ${named(partial.map(({ address }) => address))}.`,
        gpuNvidia,
      ),
    ]
  const slices = divided.reduce((sum, { migDevices }) => sum + migDevices, 0)
  const what = `${count(divided.length, 'GPU')} divided into slices (MIG), ${count(slices, 'slice')} set up`
  return isComplete && hasRoster
    ? [
        speaksFor(
          `${what}; the whole of each GPU and every process of this system are in view, so this system divides them for itself.`,
          gpuNvidia,
        ),
      ]
    : [
        leavesUnclear(
          hasRoster
            ? `${what}; not every process of the system is in view, so it is open who uses them.`
            : `${what}, and no roster was declared to tell whose they are.`,
          gpuNvidia,
        ),
      ]
}

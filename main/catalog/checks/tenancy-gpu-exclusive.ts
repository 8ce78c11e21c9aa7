import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { known } from '../../core/probe.ts'
import { gpuProcessSteps } from '../isolation/tenancy.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { isGpu, isNvidiaGpu, pciDevices } from '../probes/pci-devices.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const tenancyGpuExclusive = defineCheck({
  id: 'tenancy.gpu-exclusive',
  property: 'isolation',
  claim:
    'The GPUs are whole: none is sliced, virtual or lent out as functions, and every process on them belongs to a user on the declared roster.',
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
      ...gpuProcessSteps({ gpus, processes: known(processes) }, context),
    ])
  },
})

function modeSteps(gpus: readonly NvidiaGpu[]): readonly Step[] {
  const sliced = gpus.filter(({ migMode }) => migMode === 'Enabled')
  const shared = gpus.filter(({ virtualization }) => /^(VGPU|Host VGPU|Host VSGA)$/i.test(virtualization))
  const unsaid = gpus.filter(({ virtualization }) => virtualization === '' || virtualization === 'N/A')
  return [
    sliced.length === 0
      ? speaksFor('No GPU is sliced (MIG).', gpuNvidia)
      : speaksAgainst(
          `Sliced GPUs (MIG, ${sliced.length}): ${named(sliced.map(({ address }) => address))}.`,
          gpuNvidia,
        ),
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

import { known, type Parsed, type Probe, unknown } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { declaredNames } from '../../access/accounts/login-traces.ts'
import { type Pods, type Processes, tenancyKfd, tenancyPods, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import {
  memorySteps,
  openOwners,
  ownersOf,
  spaceSteps,
  unaskedSteps,
  workOnGpus,
} from '../../single-tenancy/tenancy/gpu-processes.ts'
import { wasAnswered } from '../../single-tenancy/tenancy/readings.ts'
import { gpusOf, isNvidiaGpu, type PciDevice, type PciDevices, pciDevices } from '../pci/probes.ts'
import data from './checks.json' with { type: 'json' }
import { isGpuFunction, isUnderOwnDriver, isVirtualGpuName, isWholeById } from './models.ts'
import { gpuNvidia, gpuNvlink, type NvidiaGpu, type NvidiaGpus } from './nvidia.ts'
import { gpuAmd, gpuAmdLegacy, gpuCards, gpuConfCompute, gpuFabric, gpuModules, gpuMps } from './probes.ts'
import { gpuTopology } from './topology.ts'

/** The buses were listed, and no device on them is a GPU. */
const noGpu = ({ devices }: PciDevices): Conclusion => ({
  verdict: 'not-applicable',
  observations: [supports(`None of the ${count(devices.length, 'PCI device')} is a GPU or accelerator.`, pciDevices)],
})

export const tenancyGpuExclusive = defineCheck({
  id: 'tenancy.gpu-exclusive',
  property: 'isolation',
  expected:
    'The GPUs are dedicated physical devices: none is virtual, shared as functions, a slice (MIG) of a device that is not visible, or only partly visible.',
  limitations:
    'One moment of observation, as reported by the GPU driver. Who uses the GPUs is not part of it, nor is who used them before and whether their memory was cleared. A device that this system divides into slices itself counts as whole. Accelerators of AMD and Habana are distinguished by their ids alone, and those of Intel cannot be.',
  requires: { pci: pciDevices },
  optional: { gpus: gpuNvidia, processes: tenancyProcesses },
  evaluate({ pci }, { gpus, processes }) {
    const listed = gpusOf(pci.devices)
    if (listed.length === 0 && pci.devices.length > 0) return noGpu(pci)
    if (pci.devices.length === 0) return decide([unclear('No PCI device was listed.', pciDevices)])
    const others = listed.filter((device) => !isNvidiaGpu(device))
    const lent = listed.filter((device) => device.virtualFunctions > 0)
    return decide([
      ...nvidiaParts(gpus, listed.length - others.length, processes),
      ...otherParts(others),
      ...(lent.length > 0
        ? [
            contradicts(
              `GPUs with virtual functions switched on: ${named(lent.map(({ address }) => address))}.`,
              pciDevices,
              'links',
            ),
          ]
        : []),
    ])
  },
})

/**
 * What NVIDIA’s driver reports about the NVIDIA GPUs on the bus. Where there are none, the driver need not be
 * installed; a lost answer leaves the result open.
 */
function nvidiaParts(
  gpus: Parsed<NvidiaGpus>,
  listed: number,
  processes: Parsed<Processes>,
): readonly DraftObservation[] {
  if (!gpus.ok)
    return listed === 0 && wasAnswered(gpus)
      ? []
      : [
          ...(listed === 0 ? [] : [unclear(`${count(listed, 'GPU')} on the PCI bus.`, pciDevices)]),
          ...unclearAbout(gpuNvidia, gpus),
        ]
  const reported = gpus.fact.gpus
  if (listed === 0 && reported.length === 0) return []
  return [
    listed === reported.length
      ? supports(`The driver reports every GPU on the PCI bus (${listed} of ${listed}).`, gpuNvidia)
      : unclear(
          `The PCI bus has ${count(listed, 'NVIDIA GPU')}, and the driver reports ${reported.length}.`,
          gpuNvidia,
        ),
    ...modeSteps(reported),
    ...sliceSteps(reported, processes),
  ]
}

/**
 * GPUs and accelerators of other manufacturers. Virtual functions of AMD have ids of their own; of Intel’s, the whole one and its functions have
 * the same id.
 */
function otherParts(others: readonly PciDevice[]): readonly DraftObservation[] {
  const parts = others.filter(isGpuFunction)
  const whole = others.filter((device) => isWholeById(device) && isUnderOwnDriver(device))
  const open = others.filter((device) => !parts.includes(device) && !whole.includes(device))
  const addresses = (some: readonly PciDevice[]): readonly string[] => some.map(({ address }) => address)
  return [
    ...stepOn(contradicts, 'Virtual functions of GPUs', addresses(parts), pciDevices),
    ...stepOn(
      supports,
      'Accelerators that are whole devices by their ids, under the driver of their manufacturer',
      addresses(whole),
      pciDevices,
    ),
    ...stepOn(
      unclear,
      'GPUs without the driver of their manufacturer, or of which the id does not show whether they are whole',
      addresses(open),
      pciDevices,
    ),
  ]
}

function modeSteps(gpus: readonly NvidiaGpu[]): readonly DraftObservation[] {
  const shared = gpus.filter(
    ({ virtualization, name }) => /^(VGPU|Host VGPU|Host VSGA)$/i.test(virtualization) || isVirtualGpuName(name),
  )
  const unstated = gpus.filter(({ virtualization }) => virtualization === '' || virtualization === 'N/A')
  return [
    ...(shared.length > 0
      ? [
          contradicts(
            `GPUs that are virtual or serve virtual ones (${shared.length}): ${named(shared.map(({ address }) => address))}.`,
            gpuNvidia,
          ),
        ]
      : []),
    ...(unstated.length > 0
      ? [unclear(`The driver does not report how ${count(unstated.length, 'GPU')} are attached.`, gpuNvidia)]
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

/** NIST SP 800-53 AC-2 and SC-4. GPU processes as listed by NVIDIA’s driver (nvidia-smi -q) and by AMD’s (amdkfd). */
const tenancyGpuProcesses = defineCheck({
  id: 'tenancy.gpu-processes',
  property: 'isolation',
  expected:
    'Every process on the GPUs runs under an account on the declared roster, or in a pod of a Kubernetes namespace on it.',
  limitations:
    'One moment of observation, as reported by the GPU driver and the process list. The roster is a statement by the author of the fleet file. A process in a container other than a pod that runs as root counts as root, one under a number that no account has is inconclusive, and an account that several people use does not show who started it. Graphics work on AMD GPUs is not listed.',
  requires: { pci: pciDevices, processes: tenancyProcesses },
  optional: { gpus: gpuNvidia, kfd: tenancyKfd, pods: tenancyPods },
  evaluate({ pci, processes }, { gpus, kfd, pods }, { node }) {
    const listed = gpusOf(pci.devices)
    // The graphics of an AMD processor are not a separate GPU, but can compute like one.
    const computes = kfd.ok && kfd.fact.ids.length > 0
    if (listed.length === 0 && pci.devices.length > 0 && !computes) return noGpu(pci)
    if (pci.devices.length === 0) return decide([unclear('No PCI device was listed.', pciDevices)])
    const roster = declaredNames(node)
    const hasAmd = computes || listed.some(({ vendor }) => vendor === '1002')
    return decide([
      ...unaskedSteps({ gpus, pci: known(pci) }),
      ...(gpus.ok ? listingSteps(gpus.fact, listed) : []),
      ...(gpus.ok && gpus.fact.gpus.length > 0 ? nvidiaSteps(gpus.fact, processes, roster, pods) : []),
      ...(gpus.ok ? memorySteps(gpus.fact.gpus) : []),
      ...(hasAmd ? amdSteps(kfd, processes, roster, pods) : []),
    ])
  },
})

function nvidiaSteps(
  { gpus }: NvidiaGpus,
  processes: Processes,
  roster: ReadonlySet<string> | null,
  pods: Parsed<Pods>,
): readonly DraftObservation[] {
  const { ids, screens } = workOnGpus(gpus, processes.processes)
  const isAlone = ids.length === 0 && screens.length > 0 && processes.isComplete
  const others = isAlone
    ? [supports('No other process uses a GPU.', gpuNvidia)]
    : processSteps(ids, processes, roster, gpuNvidia, pods)
  return [...others, ...screens]
}

/** GPUs of which the driver listed no processes, because it does not report them or does not list them. */
function listingSteps({ gpus }: NvidiaGpus, listed: readonly PciDevice[]): readonly DraftObservation[] {
  const nvidia = listed.filter(isNvidiaGpu).length
  const unlisted = gpus.filter(({ hasProcessList }) => !hasProcessList)
  return [
    ...(nvidia === gpus.length
      ? []
      : [unclear(`The PCI bus has ${count(nvidia, 'NVIDIA GPU')}, and the driver reports ${gpus.length}.`, gpuNvidia)]),
    ...(unlisted.length > 0
      ? [
          unclear(
            `The driver did not list the processes of ${count(unlisted.length, 'GPU')}: ${named(unlisted.map(({ address }) => address))}.`,
            gpuNvidia,
          ),
        ]
      : []),
  ]
}

function amdSteps(
  kfd: Parsed<{ readonly ids: readonly number[] }>,
  processes: Processes,
  roster: ReadonlySet<string> | null,
  pods: Parsed<Pods>,
): readonly DraftObservation[] {
  return kfd.ok ? processSteps(kfd.fact.ids, processes, roster, tenancyKfd, pods) : unclearAbout(tenancyKfd, kfd)
}

/**
 * The accounts of the processes with these ids, against the roster. An id that the process list lacks may have ended or started between the
 * two probes, or belong to another container, so that its account is not known. Without the process list of the whole system, no process on
 * a GPU may mean that none is in view.
 */
export function processSteps(
  ids: readonly number[],
  { processes, isComplete }: Processes,
  roster: ReadonlySet<string> | null,
  probe: Probe<unknown>,
  pods: Parsed<Pods> = unknown('the pods were not listed'),
): readonly DraftObservation[] {
  if (ids.length === 0)
    return [
      isComplete
        ? supports('No process uses a GPU.', probe)
        : unclear(
            'No process is listed on a GPU, and not every process of the system is in view; a container sees its own only.',
            tenancyProcesses,
          ),
    ]
  const found = ownersOf(ids, processes, pods, roster)
  const { owners, foreign, unnamed } = found
  const what = count(ids.length, 'GPU process', 'GPU processes')
  const open = openOwners(found, what, probe)
  const own = owners.filter((owner) => !unnamed.includes(owner))
  const commands = (names: readonly string[]): readonly string[] => [
    ...new Set(
      processes.filter(({ pid, user }) => ids.includes(pid) && names.includes(user)).map((one) => one.command),
    ),
  ]
  return [
    ...open,
    ...spaceSteps(found),
    ...(roster === null
      ? [
          unclear(
            `GPU processes run under ${named(owners)}, and no roster is declared to compare with. Declare the accounts that may use this node in the fleet file (“roster”).`,
            probe,
          ),
        ]
      : []),
    ...(foreign.length > 0
      ? [
          contradicts(
            `GPU processes run under accounts not on the declared roster: ${named(foreign)}, as ${named(commands(foreign))}.`,
            probe,
          ),
        ]
      : []),
    ...(roster !== null && foreign.length === 0 && own.length > 0
      ? [
          supports(
            `${open.length + found.spaces.length + found.foreignSpaces.length === 0 ? what : 'The other GPU processes'} run under accounts on the declared roster: ${named(own)}.`,
            probe,
          ),
        ]
      : []),
  ]
}

export const gpuSubject = defineSubject({
  id: 'gpu',
  title: 'GPUs',
  probes: [
    gpuNvidia,
    gpuTopology,
    gpuAmd,
    gpuAmdLegacy,
    gpuCards,
    gpuConfCompute,
    gpuFabric,
    gpuModules,
    gpuMps,
    gpuNvlink,
  ],
  checks: [tenancyGpuExclusive, tenancyGpuProcesses],
  data,
})

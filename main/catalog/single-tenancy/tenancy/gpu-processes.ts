import type { Parsed, Probe } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, unclearAbout } from '../../../core/rules/check.ts'
import {
  isInContainer,
  type Pods,
  type Process,
  type Processes,
  podOf,
  tenancyKfd,
  tenancyPods,
  tenancyProcesses,
} from '../../base/processes.ts'
import { contradicts, count, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { gpuNvidia, type NvidiaGpu } from '../../hardware/gpu/nvidia.ts'
import { sharingProcesses } from '../../hardware/gpu/probes.ts'
import { gpusOf, isNvidiaGpu, pciDevices } from '../../hardware/pci/probes.ts'
import { isOwnSpace, namespacesOf } from './containers.ts'
import { rosterOf, type TenancyReadings, wasAnswered } from './readings.ts'

/** Accounts that the packages of display managers make, for the login screen and nothing else: GDM (also of Debian), SDDM, LightDM. */
export const SCREENS: ReadonlySet<string> = new Set(['gdm', 'Debian-gdm', 'sddm', 'lightdm'])

/**
 * Ids of the processes that NVIDIA’s driver lists. One that only draws (nvidia-smi(1), type G) for a login screen is
 * not the work of an account and is reported separately.
 */
export function workOnGpus(
  gpus: readonly NvidiaGpu[],
  processes: Processes['processes'],
): { readonly ids: readonly number[]; readonly screens: readonly DraftObservation[] } {
  const users = new Map(processes.map(({ pid, user }) => [pid, user]))
  const listed = gpus.flatMap((gpu) => gpu.processes)
  const isScreen = ({ pid, type }: (typeof listed)[number]): boolean =>
    type === 'G' && SCREENS.has(users.get(pid) ?? '')
  const drawing = [...new Set(listed.filter(isScreen).map(({ pid }) => users.get(pid) ?? ''))].sort()
  return {
    ids: [...new Set(listed.filter((one) => !isScreen(one)).map(({ pid }) => pid))],
    screens: stepOn(supports, 'The login screen draws on a GPU', drawing, gpuNvidia),
  }
}

/** Processes on the GPUs that NVIDIA's driver lists, against the process list and the roster. */
function gpuProcessSteps(
  { gpus, processes, pods }: Pick<TenancyReadings, 'gpus' | 'processes' | 'pods'>,
  context: Context,
): readonly DraftObservation[] {
  if (!gpus.ok || !processes.ok) return []
  const { ids, screens } = workOnGpus(gpus.fact.gpus, processes.fact.processes)
  if (ids.length > 0) return [...ownerSteps(ids, processes.fact, pods, rosterOf(context), gpuNvidia), ...screens]
  const none =
    screens.length > 0
      ? 'No other process uses a GPU.'
      : `No process uses ${gpus.fact.gpus.length === 1 ? 'the GPU' : `any of the ${gpus.fact.gpus.length} GPUs`}.`
  return [supports(none, gpuNvidia), ...screens]
}

// ps(1) prints the number where no account has it.
const isNumber = (user: string): boolean => /^\d{1,10}$/.test(user)

interface Owners {
  /** Ids that the process list lacks: they may have ended or started between the two lists, or be outside of what we see. */
  readonly unseen: readonly number[]
  /** Accounts of the processes outside of pods, and those of them that are on no roster. */
  readonly owners: readonly string[]
  readonly foreign: readonly string[]
  /**
   * Numbers on no roster that no account has, of processes in containers alone, and accounts on no roster, of pods of which no namespace is
   * known: an image chooses the number, and whose the container is shows in its manager’s lists.
   */
  readonly unnamed: readonly string[]
  /** Namespaces of the processes in pods: those on the roster or of Kubernetes itself, and the others. */
  readonly spaces: readonly string[]
  readonly foreignSpaces: readonly string[]
  /** How many processes are in pods of which no namespace is known. */
  readonly unplaced: number
}

const inOrder = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
const usersOf = (some: readonly Process[]): readonly string[] => inOrder(some.map(({ user }) => user))

/** Accounts that run the processes with these ids, and namespaces of those in pods, against the roster. Without one, pods are as all others. */
export function ownersOf(
  ids: readonly number[],
  processes: Processes['processes'],
  pods: Parsed<Pods>,
  roster: ReadonlySet<string> | null,
): Owners {
  const byId = new Map(processes.map((one) => [one.pid, one]))
  const found = ids.flatMap((id) => byId.get(id) ?? [])
  const known = pods.ok ? namespacesOf(pods.fact) : new Map<string, string>()
  const inPods = roster === null ? [] : found.filter((one) => podOf(one) !== null)
  const spaceOf = (one: Process): string | undefined => known.get(podOf(one) ?? '')
  const spaces = inOrder(inPods.flatMap((one) => spaceOf(one) ?? []))
  const unplaced = inPods.filter((one) => spaceOf(one) === undefined)
  const direct = found.filter((one) => !inPods.includes(one))
  const owners = usersOf(direct)
  const isOff = (user: string): boolean => roster !== null && !roster.has(user)
  const chosen = owners.filter(
    (owner) => isOff(owner) && isNumber(owner) && direct.every((one) => one.user !== owner || isInContainer(one)),
  )
  return {
    unseen: ids.filter((id) => !byId.has(id)),
    owners,
    foreign: owners.filter((owner) => isOff(owner) && !chosen.includes(owner)),
    unnamed: inOrder([...chosen, ...usersOf(unplaced).filter((user) => isOff(user) && user !== 'root')]),
    spaces: spaces.filter((name) => roster !== null && isOwnSpace(name, roster)),
    foreignSpaces: spaces.filter((name) => roster !== null && !isOwnSpace(name, roster)),
    unplaced: unplaced.length,
  }
}

/** What the namespaces of pods show about the processes in them. */
export const spaceSteps = ({ spaces, foreignSpaces }: Owners): readonly DraftObservation[] => [
  ...stepOn(
    contradicts,
    'GPU processes run in pods of Kubernetes namespaces that are not on the declared roster',
    foreignSpaces,
    tenancyPods,
  ),
  ...stepOn(
    supports,
    'GPU processes run in pods of Kubernetes namespaces on the declared roster, or of Kubernetes itself',
    spaces,
    tenancyPods,
  ),
]

/** What remains open about the owners of GPU processes. */
export function openOwners(
  { unseen, unnamed, unplaced }: Owners,
  what: string,
  probe: Probe<unknown>,
): readonly DraftObservation[] {
  return [
    ...(unseen.length > 0
      ? [unclear(`${unseen.length} of ${what} are not in the process list, so that their account is not known.`, probe)]
      : []),
    ...(unnamed.length > 0
      ? [
          unclear(
            `GPU processes in containers run under numbers that no account on the declared roster has: ${named(unnamed)}. An image chooses such a number; the owner of the container is not known from it.`,
            probe,
          ),
        ]
      : []),
    ...(unplaced > 0
      ? [unclear(`${unplaced} of ${what} are in pods of which the Kubernetes namespace is not known.`, tenancyPods)]
      : []),
  ]
}

/** Whose the processes with these ids are. */
function ownerSteps(
  ids: readonly number[],
  { processes }: Processes,
  pods: Parsed<Pods>,
  roster: ReadonlySet<string> | null,
  probe: Probe<unknown>,
): readonly DraftObservation[] {
  const found = ownersOf(ids, processes, pods, roster)
  const what = count(ids.length, 'GPU process', 'GPU processes')
  const open = openOwners(found, what, probe)
  return [
    ...open,
    ...spaceSteps(found),
    ...(found.foreign.length > 0
      ? [contradicts(`GPU processes belong to users not on the declared roster: ${named(found.foreign)}.`, probe)]
      : []),
    ...(roster === null ? [unclear(`${what}, and no roster was declared to identify their owners.`, probe)] : []),
    ...(open.length + found.foreign.length === 0 && found.owners.length > 0 && roster !== null
      ? [
          supports(
            `${found.spaces.length + found.foreignSpaces.length === 0 ? `${what}, all` : 'The other GPU processes are'} of users on the declared roster: ${named(found.owners)}.`,
            probe,
          ),
        ]
      : []),
  ]
}

/**
 * Everything on GPUs that has to do with whose they are: processes, memory that no one holds, programs that share a GPU, and GPUs that were
 * not queried. Slices of the tenant's own are reported and are no failure.
 */
export function gpuTenancySteps(
  readings: Pick<TenancyReadings, 'gpus' | 'processes' | 'pci' | 'kfd' | 'pods'>,
  context: Context,
): readonly DraftObservation[] {
  const { gpus } = readings
  return [
    ...unaskedSteps(readings),
    ...gpuProcessSteps(readings, context),
    ...(gpus.ok ? memorySteps(gpus.fact.gpus) : []),
    ...(gpus.ok ? sliceSteps(gpus.fact.gpus) : []),
    ...sharingSteps(readings, context),
    ...kfdSteps(readings, context),
  ]
}

/** GPUs whose processes nothing listed. */
export function unaskedSteps({ gpus, pci }: Pick<TenancyReadings, 'gpus' | 'pci'>): readonly DraftObservation[] {
  if (!pci.ok) return unclearAbout(pciDevices, pci)
  const listed = gpusOf(pci.fact.devices)
  const others = listed.filter((device) => device.vendor !== '1002' && !isNvidiaGpu(device))
  const isNeeded = listed.some(isNvidiaGpu) || !wasAnswered(gpus)
  return [
    ...(isNeeded ? unclearAbout(gpuNvidia, gpus) : []),
    ...(others.length > 0
      ? [
          unclear(
            `Processes were not read for ${count(others.length, 'GPU or accelerator', 'GPUs or accelerators')} of other manufacturers: ${named(others.map(({ address }) => address))}.`,
            pciDevices,
          ),
        ]
      : []),
  ]
}

/** Memory that no listed process holds, beyond what drivers keep for themselves. */
const SPARE_MIB = 2048
const SPARE_PART = 0.03

/** GPUs on which more memory is in use than the listed processes hold. */
export function memorySteps(gpus: readonly NvidiaGpu[]): readonly DraftObservation[] {
  const unheld = gpus.flatMap(({ address, memory: { totalMib, usedMib }, processes }) => {
    // A process of which the driver does not show the memory may hold any of it.
    if (usedMib === null || processes.some(({ memoryMib }) => memoryMib === null)) return []
    const rest = usedMib - processes.reduce((sum, { memoryMib }) => sum + (memoryMib ?? 0), 0)
    return rest > Math.max(SPARE_MIB, (totalMib ?? 0) * SPARE_PART) ? [{ address, rest }] : []
  })
  return unheld.length === 0
    ? []
    : [
        unclear(
          `Memory is in use on GPUs that no listed process holds: ${named(unheld.map(({ address, rest }) => `${address} ${Math.round(rest)} MiB`))}.`,
          gpuNvidia,
        ),
      ]
}

function sliceSteps(gpus: readonly NvidiaGpu[]): readonly DraftObservation[] {
  const sliced = gpus.filter(({ migMode }) => migMode === 'Enabled')
  const slices = sliced.reduce((sum, { migDevices }) => sum + migDevices, 0)
  return sliced.length === 0
    ? []
    : [
        supports(
          `${count(sliced.length, 'GPU')} divided into ${count(slices, 'slice')} (MIG) within this system: a division of its user’s own, reported.`,
          gpuNvidia,
        ),
      ]
}

/** Programs by which several processes share a GPU (MPS), by whose they are. */
function sharingSteps(
  { processes }: Pick<TenancyReadings, 'processes'>,
  context: Context,
): readonly DraftObservation[] {
  const roster = rosterOf(context)
  const found = processes.ok ? sharingProcesses(processes.fact) : []
  if (found.length === 0 || roster === null) return []
  const owners = [...new Set(found.map(({ user }) => user))].sort()
  const foreign = owners.filter((owner) => !roster.has(owner))
  return [
    foreign.length > 0
      ? contradicts(
          `GPUs are shared (MPS) by a service of users not on the declared roster: ${named(foreign)}.`,
          tenancyProcesses,
        )
      : supports(
          `GPUs are shared between processes (MPS) by a service of ${named(owners)}: a division of its user’s own, reported.`,
          tenancyProcesses,
        ),
  ]
}

function kfdSteps(
  { kfd, processes, pods }: Pick<TenancyReadings, 'kfd' | 'processes' | 'pods'>,
  context: Context,
): readonly DraftObservation[] {
  if (!kfd.ok || !processes.ok) return unclearAbout(tenancyKfd, kfd)
  return kfd.fact.ids.length === 0 ? [] : ownerSteps(kfd.fact.ids, processes.fact, pods, rosterOf(context), tenancyKfd)
}

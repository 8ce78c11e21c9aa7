import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, named, supports, unclear } from '../../../base/steps.ts'
import { infiniband } from '../../../hardware/fabric/index.ts'
import { BASEBOARD, boardOf, isNvSwitch, isVirtualGpuName } from '../../../hardware/gpu/models.ts'
import { gpuNvidia, gpuNvlink, type NvidiaGpu } from '../../../hardware/gpu/nvidia.ts'
import { gpuFabric, gpuServiceRuns } from '../../../hardware/gpu/probes.ts'
import { claimedGraph, compareWithPci, type Disagreement, gpuTopology } from '../../../hardware/gpu/topology.ts'
import { type PciDevice, pciDevices } from '../../../hardware/pci/probes.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import {
  hintSign,
  metal,
  neutral,
  notApplicable,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { lacksNvidia, onNvidia, onPci } from './fabric.ts'
import { partSignals } from './gpu-parts.ts'

const modulesOf = (devices: readonly PciDevice[]): readonly PciDevice[] =>
  devices.filter((device) => boardOf(device) !== null)

const topo: Signal = {
  id: 'gpu.topo',
  family: 'gpu',
  title: 'How the GPUs reach each other, against the PCI tree',
  onMetal: 'switches join GPUs and adapters, in the driver’s words and in the PCI tree alike',
  onGuest: 'every way runs through a processor, or the driver names switches that the tree does not have',
  spoofingEffort: 'S1',
  pitfalls: [
    'Servers with GPUs as cards have no switches, and neither have boards with four GPUs.',
    'A guest can be given a model of a switch, which the driver then finds.',
    'Pairs joined by NVLink are no evidence about PCI.',
  ],
  source:
    'nvidia-smi(1), topo; NVML reference, nvmlGpuTopologyLevel_t; Documentation/ABI/testing/sysfs-bus-pci. Measured: PIX between two GPUs on the root bus of one guest, without a switch.',
  probes: [gpuTopology, gpuNvidia, pciDevices, infiniband],
  observe(read) {
    const none = lacksNvidia(read)
    if (none !== null) return none
    const matrix = read(gpuTopology)
    if (!matrix.ok) return unreadable(gpuTopology, matrix.reason)
    const [driver, pci, fabric] = [read(gpuNvidia), read(pciDevices), read(infiniband)]
    const parts = [...matrix.fact.rows.flatMap(({ cells }) => [...cells.values()])].filter((cell) => cell !== 'X')
    const summary = parts.length === 0 ? 'a GPU alone' : named([...new Set(parts)].sort(), 6)
    if (!driver.ok) return unreadable(gpuNvidia, driver.reason)
    if (!pci.ok) return unreadable(pciDevices, pci.reason)
    if (driver.fact.gpus.length !== matrix.fact.links.size)
      return neutral(summary, unclear('The two lists of GPUs by the driver differ in length.', gpuTopology))
    const graph = claimedGraph(matrix.fact, {
      gpus: driver.fact.gpus,
      adapters: fabric.ok ? fabric.fact.adapters : [],
    })
    const { disagreements, switched, compared } = compareWithPci(graph, pci.fact.devices)
    const signs = [...disagreementSigns(disagreements), ...detourSigns(read, pci.fact.devices, graph.edges)]
    if (signs.length > 0) return virtual(`${summary}; ${count(compared, 'pair')} compared with the tree`, ...signs)
    return switched > 0
      ? metal(
          summary,
          supports(
            `The driver reports switches between ${count(switched, 'pair')} of GPUs and adapters, and the PCI tree shows those switches.`,
            gpuTopology,
          ),
        )
      : neutral(summary)
  },
}

function disagreementSigns(disagreements: readonly Disagreement[]): readonly Sign[] {
  const of = (what: Disagreement['what']): readonly Disagreement[] =>
    disagreements.filter((disagreement) => disagreement.what === what)
  const pairs = (some: readonly Disagreement[]): string =>
    named(
      some.map(({ from, to, claimed }) => `${from}–${to} ${claimed}`),
      3,
    )
  const [claimed, denied, distance] = [of('switch-claimed'), of('switch-denied'), of('distance')]
  const signOf = (weight: Sign['weight'], text: string): Sign => sign(weight, null, contradicts(text, gpuTopology))
  return [
    ...(claimed.length > 0
      ? [
          signOf(
            'odd',
            `The driver reports a switch between ${count(claimed.length, 'pair')} of GPUs and adapters (${pairs(claimed)}), but the PCI tree has no bridge common to both.`,
          ),
        ]
      : []),
    ...(denied.length > 0
      ? [
          signOf(
            'hint',
            `${count(denied.length, 'pair')} of GPUs and adapters (${pairs(denied)}) hang on one bridge of the PCI tree, and the driver sends them through a processor.`,
          ),
        ]
      : []),
    ...(distance.length > 0
      ? [
          signOf(
            'hint',
            `Driver and PCI tree differ on whether ${count(distance.length, 'pair')} of GPUs and adapters (${pairs(distance)}) share a root of the processor.`,
          ),
        ]
      : []),
  ]
}

/** A whole baseboard with adapters, and not one switch on any way: servers built around such boards have them. */
function detourSigns(
  read: Read,
  devices: readonly PciDevice[],
  edges: readonly { readonly from: string; readonly to: string; readonly kind: string }[],
): readonly Sign[] {
  const toAdapters = edges.filter(({ from, to }) => from.startsWith('GPU') !== to.startsWith('GPU'))
  const isDetour = toAdapters.length > 0 && toAdapters.every(({ kind }) => ['PHB', 'NODE', 'SYS', 'SOC'].includes(kind))
  return modulesOf(devices).length >= BASEBOARD && isDetour && read(infiniband).ok
    ? [
        hintSign(
          'Every way between GPUs and adapters runs through a processor; servers for boards with eight such GPUs join them by switches.',
          gpuTopology,
        ),
      ]
    : []
}

/** How many GPUs of a board a guest is given: NVIDIA's partitions of one are 1, 2, 4 and 8. With another number some may have failed. */
const GIVEN_AWAY: readonly number[] = [1, 2, 4]

const nvswitch: Signal = {
  id: 'gpu.nvswitch',
  family: 'gpu',
  title: 'The rest of the GPUs’ baseboard',
  onMetal:
    'boards of eight GPUs with their NVSwitches on the bus: six (A100) or four (H100, H200); boards of eight B200 or B300; modules of Grace with one or two',
  onGuest: 'one, two or four of the GPUs without the rest, or eight without the switches',
  spoofingEffort: 'S1',
  pitfalls: [
    'A guest that is given the whole board shows the switches too: measured on one provider’s A100 guest with all six.',
    'A broken GPU is missing on hardware as well, and boards of four A100 or H100 have no switches.',
    'The switches of boards after Hopper are no PCI functions: for eight B200 the bus does not show whether the customer has them.',
    'Adapters that carry a single module exist, for a workbench.',
  ],
  source:
    'pci.ids (10de:1af1, 22a3, 2901, 2941, 3182, 31c2); NVIDIA fabric manager guide, “shared NVSwitch and full passthrough”; data sheets of HGX B200 and B300, GB200 NVL72 and NVL4, GH200. Measured: 6 × 10de:1af1, 4 × 10de:22a3 on two servers.',
  probes: [pciDevices],
  observe: (read) =>
    onPci(read, (devices) => {
      const [gpus, switches] = [modulesOf(devices), devices.filter(isNvSwitch)]
      if (gpus.length === 0 && switches.length === 0)
        return notApplicable('The PCI bus has no GPU of a kind that comes on baseboards with NVSwitches.')
      const summary = `${count(gpus.length, 'module')}, ${count(switches.length, 'NVSwitch', 'NVSwitches')}`
      const board = gpus[0] === undefined ? null : boardOf(gpus[0])
      const signOf = (weight: Sign['weight'], text: string): Sign =>
        sign(weight, null, contradicts(text, pciDevices, 'ids'))
      if (board !== null && gpus.length < board.fewest)
        return virtual(
          summary,
          signOf(
            GIVEN_AWAY.includes(gpus.length) ? 'odd' : 'hint',
            `${count(gpus.length, 'GPU')} of a kind of which hardware has ${board.fewest} or more (${board.family}): the others are not on this bus.`,
          ),
        )
      if (board === null || gpus.length < BASEBOARD || board.switches === 0) return neutral(summary)
      const expected = board.switches * Math.floor(gpus.length / BASEBOARD)
      if (switches.length === 0)
        return virtual(
          summary,
          signOf(
            'odd',
            `${count(gpus.length, 'GPU')} of a ${board.family} board, and none of its ${expected} NVSwitches is on the bus: they remain with the operator of the machine.`,
          ),
        )
      return switches.length === expected
        ? metal(
            summary,
            supports(
              `All ${expected} NVSwitches of the ${board.family} board are on the bus with its ${gpus.length} GPUs.`,
              pciDevices,
              'ids',
            ),
          )
        : neutral(summary, unclear(`${switches.length} of ${expected} NVSwitches are on the bus.`, pciDevices, 'ids'))
    }),
}

const nvlink: Signal = {
  id: 'gpu.nvlink',
  family: 'gpu',
  title: 'NVLink between the GPUs',
  onMetal: 'all links of every GPU on a baseboard run, and the fabric is complete',
  onGuest: 'no link runs, where GPUs of one board go to several guests',
  spoofingEffort: 'S1',
  pitfalls: [
    'A guest with a whole board shows the same as hardware.',
    'Links are down on hardware too, until the fabric manager has started, or where MIG is on.',
    'A Grace Hopper module alone has nothing to be linked to.',
  ],
  source:
    'nvidia-smi(1), nvlink; NVML reference, nvmlGpuFabricInfo_t; NVIDIA fabric manager guide; data sheets for the number of links: 12 (A100), 18 (H100 and later), 8 (A800, H800).',
  probes: [gpuNvlink, gpuNvidia, gpuFabric, pciDevices],
  observe(read) {
    const none = lacksNvidia(read)
    if (none !== null) return none
    const links = read(gpuNvlink)
    if (!links.ok) return unreadable(gpuNvlink, links.reason)
    const linked = links.fact.gpus.filter(({ active, inactive }) => active + inactive > 0)
    const pci = read(pciDevices)
    const onBoards = pci.ok ? modulesOf(pci.fact.devices) : []
    const modules = onBoards.length
    const board = onBoards[0] === undefined ? null : boardOf(onBoards[0])
    if (linked.length === 0 && modules === 0) return notApplicable('No GPU with NVLink.')
    if (modules > 0 && links.fact.gpus.length === 0)
      return unreadable(gpuNvlink, 'the driver did not report which links its GPUs have')
    const running = linked.reduce((sum, { active }) => sum + active, 0)
    const down = linked.reduce((sum, { inactive }) => sum + inactive, 0)
    const summary = `${count(running, 'link')} run, ${down} do not, on ${count(links.fact.gpus.length, 'GPU')}`
    // A module with one GPU has nothing to link it to, unless others stand next to it.
    if (board === null || (running === 0 && board.fewest === 1)) return neutral(summary)
    if (running === 0)
      return virtual(
        summary,
        hintSign(
          `No NVLink runs on ${count(modules, 'GPU')} of a kind that is built to be linked: so it is where the GPUs of one board go to several guests, or before the fabric is up.`,
          gpuNvlink,
        ),
      )
    const [driver, services] = [read(gpuNvidia), read(gpuFabric)]
    const isComplete =
      driver.ok && driver.fact.gpus.every(({ fabric }) => fabric.state === null || /^completed$/i.test(fabric.state))
    const manages = services.ok && gpuServiceRuns(services.fact, 'nvidia-fabricmanager')
    const isLinked = linked.length === links.fact.gpus.length && linked.every(({ active }) => active === board.links)
    return down === 0 && isComplete && isLinked && modules > 1 && modules >= board.fewest
      ? metal(
          summary,
          supports(
            `All ${running} NVLinks of ${count(linked.length, 'GPU')} run${manages ? ', and this system manages their switches itself' : ''}.`,
            gpuNvlink,
          ),
        )
      : neutral(summary)
  },
}

const boardSignals: readonly Signal[] = [topo, nvswitch, nvlink]

const against = (weight: Sign['weight'], text: string): Sign => sign(weight, null, contradicts(text, gpuNvidia))
const addresses = (gpus: readonly NvidiaGpu[]): string =>
  named(
    gpus.map(({ address }) => address),
    4,
  )

const mode: Signal = {
  id: 'gpu.mode',
  family: 'gpu',
  title: 'How the GPUs are attached, by their driver',
  onMetal: 'None, or Host VGPU on a host that serves virtual GPUs',
  onGuest: 'Pass-Through or VGPU, or a name such as L40S-2Q that only virtual GPUs have',
  spoofingEffort: 'S0',
  pitfalls: [
    'The driver concludes it from the processor’s hypervisor flag: a guest with the flag hidden reports None.',
    'A host that runs under its own hypervisor (Hyper-V’s root, Xen’s control domain) can report Pass-Through.',
  ],
  source:
    'NVML reference, nvmlGpuVirtualizationMode_t; NVIDIA vGPU software, “virtual GPU types”. Measured: Pass-Through on A10G, T4, V100, RTX 3080 and GH200 guests.',
  probes: [gpuNvidia, pciDevices],
  observe: (read) =>
    onNvidia(read, ({ gpus }, listed) => {
      const given = gpus.filter(({ virtualization }) => /^Pass-?Through$/i.test(virtualization))
      const parts = gpus.filter(({ virtualization }) => /^VGPU$/i.test(virtualization))
      const called = gpus.filter((gpu) => isVirtualGpuName(gpu.name) && !parts.includes(gpu))
      const hosts = gpus.filter(({ virtualization }) => /^Host (VGPU|VSGA)$/i.test(virtualization))
      const summary = named([...new Set(gpus.map(({ virtualization }) => virtualization))], 4)
      const signs = [
        ...(given.length > 0
          ? [
              against(
                'names',
                `The GPU driver reports ${count(given.length, 'GPU')} as assigned to a guest (${quote(given[0]?.virtualization ?? '')}).`,
              ),
            ]
          : []),
        ...(parts.length > 0
          ? [
              against(
                'names',
                `The GPU driver reports ${count(parts.length, 'GPU')} as virtual (${quote(parts[0]?.virtualization ?? '')}).`,
              ),
            ]
          : []),
        ...(called.length > 0
          ? [
              against(
                'names',
                `A GPU is called ${quote(called[0]?.name ?? '')}: the name of a virtual GPU of that size, which no board has.`,
              ),
            ]
          : []),
      ]
      if (signs.length > 0) return virtual(summary, ...signs)
      const native = gpus.filter(({ virtualization }) => /^(None|Host (VGPU|VSGA))$/i.test(virtualization))
      if (native.length < gpus.length)
        return neutral(
          summary,
          unclear(
            `The GPU driver does not report how ${count(gpus.length - native.length, 'GPU')} are attached.`,
            gpuNvidia,
          ),
        )
      if (listed !== native.length)
        return neutral(
          summary,
          unclear(
            listed === null
              ? `The GPU driver calls ${count(native.length, 'GPU')} native, and the PCI bus was not read.`
              : `The PCI bus has ${count(listed, 'NVIDIA GPU')}, and the driver reports ${native.length} as native.`,
            gpuNvidia,
          ),
        )
      return metal(
        summary,
        supports(`The GPU driver reports no GPU as assigned to a guest (${listed} of ${listed} read).`, gpuNvidia),
        ...(hosts.length > 0
          ? [unclear(`${count(hosts.length, 'GPU')} can serve virtual GPUs to guests of this system.`, gpuNvidia)]
          : []),
      )
    }),
}

const isArm = (read: Read): boolean => {
  const cpu = read(cpuFeatures)
  return cpu.ok && cpu.fact.architecture === 'arm64'
}

const hostlink: Signal = {
  id: 'gpu.hostlink',
  family: 'gpu',
  title: 'The port above the GPU, by its driver',
  onMetal: 'a generation of PCI Express, such as 4 or 5',
  onGuest: 'N/A: the driver sees no real port',
  spoofingEffort: 'S0',
  pitfalls: [
    'Derived from the same decision as the mode in guests that report Pass-Through: no second piece of evidence there.',
    'Drivers before 2022 do not print it.',
    'GPUs that share a package with their processor may have no port of their own.',
  ],
  source:
    'nvidia-smi(1), “Host Max”. Measured: N/A in all 4 guests with a GPU that print it, a number on all 17 native GPUs that do.',
  probes: [gpuNvidia, pciDevices, cpuFeatures],
  observe: (read) =>
    onNvidia(read, ({ gpus }) => {
      const asked = gpus.filter(({ maxHostLink }) => maxHostLink !== null && maxHostLink !== '')
      if (asked.length === 0) return neutral('not printed by this driver')
      const unlinked = asked.filter(({ maxHostLink }) => maxHostLink === 'N/A')
      const numbered = asked.filter(({ maxHostLink }) => /^[1-9]$/.test(maxHostLink ?? ''))
      const summary = named([...new Set(asked.map(({ maxHostLink }) => maxHostLink ?? ''))], 4)
      if (unlinked.length > 0) {
        const claimsNative = unlinked.some(({ virtualization }) => virtualization === 'None')
        const onPackage =
          isArm(read) || unlinked.every(({ c2c, link }) => c2c === 'Enabled' || link.deviceGeneration === null)
        return virtual(
          summary,
          claimsNative && !onPackage
            ? against(
                'odd',
                `The GPU driver reports “None” for virtualization of ${count(unlinked.length, 'GPU')} (${addresses(unlinked)}), and detects no real port above.`,
              )
            : against('hint', `The GPU driver sees no real port above ${count(unlinked.length, 'GPU')}.`),
        )
      }
      return numbered.length === gpus.length
        ? metal(summary, supports(`The GPU driver sees a real port above ${count(numbered.length, 'GPU')}.`, gpuNvidia))
        : neutral(summary)
    }),
}

const licence: Signal = {
  id: 'gpu.licence',
  family: 'gpu',
  title: 'Licence for virtual GPUs',
  onMetal: 'none; a workstation licence on a few hosts',
  onGuest: 'a licensed product of the vGPU software',
  spoofingEffort: 'S0',
  pitfalls: [
    'The vGPU software also licenses whole GPUs on hardware and in guests: only with the mode VGPU is it more than a hint.',
    'A guest with a whole GPU needs no licence.',
  ],
  source: 'NVIDIA vGPU software, client licensing user guide; nvidia-smi(1), “vGPU Software Licensed Product”.',
  probes: [gpuNvidia, pciDevices],
  observe: (read) =>
    onNvidia(read, ({ gpus }) => {
      const licensed = gpus.flatMap(({ licence: found, virtualization }) =>
        found === null ? [] : [{ ...found, isVirtual: /^VGPU$/i.test(virtualization) }],
      )
      const [first] = licensed
      if (first === undefined) return neutral('no licensed product')
      return virtual(
        named([...new Set(licensed.map(({ product }) => product))], 3),
        against(
          licensed.some(({ isVirtual }) => isVirtual) ? 'odd' : 'hint',
          `The GPU driver takes part in licensing of virtual GPUs: ${quote(first.product)}, ${quote(first.status)}.`,
        ),
      )
    }),
}

/** Signals of the driver about its GPUs, the devices around them on their board, and their partitioning. */
export const gpuSignals: readonly Signal[] = [mode, hostlink, licence, ...boardSignals, ...partSignals]

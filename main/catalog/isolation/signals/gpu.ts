import { quote } from '../../../core/plain-text.ts'
import { isVirtualGpuName } from '../../gpu/models.ts'
import { gpuNvidia, type NvidiaGpu } from '../../gpu/nvidia.ts'
import { pciDevices } from '../../pci/probes.ts'
import { cpuFeatures } from '../../processors/features.ts'
import { contradicts, count, named, supports, unclear } from '../../steps.ts'
import { metal, neutral, type Read, type Sign, type Signal, sign, virtual } from '../signal.ts'
import { boardSignals } from './gpu-board.ts'
import { partSignals } from './gpu-parts.ts'
import { onNvidia } from './on-gpu.ts'

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
      const said = named([...new Set(gpus.map(({ virtualization }) => virtualization))], 4)
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
      if (signs.length > 0) return virtual(said, ...signs)
      const native = gpus.filter(({ virtualization }) => /^(None|Host (VGPU|VSGA))$/i.test(virtualization))
      if (native.length < gpus.length)
        return neutral(
          said,
          unclear(
            `The GPU driver does not report how ${count(gpus.length - native.length, 'GPU')} are attached.`,
            gpuNvidia,
          ),
        )
      if (listed !== native.length)
        return neutral(
          said,
          unclear(
            listed === null
              ? `The GPU driver calls ${count(native.length, 'GPU')} native, and the PCI bus was not read.`
              : `The PCI bus has ${count(listed, 'NVIDIA GPU')}, and the driver reports ${native.length} as native.`,
            gpuNvidia,
          ),
        )
      return metal(
        said,
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
      const said = named([...new Set(asked.map(({ maxHostLink }) => maxHostLink ?? ''))], 4)
      if (unlinked.length > 0) {
        const claimsNative = unlinked.some(({ virtualization }) => virtualization === 'None')
        const onPackage =
          isArm(read) || unlinked.every(({ c2c, link }) => c2c === 'Enabled' || link.deviceGeneration === null)
        return virtual(
          said,
          claimsNative && !onPackage
            ? against(
                'odd',
                `The GPU driver reports “None” for virtualization of ${count(unlinked.length, 'GPU')} (${addresses(unlinked)}), and detects no real port above.`,
              )
            : against('hint', `The GPU driver sees no real port above ${count(unlinked.length, 'GPU')}.`),
        )
      }
      return numbered.length === gpus.length
        ? metal(said, supports(`The GPU driver sees a real port above ${count(numbered.length, 'GPU')}.`, gpuNvidia))
        : neutral(said)
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

/** What the driver reports about its GPUs, what stands around them on their board, and how they are cut into parts. */
export const gpuSignals: readonly Signal[] = [mode, hostlink, licence, ...boardSignals, ...partSignals]

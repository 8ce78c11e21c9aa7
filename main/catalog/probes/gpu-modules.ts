import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete, sysfsFound } from '../isolation/listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  foundLines,
  grepIsComplete,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
} from '../read-text.ts'

/** What the kernel module of NVIDIA’s driver reports about a GPU, without the tools of the driver. */
export interface DrivenGpu {
  readonly address: string
  readonly model: string
  readonly uuid: string | null
  readonly vbios: string | null
}
export interface GpuModules {
  /** Loaded modules that drive GPUs, or lend them to guests. */
  readonly modules: readonly string[]
  /** Version of NVIDIA’s kernel module; null where it is not loaded. */
  readonly driver: string | null
  readonly gpus: readonly DrivenGpu[]
  /** Devices that the kernel can divide into virtual ones (mediated devices). */
  readonly dividing: readonly string[]
}

const ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/
const DIVIDING = '/sys/class/mdev_bus'

/** proc_modules(5); NVIDIA driver README, "proc file system interface"; Documentation/driver-api/vfio-mediated-device.rst. */
export const gpuModules = defineProbe({
  id: 'gpu.modules',
  title: 'GPU drivers in the kernel',
  why: 'Shows which GPUs the kernel drives, and whether it can assign parts of them to virtual machines.',
  commands: {
    modules: run(
      [
        'grep',
        '-H',
        '-E',
        '^(nvidia|nvidia_uvm|nvidia_vgpu_vfio|nouveau|nova_core|amdgpu|gim|i915|xe|kvmgt|mdev|vfio_pci) |^Linux$',
        '/proc/modules',
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
    cards: run(
      ['grep', '-H', '', '/proc/driver/nvidia/version', glob('/proc/driver/nvidia/gpus/*/information'), ALWAYS_FILE],
      OF_ALWAYS_FILE,
    ),
    dividing: run(['ls', '-1', DIVIDING, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
  },
  parse({ modules, cards, dividing }) {
    if (!grepIsComplete(modules)) return unknown('the loaded modules could not be read')
    if (!grepIsComplete(cards)) return unknown('the GPU driver’s report in /proc could not be read')
    if (!listingIsComplete(dividing)) return unknown('the mediated devices could not be listed')
    const said = sysfsFound(cards.text, ['version', 'information'])
    return known<GpuModules>({
      modules: foundLines(modules.text).flatMap(({ line }) => /^\w{1,64}(?= )/.exec(line)?.[0] ?? []),
      driver:
        said.flatMap(({ line }) => /^NVRM version: .*?\s(\d{2,4}\.\d{1,4}(?:\.\d{1,4})?)\s/.exec(line)?.[1] ?? [])[0] ??
        null,
      gpus: gpusOf(said),
      dividing: (listedFolders(dividing.text).get(DIVIDING) ?? []).filter((name) => ADDRESS.test(name)),
    })
  },
})

function gpusOf(said: readonly { readonly path: string; readonly line: string }[]): readonly DrivenGpu[] {
  const fields = new Map<string, Map<string, string>>()
  for (const { path, line } of said) {
    const address = path.split('/').at(-2)?.toLowerCase() ?? ''
    const colon = line.indexOf(':')
    if (!ADDRESS.test(address) || colon < 1) continue
    const own = fields.get(address) ?? new Map<string, string>()
    fields.set(
      address,
      own.set(
        line.slice(0, colon).trim(),
        line
          .slice(colon + 1)
          .trim()
          .slice(0, 200),
      ),
    )
  }
  // Question marks stand where the driver has not started the GPU.
  const read = (text: string | undefined): string | null => (text === undefined || /^\?|\?\?/.test(text) ? null : text)
  return [...fields].map(([address, own]) => ({
    address,
    model: own.get('Model') ?? '',
    uuid: read(own.get('GPU UUID')),
    vbios: read(own.get('Video BIOS')),
  }))
}

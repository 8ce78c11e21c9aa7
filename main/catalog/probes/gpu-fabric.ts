import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { unitBlocks } from '../read-text.ts'

export interface GpuService {
  readonly unit: string
  /** Whether the service manager knows such a unit at all. */
  readonly loaded: boolean
  readonly active: boolean
}
export interface GpuServices {
  readonly services: readonly GpuService[]
}

// The fabric manager runs where the NVSwitches are: on the hardware's own system, or in a guest that was given them too. IMEX joins
// servers of one rack; vgpud and vgpu-mgr run on a host that lends virtual GPUs; gridd fetches licences in a guest that has one.
const UNITS = ['nvidia-fabricmanager', 'nvidia-imex', 'nvidia-vgpud', 'nvidia-vgpu-mgr', 'nvidia-gridd'] as const

export type GpuUnit = (typeof UNITS)[number]

/** systemctl(1) show prints every unit requested, those unknown with LoadState=not-found, and changes nothing. */
export const gpuFabric = defineProbe({
  id: 'gpu.fabric',
  title: 'Services that manage the GPUs',
  why: 'Shows whether this system manages the switches between its GPUs itself, and whether it provides or uses virtual GPUs.',
  commands: {
    units: run([
      'systemctl',
      'show',
      '--property=Id,LoadState,ActiveState,UnitFileState',
      ...UNITS.map((unit) => `${unit}.service`),
    ]),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    const blocks = unitBlocks(units.text, UNITS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    return known<GpuServices>({
      services: UNITS.map((unit, index) => ({
        unit,
        loaded: blocks[index]?.get('LoadState') === 'loaded',
        active: blocks[index]?.get('ActiveState') === 'active',
      })),
    })
  },
})

export const gpuServiceRuns = ({ services }: GpuServices, unit: GpuUnit): boolean =>
  services.some((service) => service.unit === unit && service.active)

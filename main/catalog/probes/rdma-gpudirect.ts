import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, isAbsent, lines } from '../read-text.ts'

export interface GpuDirect {
  /** Loaded modules that let adapters or drives reach GPU memory without a detour, and RDMA devices made of software. */
  readonly modules: readonly string[]
  /** The kernel shows the driver of GPUDirect Storage. */
  readonly hasStorageDriver: boolean
}

/** NVIDIA's GPUDirect RDMA and GPUDirect Storage guides name the modules; proc_modules(5). */
export const rdmaGpudirect = defineProbe({
  id: 'rdma.gpudirect',
  title: 'Direct paths between GPUs, fabric and drives',
  why: 'Shows whether the fabric adapters can reach GPU memory directly, which needs real adapters or whole passed-through functions.',
  commands: {
    modules: run(['grep', '-E', '^(nvidia_peermem|nv_peer_mem|gdrdrv|nvidia_fs|rdma_rxe|siw) ', '/proc/modules']),
    drivers: run(['ls', '-1', '/proc/driver']),
  },
  parse({ modules, drivers }) {
    if (!grepIsComplete(modules)) return unknown('the loaded modules could not be read')
    if (drivers.exitCode !== 0 && !isAbsent(drivers)) return unknown('the drivers could not be listed')
    return known<GpuDirect>({
      modules: lines(modules.text).flatMap((line) => /^\w{1,64}(?= )/.exec(line)?.[0] ?? []),
      hasStorageDriver: drivers.exitCode === 0 && lines(drivers.text).includes('nvidia-fs'),
    })
  },
})

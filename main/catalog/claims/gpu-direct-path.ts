import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { type GpuDirect, rdmaGpudirect } from '../probes/rdma-gpudirect.ts'
import { decide, named, supports, unclear } from '../steps.ts'
import { NVIDIA, withoutGpu } from './gpu-bus.ts'
import { oneOf } from './values.ts'

const KINDS = ['rdma', 'storage'] as const
type Kind = (typeof KINDS)[number]

/** NVIDIA GPUDirect RDMA guide (nvidia-peermem, nv_peer_mem before it); GPUDirect Storage guide (nvidia-fs). */
const MODULES: Readonly<Record<Kind, readonly string[]>> = {
  rdma: ['nvidia_peermem', 'nv_peer_mem'],
  storage: ['nvidia_fs'],
}
const WORDS: Readonly<Record<Kind, string>> = { rdma: 'GPUDirect RDMA', storage: 'GPUDirect Storage' }

const LIMITS =
  'Modules of the kernel that are loaded at one moment. Newer releases can work without them, so that their absence decides nothing; whether data takes the direct path, and how fast, was not tried.'

export const gpuDirectPath: ClaimTest = {
  id: 'gpu.direct-path',
  title: 'The kernel module of the claimed direct path to GPU memory is loaded.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: LIMITS,
  of(value) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    return defineCheck({
      id: 'gpu.direct-path',
      property: 'operations',
      expected: `A kernel module of ${WORDS[kind]} is loaded and there is an NVIDIA GPU.`,
      limitations: LIMITS,
      requires: { pci: pciDevices, direct: rdmaGpudirect },
      evaluate({ pci, direct }) {
        const none = withoutGpu(pci, NVIDIA)
        if (none !== null) return decide([none])
        const loaded = direct.modules.filter((name) => MODULES[kind].includes(name))
        return decide([
          loaded.length > 0 && isReady(direct, kind)
            ? supports(`Loaded: ${named(loaded)}.`, rdmaGpudirect)
            : unclear(`No module of ${WORDS[kind]} is ready; newer releases can work without one.`, rdmaGpudirect),
        ])
      },
    })
  },
}

const isReady = ({ hasStorageDriver }: GpuDirect, kind: Kind): boolean => kind === 'rdma' || hasStorageDriver

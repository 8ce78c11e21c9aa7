import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'

export interface NvidiaGpu {
  /** As in the PCI list: four-digit domain, lower case. */
  readonly address: string
  readonly name: string
  readonly uuid: string
  readonly serial: string
  /** None, Pass-Through, VGPU, Host VGPU, Host VSGA: the driver's own conclusion. */
  readonly virtualization: string
  readonly migMode: string
  readonly migDevices: number
  /** Generation of the link's host side; N/A where the driver sees no real port above. */
  readonly maxHostLink: string | null
  readonly processes: readonly { readonly pid: number; readonly type: string }[]
}
export interface NvidiaGpus {
  readonly driver: string
  readonly gpus: readonly NvidiaGpu[]
}

/** nvidia-smi(1), -q -x. The form follows nvsmi_device_v12.dtd; only the named fields are read. */
export const gpuNvidia = defineProbe({
  id: 'gpu.nvidia',
  title: 'NVIDIA GPUs',
  why: 'Shows whether the GPUs are whole, native and used by known processes only.',
  commands: { query: run(['nvidia-smi', '-q', '-x'], { timeoutSeconds: 60 }) },
  parse: ({ query }) => (query.exitCode === 0 ? parseNvidiaSmi(query.text) : unknown('the GPU driver did not answer')),
})

export function parseNvidiaSmi(text: string): Parsed<NvidiaGpus> {
  const count = Number(/<attached_gpus>\s*(\d{1,4})\s*</.exec(text)?.[1] ?? Number.NaN)
  const gpus = text.split('<gpu id="').slice(1).map(readGpu)
  if (!text.trimEnd().endsWith('</nvidia_smi_log>') || gpus.length !== count || gpus.includes(null))
    return unknown('the answer of nvidia-smi is not complete')
  return known({ driver: value(text, 'driver_version'), gpus: gpus.filter((gpu) => gpu !== null) })
}

function readGpu(block: string): NvidiaGpu | null {
  const [, domain, rest] = /^([0-9A-Fa-f]{4,8}):([0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])"/.exec(block) ?? []
  if (domain === undefined || rest === undefined || !block.includes('</gpu>')) return null
  const processes = section(block, 'processes').split('<process_info>').slice(1)
  const mode = section(block, 'gpu_virtualization_mode')
  return {
    address: `${domain.slice(-4)}:${rest}`.toLowerCase(),
    name: value(block, 'product_name'),
    uuid: value(block, 'uuid'),
    serial: value(block, 'serial'),
    virtualization: value(mode, 'virtualization_mode'),
    migMode: value(block, 'current_mig'),
    migDevices: section(block, 'mig_devices').split('<mig_device>').length - 1,
    maxHostLink: /<max_host_link_gen>/.test(block) ? value(block, 'max_host_link_gen') : null,
    processes: processes.flatMap((entry) => {
      const pid = /<pid>\s*(\d{1,10})\s*</.exec(entry)?.[1]
      return pid === undefined ? [] : [{ pid: Number(pid), type: value(entry, 'type') }]
    }),
  }
}

function section(text: string, tag: string): string {
  const start = text.indexOf(`<${tag}>`)
  const end = text.indexOf(`</${tag}>`, start)
  return start < 0 || end < 0 ? '' : text.slice(start + tag.length + 2, end)
}

const value = (text: string, tag: string): string => section(text, tag).trim().slice(0, 200)

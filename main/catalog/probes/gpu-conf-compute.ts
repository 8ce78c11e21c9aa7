import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface GpuConfidential {
  readonly isOn: boolean
  /** The mode in which several GPUs and their switches are protected together: they are then part of a confidential guest too. */
  readonly isProtectedGroup: boolean
  /** What the driver states the processor offers, such as INTEL TDX or AMD SEV; null where it names none. */
  readonly processor: string | null
  /** Whether the GPUs could do it. */
  readonly isCapable: boolean
}

/** nvidia-smi(1), conf-compute -q; NVIDIA’s deployment guide for confidential computing. */
export const gpuConfCompute = defineProbe({
  id: 'gpu.conf-compute',
  title: 'Confidential computing of the GPUs',
  why: 'Shows whether GPU memory and transfers are encrypted; GPUs do so only for a confidential virtual machine.',
  commands: { state: run(['nvidia-smi', 'conf-compute', '-q'], { timeoutSeconds: 60 }) },
  parse: ({ state }) => {
    const read = parseConfCompute(state.text)
    if (read.ok && state.exitCode === 0) return read
    const said = `${state.text.slice(0, 2000)}${state.errorText.slice(0, 2000)}`
    return /not supported/i.test(said)
      ? known({ isOn: false, isProtectedGroup: false, processor: null, isCapable: false })
      : unknown('the GPU driver did not report whether confidential computing is on')
  },
})

export function parseConfCompute(text: string): Parsed<GpuConfidential> {
  const fields = new Map(
    lines(text.slice(0, 20_000)).flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const]
    }),
  )
  const state = fields.get('cc state') ?? fields.get('cc status')
  if (state === undefined || !/^(on|off)$/i.test(state))
    return unknown('the output of nvidia-smi about confidential computing has an unexpected format')
  const processor = fields.get('cpu cc capabilities')
  return known({
    isOn: /^on$/i.test(state),
    isProtectedGroup: /^protected/i.test(fields.get('multi-gpu mode') ?? ''),
    processor: processor === undefined || /^(none|n\/a|)$/i.test(processor) ? null : processor.slice(0, 80),
    isCapable: /^cc capable$/i.test(fields.get('gpu cc capabilities') ?? ''),
  })
}

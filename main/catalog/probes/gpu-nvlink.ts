import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface GpuLinks {
  readonly index: number
  readonly uuid: string | null
  /** Links that run, and their speed in GB/s, slowest and fastest. */
  readonly active: number
  readonly speeds: readonly [slowest: number, fastest: number] | null
  readonly inactive: number
}
export interface NvLinks {
  /** GPUs of which the driver listed links; one without NVLink has no entry. */
  readonly gpus: readonly GpuLinks[]
}

/** nvidia-smi(1), nvlink -s: a line per link with its speed, or "<inactive>". */
export const gpuNvlink = defineProbe({
  id: 'gpu.nvlink',
  title: 'GPU NVLink state',
  why: 'Shows which of the direct links between GPUs are active; a GPU assigned on its own to a guest has none.',
  commands: { status: run(['nvidia-smi', 'nvlink', '-s'], { timeoutSeconds: 60 }) },
  parse: ({ status }) =>
    status.exitCode === 0 ? parseNvLinks(status.text) : unknown('the GPU driver did not respond about NVLink'),
})

const NO_LINKS = /does not have or support NVLink|all links are inactive|not supported/i

export function parseNvLinks(text: string): Parsed<NvLinks> {
  const gpus: { index: number; uuid: string | null; speeds: number[]; inactive: number }[] = []
  for (const line of lines(text)) {
    const index = /^\s{0,8}GPU (\d{1,3}): /.exec(line)?.[1]
    if (index !== undefined) gpus.push({ index: Number(index), uuid: uuidOf(line), speeds: [], inactive: 0 })
    const [, speed, other] =
      /^\s{0,16}Link \d{1,3}: (?:(\d{1,5}(?:\.\d{1,6})?) GB\/s|(<inactive>|N\/A))/i.exec(line) ?? []
    const own = gpus.at(-1)
    if (own === undefined) continue
    if (speed !== undefined) own.speeds.push(Number(speed))
    else if (other !== undefined) own.inactive += 1
  }
  if (gpus.length === 0 && !NO_LINKS.test(text.slice(0, 4000)) && text.trim() !== '')
    return unknown('the output of nvidia-smi about NVLink has an unexpected format')
  return known({
    gpus: gpus.map(({ index, uuid, speeds, inactive }) => ({
      index,
      uuid,
      active: speeds.length,
      speeds: speeds.length === 0 ? null : rangeOf(speeds),
      inactive,
    })),
  })
}

const rangeOf = (speeds: readonly number[]): readonly [number, number] => [
  speeds.reduce((least, speed) => Math.min(least, speed)),
  speeds.reduce((most, speed) => Math.max(most, speed)),
]

const uuidOf = (line: string): string | null => /\(UUID: (GPU-[0-9a-f-]{36})\)/.exec(line)?.[1] ?? null

import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { asList, asRecord, type JsonValue, readJson } from '../read-text.ts'

export interface AmdGpu {
  /** PCI address; null where the tool gave none. */
  readonly address: string | null
  readonly name: string
  readonly serial: string | null
  readonly vbios: string | null
  /** SPX for a whole accelerator; null where it cannot be divided. */
  readonly partition: string | null
}
export interface AmdGpus {
  readonly gpus: readonly AmdGpu[]
}

const NOTHING = /^(|n\/a|none|unknown|0x0)$/i
// More than one machine has; a longer list is not read.
const MAX_GPUS = 128

/** amd-smi(1), static: its keys move between releases, so each is searched for where some release has it. */
export const gpuAmd = defineProbe({
  id: 'gpu.amd',
  title: 'AMD GPUs',
  why: 'Shows names, serial numbers and partitions of AMD accelerators, as reported by the vendor’s tool.',
  commands: { static: run(['amd-smi', 'static', '--json'], { timeoutSeconds: 60, maxBytes: 2 * 1024 * 1024 }) },
  parse: (answers) =>
    answers.static.exitCode === 0 ? parseAmdSmi(answers.static.text) : unknown('the GPU driver did not respond'),
})

/** rocm-smi, which the releases before 6 have. Its JSON is an object per card, with headings as keys. */
export const gpuAmdLegacy = defineProbe({
  id: 'gpu.amd-legacy',
  title: 'AMD GPUs (older tool)',
  why: 'Shows names and serial numbers of AMD accelerators where only the older tool is installed.',
  commands: {
    cards: run(
      ['rocm-smi', '--showproductname', '--showuniqueid', '--showserial', '--showvbios', '--showbus', '--json'],
      { timeoutSeconds: 60, maxBytes: 2 * 1024 * 1024 },
    ),
  },
  parse: ({ cards }) => (cards.exitCode === 0 ? parseRocmSmi(cards.text) : unknown('the GPU driver did not respond')),
})

export function parseAmdSmi(text: string): Parsed<AmdGpus> {
  const read = readJson(text.trim(), 'amd-smi')
  if (!read.ok) return read
  const top = asList(asRecord(read.fact).gpu_data).length > 0 ? asRecord(read.fact).gpu_data : read.fact
  const list = asList(top)
  if (!Array.isArray(top) || list.length > MAX_GPUS) return unknown('the output of amd-smi has an unexpected format')
  return known({
    gpus: list.map((entry) => {
      const { asic, board, bus, vbios, ifwi, partition } = asRecord(entry)
      return {
        address: addressIn(word(asRecord(bus).bdf)),
        name: word(asRecord(asic).market_name) ?? word(asRecord(board).product_name) ?? '',
        serial: word(asRecord(board).product_serial) ?? word(asRecord(asic).asic_serial),
        vbios: word(asRecord(vbios).version) ?? word(asRecord(ifwi).version),
        partition: word(asRecord(partition).accelerator_partition) ?? word(asRecord(partition).compute_partition),
      }
    }),
  })
}

export function parseRocmSmi(text: string): Parsed<AmdGpus> {
  // Warnings can be before the object.
  const start = text.indexOf('{')
  const read = readJson(start < 0 ? '' : text.slice(start).trim(), 'rocm-smi')
  if (!read.ok) return read
  const cards = Object.entries(asRecord(read.fact)).filter(([name]) => /^card\d{1,3}$/.test(name))
  if (cards.length > MAX_GPUS) return unknown('the output of rocm-smi has an unexpected format')
  return known({
    gpus: cards.map(([, entry]) => {
      const fields = new Map(Object.entries(asRecord(entry)).map(([key, value]) => [key.toLowerCase(), value]))
      const of = (...names: readonly string[]): string | null =>
        names.flatMap((name) => word(fields.get(name)) ?? [])[0] ?? null
      return {
        address: addressIn(of('pci bus')),
        name: of('card series', 'card model') ?? '',
        serial: of('serial number', 'unique id'),
        vbios: of('vbios version'),
        partition: null,
      }
    }),
  })
}

function word(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || NOTHING.test(value.trim())) return null
  return value.trim().slice(0, 200)
}

const addressIn = (text: string | null): string | null =>
  /[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/.exec(text?.toLowerCase() ?? '')?.[0] ?? null

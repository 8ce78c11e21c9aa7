import { amount, answered, section } from './gpu-nvidia-text.ts'

/** What the driver counts of errors in a GPU's memory. Counts are null where it gives none: error correction off or not built in. */
export interface GpuMemoryErrors {
  /** Uncorrectable errors since the driver was loaded, and over the card's life. */
  readonly uncorrectedNow: number | null
  readonly uncorrectedEver: number | null
  readonly correctedEver: number | null
  /** Rows taken out of use after uncorrectable errors (Ampere and later), or pages (before). */
  readonly replaced: number | null
  /** A replacement waits for a reset of the GPU. */
  readonly isPending: boolean
  /** No spare row was left, or the driver states that memory cannot be repaired. */
  readonly hasFailed: boolean
}

/** nvidia-smi(1), “Ecc Errors”, “Page Retirement” and “Row Remapper”. The names of the counters changed with Ampere and with driver 545. */
export function readMemoryErrors(gpu: string): GpuMemoryErrors {
  const errors = section(gpu, 'ecc_errors')
  const [now, ever] = [section(errors, 'volatile'), section(errors, 'aggregate')]
  const [rows, pages] = [section(gpu, 'remapped_rows'), section(gpu, 'retired_pages')]
  const isYes = (text: string, tag: string): boolean => answered(text, tag) === 'Yes'
  return {
    uncorrectedNow: uncorrected(now),
    uncorrectedEver: uncorrected(ever),
    correctedEver: sum([
      amount(ever, 'sram_correctable'),
      amount(ever, 'dram_correctable'),
      amount(section(ever, 'single_bit'), 'total'),
    ]),
    replaced: sum([amount(rows, 'remapped_row_unc'), amount(section(pages, 'double_bit_retirement'), 'retired_count')]),
    isPending: isYes(rows, 'remapped_row_pending') || isYes(pages, 'pending_retirement'),
    hasFailed: isYes(rows, 'remapped_row_failure') || isYes(errors, 'unrepairable_memory'),
  }
}

const uncorrected = (counters: string): number | null =>
  sum([
    amount(counters, 'sram_uncorrectable'),
    amount(counters, 'sram_uncorrectable_parity'),
    amount(counters, 'sram_uncorrectable_secded'),
    amount(counters, 'dram_uncorrectable'),
    amount(section(counters, 'double_bit'), 'total'),
  ])

/** Sum of those that are there; null where none is. */
function sum(numbers: readonly (number | null)[]): number | null {
  const there = numbers.filter((number) => number !== null)
  return there.length === 0 ? null : there.reduce((total, number) => total + number, 0)
}

import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { inventoryMemory } from '../probes/inventory-memory.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'
import { numberBetween } from './values.ts'

/**
 * Of what is installed the kernel does not count one part in 64, which is its own list of pages (struct page: 64 bytes for 4,096), nor
 * what firmware keeps. From 97 percent on that explains the rest; below 90 it does not. Between them it stays open.
 */
const EXPLAINED = 0.97
const UNEXPLAINED = 0.9
const MOST_GIB = 1_048_576

const LIMITS =
  'Memory that the kernel counts as its own, plus at most three percent that it and the firmware keep. Which modules hold it, and how fast they are, is not shown.'

export const memoryGib: ClaimTest = {
  id: 'memory.gib',
  title: 'The system has at least the claimed memory.',
  takes: { kind: 'number', unit: 'GiB' },
  limitations: LIMITS,
  of(value) {
    const promised = numberBetween(value, 1, MOST_GIB)
    if (promised === null) return null
    return defineCheck({
      id: 'memory.gib',
      property: 'operations',
      expected: `The system has ${promised} GiB of memory or more, including the part reserved by kernel and firmware.`,
      limitations: LIMITS,
      requires: { memory: inventoryMemory },
      evaluate({ memory }) {
        const gib = memory.totalKib / 1024 / 1024
        // Cut off, not rounded: a shown number never reaches one that was not there.
        const shown = `${Math.floor(gib * 10) / 10} GiB`
        if (gib >= promised * EXPLAINED) return decide([supports(`The kernel counts ${shown}.`, inventoryMemory)])
        return decide([
          gib < promised * UNEXPLAINED
            ? contradicts(`The kernel reports ${shown}; the provider claims ${promised} GiB.`, inventoryMemory)
            : unclear(
                `The kernel reports ${shown}: less than ${promised} GiB by more than it usually reserves, and by less than a module.`,
                inventoryMemory,
              ),
        ])
      },
    })
  },
}

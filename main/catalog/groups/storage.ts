import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'

/** Questions about encryption at rest beyond the walk of the block graph: drives that encrypt themselves, declared paths, checksums, first use. */
export const probes: readonly Probe<unknown>[] = []

export const checks: readonly Check[] = []

import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'

/** Questions about the management controller’s users, clusters, and what the logs say about themselves and about this collection. */
export const probes: readonly Probe<unknown>[] = []

export const checks: readonly Check[] = []

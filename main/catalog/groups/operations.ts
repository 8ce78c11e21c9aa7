import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'

/** Questions about what listens and connects, backups, health, and changes. */
export const probes: readonly Probe<unknown>[] = []

export const checks: readonly Check[] = []

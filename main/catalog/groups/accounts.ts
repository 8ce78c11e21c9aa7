import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'

/** Questions about accounts over time, passwords, service accounts, the provider’s own access, consoles. */
export const probes: readonly Probe<unknown>[] = []

export const checks: readonly Check[] = []

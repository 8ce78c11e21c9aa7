import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'

/** Questions about what is installed, whether it is whole, supported and looked after. */
export const probes: readonly Probe<unknown>[] = []

export const checks: readonly Check[] = []

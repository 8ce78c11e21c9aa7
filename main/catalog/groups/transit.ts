import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'

/** Questions about encryption in transit as seen from outside the SSH server’s settings: what it offers, TLS listeners and their certificates. */
export const probes: readonly Probe<unknown>[] = []

export const checks: readonly Check[] = []

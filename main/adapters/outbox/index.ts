import { ok } from '../../core/failure.ts'
import { integrationsProblems } from '../../core/outbox/config-problems.ts'
import type { Integrations } from '../../core/outbox/delivery.ts'
import type { Clock } from '../../core/ports.ts'
import { readIntegrationsConfig } from '../program-config.ts'
import { openOutbox, readOutbox } from './journal.ts'
import { openTarget } from './targets.ts'

/** Configuration, receivers and journals on this computer. */
export const createIntegrations = (clock: Clock): Integrations => ({
  read: async (file) => {
    const read = await readIntegrationsConfig(file)
    if (!read.ok) return read
    const { value, refuse } = read.value
    const problems = integrationsProblems(value)
    return problems.length > 0 ? refuse(problems) : ok(value)
  },
  openTarget: async (plan) => openTarget(plan, clock),
  openOutbox,
  readOutbox,
})

import type { RegisterView } from '../../../schemas/ipc-packs.ts'
import type { Register } from '../../../schemas/types.ts'
import { type Standable, standingOf } from '../register.ts'
import { decisionsOf } from './decisions.ts'
import { explanationsOf } from './explanations.ts'
import { pendingOf, pendingStanding } from './pending.ts'
import { supports } from './requests.ts'

/** The register with the status of each entry at a time. */
export function registerView(register: Register, asOf: string): RegisterView {
  const standing = <T extends Standable>(entry: T) => ({
    ...entry,
    standing: standingOf(entry, asOf),
  })
  return {
    exceptions: register.exceptions.map(standing),
    pending: pendingOf(register).map((entry) => ({ ...entry, standing: pendingStanding(entry, asOf) })),
    decisions: decisionsOf(register).map(standing),
    attachments: register.attachments.map((entry) => ({ ...standing(entry), supports: supports(entry, asOf) })),
    requests: register.requests,
    explanations: explanationsOf(register).map(standing),
  }
}

import type { RegisterView } from '../../../schemas/ipc-packs.ts'
import type { Register } from '../../../schemas/types.ts'
import { type Standable, standingOf } from '../register.ts'
import { decisionsOf } from './decisions.ts'
import { explanationsOf } from './explanations.ts'
import { acceptanceRequestStatus, acceptanceRequestsOf } from './pending.ts'
import { supports } from './requests.ts'

/** The register with the status of each entry at a time. */
export function registerView(register: Register, asOf: string): RegisterView {
  const standing = <T extends Standable>(entry: T) => ({
    ...entry,
    standing: standingOf(entry, asOf),
  })
  return {
    riskAcceptances: register.riskAcceptances.map(standing),
    acceptanceRequests: acceptanceRequestsOf(register).map((entry) => ({
      ...entry,
      standing: acceptanceRequestStatus(entry, asOf),
    })),
    decisions: decisionsOf(register).map(standing),
    documents: register.documents.map((entry) => ({ ...standing(entry), supports: supports(entry, asOf) })),
    documentRequests: register.documentRequests,
    explanations: explanationsOf(register).map(standing),
  }
}

import type { RegisterView } from '../../../schemas/ipc-register.ts'
import type { Register, ReportingBasis } from '../../../schemas/types.ts'
import { acceptanceRequestStatus, acceptanceRequestsOf, decisionsOf } from './decisions.ts'
import { explanationsOf } from './explanations.ts'
import { type Standable, statusOf } from './register.ts'
import { supportingIn } from './requests.ts'
import { periodCover, supersededIn } from './versions.ts'

/** The register with the status of each entry at a time, and of each document for the date or period of the engagement. */
export function registerView(register: Register, asOf: string, basis: ReportingBasis | null = null): RegisterView {
  const superseded = supersededIn(register, asOf)
  const supporting = supportingIn(register, asOf, basis)
  const withStatus = <T extends Standable>(entry: T) => ({ ...entry, status: statusOf(entry, asOf) })
  return {
    riskAcceptances: register.riskAcceptances.map(withStatus),
    acceptanceRequests: acceptanceRequestsOf(register).map((entry) => ({
      ...entry,
      status: acceptanceRequestStatus(entry, asOf),
    })),
    decisions: decisionsOf(register).map(withStatus),
    documents: register.documents.map((entry) => {
      const later = superseded.get(entry.id)
      return {
        ...withStatus(entry),
        supports: supporting.has(entry.id),
        supersededBy: later === undefined ? null : { id: later.id, name: later.name, attachedAt: later.attachedAt },
        period: periodCover(entry, basis),
      }
    }),
    documentRequests: register.documentRequests,
    explanations: explanationsOf(register).map(withStatus),
  }
}

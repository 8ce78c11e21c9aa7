import type { RegisterView } from '../../../schemas/ipc-packs.ts'
import type { Register, ReportingBasis } from '../../../schemas/types.ts'
import { type Standable, standingOf } from '../register.ts'
import { decisionsOf } from './decisions.ts'
import { explanationsOf } from './explanations.ts'
import { acceptanceRequestStatus, acceptanceRequestsOf } from './pending.ts'
import { supportingIn } from './requests.ts'
import { periodCover, supersededIn } from './versions.ts'

/** The register with the status of each entry at a time, and of each document for the date or period of the engagement. */
export function registerView(register: Register, asOf: string, basis: ReportingBasis | null = null): RegisterView {
  const superseded = supersededIn(register, asOf)
  const supporting = supportingIn(register, asOf, basis)
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
    documents: register.documents.map((entry) => {
      const later = superseded.get(entry.id)
      return {
        ...standing(entry),
        supports: supporting.has(entry.id),
        supersededBy: later === undefined ? null : { id: later.id, name: later.name, attachedAt: later.attachedAt },
        period: periodCover(entry, basis),
      }
    }),
    documentRequests: register.documentRequests,
    explanations: explanationsOf(register).map(standing),
  }
}

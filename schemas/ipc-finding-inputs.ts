import type { FindingMethods } from './ipc-findings.ts'
import { checkId, day, exactly, handle, list, nodes, nothing, orNull, source, text } from './ipc-input-parts.ts'

/** At least one, and no more than there are checks in any catalog. */
const checks = { ...list(checkId, 1000), minItems: 1 } as const
const identity = orNull(text(64))
const withdrawals = exactly({
  ids: { ...list(handle, 1000), minItems: 1 },
  by: text(200),
  reason: text(2000, 3),
})

/** Inputs of the methods about findings, see INPUT_SCHEMAS. */
export const FINDING_INPUTS: Readonly<Record<keyof FindingMethods, object>> = {
  'home.get': nothing,
  'home.changes': nothing,
  'documents.plan': nothing,
  'documents.save-message': exactly({ owner: text(200) }),
  'findings.get': exactly({ of: source, node: orNull(text(253)) }),
  'finding.get': exactly({ of: source, reference: { type: 'string', pattern: '^F-[0-9A-F]{6}$' } }),
  'findings.nodes': exactly({ checks }),
  'responses.set': exactly({
    checks,
    status: orNull({ enum: ['open', 'in-progress', 'ready-for-retest', 'disputed'] }),
    owner: orNull(text(200, 0)),
    due: orNull({ anyOf: [{ const: '' }, day] }),
    plan: orNull(text(2000, 0)),
    cause: orNull(text(2000, 0)),
    statedBy: text(200),
    identity,
  }),
  'responses.withdraw': withdrawals,
  'acceptances.accept-many': exactly({
    checks,
    nodes,
    reason: text(2000, 3),
    compensatingControl: text(2000, 3),
    owner: text(200),
    requestedBy: text(200),
    approvedBy: text(200),
    approverRole: text(200),
    until: day,
    identity,
  }),
  'acceptances.withdraw-many': withdrawals,
}

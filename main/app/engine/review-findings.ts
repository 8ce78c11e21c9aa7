import type { ReviewFinding } from '../../../schemas/ipc-packs.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { signaturesOf } from '../../core/register/signatures.ts'
import { statusText } from '../../present/report/findings.ts'
import type { EngineContext } from './context.ts'
import { findingsOfPack } from './review-results.ts'

/** The findings of the open pack with management’s responses; none without a pack or readable results. */
export function reviewFindings(context: EngineContext): readonly ReviewFinding[] {
  const { pack } = context.session
  return pack === null ? [] : findingsOfPack(context, pack).map(viewOf)
}

function viewOf(finding: Finding): ReviewFinding {
  const { reference, check, title, condition, severity, deviations, tested, controls, response } = finding
  return {
    reference,
    check,
    title,
    condition,
    severity: severity.level,
    subjects: deviations.map(({ subject }) => subject),
    tested,
    controls: [...new Set(controls.map(({ control }) => control))],
    status: statusText(finding),
    response:
      response === null
        ? null
        : {
            statedBy: response.statedBy,
            statedAt: response.statedAt,
            owner: response.owner,
            due: response.due,
            plan: response.plan,
            cause: response.cause ?? null,
            isSigned: signaturesOf(response).length > 0,
            isOverdue: finding.isOverdue,
          },
  }
}

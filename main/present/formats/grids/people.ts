import { levelWords } from '../../../../schemas/conclusion-words.ts'
import type {
  AcceptanceRequest,
  Assessment,
  ControlDecision,
  EvidenceDocument,
  RiskAcceptance,
} from '../../../../schemas/types.ts'
import { auditorStatusWords, decisionWords, periodCoverWords, statusWords } from '../../../../schemas/words.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import { attachmentPath } from '../../../core/register/attachments.ts'
import { decisionsOf } from '../../../core/register/decisions.ts'
import { levelOf, REQUESTS } from '../../../core/register/documents.ts'
import { isOnePerson, statusOf } from '../../../core/register/register.ts'
import { currentAuditorRequests } from '../../../core/register/requests.ts'
import { basisOf, effectiveText, periodCover, supersededIn } from '../../../core/register/versions.ts'
import { controlIndex, type FormatInput } from '../input.ts'
import { type Grid, gridOf } from './grid.ts'
import { requestedById, requestLines } from './population.ts'

type PeopleInput = Pick<FormatInput, 'assessment' | 'catalog' | 'register'>

/** Every risk acceptance with its status, then requests without approval, which have no effect. */
export function acceptancesGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const claims = new Map(catalog.checks.map(({ id, expected }) => [id, expected]))
  const deviates = deviatesIn(assessment)
  const rows: readonly { readonly entry: RiskAcceptance | AcceptanceRequest; readonly accepted?: RiskAcceptance }[] = [
    ...register.riskAcceptances.map((entry) => ({ entry, accepted: entry })),
    ...(register.acceptanceRequests ?? []).map((entry) => ({ entry })),
  ]
  return gridOf(rows, {
    'risk acceptance': [34, ({ entry }) => entry.id],
    status: [
      22,
      ({ accepted }) =>
        accepted === undefined ? 'Requested, not approved' : statusWords[statusOf(accepted, assessment.asOf)],
    ],
    check: [34, ({ entry }) => entry.check],
    'expected condition': [48, ({ entry }) => claims.get(entry.check) ?? ''],
    nodes: [8, ({ entry }) => entry.nodes.length],
    'currently deviating': [12, ({ entry }) => entry.nodes.filter((node) => deviates(node, entry.check)).length],
    'node names': [50, ({ entry }) => entry.nodes.join(', ')],
    reason: [50, ({ entry }) => oneLine(entry.reason)],
    'compensating control': [50, ({ entry }) => oneLine(entry.compensatingControl)],
    owner: [20, ({ entry }) => oneLine(entry.owner)],
    'requested by': [20, ({ entry }) => oneLine(entry.requestedBy)],
    'approved by': [20, ({ accepted }) => oneLine(accepted?.approvedBy ?? '')],
    'requester is approver': [12, ({ accepted }) => (accepted === undefined ? '' : yesOrNo(isOnePerson(accepted)))],
    'accepted or requested at (UTC)': [
      25,
      ({ entry }) => ('acceptedAt' in entry ? entry.acceptedAt : entry.requestedAt),
    ],
    'until (UTC)': [25, ({ entry }) => entry.expiresAt],
    'withdrawn at, by, reason': [50, ({ accepted }) => (accepted === undefined ? '' : withdrawnText(accepted))],
    signatures: [12, ({ entry }) => entry.signatures?.length ?? 0],
  })
}

function deviatesIn({ nodes }: Assessment): (node: string, check: string) => boolean {
  const found = new Set(
    nodes.flatMap(({ node, results }) =>
      results.flatMap(({ check, verdict }) => (verdict === 'not-satisfied' ? [`${node}\n${check}`] : [])),
    ),
  )
  return (node, check) => found.has(`${node}\n${check}`)
}

const withdrawnText = ({ withdrawn }: RiskAcceptance | EvidenceDocument | ControlDecision): string =>
  withdrawn === null ? '' : `${withdrawn.at}, ${oneLine(withdrawn.by)}: ${oneLine(withdrawn.reason)}`

const CONCLUSIONS = { supports: 'supports', 'does-not-support': 'does not support' } as const

/** Every document with its status, level and inspection. */
export function documentsGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const controlOf = controlIndex(catalog)
  const superseded = supersededIn(register, assessment.asOf)
  const basis = basisOf(assessment)
  return gridOf(register.documents, {
    document: [34, ({ id }) => id],
    status: [12, (entry) => statusWords[statusOf(entry, assessment.asOf)]],
    name: [40, ({ name }) => oneLine(name)],
    'summary of evidence': [50, ({ summary }) => oneLine(summary)],
    'provided by': [24, ({ providedBy }) => oneLine(providedBy)],
    level: [14, (entry) => levelWords[levelOf(entry)].label],
    'inspected by': [24, ({ inspection }) => oneLine(inspection?.by ?? '')],
    'inspected at (UTC)': [25, ({ inspection }) => inspection?.at ?? ''],
    'scope of inspection': [50, ({ inspection }) => oneLine(inspection?.lookedAt ?? '')],
    conclusion: [18, ({ inspection }) => (inspection === undefined ? '' : CONCLUSIONS[inspection.conclusion])],
    'provided and inspected by the same person': [
      12,
      ({ inspection, providedBy }) =>
        inspection === undefined ? '' : yesOrNo(isOnePerson({ requestedBy: providedBy, approvedBy: inspection.by })),
    ],
    owner: [20, ({ owner }) => oneLine(owner)],
    'evidence requests': [
      20,
      ({ controls }) =>
        controls.flatMap(({ framework, control }) => (framework === REQUESTS ? [control] : [])).join(' | '),
    ],
    controls: [
      50,
      ({ controls }) =>
        controls
          .filter(({ framework }) => framework !== REQUESTS)
          .map(({ framework, control }) => `${framework} ${controlOf(framework, control)?.id ?? control}`)
          .join(' | '),
    ],
    'required document': [50, ({ need }) => need ?? ''],
    'alternative evidence for checks': [40, ({ answers }) => answers?.checks.join(', ') ?? ''],
    'alternative evidence on nodes': [40, ({ answers }) => answers?.nodes.join(', ') ?? ''],
    'attached at (UTC)': [25, ({ attachedAt }) => attachedAt],
    'valid until (UTC)': [25, ({ validUntil }) => validUntil ?? ''],
    'effective period (UTC)': [26, ({ effective }) => (effective === undefined ? '' : effectiveText(effective))],
    'effective period and engagement': [
      30,
      (entry) => {
        const cover = periodCover(entry, basis)
        return cover === null ? '' : periodCoverWords[cover]
      },
    ],
    'supersedes document': [34, ({ supersedes }) => supersedes ?? ''],
    'superseded by document': [34, ({ id }) => superseded.get(id)?.id ?? ''],
    'media type': [20, ({ mediaType }) => mediaType],
    bytes: [12, ({ size }) => size],
    'SHA-256': [66, ({ sha256 }) => sha256],
    'path in the pack': [60, (entry) => (entry.withdrawn === null ? attachmentPath(entry) : 'not in the pack')],
    'withdrawn at, by, reason': [50, withdrawnText],
  })
}

const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no')

/** Control decisions by named people, with the status of each. */
export function decisionsGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const controlOf = controlIndex(catalog)
  return gridOf(decisionsOf(register), {
    decision: [34, ({ id }) => id],
    status: [12, (entry) => statusWords[statusOf(entry, assessment.asOf)]],
    framework: [12, ({ framework }) => framework],
    control: [22, ({ framework, control }) => controlOf(framework, control)?.id ?? control],
    decided: [34, ({ decision }) => decisionWords[decision]],
    reason: [50, ({ reason }) => oneLine(reason)],
    'factors considered': [40, ({ factors }) => oneLine(factors ?? '')],
    'equivalent alternative measure': [40, ({ alternativeMeasure }) => oneLine(alternativeMeasure ?? '')],
    'risk analysis': [30, ({ riskAnalysis }) => oneLine(riskAnalysis ?? '')],
    owner: [20, ({ owner }) => oneLine(owner)],
    'requested by': [20, ({ requestedBy }) => oneLine(requestedBy)],
    'approved by': [20, ({ approvedBy }) => oneLine(approvedBy)],
    'role of approver': [24, ({ approverRole }) => oneLine(approverRole)],
    'decided at (UTC)': [25, ({ decidedAt }) => decidedAt],
    'until (UTC)': [25, ({ expiresAt }) => expiresAt],
    'withdrawn at, by, reason': [50, withdrawnText],
  })
}

/** The request lists of auditors as last stated. No status of an auditor is a conclusion of ours: what is on file is next to it. */
export function auditorRequestsGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const requested = requestedById({ assessment, catalog, register })
  return gridOf([...currentAuditorRequests(register, assessment.asOf).values()], {
    reference: [16, ({ reference }) => reference],
    request: [60, ({ title }) => oneLine(title)],
    'evidence request': [14, ({ request }) => request ?? ''],
    'status (of the auditor)': [16, ({ status }) => auditorStatusWords[status]],
    owner: [24, ({ owner }) => oneLine(owner ?? '')],
    'due (UTC)': [14, ({ due }) => due?.slice(0, 10) ?? ''],
    comment: [60, ({ comment }) => oneLine(comment ?? '')],
    'stated by': [24, ({ statedBy }) => oneLine(statedBy)],
    'stated at (UTC)': [25, ({ statedAt }) => statedAt],
    signatures: [12, ({ signatures }) => signatures?.length ?? 0],
    'on file': [60, ({ request }) => (request === null ? '' : requestLines(catalog, requested, [request]))],
  })
}

import { levelWords } from '../../../../schemas/conclusion-words.ts'
import type {
  AcceptanceRequest,
  Assessment,
  ControlDecision,
  EvidenceDocument,
  RiskAcceptance,
} from '../../../../schemas/types.ts'
import { auditorStatusWords, decisionWords, periodCoverWords, statusWords } from '../../../../schemas/words.ts'
import { levelOf, REQUESTS } from '../../../core/conclusion/documents.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { attachmentPath } from '../../../core/register/attachments.ts'
import { decisionsOf } from '../../../core/register/decisions.ts'
import { currentAuditorRequests } from '../../../core/register/requests.ts'
import { basisOf, effectiveText, periodCover, supersededIn } from '../../../core/register/versions.ts'
import { isOnePerson, statusOf } from '../../../core/register.ts'
import { controlIndex, type FormatInput } from '../input.ts'
import { columns, type Grid } from './grid.ts'
import { requestedById, requestLines } from './population.ts'

type PeopleInput = Pick<FormatInput, 'assessment' | 'catalog' | 'register'>

const EXCEPTION_COLUMNS = columns({
  'risk acceptance': 34,
  status: 22,
  check: 34,
  'expected condition': 48,
  nodes: 8,
  'currently deviating': 12,
  'node names': 50,
  reason: 50,
  'compensating control': 50,
  owner: 20,
  'requested by': 20,
  'approved by': 20,
  'requester is approver': 12,
  'accepted or requested at (UTC)': 25,
  'until (UTC)': 25,
  'withdrawn at, by, reason': 50,
  signatures: 12,
})

/** Every risk acceptance with its status, then requests without approval, which have no effect. */
export function acceptancesGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const claims = new Map(catalog.checks.map(({ id, expected }) => [id, expected]))
  const deviates = deviatesIn(assessment)
  const start = (status: string, entry: RiskAcceptance | AcceptanceRequest): readonly (string | number)[] => [
    entry.id,
    status,
    entry.check,
    claims.get(entry.check) ?? '',
    entry.nodes.length,
    entry.nodes.filter((node) => deviates(node, entry.check)).length,
    entry.nodes.join(', '),
    oneLine(entry.reason),
    oneLine(entry.compensatingControl),
    oneLine(entry.owner),
    oneLine(entry.requestedBy),
  ]
  return {
    columns: EXCEPTION_COLUMNS,
    rows: [
      ...register.riskAcceptances.map((entry) => [
        ...start(statusWords[statusOf(entry, assessment.asOf)], entry),
        oneLine(entry.approvedBy),
        isOnePerson(entry) ? 'yes' : 'no',
        entry.acceptedAt,
        entry.expiresAt,
        withdrawnText(entry),
        entry.signatures?.length ?? 0,
      ]),
      ...(register.acceptanceRequests ?? []).map((entry) => [
        ...start('Requested, not approved', entry),
        '',
        '',
        entry.requestedAt,
        entry.expiresAt,
        '',
        entry.signatures?.length ?? 0,
      ]),
    ],
  }
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

const DOCUMENT_COLUMNS = columns({
  document: 34,
  status: 12,
  name: 40,
  'summary of evidence': 50,
  'provided by': 24,
  level: 14,
  'inspected by': 24,
  'inspected at (UTC)': 25,
  'scope of inspection': 50,
  conclusion: 18,
  'provided and inspected by the same person': 12,
  owner: 20,
  'evidence requests': 20,
  controls: 50,
  'required document': 50,
  'alternative evidence for checks': 40,
  'alternative evidence on nodes': 40,
  'attached at (UTC)': 25,
  'valid until (UTC)': 25,
  'effective period (UTC)': 26,
  'effective period and engagement': 30,
  'supersedes document': 34,
  'superseded by document': 34,
  'media type': 20,
  bytes: 12,
  'SHA-256': 66,
  'path in the pack': 60,
  'withdrawn at, by, reason': 50,
})

const CONCLUSIONS = { supports: 'supports', 'does-not-support': 'does not support' } as const

/** Every document with its status, level and inspection. */
export function documentsGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const controlOf = controlIndex(catalog)
  const superseded = supersededIn(register, assessment.asOf)
  const basis = basisOf(assessment)
  return {
    columns: DOCUMENT_COLUMNS,
    rows: register.documents.map((entry) => {
      const { inspection, answers } = entry
      const cover = periodCover(entry, basis)
      return [
        entry.id,
        statusWords[statusOf(entry, assessment.asOf)],
        oneLine(entry.name),
        oneLine(entry.summary),
        oneLine(entry.providedBy),
        levelWords[levelOf(entry)].label,
        oneLine(inspection?.by ?? ''),
        inspection?.at ?? '',
        oneLine(inspection?.lookedAt ?? ''),
        inspection === undefined ? '' : CONCLUSIONS[inspection.conclusion],
        inspection === undefined
          ? ''
          : isOnePerson({ requestedBy: entry.providedBy, approvedBy: inspection.by })
            ? 'yes'
            : 'no',
        oneLine(entry.owner),
        entry.controls.flatMap(({ framework, control }) => (framework === REQUESTS ? [control] : [])).join(' | '),
        entry.controls
          .flatMap(({ framework, control }) =>
            framework === REQUESTS ? [] : [`${framework} ${controlOf(framework, control)?.id ?? control}`],
          )
          .join(' | '),
        entry.need ?? '',
        answers?.checks.join(', ') ?? '',
        answers?.nodes.join(', ') ?? '',
        entry.attachedAt,
        entry.validUntil ?? '',
        entry.effective === undefined ? '' : effectiveText(entry.effective),
        cover === null ? '' : periodCoverWords[cover],
        entry.supersedes ?? '',
        superseded.get(entry.id)?.id ?? '',
        entry.mediaType,
        entry.size,
        entry.sha256,
        entry.withdrawn === null ? attachmentPath(entry) : 'not in the pack',
        withdrawnText(entry),
      ]
    }),
  }
}

const DECISION_COLUMNS = columns({
  decision: 34,
  status: 12,
  framework: 12,
  control: 22,
  decided: 34,
  reason: 50,
  'factors considered': 40,
  'equivalent alternative measure': 40,
  'risk analysis': 30,
  owner: 20,
  'requested by': 20,
  'approved by': 20,
  'role of approver': 24,
  'decided at (UTC)': 25,
  'until (UTC)': 25,
  'withdrawn at, by, reason': 50,
})

/** Control decisions by named people, with the status of each. */
export function decisionsGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const controlOf = controlIndex(catalog)
  return {
    columns: DECISION_COLUMNS,
    rows: decisionsOf(register).map((entry) => [
      entry.id,
      statusWords[statusOf(entry, assessment.asOf)],
      entry.framework,
      controlOf(entry.framework, entry.control)?.id ?? entry.control,
      decisionWords[entry.decision],
      oneLine(entry.reason),
      oneLine(entry.factors ?? ''),
      oneLine(entry.alternativeMeasure ?? ''),
      oneLine(entry.riskAnalysis ?? ''),
      oneLine(entry.owner),
      oneLine(entry.requestedBy),
      oneLine(entry.approvedBy),
      oneLine(entry.approverRole),
      entry.decidedAt,
      entry.expiresAt,
      withdrawnText(entry),
    ]),
  }
}

const AUDITOR_COLUMNS = columns({
  reference: 16,
  request: 60,
  'evidence request': 14,
  'status (of the auditor)': 16,
  owner: 24,
  'due (UTC)': 14,
  comment: 60,
  'stated by': 24,
  'stated at (UTC)': 25,
  signatures: 12,
  'on file': 60,
})

/** The request lists of auditors as last stated. No status of an auditor is a conclusion of ours: what is on file is next to it. */
export function auditorRequestsGrid({ assessment, catalog, register }: PeopleInput): Grid {
  const requested = requestedById({ assessment, catalog, register })
  return {
    columns: AUDITOR_COLUMNS,
    rows: [...currentAuditorRequests(register, assessment.asOf).values()].map((entry) => [
      entry.reference,
      oneLine(entry.title),
      entry.request ?? '',
      auditorStatusWords[entry.status],
      oneLine(entry.owner ?? ''),
      entry.due?.slice(0, 10) ?? '',
      oneLine(entry.comment ?? ''),
      oneLine(entry.statedBy),
      entry.statedAt,
      entry.signatures?.length ?? 0,
      entry.request === null ? '' : requestLines(catalog, requested, [entry.request]),
    ]),
  }
}

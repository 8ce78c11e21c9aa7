import { levelWords } from '../../schemas/conclusion-words.ts'
import type { DocumentPlan, OwnerDocuments, PlannedDocument } from '../../schemas/ipc-findings.ts'
import type { Assessment, Register } from '../../schemas/types.ts'
import { daysBetween } from '../core/base/days.ts'
import { oneLine, plural } from '../core/base/plain-text.ts'
import { compare } from '../core/recording/recording.ts'
import type { Catalog } from '../core/rules/catalog.ts'
import { day } from './report/parts/wording.ts'
import { documentCounts, type OutstandingRequest } from './report/scope/outstanding.ts'

/** Input of the plan of documents: the assessment that is shown, with the register of its scope. */
interface DocumentMatter {
  readonly assessment: Assessment
  readonly catalog: Catalog
  readonly register: Register
}

/**
 * Outstanding documents grouped by owner, each group with the text of a message to that person. The soonest due day comes first, documents
 * without an owner last. The counts are those of the report. Pure: the same input gives the same plan.
 */
export function documentPlan(matter: DocumentMatter): DocumentPlan {
  const { outstanding, needed } = documentCounts(matter)
  const byOwner = new Map<string | null, OutstandingRequest[]>()
  for (const one of outstanding) {
    const owner = one.status.request?.owner ?? null
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), one])
  }
  const owners = [...byOwner].map(([owner, requests]): OwnerDocuments => {
    const documents = requests.map(plannedOf).sort(bySooner)
    return { owner, documents, message: owner === null ? null : messageTo(owner, documents, matter.assessment) }
  })
  return { outstanding: outstanding.length, needed, owners: owners.sort(byUrgency) }
}

const plannedOf = ({
  id,
  status: { document, request, level, overdue },
  controls,
}: OutstandingRequest): PlannedDocument => ({
  id,
  title: document.title,
  inspects: document.request?.inspects ?? null,
  minimum: document.request?.minimum ?? 'inspected',
  level,
  due: request?.due.slice(0, 10) ?? null,
  isOverdue: overdue,
  controls: controls.length,
})

/** Documents and owners without a day come last. */
const LAST = '9999'
const bySooner = (one: PlannedDocument, other: PlannedDocument): number =>
  compare(one.due ?? LAST, other.due ?? LAST) ||
  compare(one.id ?? LAST, other.id ?? LAST) ||
  compare(one.title, other.title)
const byUrgency = (one: OwnerDocuments, other: OwnerDocuments): number =>
  compare(one.documents[0]?.due ?? LAST, other.documents[0]?.due ?? LAST) ||
  compare(one.owner ?? LAST, other.owner ?? LAST)

/**
 * A message that requests documents, as plain text for any mail program. What people typed is on one line, without invisible or
 * direction-changing characters, so that it cannot add lines, headers or a signature of its own.
 */
function messageTo(owner: string, documents: readonly PlannedDocument[], { asOf, scope }: Assessment): string {
  const { entity = scope.fleet, fieldwork = null } = scope.engagement ?? {}
  const days = fieldwork === null ? Number.NaN : daysBetween(asOf, `${fieldwork}T00:00:00.000Z`)
  const subject = `Documents requested: ${plural(documents.length, 'document')} for ${oneLine(entity, 120)}`
  const lines = documents.flatMap(({ id, title, inspects, minimum, due, isOverdue }, at) => [
    `${at + 1}. ${id === null ? '' : `${oneLine(id, 40)} `}${oneLine(title, 300)}`,
    ...(due === null ? [] : [`   Due: ${day(`${due}T00:00Z`)}${isOverdue ? ' (overdue)' : ''}`]),
    ...(inspects === null ? [] : [`   Inspected for: ${oneLine(inspects, 500)}`]),
    `   Minimum level: ${levelWords[minimum].label}`,
    '',
  ])
  return [
    `Subject: ${subject}`,
    '',
    `To ${oneLine(owner, 200)}`,
    '',
    documents.length === 1
      ? 'Please provide the following document. It states its owner and its date.'
      : `Please provide the following ${documents.length} documents. Each states its owner and its date.`,
    ...(Number.isNaN(days) || fieldwork === null
      ? []
      : [`Fieldwork of the auditor ${days < 0 ? 'started' : 'starts'} on ${day(`${fieldwork}T00:00Z`)}.`]),
    '',
    ...lines,
    `As of ${day(asOf)}, in UTC.`,
    '',
  ].join('\n')
}

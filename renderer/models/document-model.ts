import { EVIDENCE_LEVELS, type EvidenceLevel, levelWords } from '../../schemas/conclusion-words.ts'
import type { DocumentView, RegisterView } from '../../schemas/ipc-register.ts'
import type {
  AssessmentView,
  ControlDocumentView,
  ControlRow,
  EvidenceRequestView,
  FrameworkView,
} from '../../schemas/ipc-results.ts'
import type { ControlRef } from '../../schemas/types.ts'
import type { TableColumn } from './table-model.ts'

/** The framework name under which documents are attached to an evidence request. */
export const REQUESTS = 'requests'

/** What a document is attached to or requested by: its evidence request, or the requirement of a custom mapping. */
export interface DocumentTarget extends ControlRef {
  readonly need: string
}

export const targetOf = (
  framework: string,
  control: string,
  { request, title }: Pick<ControlDocumentView, 'request' | 'title'>,
): DocumentTarget =>
  request === null ? { framework, control, need: title } : { framework: REQUESTS, control: request.id, need: title }

/** The evidence request of a document, in full; null where it has none. */
export const requestIn = (
  { requests }: Pick<AssessmentView, 'requests'>,
  { request }: Pick<ControlDocumentView, 'request'>,
): EvidenceRequestView | null => requests.find(({ id }) => id === request?.id) ?? null

/** Without an evidence request of the catalog, a document counts from “inspected” on. */
export const minimumOf = ({ request }: Pick<ControlDocumentView, 'request'>): EvidenceLevel =>
  request?.minimum ?? 'inspected'

export const isBelow = (level: EvidenceLevel, minimum: EvidenceLevel): boolean =>
  EVIDENCE_LEVELS.indexOf(level) < EVIDENCE_LEVELS.indexOf(minimum)

/** The level at which an attached document counts: above “received” only with an inspection. Without a level, it is received. */
export const levelOf = ({
  level = 'received',
  inspection,
}: Pick<DocumentView, 'level' | 'inspection'>): EvidenceLevel =>
  inspection === undefined && !isBelow(level, 'inspected') ? 'received' : level

/** Progress of a document, most urgent first. */
export const PROGRESS = ['deviation', 'overdue', 'below-level', 'requested', 'outstanding', 'held', 'optional'] as const
export type Progress = (typeof PROGRESS)[number]

export const progressWords: Readonly<
  Record<Progress, { readonly label: string; readonly mark: string; readonly tone: string }>
> = {
  deviation: { label: 'Does not support', mark: 'square-cross', tone: 'not-satisfied' },
  overdue: { label: 'Overdue', mark: 'disc-late', tone: 'inconclusive' },
  'below-level': { label: 'Below its minimum level', mark: 'disc-half', tone: 'not-tested' },
  requested: { label: 'Requested', mark: 'dotted-ring', tone: 'not-tested' },
  outstanding: { label: 'Outstanding', mark: 'dotted-ring', tone: 'not-tested' },
  held: { label: 'On file', mark: 'ring-tick', tone: 'satisfied' },
  optional: { label: 'Optional', mark: 'dot', tone: 'informational' },
}

export function progressOf({
  state,
  level,
  askedOf,
}: Pick<ControlDocumentView, 'state' | 'level' | 'askedOf'>): Progress {
  if (state !== 'outstanding') return state
  if (askedOf?.overdue === true) return 'overdue'
  if (level !== null) return 'below-level'
  return askedOf === null ? 'outstanding' : 'requested'
}

const HELD_BY: Readonly<Record<NonNullable<ControlDocumentView['heldElsewhere']>, string>> = {
  decision: 'Covered by an approved decision on this control',
  population: 'Covered by the population reconciliation',
  declaration: 'Covered by the engagement',
  pack: 'Covered by the sealed pack',
  chain: 'Covered by the run chain',
}

/** The state of one document in words: “Reperformed, supports”, “Received; minimum level Inspected”. */
export function documentWords(
  document: Pick<ControlDocumentView, 'state' | 'level' | 'askedOf' | 'heldElsewhere' | 'request'>,
): string {
  const { level, heldElsewhere } = document
  const progress = progressOf(document)
  const reached = level === null ? null : levelWords[level].label
  const from = levelWords[minimumOf(document)].label
  switch (progress) {
    case 'held':
      return heldElsewhere !== null ? HELD_BY[heldElsewhere] : `${reached ?? 'On file'}, supports`
    case 'deviation':
      return `${reached ?? 'Inspected'}, does not support`
    case 'below-level':
      return `${reached}; minimum level ${from}`
    case 'overdue':
      return reached === null ? 'Overdue' : `Overdue; ${reached}, minimum level ${from}`
    case 'optional':
      return reached === null ? 'Optional' : `Optional; ${reached}`
    default:
      return progressWords[progress].label
  }
}

/** Documents of a register that answer one document of a control, in the order of the register. */
export const attachedIn = (
  { attached }: Pick<ControlDocumentView, 'attached'>,
  { documents }: Pick<RegisterView, 'documents'>,
): readonly DocumentView[] => documents.filter(({ id }) => attached.includes(id))

/** Documents in effect that are attached to the control itself and answer no evidence request. */
export function otherDocuments(
  framework: string,
  { key, documents }: Pick<ControlRow, 'key' | 'documents'>,
  { documents: attachments }: Pick<RegisterView, 'documents'>,
): readonly DocumentView[] {
  const counted = new Set(documents.flatMap(({ attached }) => attached))
  return attachments.filter(
    ({ id, status, controls }) =>
      status === 'in-force' &&
      !counted.has(id) &&
      controls.some((one) => one.framework === framework && one.control === key),
  )
}

/** One document with every control that it serves. */
export interface ListedDocument {
  readonly key: string
  readonly document: ControlDocumentView
  readonly target: DocumentTarget
  readonly rows: readonly { readonly framework: string; readonly control: ControlRow }[]
}

const WORST: readonly ControlDocumentView['state'][] = ['deviation', 'outstanding', 'held', 'optional']

/**
 * Every document of the frameworks once, in their order. One attachment answers an evidence request in every control
 * that it serves, and the worst of these states is shown. Proposed rules are omitted.
 */
export function documentsIn(
  frameworks: readonly Pick<FrameworkView, 'id' | 'proposed' | 'controls'>[],
): readonly ListedDocument[] {
  const found = new Map<string, ListedDocument>()
  for (const { id: framework, controls } of frameworks.filter(({ proposed }) => !proposed))
    for (const control of controls)
      for (const document of control.documents) {
        const target = targetOf(framework, control.key, document)
        const key = [target.framework, target.control, target.need].join('\n')
        const known = found.get(key)
        found.set(key, {
          key,
          target,
          document: known === undefined ? document : joined(known.document, document),
          rows: [...(known?.rows ?? []), { framework, control }],
        })
      }
  return [...found.values()]
}

function joined(one: ControlDocumentView, other: ControlDocumentView): ControlDocumentView {
  const worse = WORST.indexOf(other.state) < WORST.indexOf(one.state) ? other : one
  return {
    ...worse,
    needs: [...new Set([...one.needs, ...other.needs])],
    checks: [...new Set([...one.checks, ...other.checks])],
    mandatory: one.mandatory || other.mandatory,
    attached: [...new Set([...one.attached, ...other.attached])],
    askedOf: worse.askedOf ?? one.askedOf ?? other.askedOf,
  }
}

/** How many of the required documents count, and how many are on file without counting. */
export function heldLine(
  documents: readonly Pick<ControlDocumentView, 'mandatory' | 'state' | 'level' | 'askedOf'>[],
): string {
  const required = documents.filter(({ mandatory }) => mandatory)
  const held = required.filter(({ state }) => state === 'held').length
  const below = required.filter(({ state, level }) => state === 'outstanding' && level !== null).length
  const optional = documents.length - required.length
  return [
    `${held} of ${required.length} required complete`,
    below === 0 ? '' : `, ${below} on file below the minimum level`,
    optional === 0 ? '' : `; ${optional} optional`,
  ].join('')
}

/** Which documents are listed: those of one progress, or all outstanding ones, which the other screens count. */
export type DocumentFilter = Progress | 'open' | 'all'

export const showsDocument = (
  filter: DocumentFilter,
  document: Pick<ControlDocumentView, 'state' | 'level' | 'askedOf'>,
): boolean =>
  filter === 'all' || (filter === 'open' ? document.state === 'outstanding' : progressOf(document) === filter)

/** The filters that list something, with their counts. */
export function documentFilters(
  documents: readonly Pick<ControlDocumentView, 'state' | 'level' | 'askedOf'>[],
): readonly { readonly id: DocumentFilter; readonly title: string }[] {
  const all = documents.length
  const count = (filter: DocumentFilter): number => documents.filter((one) => showsDocument(filter, one)).length
  const isDivided = count('open') > count('outstanding')
  const labelOf = (progress: Progress): string =>
    progress === 'outstanding' && isDivided ? 'Outstanding, not requested' : progressWords[progress].label
  return [
    { id: 'all', title: `All · ${all}` },
    ...(isDivided ? [{ id: 'open' as const, title: `All outstanding · ${count('open')} of ${all}` }] : []),
    ...PROGRESS.filter((progress) => count(progress) > 0).map((progress) => ({
      id: progress,
      title: `${labelOf(progress)} · ${count(progress)} of ${all}`,
    })),
  ]
}

/** Columns of the list of documents, for its order and for the saved table. */
export const DOCUMENT_COLUMNS: readonly TableColumn<ListedDocument>[] = [
  { id: 'request', title: 'Request', text: ({ document }) => document.request?.id ?? null },
  { id: 'title', title: 'Document', isRowHeader: true, text: ({ document }) => document.title },
  { id: 'status', title: 'Status', text: ({ document }) => progressWords[progressOf(document)].label },
  { id: 'required', title: 'Required', text: ({ document }) => (document.mandatory ? 'Yes' : 'Optional') },
  { id: 'level', title: 'Minimum level', text: ({ document }) => levelWords[minimumOf(document)].label },
  { id: 'owner', title: 'Owner', text: ({ document }) => document.askedOf?.owner ?? null },
  { id: 'due', title: 'Due', text: ({ document }) => document.askedOf?.due.slice(0, 10) ?? null },
  { id: 'controls', title: 'Controls', text: ({ rows }) => rows.map(({ control }) => control.id).join(', ') },
]

export const DOCUMENT_ORDERS = [
  { id: 'given', title: 'In the order of the frameworks' },
  { id: 'title', title: 'By name' },
  { id: 'due', title: 'By due date' },
  { id: 'owner', title: 'By owner' },
] as const

import type { EvidenceLevel } from '../../schemas/conclusion-words.ts'
import type { DocumentDraft, DocumentView } from '../../schemas/ipc-register.ts'
import type { AssessmentView, CheckView, EvidenceRequestView } from '../../schemas/ipc-results.ts'
import type { Verdict } from '../../schemas/words.ts'
import { REQUESTS } from './document-model.ts'
import { verdictAt, wasReached } from './model.ts'

/** The form for adding a document. */
export interface DocumentForm {
  readonly kind: 'file' | 'note'
  readonly name: string
  readonly note: string
  readonly summary: string
  readonly providedBy: string
  readonly owner: string
  readonly level: EvidenceLevel
  readonly inspectedBy: string
  /** A day, YYYY-MM-DD. */
  readonly inspectedOn: string
  readonly lookedAt: string
  /** Null until the reviewer chooses one: there is no default conclusion. */
  readonly conclusion: 'supports' | 'does-not-support' | null
  readonly answers: boolean
  readonly checks: readonly string[]
  readonly nodes: readonly string[]
  /** Ids of further evidence requests that the same document answers. */
  readonly alsoFor: readonly string[]
  readonly ends: boolean
  readonly validUntil: string
  /** Whether an effective period is declared. */
  readonly isEffective: boolean
  /** Days, YYYY-MM-DD; the last one is empty where the period has no end. */
  readonly effectiveFrom: string
  readonly effectiveTo: string
}

/** An empty form. For a new version, with the texts that usually stay the same. */
export const emptyForm = (
  today: string,
  inAYear: string,
  earlier: Pick<DocumentView, 'summary' | 'providedBy' | 'owner'> | null = null,
): DocumentForm => ({
  kind: 'file',
  name: '',
  note: '',
  summary: earlier?.summary ?? '',
  providedBy: earlier?.providedBy ?? '',
  owner: earlier?.owner ?? '',
  level: 'received',
  inspectedBy: '',
  inspectedOn: today,
  lookedAt: '',
  conclusion: null,
  answers: false,
  checks: [],
  nodes: [],
  alsoFor: [],
  ends: true,
  validUntil: inAYear,
  isEffective: false,
  effectiveFrom: '',
  effectiveTo: '',
})

/** Whether a level requires a reviewer, what was inspected, and a conclusion. */
export const needsInspection = (level: EvidenceLevel): boolean => level === 'inspected' || level === 'reperformed'

/** Normalizes a name for comparison, as the engine does. */
const plain = (name: string): string => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()

/**
 * Whether one person is named in both roles, as inspector and provider, or as approver and requester. Reports state
 * this; it changes no conclusion.
 */
export const isSamePerson = (one: string, other: string): boolean => plain(one) !== '' && plain(one) === plain(other)

export const SAME_PERSON = 'Inspected by the person who provided it.'

/** Only an inspected document that supports the control may answer results. */
export const mayAnswer = ({ level, conclusion }: Pick<DocumentForm, 'level' | 'conclusion'>): boolean =>
  needsInspection(level) && conclusion === 'supports'

/** The missing fields, each with its message. */
export function attachLacks(form: DocumentForm): Partial<Record<keyof DocumentForm, string>> {
  const blank = (field: 'name' | 'note' | 'providedBy' | 'owner' | 'inspectedBy'): boolean => form[field].trim() === ''
  const isNote = form.kind === 'note'
  const isInspected = needsInspection(form.level)
  const isAnswering = form.answers && mayAnswer(form)
  const lacks: readonly (readonly [keyof DocumentForm, boolean, string])[] = [
    ['name', isNote && blank('name'), 'Enter a title.'],
    ['note', isNote && blank('note'), 'Enter the text of the note.'],
    ['summary', form.summary.trim().length < 3, 'Enter at least 3 characters.'],
    ['providedBy', blank('providedBy'), 'Enter the person or organization that provided the document.'],
    ['owner', blank('owner'), 'Enter the person who keeps the document current.'],
    ['inspectedBy', isInspected && blank('inspectedBy'), 'Enter the person who inspected the document.'],
    ['inspectedOn', isInspected && form.inspectedOn === '', 'Choose the inspection date.'],
    [
      'lookedAt',
      isInspected && form.lookedAt.trim().length < 3,
      'Enter the population, the sample, and what the document was compared with.',
    ],
    ['conclusion', isInspected && form.conclusion === null, 'Choose a conclusion.'],
    ['checks', isAnswering && form.checks.length === 0, 'Choose at least one check.'],
    ['nodes', isAnswering && form.nodes.length === 0, 'Choose at least one node.'],
    [
      'validUntil',
      form.ends && form.validUntil === '',
      'Choose a date, or clear the box if the document does not expire.',
    ],
    ['effectiveFrom', form.isEffective && form.effectiveFrom === '', 'Choose the first day.'],
    [
      'effectiveTo',
      form.isEffective && form.effectiveTo !== '' && form.effectiveTo < form.effectiveFrom,
      'The last day is before the first day.',
    ],
  ]
  return Object.fromEntries(lacks.flatMap(([field, lacking, words]) => (lacking ? [[field, words]] : [])))
}

const isFirst = <T extends DocumentDraft['controls'][number]>(one: T, place: number, all: readonly T[]): boolean =>
  all.findIndex((other) => other.framework === one.framework && other.control === one.control) === place

/**
 * Further evidence requests that one document may answer: those that match the search text, and those already chosen.
 */
export function furtherRequests(
  { requests }: Pick<AssessmentView, 'requests'>,
  request: Pick<EvidenceRequestView, 'id'>,
  { chosen, text }: { readonly chosen: readonly string[]; readonly text: string },
): readonly EvidenceRequestView[] {
  const wanted = text.trim().toLowerCase()
  return requests.filter(
    ({ id, title }) => id !== request.id && (chosen.includes(id) || `${id} ${title}`.toLowerCase().includes(wanted)),
  )
}

/** The form as engine input; null while a field is missing. Fields that the level does not require are omitted. */
export function attachmentInput(
  target: Pick<DocumentDraft, 'controls' | 'need' | 'supersedes'>,
  form: DocumentForm,
): DocumentDraft | null {
  if (Object.keys(attachLacks(form)).length > 0) return null
  const { summary, providedBy, owner, level, inspectedBy, inspectedOn, lookedAt, conclusion, checks, nodes } = form
  return {
    controls: [...target.controls, ...form.alsoFor.map((control) => ({ framework: REQUESTS, control }))].filter(
      isFirst,
    ),
    need: target.need,
    summary,
    providedBy,
    level,
    inspection:
      needsInspection(level) && conclusion !== null ? { by: inspectedBy, on: inspectedOn, lookedAt, conclusion } : null,
    answers: form.answers && mayAnswer(form) ? { checks, nodes } : null,
    owner,
    validUntil: form.ends ? form.validUntil : null,
    effective: form.isEffective
      ? { from: form.effectiveFrom, to: form.effectiveTo === '' ? null : form.effectiveTo }
      : null,
    supersedes: target.supersedes,
  }
}

/** A check whose results a document may answer, and the nodes that have such a result. */
interface Answerable {
  readonly check: CheckView
  /** Either inconclusive and untested results only, or deviations as well. */
  readonly answers: 'any' | 'undecided'
  readonly nodes: readonly { readonly node: string; readonly verdict: Verdict }[]
}

/** The checks that a request may answer, with the results that it could answer. Checks without such a result are omitted. */
export function answerable(
  view: Pick<AssessmentView, 'checks' | 'rows'>,
  request: Pick<EvidenceRequestView, 'mayAnswer'> | null,
): readonly Answerable[] {
  return (request?.mayAnswer ?? []).flatMap(({ check: id, answers }) => {
    const at = view.checks.findIndex((one) => one.id === id)
    const check = view.checks[at]
    if (check === undefined) return []
    const wanted: readonly Verdict[] =
      answers === 'any' ? ['not-satisfied', 'inconclusive', 'not-tested'] : ['inconclusive', 'not-tested']
    const nodes = view.rows
      // A node that was not reached remains a scope limitation, whatever a document states about it.
      .filter(wasReached)
      .map((row) => ({ node: row.node, verdict: verdictAt(row, at) }))
      .filter(({ verdict }) => wanted.includes(verdict))
    return nodes.length === 0 ? [] : [{ check, answers, nodes }]
  })
}

/** Nodes on which at least one selected check has a result to answer, each once. */
export const answerableNodes = (some: readonly Answerable[], checks: readonly string[]): readonly string[] => [
  ...new Set(
    some.filter(({ check }) => checks.includes(check.id)).flatMap(({ nodes }) => nodes.map(({ node }) => node)),
  ),
]

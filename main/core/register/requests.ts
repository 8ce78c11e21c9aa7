import type { EvidenceLevel } from '../../../schemas/conclusion-words.ts'
import type { RequestDraft, WithdrawalDraft } from '../../../schemas/ipc-register.ts'
import type {
  AuditorRequest,
  DocumentRequest,
  EvidenceDocument,
  Register,
  ReportingBasis,
} from '../../../schemas/types.ts'
import { dayProblem, endOfDay, isDay, millisOf } from '../base/days.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { quote } from '../base/plain-text.ts'
import type { Catalog } from '../rules/catalog.ts'
import type { Control } from '../rules/framework.ts'
import { type ControlDocument, documentsOf } from '../rules/requests.ts'
import { attachedFor, attachmentsBy, isCurrent, levelOf, REQUESTS, stateOf } from './documents.ts'
import { type Moment, takeBack, trimmed } from './register.ts'
import { currentBy, given, inOneLine, NAME, PROSE, textProblem } from './responses.ts'
import { countedDocuments } from './versions.ts'

/** Documents that a control requires, or the title of an evidence request; null where there is neither. */
export type NeedsOf = (framework: string, control: string) => readonly string[] | null

/** Documents required by the controls and evidence requests of a catalog: each control’s wording, and the titles of the requests. */
export const needsIn =
  (catalog: Pick<Catalog, 'frameworks' | 'offNodeChecks' | 'requests'>): NeedsOf =>
  (framework, control) => {
    if (framework === REQUESTS) {
      const request = catalog.requests.find(({ id }) => id === control)
      return request === undefined ? null : [request.title]
    }
    const controls = catalog.frameworks.find(({ id }) => id === framework)?.controls
    const found = controls?.find(({ key }) => key === control)
    if (found === undefined) return null
    return [...new Set([...found.documentsRequired, ...documentsOf(catalog, found).map(({ title }) => title)])]
  }

/** Assigns an owner and due date to a document. A later request for the same document replaces the earlier one. */
export function setRequest(
  register: Register,
  { framework, control, need, owner, due }: RequestDraft,
  { now, needsOf }: { readonly now: string; readonly needsOf: NeedsOf },
): Outcome<Register> {
  const texts = trimmed({ owner }, ['owner'])
  if (!texts.ok) return texts
  const day = dayProblem(due, { now })
  if (day !== null) return fail('input.refused', `the due date ${day}`)
  if (needsOf(framework, control)?.includes(need) !== true)
    return fail('input.refused', 'this control does not require that document')
  const request: DocumentRequest = { framework, control, need, owner: texts.value.owner, due: endOfDay(due) }
  return ok({
    ...register,
    documentRequests: [...register.documentRequests.filter((one) => !isSame(one, request)), request],
  })
}

const isSame = (a: DocumentRequest, b: DocumentRequest): boolean =>
  a.framework === b.framework && a.control === b.control && a.need === b.need

/** Status of one required document in a register. */
export interface DocumentStatus {
  readonly document: ControlDocument
  /** On file and current, at any level. */
  readonly attached: readonly EvidenceDocument[]
  /** The highest level reached; null where nothing current is on file. */
  readonly level: EvidenceLevel | null
  readonly conclusion: 'supports' | 'does-not-support' | null
  /** Its owner and due date. */
  readonly request: DocumentRequest | null
  /** Not supporting yet, and past its due date. */
  readonly overdue: boolean
}

/** One control of a framework. */
interface ControlOf {
  readonly framework: string
  readonly control: Control
}

/**
 * Documents of controls according to a register, in the order of each control; the register is indexed once for many controls.
 * Requests satisfied by other means than documents are not considered here.
 */
export function documentStatusesIn(
  catalog: Pick<Catalog, 'offNodeChecks' | 'requests'>,
  register: Register,
  asOf: string,
  basis: ReportingBasis | null,
): (control: ControlOf) => readonly DocumentStatus[] {
  const of = attachmentsBy(register, asOf, basis)
  const asked = new Map(
    register.documentRequests.map((one) => [
      one.framework === REQUESTS ? one.control : `${one.framework}\n${one.control}\n${one.need}`,
      one,
    ]),
  )
  return ({ framework, control }) => {
    const row = { framework, control: control.key }
    return documentsOf(catalog, control).map((document) => {
      const attached = attachedFor(of, row, document, control.requests).filter((one) => isCurrent(one, asOf))
      const { level, conclusion } = stateOf(attached, document.request?.minimum ?? 'inspected', asOf)
      const request =
        (document.request === null ? undefined : asked.get(document.request.id)) ??
        [document.title, ...document.needs]
          .map((need) => asked.get(`${framework}\n${control.key}\n${need}`))
          .find(Boolean) ??
        null
      const overdue = conclusion !== 'supports' && request !== null && isOverdue(request, asOf)
      return { document, attached, level, conclusion, request, overdue }
    })
  }
}

/** Documents of one control according to a register. */
export const documentStatuses = (
  catalog: Pick<Catalog, 'offNodeChecks' | 'requests'>,
  register: Register,
  control: ControlOf,
  asOf: string,
  basis: ReportingBasis | null,
): readonly DocumentStatus[] => documentStatusesIn(catalog, register, asOf, basis)(control)

/** Whether the due date of a document has passed. An invalid date counts as passed. */
const isOverdue = ({ due }: DocumentRequest, asOf: string): boolean => !(millisOf(asOf) <= millisOf(due))

/** Documents that support their controls: the current version, inspected or reperformed, with a supporting conclusion. */
export const supportingIn = (register: Register, asOf: string, basis: ReportingBasis | null): ReadonlySet<string> =>
  new Set(countedDocuments(register, asOf, basis).flatMap((entry) => (supports(entry, asOf) ? [entry.id] : [])))

const supports = (entry: EvidenceDocument, asOf: string): boolean =>
  isCurrent(entry, asOf) &&
  (levelOf(entry) === 'inspected' || levelOf(entry) === 'reperformed') &&
  entry.inspection?.conclusion === 'supports'

/** Statuses of a request in the list of an auditor. None of them concludes on a control or a document. */
export const AUDITOR_STATUSES: readonly AuditorRequest['status'][] = [
  'open',
  'ready',
  'received',
  'accepted',
  'returned',
  'not-needed',
]

export const auditorRequestsOf = ({ auditorRequests }: Pick<Register, 'auditorRequests'>): readonly AuditorRequest[] =>
  auditorRequests ?? []

/** Requests of auditors that are current at a moment, by reference. */
export function currentAuditorRequests(
  register: Pick<Register, 'auditorRequests'>,
  asOf: string,
): ReadonlyMap<string, AuditorRequest> {
  return currentBy(auditorRequestsOf(register), ({ reference }) => reference, asOf)
}

/** The content of a row in the request list of an auditor. */
export interface StatedRequest extends Pick<AuditorRequest, 'reference' | 'title' | 'request' | 'status'> {
  readonly owner: string | null
  /** YYYY-MM-DD, or null. */
  readonly due: string | null
  readonly comment: string | null
}

interface AuditorRequestDraft extends StatedRequest {
  readonly statedBy: string
}

interface AuditorRequestFacts extends Moment {
  /** Whether the catalog has an evidence request of this id. */
  readonly hasRequest: (id: string) => boolean
}

/**
 * Adds what a person states about a request of an auditor, which replaces the current entry of its reference and changes no verdict. The due
 * day may be past: it is the auditor’s. Fails with input.refused and a message for the user.
 */
export function stateAuditorRequest(
  register: Register,
  draft: AuditorRequestDraft,
  { now, id, hasRequest }: AuditorRequestFacts,
): Outcome<Register> {
  const stated = storedForm(draft)
  const statedBy = inOneLine(draft.statedBy)
  if (stated.reference === '') return fail('input.refused', 'the reference must be entered')
  if (statedBy === '') return fail('input.refused', 'the person who states the request must be entered')
  const problem =
    textProblem('the reference', stated.reference, { shortest: 1, longest: 60 }) ??
    textProblem('the request', stated.title, { shortest: 3, longest: 1000 }) ??
    textProblem('the owner', stated.owner, NAME) ??
    textProblem('the comment', stated.comment, { ...PROSE, shortest: 1 }) ??
    textProblem('the person who states the request', statedBy, NAME)
  if (problem !== null) return fail('input.refused', problem)
  if (stated.due !== null && !isDay(stated.due))
    return fail('input.refused', 'the due day must be a date such as 2027-03-01')
  if (stated.request !== null && !hasRequest(stated.request))
    return fail('input.refused', `there is no evidence request ${quote(stated.request)}`)
  const entry: AuditorRequest = {
    id,
    ...stated,
    due: stated.due === null ? null : endOfDay(stated.due),
    statedBy,
    statedAt: now,
    withdrawn: null,
  }
  return ok({ ...register, auditorRequests: [...auditorRequestsOf(register), entry] })
}

/** Withdraws an entry from now on; it remains listed, and the one before it is current again. Fails with input.refused. */
export function withdrawAuditorRequest(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const auditorRequests = takeBack(auditorRequestsOf(register), draft, now, 'auditor request')
  return auditorRequests.ok ? ok({ ...register, auditorRequests: auditorRequests.value }) : auditorRequests
}

/** The content of an entry as a person would enter it again. */
export const requestStated = ({
  reference,
  title,
  request,
  status,
  owner,
  due,
  comment,
}: AuditorRequest): StatedRequest => ({
  reference,
  title,
  request,
  status,
  owner,
  due: due?.slice(0, 10) ?? null,
  comment,
})

/** Whether two entries state the same, apart from blanks around a text and the form of line ends. */
export function isSameRequest(one: StatedRequest, other: StatedRequest): boolean {
  const [a, b] = [storedForm(one), storedForm(other)]
  return (Object.keys(a) as (keyof StatedRequest)[]).every((name) => a[name] === b[name])
}

const storedForm = ({ reference, title, request, status, owner, due, comment }: StatedRequest): StatedRequest => ({
  reference: inOneLine(reference),
  title: inOneLine(title),
  request,
  status,
  owner: given(inOneLine(owner ?? '')),
  due,
  comment: given(comment ?? ''),
})

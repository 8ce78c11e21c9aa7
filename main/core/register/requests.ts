import type { EvidenceLevel } from '../../../schemas/conclusion-words.ts'
import type { RequestDraft } from '../../../schemas/ipc-register.ts'
import type { DocumentRequest, EvidenceDocument, Register, ReportingBasis } from '../../../schemas/types.ts'
import type { Catalog } from '../catalog.ts'
import { attachedFor, attachmentsBy, isCurrent, levelOf, REQUESTS, stateOf } from '../conclusion/documents.ts'
import { type ControlDocument, documentsOf } from '../conclusion/requests.ts'
import { fail, type Outcome } from '../failure.ts'
import type { Control } from '../framework.ts'
import { trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { dayProblem, endOfDay, millisOf } from './days.ts'
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
export const isOverdue = ({ due }: DocumentRequest, asOf: string): boolean => !(millisOf(asOf) <= millisOf(due))

/** Every document attached to a control, in any status. */
export const documentsAttachedTo = (
  register: Register,
  framework: string,
  control: string,
): readonly EvidenceDocument[] =>
  register.documents.filter(({ controls }) =>
    controls.some((one) => one.framework === framework && one.control === control),
  )

/** Documents that support their controls: the current version, inspected or reperformed, with a supporting conclusion. */
export const supportingIn = (register: Register, asOf: string, basis: ReportingBasis | null): ReadonlySet<string> =>
  new Set(countedDocuments(register, asOf, basis).flatMap((entry) => (supports(entry, asOf) ? [entry.id] : [])))

const supports = (entry: EvidenceDocument, asOf: string): boolean =>
  isCurrent(entry, asOf) &&
  (levelOf(entry) === 'inspected' || levelOf(entry) === 'reperformed') &&
  entry.inspection?.conclusion === 'supports'

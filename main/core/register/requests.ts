import type { EvidenceLevel } from '../../../schemas/conclusion-words.ts'
import type { RequestDraft } from '../../../schemas/ipc-packs.ts'
import type { Attachment, RecordRequest, Register } from '../../../schemas/types.ts'
import type { Catalog } from '../catalog.ts'
import { attachedFor, attachmentsBy, isCurrent, levelOf, REQUESTS, stateOf } from '../conclusion/documents.ts'
import { type ControlDocument, documentsOf } from '../conclusion/requests.ts'
import { fail, type Outcome } from '../failure.ts'
import type { Control } from '../framework.ts'
import { trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { dayProblem, endOfDay, millisOf } from './days.ts'

/** Documents that a control needs from people, or the title of an evidence request; null where there is neither. */
export type NeedsOf = (framework: string, control: string) => readonly string[] | null

/** What the controls and the evidence requests of a catalog need: each control's own words, and the titles of what answers them. */
export const needsIn =
  (catalog: Pick<Catalog, 'frameworks' | 'notFromNodes' | 'requests'>): NeedsOf =>
  (framework, control) => {
    if (framework === REQUESTS) {
      const request = catalog.requests.find(({ id }) => id === control)
      return request === undefined ? null : [request.title]
    }
    const controls = catalog.frameworks.find(({ id }) => id === framework)?.controls
    const found = controls?.find(({ key }) => key === control)
    if (found === undefined) return null
    return [...new Set([...found.needsAlso, ...documentsOf(catalog, found).map(({ title }) => title)])]
  }

/** Says who is to bring a record by when. A later request for the same record takes the place of the one before. */
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
    return fail('input.refused', 'this control does not ask for that record')
  const request: RecordRequest = { framework, control, need, owner: texts.value.owner, due: endOfDay(due) }
  return ok({ ...register, requests: [...register.requests.filter((one) => !isSame(one, request)), request] })
}

const isSame = (a: RecordRequest, b: RecordRequest): boolean =>
  a.framework === b.framework && a.control === b.control && a.need === b.need

/** How one document that a control needs stands in a register. */
export interface DocumentStatus {
  readonly document: ControlDocument
  /** Attached and current, whatever its level. */
  readonly attached: readonly Attachment[]
  /** The highest level reached; null where nothing current is attached. */
  readonly level: EvidenceLevel | null
  readonly conclusion: 'supports' | 'does-not-support' | null
  /** Who was asked for it by when. */
  readonly request: RecordRequest | null
  /** It does not support yet, and the day it was asked for has passed. */
  readonly overdue: boolean
}

/** One control of a framework. */
interface ControlOf {
  readonly framework: string
  readonly control: Control
}

/**
 * The documents of controls as a register has them, in the order of each control; the register is sorted out once for many controls. What
 * answers a request other than a document is not looked at here.
 */
export function documentStatusesIn(
  catalog: Pick<Catalog, 'notFromNodes' | 'requests'>,
  register: Register,
  asOf: string,
): (control: ControlOf) => readonly DocumentStatus[] {
  const of = attachmentsBy(register)
  const asked = new Map(
    register.requests.map((one) => [
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

/** The documents of one control as a register has them. */
export const documentStatuses = (
  catalog: Pick<Catalog, 'notFromNodes' | 'requests'>,
  register: Register,
  control: ControlOf,
  asOf: string,
): readonly DocumentStatus[] => documentStatusesIn(catalog, register, asOf)(control)

/** Whether the day that a document was asked for has passed. An end that is no moment has. */
export const isOverdue = ({ due }: RecordRequest, asOf: string): boolean => !(millisOf(asOf) <= millisOf(due))

/** Every document that was attached to a control, however it stands. */
export const attachedTo = (register: Register, framework: string, control: string): readonly Attachment[] =>
  register.attachments.filter(({ controls }) =>
    controls.some((one) => one.framework === framework && one.control === control),
  )

/** Whether a document supports what it is attached to: current, inspected or reperformed, with a conclusion that supports. */
export const supports = (entry: Attachment, asOf: string): boolean =>
  isCurrent(entry, asOf) &&
  (levelOf(entry) === 'inspected' || levelOf(entry) === 'reperformed') &&
  entry.inspection?.conclusion === 'supports'

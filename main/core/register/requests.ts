import type { RequestDraft } from '../../../schemas/ipc-packs.ts'
import type { Attachment, RecordRequest, Register } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { standingOf, trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { dayProblem, endOfDay } from './days.ts'

/** Records that a control needs from people; null where there is no such control. */
export type NeedsOf = (framework: string, control: string) => readonly string[] | null

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

/** How one record that a control needs stands. */
export interface NeedState {
  readonly need: string
  /** Attached for it and in force. */
  readonly attached: readonly Attachment[]
  readonly request: RecordRequest | null
  /** Nothing is attached, and the day it was asked for has passed. */
  readonly overdue: boolean
}

/** The records that a control needs from people, in the order given. */
export function recordsOf(
  register: Register,
  {
    framework,
    control,
    needs,
  }: { readonly framework: string; readonly control: string; readonly needs: readonly string[] },
  asOf: string,
): readonly NeedState[] {
  const standing = attachedTo(register, framework, control).filter((one) => standingOf(one, asOf) === 'in-force')
  return needs.map((need) => {
    const attached = standing.filter((one) => one.need === need)
    const request =
      register.requests.find((one) => one.framework === framework && one.control === control && one.need === need) ??
      null
    const overdue = attached.length === 0 && request !== null && isOverdue(request, asOf)
    return { need, attached, request, overdue }
  })
}

const isOverdue = ({ due }: RecordRequest, asOf: string): boolean => !(Date.parse(asOf) <= Date.parse(due))

/** Every record that was attached to a control, however it stands. */
export const attachedTo = (register: Register, framework: string, control: string): readonly Attachment[] =>
  register.attachments.filter(({ controls }) =>
    controls.some((one) => one.framework === framework && one.control === control),
  )

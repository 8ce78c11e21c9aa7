import type { FindingRow, ResponsesDraft, ResponseView } from '../../schemas/ipc-findings.ts'
import { plural } from '../models/text.ts'
import { call } from './bridge.ts'
import { change, outdated } from './store.ts'

export type ResponseStatus = NonNullable<ResponsesDraft['status']>
export const RESPONSE_STATUSES: readonly ResponseStatus[] = ['open', 'in-progress', 'ready-for-retest', 'disputed']

/** A response as entered. For several findings, an empty field keeps what each finding has. */
export interface ResponseForm {
  readonly owner: string
  readonly due: string
  readonly status: ResponseStatus | null
  readonly plan: string
  readonly cause: string
  readonly statedBy: string
}

/** The last person who stated a response in this window, so that it is typed once. */
const last = { statedBy: '' }
export const rememberStatedBy = (name: string): void => {
  last.statedBy = name.trim()
}

/** The form for one finding with its current response, or an empty one for several. */
export const formOf = (current: ResponseView | null): ResponseForm => ({
  owner: current?.owner ?? '',
  due: current?.due ?? '',
  status: current?.status ?? null,
  plan: current?.plan ?? '',
  cause: current?.cause ?? '',
  statedBy: last.statedBy,
})

/** Whether a form states something that is not recorded. The name of the person alone does not count. */
export const statesMore = (form: ResponseForm, stored: ResponseForm): boolean =>
  JSON.stringify({ ...form, statedBy: '' }) !== JSON.stringify({ ...stored, statedBy: '' })

/** Unsaved responses by finding, kept until the window closes, so that opening another finding loses nothing. */
const kept = new Map<string, ResponseForm>()
export const keptResponse = (reference: string | null): ResponseForm | null =>
  reference === null ? null : (kept.get(reference) ?? null)
export function keepResponse(reference: string | null, form: ResponseForm | null): void {
  if (reference === null) return
  if (form === null) kept.delete(reference)
  else kept.set(reference, form)
}

/** The input of the call for a form. One finding is stated as a whole; for several, an empty field changes nothing. */
export function draftOf(form: ResponseForm, checks: readonly string[], identity: string | null): ResponsesDraft {
  const isOne = checks.length === 1
  const text = (value: string): string | null => (value.trim() === '' && !isOne ? null : value)
  return {
    checks,
    status: form.status ?? (isOne ? 'open' : null),
    owner: text(form.owner),
    due: text(form.due),
    plan: text(form.plan),
    cause: text(form.cause),
    statedBy: form.statedBy.trim(),
    identity,
  }
}

/** The missing fields with their messages; empty if the form can be sent. */
export function lackingIn(form: ResponseForm): {
  readonly statedBy?: string
  readonly plan?: string
  readonly owner?: string
} {
  const states = [form.owner, form.due, form.plan, form.cause].some((text) => text.trim() !== '')
  return {
    ...(form.statedBy.trim() === '' ? { statedBy: 'Enter the person who states this response.' } : {}),
    ...(form.status === 'disputed' && form.plan.trim() === '' ? { plan: 'State why the finding is disputed.' } : {}),
    ...(!states && (form.status === null || form.status === 'open')
      ? { owner: 'Enter an owner, a due day, a status, a plan or a cause.' }
      : {}),
  }
}

/** The findings of chosen rows with their deviations: "3 findings, 7 deviations". */
export const chosenWords = (rows: readonly Pick<FindingRow, 'deviations'>[]): string =>
  `${plural(rows.length, 'finding')}, ${plural(
    rows.reduce((sum, { deviations }) => sum + deviations, 0),
    'deviation',
  )}`

/** Announces what was recorded, and withdraws it on request. The entries remain in the register as withdrawn. */
export function recorded(
  text: string,
  ids: readonly string[],
  { method, by }: { readonly method: 'responses.withdraw' | 'acceptances.withdraw-many'; readonly by: string },
): void {
  outdated()
  const undo = (): void => {
    void call(method, { ids, by, reason: 'Undone in the window' }).then((reply) => {
      outdated()
      change(reply.ok ? { toast: { text: 'Withdrawn.', undo: null } } : { problem: reply.error })
    })
  }
  change({ toast: { text, undo: ids.length === 0 ? null : undo } })
}

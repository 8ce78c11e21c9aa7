import type { RequestDraft } from '../../../schemas/ipc-packs.ts'
import type { Attachment, RecordRequest, Register } from '../../../schemas/types.ts'
import { type Catalog, recordsToAttach } from '../catalog.ts'
import { fail, type Outcome } from '../failure.ts'
import { standingOf, trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { dayProblem, endOfDay, millisOf } from './days.ts'
import { decidedFor } from './decisions.ts'

/** Records that a control needs from people; null where there is no such control. */
export type NeedsOf = (framework: string, control: string) => readonly string[] | null

/** What the rows of a catalog need, those in place of what nodes cannot bear included. */
export const needsIn =
  (catalog: Pick<Catalog, 'frameworks' | 'notFromNodes'>): NeedsOf =>
  (framework, control) => {
    const rows = catalog.frameworks.find(({ id }) => id === framework)?.controls
    const row = rows?.find(({ key }) => key === control)
    return row === undefined ? null : recordsToAttach(catalog, row)
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

/** Whether the day that a record was asked for has passed. An end that is no moment has. */
export const isOverdue = ({ due }: RecordRequest, asOf: string): boolean => !(millisOf(asOf) <= millisOf(due))

/** Every record that was attached to a control, however it stands. */
export const attachedTo = (register: Register, framework: string, control: string): readonly Attachment[] =>
  register.attachments.filter(({ controls }) =>
    controls.some((one) => one.framework === framework && one.control === control),
  )

/** A record without an end of its own counts for one period: a year from the day it was attached. */
const RECORD_DAYS = 366
const DAY_MS = 86_400_000

/** Whether a record bears a need: in force, not older than a period, and looked at by somebody, not only received. */
export const bears = (entry: Attachment, asOf: string): boolean =>
  standingOf(entry, asOf) === 'in-force' &&
  entry.method !== 'received' &&
  (entry.validUntil !== null || millisOf(asOf) - millisOf(entry.attachedAt) <= RECORD_DAYS * DAY_MS)

/** Which records a control still lacks, and how many of those it needs are held. An addressable decision is held once it is decided. */
export function outstandingOf(
  register: Register,
  needed: { readonly framework: string; readonly control: string; readonly needs: readonly string[] },
  asOf: string,
): { readonly outstanding: readonly string[]; readonly held: number } {
  const decided = decidedFor(register, needed, asOf).length > 0
  const outstanding = recordsOf(register, needed, asOf)
    .filter(({ need, attached }) => !attached.some((one) => bears(one, asOf)) && !(decided && isDecision(need)))
    .map(({ need }) => need)
  return { outstanding, held: needed.needs.length - outstanding.length }
}

/** Needs that are a decision written down, as the frameworks' data name them. */
const isDecision = (need: string): boolean => /^addressable decision\b/i.test(need)

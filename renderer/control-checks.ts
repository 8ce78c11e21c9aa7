import { type ControlRole, roleWords } from '../schemas/conclusion-words.ts'
import type { ControlRow } from '../schemas/ipc-results.ts'
import type { ControlCheck } from '../schemas/types.ts'

/** In print order: deciding checks, observations, then the rest. */
export const CHECK_GROUPS = ['required', 'counter', 'observations', 'supporting', 'context'] as const
export type CheckGroupName = (typeof CHECK_GROUPS)[number]

export const checkGroupWords: Readonly<Record<CheckGroupName, { readonly label: string; readonly meaning: string }>> = {
  ...roleWords,
  observations: {
    label: 'Observations',
    meaning: 'Supporting checks that are not satisfied. They are not deviations for this control.',
  },
}

export interface GroupedCheck {
  readonly check: string
  /** Null where the check’s expected condition and `why` give it. */
  readonly shows: string | null
  readonly role: ControlRole
  /** The reason for the role. */
  readonly why: string | null
  /** Null for a row without a conclusion in this run. */
  readonly counted: ControlCheck | null
  /** The role is required or counter, but the check does not decide in this engagement. */
  readonly suspended: boolean
}
export interface CheckGroup {
  readonly is: CheckGroupName
  readonly checks: readonly GroupedCheck[]
}

/**
 * The checks of a control by role; supporting checks that are not satisfied are observations. A check answered by a document of the control
 * is listed with that document and not here. Empty groups are omitted.
 */
export function checkGroups(control: Pick<ControlRow, 'mappings' | 'assessed' | 'documents'>): readonly CheckGroup[] {
  const counts = new Map(control.assessed?.checks.map((one) => [one.check, one]))
  const answered = new Set(control.documents.flatMap(({ checks }) => checks))
  const checks = control.mappings
    .filter(({ check }) => !answered.has(check))
    .map(({ check, shows, role, why }): GroupedCheck => {
      const counted = counts.get(check) ?? null
      const isDecisive = role === 'required' || role === 'counter'
      return { check, shows, role, why, counted, suspended: isDecisive && counted?.decides === false }
    })
  return CHECK_GROUPS.map((is) => ({ is, checks: checks.filter((one) => groupOf(one) === is) })).filter(
    (group) => group.checks.length > 0,
  )
}

const groupOf = ({ role, counted }: GroupedCheck): CheckGroupName =>
  role === 'supporting' && (counted?.notSatisfied ?? 0) > 0 ? 'observations' : role

/** Why a required or counter check does not decide here. */
export const suspendedLine = ({ suspended, counted }: Pick<GroupedCheck, 'suspended' | 'counted'>): string =>
  !suspended
    ? ''
    : counted?.source === 'document'
      ? 'Answered by a document; not tested on servers.'
      : 'Decides in period engagements only, not at a point in time.'

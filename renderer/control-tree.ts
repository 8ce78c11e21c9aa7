import type { AttachmentView, RegisterView } from '../schemas/ipc-packs.ts'
import type { AssessmentView, ControlRow, FrameworkView } from '../schemas/ipc-results.ts'
import type { FrameworkName } from '../schemas/ipc-views.ts'
import type { RecordRequest } from '../schemas/types.ts'
import { CONTROL_STATES, type ControlState, type Verdict } from '../schemas/words.ts'
import { type Tally, tallyIn, verdictAt } from './model.ts'
import { plural } from './text.ts'

export interface Wanted {
  readonly text: string
  readonly state: ControlState | 'all'
}

export interface TreeGroup {
  readonly id: string
  readonly title: string
  readonly controls: readonly ControlRow[]
  /** Rows of this group before anything was filtered: the denominator. */
  readonly total: number
  readonly counts: readonly StateCount[]
}
export interface TreeFramework {
  readonly id: FrameworkName
  readonly title: string
  readonly status: string
  readonly overlay: boolean
  readonly groups: readonly TreeGroup[]
  readonly total: number
  readonly counts: readonly StateCount[]
}
export interface StateCount {
  readonly state: ControlState
  readonly count: number
}

/** What the run says of a row; silence never supports. */
export const stateOf = (control: ControlRow): ControlState => control.assessed?.state ?? 'insufficient-evidence'

/** No server can show anything of it: it has no status from a machine, whatever the machines say. */
export const isPeopleOnly = (control: ControlRow): boolean => control.evidenceClass === 'manual'

/** How many rows are in each state, worst first, states without a row left out. */
export const countsOf = (controls: readonly ControlRow[]): readonly StateCount[] =>
  CONTROL_STATES.map((state) => ({
    state,
    count: controls.filter((control) => stateOf(control) === state).length,
  })).filter(({ count }) => count > 0)

const speaksOf = (control: ControlRow, words: readonly string[]): boolean => {
  const text = [
    control.id,
    control.title,
    control.summary,
    control.group,
    ...control.supports.map(({ check }) => check),
  ]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

/** The rows of every framework by group, those that are wanted; counts are of all rows, so that a filter never shrinks a denominator. */
export function treeOf(frameworks: readonly FrameworkView[], wanted: Wanted): readonly TreeFramework[] {
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean)
  const isWanted = (control: ControlRow): boolean =>
    (wanted.state === 'all' || stateOf(control) === wanted.state) && speaksOf(control, words)
  return frameworks.map(({ id, title, status, overlay, controls }) => ({
    id,
    title,
    status,
    overlay,
    total: controls.length,
    counts: countsOf(controls),
    groups: [...new Set(controls.map(({ group }) => group))]
      .map((group): TreeGroup => {
        const own = controls.filter((control) => control.group === group)
        return {
          id: `${id} ${group}`,
          title: group,
          controls: own.filter(isWanted),
          total: own.length,
          counts: countsOf(own),
        }
      })
      .filter((group) => group.controls.length > 0),
  }))
}

/** What one check says over the declared nodes; null of a check that the view does not have. */
export function checkTally(view: Pick<AssessmentView, 'checks' | 'checksCounted'>, check: string): Tally | null {
  const at = view.checks.findIndex(({ id }) => id === check)
  return at < 0 ? null : tallyIn(view.checksCounted[at])
}

export type NodesWith = Verdict | 'accepted'

/** Declared nodes on which a check came out so. */
export function nodesWith(
  view: Pick<AssessmentView, 'checks' | 'rows'>,
  check: string,
  wanted: NodesWith,
): readonly { readonly node: string; readonly verdict: Verdict }[] {
  const at = view.checks.findIndex(({ id }) => id === check)
  return view.rows
    .map((row) => ({ row, verdict: verdictAt(row, at) }))
    .filter(({ row, verdict }) => {
      if (wanted === 'accepted') return verdict === 'not-met' && row.accepted.some((one) => one.check === check)
      return verdict === wanted
    })
    .map(({ row, verdict }) => ({ node: row.node, verdict }))
}

/** A record that no server can show: who brings it, or what was attached. */
export interface Slot {
  readonly framework: FrameworkName
  readonly control: string
  readonly need: string
  /** In place of which check, and why nodes cannot bear that; null for a record that the control needs anyway. */
  readonly inPlaceOf: { readonly check: string; readonly why: string } | null
  readonly attached: readonly AttachmentView[]
  readonly request: RecordRequest | null
  /** `decided`: no record, but a decision in force stands for it. `unexamined`: what is attached was only received, or is too old. */
  readonly is: 'attached' | 'decided' | 'unexamined' | 'requested' | 'overdue' | 'missing'
}

type WithRecords = Pick<ControlRow, 'key' | 'needsAlso' | 'notFromNodes'> & Partial<Pick<ControlRow, 'assessed'>>

const wantedOf = ({ needsAlso, notFromNodes }: WithRecords): readonly Pick<Slot, 'need' | 'inPlaceOf'>[] => [
  ...needsAlso.map((need) => ({ need, inPlaceOf: null })),
  ...notFromNodes.flatMap(({ id, why, bring }) =>
    bring === null ? [] : [{ need: bring, inPlaceOf: { check: id, why } }],
  ),
]

/** The slots of one control. A record attached to the control as a whole fills none of them by itself. */
export function slotsOf(
  framework: FrameworkName,
  control: WithRecords,
  register: RegisterView,
  asOf: string,
): readonly Slot[] {
  const about = register.attachments.filter(({ controls }) =>
    controls.some((one) => one.framework === framework && one.control === control.key),
  )
  return wantedOf(control).map(({ need, inPlaceOf }) => {
    const attached = about.filter((one) => one.need === need && one.standing === 'in-force')
    const request =
      register.requests.find(
        (one) => one.framework === framework && one.control === control.key && one.need === need,
      ) ?? null
    const waiting = request === null ? 'missing' : request.due < asOf ? 'overdue' : 'requested'
    const held = inPlaceOf === null && control.assessed?.outstanding.includes(need) === false
    const is = attached.some(({ bears }) => bears)
      ? 'attached'
      : attached.length > 0
        ? 'unexamined'
        : held
          ? 'decided'
          : waiting
    return { framework, control: control.key, need, inPlaceOf, attached, request, is }
  })
}

/** Whether a record is there, or a decision stands for it. */
export const isHeld = ({ is }: Pick<Slot, 'is'>): boolean => is === 'attached' || is === 'decided'

/** "12 records": those that controls need, and those that stand in the place of a check, which no control counts as needed. */
export function slotsLine(slots: readonly Pick<Slot, 'inPlaceOf'>[]): string {
  const apart = slots.filter(({ inPlaceOf }) => inPlaceOf !== null).length
  const besides = apart === 0 ? '' : `: ${slots.length - apart} that controls need, ${apart} in place of a check`
  return `${plural(slots.length, 'record')}${besides}`
}

/** Records that a control needs, as the assessment counts them, and apart from them those that stand in the place of a check. */
export function recordsLine(
  records: { readonly needed: number; readonly held: number } | null,
  slots: readonly Pick<Slot, 'inPlaceOf' | 'is'>[],
): string {
  const apart = slots.filter(({ inPlaceOf }) => inPlaceOf !== null)
  const own = slots.filter(({ inPlaceOf }) => inPlaceOf === null)
  const { needed, held } = records ?? { needed: own.length, held: own.filter(isHeld).length }
  const besides =
    apart.length === 0 ? '' : `, and ${apart.filter(isHeld).length} of ${apart.length} in place of a check`
  return `Records from people: ${held} of ${needed} held${besides}`
}

/** Records attached to a control as a whole, or to a need that the catalog no longer lists. */
export const otherRecords = (
  framework: FrameworkName,
  control: WithRecords,
  register: RegisterView,
): readonly AttachmentView[] =>
  register.attachments.filter(
    ({ controls, need, standing }) =>
      standing === 'in-force' &&
      controls.some((one) => one.framework === framework && one.control === control.key) &&
      (need === null || !wantedOf(control).some((wanted) => wanted.need === need)),
  )

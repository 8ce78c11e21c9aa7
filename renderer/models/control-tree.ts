import {
  documentLine,
  documentStateWords,
  ROW_STATES,
  type RowState,
  rowStateWords,
  serverLine,
  serverStateWords,
} from '../../schemas/conclusion-words.ts'
import type { AssessmentView, ControlRow, FrameworkView } from '../../schemas/ipc-results.ts'
import type { FrameworkName } from '../../schemas/ipc-views.ts'
import type { Verdict } from '../../schemas/words.ts'
import { type Tally, tallyIn, verdictAt } from './model.ts'
import { NO_CHOICE, sortedRows, type TableColumn } from './table-model.ts'

export interface Wanted {
  readonly text: string
  readonly state: RowState | 'all'
}

interface TreeGroup {
  readonly id: string
  readonly title: string
  readonly controls: readonly ControlRow[]
  /** Controls of this group before filtering: the denominator. */
  readonly total: number
  readonly counts: readonly StateCount[]
}

export interface TreeFramework {
  readonly id: FrameworkName
  readonly title: string
  readonly status: string
  readonly proposed: boolean
  readonly groups: readonly TreeGroup[]
  readonly total: number
  readonly counts: readonly StateCount[]
}

export interface StateCount {
  readonly state: RowState
  readonly count: number
  /** Of these, how many have the server part “no deviations noted”. The others rest on documents alone. */
  readonly withServerTests: number
}

/** The state of a control, for counts and filters. A control without a conclusion in this run never counts as supported. */
export const stateOf = (control: Pick<ControlRow, 'assessed'>): RowState =>
  control.assessed?.state ?? 'unable-to-conclude'

/** How many controls are in each state, worst first, without empty states. The counts sum to the controls given. */
export const countsOf = (controls: readonly ControlRow[]): readonly StateCount[] =>
  ROW_STATES.map((state): StateCount => {
    const own = controls.filter((control) => stateOf(control) === state)
    return {
      state,
      count: own.length,
      withServerTests: own.filter(({ assessed }) => assessed?.server.state === 'no-deviations').length,
    }
  }).filter(({ count }) => count > 0)

/** “Supported 12, of which 3 with server tests” */
export const countLine = ({ state, count, withServerTests }: StateCount): string =>
  `${rowStateWords[state].label} ${count}${state === 'supported' ? `, of which ${withServerTests} with server tests` : ''}`

/** One part of a control in words, with its mark. */
interface PartWords {
  readonly mark: string
  readonly tone: string
  readonly label: string
  readonly meaning: string
}

const UNASSESSED: PartWords = {
  mark: 'dotted-ring',
  tone: 'not-tested',
  label: 'Not assessed',
  meaning: 'This run has no conclusion for this control.',
}

/** Tones of the server states. */
export const SERVER_TONE = {
  deviations: 'not-satisfied',
  'unable-to-conclude': 'inconclusive',
  'scope-limitation': 'inconclusive',
  'not-tested': 'not-tested',
  'no-deviations': 'satisfied',
  'not-applicable': 'not-applicable',
  'no-server-test': 'informational',
} as const

/** The server part of a control. */
export function serverPartOf({ assessed }: Pick<ControlRow, 'assessed'>): PartWords {
  if (assessed === null) return UNASSESSED
  const { mark, meaning } = serverStateWords[assessed.server.state]
  return { mark, meaning, tone: SERVER_TONE[assessed.server.state], label: serverLine(assessed.server) }
}

const DOCUMENT_TONE = {
  deviations: 'not-satisfied',
  outstanding: 'not-tested',
  inspected: 'satisfied',
  'none-needed': 'informational',
} as const

/** The document part of a control. */
export function documentPartOf({ assessed }: Pick<ControlRow, 'assessed'>): PartWords {
  if (assessed === null) return UNASSESSED
  const { mark, meaning } = documentStateWords[assessed.documents.state]
  return { mark, meaning, tone: DOCUMENT_TONE[assessed.documents.state], label: documentLine(assessed.documents) }
}

/** The state of a control where its two parts do not show it: a decision, or a category that was not elected. */
export const isApart = (state: RowState): boolean =>
  state === 'out-of-scope' || state === 'not-applicable' || state === 'addressable-decision'

const matches = (control: ControlRow, words: readonly string[]): boolean => {
  const text = [
    control.id,
    control.title,
    control.summary,
    control.group,
    ...control.mappings.map(({ check }) => check),
    ...control.documents.map(({ request, title }) => `${request?.id ?? ''} ${title}`),
  ]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

/** The matching controls of each framework by group. Counts cover all controls, so that a filter never reduces a denominator. */
export function treeOf(frameworks: readonly FrameworkView[], wanted: Wanted): readonly TreeFramework[] {
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean)
  const isWanted = (control: ControlRow): boolean =>
    (wanted.state === 'all' || stateOf(control) === wanted.state) && matches(control, words)
  return frameworks.map(({ id, title, status, proposed, controls }) => ({
    id,
    title,
    status,
    proposed,
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

interface ListedControl {
  readonly framework: string
  readonly control: ControlRow
}

/** The controls of the tree as the rows of a table. */
export const listedControls = (tree: readonly TreeFramework[]): readonly ListedControl[] =>
  tree.flatMap(({ title, groups }) =>
    groups.flatMap(({ controls }) => controls.map((control) => ({ framework: title, control }))),
  )

/**
 * Framework, group, control and title are always shown, as the tree is read by them. The conclusion is kept because
 * controls decided apart have no other one.
 */
export const CONTROL_COLUMNS: readonly TableColumn<ListedControl>[] = [
  { id: 'framework', title: 'Framework', isKept: true, text: ({ framework }) => framework },
  { id: 'group', title: 'Group', isKept: true, text: ({ control }) => control.group },
  { id: 'control', title: 'Control', isRowHeader: true, text: ({ control }) => control.id },
  { id: 'title', title: 'Title', isKept: true, text: ({ control }) => control.title },
  {
    id: 'state',
    title: 'Conclusion',
    isKept: true,
    text: ({ control }) => rowStateWords[stateOf(control)].label,
    order: ({ control }) => ROW_STATES.indexOf(stateOf(control)),
  },
  { id: 'server', title: 'Server part', text: ({ control }) => serverPartOf(control).label },
  { id: 'documents', title: 'Document part', text: ({ control }) => documentPartOf(control).label },
]

export const CONTROL_ORDERS = [
  { id: 'given', title: 'In the order of the framework' },
  { id: 'title', title: 'By title' },
  { id: 'state', title: 'By conclusion' },
  { id: 'server', title: 'By server part' },
  { id: 'documents', title: 'By document part' },
] as const

/** The same groups, with their controls in the order of a column. */
export const sortedTree = (tree: readonly TreeFramework[], by: string): readonly TreeFramework[] =>
  tree.map((one) => ({
    ...one,
    groups: one.groups.map((group) => ({
      ...group,
      controls: sortedRows(
        group.controls.map((control): ListedControl => ({ framework: one.title, control })),
        CONTROL_COLUMNS,
        { ...NO_CHOICE, by },
      ).map(({ control }) => control),
    })),
  }))

/** The results of one check on the declared nodes; null for a check that is not in the view. */
export function checkTally(view: Pick<AssessmentView, 'checks' | 'checksCounted'>, check: string): Tally | null {
  const at = view.checks.findIndex(({ id }) => id === check)
  return at < 0 ? null : tallyIn(view.checksCounted[at])
}

/** Declared nodes with this verdict for a check. */
export function nodesWith(
  view: Pick<AssessmentView, 'checks' | 'rows'>,
  check: string,
  wanted: Verdict | 'accepted',
): readonly { readonly node: string; readonly verdict: Verdict }[] {
  const at = view.checks.findIndex(({ id }) => id === check)
  return view.rows
    .map((row) => ({ row, verdict: verdictAt(row, at) }))
    .filter(({ row, verdict }) => {
      if (wanted === 'accepted') return verdict === 'not-satisfied' && row.accepted.some((one) => one.check === check)
      return verdict === wanted
    })
    .map(({ row, verdict }) => ({ node: row.node, verdict }))
}

import { useState } from 'react'
import { type ControlRole, checkLine, roleWords } from '../../schemas/conclusion-words.ts'
import type { AssessmentView, ControlRow } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { ControlCheck } from '../../schemas/types.ts'
import { VERDICTS, type Verdict, verdictWords } from '../../schemas/words.ts'
import { checkTally, documentPartOf, isApart, nodesWith, serverPartOf, stateOf } from '../models/control-tree.ts'
import { severity } from '../models/model.ts'
import { plural, visible } from '../models/text.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { MarkedLine, RowStateMark, VerdictMark } from './Mark.tsx'

/** In print order: deciding checks, observations, then the rest. */
const CHECK_GROUPS = ['required', 'counter', 'observations', 'supporting', 'context'] as const
type CheckGroupName = (typeof CHECK_GROUPS)[number]

const checkGroupWords: Readonly<Record<CheckGroupName, { readonly label: string; readonly meaning: string }>> = {
  ...roleWords,
  observations: {
    label: 'Observations',
    meaning: 'Supporting checks that are not satisfied. They are not deviations for this control.',
  },
}

interface GroupedCheck {
  readonly check: string
  /** Null where the expected condition of the check and `why` state it. */
  readonly shows: string | null
  readonly role: ControlRole
  /** The reason for the role. */
  readonly why: string | null
  /** Null for a row without a conclusion in this run. */
  readonly counted: ControlCheck | null
  /** The role is required or counter, but the check does not decide in this engagement. */
  readonly suspended: boolean
}

interface CheckGroup {
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
      : counted?.source === 'pack'
        ? 'Decides nothing here: the pack is sealed after the conclusion, and its verification tests it.'
        : 'Decides in period engagements only, not at a point in time.'

/**
 * The two parts of a control side by side, each with mark and label. The state is shown only if the parts do not show
 * it.
 */
export function ControlParts({
  control,
  isListed = false,
  hidden = [],
}: {
  readonly control: ControlRow
  /** Below column titles, the titles of the parts are for screen readers only. */
  readonly isListed?: boolean
  /** Columns that were not chosen. */
  readonly hidden?: readonly string[]
}) {
  const title = isListed ? 'said' : 'part-title'
  const state = stateOf(control)
  if (state === 'out-of-scope') return <RowStateMark state={state} />
  return (
    <>
      {!hidden.includes('server') && (
        <span className="part">
          <span className={title}>Servers</span>
          <MarkedLine {...serverPartOf(control)} />
        </span>
      )}
      {!hidden.includes('documents') && (
        <span className="part">
          <span className={title}>Documents</span>
          <MarkedLine {...documentPartOf(control)} />
        </span>
      )}
      {isApart(state) && (
        <span className="part part-apart">
          <RowStateMark state={state} />
        </span>
      )}
    </>
  )
}

interface ServerChecksProps {
  readonly of: Source
  readonly view: AssessmentView
  readonly control: ControlRow
}

/** The mapped checks of a control by role, each with its results and the reason for its role. */
export function ServerChecks({ of, view, control }: ServerChecksProps) {
  const [opened, setOpened] = useState<string | null>(null)
  const groups = checkGroups(control)
  if (groups.length === 0) return <p className="empty">No check is mapped to this control.</p>
  return (
    <>
      {groups.map((group) => (
        <Group
          key={group.is}
          group={group}
          view={view}
          startsOpen={group.is !== 'context' || groups.length === 1}
          onOpen={setOpened}
        />
      ))}
      {opened !== null && (
        <Results of={of} view={view} check={opened} control={control} onClose={() => setOpened(null)} />
      )}
    </>
  )
}

interface GroupProps {
  readonly view: AssessmentView
  readonly group: CheckGroup
  /** Context checks decide nothing and can be numerous: folded, unless there are no others. */
  readonly startsOpen: boolean
  readonly onOpen: (check: string) => void
}

function Group({ group, view, startsOpen, onOpen }: GroupProps) {
  const { label, meaning } = checkGroupWords[group.is]
  return (
    <Disclosure title={label} aside={plural(group.checks.length, 'check')} startsOpen={startsOpen}>
      <p className="note">{meaning}</p>
      <ul className="check-list">
        {group.checks.map((one) => (
          <OneCheck key={one.check} one={one} view={view} onOpen={onOpen} />
        ))}
      </ul>
    </Disclosure>
  )
}

function OneCheck({ one, view, onOpen }: Omit<GroupProps, 'group' | 'startsOpen'> & { readonly one: GroupedCheck }) {
  const { check, shows, why, counted } = one
  const known = view.checks.find(({ id }) => id === check)
  const offNode = view.offNodeChecks.find(({ id }) => id === check)
  const suspended = suspendedLine(one)
  return (
    <li className="check-line">
      <span>
        {visible(known?.expected ?? shows ?? check)} <span className="mono">{check}</span>
        {known !== undefined && shows !== null && <span className="note">{visible(shows)}</span>}
        {why !== null && <span className="note">{visible(why)}</span>}
        {known === undefined && <span className="note">{offNode?.why ?? 'This check is not in the catalog.'}</span>}
        {suspended !== '' && <span className="note">{suspended}</span>}
      </span>
      <span className="check-counts">
        {counted === null ? 'Not assessed' : checkLine(counted)}
        {known !== undefined && (
          <Button kind="link" label={`Show the results of ${check} by node`} onPress={() => onOpen(check)}>
            Results by node
          </Button>
        )}
      </span>
    </li>
  )
}

/** Worst first; each node is in one list only. */
const LISTED: readonly Verdict[] = [...VERDICTS].sort((a, b) => severity(a) - severity(b))

function Results({
  of,
  view,
  check,
  control,
  onClose,
}: ServerChecksProps & { readonly check: string; readonly onClose: () => void }) {
  const property = view.checks.find(({ id }) => id === check)?.property
  const total = checkTally(view, check)?.total ?? 0
  const counted = control.assessed?.checks.find((one) => one.check === check)?.population ?? total
  const accepted = new Set(nodesWith(view, check, 'accepted').map(({ node }) => node))
  return (
    <Dialog title={`Results on ${plural(total, 'node')}`} onClose={onClose}>
      <p className="mono">{check}</p>
      {counted !== total && (
        <p className="quiet">
          This control counts {counted} of them: the nodes that store or transmit declared ePHI according to the
          inspected data map.
        </p>
      )}
      <ul className="node-list">
        {LISTED.flatMap((verdict) => nodesWith(view, check, verdict)).map(({ node, verdict }) => (
          <li key={node}>
            {property === undefined ? (
              node
            ) : (
              <Button
                kind="link"
                label={`${node}: ${verdictWords[verdict].label}`}
                onPress={() => go({ screen: 'why', of, node, property, check })}
              >
                {node}
              </Button>
            )}
            <span>
              <VerdictMark verdict={verdict} />
              {accepted.has(node) && <span className="note">Risk accepted</span>}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

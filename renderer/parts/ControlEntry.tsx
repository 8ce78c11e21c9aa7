import { useState } from 'react'
import { checkLine } from '../../schemas/conclusion-words.ts'
import type { AssessmentView, ControlRow } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { VERDICTS, type Verdict, verdictWords } from '../../schemas/words.ts'
import { type CheckGroup, checkGroups, checkGroupWords, type GroupedCheck, suspendedLine } from '../control-checks.ts'
import { checkTally, documentPartOf, isApart, nodesWith, serverPartOf, stateOf } from '../control-tree.ts'
import { severity } from '../model.ts'
import { go } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { MarkedLine, RowStateMark, VerdictMark } from './Mark.tsx'

/** The two parts of a control side by side, each with mark and label; the state only where the parts do not show it. */
export function ControlParts({
  control,
  isListed = false,
}: {
  readonly control: ControlRow
  /** Below column titles, the titles of the parts are only for screen readers. */
  readonly isListed?: boolean
}) {
  const title = isListed ? 'said' : 'part-title'
  const state = stateOf(control)
  if (state === 'out-of-scope') return <RowStateMark state={state} />
  return (
    <>
      <span className="part">
        <span className={title}>Servers</span>
        <MarkedLine {...serverPartOf(control)} />
      </span>
      <span className="part">
        <span className={title}>Documents</span>
        <MarkedLine {...documentPartOf(control)} />
      </span>
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
  /** Context checks decide nothing and can be many: folded, unless there is nothing else. */
  readonly startsOpen: boolean
  readonly onOpen: (check: string) => void
}

function Group({ group, view, startsOpen, onOpen }: GroupProps) {
  const { label, meaning } = checkGroupWords[group.is]
  return (
    <Disclosure
      title={label}
      aside={plural(group.checks.length, 'check')}
      startsOpen={startsOpen}
      className="check-group"
    >
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

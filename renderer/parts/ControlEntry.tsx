import { useState } from 'react'
import type { AssessmentView, ControlRow } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { notFromNodesWords, type Property, type Verdict, verdictWords } from '../../schemas/words.ts'
import { checkTally, isPeopleOnly, type NodesWith, nodesWith, stateOf } from '../control-tree.ts'
import { shareOf, type Tally } from '../model.ts'
import { go } from '../store.ts'
import { plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Shape, StateMark, VerdictMark } from './Mark.tsx'

/** The state of a row. One that rests on people alone shows their records, and no status from a machine. */
export function ControlMark({ control }: { readonly control: ControlRow }) {
  const outstanding = control.assessed?.outstanding.length ?? control.needsAlso.length
  if (!isPeopleOnly(control)) return <StateMark state={stateOf(control)} />
  return outstanding > 0 || control.needsAlso.length === 0 ? (
    <StateMark state="manual-evidence-required" />
  ) : (
    <span className="status tone-met">
      <Shape mark="ring-tick" tone="met" />
      <span>Records attached</span>
    </span>
  )
}

interface Opened {
  readonly check: string
  readonly wanted: NodesWith
  readonly words: string
}

/** What the evidence shows of a control, check by check. Each number opens the nodes that it counts. */
export function ShownChecks({
  of,
  view,
  control,
}: {
  readonly of: Source
  readonly view: AssessmentView
  readonly control: ControlRow
}) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const claims = new Map(view.checks.map((check) => [check.id, check]))
  // What can be read comes before what this catalog does not ask yet.
  const supports = [...control.supports].sort((a, b) => Number(claims.has(b.check)) - Number(claims.has(a.check)))
  return (
    <>
      <div className="scroll">
        <table className="shown-checks">
          <thead>
            <tr>
              <th scope="col">Check, and what it shows of this control</th>
              {COLUMNS.map((verdict) => (
                <th key={verdict} scope="col">
                  {verdictWords[verdict].label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {supports.map(({ check, shows }) => {
              const tally = control.assessed === null ? null : checkTally(view, check)
              const claim = claims.get(check)?.claim
              const beyond = control.notFromNodes.find(({ id }) => id === check)
              return (
                <tr key={check}>
                  <th scope="row">
                    {claim ?? shows}
                    <span className="note">
                      {claim === undefined ? (beyond?.why ?? 'This catalog does not have the check yet.') : shows}{' '}
                      <span className="mono">{check}</span>
                    </span>
                  </th>
                  {tally !== null ? (
                    <Numbers view={view} check={check} tally={tally} onOpen={setOpened} />
                  ) : (
                    <td colSpan={COLUMNS.length}>
                      {beyond === undefined
                        ? `Not collected on any of ${plural(view.rows.length, 'node')}`
                        : `Not from nodes. ${notFromNodesWords[beyond.from]}.`}
                    </td>
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {opened !== null && (
        <NodeList
          of={of}
          view={view}
          opened={opened}
          property={claims.get(opened.check)?.property ?? null}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

interface NumbersProps {
  readonly view: AssessmentView
  readonly check: string
  readonly tally: Tally
  readonly onOpen: (opened: Opened) => void
}

/** Columns of one check: every declared node is in one of them, and each number opens its nodes. */
const COLUMNS: readonly Verdict[] = ['met', 'not-met', 'inconclusive', 'not-tested', 'informational', 'not-applicable']

function Numbers({ view, check, tally, onOpen }: NumbersProps) {
  const accepted = nodesWith(view, check, 'accepted').length
  const number = (count: number, text: string, wanted: NodesWith, words: string) =>
    count === 0 ? (
      text
    ) : (
      <Button
        kind="link"
        label={`${count} of ${plural(tally.total, 'node')} ${words}: show them`}
        onPress={() => onOpen({ check, wanted, words })}
      >
        {text}
      </Button>
    )
  return COLUMNS.map((verdict) => {
    const count = tally.counts[verdict]
    const words = verdictWords[verdict].label.toLowerCase()
    return (
      <td key={verdict} className="number">
        {number(count, verdict === 'met' ? shareOf(tally) || '0' : `${count}`, verdict, words)}
        {verdict === 'not-met' && accepted > 0 && (
          <span className="note">
            {number(accepted, `${accepted} accepted`, 'accepted', 'contradicted and accepted')}
          </span>
        )}
      </td>
    )
  })
}

interface NodeListProps {
  readonly of: Source
  readonly view: AssessmentView
  readonly opened: Opened
  readonly property: Property | null
  readonly onClose: () => void
}

function NodeList({ of, view, opened: { check, wanted, words }, property, onClose }: NodeListProps) {
  const nodes = nodesWith(view, check, wanted)
  return (
    <Dialog title={`${nodes.length} of ${plural(view.rows.length, 'node')} ${words}`} onClose={onClose}>
      <p className="mono">{check}</p>
      <ul className="node-list">
        {nodes.map(({ node, verdict }) => (
          <li key={node}>
            {property === null ? (
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
            <VerdictMark verdict={verdict} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

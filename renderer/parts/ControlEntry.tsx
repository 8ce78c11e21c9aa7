import { useState } from 'react'
import type { AssessmentView, ControlRow } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { ControlCheck } from '../../schemas/types.ts'
import { notFromNodesWords, type Property, verdictWords } from '../../schemas/words.ts'
import { checkCounts, isPeopleOnly, type NodesWith, nodesWith, stateOf } from '../control-tree.ts'
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
              <th scope="col">Supported</th>
              <th scope="col">Contradicted</th>
              <th scope="col">Accepted</th>
              <th scope="col">Covered</th>
            </tr>
          </thead>
          <tbody>
            {supports.map(({ check, shows }) => {
              const found = control.assessed?.checks.find((one) => one.check === check)
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
                  {found?.built === true ? (
                    <Numbers view={view} found={found} onOpen={setOpened} />
                  ) : (
                    <td colSpan={4}>
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
  readonly found: ControlCheck
  readonly onOpen: (opened: Opened) => void
}

function Numbers({ view, found, onOpen }: NumbersProps) {
  const { population, covered, contradicted, accepted } = checkCounts(view, found)
  const numbers: readonly (readonly [number, NodesWith, string])[] = [
    [found.met, 'met', 'supported'],
    [contradicted, 'not-met', 'contradicted'],
    [accepted, 'accepted', 'contradicted and accepted'],
    [covered, 'covered', 'covered'],
  ]
  return numbers.map(([count, wanted, words]) => (
    <td key={wanted} className="number">
      {count === 0 ? (
        `0 of ${population}`
      ) : (
        <Button
          kind="link"
          label={`${count} of ${plural(population, 'node')} ${words}: show them`}
          onPress={() => onOpen({ check: found.check, wanted, words })}
        >
          {count} of {population}
        </Button>
      )}
    </td>
  ))
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

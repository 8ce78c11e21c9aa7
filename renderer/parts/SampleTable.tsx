import { useState } from 'react'
import { WORK_STATES, type WorkState, type Worksheet, type WorksheetLine } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { useAction } from '../actions.ts'
import { go } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextField.tsx'
import { propertyOf, type SampleRow, WORK_WORDS } from '../worksheet-model.ts'
import { FailureNote } from './Ask.tsx'
import { VerdictMark } from './Mark.tsx'

const OPTIONS = WORK_STATES.map((id) => ({ id, title: WORK_WORDS[id] }))

/** The sampled results, each with a link and the auditor’s decision and note. */
export const SampleTable = ({
  rows,
  view,
  onSheet,
}: {
  readonly rows: readonly SampleRow[]
  readonly view: AssessmentView
  readonly onSheet: (sheet: Worksheet) => void
}) => (
  <div className="scroll">
    <table className="sample">
      <thead>
        <tr>
          <th scope="col" className="amount">
            Position{' '}
          </th>
          <th scope="col">Result</th>
          <th scope="col">Stated verdict</th>
          <th scope="col">Your decision</th>
          <th scope="col">Your note</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={`${row.node} ${row.check}`} row={row} view={view} onSheet={onSheet} />
        ))}
      </tbody>
    </table>
  </div>
)

function Row({
  row,
  view,
  onSheet,
}: {
  readonly row: SampleRow
  readonly view: AssessmentView
  readonly onSheet: (sheet: Worksheet) => void
}) {
  const { place, node, check, verdict, at } = row
  const [note, setNote] = useState(row.note)
  const keep = useAction('review.note')
  const about = `${visible(check)} on ${visible(node)}`
  const write = async (state: WorkState, text: string): Promise<void> => {
    const sheet = await keep.run({ node, check, state, note: text })
    if (sheet !== null) onSheet(sheet)
  }
  const changed = note !== row.note
  return (
    <tr>
      <td className="number amount">{place}</td>
      <th scope="row" className="source">
        <Opens node={node} check={check} view={view} />
        <span className="note">{claimOf(view, check)}</span>
      </th>
      <td>
        <VerdictMark verdict={verdict} />
      </td>
      <td>
        <Select
          label={`Decision on ${about}`}
          hideLabel
          options={OPTIONS}
          value={row.state}
          onChange={(state) => void write(state, note)}
        />
      </td>
      <td className="sample-note">
        <TextArea label={`Note on ${about}`} rows={2} maxLength={4000} value={note} onChange={setNote} />
        {(changed || keep.busy) && (
          <Button small busy={keep.busy} label={`Save note on ${about}`} onPress={() => void write(row.state, note)}>
            Save note{' '}
          </Button>
        )}
        {!changed && at !== null && <span className="note">Saved {when(at)}</span>}
        {keep.error !== null && <FailureNote error={keep.error} />}
      </td>
    </tr>
  )
}

const claimOf = (view: AssessmentView, check: string): string =>
  view.checks.find(({ id }) => id === check)?.expected ?? ''

/** A result by name, with a link to its details. */
function Opens({
  node,
  check,
  view,
}: {
  readonly node: string
  readonly check: string
  readonly view: AssessmentView
}) {
  const property = propertyOf(view, check)
  const name = `${visible(check)} on ${visible(node)}`
  if (property === null) return <>{name}</>
  return (
    <Button kind="link" onPress={() => go({ screen: 'why', of: 'pack', node, property, check })}>
      {name}
    </Button>
  )
}

/** Notes outside the current sample: a new sample deletes no note. */
export const OtherNotes = ({
  lines,
  view,
}: {
  readonly lines: readonly WorksheetLine[]
  readonly view: AssessmentView
}) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Result</th>
          <th scope="col">Your decision</th>
          <th scope="col">Your note</th>
          <th scope="col">Saved</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ node, check, state, note, at }) => (
          <tr key={`${node} ${check}`}>
            <th scope="row" className="source">
              <Opens node={node} check={check} view={view} />
            </th>
            <td>{WORK_WORDS[state]}</td>
            <td className="source">{visible(note)}</td>
            <td className="number">{when(at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

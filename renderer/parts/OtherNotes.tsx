import type { WorksheetLine } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { workStateWords } from '../../schemas/review-words.ts'
import { go } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { propertyOf } from '../worksheet-model.ts'

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
            <td>{workStateWords[state]}</td>
            <td className="source">{visible(note)}</td>
            <td className="number">{when(at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

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

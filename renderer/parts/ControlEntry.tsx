import type { AssessmentView, ControlView } from '../../schemas/ipc-views.ts'
import type { ControlAssessment, ControlCheck } from '../../schemas/types.ts'
import { type ControlState, controlStateWords } from '../../schemas/words.ts'
import { StateMark } from './Mark.tsx'

const CLASSES: Readonly<Record<ControlView['evidenceClass'], string>> = {
  automatable: 'Node evidence can bear this item.',
  partial: 'Node evidence can bear part of this item.',
  manual: 'No server can show this item: it rests on records from people.',
  'out-of-scope': 'Outside what node evidence can show.',
}

export interface ControlEntryProps {
  readonly control: ControlView
  readonly found: ControlAssessment | null
  readonly state: ControlState
  readonly view: AssessmentView
}

/** One row of a framework, closed to its state, open to its argument. */
export function ControlEntry({ control, found, state, view }: ControlEntryProps) {
  return (
    <details className="control">
      <summary>
        <span className="citation mono">{control.id}</span>
        <span className="control-title">{control.title}</span>
        <StateMark state={state} />
      </summary>
      <div className="control-body">
        <p>{control.summary}</p>
        <p className="quiet">
          Level: {control.level}. {CLASSES[control.evidenceClass]} {controlStateWords[state].meaning}
        </p>
        {control.supports.length > 0 && (
          <>
            <h3>What Barewitness shows</h3>
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Check</th>
                    <th scope="col">Shows</th>
                    <th scope="col">On the declared nodes</th>
                  </tr>
                </thead>
                <tbody>
                  {control.supports.map(({ check, shows }) => (
                    <tr key={check}>
                      <th scope="row">
                        {view.checks.find(({ id }) => id === check)?.claim ?? 'Not built in this catalog'}
                        <span className="note mono">{check}</span>
                      </th>
                      <td>{shows}</td>
                      <td>{countLine(found?.checks.find((one) => one.check === check) ?? null)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
        <h3>What this does not show</h3>
        <p>{control.notShown}</p>
        {control.needsAlso.length > 0 && (
          <>
            <h3>Also needed, from people</h3>
            <ul>
              {control.needsAlso.map((record) => (
                <li key={record}>{record}</li>
              ))}
            </ul>
          </>
        )}
        {control.responsibility.length > 0 && (
          <p className="quiet">Responsible: {control.responsibility.join(', ')}.</p>
        )}
      </div>
    </details>
  )
}

function countLine(count: ControlCheck | null): string {
  if (count === null || !count.built) return 'not collected: this catalog does not have the check yet'
  const parts: readonly (readonly [number, string])[] = [
    [count.notMet, 'contradicted'],
    [count.inconclusive, 'not enough evidence'],
    [count.notTested, 'not collected'],
    [count.notApplicable, 'doesn’t apply'],
    [count.informational, 'recorded'],
  ]
  const rest = parts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`)
  return [`${count.met} of ${count.population} supported`, ...rest].join(', ')
}

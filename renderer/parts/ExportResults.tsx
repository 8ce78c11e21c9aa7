import { rowStateWords } from '../../schemas/conclusion-words.ts'
import type { ExportPlan } from '../../schemas/ipc-packs.ts'
import { deviatingWords } from '../finding-model.ts'
import type { Route } from '../routes.ts'
import { controlsWithDeviations, findingCounts, resultsLine } from '../seal-model.ts'
import { go } from '../store.ts'
import { may } from '../team.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { SeverityMark } from './FindingParts.tsx'
import { ShowRun } from './ShowRun.tsx'

interface ExportResultsProps {
  readonly plan: ExportPlan
}

/** What the run comes to, before it is sealed: an earlier run is on no other screen until it is opened. */
export function ExportResults({ plan }: ExportResultsProps) {
  const { results, isShown } = plan
  return (
    <section aria-labelledby="export-results" className="export-results">
      <h2 id="export-results">Results of this run</h2>
      <p>{resultsLine(plan)}</p>
      <div className="ledger-list">
        <Disclosure title="Findings" aside={findingCounts(results)} startsOpen={!isShown}>
          <Findings plan={plan} />
        </Disclosure>
        <Disclosure
          title={`Controls: ${rowStateWords.deviations.label.toLowerCase()}`}
          aside={plural(results.frameworks.length, 'framework')}
        >
          <ul className="plain-list">
            {results.frameworks.map((one) => (
              <li key={one.id}>{visible(controlsWithDeviations(one))}</li>
            ))}
          </ul>
        </Disclosure>
      </div>
      <OpenFindings plan={plan} />
    </section>
  )
}

function Findings({ plan: { results, isShown, declared, missing } }: ExportResultsProps) {
  const { findings } = results
  if (findings.length === 0)
    return <p>{missing.length === declared ? 'No node was tested.' : 'No findings on the nodes tested.'}</p>
  return (
    <div className="scroll">
      <table>
        <caption>The most severe first</caption>
        <thead>
          <tr>
            <th scope="col">Severity</th>
            <th scope="col">Condition found</th>
            <th scope="col">Deviating, of tested</th>
          </tr>
        </thead>
        <tbody>
          {findings.map(({ reference, severity, condition, ...counts }) => (
            <tr key={reference}>
              <td>
                <SeverityMark severity={severity} />
              </td>
              <th scope="row">
                {isShown ? (
                  <Button kind="link" onPress={() => go({ screen: 'finding', of: 'run', reference })}>
                    {visible(condition)}
                  </Button>
                ) : (
                  visible(condition)
                )}
                <span className="note">{reference}</span>
              </th>
              <td className="number">{deviatingWords(counts)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Opens the findings of the run. An earlier run becomes the one that is shown; where everyone sees one run, it cannot. */
function OpenFindings({ plan: { run, isShown } }: ExportResultsProps) {
  const to: Route = { screen: 'findings', of: 'run' }
  if (!isShown)
    return may('runs.open') ? <ShowRun title="Show this run and open its findings" {...{ run, to }} /> : null
  return (
    <div className="actions">
      <Button onPress={() => go(to)}>Open findings</Button>
    </div>
  )
}

import type { Bounded, HistoryDeviation, HistoryView } from '../../schemas/ipc-history.ts'
import { useAnswer } from '../bridge.ts'
import { go, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Slowly } from './Ask.tsx'

/** Deviations in this period: when they were found, and which run shows them remediated. */
export function HistoryDeviations({ view: { from, to, demo, runs: shown } }: { readonly view: HistoryView }) {
  const { runs } = useStore()
  const answer = useAnswer('history.deviations', { from, to }, runs)
  return (
    <section aria-labelledby="deviations">
      <h2 id="deviations">Deviations</h2>
      <Slowly answer={answer} does="Loading runs">
        {(deviations) =>
          demo || shown.some(({ seal }) => seal === 'sealed') ? (
            <Listed deviations={deviations} />
          ) : (
            <EmptyState title="No sealed runs in this period">
              Deviations are listed for sealed runs only. Runs that are not sealed may contain deviations.
            </EmptyState>
          )
        }
      </Slowly>
    </section>
  )
}

function Listed({ deviations: { rows, total } }: { readonly deviations: Bounded<HistoryDeviation> }) {
  const open = rows.filter((one) => one.open).length
  return (
    <>
      {total === 0 ? (
        <EmptyState title="No deviations noted">
          No deviations in the sealed runs of this period. Not tested: days without a run.
        </EmptyState>
      ) : (
        <div className="scroll">
          <table className="history-deviations">
            <caption>
              {plural(total, 'deviation')}
              {rows.length < total ? `, the first ${rows.length} are shown` : ''}; {open} open at period end
            </caption>
            <thead>
              <tr>
                <th scope="col">Node</th>
                <th scope="col">Expected condition</th>
                <th scope="col">Found</th>
                <th scope="col">Status at period end</th>
                <th scope="col">Runs</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ node, check, expected, found, fixed, lastSeen, runs, unknown, open: isOpen }) => (
                <tr key={`${node} ${check} ${found.run}`}>
                  <th scope="row">
                    <Button kind="link" onPress={() => go({ screen: 'node', of: 'run', node })}>
                      {visible(node)}
                    </Button>
                  </th>
                  <td>
                    {visible(expected)}
                    <span className="note mono">{visible(check)}</span>
                  </td>
                  <td className="number">{when(found.at)}</td>
                  <td>
                    {fixed !== null ? (
                      <>Remediated by {when(fixed.at)}</>
                    ) : (
                      <>
                        <strong>{isOpen ? 'Open' : 'Inconclusive'}</strong>
                        <span className="note">last observed {when(lastSeen.at)}</span>
                      </>
                    )}
                  </td>
                  <td>
                    {plural(runs, 'run')}
                    {unknown > 0 && <span className="note">{unknown} more inconclusive</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

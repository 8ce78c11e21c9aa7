import type { Bounded, HistoryDeviation, HistoryView } from '../../schemas/ipc-history.ts'
import { useAnswer } from '../bridge.ts'
import { go, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Slowly } from './Slowly.tsx'

/** Claims that were contradicted in these days: when that was found, and which run shows it fixed. */
export function HistoryDeviations({ view: { from, to, demo, runs: shown } }: { readonly view: HistoryView }) {
  const { runs } = useStore()
  const answer = useAnswer('history.deviations', { from, to }, runs)
  return (
    <section aria-labelledby="deviations">
      <h2 id="deviations">Deviations</h2>
      <Slowly answer={answer} does="Reading every run of these days">
        {(deviations) =>
          demo || shown.some(({ seal }) => seal === 'sealed') ? (
            <Listed deviations={deviations} />
          ) : (
            <EmptyState title="No run of these days is sealed">
              Only what is sealed is followed here. That says nothing about what the nodes answered.
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
        <EmptyState title="No claim was contradicted">
          Sealed runs of these days contradict no claim. Days without a run say nothing about this.
        </EmptyState>
      ) : (
        <div className="scroll">
          <table className="history-deviations">
            <caption>
              {plural(total, 'deviation')}
              {rows.length < total ? `, the first ${rows.length} of them shown` : ''}; {open} open at the end
            </caption>
            <thead>
              <tr>
                <th scope="col">Node</th>
                <th scope="col">Contradicted</th>
                <th scope="col">Found</th>
                <th scope="col">State at the end</th>
                <th scope="col">Runs</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ node, check, claim, found, fixed, lastSeen, runs, unknown, open: isOpen }) => (
                <tr key={`${node} ${check} ${found.run}`}>
                  <th scope="row">
                    <Button kind="link" onPress={() => go({ screen: 'node', of: 'run', node })}>
                      {visible(node)}
                    </Button>
                  </th>
                  <td>
                    {visible(claim)}
                    <span className="note mono">{visible(check)}</span>
                  </td>
                  <td className="number">{when(found.at)}</td>
                  <td>
                    {fixed !== null ? (
                      <>Fixed by {when(fixed.at)}</>
                    ) : (
                      <>
                        <strong>{isOpen ? 'Open' : 'Not decided'}</strong>
                        <span className="note">last seen {when(lastSeen.at)}</span>
                      </>
                    )}
                  </td>
                  <td>
                    {plural(runs, 'run')}
                    {unknown > 0 && <span className="note">{unknown} more do not decide it</span>}
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

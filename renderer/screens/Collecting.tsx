import { useAction } from '../actions.ts'
import { FailureNote } from '../parts/Failure.tsx'
import { Shape } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { counts, failureTitle, type NodeProgress, summaryOf, wordOf } from '../run-progress.ts'
import { go, useStore } from '../store.ts'
import { visible } from '../text.ts'

const MARKS: Readonly<Record<NodeProgress['is'], readonly [mark: string, tone: string]>> = {
  waiting: ['dotted-ring', 'not-tested'],
  connecting: ['dotted-ring', 'not-tested'],
  collecting: ['dot', 'informational'],
  done: ['ring-tick', 'met'],
  failed: ['square-cross', 'not-met'],
}

/** A run while it goes on: a row per node with one moving word. */
export function Collecting() {
  const { progress } = useStore()
  const cancel = useAction('run.cancel')
  if (progress === null)
    return (
      <Page title="Collecting">
        <p className="waiting">Starting…</p>
      </Page>
    )
  const { total, done, failed } = counts(progress)
  const ended = progress.ended !== 'no'
  return (
    <Page
      title={ended ? (progress.ended === 'cancelled' ? 'Collection stopped' : 'Collected') : 'Collecting'}
      over={progress.run}
      under={summaryOf(progress)}
      actions={
        ended ? (
          <button type="button" className="primary" onClick={() => go({ screen: 'overview', of: 'run' })}>
            Show results
          </button>
        ) : (
          <button type="button" disabled={cancel.busy} onClick={() => void cancel.run(null)}>
            Stop, keep what was collected
          </button>
        )
      }
    >
      <progress max={total} value={done + failed} aria-label="Nodes finished" />
      {cancel.error !== null && <FailureNote error={cancel.error} />}
      <div className="scroll">
        <table className="progress">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Now</th>
              <th scope="col">Detail</th>
            </tr>
          </thead>
          <tbody>
            {[...progress.nodes].map(([name, node]) => {
              const [mark, tone] = MARKS[node.is]
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    <span className={`status tone-${tone}`}>
                      <Shape mark={mark} tone={tone} />
                      <span>{wordOf(node)}</span>
                    </span>
                  </td>
                  <td>
                    {node.is === 'failed' && `${failureTitle(node.code)}: ${visible(node.detail)}`}
                    {node.is === 'done' && `${node.captures} answers kept`}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Page>
  )
}

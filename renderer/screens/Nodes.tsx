import { clearProgress, showRun, useAction } from '../actions.ts'
import { FailureNote } from '../parts/Failure.tsx'
import { HostKeys } from '../parts/HostKeys.tsx'
import { Importer } from '../parts/Importer.tsx'
import { Page } from '../parts/Page.tsx'
import { go, useStore } from '../store.ts'
import { plural } from '../text.ts'

/** The fleet: what is in scope, whose host keys are confirmed, and how to add more. */
export function Nodes() {
  const { fleet } = useStore()
  const start = useAction('run.start')
  const nodes = fleet?.nodes ?? []
  const collect = async (): Promise<void> => {
    clearProgress()
    if ((await start.run({ nodes: [] })) !== null) await showRun()
  }
  return (
    <Page
      title="Nodes"
      over={fleet === null ? 'No fleet yet' : `Fleet: ${fleet.name}`}
      under={`${plural(nodes.length, 'node')} in scope. Every declared node counts, also one that cannot be reached.`}
      actions={
        <>
          <button type="button" onClick={() => go({ screen: 'preview' })}>
            What we will run
          </button>
          <button
            type="button"
            className="primary"
            disabled={nodes.length === 0 || fleet?.demo === true || start.busy}
            onClick={() => void collect()}
          >
            Collect evidence
          </button>
        </>
      }
    >
      {start.error !== null && <FailureNote error={start.error} />}
      <section aria-labelledby="in-scope">
        <h2 id="in-scope">In scope</h2>
        {nodes.length === 0 ? (
          <p className="empty">
            No nodes yet. Import them below; each line of your file is accounted for before anything is added.
          </p>
        ) : (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Node</th>
                  <th scope="col">Address</th>
                  <th scope="col">Account</th>
                  <th scope="col">Administrator questions</th>
                  <th scope="col">Declared place</th>
                </tr>
              </thead>
              <tbody>
                {nodes.map((node) => (
                  <tr key={node.name}>
                    <th scope="row">{node.name}</th>
                    <td className="mono">
                      {node.address}:{node.port}
                      {node.jump.length > 0 && <span className="note">through {node.jump.join(', ')}</span>}
                    </td>
                    <td className="mono">{node.user === '' ? '—' : node.user}</td>
                    <td>{node.sudo ? 'asked, through sudo' : 'not asked'}</td>
                    <td>{node.place ?? 'not declared'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {fleet !== null && !fleet.demo && <HostKeys nodes={nodes.map(({ name }) => name)} />}
      {fleet?.demo === true && (
        <p className="quiet">
          The demo fleet brings its own host keys, which no known_hosts file holds. Importing your servers starts a
          fleet of your own.
        </p>
      )}
      <Importer />
    </Page>
  )
}

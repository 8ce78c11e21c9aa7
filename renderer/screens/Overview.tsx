import type { AssessmentView, Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { matrixOf, wasReached } from '../model.ts'
import { Ask } from '../parts/Ask.tsx'
import { Legend } from '../parts/Mark.tsx'
import { MatrixGrid } from '../parts/Matrix.tsx'
import { Page } from '../parts/Page.tsx'
import { go, useStore } from '../store.ts'
import { visible, when } from '../text.ts'

/** Nodes by properties, worst first. Counts with denominators; what was not collected stays in them. */
export function Overview({ of }: { readonly of: Source }) {
  const { runs } = useStore()
  const answer = useAnswer('assessment.get', { of }, runs)
  return (
    <Ask answer={answer}>
      {(view) =>
        view === null ? (
          <Page title="Overview">
            <p className="empty">
              Here will be what each node’s evidence supports. There is none yet: no run has finished.
            </p>
            <button type="button" className="primary" onClick={() => go({ screen: 'nodes' })}>
              Go to nodes
            </button>
          </Page>
        ) : (
          <Results view={view} of={of} />
        )
      }
    </Ask>
  )
}

function Results({ view, of }: { readonly view: AssessmentView; readonly of: Source }) {
  const { assessment } = view
  const reached = assessment.nodes.filter(wasReached).length
  return (
    <Page
      title="Overview"
      over={`Fleet: ${visible(assessment.scope.fleet)} · ${of === 'pack' ? 'as stated in the pack' : view.run}`}
      under={`${reached} of ${assessment.nodes.length} declared nodes answered. Judged as of ${when(assessment.asOf)} with catalog ${assessment.catalog.version}.`}
      actions={
        <>
          <button type="button" onClick={() => go({ screen: 'controls', of })}>
            Controls
          </button>
          {of === 'run' && (
            <button type="button" className="primary" onClick={() => go({ screen: 'export' })}>
              Export pack…
            </button>
          )}
        </>
      }
    >
      <MatrixGrid
        label="Nodes by property"
        matrix={matrixOf(view)}
        onOpen={(node, property) => go({ screen: 'why', of, node, property })}
      />
      <p className="quiet">
        A mark shows the worst answer among the checks of a property; the count says how many of them are supported.
        Open a cell to see why.
      </p>
      <Legend />
    </Page>
  )
}

import { useState } from 'react'
import type { AssessmentView, ControlRow, FrameworkView } from '../../schemas/ipc-results.ts'
import type { FrameworkName, Source } from '../../schemas/ipc-views.ts'
import { controlStateWords } from '../../schemas/words.ts'
import { useAnswer } from '../bridge.ts'
import { isPeopleOnly, stateOf } from '../control-tree.ts'
import { useKept } from '../kept.ts'
import { wasReached } from '../model.ts'
import { Ask } from '../parts/Ask.tsx'
import { ControlMark, ShownChecks } from '../parts/ControlEntry.tsx'
import { Page } from '../parts/Page.tsx'
import { Records } from '../parts/Records.tsx'
import { WhyState } from '../parts/WhyState.tsx'
import { go, useStore } from '../store.ts'
import { plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

export interface ControlProps {
  readonly of: Source
  readonly framework: FrameworkName
  /** The control's key, unique within its framework. */
  readonly controlKey: string
}

/** One control from the requirement down: what the evidence shows of it, what it cannot show, and what the evidence is. */
export function Control({ of, framework, controlKey }: ControlProps) {
  const { runs } = useStore()
  const answer = useKept(useAnswer('assessment.get', { of }, runs), of)
  return (
    <Ask answer={answer}>
      {(view) => {
        const frame = view?.frameworks.find(({ id }) => id === framework)
        const row = frame?.controls.find(({ key }) => key === controlKey)
        return view === null || frame === undefined || row === undefined ? (
          <Page title="Control">
            <EmptyState title="This control is not part of what was judged">
              Choose its framework in the settings of the fleet, then collect evidence.
            </EmptyState>
          </Page>
        ) : (
          <Body of={of} view={view} frame={frame} row={row} />
        )
      }}
    </Ask>
  )
}

interface BodyProps {
  readonly of: Source
  readonly view: AssessmentView
  readonly frame: FrameworkView
  readonly row: ControlRow
}

function Body({ of, view, frame, row }: BodyProps) {
  const peopleOnly = isPeopleOnly(row)
  const isOwn = view.scope.mappings?.some(({ id }) => id === frame.id) === true
  return (
    <Page
      title={`${row.id} ${row.title}`}
      over={`${frame.title} · ${row.group}`}
      under={
        <>
          <ControlMark control={row} /> {peopleOnly ? '' : controlStateWords[stateOf(row)].meaning}
          {isOwn && ' A framework of your own.'}
        </>
      }
      actions={<Button onPress={() => go({ screen: 'controls', of, framework: frame.id })}>All controls</Button>}
    >
      {frame.overlay && <p className="banner">A proposal, not in force: shown apart. {frame.status}</p>}
      <div className="control-page">
        <section aria-labelledby="requirement">
          <h2 id="requirement">The requirement</h2>
          <p className="requirement">{row.summary}</p>
          <p className="quiet">
            Cited as {row.id}, {frame.title} {frame.version}; {row.level}. The sentence above is our summary, not legal
            advice.
          </p>
          {row.responsibility.length > 0 && <p className="quiet">Responsible: {row.responsibility.join(', ')}.</p>}
        </section>
        <WhyState of={of} frame={frame} row={row} />
        {!peopleOnly && (
          <section aria-labelledby="shows">
            <h2 id="shows">What Barewitness shows</h2>
            {row.supports.length === 0 ? (
              <p className="empty">No check is mapped to this control.</p>
            ) : (
              <>
                {row.assessed?.nodePart == null && (
                  <p className="quiet">These are background for the control, and decide nothing about it.</p>
                )}
                <ShownChecks of={of} view={view} control={row} />
              </>
            )}
          </section>
        )}
        <section aria-labelledby="not-shown">
          <h2 id="not-shown">{peopleOnly ? 'What it rests on' : 'What this cannot show'}</h2>
          <p className="not-shown">{row.notShown}</p>
          <Records of={of} view={view} framework={frame.id} control={row} />
        </section>
        {!peopleOnly && row.supports.length > 0 && (
          <section aria-labelledby="evidence-of">
            <h2 id="evidence-of">The evidence</h2>
            <EvidenceOf of={of} view={view} row={row} />
          </section>
        )}
      </div>
    </Page>
  )
}

/** Which questions the mapped checks rest on, and where their answers lie, node by node. */
function EvidenceOf({ of, view, row }: Omit<BodyProps, 'frame'>) {
  const catalog = useAnswer('catalog.get', null)
  const [open, setOpen] = useState(false)
  const mapped = new Set(row.supports.map(({ check }) => check))
  const needs = new Set(view.checks.filter(({ id }) => mapped.has(id)).flatMap((check) => check.needs))
  const collected = view.rows.filter(wasReached)
  return (
    <Disclosure
      title={`${plural(needs.size, 'question')} put to ${collected.length} of ${plural(view.rows.length, 'node')}`}
      isOpen={open}
      onToggle={setOpen}
    >
      <Ask answer={catalog}>
        {({ probes }) => (
          <ul className="question-list">
            {probes
              .filter(({ id }) => needs.has(id))
              .map(({ id, title, why }) => (
                <li key={id}>
                  {title} <span className="mono">{id}</span>
                  <span className="note">{why}</span>
                </li>
              ))}
          </ul>
        )}
      </Ask>
      <ul className="node-columns">
        {collected.map(({ node }) => (
          <li key={node}>
            <Button kind="link" onPress={() => go({ screen: 'evidence', of, node, capture: null })}>
              {node}
            </Button>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}

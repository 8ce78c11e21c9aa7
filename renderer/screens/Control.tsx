import { useState } from 'react'
import { categoryWords } from '../../schemas/conclusion-words.ts'
import type { AssessmentView, ControlRow, FrameworkView } from '../../schemas/ipc-results.ts'
import type { FrameworkName, Source } from '../../schemas/ipc-views.ts'
import { documentPartOf, serverPartOf, stateOf } from '../models/control-tree.ts'
import { otherDocuments, targetOf } from '../models/document-model.ts'
import { wasReached } from '../models/model.ts'
import { plural } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { DocumentDialog } from '../parts/AttachDialog.tsx'
import { ControlParts, ServerChecks } from '../parts/ControlEntry.tsx'
import { DocumentList, DocumentRows } from '../parts/DocumentRows.tsx'
import { MarkedLine } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { WhyState } from '../parts/WhyState.tsx'
import { useResults } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { EmptyState } from '../ui/Notice.tsx'

interface ControlProps {
  readonly of: Source
  readonly framework: FrameworkName
  /** The control's key, unique within its framework. */
  readonly controlKey: string
}

/** One control: requirement, server part, document part, limitations, and supporting evidence. */
export function Control({ of, framework, controlKey }: ControlProps) {
  const answer = useResults('assessment.get', { of })
  return (
    <Ask answer={answer}>
      {(view) => {
        const frame = view?.frameworks.find(({ id }) => id === framework)
        const row = frame?.controls.find(({ key }) => key === controlKey)
        return view === null || frame === undefined || row === undefined ? (
          <Page title="Control">
            <EmptyState title="This control is not in this run">
              Select its framework for the fleet, then collect evidence.
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
  const isOwn = view.scope.mappings?.some(({ id }) => id === frame.id) === true
  const server = serverPartOf(row)
  const isOut = stateOf(row) === 'out-of-scope'
  return (
    <Page
      title={`${row.id} ${row.title}`}
      over={`${frame.title} · ${row.group}`}
      under={
        <span className="control-parts">
          <ControlParts control={row} />
          {isOwn && ' Custom framework.'}
        </span>
      }
      actions={<Button onPress={() => go({ screen: 'controls', of, framework: frame.id })}>All controls</Button>}
    >
      {frame.proposed && <p className="banner">Proposed rule, not in effect. Counted separately. {frame.status}</p>}
      <div className="control-page">
        <section aria-labelledby="requirement">
          <h2 id="requirement">Requirement</h2>
          <p className="requirement">{row.summary}</p>
          <p className="quiet">
            Cited as {row.id}, {frame.title} {frame.version}; {row.level}
            {row.category !== null && `; category ${categoryWords[row.category] ?? row.category}`}. The sentence above
            is a summary by Barewitness, not legal advice.
          </p>
          {row.responsibility.length > 0 && <p className="quiet">Responsible: {row.responsibility.join(', ')}.</p>}
        </section>
        <section aria-labelledby="server-part">
          <h2 id="server-part">Server part</h2>
          {!isOut && (
            <>
              <p>
                <MarkedLine {...server} />
              </p>
              <p className="quiet">{server.meaning}</p>
            </>
          )}
          <ServerChecks of={of} view={view} control={row} />
        </section>
        <section aria-labelledby="document-part">
          <h2 id="document-part">Document part</h2>
          {isOut ? (
            <p className="quiet">Not in scope: no document is requested.</p>
          ) : (
            <DocumentPart of={of} view={view} framework={frame.id} control={row} />
          )}
        </section>
        <section aria-labelledby="not-shown">
          <h2 id="not-shown">Limitations</h2>
          <p className="not-shown">{row.notCovered}</p>
        </section>
        <WhyState of={of} frame={frame} row={row} />
        {row.mappings.length > 0 && (
          <section aria-labelledby="evidence-of">
            <h2 id="evidence-of">Supporting evidence</h2>
            <EvidenceOf of={of} view={view} row={row} />
          </section>
        )}
      </div>
    </Page>
  )
}

/** The probes that the mapped checks read, with links to their captures by node. */
function EvidenceOf({ of, view, row }: Omit<BodyProps, 'frame'>) {
  const catalog = useAnswer('catalog.get', null)
  const [open, setOpen] = useState(false)
  const mapped = new Set(row.mappings.map(({ check }) => check))
  const needs = new Set(view.checks.filter(({ id }) => mapped.has(id)).flatMap((check) => check.requires))
  const collected = view.rows.filter(wasReached)
  return (
    <Disclosure
      title={`${plural(needs.size, 'probe')} on ${collected.length} of ${plural(view.rows.length, 'node')}`}
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

interface DocumentPartProps {
  readonly of: Source
  readonly view: AssessmentView
  readonly framework: FrameworkName
  readonly control: ControlRow
}

/** The document part of a control: each evidence request with minimum level, owner and documents. */
function DocumentPart({ of, view, framework, control }: DocumentPartProps) {
  const register = useResults('register.get', { of })
  const [attaches, setAttaches] = useState(false)
  const part = documentPartOf(control)
  return (
    <Ask answer={register}>
      {(loaded) => {
        const others = otherDocuments(framework, control, loaded)
        return (
          <>
            <p>
              <MarkedLine {...part} />
            </p>
            <p className="quiet">{part.meaning}</p>
            <DocumentRows
              of={of}
              view={view}
              register={loaded}
              entries={control.documents.map((document) => ({
                key: document.request?.id ?? document.title,
                document,
                target: targetOf(framework, control.key, document),
              }))}
            />
            {others.length > 0 && (
              <>
                <h3>Attached to the control itself</h3>
                <p className="note">Not linked to an evidence request; not counted.</p>
                <DocumentList of={of} documents={others} />
              </>
            )}
            {of === 'run' && (
              <p>
                <Button small kind="quiet" onPress={() => setAttaches(true)}>
                  Add another document
                </Button>
              </p>
            )}
            {attaches && (
              <DocumentDialog
                view={view}
                request={null}
                controls={[{ framework, control: control.key }]}
                need={null}
                about={`${control.id} ${control.title}`}
                onClose={() => setAttaches(false)}
              />
            )}
          </>
        )
      }}
    </Ask>
  )
}

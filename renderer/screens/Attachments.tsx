import { useState } from 'react'
import type { RegisterView } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { both, useAnswer, useKept } from '../bridge.ts'
import {
  documentsIn,
  heldLine,
  type ListedDocument,
  otherDocuments,
  PROGRESS,
  type Progress,
  progressOf,
  progressWords,
} from '../document-model.ts'
import { Ask } from '../parts/Ask.tsx'
import { DocumentPlan } from '../parts/DocumentPlan.tsx'
import { DocumentList, DocumentRows } from '../parts/DocumentRows.tsx'
import { Page } from '../parts/Page.tsx'
import { ServedControls } from '../parts/ServedControls.tsx'
import { useStore } from '../store.ts'
import { plural } from '../text.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** Every evidence request once: its documents, owner and due date, and what is outstanding or overdue. */
export function Documents({ of, find = '' }: { readonly of: Source; readonly find?: string }) {
  const { runs } = useStore()
  const register = useKept(useAnswer('register.get', { of }, runs), of)
  const view = useKept(useAnswer('assessment.get', { of }, runs), of)
  const list = (
    <Ask answer={both(register, view)}>
      {([said, found]) => <Listed of={of} register={said} view={found} find={find} />}
    </Ask>
  )
  return (
    <Page
      title="Documents"
      over={of === 'pack' ? 'As stated in the pack' : 'Evidence requests and the documents on file'}
      under="Files are stored unchanged and identified by SHA-256. Missing documents remain counted."
    >
      {of === 'pack' ? (
        list
      ) : (
        <Tabs
          label="Documents"
          tabs={[
            { id: 'requests', title: 'All requests', content: list },
            { id: 'owners', title: 'Outstanding by owner', content: <DocumentPlan /> },
          ]}
        />
      )}
    </Page>
  )
}

interface ListedProps {
  readonly of: Source
  readonly register: RegisterView
  readonly view: AssessmentView | null
  /** The text that is searched first. */
  readonly find: string
}

/** Whether the request, its title, its owner or its controls contain every search word. */
const matches = ({ document, rows }: ListedDocument, wanted: string): boolean =>
  [
    document.request?.id ?? '',
    document.title,
    document.askedOf?.owner ?? '',
    ...rows.map(({ control }) => `${control.id} ${control.title}`),
  ]
    .join(' ')
    .toLowerCase()
    .includes(wanted)

function Listed({ of, register, view, find }: ListedProps) {
  const [text, setText] = useState(find)
  const [shown, setShown] = useState<Progress | 'all'>('all')
  const every = documentsIn(view?.frameworks ?? [])
  const wanted = text.trim().toLowerCase()
  const matching = every.filter(
    (one) => (shown === 'all' || progressOf(one.document) === shown) && matches(one, wanted),
  )
  const others = (view?.frameworks ?? [])
    .filter(({ proposed }) => !proposed)
    .flatMap(({ id, controls }) => controls.flatMap((control) => otherDocuments(id, control, register)))
  const counted = new Set([...every.flatMap(({ document }) => document.attached), ...others.map(({ id }) => id)])
  const rest = register.documents.filter(({ id }) => !counted.has(id))
  if (view === null || (every.length === 0 && register.documents.length === 0))
    return (
      <EmptyState title="No evidence requests">
        After the first run, this page lists the documents that controls require in addition to server evidence.
      </EmptyState>
    )
  const count = (progress: Progress): number => every.filter(({ document }) => progressOf(document) === progress).length
  const isWhole = shown === 'all' && wanted === ''
  return (
    <>
      <div className="table-bar">
        <SearchField label="Find a document" value={text} onChange={setText} isFilter />
        <Select
          label="Status"
          hideLabel
          value={shown}
          onChange={setShown}
          options={[
            { id: 'all', title: `All · ${every.length}` },
            ...PROGRESS.filter((progress) => count(progress) > 0).map((progress) => ({
              id: progress,
              title: `${progressWords[progress].label} · ${count(progress)} of ${every.length}`,
            })),
          ]}
        />
        <span className="note" role="status">
          {isWhole ? '' : `${matching.length} of `}
          {plural(every.length, 'document')}; {heldLine(every.map(({ document }) => document))}
        </span>
      </div>
      {matching.length === 0 && <p className="empty">No matching documents.</p>}
      <DocumentRows
        of={of}
        view={view}
        register={register}
        entries={matching.map(({ key, document, target, rows }) => ({
          key,
          document,
          target,
          serves: <ServedControls of={of} rows={rows} />,
        }))}
      />
      {isWhole && others.length > 0 && (
        <section aria-labelledby="other-documents">
          <h2 id="other-documents">
            Attached to controls themselves <span className="number quiet">{new Set(others).size}</span>
          </h2>
          <p className="quiet">Not linked to an evidence request; not counted.</p>
          <DocumentList of={of} documents={[...new Set(others)]} />
        </section>
      )}
      {isWhole && rest.length > 0 && (
        <section aria-labelledby="ended-documents">
          <h2 id="ended-documents">
            Expired, withdrawn, or not counted <span className="number quiet">{rest.length}</span>
          </h2>
          <DocumentList of={of} documents={rest} />
        </section>
      )}
    </>
  )
}

import { IconDeviceFloppy } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { levelWords } from '../../schemas/conclusion-words.ts'
import type { DocumentPlan as DocumentPlanView, OwnerDocuments, PlannedDocument } from '../../schemas/ipc-findings.ts'
import type { RegisterView } from '../../schemas/ipc-register.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import {
  DOCUMENT_COLUMNS,
  DOCUMENT_ORDERS,
  type DocumentFilter,
  documentFilters,
  documentsIn,
  heldLine,
  type ListedDocument,
  otherDocuments,
  showsDocument,
} from '../models/document-model.ts'
import { NO_CHOICE, sortedRows } from '../models/table-model.ts'
import { day, plural, visible } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Copy } from '../parts/Copy.tsx'
import { DocumentList, DocumentRows } from '../parts/DocumentRows.tsx'
import { NextStep } from '../parts/NextStep.tsx'
import { NoResultsYet } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { TableTools, useOrder, useTable } from '../parts/TableTools.tsx'
import { SortedTable, type SortedTableProps, textColumn, type WholeColumn } from '../parts/WholeTable.tsx'
import { useAction, useResults } from '../state/actions.ts'
import { both } from '../state/bridge.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** Every evidence request once: its documents, owner and due date, and what is outstanding or overdue. */
export function Documents({ of, find = '' }: { readonly of: Source; readonly find?: string }) {
  const register = useResults('register.get', { of })
  const view = useResults('assessment.get', { of })
  const list = (
    <Ask answer={both(register, view)}>
      {([loaded, found]) => <Listed of={of} register={loaded} view={found} find={find} />}
    </Ask>
  )
  return (
    <Page
      title="Documents"
      over={of === 'pack' ? 'As stated in the pack' : 'Evidence requests and the documents on file'}
      under="Files are stored unchanged and identified by SHA-256. Missing documents remain counted."
      {...(of === 'run' ? { actions: <NextStep within={['assign-documents']} /> } : {})}
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
  const [shown, setShown] = useState<DocumentFilter>('all')
  const { choice, onChoice, order, select } = useOrder('documents', DOCUMENT_ORDERS)
  const every = documentsIn(view?.frameworks ?? [])
  const wanted = text.trim().toLowerCase()
  const found = every.filter((one) => showsDocument(shown, one.document) && matches(one, wanted))
  const matching = sortedRows(found, DOCUMENT_COLUMNS, { ...NO_CHOICE, by: order.id })
  const others = (view?.frameworks ?? [])
    .filter(({ proposed }) => !proposed)
    .flatMap(({ id, controls }) => controls.flatMap((control) => otherDocuments(id, control, register)))
  const counted = new Set([...every.flatMap(({ document }) => document.attached), ...others.map(({ id }) => id)])
  const rest = register.documents.filter(({ id }) => !counted.has(id))
  if (view === null || (every.length === 0 && register.documents.length === 0))
    return of === 'run' && view === null ? (
      <NoResultsYet>
        Documents that controls require in addition to server evidence are listed here after the first collection.
      </NoResultsYet>
    ) : (
      <EmptyState title="No evidence requests">No control of the selected frameworks requires a document.</EmptyState>
    )
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
          options={documentFilters(every.map(({ document }) => document))}
        />
        {select}
        <TableTools table="documents" columns={DOCUMENT_COLUMNS} rows={matching} choice={choice} onChoice={onChoice} />
        <span className="note" role="status">
          {isWhole ? '' : `${matching.length} of `}
          {plural(every.length, 'document')}; {heldLine(every.map(({ document }) => document))}
        </span>
      </div>
      {matching.length === 0 && <p className="empty">No matching documents.</p>}
      <DocumentRows of={of} view={view} register={register} entries={matching} hidden={choice.hidden} />
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
            Expired, withdrawn, superseded, or not counted <span className="number quiet">{rest.length}</span>
          </h2>
          <DocumentList of={of} documents={rest} />
        </section>
      )}
    </>
  )
}

interface OwnedDocument extends PlannedDocument {
  readonly owner: string | null
}

const PLAN = { className: 'plan-column' } as const

const OWNED_COLUMNS: readonly WholeColumn<OwnedDocument>[] = [
  { id: 'owner', title: 'Owner', isKept: true, text: ({ owner }) => owner },
  {
    id: 'due',
    title: 'Due',
    className: 'plan-due',
    text: ({ due, isOverdue }) => (due === null ? null : `${due.slice(0, 10)}${isOverdue ? ' (overdue)' : ''}`),
    cell: ({ due, isOverdue }) => (
      <>
        {due === null ? 'Not set' : day(due)}
        {isOverdue && ' (overdue)'}
      </>
    ),
  },
  {
    id: 'document',
    title: 'Document',
    isKept: true,
    text: ({ id, title }) => `${id ?? ''} ${title}`.trim(),
    cell: ({ id, title }) => (
      <>
        {id !== null && <span className="mono">{id} </span>}
        {visible(title)}
      </>
    ),
  },
  textColumn('reached', 'Reached', ({ level }) => (level === null ? 'Nothing on file' : levelWords[level].label), PLAN),
  textColumn('minimum', 'Minimum level', ({ minimum }) => levelWords[minimum].label, PLAN),
  textColumn('controls', 'Controls', ({ controls }) => controls, { className: 'plan-column', cellClass: 'number' }),
]

/** Outstanding documents by owner, the soonest due day first, with a message to each owner. */
function DocumentPlan() {
  const answer = useResults('documents.plan', null)
  return (
    <Ask answer={answer}>
      {(plan) =>
        plan === null || plan.outstanding === 0 ? (
          <EmptyState title="No document outstanding">
            {plan === null
              ? 'After the first run, this page lists outstanding documents by owner.'
              : `All ${plural(plan.needed, 'required document')} on file.`}
          </EmptyState>
        ) : (
          <Owners plan={plan} />
        )
      }
    </Ask>
  )
}

function Owners({ plan: { outstanding, needed, owners } }: { readonly plan: DocumentPlanView }) {
  const every = useMemo(
    () => owners.flatMap(({ owner, documents }) => documents.map((one): OwnedDocument => ({ ...one, owner }))),
    [owners],
  )
  const table = useTable('outstanding-documents', OWNED_COLUMNS, every)
  return (
    <>
      <p className="quiet">
        {outstanding} of {plural(needed, 'required document')} outstanding. Owner and due date are set under All
        requests.
      </p>
      <div className="table-bar">{table.tools}</div>
      {owners.map((one) => (
        <Owner key={one.owner ?? ''} of={one} grid={table.grid} />
      ))}
    </>
  )
}

interface OwnerProps {
  readonly of: OwnerDocuments
  /** The table of all owners, so that each part has the same order and columns. */
  readonly grid: Omit<SortedTableProps<OwnedDocument>, 'keyOf'>
}

function Owner({ of: { owner, documents, message }, grid }: OwnerProps) {
  const save = useAction('documents.save-message')
  const name = owner === null ? 'No owner set' : visible(owner)
  const overdue = documents.filter(({ isOverdue }) => isOverdue).length
  const run = async (): Promise<void> => {
    const saved = owner === null ? null : await save.run({ owner })
    if (saved !== null) announce(`Message saved as ${visible(saved.file)}.`)
  }
  return (
    <section className="document-owner" aria-label={name}>
      <h2>
        {name}{' '}
        <span className="number quiet">
          {plural(documents.length, 'document')}
          {overdue > 0 && `, ${overdue} overdue`}
        </span>
      </h2>
      <SortedTable
        label={`Outstanding documents: ${name}`}
        {...grid}
        rows={grid.rows.filter((row) => row.owner === owner)}
        keyOf={({ id, title }) => `${id} ${title}`}
      />
      {message !== null && (
        <Disclosure title="Message to the owner">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lines wider than the window are scrolled with the arrow keys */}
          <section className="unit-text" tabIndex={0} aria-label={`Message to ${name}`}>
            <pre className="mono">{message}</pre>
          </section>
          <div className="actions">
            <Copy text={message} what={`the message to ${name}`}>
              Copy message
            </Copy>
            <Button small icon={IconDeviceFloppy} busy={save.busy} onPress={() => void run()}>
              Save message
            </Button>
          </div>
          {save.error !== null && <FailureNote error={save.error} />}
        </Disclosure>
      )}
    </section>
  )
}

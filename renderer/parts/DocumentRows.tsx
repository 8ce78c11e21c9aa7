import { today } from '@internationalized/date'
import { type ReactNode, useState } from 'react'
import { levelWords } from '../../schemas/conclusion-words.ts'
import type { DocumentView, RegisterView } from '../../schemas/ipc-register.ts'
import type { AssessmentView, ControlDocumentView, EvidenceRequestView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { periodCoverWords } from '../../schemas/words.ts'
import { isSamePerson, SAME_PERSON } from '../models/attach-model.ts'
import {
  attachedIn,
  type DocumentTarget,
  documentWords,
  type ListedDocument,
  levelOf,
  minimumOf,
  progressOf,
  progressWords,
  requestIn,
} from '../models/document-model.ts'
import { bytes, day, plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { go, recorded } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { TextField } from '../ui/Field.tsx'
import { STATUS } from './Acceptances.tsx'
import { FailureNote } from './Ask.tsx'
import { DocumentDialog } from './AttachDialog.tsx'
import { FormDialog } from './FormDialog.tsx'
import { MarkedLine } from './Mark.tsx'
import { WithdrawDialog } from './WithdrawDialog.tsx'

/** A document with the controls that it serves, in lists that cover several controls. */
type DocumentEntry = Omit<ListedDocument, 'rows'> & Partial<Pick<ListedDocument, 'rows'>>

interface DocumentRowsProps {
  readonly of: Source
  readonly view: AssessmentView
  readonly register: RegisterView
  readonly entries: readonly DocumentEntry[]
  /** Hidden columns; a list without a choice of columns shows all. */
  readonly hidden?: readonly string[]
}

type Opened = { readonly dialog: 'attach' | 'request'; readonly entry: DocumentEntry } | null

/** Evidence requests with their actions; read-only in a pack. */
export function DocumentRows({ of, view, register, entries, hidden = [] }: DocumentRowsProps) {
  const [opened, setOpened] = useState<Opened>(null)
  const close = (): void => setOpened(null)
  if (entries.length === 0) return null
  return (
    <>
      <ul className="slots">
        {entries.map((entry) => (
          <DocumentLine
            key={entry.key}
            of={of}
            entry={entry}
            request={requestIn(view, entry.document)}
            view={view}
            hidden={hidden}
          >
            {of === 'run' && (
              <span className="slot-actions">
                {entry.document.state !== 'held' && (
                  <Button
                    small
                    onPress={() => setOpened({ dialog: 'request', entry })}
                    label={`Set owner and due date: ${entry.document.title}`}
                  >
                    Set owner and due date
                  </Button>
                )}
                <Button
                  small
                  onPress={() => setOpened({ dialog: 'attach', entry })}
                  label={`Add document: ${entry.document.title}`}
                >
                  Add document
                </Button>
              </span>
            )}
            <DocumentList of={of} documents={attachedIn(entry.document, register)} />
          </DocumentLine>
        ))}
      </ul>
      {opened?.dialog === 'request' && (
        <RequestDialog target={opened.entry.target} askedOf={opened.entry.document.askedOf} onClose={close} />
      )}
      {opened?.dialog === 'attach' && (
        <DocumentDialog
          view={view}
          request={requestIn(view, opened.entry.document)}
          controls={[{ framework: opened.entry.target.framework, control: opened.entry.target.control }]}
          need={opened.entry.target.need}
          about={opened.entry.document.title}
          onClose={close}
        />
      )}
    </>
  )
}

/** One evidence request: what is requested, what an auditor inspects, the minimum level, and the progress. */
function DocumentLine({
  of,
  entry: { document, rows },
  request,
  view,
  hidden,
  children,
}: {
  readonly of: Source
  readonly entry: DocumentEntry
  readonly request: EvidenceRequestView | null
  readonly view: AssessmentView
  readonly hidden: readonly string[]
  readonly children: ReactNode
}) {
  const shows = (column: string): boolean => !hidden.includes(column)
  const { title, needs, checks, mandatory, askedOf } = document
  const own = needs.filter((need) => need !== title)
  const terms = [
    shows('required') && (mandatory ? 'Required' : 'Optional'),
    shows('level') && `${shows('required') ? 'minimum' : 'Minimum'} level ${levelWords[minimumOf(document)].label}`,
    shows('owner') && request !== null && `usual owner: ${request.owner}`,
  ].filter((term) => term !== false)
  const requested =
    askedOf === null
      ? []
      : [shows('owner') && `from ${visible(askedOf.owner)}`, shows('due') && `due ${day(askedOf.due)}`].filter(
          (term) => term !== false,
        )
  return (
    <li className="slot">
      <span>
        {request !== null && shows('request') && <span className="mono">{request.id} </span>}
        {visible(title)}
        {request !== null && <span className="note">Inspect for: {request.inspects}</span>}
        {own.length > 0 && (
          <span className="note">
            {rows === undefined ? 'For this control' : 'In the words of its controls'}: {own.map(visible).join('; ')}
          </span>
        )}
        {checks.map((check) => (
          <span key={check} className="note">
            Answers <span className="mono">{check}</span>. {view.offNodeChecks.find(({ id }) => id === check)?.why}
          </span>
        ))}
        {shows('controls') && rows !== undefined && <ServedControls of={of} rows={rows} />}
      </span>
      <span className="slot-state">
        {shows('status') && <MarkedLine {...progressWords[progressOf(document)]} label={documentWords(document)} />}
        {terms.length > 0 && <span className="note">{terms.join('; ')}</span>}
        {requested.length > 0 && <span className="note">Requested {requested.join(', ')}</span>}
      </span>
      {children}
    </li>
  )
}

/** The controls that a document serves, each a link to its page. */
const ServedControls = ({ of, rows }: { readonly of: Source; readonly rows: ListedDocument['rows'] }) => (
  <span className="note served">
    Serves{' '}
    {rows.map(({ framework, control }) => (
      <Button
        key={`${framework} ${control.key}`}
        kind="link"
        label={`${control.id} ${control.title}`}
        onPress={() => go({ screen: 'control', of, framework, key: control.key })}
      >
        {control.id}
      </Button>
    ))}
  </span>
)

export function DocumentList({ of, documents }: { readonly of: Source; readonly documents: readonly DocumentView[] }) {
  if (documents.length === 0) return null
  return (
    <ul className="records">
      {documents.map((document) => (
        <DocumentCard key={document.id} of={of} document={document} />
      ))}
    </ul>
  )
}

const SHOWN_NODES = 5

/** Only these types open in the system’s viewer; the engine opens nothing else. */
const canShow = (mediaType: string): boolean => mediaType.startsWith('image/') || mediaType === 'application/pdf'

/** One document: summary, provider, level and inspection, validity, and digest. */
function DocumentCard({ of, document }: { readonly of: Source; readonly document: DocumentView }) {
  const show = useAction('documents.show')
  const [withdraws, setWithdraws] = useState(false)
  const [renews, setRenews] = useState(false)
  const { id, name, kind, mediaType, size, sha256, status, withdrawn, providedBy, inspection, answers } = document
  const { supersededBy, effective, period } = document
  const { label, meaning } = levelWords[levelOf(document)]
  return (
    <li className={`record status-${status}`}>
      <p className="record-head">
        <strong>{visible(name)}</strong>
        <span className="note">
          {kind === 'note' ? 'note' : `${visible(mediaType)}, ${bytes(size)}`} ·{' '}
          {supersededBy !== null
            ? 'superseded'
            : `${STATUS[status].toLowerCase()}${document.validUntil === null ? ', no expiry date' : ` until ${day(document.validUntil)}`}`}
        </span>
      </p>
      <p>{visible(document.summary)}</p>
      <p className="note">
        Level: {label}. {meaning}
      </p>
      {inspection !== undefined && (
        <p className="note">
          Inspected by {visible(inspection.by)} on {day(inspection.at)}: {visible(inspection.lookedAt)} Conclusion:{' '}
          {inspection.conclusion === 'supports' ? 'supports' : 'does not support'}.
          {isSamePerson(inspection.by, providedBy) && ` ${SAME_PERSON}`}
        </p>
      )}
      {answers !== undefined && (
        <p className="note">
          Answers <span className="mono">{answers.checks.map(visible).join(', ')}</span> on{' '}
          {plural(answers.nodes.length, 'node')}: {answers.nodes.slice(0, SHOWN_NODES).map(visible).join(', ')}
          {answers.nodes.length > SHOWN_NODES && ', …'}. The observed results are unchanged.
        </p>
      )}
      {effective !== undefined && (
        <p className="note">
          Effective{' '}
          {effective.to === null ? `from ${day(effective.from)}` : `${day(effective.from)} to ${day(effective.to)}`}
          {period !== null && (
            <>
              {': '}
              <strong>{periodCoverWords[period]}</strong>
            </>
          )}
          .
        </p>
      )}
      {supersededBy !== null && (
        <p className="note">
          Superseded by {visible(supersededBy.name)}, added {day(supersededBy.attachedAt)}.
          {inspection?.conclusion === 'does-not-support' &&
            ' It counts until a later version was inspected, because it does not support.'}
        </p>
      )}
      {document.supersedes !== undefined && (
        <p className="note">
          New version of document <span className="mono">{document.supersedes}</span>.
        </p>
      )}
      <p className="note">
        Provided by {visible(providedBy)}; added {day(document.attachedAt)}; owner {visible(document.owner)}
      </p>
      <p className="note mono source">SHA-256 {sha256}</p>
      {withdrawn !== null && (
        <p className="note">
          Withdrawn {day(withdrawn.at)} by {visible(withdrawn.by)}: {visible(withdrawn.reason)}
        </p>
      )}
      <p className="actions">
        {canShow(mediaType) && (
          <Button small busy={show.busy} onPress={() => void show.run({ of, id })} label={`Show ${visible(name)}`}>
            Show file
          </Button>
        )}
        {of === 'run' && status !== 'withdrawn' && supersededBy === null && (
          <Button small onPress={() => setRenews(true)} label={`Add new version of ${visible(name)}`}>
            Add new version
          </Button>
        )}
        {of === 'run' && status !== 'withdrawn' && (
          <Button small kind="quiet" onPress={() => setWithdraws(true)} label={`Withdraw document ${visible(name)}`}>
            Withdraw document
          </Button>
        )}
      </p>
      {show.error !== null && <FailureNote error={show.error} />}
      {renews && (
        <DocumentDialog
          view={null}
          earlier={document}
          request={null}
          controls={[]}
          need={null}
          about={visible(name)}
          onClose={() => setRenews(false)}
        />
      )}
      {withdraws && (
        <WithdrawDialog what="document" id={id} about={visible(name)} onClose={() => setWithdraws(false)} />
      )}
    </li>
  )
}

interface RequestDialogProps {
  readonly target: DocumentTarget
  readonly askedOf: ControlDocumentView['askedOf']
  readonly onClose: () => void
}

const USUAL_DAYS = 30

/** Owner and due date of an evidence request. */
function RequestDialog({ target, askedOf, onClose }: RequestDialogProps) {
  const set = useAction('requests.set')
  const [owner, setOwner] = useState(askedOf?.owner ?? '')
  const [due, setDue] = useState(askedOf?.due.slice(0, 10) ?? today('UTC').add({ days: USUAL_DAYS }).toString())
  const [tried, setTried] = useState(false)
  const send = async (): Promise<void> => {
    setTried(true)
    if (owner.trim() === '' || due === '') return
    const { framework, control, need } = target
    if ((await set.run({ framework, control, need, owner, due })) === null) return
    recorded(`Requested from ${owner}, due ${day(due)}.`)
    onClose()
  }
  return (
    <FormDialog
      title="Set owner and due date"
      verb="Set owner and due date"
      action={set}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{target.need}</p>
      <TextField
        label="Owner"
        description="The person who provides this document."
        value={owner}
        onChange={setOwner}
        maxLength={200}
        error={tried && owner.trim() === '' ? 'Enter the owner.' : undefined}
        isRequired
        autoFocus
      />
      <DateField
        label="Due"
        value={due}
        onChange={setDue}
        error={tried && due === '' ? 'Choose a due date.' : undefined}
        isRequired
      />
    </FormDialog>
  )
}

import { IconDeviceFloppy, IconEye, IconUserShare } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import type { ExportedFileView } from '../../schemas/ipc-packs.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { invitationStatusWords } from '../../schemas/portal-words.ts'
import { signerParts } from '../models/seal-model.ts'
import { may, signedIn } from '../models/team.ts'
import { bytes, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import {
  type Draft,
  discardDraft,
  exportRoute,
  reviewDraft,
  type Saved,
  saveDraft,
  startOver,
  useExport,
} from '../state/export-store.ts'
import { announce, go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea } from '../ui/Field.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { Copy, Fingerprint } from './Copy.tsx'
import { FormDialog } from './FormDialog.tsx'
import { Page } from './Page.tsx'
import { SealHeadline, ShortAnswers } from './ReviewSeal.tsx'
import { textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

/** The sealed draft as its recipient will see it, and the buttons that save it. */
export function ExportReview({ draft }: { readonly draft: Draft }) {
  const [busy, setBusy] = useState<'review' | 'save' | null>(null)
  const [error, setError] = useState<CallFailure | null>(null)
  const run = async (what: 'review' | 'save', task: () => Promise<CallFailure | null>): Promise<void> => {
    setBusy(what)
    setError(null)
    setError(await task())
    setBusy(null)
  }
  const { made, review } = draft
  const seen = review !== null
  const canReview = may('export.review')
  return (
    <section aria-labelledby="review" className="wizard-step">
      <h2 id="review">{canReview ? 'Review as auditor, then save' : 'Save'}</h2>
      <p>
        {canReview
          ? `Review ${draft.from.copy ? 'the redacted copy' : 'the pack'} in the window that an auditor uses. Trust decisions shown there are yours and may differ from the auditor’s.`
          : 'Verify the pack on your own computer before you give it to others.'}
      </p>
      <SealedBy signer={made.signer} />
      {review !== null && (
        <>
          <SealHeadline review={review} />
          <ShortAnswers answers={review.answers} />
        </>
      )}
      {made.notes.length > 0 && (
        <>
          <h3>Before you save</h3>
          <ul className="notes">
            {made.notes.map((note) => (
              <li key={note}>{visible(note)}</li>
            ))}
          </ul>
        </>
      )}
      <FileTable label="Files to save" files={made.files} />
      <Notice
        title="Draft not saved"
        means={`You can leave this screen and save the draft later, until ${signedIn() === null ? 'you close Barewitness' : 'the server is restarted'}.`}
      />
      {error !== null && <FailureNote error={error} />}
      <div className="actions">
        {canReview && (
          <Button
            kind={seen ? 'secondary' : 'primary'}
            icon={IconEye}
            busy={busy === 'review'}
            isDisabled={busy === 'save'}
            onPress={() => void run('review', reviewDraft)}
          >
            {seen ? 'Review as auditor again' : 'Review as auditor'}
          </Button>
        )}
        <Button
          kind={seen || !canReview ? 'primary' : 'secondary'}
          icon={IconDeviceFloppy}
          busy={busy === 'save'}
          isDisabled={busy === 'review'}
          onPress={() => void run('save', saveDraft)}
        >
          Save pack
        </Button>
        <ShareDraft draft={draft} isDisabled={busy !== null} />
        <Button kind="quiet" isDisabled={busy !== null} onPress={() => void discardDraft()}>
          Discard draft
        </Button>
      </div>
    </section>
  )
}

/** Written files and their location, with digests for the recipient to compare. */
export function ExportDone({ saved, title = 'Pack exported' }: { readonly saved: Saved; readonly title?: string }) {
  // Once left, the page is outdated: the next export is of the run that is shown then.
  useEffect(() => startOver, [])
  return (
    <Page
      title={title}
      under={
        <>
          In <span className="mono source">{visible(saved.folder)}</span>
        </>
      }
    >
      <SealedBy signer={saved.signer} />
      <FileTable label="Files written" files={saved.files} />
      <section aria-labelledby="hand-over">
        <h2 id="hand-over">Delivery</h2>
        <p className="prose">
          {saved.copy
            ? 'Deliver only the redacted copy: every other file contains the redacted parts.'
            : 'Deliver the pack; it includes the report.'}{' '}
          Send the fingerprint of your key over a different channel, such as telephone, so that the recipient can
          confirm the signer.
        </p>
      </section>
      <div className="actions">
        {may('pack.recent') && (
          <Button kind="primary" onPress={() => go({ screen: 'packs' })}>
            Open evidence packs
          </Button>
        )}
        <Button onPress={startOver}>Export another pack</Button>
      </div>
    </Page>
  )
}

const FILE_COLUMNS: readonly WholeColumn<ExportedFileView>[] = [
  textColumn('file', 'File', ({ name }) => name, { isRowHeader: true, cellClass: 'source' }),
  {
    id: 'size',
    title: 'Size',
    className: 'amount',
    cellClass: 'number',
    text: ({ size }) => size,
    cell: ({ size }) => bytes(size),
  },
  textColumn('digest', 'Digest (SHA-256)', ({ sha256 }) => sha256, { cellClass: 'mono fingerprint digest' }),
  {
    id: 'action',
    title: 'Action',
    cell: ({ name, sha256 }) => <Copy text={sha256} what={`the digest of ${visible(name)}`} />,
  },
]

/** Files with size and digest, for the recipient to compare. */
const FileTable = ({ label, files }: { readonly label: string; readonly files: readonly ExportedFileView[] }) => (
  <WholeTable
    table="exported-files"
    className="files"
    caption={label}
    columns={FILE_COLUMNS}
    rows={files}
    keyOf={({ name }) => name}
  />
)

/** The signer of a draft, with the fingerprint for its recipient to compare. */
function SealedBy({ signer }: { readonly signer: string }) {
  const { name, fingerprint } = signerParts(signer)
  return (
    <dl className="seal-facts">
      <Fact term="Sealed by">{visible(name)}</Fact>
      {fingerprint !== null && (
        <Fact term="Fingerprint (SHA-256)">
          <Fingerprint of={fingerprint} />
        </Fact>
      )}
    </dl>
  )
}

/** Shares a sealed draft with the auditors of a server. Not shown in the window. */
function ShareDraft({ draft, isDisabled }: { readonly draft: Draft; readonly isDisabled: boolean }) {
  const [open, setOpen] = useState(false)
  if (signedIn() === null) return null
  return (
    <>
      <Button icon={IconUserShare} isDisabled={isDisabled} onPress={() => setOpen(true)}>
        Share with auditors…
      </Button>
      {open && <ShareDialog draft={draft} onClose={() => setOpen(false)} />}
    </>
  )
}

function ShareDialog({ draft, onClose }: { readonly draft: Draft; readonly onClose: () => void }) {
  const share = useAction('portal.share')
  const [note, setNote] = useState('')
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const invitations = useAnswer('portal.invitations', null)
  const invited = (invitations.state === 'here' ? invitations.value : []).filter(
    ({ status }) => status === 'open' || status === 'active',
  )
  const submit = async (): Promise<void> => {
    if (chosen?.length === 0) return
    if ((await share.run({ handle: draft.made.handle, note: note.trim(), to: chosen })) === null) return
    announce('Pack shared with auditors.')
    onClose()
    go({ screen: 'auditors' })
  }
  return (
    <FormDialog
      title="Share with auditors"
      verb="Share pack"
      isDisabled={chosen?.length === 0}
      action={share}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {draft.from.copy
          ? 'They can open and download the redacted copy. The complete pack and the report are not shared.'
          : 'They can open and download the pack, the report and all additional outputs.'}
      </p>
      <RadioGroup
        label="Share with"
        value={chosen === null ? 'all' : 'some'}
        onChange={(id) => setChosen(id === 'all' ? null : [])}
        options={[
          { id: 'all', title: 'All auditors of this engagement', note: 'Also those who are invited later.' },
          {
            id: 'some',
            title: 'Selected invitations',
            note: invited.length === 0 ? 'No one is invited. Invite auditors under Auditors, Access.' : undefined,
            isDisabled: invited.length === 0,
          },
        ]}
      />
      {chosen !== null && (
        <fieldset className="ticks">
          <legend>Invitations</legend>
          {invited.map(({ id, label, status }) => (
            <Checkbox
              key={id}
              isSelected={chosen.includes(id)}
              onChange={(on) => setChosen(on ? [...chosen, id] : chosen.filter((one) => one !== id))}
              note={invitationStatusWords[status]}
            >
              {visible(label)}
            </Checkbox>
          ))}
        </fieldset>
      )}
      <TextArea
        label="Note to the auditors"
        value={note}
        onChange={setNote}
        maxLength={2000}
        isRequired={false}
        autoFocus
      />
    </FormDialog>
  )
}

/** Replaces an export while another one is open. */
export function OtherExport({ title }: { readonly title: string }) {
  const state = useExport()
  return (
    <Page title={title}>
      <EmptyState
        title="Another export is open"
        action={
          <Button kind="primary" onPress={() => go(exportRoute(state))}>
            Continue that export
          </Button>
        }
      >
        {state.of === 'run' ? 'An evidence pack' : 'A period report'} is being sealed, or is sealed and not saved yet.
        Save or discard it first.
      </EmptyState>
    </Page>
  )
}

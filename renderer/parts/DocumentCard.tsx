import { useState } from 'react'
import { levelWords } from '../../schemas/conclusion-words.ts'
import type { DocumentView } from '../../schemas/ipc-packs.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { isSamePerson, SAME_PERSON } from '../attach-model.ts'
import { levelOf } from '../document-model.ts'
import { outdated } from '../store.ts'
import { bytes, day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { STANDING } from './Acceptances.tsx'
import { FailureNote } from './Failure.tsx'
import { WithdrawDialog } from './WithdrawDialog.tsx'

const SHOWN_NODES = 5

/** Only these types open in the system’s viewer; the engine opens nothing else. */
const canShow = (mediaType: string): boolean => mediaType.startsWith('image/') || mediaType === 'application/pdf'

/** One document: summary, provider, level and inspection, validity, and digest. */
export function DocumentCard({ of, document }: { readonly of: Source; readonly document: DocumentView }) {
  const show = useAction('documents.show')
  const [withdraws, setWithdraws] = useState(false)
  const { id, name, kind, mediaType, size, sha256, standing, withdrawn, providedBy, inspection, answers } = document
  const { label, meaning } = levelWords[levelOf(document)]
  return (
    <li className={`record standing-${standing}`}>
      <p className="record-head">
        <strong>{visible(name)}</strong>
        <span className="note">
          {kind === 'note' ? 'note' : `${visible(mediaType)}, ${bytes(size)}`} · {STANDING[standing].toLowerCase()}
          {document.validUntil === null ? ', no expiry date' : ` until ${day(document.validUntil)}`}
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
        {of === 'run' && standing !== 'withdrawn' && (
          <Button small kind="quiet" onPress={() => setWithdraws(true)} label={`Withdraw document ${visible(name)}`}>
            Withdraw document
          </Button>
        )}
      </p>
      {show.error !== null && <FailureNote error={show.error} />}
      {withdraws && (
        <WithdrawDialog
          what="document"
          id={id}
          about={visible(name)}
          onClose={() => setWithdraws(false)}
          onDone={() => {
            setWithdraws(false)
            outdated()
          }}
        />
      )}
    </li>
  )
}

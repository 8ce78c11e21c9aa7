import { useState } from 'react'
import type { AttachmentView } from '../../schemas/ipc-packs.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { outdated } from '../store.ts'
import { bytes, day, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { STANDING } from './Acceptances.tsx'
import { FailureNote } from './Failure.tsx'
import { WithdrawDialog } from './WithdrawDialog.tsx'

const METHOD = { examined: 'examined by', asked: 'asked', received: 'received from' } as const

/** Only these open in the system's viewer; the engine opens nothing else. */
const canShow = (mediaType: string): boolean => mediaType.startsWith('image/') || mediaType === 'application/pdf'

/** One attached record: what it shows, who says so, how it came, until when it holds, and its digest. */
export function RecordCard({ of, record }: { readonly of: Source; readonly record: AttachmentView }) {
  const show = useAction('attachments.show')
  const [withdraws, setWithdraws] = useState(false)
  const { id, name, kind, mediaType, size, sha256, standing, withdrawn } = record
  return (
    <li className={`record standing-${standing}`}>
      <p className="record-head">
        <strong>{visible(name)}</strong>
        <span className="note">
          {kind === 'note' ? 'note' : `${visible(mediaType)}, ${bytes(size)}`} · {STANDING[standing].toLowerCase()}
          {record.validUntil === null ? ', no end' : ` until ${day(record.validUntil)}`}
        </span>
      </p>
      <p>{visible(record.shows)}</p>
      <p className="note">
        {METHOD[record.method]} {visible(record.saidBy)}; attached {day(record.attachedAt)}; owner{' '}
        {visible(record.owner)}
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
          <Button small kind="quiet" onPress={() => setWithdraws(true)} label={`Withdraw record ${visible(name)}`}>
            Withdraw record
          </Button>
        )}
      </p>
      {show.error !== null && <FailureNote error={show.error} />}
      {withdraws && (
        <WithdrawDialog
          what="record"
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

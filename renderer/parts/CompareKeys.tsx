import { useState } from 'react'
import type { HostKeyRow } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { announce } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Notice } from '../ui/Notice.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'

/** Compares a list from another source with the presented keys, and records the keys that match, and no others. */
export function CompareKeys({
  onRows,
  onClose,
}: {
  readonly onRows: (rows: readonly HostKeyRow[]) => void
  readonly onClose: () => void
}) {
  const [text, setText] = useState('')
  const [how, setHow] = useState('')
  const [found, setFound] = useState<readonly HostKeyRow[] | null>(null)
  const match = useAction('hostkeys.match-text')
  const confirm = useAction('hostkeys.confirm-matched')
  const compare = async (): Promise<void> => {
    const rows = await match.run({ text })
    if (rows === null) return
    onRows(rows)
    const matched = rows.filter(isMatched)
    setFound(matched)
    announce(`${plural(matched.length, 'key')} matched.`)
  }
  const record = async (): Promise<void> => {
    const rows = await confirm.run({ howVerified: how.trim() })
    if (rows === null) return
    onRows(rows)
    announce(`${plural(found?.length ?? 0, 'key')} confirmed.`)
    onClose()
  }
  const error = match.error ?? confirm.error
  return (
    <Dialog
      size="large"
      title="Compare with list"
      onClose={onClose}
      actions={
        <>
          {found !== null && found.length > 0 && (
            <Button kind="primary" busy={confirm.busy} isDisabled={how.trim().length < 3} onPress={() => void record()}>
              Confirm {plural(found.length, 'key')}
            </Button>
          )}
          <Button busy={match.busy} isDisabled={text.trim() === ''} onPress={() => void compare()}>
            Compare list
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Close
          </Button>
        </>
      }
    >
      <TextArea
        label="Fingerprints or known_hosts lines"
        mono
        rows={7}
        value={text}
        onChange={(value) => {
          setText(value)
          setFound(null)
        }}
        placeholder={'SHA256:… db-1\ndb-2 ssh-ed25519 AAAA…'}
        description="From your provider’s console or your own records, not over the network path that you are verifying."
      />
      {found !== null && found.length === 0 && (
        <Notice
          kind="warning"
          title="No unconfirmed key is in this list."
          means="Nothing was confirmed. Keys already on record and changed keys are not compared here."
        />
      )}
      {found !== null && found.length > 0 && (
        <>
          <table>
            <caption>
              {plural(found.length, 'key')} in the list, each presented by its node. Other keys are unchanged.
            </caption>
            <thead>
              <tr>
                <th scope="col">Node</th>
                <th scope="col">Fingerprint (SHA-256)</th>
                <th scope="col">Name in the list</th>
                <th scope="col">Verified by</th>
              </tr>
            </thead>
            <tbody>
              {found.map(({ node, fingerprint, matched, byDecision }) => (
                <tr key={node}>
                  <th scope="row">{node}</th>
                  <td className="mono fingerprint">{fingerprint}</td>
                  <td className="source">{visible(matched ?? '')}</td>
                  <td>{byDecision ? 'decision only' : 'none'}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <TextField
            label="Source of the list and verification method"
            value={how}
            onChange={setHow}
            maxLength={500}
            description="Stored as evidence with each key."
          />
        </>
      )}
      {error !== null && <FailureNote error={error} />}
    </Dialog>
  )
}

/** Input of the engine: unverified keys, and keys verified by a decision only. */
const isMatched = ({ matched, state, byDecision }: HostKeyRow): boolean =>
  matched !== null && (state === 'unknown' || byDecision)

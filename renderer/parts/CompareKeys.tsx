import { useState } from 'react'
import type { HostKeyRow } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Notice } from '../ui/Notice.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'

/** Compares a list from elsewhere with the keys that were shown, and records the decision for those it holds, and for no other. */
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
    say(`${plural(matched.length, 'key')} found in the list.`)
  }
  const record = async (): Promise<void> => {
    const rows = await confirm.run({ howVerified: how.trim() })
    if (rows === null) return
    onRows(rows)
    say(`Recorded your decision about ${plural(found?.length ?? 0, 'key')}.`)
    onClose()
  }
  const error = match.error ?? confirm.error
  return (
    <Dialog
      size="large"
      title="Compare with a pasted list"
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
        description="From your provider’s console or your own records; not from the network path you are checking."
      />
      {found !== null && found.length === 0 && (
        <Notice
          kind="warning"
          title="No key that a list could confirm is in this list."
          means="Nothing was confirmed. Keys that a record confirms already, or that changed, are not looked for here."
        />
      )}
      {found !== null && found.length > 0 && (
        <>
          <table>
            <caption>
              {plural(found.length, 'key')} of the list, each presented by its node. Others stay as they are.
            </caption>
            <thead>
              <tr>
                <th scope="col">Node</th>
                <th scope="col">Fingerprint (SHA-256)</th>
                <th scope="col">In the list as</th>
                <th scope="col">Confirmed so far</th>
              </tr>
            </thead>
            <tbody>
              {found.map(({ node, fingerprint, matched, byDecision }) => (
                <tr key={node}>
                  <th scope="row">{node}</th>
                  <td className="mono fingerprint">{fingerprint}</td>
                  <td className="source">{visible(matched ?? '')}</td>
                  <td>{byDecision ? 'by a decision alone' : 'by nobody'}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <TextField
            label="Where does this list come from, and how did you verify it?"
            value={how}
            onChange={setHow}
            maxLength={500}
            description="Kept as evidence with each of these keys."
          />
        </>
      )}
      {error !== null && <FailureNote error={error} />}
    </Dialog>
  )
}

/** As the engine takes them: keys that nobody confirms, and those that only a decision does. */
const isMatched = ({ matched, state, byDecision }: HostKeyRow): boolean =>
  matched !== null && (state === 'unknown' || byDecision)

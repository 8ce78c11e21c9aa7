import { useState } from 'react'
import type { HostKeyRow } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { failureTitle } from '../run-progress.ts'
import { say } from '../store.ts'
import { visible } from '../text.ts'
import { Ask } from './Ask.tsx'
import { Copy } from './Copy.tsx'
import { Dialog } from './Dialog.tsx'
import { FailureNote } from './Failure.tsx'
import { Shape } from './Mark.tsx'

const STATES: Readonly<Record<HostKeyRow['state'], readonly [word: string, mark: string, tone: string]>> = {
  'not-asked': ['Not asked yet', 'dotted-ring', 'not-tested'],
  confirmed: ['Confirmed', 'ring-tick', 'met'],
  unknown: ['Nobody confirms it', 'diamond-question', 'inconclusive'],
  changed: ['Changed: node is blocked', 'square-cross', 'not-met'],
  revoked: ['Revoked: node is blocked', 'square-cross', 'not-met'],
  unreachable: ['Not reached', 'dotted-ring', 'not-tested'],
}

/** Each node's host key, and who confirms it. A key is decided one by one; there is no way to trust all. */
export function HostKeys({ nodes }: { readonly nodes: readonly string[] }) {
  const listed = useAnswer('hostkeys.list', null, nodes.join(' '))
  const scan = useAction('hostkeys.scan')
  const [rows, setRows] = useState<readonly HostKeyRow[] | null>(null)
  const [deciding, setDeciding] = useState<HostKeyRow | null>(null)
  const ask = async (): Promise<void> => {
    const found = await scan.run({ nodes })
    if (found === null) return
    setRows(found)
    say(`Host keys: ${found.filter(({ state }) => state === 'confirmed').length} of ${found.length} confirmed.`)
  }
  return (
    <section aria-labelledby="host-keys">
      <div className="section-head">
        <h2 id="host-keys">Host keys</h2>
        <button type="button" disabled={scan.busy} onClick={() => void ask()}>
          {scan.busy ? 'Asking…' : 'Ask for host keys'}
        </button>
      </div>
      <p>
        We log in only where the key is confirmed. Compare each fingerprint with one from your provider or console. A
        key that changed blocks its node until somebody verified the change.
      </p>
      {scan.error !== null && <FailureNote error={scan.error} />}
      <Ask answer={listed}>
        {(known) => (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Node</th>
                  <th scope="col">State</th>
                  <th scope="col">Key type</th>
                  <th scope="col">Fingerprint (SHA-256)</th>
                  <th scope="col">Confirmed by</th>
                  <th scope="col">Decision</th>
                </tr>
              </thead>
              <tbody>
                {(rows ?? known).map((row) => (
                  <KeyRow key={row.node} row={row} onDecide={() => setDeciding(row)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Ask>
      {deciding !== null && (
        <Decide
          row={deciding}
          onClose={() => setDeciding(null)}
          onDone={(found) => {
            setRows(found)
            setDeciding(null)
            say(`Recorded your decision about ${deciding.node}.`)
          }}
        />
      )}
    </section>
  )
}

function KeyRow({ row, onDecide }: { readonly row: HostKeyRow; readonly onDecide: () => void }) {
  const [word, mark, tone] = STATES[row.state]
  const open = row.fingerprint !== null && (row.state === 'unknown' || row.state === 'changed')
  return (
    <tr>
      <th scope="row">{row.node}</th>
      <td>
        <span className={`status tone-${tone}`}>
          <Shape mark={mark} tone={tone} />
          <span>{word}</span>
        </span>
        {row.failure !== null && row.state === 'unreachable' && (
          <span className="note">
            {failureTitle(row.failure.code)}: {visible(row.failure.detail)}
          </span>
        )}
      </td>
      <td className="mono whole">{row.keyType ?? '—'}</td>
      <td className="mono fingerprint">
        {row.fingerprint ?? '—'}
        {row.onRecord !== null && row.onRecord !== row.fingerprint && (
          <span className="note">on record: {row.onRecord}</span>
        )}
      </td>
      <td>{row.confirmedBy === null ? 'nobody' : visible(row.confirmedBy)}</td>
      <td>
        {open && (
          <button type="button" className="small" onClick={onDecide}>
            {row.state === 'changed' ? 'Replace after verifying…' : 'Confirm…'}
          </button>
        )}
      </td>
    </tr>
  )
}

interface DecideProps {
  readonly row: HostKeyRow
  readonly onClose: () => void
  readonly onDone: (rows: readonly HostKeyRow[]) => void
}

function Decide({ row, onClose, onDone }: DecideProps) {
  const [how, setHow] = useState('')
  const confirm = useAction('hostkeys.confirm')
  const fingerprint = row.fingerprint ?? ''
  const send = async (): Promise<void> => {
    const rows = await confirm.run({ node: row.node, fingerprint, howVerified: how })
    if (rows !== null) onDone(rows)
  }
  return (
    <Dialog
      title={row.state === 'changed' ? `Replace the host key of ${row.node}` : `Confirm the host key of ${row.node}`}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p>
          The node presents this key. Compare every character with a fingerprint from your provider or from the node’s
          own console.
        </p>
        <p className="mono fingerprint large">
          {fingerprint} <Copy text={fingerprint} what="the fingerprint" />
        </p>
        {row.onRecord !== null && (
          <p>
            On record is another key: <span className="mono fingerprint">{row.onRecord}</span>. Another machine may be
            answering at this address.
          </p>
        )}
        <label>
          How did you verify it?
          <input
            type="text"
            required
            minLength={3}
            maxLength={500}
            placeholder="Provider console, read aloud by the owner, …"
            value={how}
            onChange={(event) => setHow(event.target.value)}
          />
        </label>
        <p className="quiet">Your answer is kept as evidence, with the time and the fingerprint.</p>
        {confirm.error !== null && <FailureNote error={confirm.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={how.trim().length < 3 || confirm.busy}>
            Record decision
          </button>
          <button type="button" onClick={onClose}>
            {row.state === 'changed' ? 'Keep blocking' : 'Not now'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

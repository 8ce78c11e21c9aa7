import { IconClipboardList, IconKey } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import type { HostKeyRow } from '../../schemas/ipc-views.ts'
import { failureTitle } from '../models/run-progress.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextField } from '../ui/Field.tsx'
import { CellLine, CellLines, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { Notice } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { CompareKeys } from './CompareKeys.tsx'
import { Copy } from './Copy.tsx'
import { MarkedLine, Shape } from './Mark.tsx'
import { useTable } from './TableTools.tsx'

const KEY_STATES = {
  'not-asked': { label: 'Not requested yet', mark: 'dotted-ring', tone: 'not-tested' },
  confirmed: { label: 'Confirmed', mark: 'ring-tick', tone: 'satisfied' },
  unknown: { label: 'Not verified', mark: 'diamond-question', tone: 'inconclusive' },
  changed: { label: 'Changed: node is blocked', mark: 'square-cross', tone: 'not-satisfied' },
  revoked: { label: 'Revoked: node is blocked', mark: 'square-cross', tone: 'not-satisfied' },
  unreachable: { label: 'Unreachable', mark: 'dotted-ring', tone: 'not-tested' },
} as const

/** Keys that need a decision come first. */
const ORDER: readonly HostKeyRow['state'][] = ['changed', 'revoked', 'unknown', 'unreachable', 'not-asked', 'confirmed']

/**
 * Host keys and how they were verified. Keys are confirmed one by one, or by a list that contains them; all keys
 * cannot be trusted at once.
 */
export function HostKeys({ nodes }: { readonly nodes: readonly string[] }) {
  const listed = useAnswer('hostkeys.list', null, nodes.join(' '))
  const scan = useAction('hostkeys.scan')
  const [rows, setRows] = useState<readonly HostKeyRow[] | null>(null)
  const ask = async (): Promise<void> => {
    const found = await scan.run({ nodes })
    if (found === null) return
    setRows(found)
    announce(`Host keys: ${confirmedOf(found)} of ${found.length} confirmed.`)
  }
  return (
    <>
      <p className="reading-width">
        Barewitness logs in only where the host key is confirmed. Compare each fingerprint with one from your provider
        or from the console of the node. A changed key blocks its node until you verify the change. Each collection
        compares every key again before it logs in, also a key that the fleet file declares.
      </p>
      {scan.error !== null && <FailureNote error={scan.error} />}
      <Ask answer={listed}>
        {(known) => <KeyList rows={rows ?? known} onRows={setRows} onAsk={() => void ask()} asking={scan.busy} />}
      </Ask>
    </>
  )
}

const confirmedOf = (rows: readonly HostKeyRow[]): number => rows.filter(({ state }) => state === 'confirmed').length

interface KeyListProps {
  readonly rows: readonly HostKeyRow[]
  readonly onRows: (rows: readonly HostKeyRow[]) => void
  readonly onAsk: () => void
  readonly asking: boolean
}

function KeyList({ rows, onRows, onAsk, asking }: KeyListProps) {
  const [find, setFind] = useState('')
  const [deciding, setDeciding] = useState<HostKeyRow | null>(null)
  const [comparing, setComparing] = useState(false)
  const columns = useMemo(() => columnsWith(setDeciding), [])
  const shown = useMemo(
    () =>
      rows
        .filter(({ node }) => node.toLowerCase().includes(find.trim().toLowerCase()))
        .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.node < b.node ? -1 : 1)),
    [rows, find],
  )
  const table = useTable('host-keys', columns, shown)
  const shared = useMemo(() => sharedKeys(rows), [rows])
  const asked = rows.some(({ fingerprint }) => fingerprint !== null)
  const changed = rows.filter(({ state }) => state === 'changed').length
  return (
    <>
      <div className="table-bar">
        <Button kind={asked ? 'secondary' : 'primary'} icon={IconKey} busy={asking} onPress={onAsk}>
          {asked ? 'Request again' : 'Request host keys'}
        </Button>
        <Button icon={IconClipboardList} isDisabled={!asked} onPress={() => setComparing(true)}>
          Compare with list
        </Button>
        <SearchField isFilter label="Find a node" value={find} onChange={setFind} />
        <span className="quiet number">
          {asked || confirmedOf(rows) > 0
            ? `${confirmedOf(rows)} of ${rows.length} confirmed`
            : 'None requested since Barewitness started'}
        </span>
        {table.tools}
      </div>
      {changed > 0 && (
        <Notice
          kind="warning"
          title={changed === 1 ? '1 host key changed.' : `${changed} host keys changed.`}
          means="A different machine may be answering at this address, or the node was reinstalled. Login is blocked."
          next="Confirm each change with the node’s owner, then decide below."
        />
      )}
      {shared.length > 0 && (
        <Notice
          kind="warning"
          title={sharedLine(shared)}
          means="Either they were installed from one image and share a private key, or one machine answers at several addresses."
          next={`Create a host key of its own on each node, or confirm with their owner: ${shared
            .slice(0, 3)
            .map(({ nodes }) => nodes.slice(0, 12).map(visible).join(', '))
            .join('; ')}.`}
        />
      )}
      <GridTable
        label="Host keys"
        {...table.grid}
        keyOf={({ node }) => node}
        rowHeight={3.5}
        empty={<p className="empty">No matching nodes.</p>}
      />
      {deciding !== null && (
        <DecideKey
          row={deciding}
          onClose={() => setDeciding(null)}
          onDone={(found) => {
            onRows(found)
            setDeciding(null)
            announce(`Decision about ${deciding.node} recorded.`)
          }}
        />
      )}
      {comparing && <CompareKeys onRows={onRows} onClose={() => setComparing(false)} />}
    </>
  )
}

const columnsWith = (onDecide: (row: HostKeyRow) => void): readonly GridColumn<HostKeyRow>[] => [
  {
    id: 'node',
    title: 'Node',
    isRowHeader: true,
    text: ({ node }) => node,
    width: '1.3fr',
    minWidth: 7.5,
    cell: ({ node, keyType }) => (
      <>
        <CellLine className="node-name" text={node} />
        {keyType !== null && <CellLine className="node-note mono" text={visible(keyType)} />}
      </>
    ),
  },
  {
    id: 'state',
    title: 'Status',
    text: ({ state }) => KEY_STATES[state].label,
    width: '2fr',
    minWidth: 12,
    cell: ({ state, failure }) => (
      <>
        <MarkedLine {...KEY_STATES[state]} />
        {failure !== null && state === 'unreachable' && (
          <CellLines className="node-note" text={`${failureTitle(failure.code)}: ${visible(failure.detail)}`} />
        )}
      </>
    ),
  },
  {
    id: 'key',
    title: 'Fingerprint (SHA-256)',
    text: ({ fingerprint }) => fingerprint,
    width: 26,
    minWidth: 26,
    cell: ({ fingerprint, onRecord }) => (
      <>
        <span className="fingerprint-line mono">{fingerprint ?? '–'}</span>
        {onRecord !== null && onRecord !== fingerprint && (
          <span className="fingerprint-line mono node-note">was {onRecord}</span>
        )}
      </>
    ),
  },
  {
    id: 'by',
    title: 'Verified by',
    width: '1.8fr',
    minWidth: 9.5,
    cell: ({ confirmedBy, matched, fingerprint }) => (
      <ConfirmedBy confirmedBy={confirmedBy} matched={matched} asked={fingerprint !== null} />
    ),
  },
  {
    id: 'decide',
    title: 'Decision',
    width: 6.5,
    minWidth: 6.5,
    cell: (row) =>
      row.fingerprint !== null &&
      (row.state === 'unknown' || row.state === 'changed') && (
        <Button
          small
          label={row.state === 'changed' ? `Decide on changed key of ${row.node}` : `Confirm key of ${row.node}`}
          onPress={() => onDecide(row)}
        >
          {row.state === 'changed' ? 'Decide…' : 'Confirm…'}
        </Button>
      ),
  },
]

interface ConfirmedByProps {
  readonly confirmedBy: string | null
  readonly matched: string | null
  readonly asked: boolean
}

function ConfirmedBy({ confirmedBy, matched, asked }: ConfirmedByProps) {
  if (confirmedBy !== null)
    return (
      <span className="status tone-satisfied" title={visible(confirmedBy)}>
        <Shape mark="ring-tick" tone="satisfied" />
        <span className="cell-lines">{visible(confirmedBy)}</span>
      </span>
    )
  if (matched !== null)
    return (
      <span className="status" title={visible(matched)}>
        <Shape mark="dot" tone="informational" />
        <span className="cell-lines">In the pasted list, not yet confirmed</span>
      </span>
    )
  return <span className="quiet">{asked ? 'none' : '–'}</span>
}

/** Host keys presented by several nodes, those with most nodes first. */
export function sharedKeys(
  rows: readonly Pick<HostKeyRow, 'node' | 'fingerprint'>[],
): readonly { readonly fingerprint: string; readonly nodes: readonly string[] }[] {
  const found = new Map<string, string[]>()
  for (const { node, fingerprint } of rows)
    if (fingerprint !== null) found.set(fingerprint, [...(found.get(fingerprint) ?? []), node])
  return [...found]
    .map(([fingerprint, nodes]) => ({ fingerprint, nodes }))
    .filter(({ nodes }) => nodes.length > 1)
    .sort((a, b) => b.nodes.length - a.nodes.length)
}

/** The title of the notice about shared keys. */
export const sharedLine = (shared: ReturnType<typeof sharedKeys>): string =>
  shared.length === 1
    ? `${plural(shared[0]?.nodes.length ?? 0, 'node')} presented the same host key.`
    : `${plural(shared.length, 'host key')} were presented by several nodes.`

interface DecideKeyProps {
  readonly row: HostKeyRow
  readonly onClose: () => void
  readonly onDone: (rows: readonly HostKeyRow[]) => void
}

/** A decision about one key and how it was verified. Closing changes nothing: a changed key still blocks its node. */
function DecideKey({ row, onClose, onDone }: DecideKeyProps) {
  const [how, setHow] = useState('')
  const confirm = useAction('hostkeys.confirm')
  const fingerprint = row.fingerprint ?? ''
  const changed = row.state === 'changed'
  const send = async (): Promise<void> => {
    const rows = await confirm.run({ node: row.node, fingerprint, howVerified: how.trim() })
    if (rows !== null) onDone(rows)
  }
  return (
    <Dialog
      title={changed ? `Host key of ${visible(row.node)} changed` : `Confirm host key of ${visible(row.node)}`}
      onClose={onClose}
      actions={
        <>
          <Button
            kind={changed ? 'danger' : 'primary'}
            type="submit"
            form="decide-key"
            busy={confirm.busy}
            isDisabled={how.trim().length < 3}
          >
            {changed ? 'Replace host key' : 'Confirm host key'}
          </Button>
          <Button autoFocus={changed} onPress={onClose}>
            {changed ? 'Keep blocking' : 'Cancel'}
          </Button>
        </>
      }
    >
      <form
        id="decide-key"
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p>
          {changed
            ? 'A different machine may be answering at this address, or the node was reinstalled. Confirm the change with the node’s owner before you replace the key.'
            : 'The node presents this key. Compare every character with a fingerprint from your provider or from the console of the node.'}
        </p>
        <dl className="keys">
          {row.onRecord !== null && (
            <Fact term="On record" className="mono fingerprint">
              {row.onRecord}
            </Fact>
          )}
          <Fact term={changed ? 'Presented now' : 'Presented'}>
            <span className="mono fingerprint">{fingerprint}</span>
            {row.keyType !== null && <span className="note">{visible(row.keyType)}</span>}
            <Copy text={fingerprint} what="the fingerprint" />
          </Fact>
        </dl>
        <TextField
          label="Verification method"
          value={how}
          onChange={setHow}
          maxLength={500}
          placeholder="Provider console, read aloud by the owner, …"
          description="How you verified the key. Stored as evidence with the time and the fingerprint."
        />
        {confirm.error !== null && <FailureNote error={confirm.error} />}
      </form>
    </Dialog>
  )
}

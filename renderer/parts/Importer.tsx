import { IconFolderOpen, IconListSearch } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { FleetView, ImportKind, ImportPreview, ImportRow } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { announce, getState } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { TextArea } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'
import { ImportColumns } from './ImportColumns.tsx'
import { Shape } from './Mark.tsx'

const KINDS: readonly {
  readonly id: ImportKind
  readonly title: string
  readonly note: string
  readonly example: string
}[] = [
  {
    id: 'ssh-config',
    title: 'SSH config',
    note: 'Host entries and ProxyJump are read; Match and Include lines are listed as skipped.',
    example: 'Host db-1\n  HostName 203.0.113.10\n  User audit\n  ProxyJump bastion',
  },
  {
    id: 'csv',
    title: 'CSV',
    note: 'A line of headings, then one server per line. Columns are assigned to fields in the preview.',
    example: 'name,address,port,user\ndb-1,203.0.113.10,22,audit',
  },
  {
    id: 'ansible',
    title: 'Ansible inventory',
    note: 'INI or YAML; ansible_host, ansible_port and ansible_user are read.',
    example: '[db]\ndb-1 ansible_host=203.0.113.10 ansible_user=audit',
  },
]

const OUTCOMES: Readonly<Record<ImportRow['outcome'], readonly [word: string, mark: string, tone: string]>> = {
  'will-add': ['Will add', 'ring-tick', 'satisfied'],
  'already-here': ['Already in fleet', 'bar', 'not-applicable'],
  skipped: ['Skipped', 'diamond-question', 'inconclusive'],
  used: ['Read', 'dot', 'informational'],
}

/** Paste text or choose a file, preview the outcome of every line, then add the nodes. No node is contacted. */
export function Importer({ onAdded }: { readonly onAdded: (fleet: FleetView, names: ReadonlySet<string>) => void }) {
  const [kind, setKind] = useState<ImportKind>('ssh-config')
  const [text, setText] = useState('')
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  const paste = useAction('fleet.import-text')
  const choose = useAction('fleet.import-choose')
  const accept = useAction('fleet.accept')
  const assign = useAction('fleet.import-columns')
  const error = paste.error ?? choose.error ?? assign.error ?? accept.error
  const show = (found: ImportPreview | null): void => {
    if (found === null) return
    setPreview(found)
    announce(`${plural(found.rows.length, 'line')} read, ${plural(found.willAdd, 'node')} will be added.`)
  }
  const add = async (handle: string): Promise<void> => {
    const before = getState().fleet
    const known = new Set(before === null || before.demo ? [] : before.nodes.map(({ name }) => name))
    const fleet = await accept.run({ handle })
    if (fleet === null) return
    onAdded(fleet, new Set(fleet.nodes.map(({ name }) => name).filter((name) => !known.has(name))))
  }
  return (
    <>
      <form
        className="importer"
        onSubmit={(event) => {
          event.preventDefault()
          void paste.run({ kind, text }).then(show)
        }}
      >
        <RadioGroup label="Format" value={kind} onChange={setKind} options={KINDS} />
        <div className="importer-source">
          <TextArea
            label="Content"
            mono
            rows={8}
            value={text}
            onChange={setText}
            placeholder={KINDS.find(({ id }) => id === kind)?.example ?? ''}
          />
          <div className="actions">
            <Button type="submit" icon={IconListSearch} isDisabled={text.trim() === ''} busy={paste.busy}>
              Preview lines
            </Button>
            <span className="quiet">or</span>
            <Button icon={IconFolderOpen} busy={choose.busy} onPress={() => void choose.run({ kind }).then(show)}>
              Choose file…
            </Button>
          </div>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      {preview !== null && (
        <Preview
          preview={preview}
          busy={accept.busy}
          columns={
            preview.columns !== null && (
              <ImportColumns
                columns={preview.columns}
                isDisabled={assign.busy}
                onAssign={(columns) => void assign.run({ handle: preview.handle, columns }).then(show)}
              />
            )
          }
          onAdd={() => void add(preview.handle)}
          onDiscard={() => setPreview(null)}
        />
      )}
    </>
  )
}

interface PreviewProps {
  /** What the columns of a table are. */
  readonly columns: ReactNode
  readonly preview: ImportPreview
  readonly busy: boolean
  readonly onAdd: () => void
  readonly onDiscard: () => void
}

function Preview({ preview, columns, busy, onAdd, onDiscard }: PreviewProps) {
  const [onlySkipped, setOnlySkipped] = useState(false)
  const skipped = preview.rows.filter(({ outcome }) => outcome === 'skipped').length
  const filters = onlySkipped && skipped > 0
  const rows = useMemo(
    () => preview.rows.filter(({ outcome }) => !filters || outcome === 'skipped'),
    [preview, filters],
  )
  return (
    <section aria-labelledby="import-preview">
      <h2 id="import-preview">{preview.file === null ? 'Pasted content' : visible(preview.file)}: outcome by line</h2>
      {columns}
      <div className="table-bar">
        <Button kind="primary" isDisabled={preview.willAdd === 0} busy={busy} onPress={onAdd}>
          Add {plural(preview.willAdd, 'node')}
        </Button>
        <Button onPress={onDiscard}>Discard preview</Button>
        <span className="quiet number">
          {plural(preview.rows.length, 'line')}, {skipped} skipped
        </span>
        <Checkbox isSelected={filters} onChange={setOnlySkipped} isDisabled={skipped === 0}>
          Skipped lines only
        </Checkbox>
      </div>
      <GridTable
        label="Outcome by line"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ line, node }) => `${line} ${node ?? ''}`}
        leaves={14}
        empty={<EmptyState title="No lines found">The text has no entry in this format. Check the format.</EmptyState>}
      />
    </section>
  )
}

const COLUMNS: readonly GridColumn<ImportRow>[] = [
  { id: 'line', title: 'Line', width: 4, minWidth: 4, cell: ({ line }) => <span className="number">{line}</span> },
  {
    id: 'text',
    title: 'Text',
    isRowHeader: true,
    width: '3fr',
    minWidth: 12,
    cell: ({ text }) => (
      <span className="cell-line mono" title={visible(text)}>
        {visible(text)}
      </span>
    ),
  },
  {
    id: 'outcome',
    title: 'Outcome',
    width: 9,
    minWidth: 9,
    cell: ({ outcome }) => {
      const [word, mark, tone] = OUTCOMES[outcome]
      return (
        <span className={`status tone-${tone}`}>
          <Shape mark={mark} tone={tone} />
          <span>{word}</span>
        </span>
      )
    },
  },
  {
    id: 'node',
    title: 'Node',
    width: '1.2fr',
    minWidth: 7,
    cell: ({ node }) => <span className="cell-line">{visible(node ?? '')}</span>,
  },
  {
    id: 'note',
    title: 'Reason',
    width: '3fr',
    minWidth: 12,
    cell: ({ note }) => (
      <span className="cell-lines" title={visible(note)}>
        {visible(note)}
      </span>
    ),
  },
]

import { IconFolderOpen, IconListDetails, IconListSearch } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { formatOf } from '../../schemas/import-format.ts'
import {
  type FleetView,
  IMPORT_FIELDS,
  type ImportColumn,
  type ImportField,
  type ImportKind,
  type ImportPreview,
  type ImportRow,
} from '../../schemas/ipc-views.ts'
import { isOffered, type NodesPart } from '../models/routes.ts'
import { plural, visible } from '../models/text.ts'
import { FailureNote } from '../parts/Ask.tsx'
import { HostKeys } from '../parts/HostKeys.tsx'
import { MarkedLine } from '../parts/Mark.tsx'
import { NodeTable } from '../parts/NodeTable.tsx'
import { Page } from '../parts/Page.tsx'
import { useTable } from '../parts/TableTools.tsx'
import { useAction } from '../state/actions.ts'
import { announce, change, getState, go, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { TextArea } from '../ui/Field.tsx'
import { CellLine, CellLines, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Select } from '../ui/Select.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** The fleet: nodes in scope, import, and host keys. */
export function Nodes({ part, edit }: { readonly part: NodesPart; readonly edit: string | null }) {
  const { fleet } = useStore()
  const [added, setAdded] = useState<ReadonlySet<string> | null>(null)
  const nodes = fleet?.nodes ?? []
  const show = (next: NodesPart): void => replace({ screen: 'nodes', part: next })
  const land = (after: FleetView, names: ReadonlySet<string>): void => {
    change({ fleet: after })
    setAdded(names)
    show('list')
    announce(`${plural(names.size, 'node')} added; ${plural(after.nodes.length, 'node')} in scope.`)
  }
  return (
    <Page
      title="Nodes"
      over={fleet === null ? 'No fleet yet' : `Fleet: ${visible(fleet.name)}`}
      under={`${plural(nodes.length, 'node')} in scope. Every declared node is counted, including unreachable nodes.`}
      actions={
        <Button icon={IconListDetails} onPress={() => go({ screen: 'preview' })}>
          Preview commands
        </Button>
      }
    >
      <Tabs
        label="Fleet sections"
        selected={part}
        onSelect={show}
        tabs={[
          {
            id: 'list',
            title: 'In scope',
            count: nodes.length,
            content: (
              <NodeTable
                nodes={nodes}
                added={added}
                edit={edit}
                onAll={() => setAdded(null)}
                onImport={() => show('import')}
                onKeys={() => show('keys')}
              />
            ),
          },
          ...(isOffered({ screen: 'nodes', part: 'import' })
            ? [{ id: 'import' as const, title: 'Import', content: <Importer onAdded={land} /> }]
            : []),
          {
            id: 'keys',
            title: 'Host keys',
            content:
              nodes.length === 0 || fleet?.demo === true ? (
                <EmptyState title={nodes.length === 0 ? 'No nodes yet' : 'The demo fleet includes its host keys'}>
                  {nodes.length === 0
                    ? 'Import nodes to verify their host keys.'
                    : 'Its host keys are not in a known_hosts file. Import your servers to start your own fleet.'}
                </EmptyState>
              ) : (
                <HostKeys key={nodes.map(({ name }) => name).join(' ')} nodes={nodes.map(({ name }) => name)} />
              ),
          },
        ]}
      />
    </Page>
  )
}

const TITLES: Readonly<Record<ImportField, string>> = {
  name: 'Name of the node',
  address: 'Address (required)',
  port: 'SSH port',
  user: 'Account',
  hostKey: 'Fingerprint of the host key',
  knownHosts: 'known_hosts file',
  identityFile: 'Private key',
  sudo: 'Privileged probes with sudo',
  agent: 'SSH agent',
  jump: 'Jump hosts',
  jumpOnly: 'Only connected through',
  transport: 'SSH client',
  role: 'Role',
  site: 'Name of the place',
  country: 'Country of the place',
  latitude: 'Latitude',
  longitude: 'Longitude',
  radiusKm: 'Radius of the place in km',
  declaredBy: 'Place declared by',
}

const NONE = ''
const OPTIONS = [
  { id: NONE, title: 'Not imported' },
  ...IMPORT_FIELDS.map((id): { readonly id: string; readonly title: string } => ({ id, title: TITLES[id] })),
]

interface ImportColumnsProps {
  readonly columns: readonly ImportColumn[]
  readonly isDisabled: boolean
  readonly onAssign: (fields: readonly (ImportField | null)[]) => void
}

/** Assigns the columns of a table to fields. A field assigned to a second column is removed from the first. */
function ImportColumns({ columns, isDisabled, onAssign }: ImportColumnsProps) {
  const assign = (at: number, chosen: string): void => {
    const field = IMPORT_FIELDS.find((one) => one === chosen) ?? null
    onAssign(columns.map((column, index) => (index === at ? field : column.field === field ? null : column.field)))
  }
  return (
    <section aria-labelledby="import-columns">
      <h3 id="import-columns">Columns</h3>
      <p className="quiet">Assigned by their headings. Assign a column to a field to import it.</p>
      <div className="import-columns">
        {columns.map(({ heading, sample, field }, at) => (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity except their position
            key={at}
            label={visible(heading === '' ? `Column ${at + 1}` : heading)}
            description={sample === '' ? 'No value in the first line.' : `For example ${visible(sample.slice(0, 60))}`}
            isDisabled={isDisabled}
            options={OPTIONS}
            value={field ?? NONE}
            onChange={(chosen) => assign(at, chosen)}
          />
        ))}
      </div>
    </section>
  )
}

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
    note: 'A line of headings, then one server per line. Columns are assigned to fields in the preview. A workbook (.xlsx) is read as a table.',
    example: 'name,address,port,user\ndb-1,203.0.113.10,22,audit',
  },
  {
    id: 'ansible',
    title: 'Ansible inventory',
    note: 'INI or YAML; ansible_host, ansible_port and ansible_user are read.',
    example: '[db]\ndb-1 ansible_host=203.0.113.10 ansible_user=audit',
  },
]

const OUTCOMES = {
  'will-add': { label: 'Will add', mark: 'ring-tick', tone: 'satisfied' },
  'already-here': { label: 'Already in fleet', mark: 'bar', tone: 'not-applicable' },
  skipped: { label: 'Skipped', mark: 'diamond-question', tone: 'inconclusive' },
  used: { label: 'Read', mark: 'dot', tone: 'informational' },
} as const

/** Paste text or choose a file, preview the outcome of every line, then add the nodes. No node is contacted. */
function Importer({ onAdded }: { readonly onAdded: (fleet: FleetView, names: ReadonlySet<string>) => void }) {
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
    setKind(found.kind)
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
            onChange={(next) => {
              setText(next)
              // Text pasted into the empty field selects its format; a chosen format remains.
              const format = text === '' ? formatOf(next) : null
              if (format !== null) setKind(format)
            }}
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
  /** The assignment of the columns of a table. */
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
  const table = useTable('import-preview', COLUMNS, rows)
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
        {table.tools}
      </div>
      <GridTable
        label="Outcome by line"
        {...table.grid}
        keyOf={({ line, node }) => `${line} ${node ?? ''}`}
        leaves={14}
        empty={<EmptyState title="No lines found">The text has no entry in this format. Check the format.</EmptyState>}
      />
    </section>
  )
}

const COLUMNS: readonly GridColumn<ImportRow>[] = [
  {
    id: 'line',
    title: 'Line',
    width: 4.5,
    minWidth: 4.5,
    text: ({ line }) => line,
    cell: ({ line }) => <span className="number">{line}</span>,
  },
  {
    id: 'text',
    title: 'Text',
    isRowHeader: true,
    width: '3fr',
    minWidth: 12,
    text: ({ text }) => text,
    cell: ({ text }) => <CellLine className="mono" text={visible(text)} />,
  },
  {
    id: 'outcome',
    title: 'Outcome',
    width: 9,
    minWidth: 9,
    text: ({ outcome }) => OUTCOMES[outcome].label,
    cell: ({ outcome }) => <MarkedLine {...OUTCOMES[outcome]} />,
  },
  {
    id: 'node',
    title: 'Node',
    width: '1.2fr',
    minWidth: 7,
    text: ({ node }) => node,
    cell: ({ node }) => <CellLine text={visible(node ?? '')} />,
  },
  {
    id: 'note',
    title: 'Reason',
    width: '3fr',
    minWidth: 12,
    text: ({ note }) => note,
    cell: ({ note }) => <CellLines text={visible(note)} />,
  },
]

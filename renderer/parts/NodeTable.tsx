import { IconFileImport, IconKey, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import type { FleetNodeView } from '../../schemas/ipc-views.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { announce, change, replace } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Choice.tsx'
import { TextField } from '../ui/Field.tsx'
import { CellLine, CellLines, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { Menu } from '../ui/Menu.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { FormDialog } from './FormDialog.tsx'
import { useTable } from './TableTools.tsx'

interface NodeTableProps {
  readonly nodes: readonly FleetNodeView[]
  /** The nodes added last. Only these are shown until all are requested. */
  readonly added: ReadonlySet<string> | null
  /** The node whose dialog opens with the screen. */
  readonly edit: string | null
  readonly onAll: () => void
  readonly onImport: () => void
  readonly onKeys: () => void
}

/** The nodes in scope. */
export function NodeTable({ nodes, added, edit, onAll, onImport, onKeys }: NodeTableProps) {
  const [find, setFind] = useState('')
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [editing, setEditing] = useState<string | null>(edit)
  const [removing, setRemoving] = useState<readonly string[] | null>(null)
  const columns = useMemo(() => columnsWith(setEditing, (node) => setRemoving([node])), [])
  const shown = useMemo(
    () => nodes.filter((node) => (added === null || added.has(node.name)) && isFound(node, find)),
    [nodes, added, find],
  )
  const table = useTable('nodes', columns, shown)
  const open = nodes.find(({ name }) => name === editing)
  if (nodes.length === 0)
    return (
      <EmptyState
        title="No nodes yet"
        action={
          <Button kind="primary" icon={IconFileImport} onPress={onImport}>
            Import nodes
          </Button>
        }
      >
        The import lists the outcome of every line before nodes are added, and contacts no node.
      </EmptyState>
    )
  return (
    <>
      {added !== null && (
        <Notice
          title={`${plural(added.size, 'node')} added.`}
          means="No node was contacted. Confirm the host key of each node before the first login."
          actions={
            <>
              <Button small kind="primary" icon={IconKey} onPress={onKeys}>
                Confirm host keys
              </Button>
              <Button small kind="quiet" onPress={onAll}>
                Show all nodes
              </Button>
            </>
          }
        />
      )}
      <div className="table-bar">
        <SearchField
          isFilter
          label="Find a node"
          value={find}
          onChange={setFind}
          placeholder="Find by name, address or place"
        />
        <span className="quiet number">
          {shown.length === nodes.length ? '' : `${shown.length} of ${plural(nodes.length, 'node')}`}
        </span>
        <Button icon={IconTrash} isDisabled={selected.size === 0} onPress={() => setRemoving([...selected])}>
          {selected.size === 0 ? 'Remove selected' : `Remove ${plural(selected.size, 'node')}`}
        </Button>
        {table.tools}
      </div>
      <GridTable
        label="Nodes in scope"
        {...table.grid}
        keyOf={nameOf}
        rowHeight={2.75}
        leaves={18}
        selected={selected}
        onSelect={setSelected}
        empty={<p className="empty">No matching nodes.</p>}
      />
      {open !== undefined && (
        <EditNode
          key={open.name}
          node={open}
          onClose={() => {
            setEditing(null)
            if (edit !== null) replace({ screen: 'nodes' })
          }}
        />
      )}
      {removing !== null && (
        <RemoveNodes
          nodes={removing}
          onClose={() => setRemoving(null)}
          onDone={() => {
            setRemoving(null)
            setSelected(new Set())
          }}
        />
      )}
    </>
  )
}

const nameOf = ({ name }: FleetNodeView): string => name

function isFound({ name, address, place, role }: FleetNodeView, find: string): boolean {
  const asked = find.trim().toLowerCase()
  return [name, address, place ?? '', role ?? ''].some((text) => text.toLowerCase().includes(asked))
}

const columnsWith = (
  onEdit: (node: string) => void,
  onRemove: (node: string) => void,
): readonly GridColumn<FleetNodeView>[] => [
  {
    id: 'name',
    title: 'Node',
    isRowHeader: true,
    text: nameOf,
    width: '2fr',
    minWidth: 9,
    cell: ({ name, role }) => (
      <>
        <CellLine className="node-name" text={visible(name)} />
        {role !== null && <CellLine className="node-note" text={visible(role)} />}
      </>
    ),
  },
  {
    id: 'address',
    title: 'Address',
    text: ({ address, port }) => `${address}:${port}`,
    width: '2.5fr',
    minWidth: 9.5,
    cell: ({ address, port, jump }) => (
      <>
        <span className="cell-line mono">
          {visible(address)}:{port}
        </span>
        {jump.length > 0 && <span className="cell-line node-note">via {visible(jump.join(', '))}</span>}
      </>
    ),
  },
  {
    id: 'user',
    title: 'Account',
    text: ({ user }) => (user === '' ? null : user),
    width: '1.5fr',
    minWidth: 5,
    cell: ({ user }) => <CellLine className="mono" text={user === '' ? 'from SSH configuration' : visible(user)} />,
  },
  {
    id: 'sudo',
    title: 'Privileged checks (sudo)',
    text: ({ sudo }) => (sudo ? 'on' : 'off'),
    width: '1.5fr',
    minWidth: 8,
    cell: ({ sudo }) => <CellLine text={sudo ? 'on' : 'off'} />,
  },
  {
    id: 'place',
    title: 'Declared place',
    text: ({ place }) => place,
    width: '3fr',
    minWidth: 7.5,
    cell: ({ place }) => <CellLines text={place === null ? 'not declared' : visible(place)} />,
  },
  {
    id: 'do',
    title: 'Actions',
    width: 6.5,
    minWidth: 6.5,
    cell: ({ name }) => (
      <Menu
        small
        kind="quiet"
        title="Change"
        label={`Change ${name}`}
        entries={[
          { id: 'edit', title: 'Edit node', icon: IconPencil, onAction: () => onEdit(name) },
          { id: 'remove', title: 'Remove node', icon: IconTrash, danger: true, onAction: () => onRemove(name) },
        ]}
      />
    ),
  },
]

const MOST_NAMED = 12

/** Confirms the removal of nodes, which changes the population. */
function RemoveNodes({
  nodes,
  onClose,
  onDone,
}: {
  readonly nodes: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const remove = useAction('fleet.remove-nodes')
  const send = async (): Promise<void> => {
    const fleet = await remove.run({ nodes })
    if (fleet === null) return
    change({ fleet })
    announce(`${plural(nodes.length, 'node')} removed; ${plural(fleet.nodes.length, 'node')} in scope.`)
    onDone()
  }
  const more = nodes.length - MOST_NAMED
  return (
    <FormDialog
      alert
      size="small"
      title={`Remove ${nodes.length === 1 ? visible(nodes[0] ?? '') : plural(nodes.length, 'node')}?`}
      verb={`Remove ${plural(nodes.length, 'node')}`}
      kind="danger"
      action={remove}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        Later runs and exports will not include {nodes.length === 1 ? 'it' : 'them'}. Evidence already collected remains
        on this computer.
      </p>
      {nodes.length > 1 && (
        <p className="quiet">
          {visible(nodes.slice(0, MOST_NAMED).join(', '))}
          {more > 0 && ` and ${more} more`}
        </p>
      )}
    </FormDialog>
  )
}

/** Address, account and privileged checks of a node. The name cannot change: evidence is stored under it. */
function EditNode({ node, onClose }: { readonly node: FleetNodeView; readonly onClose: () => void }) {
  const [address, setAddress] = useState(node.address)
  const [port, setPort] = useState(node.port)
  const [user, setUser] = useState(node.user)
  const [sudo, setSudo] = useState(node.sudo)
  const save = useAction('fleet.edit-node')
  const wrongAddress = address.trim() === '' ? 'Enter a host name or an IP address.' : undefined
  const wrongPort = Number.isNaN(port) ? 'Enter a number from 1 to 65535.' : undefined
  const send = async (): Promise<void> => {
    const fleet = await save.run({ node: node.name, address: address.trim(), port, user: user.trim(), sudo })
    if (fleet === null) return
    change({ fleet })
    announce(`${node.name} saved.`)
    onClose()
  }
  return (
    <FormDialog
      title={`Edit ${visible(node.name)}`}
      verb="Save node"
      isDisabled={wrongAddress !== undefined || wrongPort !== undefined}
      action={save}
      onSubmit={send}
      onClose={onClose}
    >
      <div className="form-row">
        <TextField label="Address" value={address} onChange={setAddress} mono error={wrongAddress} maxLength={253} />
        <NumberField label="Port" value={port} onChange={setPort} minValue={1} maxValue={65_535} error={wrongPort} />
      </div>
      <TextField
        label="Account"
        isRequired={false}
        value={user}
        onChange={setUser}
        mono
        maxLength={64}
        description="If empty, your SSH configuration applies."
      />
      <Checkbox
        isSelected={sudo}
        onChange={setSudo}
        note="Some probes need root. Without sudo, their checks are inconclusive. No password is ever entered."
      >
        Run privileged checks with sudo
      </Checkbox>
      {node.jump.length > 0 && <p className="quiet">Reached through {visible(node.jump.join(', '))}.</p>}
    </FormDialog>
  )
}

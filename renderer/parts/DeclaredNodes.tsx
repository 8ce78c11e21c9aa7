import { useMemo, useState } from 'react'
import type { DeclarationsView } from '../../schemas/ipc-declarations.ts'
import type { FleetNode } from '../../schemas/types.ts'
import { ONE_NODE_ONLY } from '../models/declaration-forms.ts'
import { NODE_SECTION_NAMES } from '../models/declaration-model.ts'
import { plural, visible } from '../models/text.ts'
import { CellLine, CellLines, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { FigureView } from './Figure.tsx'
import { SectionEditor } from './SectionEditor.tsx'
import { useTable } from './TableTools.tsx'

interface DeclaredNodesProps {
  readonly view: DeclarationsView
  readonly first: readonly string[] | null
  readonly onSaved: (view: DeclarationsView) => void
  readonly onDraft: () => void
}

/** Declarations of single nodes. Several nodes can be selected and declared together. */
export function DeclaredNodes({ view, first, onSaved, onDraft }: DeclaredNodesProps) {
  const [find, setFind] = useState('')
  const { nodes } = view.fleet
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(first ?? (nodes.length === 1 ? [nodes[0].name] : [])),
  )
  const shown = useMemo(() => nodes.filter((node) => isFound(node, find)), [nodes, find])
  const table = useTable('declared-nodes', COLUMNS, shown)
  const selected = nodes.map(({ name }) => name).filter((name) => chosen.has(name))
  const title = selected.length > 3 ? plural(selected.length, 'node') : visible(selected.join(', '))
  return (
    <>
      <div className="table-bar">
        <SearchField
          isFilter
          label="Find a node"
          value={find}
          onChange={setFind}
          placeholder="Find by name, address or place"
        />
        <span className="quiet number" role="status">
          {selected.length} of {plural(nodes.length, 'node')} selected
        </span>
        {table.tools}
      </div>
      <GridTable
        label="Declared nodes"
        {...table.grid}
        keyOf={nameOf}
        rowHeight={2.75}
        leaves={40}
        selected={chosen}
        onSelect={setChosen}
        empty={<p className="empty">No matching nodes.</p>}
      />
      {selected.length === 0 ? (
        <EmptyState title="No node selected">
          Select one node, or several that share a place, accounts, services or a login.
        </EmptyState>
      ) : (
        <section className="engagement" aria-label={`Declarations of ${title}`}>
          <p className="declared-for">
            Declarations of <strong>{title}</strong>
          </p>
          {NODE_SECTION_NAMES.filter((section) => selected.length === 1 || !ONE_NODE_ONLY.includes(section)).map(
            (section) => (
              <SectionEditor
                key={`${section} ${selected.join(' ')}`}
                view={view}
                section={section}
                nodes={selected}
                startsOpen={section === 'node-place'}
                onSaved={onSaved}
                onDraft={onDraft}
              />
            ),
          )}
        </section>
      )}
      {view.map !== null && (
        <>
          <h2>Map</h2>
          <FigureView figure={view.map} />
        </>
      )}
    </>
  )
}

const nameOf = ({ name }: FleetNode): string => name

const isFound = ({ name, address, location, role }: FleetNode, find: string): boolean =>
  [name, address, location?.name ?? '', role ?? ''].some((text) =>
    text.toLowerCase().includes(find.trim().toLowerCase()),
  )

/** The number of declarations of a node itself. */
function countsOf({ roster = [], accounts = [], services = [], ephiPaths = [], ephiFlows = [] }: FleetNode): string {
  const ephi = ephiPaths.length + ephiFlows.length
  return [
    roster.length + accounts.length > 0 ? plural(roster.length + accounts.length, 'account') : '',
    services.length > 0 ? plural(services.length, 'service') : '',
    ephi > 0 ? `ePHI: ${ephi}` : '',
  ]
    .filter((text) => text !== '')
    .join(', ')
}

const COLUMNS: readonly GridColumn<FleetNode>[] = [
  {
    id: 'name',
    title: 'Node',
    isRowHeader: true,
    text: nameOf,
    width: '2fr',
    minWidth: 8,
    cell: ({ name, role }) => (
      <>
        <CellLine className="node-name" text={visible(name)} />
        {role !== undefined && <CellLine className="node-note" text={visible(role)} />}
      </>
    ),
  },
  {
    id: 'place',
    title: 'Place',
    text: ({ location }) => location?.name ?? null,
    width: '3fr',
    minWidth: 8,
    cell: ({ location }) =>
      location === undefined ? (
        <span className="quiet">Not declared</span>
      ) : (
        <CellLines text={visible([location.name, location.country ?? ''].filter((text) => text !== '').join(', '))} />
      ),
  },
  {
    id: 'own',
    title: 'Own accounts, services, ePHI',
    text: (node) => countsOf(node) || null,
    width: '2fr',
    minWidth: 9,
    cell: (node) => <CellLine text={countsOf(node)} />,
  },
  {
    id: 'login',
    title: 'Login',
    text: ({ user }) => user ?? 'bwaudit',
    width: '2fr',
    minWidth: 8,
    cell: ({ user, identityFile, sudo }) => (
      <>
        <CellLine className="mono" text={visible(user ?? 'bwaudit')} />
        <CellLine
          className="node-note"
          text={[
            identityFile === undefined ? 'SSH agent' : visible(identityFile.split(/[/\\]/).at(-1) ?? ''),
            sudo === true ? 'sudo' : '',
          ]
            .filter((text) => text !== '')
            .join(', ')}
        />
      </>
    ),
  },
]

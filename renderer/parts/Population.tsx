import { today } from '@internationalized/date'
import { IconFileImport } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { type CoverageState, coverageWords, inventoryKindWords } from '../../schemas/engagement-words.ts'
import type { CoverageView, EngagementView, InventoryDraft, InventoryView } from '../../schemas/ipc-engagement.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { type CoverageRow, coverageCounts, coverageLine, coverageRows } from '../models/coverage-model.ts'
import { may } from '../models/team.ts'
import { day, plural, visible } from '../models/text.ts'
import { useAction, useResultsSoFar } from '../state/actions.ts'
import { go, recorded } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { CellLine, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'
import { Ask } from './Ask.tsx'
import { FormDialog } from './FormDialog.tsx'
import { MarkedLine } from './Mark.tsx'
import { useTable } from './TableTools.tsx'

/** Population reconciliation: declared population, fleet file and provider inventory, worst first. */
export function Population({ of, engagement }: { readonly of: Source; readonly engagement: EngagementView }) {
  const answer = useResultsSoFar('coverage.get', { of })
  return (
    <Ask answer={answer}>
      {(view) =>
        view === null ? (
          <EmptyState
            title="No population declared"
            action={
              of === 'run' &&
              may('engagement.set') && (
                <Button kind="primary" onPress={() => go({ screen: 'engagement', of, part: 'declared', begin: true })}>
                  {engagement.form === null ? 'Define engagement' : 'Complete engagement'}
                </Button>
              )
            }
          >
            {of === 'run'
              ? 'The reconciliation of declared population, fleet file and provider inventory appears here once an engagement is in use.'
              : 'This pack contains no engagement, so its population was not reconciled.'}
          </EmptyState>
        ) : (
          <Compared of={of} view={view} engagement={engagement} />
        )
      }
    </Ask>
  )
}

interface ComparedProps {
  readonly of: Source
  readonly view: CoverageView
  readonly engagement: EngagementView
}

function Compared({ of, view, engagement: { inventory, counts: isDeclared } }: ComparedProps) {
  const [opened, setOpened] = useState<'import' | CoverageRow | null>(null)
  const { coverage, population, asked } = view
  const rows = useMemo(() => coverageRows(coverage), [coverage])
  const counts = coverageCounts(rows)
  const [text, setText] = useState('')
  const [state, setState] = useState<CoverageState | 'all'>('all')
  const wanted = text.trim().toLowerCase()
  const shown = rows.filter(
    (row) =>
      (state === 'all' || row.state === state) &&
      `${row.name} ${row.listed ?? ''} ${row.why ?? ''}`.toLowerCase().includes(wanted),
  )
  const isOwn = of === 'run'
  const isCompared = coverage.inventory !== null
  const columns = useMemo(() => columnsOf(of, isCompared, isOwn ? setOpened : null), [of, isCompared, isOwn])
  const table = useTable('population', columns, shown)
  return (
    <div className="population">
      <p className="lead number">{coverageLine(coverage)}</p>
      {!asked && <Notice title="No results yet." means="No node has been collected." />}
      {coverage.unreconciled > 0 && (
        <Notice
          kind="warning"
          title={`${plural(coverage.unreconciled, 'unreconciled asset')} in the provider inventory.`}
          means={`Until ${coverage.unreconciled === 1 ? 'it is' : 'they are'} reconciled, controls that require the population reconciliation cannot be concluded.`}
          next={
            coverage.unreconciled === 1
              ? 'Add it to the fleet as a node, or exclude it below with a reason.'
              : 'Add each to the fleet as a node, or exclude it below with a reason.'
          }
        />
      )}
      {coverage.conflicts.length > 0 && (
        <Notice
          kind="warning"
          title="Lists conflict"
          means={coverage.conflicts.map((conflict) => (
            <span key={conflict} className="conflict">
              {visible(conflict)}
            </span>
          ))}
        />
      )}
      <dl className="stated-facts">
        <Fact term="Declared population">
          {visible(population.source)}; owner {visible(population.owner)}, {day(population.on)}
        </Fact>
        <Fact term="Provider inventory">
          {inventory === null ? (
            'None. Import an export of the provider’s portal, or its invoice.'
          ) : (
            <Listed of={inventory} />
          )}
        </Fact>
      </dl>
      {of === 'run' && isDeclared && (
        <div className="actions">
          <Button icon={IconFileImport} onPress={() => setOpened('import')}>
            Import provider inventory…
          </Button>
        </div>
      )}
      <div className="table-bar">
        <SearchField label="Find a node or asset" value={text} onChange={setText} isFilter />
        <Select
          label="Status"
          hideLabel
          value={state}
          onChange={setState}
          options={[
            { id: 'all', title: `All · ${rows.length}` },
            ...counts.map((one) => ({
              id: one.state,
              title: `${coverageWords[one.state].label} · ${one.count} of ${rows.length}`,
            })),
          ]}
        />
        <span className="note" role="status">
          {shown.length} of {plural(rows.length, 'item')}
        </span>
        {table.tools}
      </div>
      <GridTable
        label="Population reconciliation"
        {...table.grid}
        keyOf={({ key }) => key}
        rowHeight={4.5}
        leaves={28}
        empty={<p className="empty">No matching nodes.</p>}
      />
      {opened === 'import' && <InventoryDialog before={inventory} onClose={() => setOpened(null)} />}
      {opened !== null && opened !== 'import' && <LeaveOutDialog row={opened} onClose={() => setOpened(null)} />}
    </div>
  )
}

const Listed = ({ of: { source, kind, file, rows, owner, on } }: { readonly of: InventoryView }) => (
  <>
    {inventoryKindWords[kind]}: {visible(source)}, {plural(rows, 'asset')}, file {visible(file.name)}; owner{' '}
    {visible(owner)}, {day(on)}
    <span className="note mono source">SHA-256 {file.sha256}</span>
  </>
)

const yes = (is: boolean): string => (is ? 'Yes' : 'No')

const yesColumn = (id: string, title: string, is: (row: CoverageRow) => boolean): GridColumn<CoverageRow> => ({
  id,
  title,
  width: 6,
  text: (row) => yes(is(row)),
  cell: (row) => yes(is(row)),
})

const columnsOf = (
  of: Source,
  compared: boolean,
  onLeaveOut: ((row: CoverageRow) => void) | null,
): readonly GridColumn<CoverageRow>[] => [
  {
    id: 'name',
    title: 'Node or asset',
    isRowHeader: true,
    text: ({ name }) => name,
    width: '1.4fr',
    minWidth: 10,
    cell: (row) => <Named of={of} row={row} />,
  },
  {
    id: 'state',
    title: 'Status',
    text: ({ state }) => coverageWords[state].label,
    width: '1.3fr',
    minWidth: 12,
    cell: (row: CoverageRow) => {
      const { state, why, name } = row
      return (
        <>
          <MarkedLine {...coverageWords[state]} />
          {why !== null && <CellLine className="note" text={visible(why)} />}
          {onLeaveOut !== null && (state === 'unreconciled' || state === 'excluded') && (
            <Button
              small
              kind="link"
              label={`${state === 'unreconciled' ? 'Exclude' : 'Change'}: ${visible(name)}`}
              onPress={() => onLeaveOut(row)}
            >
              {state === 'unreconciled' ? 'Exclude…' : 'Change…'}
            </Button>
          )}
        </>
      )
    },
  },
  yesColumn('declared', 'Declared', ({ declared }) => declared),
  yesColumn('in-fleet', 'Fleet file', ({ inFleet }) => inFleet),
  yesColumn('answered', 'Collected', ({ answered }) => answered),
  {
    id: 'listed',
    title: 'Provider inventory',
    text: ({ listed }) => (!compared ? 'Not compared' : (listed ?? 'No')),
    width: '1.2fr',
    minWidth: 9,
    cell: ({ listed }) => <CellLine text={!compared ? 'Not compared' : listed === null ? 'No' : visible(listed)} />,
  },
]

function Named({ of, row: { name, state } }: { readonly of: Source; readonly row: CoverageRow }) {
  if (state === 'unreconciled' || state === 'excluded') return <CellLine className="node-name" text={visible(name)} />
  return (
    <Button kind="link" className="cell-line" onPress={() => go({ screen: 'node', of, node: name })}>
      {visible(name)}
    </Button>
  )
}

const KINDS = ['portal-export', 'invoice', 'order'] as const satisfies readonly InventoryDraft['kind'][]

/** Source and owner of the provider inventory, then the file. */
function InventoryDialog({ before, onClose }: { readonly before: InventoryView | null; readonly onClose: () => void }) {
  const bring = useAction('inventory.import-choose')
  const [kind, setKind] = useState<InventoryDraft['kind']>(before?.kind ?? 'portal-export')
  const [source, setSource] = useState(before?.source ?? '')
  const [owner, setOwner] = useState(before?.owner ?? '')
  const [on, setOn] = useState(today('UTC').toString())
  const [tried, setTried] = useState(false)
  const send = async (): Promise<void> => {
    setTried(true)
    if (source.trim() === '' || owner.trim() === '' || on === '') return
    const view = await bring.run({ kind, source, owner, on })
    if (view === null) return
    recorded(`Provider inventory imported: ${plural(view.inventory?.rows ?? 0, 'asset')}.`)
    onClose()
  }
  return (
    <FormDialog
      title="Import provider inventory"
      verb="Choose file and import"
      action={bring}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        A CSV file with a header line, for example id, hostname, address and serial number. The pack includes it
        unchanged.
      </p>
      {before !== null && (
        <p className="quiet">
          It replaces {visible(before.file.name)}. Excluded assets remain excluded where their ids appear again.
        </p>
      )}
      <RadioGroup
        label="Type"
        value={kind}
        onChange={setKind}
        options={KINDS.map((id) => ({ id, title: inventoryKindWords[id] }))}
      />
      <TextField
        label="Source"
        value={source}
        onChange={setSource}
        maxLength={300}
        error={tried && source.trim() === '' ? 'Enter the source.' : undefined}
        isRequired
        autoFocus
      />
      <div className="form-pair">
        <TextField
          label="Owner"
          value={owner}
          onChange={setOwner}
          maxLength={200}
          error={tried && owner.trim() === '' ? 'Enter the owner.' : undefined}
          isRequired
        />
        <DateField
          label="As of"
          value={on}
          onChange={setOn}
          error={tried && on === '' ? 'Choose the date of the inventory.' : undefined}
          isRequired
        />
      </div>
    </FormDialog>
  )
}

/** The reason for excluding an inventory asset from the population; it can be changed and withdrawn. */
function LeaveOutDialog({ row, onClose }: { readonly row: CoverageRow; readonly onClose: () => void }) {
  const set = useAction('inventory.leave-out')
  const [why, setWhy] = useState(row.why ?? '')
  const [tried, setTried] = useState(false)
  const put = async (reason: string | null): Promise<void> => {
    if (row.rowId === null || (await set.run({ id: row.rowId, why: reason })) === null) return
    recorded(reason === null ? 'Asset included.' : 'Asset excluded.')
    onClose()
  }
  const send = (): void => {
    setTried(true)
    if (why.trim().length >= 3) void put(why)
  }
  return (
    <FormDialog
      title="Exclude asset"
      verb="Exclude asset"
      action={set}
      onSubmit={send}
      more={
        row.why !== null && (
          <Button isDisabled={set.busy} onPress={() => void put(null)}>
            Include asset
          </Button>
        )
      }
      onClose={onClose}
    >
      <p>
        {visible(row.name)}
        {row.listed !== null && row.listed !== row.name && <span className="note mono">{visible(row.listed)}</span>}
      </p>
      <p className="quiet">The asset remains listed, and every report prints your reason.</p>
      <TextArea
        label="Reason for exclusion"
        value={why}
        onChange={setWhy}
        maxLength={1000}
        error={tried && why.trim().length < 3 ? 'Enter at least 3 characters.' : undefined}
        isRequired
        autoFocus
      />
    </FormDialog>
  )
}

import { useState } from 'react'
import type { HistoryRun, HistoryView } from '../../schemas/ipc-history.ts'
import { startedAt } from '../../schemas/run-start.ts'
import { SEAL_WORDS } from '../models/history-model.ts'
import type { ColumnPart } from '../models/table-model.ts'
import { plural, visible, when } from '../models/text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { MarkedLine } from './Mark.tsx'
import { BaselineDialog } from './ReasonDialog.tsx'
import { useTable, useTableChoice } from './TableTools.tsx'
import { SortedTable, type WholeColumn } from './WholeTable.tsx'

interface HistoryRunsProps {
  readonly title: string
  readonly view: HistoryView
  readonly runs: readonly HistoryRun[]
  /** All runs of the period, which can be saved. */
  readonly isWhole?: boolean
  /** Opens the comparison of a run with the previous one. */
  readonly onCompare: (run: string) => void
}

const STEP = 30

const NODES: ColumnPart = { id: 'nodes', title: 'Nodes collected' }

const COLUMNS: readonly WholeColumn<HistoryRun>[] = [
  { id: 'name', title: 'Name', text: ({ run }) => run },
  {
    id: 'nodes',
    title: 'Nodes collected',
    part: NODES,
    cellClass: 'number',
    text: ({ answered }) => answered,
    cell: ({ answered, declared }) => `${answered} of ${declared}`,
  },
  { id: 'declared', title: 'Nodes declared', part: NODES, text: ({ declared }) => declared },
  {
    id: 'seal',
    title: 'Seal',
    text: ({ seal }) => SEAL_WORDS[seal].label,
    cell: ({ seal }) => <MarkedLine {...SEAL_WORDS[seal]} />,
  },
  {
    id: 'schedule',
    title: 'Schedule',
    text: ({ schedule }) => schedule ?? 'Manual',
    cell: ({ schedule }) => (schedule === null ? <span className="quiet">Manual</span> : visible(schedule)),
  },
]

/** Runs, newest first unless they are sorted, each with its seal. */
export function HistoryRuns({ title, view, runs: given, isWhole = false, onCompare }: HistoryRunsProps) {
  const [most, setMost] = useState(STEP)
  const [asked, setAsked] = useState<HistoryRun | null>(null)
  const { hidden } = useTableChoice('runs').choice
  const shows = (column: string): boolean => !hidden.includes(column)
  const all: readonly WholeColumn<HistoryRun>[] = [
    {
      id: 'run',
      title: 'Run',
      isRowHeader: true,
      text: startedAt,
      cell: (run) => (
        <>
          <span className="number">{when(startedAt(run))}</span>
          <span className="note">{notesOf(run, shows).join(' · ')}</span>
        </>
      ),
    },
    ...COLUMNS,
    {
      id: 'action',
      title: 'Action',
      cell: (run) => (
        <div className="row-actions">
          <Actions run={run} view={view} onCompare={onCompare} onBaseline={setAsked} />
        </div>
      ),
    },
  ]
  const { grid, tools } = useTable('runs', all, given)
  const { rows: runs } = grid
  if (runs.length === 0)
    return <EmptyState title="No runs in this period">Runs are listed here, newest first.</EmptyState>
  return (
    <>
      {isWhole && <div className="table-bar">{tools}</div>}
      <SortedTable
        className="history-runs"
        caption={title}
        {...grid}
        rows={runs.slice(0, most)}
        keyOf={({ run }) => run}
      />
      {runs.length > most && (
        <div className="actions">
          <Button small onPress={() => setMost(most + STEP)}>
            Show more runs
          </Button>
          <span className="quiet">
            {most} of {plural(runs.length, 'run')}
          </span>
        </div>
      )}
      {asked !== null && (
        <BaselineDialog
          run={asked.run}
          about={`The run of ${when(asked.at)} becomes the baseline.`}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

const notesOf = ({ run, seal, at, baseline }: HistoryRun, shows: (column: string) => boolean): readonly string[] =>
  [
    shows('name') && visible(run),
    shows('seal') && seal === 'sealed' && `sealed ${when(at)}`,
    baseline && 'baseline',
  ].filter((note) => note !== false)

function Actions({
  run,
  view: { demo, runs },
  onCompare,
  onBaseline,
}: {
  readonly run: HistoryRun
  readonly view: HistoryView
  readonly onCompare: (run: string) => void
  readonly onBaseline: (run: HistoryRun) => void
}) {
  if (!run.comparable) return <span className="quiet">Run trace not available on this computer.</span>
  return (
    <>
      {runs.filter(({ comparable }) => comparable).length > 1 && (
        <Button small label={`Compare the run of ${when(run.at)}`} onPress={() => onCompare(run.run)}>
          Compare
        </Button>
      )}
      {run.seal === 'sealed' && !run.baseline && !demo && (
        <Button small kind="quiet" label={`Set the run of ${when(run.at)} as baseline`} onPress={() => onBaseline(run)}>
          Set as baseline
        </Button>
      )}
    </>
  )
}

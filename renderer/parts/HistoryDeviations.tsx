import type { Bounded, HistoryDeviation, HistoryView } from '../../schemas/ipc-history.ts'
import type { ColumnPart } from '../models/table-model.ts'
import { plural, visible, when } from '../models/text.ts'
import { useAnswer } from '../state/bridge.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Slowly } from './Ask.tsx'
import { type WholeColumn, WholeTable } from './WholeTable.tsx'

/** Deviations in this period: when they were found, and which run shows them remediated. */
export function HistoryDeviations({ view: { from, to, demo, runs: shown } }: { readonly view: HistoryView }) {
  const { runs } = useStore()
  const answer = useAnswer('history.deviations', { from, to }, runs)
  return (
    <section aria-labelledby="deviations">
      <h2 id="deviations">Deviations</h2>
      <Slowly answer={answer} does="Loading runs">
        {(deviations) =>
          demo || shown.some(({ seal }) => seal === 'sealed') ? (
            <Listed deviations={deviations} />
          ) : (
            <EmptyState title="No sealed runs in this period">
              Deviations are listed for sealed runs only. Runs that are not sealed may contain deviations.
            </EmptyState>
          )
        }
      </Slowly>
    </section>
  )
}

const RUNS: ColumnPart = { id: 'runs', title: 'Runs' }

const DEVIATION_COLUMNS: readonly WholeColumn<HistoryDeviation>[] = [
  {
    id: 'node',
    title: 'Node',
    isRowHeader: true,
    text: ({ node }) => node,
    cell: ({ node }) => (
      <Button kind="link" onPress={() => go({ screen: 'node', of: 'run', node })}>
        {visible(node)}
      </Button>
    ),
  },
  {
    id: 'expected',
    title: 'Expected condition',
    isKept: true,
    text: ({ expected }) => expected,
    cell: ({ expected, check }) => (
      <>
        {visible(expected)}
        <span className="note mono">{visible(check)}</span>
      </>
    ),
  },
  { id: 'check', title: 'Check', isKept: true, text: ({ check }) => check },
  {
    id: 'found',
    title: 'Found',
    cellClass: 'number',
    text: ({ found }) => found.at,
    cell: ({ found }) => when(found.at),
  },
  {
    id: 'status',
    title: 'Status at period end',
    cellClass: 'period-status',
    text: (one) => (one.fixed !== null ? `Remediated by ${one.fixed.at}` : one.open ? 'Open' : 'Inconclusive'),
    cell: ({ fixed, lastSeen, open }) =>
      fixed !== null ? (
        <>Remediated by {when(fixed.at)}</>
      ) : (
        <>
          <strong>{open ? 'Open' : 'Inconclusive'}</strong>
          <span className="note">last observed {when(lastSeen.at)}</span>
        </>
      ),
  },
  {
    id: 'runs',
    title: 'Runs',
    part: RUNS,
    cellClass: 'number',
    text: ({ runs }) => runs,
    cell: ({ runs, unknown }) => (
      <>
        {plural(runs, 'run')}
        {unknown > 0 && <span className="note">{unknown} more inconclusive</span>}
      </>
    ),
  },
  { id: 'unknown', title: 'Runs inconclusive', part: RUNS, text: ({ unknown }) => unknown },
]

function Listed({ deviations: { rows, total } }: { readonly deviations: Bounded<HistoryDeviation> }) {
  const open = rows.filter((one) => one.open).length
  return (
    <>
      {total === 0 ? (
        <EmptyState title="No deviations noted">
          No deviations in the sealed runs of this period. Not tested: days without a run.
        </EmptyState>
      ) : (
        <WholeTable
          table="deviations"
          className="history-deviations"
          caption={
            <>
              {plural(total, 'deviation')}
              {rows.length < total ? `, the first ${rows.length} are shown` : ''}; {open} open at period end. Results of
              severity Informational are counted here; Overview and Findings list them separately.
            </>
          }
          columns={DEVIATION_COLUMNS}
          rows={rows}
          keyOf={({ node, check, found }) => `${node} ${check} ${found.run}`}
        />
      )}
    </>
  )
}

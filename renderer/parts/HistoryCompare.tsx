import { IconArrowsExchange } from '@tabler/icons-react'
import type { HistoryRun, HistoryView } from '../../schemas/ipc-history.ts'
import { driftLine, runTitle } from '../models/drift-model.ts'
import { startPair } from '../models/history-model.ts'
import type { RunPair } from '../models/routes.ts'
import { may } from '../models/team.ts'
import { visible } from '../models/text.ts'
import { collect } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { Select } from '../ui/Select.tsx'
import { Slowly } from './Ask.tsx'
import { DriftLists, Flips, NotCompared } from './Flips.tsx'

/** The comparison of any two runs. */
export function HistoryCompare({
  view,
  pair,
  onPair,
}: {
  readonly view: HistoryView
  readonly pair: RunPair | null
  readonly onPair: (pair: RunPair) => void
}) {
  const able = view.runs.filter(({ comparable }) => comparable)
  const shown = pair ?? startPair(view.runs)
  if (shown === null)
    return (
      <EmptyState
        title="At least two runs are required"
        action={
          may('run.start') && (
            <Button kind="primary" onPress={() => void collect('all')}>
              Collect evidence
            </Button>
          )
        }
      >
        Collect evidence again after a change. What differs between two runs then appears here, separately for evidence,
        rules and scope.
      </EmptyState>
    )
  const options = able.map((run) => ({ id: run.run, title: runTitle(run), note: visible(run.run) }))
  const baseline = able.find((run) => run.baseline)
  return (
    <>
      <div className="compare-form">
        <Select
          label="Earlier run"
          value={shown.before}
          options={options}
          onChange={(before) => onPair({ ...shown, before })}
        />
        <Select
          label="Later run"
          value={shown.after}
          options={options}
          onChange={(after) => onPair({ ...shown, after })}
        />
        <Button
          icon={IconArrowsExchange}
          kind="quiet"
          onPress={() => onPair({ before: shown.after, after: shown.before })}
        >
          Swap runs
        </Button>
        {baseline !== undefined && baseline.run !== shown.before && (
          <Button kind="quiet" onPress={() => onPair({ ...shown, before: baseline.run })}>
            Compare with baseline
          </Button>
        )}
      </div>
      {view.baseline === null && (
        <p className="quiet">No baseline. Set one from the list of runs to compare later runs with a reviewed state.</p>
      )}
      {shown.before === shown.after ? (
        <EmptyState title="Same run selected twice">Choose two different runs.</EmptyState>
      ) : (
        <Compared pair={shown} runs={able} />
      )}
    </>
  )
}

function Compared({ pair, runs }: { readonly pair: RunPair; readonly runs: readonly HistoryRun[] }) {
  const { runs: version } = useStore()
  const answer = useAnswer('history.compare', pair, version)
  const unsealed = runs.filter(({ run, seal }) => seal === 'none' && (run === pair.before || run === pair.after))
  return (
    <Slowly answer={answer} does="Comparing runs">
      {(drift) => (
        <>
          <p role="status">{driftLine(drift)}</p>
          {unsealed.length > 0 && (
            <Notice
              title={unsealed.length === 2 ? 'Neither run is sealed.' : 'One of these runs is not sealed.'}
              means="The comparison uses data on this computer. Others can verify it only after a pack is sealed."
            />
          )}
          <NotCompared view={drift} />
          <Flips view={drift} />
          <DriftLists view={drift} />
        </>
      )}
    </Slowly>
  )
}

import { IconArrowsExchange } from '@tabler/icons-react'
import type { HistoryRun, HistoryView } from '../../schemas/ipc-history.ts'
import { useAnswer } from '../bridge.ts'
import { driftLine, runTitle } from '../drift-model.ts'
import { startPair } from '../history-model.ts'
import { useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Select } from '../ui/Select.tsx'
import { DriftLists } from './DriftLists.tsx'
import { Flips, NotCompared } from './Flips.tsx'
import { Slowly } from './Slowly.tsx'

export interface Pair {
  readonly before: string
  readonly after: string
}

/** Any two runs against each other. */
export function HistoryCompare({
  view,
  pair,
  onPair,
}: {
  readonly view: HistoryView
  readonly pair: Pair | null
  readonly onPair: (pair: Pair) => void
}) {
  const able = view.runs.filter(({ comparable }) => comparable)
  const shown = pair ?? startPair(view.runs)
  if (shown === null)
    return (
      <EmptyState title="There are no two runs to compare">
        Here will be what differs between two runs: evidence, rules and scope apart from each other.
      </EmptyState>
    )
  const options = able.map((run) => ({ id: run.run, title: runTitle(run), note: visible(run.run) }))
  const baseline = able.find((run) => run.baseline)
  return (
    <>
      <div className="compare-form">
        <Select
          label="Before"
          value={shown.before}
          options={options}
          onChange={(before) => onPair({ ...shown, before })}
        />
        <Select label="After" value={shown.after} options={options} onChange={(after) => onPair({ ...shown, after })} />
        <Button
          icon={IconArrowsExchange}
          kind="quiet"
          onPress={() => onPair({ before: shown.after, after: shown.before })}
        >
          Swap runs
        </Button>
        {baseline !== undefined && baseline.run !== shown.before && (
          <Button kind="quiet" onPress={() => onPair({ ...shown, before: baseline.run })}>
            Compare with the baseline
          </Button>
        )}
      </div>
      {view.baseline === null && (
        <p className="quiet">
          No baseline is set. Set one from the list of runs, so that later runs are compared with a state that somebody
          looked at.
        </p>
      )}
      {shown.before === shown.after ? (
        <EmptyState title="This is one run">Choose two runs that are not the same.</EmptyState>
      ) : (
        <Compared pair={shown} runs={able} />
      )}
    </>
  )
}

function Compared({ pair, runs }: { readonly pair: Pair; readonly runs: readonly HistoryRun[] }) {
  const { runs: version } = useStore()
  const answer = useAnswer('history.compare', pair, version)
  const unsealed = runs.filter(({ run, seal }) => seal === 'none' && (run === pair.before || run === pair.after))
  return (
    <Slowly answer={answer} does="Comparing two runs">
      {(drift) => (
        <>
          <p role="status">{driftLine(drift)}</p>
          {unsealed.length > 0 && (
            <Notice
              title={unsealed.length === 2 ? 'Neither run is under a seal.' : 'One of these runs is under no seal.'}
              means="What is compared is what this computer keeps. Nobody else can check it before a pack is sealed."
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

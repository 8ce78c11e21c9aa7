import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useEffect, useMemo, useState } from 'react'
import { remedyOf } from '../../schemas/node-remedies.ts'
import { draftsOf, draftWords } from '../models/declaration-model.ts'
import {
  counts,
  detailOf,
  endOf,
  missingNodes,
  type NodeProgress,
  nextFor,
  type ProgressRow,
  type RunProgress,
  rowsOf,
  slowest,
  summaryOf,
  timeLeft,
  wordOf,
} from '../models/run-progress.ts'
import { firstUp, plural, visible } from '../models/text.ts'
import { FailureNote } from '../parts/Ask.tsx'
import { Shape } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { collect, useAction } from '../state/actions.ts'
import { mayRemedy, REMEDY_WORDS, takeRemedy } from '../state/node-remedies.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { CellLine, CellLines, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { EmptyState, Notice, Progress } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'

const MARKS: Readonly<Record<NodeProgress['is'], readonly [mark: string, tone: string]>> = {
  waiting: ['dotted-ring', 'not-tested'],
  connecting: ['dotted-ring', 'informational'],
  collecting: ['dot', 'informational'],
  timing: ['dot', 'informational'],
  done: ['ring-tick', 'satisfied'],
  failed: ['square-cross', 'not-satisfied'],
}

/** Some probes of the node have no capture. */
const PARTIAL = ['disc-half', 'inconclusive'] as const

/** A run in progress: one row per node with its status. */
export function Collecting() {
  const { progress } = useStore()
  if (progress === null)
    return (
      <Page title="Collection">
        <EmptyState
          title="No collection in progress"
          action={<Button onPress={() => go({ screen: 'nodes' })}>Show nodes</Button>}
        >
          Progress by node appears here during collection.
        </EmptyState>
      </Page>
    )
  return <Run progress={progress} />
}

const TITLES: Readonly<Record<RunProgress['ended'], string>> = {
  no: 'Collection in progress',
  done: 'Collection finished',
  cancelled: 'Collection stopped',
}

function Run({ progress }: { readonly progress: RunProgress }) {
  const pause = useAction('run.pause')
  const resume = useAction('run.resume')
  const cancel = useAction('run.cancel')
  const error = pause.error ?? resume.error ?? cancel.error
  const going = progress.ended === 'no'
  const evaluated = going ? progress.evaluated : null
  const now = useNow(going && evaluated === null && !progress.paused)
  const missing = missingNodes(progress)
  const { total, finished, failed, partial, done } = counts(progress)
  const hasEvidence = done > 0
  return (
    <Page
      title={evaluated !== null ? 'Evaluating results' : going && progress.paused ? 'Paused' : TITLES[progress.ended]}
      over={`Run ${visible(progress.run)}`}
      actions={
        evaluated !== null ? undefined : going ? (
          <>
            {progress.paused ? (
              <Button kind="primary" icon={IconPlayerPlay} busy={resume.busy} onPress={() => void resume.run(null)}>
                Resume run
              </Button>
            ) : (
              <Button icon={IconPlayerPause} busy={pause.busy} onPress={() => void pause.run(null)}>
                Pause run
              </Button>
            )}
            <Button icon={IconPlayerStop} busy={cancel.busy} onPress={() => void cancel.run(null)}>
              Stop and keep collected evidence
            </Button>
          </>
        ) : (
          <>
            {missing.length > 0 && (
              <Button
                kind={hasEvidence ? 'secondary' : 'primary'}
                icon={IconRefresh}
                onPress={() => void collect('missing', missing)}
              >
                Collect missing evidence
              </Button>
            )}
            <Button kind={hasEvidence ? 'primary' : 'secondary'} onPress={() => go({ screen: 'overview', of: 'run' })}>
              Show results
            </Button>
          </>
        )
      }
    >
      {error !== null && <FailureNote error={error} />}
      <UnsavedDeclarations />
      <div className="run-head">
        {evaluated === null ? (
          <Progress
            label={summaryHead(progress, now)}
            value={finished}
            max={total}
            words={`${finished} of ${plural(total, 'node')}`}
          />
        ) : (
          <Progress
            label="Results of all nodes are evaluated at one time"
            value={evaluated.done}
            max={evaluated.total}
            words={`${evaluated.done} of ${plural(evaluated.total, 'node')}`}
          />
        )}
        <dl className="run-facts number">
          <Fact term="Collected">{finished - failed - partial}</Fact>
          <Fact term="Partial">{partial}</Fact>
          <Fact term="Not collected">{failed}</Fact>
          <Fact term="Remaining">{total - finished}</Fact>
          {going && evaluated === null && <Fact term="Slowest">{slowestWords(progress)}</Fact>}
        </dl>
      </div>
      <NodeRows progress={progress} />
    </Page>
  )
}

/** A run begins with what is saved. Input that is not saved has no effect on it. */
function UnsavedDeclarations() {
  const { fleet } = useStore()
  const drafts = fleet === null ? [] : draftsOf(fleet.name)
  if (drafts.length === 0) return null
  return (
    <Notice
      kind="warning"
      title="This collection does not use declarations that are not saved."
      means={`Not saved: ${draftWords(drafts)}.`}
      next="To use them, save them, then collect again."
      actions={
        <Button small onPress={() => go({ screen: 'declarations' })}>
          Open declarations
        </Button>
      }
    />
  )
}

function summaryHead(progress: RunProgress, now: number): string {
  // The heading states that it finished or stopped.
  if (progress.ended !== 'no') return endOf(progress)
  if (progress.paused) return summaryOf(progress, now)
  const left = timeLeft(progress, now)
  return left === null ? 'Estimating time left' : firstUp(left)
}

function slowestWords(progress: RunProgress): string {
  const last = slowest(progress)
  return last === null ? 'none active' : `${last[0]}: ${wordOf(last[1])}`
}

/** The current time, updated every second even when no event arrives. */
function useNow(going: boolean): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    if (!going) return
    const timer = setInterval(() => setNow(performance.now()), 1_000)
    return () => clearInterval(timer)
  }, [going])
  return now
}

const RANK: Readonly<Record<NodeProgress['is'], number>> = {
  failed: 0,
  collecting: 1,
  timing: 1,
  connecting: 1,
  waiting: 2,
  done: 3,
}

/** What lacks evidence comes first. */
const rankOf = (at: NodeProgress): number => (at.is === 'done' && at.partial ? RANK.waiting : RANK[at.is])

function NodeRows({ progress }: { readonly progress: RunProgress }) {
  const [find, setFind] = useState('')
  const ended = progress.ended !== 'no'
  const isMended = ended && [...progress.nodes.values()].some(({ is }) => is === 'failed')
  const lines = useMemo(() => {
    const found = rowsOf(progress).filter(({ node }) => node.toLowerCase().includes(find.trim().toLowerCase()))
    return ended ? [...found].sort((a, b) => rankOf(a.at) - rankOf(b.at) || (a.node < b.node ? -1 : 1)) : found
  }, [progress, find, ended])
  return (
    <>
      {progress.nodes.size > 12 && (
        <div className="table-bar">
          <SearchField isFilter label="Find a node" value={find} onChange={setFind} />
        </div>
      )}
      <GridTable
        label="Progress of each node"
        columns={isMended ? ENDED_COLUMNS : COLUMNS}
        rows={lines}
        keyOf={({ node }) => node}
        rowHeight={isMended ? 3.75 : 3}
        leaves={19}
        empty={<p className="empty">No matching nodes.</p>}
      />
    </>
  )
}

const COLUMNS: readonly GridColumn<ProgressRow>[] = [
  {
    id: 'node',
    title: 'Node',
    isRowHeader: true,
    width: '1.2fr',
    minWidth: 9,
    cell: ({ node }) => <CellLine className="node-name" text={node} />,
  },
  {
    id: 'now',
    title: 'Status',
    width: '1.2fr',
    minWidth: 8.5,
    cell: ({ at }) => {
      const [mark, tone] = at.is === 'done' && at.partial ? PARTIAL : MARKS[at.is]
      return (
        <span className={`status tone-${tone}`}>
          <Shape mark={mark} tone={tone} />
          <span className="number">{wordOf(at)}</span>
        </span>
      )
    },
  },
  {
    id: 'detail',
    title: 'Detail',
    width: '3fr',
    minWidth: 14,
    cell: ({ at }) => {
      const next = nextFor(at)
      if (next === '') return <CellLines text={detailOf(at)} />
      return (
        <>
          <CellLines text={detailOf(at)} />
          <CellLine className="note" text={next} />
        </>
      )
    },
  },
]

/** Columns after the end, with the remedy for each node that was not collected. */
const ENDED_COLUMNS: readonly GridColumn<ProgressRow>[] = [
  ...COLUMNS,
  {
    id: 'action',
    title: 'Next step',
    width: 10,
    minWidth: 9,
    cell: ({ node, at }) => {
      if (at.is !== 'failed') return null
      const remedy = remedyOf(at.code)
      if (!mayRemedy(remedy, node)) return null
      return (
        <Button small label={`${REMEDY_WORDS[remedy]}: ${visible(node)}`} onPress={() => takeRemedy(remedy, node)}>
          {REMEDY_WORDS[remedy]}
        </Button>
      )
    },
  },
]

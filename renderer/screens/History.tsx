import { IconCalendarTime, IconPackageExport, IconPrinter } from '@tabler/icons-react'
import { useEffect, useMemo, useState } from 'react'
import type { DayWindow, HistoryView } from '../../schemas/ipc-history.ts'
import { daysLater } from '../models/history-calendar.ts'
import { answeredFigure } from '../models/history-figure.ts'
import {
  dayOutcome,
  historyLine,
  nothingYet,
  PRESETS,
  type Preset,
  windowProblem,
  withoutWords,
} from '../models/history-model.ts'
import { type HistoryPart, isOffered, type Route, type RunPair } from '../models/routes.ts'
import { day as dayWords } from '../models/text.ts'
import { FailureNote, Slowly } from '../parts/Ask.tsx'
import { FigureView } from '../parts/Figure.tsx'
import { HistoryCalendar } from '../parts/HistoryCalendar.tsx'
import { HistoryCompare } from '../parts/HistoryCompare.tsx'
import { HistoryDeviations } from '../parts/HistoryDeviations.tsx'
import { HistoryGaps } from '../parts/HistoryGaps.tsx'
import { HistoryRuns } from '../parts/HistoryRuns.tsx'
import { HistorySending } from '../parts/HistorySending.tsx'
import { ImportNodes } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { collect } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { go, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { Select } from '../ui/Select.tsx'
import { Tabs } from '../ui/Tabs.tsx'

const PERIOD_EXPORT: Route = { screen: 'period-export' }
const SCHEDULES: Route = { screen: 'schedules' }

/** All runs of the fleet by day, including missed runs, and the comparison of any two. */
export function History({
  part,
  at = null,
  pair = null,
}: {
  readonly part: HistoryPart
  readonly at?: string | null
  readonly pair?: RunPair | null
}) {
  const { runs } = useStore()
  const [asked, setAsked] = useState<DayWindow | null>(null)
  const answer = useKept(useAnswer('history.get', { window: asked }, runs), 'days')
  return (
    <Slowly answer={answer} does="Loading runs">
      {(view) =>
        view === null ? (
          <Page title="History">
            <EmptyState title="No fleet yet" action={<ImportNodes />}>
              Runs, missed runs and changes between runs appear here.
            </EmptyState>
          </Page>
        ) : (
          <Shown view={view} part={part} at={at} first={pair} onWindow={setAsked} />
        )
      }
    </Slowly>
  )
}

interface ShownProps {
  readonly view: HistoryView
  readonly part: HistoryPart
  /** The section that is shown first. */
  readonly at: string | null
  /** The runs that are compared first. */
  readonly first: RunPair | null
  readonly onWindow: (window: DayWindow) => void
}

function Shown({ view, part, at, first, onWindow }: ShownProps) {
  useShownFirst(at)
  const [pair, setPair] = useState<RunPair | null>(first)
  const compare = (run: string): void => {
    const able = view.runs.filter(({ comparable }) => comparable)
    const at = able.findIndex((one) => one.run === run)
    const before = able[at + 1] ?? able.find((one) => one.run !== run)
    if (before !== undefined) setPair({ before: before.run, after: run })
    replace({ screen: 'history', part: 'compare' })
  }
  return (
    <Page
      title="History"
      over={view.demo ? 'Runs of the demo fleet' : 'Runs and missed runs'}
      under={historyLine(view)}
      actions={
        <>
          {isOffered(PERIOD_EXPORT) && (
            <Button icon={IconPackageExport} onPress={() => go(PERIOD_EXPORT)}>
              Period report…
            </Button>
          )}
          {isOffered(SCHEDULES) && (
            <Button icon={IconCalendarTime} onPress={() => go(SCHEDULES)}>
              Schedules
            </Button>
          )}
          <Button icon={IconPrinter} kind="quiet" onPress={() => window.print()}>
            Print
          </Button>
        </>
      }
    >
      {view.shortfalls.length > 0 && (
        <Notice
          kind="warning"
          title="Part of the history could not be read"
          means="What is shown is incomplete. Nothing stored was changed."
        />
      )}
      {view.shortfalls.map((error) => (
        <FailureNote key={`${error.code} ${error.detail}`} error={error} />
      ))}
      <Tabs<HistoryPart>
        label="History sections"
        selected={part}
        onSelect={(chosen) => replace({ screen: 'history', part: chosen })}
        tabs={[
          { id: 'days', title: 'Calendar', content: <Days view={view} onWindow={onWindow} onCompare={compare} /> },
          {
            id: 'compare',
            title: 'Compare runs',
            content: <HistoryCompare view={view} pair={pair} onPair={setPair} />,
          },
        ]}
      />
    </Page>
  )
}

/** Scrolls to a section by the id of its heading, once, and gives it the focus. */
function useShownFirst(heading: string | null): void {
  useEffect(() => {
    const found = heading === null ? null : document.getElementById(heading)
    found?.scrollIntoView()
    found?.focus()
  }, [heading])
}

function Days({
  view,
  onWindow,
  onCompare,
}: Pick<ShownProps, 'view' | 'onWindow'> & { readonly onCompare: (run: string) => void }) {
  const { today, days } = view
  const latest = days.findLast(({ day }) => day <= today)?.day ?? view.from
  const [chosen, setChosen] = useState<string | null>(null)
  const selected = chosen !== null && days.some(({ day }) => day === chosen) ? chosen : latest
  const figure = useMemo(() => answeredFigure(days, today), [days, today])
  const without = withoutWords(view.without)
  return (
    <div className="history-days">
      <WhichDays view={view} onWindow={onWindow} />
      {nothingYet(view) ? (
        <EmptyState
          title="No runs in this period"
          action={<Button onPress={() => void collect('all')}>Collect evidence</Button>}
        >
          Each day shows how many nodes were collected and which scheduled runs are missing.
        </EmptyState>
      ) : (
        <>
          {without !== null && <p className="history-without">{without}</p>}
          <HistoryCalendar view={view} selected={selected} onSelect={setChosen} />
          <OneDay view={view} day={selected} onCompare={onCompare} />
          <FigureView figure={figure} />
          <HistoryGaps view={view} />
          <HistoryDeviations view={view} />
          <section aria-labelledby="all-runs">
            <h2 id="all-runs">Runs</h2>
            <HistoryRuns title="Runs in this period" view={view} runs={view.runs} isWhole onCompare={onCompare} />
          </section>
          <HistorySending />
          <Limits />
        </>
      )}
    </div>
  )
}

function OneDay({
  view,
  day,
  onCompare,
}: {
  readonly view: HistoryView
  readonly day: string
  readonly onCompare: (run: string) => void
}) {
  const one = view.days.find((other) => other.day === day)
  if (one === undefined) return null
  const runs = view.runs.filter(({ at }) => at.startsWith(day))
  return (
    <section aria-labelledby="one-day">
      <h2 id="one-day">{dayWords(day)}</h2>
      <p role="status">
        <span className="said">{dayWords(day)}: </span>
        {dayOutcome(one, view.today)}
      </p>
      {runs.length > 0 && (
        <HistoryRuns title={`Runs on ${dayWords(day)}`} view={view} runs={runs} onCompare={onCompare} />
      )}
    </section>
  )
}

function WhichDays({ view, onWindow }: Pick<ShownProps, 'view' | 'onWindow'>) {
  const span = PRESETS.find(({ days }) => view.to === view.today && daysLater(view.to, 1 - days) === view.from)
  const [preset, setPreset] = useState<Preset>(span?.id ?? 'chosen')
  const [from, setFrom] = useState(view.from)
  const [to, setTo] = useState(view.to)
  const problem = windowProblem(from, to)
  const choose = (id: Preset): void => {
    setPreset(id)
    const days = PRESETS.find((one) => one.id === id)?.days
    if (days === undefined) return
    const first = daysLater(view.today, 1 - days)
    setFrom(first)
    setTo(view.today)
    onWindow({ from: first, to: view.today })
  }
  return (
    <div className="history-window">
      <Select<Preset>
        label="Period"
        value={preset}
        onChange={choose}
        options={[...PRESETS, { id: 'chosen' as const, title: 'Custom period' }]}
      />
      {preset === 'chosen' && (
        <>
          <DateField label="Start date" value={from} onChange={setFrom} />
          <DateField label="End date" value={to} onChange={setTo} error={problem ?? undefined} />
          <Button isDisabled={problem !== null} onPress={() => onWindow({ from, to })}>
            Show period
          </Button>
        </>
      )}
    </div>
  )
}

/** The limitations of the calendar, in the same view. */
const Limits = () => (
  <section aria-labelledby="history-limits">
    <h2 id="history-limits">Limitations</h2>
    <ul className="reading-width">
      <li>Not tested: operation between runs. A run shows the time of collection only.</li>
      <li>
        Not shown: runs scheduled before their schedule was entered in the run chain, and runs on other computers.
      </li>
      <li>
        Not protected: changes to a run that is not sealed. Only a sealed pack makes changes detectable to others.
      </li>
    </ul>
  </section>
)

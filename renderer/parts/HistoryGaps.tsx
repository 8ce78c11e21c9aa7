import { useState } from 'react'
import type { HistoryView, MissedRun } from '../../schemas/ipc-history.ts'
import { awaitedWords } from '../models/history-model.ts'
import type { ColumnPart } from '../models/table-model.ts'
import { plural, visible, when } from '../models/text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { GapDialog } from './ReasonDialog.tsx'
import { textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

/** Scheduled runs that did not take place, unexplained ones first. */
export function HistoryGaps({ view }: { readonly view: HistoryView }) {
  const { unrecorded, recordedMisses, plans, counts, awaited } = view
  const [asked, setAsked] = useState<MissedRun | null>(null)
  return (
    <section aria-labelledby="missed-runs">
      <h2 id="missed-runs" tabIndex={-1}>
        Missed runs
      </h2>
      {awaited.length > 0 && (
        <Notice
          kind="warning"
          title={`${plural(awaited.length, 'scheduled run')} overdue`}
          means={awaited.slice(0, MOST).map((one) => (
            <span key={`${one.schedule} ${one.due}`}>
              {visible(one.schedule)}: {awaitedWords(one)}.{' '}
            </span>
          ))}
          next="It counts as missed after the random delay, the retries, and two hours for the run."
        />
      )}
      {unrecorded.length + recordedMisses.length + awaited.length === 0 && (
        <EmptyState title="No missed runs">
          {plans.length === 0
            ? 'No runs were scheduled in this period.'
            : counts.planned === 0
              ? 'No run has been due in this period so far.'
              : 'Every run due in this period took place.'}
        </EmptyState>
      )}
      {unrecorded.length > 0 && <Unrecorded missed={unrecorded} demo={view.demo} onRecord={setAsked} />}
      {recordedMisses.length > 0 && <Recorded view={view} />}
      {asked !== null && (
        <GapDialog
          schedule={asked.schedule}
          due={asked.due}
          about={`The run of schedule ${visible(asked.schedule)} due on ${when(asked.due)} did not take place.`}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  )
}

const MOST = 50

const DUE: WholeColumn<{ readonly due: string }> = {
  id: 'due',
  title: 'Due',
  isRowHeader: true,
  cellClass: 'number',
  text: ({ due }) => due,
  cell: ({ due }) => when(due),
}

const MISSED_COLUMNS: readonly WholeColumn<MissedRun>[] = [
  DUE,
  textColumn('schedule', 'Schedule', ({ schedule }) => schedule),
  textColumn('cadence', 'Scheduled', ({ cadence }) => cadence),
]

const RECORDED: ColumnPart = { id: 'recorded', title: 'Recorded' }

const EXPLAINED_COLUMNS: readonly WholeColumn<HistoryView['recordedMisses'][number]>[] = [
  DUE,
  {
    id: 'schedule',
    title: 'Schedule',
    text: ({ schedule }) => schedule,
    cell: ({ schedule }) => (schedule === null ? <span className="quiet">none</span> : visible(schedule)),
  },
  textColumn('reason', 'Reason', ({ why }) => why, { cellClass: 'source' }),
  {
    id: 'recorded',
    title: 'Recorded',
    part: RECORDED,
    text: ({ at }) => at,
    cell: ({ at, signed }) => (
      <>
        {when(at)}
        {!signed && <span className="note">Signature missing.</span>}
      </>
    ),
  },
  { id: 'signed', title: 'Signed', part: RECORDED, text: ({ signed }) => (signed ? 'Yes' : 'Signature missing') },
]

function Unrecorded({
  missed,
  demo,
  onRecord,
}: {
  readonly missed: readonly MissedRun[]
  readonly demo: boolean
  readonly onRecord: (one: MissedRun) => void
}) {
  return (
    <>
      <Notice
        kind="failure"
        title={`${plural(missed.length, 'scheduled run')} missed, unexplained`}
        means="Auditors see these runs as unexplained. Recording a reason does not replace the missing evidence."
        next="Record the reason for each missed run as soon as you know it."
      />
      <WholeTable
        table="missed-runs"
        caption="Missed, unexplained"
        columns={[
          ...MISSED_COLUMNS,
          {
            id: 'action',
            title: 'Action',
            cell: (one) =>
              demo ? (
                <span className="quiet">Not available for demo data.</span>
              ) : (
                <Button
                  small
                  label={`Record the reason for the missed run of ${when(one.due)}`}
                  onPress={() => onRecord(one)}
                >
                  Record reason
                </Button>
              ),
          },
        ]}
        rows={missed}
        most={MOST}
        keyOf={({ schedule, due }) => `${schedule} ${due}`}
      />
      {missed.length > MOST && (
        <p className="quiet">And {missed.length - MOST} more; choose a shorter period to see them.</p>
      )}
    </>
  )
}

const Recorded = ({ view: { recordedMisses } }: { readonly view: HistoryView }) => (
  <>
    <WholeTable
      table="explained-runs"
      caption="Missed, explained"
      columns={EXPLAINED_COLUMNS}
      rows={recordedMisses}
      most={MOST}
      keyOf={({ entry }) => `${entry}`}
    />
    {recordedMisses.length > MOST && <p className="quiet">And {recordedMisses.length - MOST} more.</p>}
  </>
)

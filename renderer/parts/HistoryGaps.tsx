import { useState } from 'react'
import type { HistoryView, MissedRun } from '../../schemas/ipc-history.ts'
import { awaitedWords } from '../history-model.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { GapDialog } from './ReasonDialog.tsx'

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
            <span key={`${one.schedule} ${one.due}`} className="awaited-run">
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
      <div className="scroll">
        <table>
          <caption>Missed, unexplained</caption>
          <thead>
            <tr>
              <th scope="col">Due</th>
              <th scope="col">Schedule</th>
              <th scope="col">Scheduled</th>
              <th scope="col">Action</th>
            </tr>
          </thead>
          <tbody>
            {missed.slice(0, MOST).map((one) => (
              <tr key={`${one.schedule} ${one.due}`}>
                <th scope="row" className="number">
                  {when(one.due)}
                </th>
                <td>{visible(one.schedule)}</td>
                <td>{visible(one.cadence)}</td>
                <td>
                  {demo ? (
                    <span className="quiet">Not available for demo data.</span>
                  ) : (
                    <Button
                      small
                      label={`Record the reason for the missed run of ${when(one.due)}`}
                      onPress={() => onRecord(one)}
                    >
                      Record reason
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {missed.length > MOST && (
        <p className="quiet">And {missed.length - MOST} more; choose a shorter period to see them.</p>
      )}
    </>
  )
}

function Recorded({ view: { recordedMisses } }: { readonly view: HistoryView }) {
  return (
    <div className="scroll">
      <table>
        <caption>Missed, explained</caption>
        <thead>
          <tr>
            <th scope="col">Due</th>
            <th scope="col">Schedule</th>
            <th scope="col">Reason</th>
            <th scope="col">Recorded</th>
          </tr>
        </thead>
        <tbody>
          {recordedMisses.slice(0, MOST).map(({ entry, due, schedule, why, at, signed }) => (
            <tr key={entry}>
              <th scope="row" className="number">
                {when(due)}
              </th>
              <td>{schedule === null ? <span className="quiet">none</span> : visible(schedule)}</td>
              <td className="source">{visible(why)}</td>
              <td>
                {when(at)}
                {!signed && <span className="note">Signature missing.</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {recordedMisses.length > MOST && <p className="quiet">And {recordedMisses.length - MOST} more.</p>}
    </div>
  )
}

import { useState } from 'react'
import type { HistoryView, MissedRun } from '../../schemas/ipc-history.ts'
import { awaitedWords } from '../history-model.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Notice } from '../ui/Notice.tsx'
import { GapDialog } from './SayDialog.tsx'

/** Planned runs that did not happen: those that nobody accounts for first. */
export function HistoryGaps({ view }: { readonly view: HistoryView }) {
  const { unrecorded, gaps, plans, counts, awaited } = view
  const [asked, setAsked] = useState<MissedRun | null>(null)
  return (
    <section aria-labelledby="missed-runs">
      <h2 id="missed-runs">Missed runs</h2>
      {awaited.length > 0 && (
        <Notice
          kind="warning"
          title={`${plural(awaited.length, 'planned run')} overdue`}
          means={awaited.slice(0, MOST).map((one) => (
            <span key={`${one.schedule} ${one.due}`} className="awaited-run">
              {visible(one.schedule)}: {awaitedWords(one)}.{' '}
            </span>
          ))}
          next="It counts as missed once that time has passed: the random delay, the retries, and two hours for the run."
        />
      )}
      {unrecorded.length + gaps.length + awaited.length === 0 && (
        <EmptyState title="No planned run is missing">
          {plans.length === 0
            ? 'Nothing was planned in these days. A schedule states in the chain of runs when runs are due.'
            : counts.planned === 0
              ? 'No run was due in these days so far.'
              : 'Every run that was due in these days took place.'}
        </EmptyState>
      )}
      {unrecorded.length > 0 && <Unrecorded missed={unrecorded} demo={view.demo} onRecord={setAsked} />}
      {gaps.length > 0 && <Recorded view={view} />}
      {asked !== null && (
        <GapDialog
          schedule={asked.schedule}
          due={asked.due}
          about={`The run of ${visible(asked.schedule)} that was due on ${when(asked.due)} did not happen.`}
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
        title={`${plural(missed.length, 'planned run')} missed without a record`}
        means="An auditor sees these days as unaccounted for. Recording why does not fill them with evidence."
        next="Record why each one did not happen, as soon as you know."
      />
      <div className="scroll">
        <table>
          <caption>Missed without a record</caption>
          <thead>
            <tr>
              <th scope="col">Due</th>
              <th scope="col">Schedule</th>
              <th scope="col">Planned</th>
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
                    <span className="quiet">Demo data takes no record.</span>
                  ) : (
                    <Button
                      small
                      label={`Record why the run of ${when(one.due)} did not happen`}
                      onPress={() => onRecord(one)}
                    >
                      Record why
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {missed.length > MOST && <p className="quiet">And {missed.length - MOST} more; choose fewer days to see them.</p>}
    </>
  )
}

function Recorded({ view: { gaps } }: { readonly view: HistoryView }) {
  return (
    <div className="scroll">
      <table>
        <caption>Missed, with a signed record</caption>
        <thead>
          <tr>
            <th scope="col">Due</th>
            <th scope="col">Schedule</th>
            <th scope="col">Why</th>
            <th scope="col">Recorded</th>
          </tr>
        </thead>
        <tbody>
          {gaps.slice(0, MOST).map(({ entry, due, schedule, why, at, signed }) => (
            <tr key={entry}>
              <th scope="row" className="number">
                {when(due)}
              </th>
              <td>{schedule === null ? <span className="quiet">none named</span> : visible(schedule)}</td>
              <td className="source">{visible(why)}</td>
              <td>
                {when(at)}
                {!signed && <span className="note">Its signature is missing.</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {gaps.length > MOST && <p className="quiet">And {gaps.length - MOST} more.</p>}
    </div>
  )
}

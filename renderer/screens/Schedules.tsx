import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type ScheduleStatus,
  type SchedulesView,
  type ScheduleView,
  type TimerKind,
  timerWords,
  type UnitPreview,
} from '../../schemas/ipc-schedules.ts'
import { mannerWords, statusLines, WORKS_WORDS, waitingWords } from '../models/schedule-model.ts'
import { may } from '../models/team.ts'
import { plural, visible, when, withDates } from '../models/text.ts'
import { Ask, FailureNote, Slowly } from '../parts/Ask.tsx'
import { Copy } from '../parts/Copy.tsx'
import { FormDialog } from '../parts/FormDialog.tsx'
import { ImportNodes } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { ScheduleForm } from '../parts/ScheduleForm.tsx'
import { useSigningKey } from '../parts/SignEntry.tsx'
import { useAction } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { announce, go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'

/** Scheduled runs of this computer and their timers. */
export function Schedules() {
  const { runs, schedules, fleet } = useStore()
  const answer = useKept(useAnswer('schedules.list', null, `${runs} ${schedules} ${fleet?.name ?? ''}`), 'schedules')
  return (
    <Slowly answer={answer} does="Loading schedules">
      {(view) => <Listed key={view.fleet} first={view} />}
    </Slowly>
  )
}

function Listed({ first }: { readonly first: SchedulesView }) {
  // The result of a change on this page, until the list is loaded again.
  const [later, setLater] = useState<{ readonly view: SchedulesView; readonly after: SchedulesView } | null>(null)
  const changed = (next: SchedulesView): void => setLater({ view: next, after: first })
  const [adding, setAdding] = useState(false)
  const view = later?.after === first ? later.view : first
  const { schedules, refusal, startedBy } = view
  const isServed = startedBy === 'server'
  const mayAdd = may('schedules.add')
  const { fleet } = useStore()
  const hasNoNodes = schedules.length === 0 && !isServed && (fleet === null || fleet.nodes.length === 0)
  const add = (
    <Button
      kind={schedules.length === 0 ? 'primary' : 'secondary'}
      icon={IconPlus}
      isDisabled={refusal !== null}
      {...(refusal === null ? {} : { describedBy: 'why-no-schedule' })}
      onPress={() => setAdding(true)}
    >
      Add schedule…
    </Button>
  )
  return (
    <Page
      title="Schedules"
      under={
        isServed
          ? 'The server starts scheduled runs. Each counts for a period once an officer has exported it with a sealer.'
          : 'Unattended runs need a signing identity whose passphrase this computer can read.'
      }
      actions={
        <>
          {schedules.length > 0 && mayAdd && add}
          <Button onPress={() => go({ screen: 'history' })}>Open history</Button>
        </>
      }
    >
      {refusal !== null && !hasNoNodes && (
        <p id="why-no-schedule" className="quiet">
          {visible(refusal)}
        </p>
      )}
      {!mayAdd && (
        <p className="quiet">
          No sealer is configured for this engagement; the administrator of the server enters one. Without it, no
          schedule can be signed.
        </p>
      )}
      {schedules.length === 0 ? (
        <EmptyState
          title={isServed ? 'No schedules in this engagement' : 'No schedules on this computer'}
          {...(hasNoNodes ? { action: <ImportNodes /> } : mayAdd ? { action: add } : {})}
        >
          {isServed
            ? 'The server starts scheduled runs at the times you choose. A run that does not take place, or is not sealed, counts as missed.'
            : 'The operating system starts scheduled runs at the times you choose, even while this window is closed. A run that does not take place is recorded as missed.'}
        </EmptyState>
      ) : (
        schedules.map((schedule) => (
          <ScheduleEntry key={schedule.name} schedule={schedule} view={view} onChanged={changed} />
        ))
      )}
      {adding && (
        <ScheduleForm
          view={view}
          onClose={() => setAdding(false)}
          onSaved={(saved) => {
            changed(saved)
            setAdding(false)
          }}
        />
      )}
    </Page>
  )
}

interface ScheduleEntryProps {
  readonly schedule: ScheduleView
  readonly view: SchedulesView
  readonly onChanged: (view: SchedulesView) => void
}

/** One schedule: due times, timer, last run, and readiness for unattended runs. */
function ScheduleEntry({ schedule, view, onChanged }: ScheduleEntryProps) {
  const { name, fleet, ours, cadence, createdAt } = schedule
  const [changed, setChanged] = useState(0)
  const [removing, setRemoving] = useState(false)
  const [editing, setEditing] = useState(false)
  const runNow = useAction('schedules.run-now')
  const { runs, schedules } = useStore()
  const answer = useAnswer('schedules.status', { name }, `${runs} ${schedules} ${changed}`)
  const { startedBy } = view
  const isServed = startedBy === 'server'
  return (
    <section className="schedule" aria-labelledby={`schedule-${name}`}>
      <h2 id={`schedule-${name}`}>{visible(name)}</h2>
      <p>
        Collects from {visible(fleet)}, <strong>{visible(cadence)}</strong>. Added on {when(createdAt)}.
      </p>
      {!ours && (
        <p className="quiet">
          {isServed
            ? 'It belongs to a fleet of another name; no run is started.'
            : 'Its runs are stored in another folder and are not in the history of this window.'}
        </p>
      )}
      <Ask answer={answer}>
        {(status) => (
          <>
            <Status status={status} ours={ours} startedBy={startedBy} />
            {!isServed && <Timers status={status} view={view} onInstalled={() => setChanged(changed + 1)} />}
          </>
        )}
      </Ask>
      <ul className="schedule-manner">
        {mannerWords(schedule, startedBy).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {!isServed && <UnitTexts name={name} />}
      <div className="actions">
        {!isServed && (
          <Button
            small
            busy={runNow.busy}
            label={`Run schedule ${visible(name)} now`}
            onPress={() =>
              void runNow.run({ name }).then((done) => {
                if (done === null) return
                announce(`Run of ${name} started. It continues when this window is closed.`)
                setChanged(changed + 1)
              })
            }
          >
            Run now
          </Button>
        )}
        {schedule.draft !== null && may('schedules.change') && (
          <Button small label={`Edit schedule ${visible(name)}`} onPress={() => setEditing(true)}>
            Edit…
          </Button>
        )}
        {may('schedules.remove') && (
          <Button small kind="danger" label={`Remove schedule ${visible(name)}`} onPress={() => setRemoving(true)}>
            Remove schedule
          </Button>
        )}
      </div>
      {runNow.error !== null && <FailureNote error={runNow.error} />}
      {editing && (
        <ScheduleForm
          view={view}
          edited={schedule}
          onClose={() => setEditing(false)}
          onSaved={(saved) => {
            onChanged(saved)
            setEditing(false)
            setChanged(changed + 1)
          }}
        />
      )}
      {removing && (
        <RemoveScheduleDialog
          name={name}
          isServed={isServed}
          onClose={() => setRemoving(false)}
          onRemoved={onChanged}
        />
      )}
    </section>
  )
}

/** The oldest are sealed first. */
const MOST_OFFERED = 5

interface StatusProps {
  readonly status: ScheduleStatus
  readonly ours: boolean
  readonly startedBy: SchedulesView['startedBy']
}

function Status({ status, ours, startedBy }: StatusProps) {
  const { notes, missed, credentials, waiting } = status
  return (
    <>
      {statusLines(status, startedBy).map((line) => (
        <p key={line}>{visible(line)}</p>
      ))}
      {status.last?.sending != null && (
        <>
          <p>{visible(status.last.sending.words)}</p>
          {status.last.sending.error !== null && <FailureNote error={status.last.sending.error} />}
        </>
      )}
      {notes.map((note) => (
        <p key={note} className="source">
          {visible(note)}
        </p>
      ))}
      {waiting.length > 0 && (
        <Notice
          kind="warning"
          title={`${plural(waiting.length, 'scheduled run')} collected and not sealed`}
          means={waiting.map((one) => visible(waitingWords(one))).join(' ')}
          actions={
            may('export.plan')
              ? waiting.slice(0, MOST_OFFERED).map(({ due, run }) => (
                  <Button key={run} small onPress={() => go({ screen: 'export', run })}>
                    Export run due on {when(due)}…
                  </Button>
                ))
              : undefined
          }
        />
      )}
      {missed.length > 0 && (
        <Notice
          kind="failure"
          title={`${plural(missed.length, 'scheduled run')} missed, unexplained, the latest on ${when(missed.at(-1) ?? null)}`}
          means="Missed runs are listed in the history and in every period report."
          actions={
            ours && may('history.record-gap') ? (
              <Button small onPress={() => go({ screen: 'history' })}>
                Record reason in history
              </Button>
            ) : undefined
          }
        />
      )}
      {startedBy === 'timers' && (
        <div>
          <h3>Readiness for unattended runs</h3>
          <ul>
            {credentials.map(({ works, text, nodes }) => (
              <li key={text} className="source">
                <strong>{WORKS_WORDS[works]}</strong>
                {nodes.length > 0 && ` (${plural(nodes.length, 'node')})`}: {visible(withDates(text))}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

const STATE_WORDS = { installed: '', other: ' (outdated text)', inactive: ' (inactive)' } as const

/** The timer of this computer that starts the schedule. Nothing is installed without a button press. */
function Timers({
  status: { name, installed },
  view: { here },
  onInstalled,
}: {
  readonly status: ScheduleStatus
  readonly view: SchedulesView
  readonly onInstalled: () => void
}) {
  const install = useAction('schedules.install')
  const put = async (kind: TimerKind): Promise<void> => {
    if ((await install.run({ name, kind })) === null) return
    announce(`Timer installed: ${timerWords[kind]}.`)
    onInstalled()
  }
  const rest = here.filter((kind) => !installed.some((one) => one.kind === kind && one.state === 'installed'))
  return (
    <>
      {installed.length > 0 && (
        <p>Installed: {installed.map(({ kind, state }) => `${timerWords[kind]}${STATE_WORDS[state]}`).join(', ')}.</p>
      )}
      {installed.length === 0 && here.length === 0 && (
        <p className="quiet">No scheduler found on this computer. Copy the unit to a computer that has one.</p>
      )}
      <div className="actions">
        {rest.map((kind, index) => (
          <Button
            key={kind}
            small
            kind={installed.length === 0 && index === 0 ? 'primary' : 'secondary'}
            busy={install.busy}
            label={`Install timer of ${visible(name)}: ${timerWords[kind]}`}
            onPress={() => void put(kind)}
          >
            Install with {timerWords[kind]}
          </Button>
        ))}
      </div>
      {install.error !== null && <FailureNote error={install.error} />}
    </>
  )
}

interface RemoveScheduleProps {
  readonly name: string
  readonly isServed: boolean
  readonly onClose: () => void
  readonly onRemoved: (view: SchedulesView) => void
}

/** Deletes a schedule and its timer. */
function RemoveScheduleDialog({ name, isServed, onClose, onRemoved }: RemoveScheduleProps) {
  const remove = useAction('schedules.remove')
  const { identity, choice } = useSigningKey(null, 'schedules.remove')
  const send = async (): Promise<void> => {
    const view = await remove.run({ name, identity })
    if (view === null) return
    announce(`Schedule ${visible(name)} removed.`)
    onClose()
    onRemoved(view)
  }
  return (
    <FormDialog
      title={`Remove schedule ${visible(name)}`}
      alert
      verb="Remove schedule"
      kind="danger"
      action={remove}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        {isServed ? 'No further run is scheduled.' : 'Its timer is removed, and no further run is scheduled.'} Past
        scheduled and missed runs remain in the run chain. The end of the schedule is recorded there, digitally signed.
      </p>
      {choice}
    </FormDialog>
  )
}

/** The timer units of a schedule, exactly as written to disk; those of this computer first. */
function UnitTexts({ name }: { readonly name: string }) {
  const [open, setOpen] = useState(false)
  return (
    <Disclosure
      title={
        <>
          Unit text<span className="said"> of {visible(name)}</span>
        </>
      }
      isOpen={open}
      onToggle={setOpen}
    >
      {open && <Previews name={name} />}
    </Disclosure>
  )
}

function Previews({ name }: { readonly name: string }) {
  const answer = useAnswer('schedules.preview', { name })
  return (
    <Ask answer={answer}>
      {(previews) => {
        const [own, others] = [true, false].map((wanted) => previews.filter(({ here }) => here === wanted))
        return (
          <>
            {own?.map((preview) => (
              <Preview key={preview.kind} preview={preview} />
            ))}
            <Disclosure title="Units for other computers" level={4}>
              {others?.map((preview) => (
                <Preview key={preview.kind} preview={preview} />
              ))}
            </Disclosure>
          </>
        )
      }}
    </Ask>
  )
}

const Preview = ({ preview: { kind, units, warnings } }: { readonly preview: UnitPreview }) => (
  <div className="unit">
    <p className="unit-kind">{timerWords[kind]}</p>
    {units.map((unit) => (
      <figure key={unit.name} className="unit-file">
        <figcaption>
          <span className="mono">{visible(unit.name)}</span>
          <Copy text={unit.text} what={`${visible(unit.name)}, ${timerWords[kind]}`} />
        </figcaption>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lines wider than the window are scrolled with the arrow keys */}
        <section className="unit-text" tabIndex={0} aria-label={`Text of ${visible(unit.name)}, ${timerWords[kind]}`}>
          <pre className="mono">{visible(unit.text.replaceAll('\r\n', '\n'))}</pre>
        </section>
      </figure>
    ))}
    {warnings.map((warning) => (
      <p key={warning} className="quiet">
        {visible(warning)}
      </p>
    ))}
  </div>
)

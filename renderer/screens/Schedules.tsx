import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { SchedulesView } from '../../schemas/ipc-schedules.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { Slowly } from '../parts/Ask.tsx'
import { Page } from '../parts/Page.tsx'
import { ScheduleEntry } from '../parts/ScheduleEntry.tsx'
import { ScheduleForm } from '../parts/ScheduleForm.tsx'
import { go, useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Scheduled runs of this computer and their timers. */
export function Schedules() {
  const { runs, fleet } = useStore()
  const answer = useKept(useAnswer('schedules.list', null, `${runs} ${fleet?.name ?? ''}`), 'schedules')
  return (
    <Slowly answer={answer} does="Loading schedules">
      {(view) => <Listed key={view.fleet} first={view} />}
    </Slowly>
  )
}

function Listed({ first }: { readonly first: SchedulesView }) {
  const [later, setLater] = useState<SchedulesView | null>(null)
  const [adding, setAdding] = useState(false)
  const view = later ?? first
  const { schedules, refusal } = view
  const add = (
    <Button
      kind="primary"
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
      under="Unattended runs need a signing identity whose passphrase this computer can read."
      actions={
        <>
          {schedules.length > 0 && add}
          <Button onPress={() => go({ screen: 'history' })}>Open history</Button>
        </>
      }
    >
      {refusal !== null && (
        <p id="why-no-schedule" className="quiet">
          {visible(refusal)}
        </p>
      )}
      {schedules.length === 0 ? (
        <EmptyState title="No schedules on this computer" action={add}>
          The operating system starts scheduled runs at the times you choose, even while this window is closed. A run
          that does not take place is recorded as missed.
        </EmptyState>
      ) : (
        schedules.map((schedule) => (
          <ScheduleEntry key={schedule.name} schedule={schedule} view={view} onChanged={setLater} />
        ))
      )}
      {adding && (
        <ScheduleForm
          view={view}
          onClose={() => setAdding(false)}
          onSaved={(saved) => {
            setLater(saved)
            setAdding(false)
          }}
        />
      )}
    </Page>
  )
}

import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { SchedulesView } from '../../schemas/ipc-schedules.ts'
import { useAnswer } from '../bridge.ts'
import { useKept } from '../kept.ts'
import { Page } from '../parts/Page.tsx'
import { ScheduleEntry } from '../parts/ScheduleEntry.tsx'
import { ScheduleForm } from '../parts/ScheduleForm.tsx'
import { Slowly } from '../parts/Slowly.tsx'
import { go, useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Planned runs of this computer, and what starts them. */
export function Schedules() {
  const { runs, fleet } = useStore()
  const answer = useKept(useAnswer('schedules.list', null, `${runs} ${fleet?.name ?? ''}`), 'schedules')
  return (
    <Slowly answer={answer} does="Reading the schedules of this computer">
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
      Add a schedule
    </Button>
  )
  return (
    <Page
      title="Schedules"
      under="Unattended runs need a key this computer can use while you are away."
      actions={
        <>
          {schedules.length > 0 && add}
          <Button onPress={() => go({ screen: 'history' })}>History</Button>
        </>
      }
    >
      {refusal !== null && (
        <p id="why-no-schedule" className="quiet">
          {visible(refusal)}
        </p>
      )}
      {schedules.length === 0 ? (
        <EmptyState title="Nothing is planned on this computer" action={add}>
          A schedule has the operating system call Barewitness at the times you choose, also while this window is
          closed. A run that is missed then shows as a gap.
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
          onAdded={(added) => {
            setLater(added)
            setAdding(false)
          }}
        />
      )}
    </Page>
  )
}

import type { SchedulesView } from '../../schemas/ipc-schedules.ts'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { FailureNote } from './Failure.tsx'
import { useSigningKey } from './use-signing-key.tsx'

export interface RemoveScheduleProps {
  readonly name: string
  readonly onClose: () => void
  readonly onRemoved: (view: SchedulesView) => void
}

/** Deletes a schedule and its timer. */
export function RemoveScheduleDialog({ name, onClose, onRemoved }: RemoveScheduleProps) {
  const remove = useAction('schedules.remove')
  const { identity, choice } = useSigningKey()
  const send = async (): Promise<void> => {
    const view = await remove.run({ name, identity })
    if (view === null) return
    say(`Schedule ${visible(name)} removed.`)
    onClose()
    onRemoved(view)
  }
  return (
    <Dialog
      title={`Remove schedule ${visible(name)}`}
      alert
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" busy={remove.busy} onPress={() => void send()}>
            Remove schedule
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <div className="form">
        <p>
          Its timer is removed, and no further run is scheduled. Past scheduled and missed runs remain in the run chain.
          The end of the schedule is recorded there, digitally signed.
        </p>
        {choice}
        {remove.error !== null && <FailureNote error={remove.error} />}
      </div>
    </Dialog>
  )
}

import { useState } from 'react'
import type { AttachmentView } from '../../schemas/ipc-packs.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { Slot } from '../control-tree.ts'
import { outdated } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { AttachDialog } from './AttachDialog.tsx'
import { RecordCard } from './RecordCard.tsx'
import { RequestDialog } from './RequestDialog.tsx'
import { SlotLine } from './SlotLine.tsx'

type Opened = { readonly dialog: 'attach' | 'request'; readonly slot: Slot } | null

/** Records that people owe, each with what can be done about it; in a pack they are only read. */
export function Slots({ of, slots }: { readonly of: Source; readonly slots: readonly Slot[] }) {
  const [opened, setOpened] = useState<Opened>(null)
  const close = (): void => setOpened(null)
  const done = (): void => {
    setOpened(null)
    outdated()
  }
  return (
    <>
      <ul className="slots">
        {slots.map((slot) => (
          <SlotLine key={slot.need} slot={slot} below={<RecordList of={of} records={slot.attached} />}>
            {of === 'run' && slot.is !== 'attached' && (
              <Button
                small
                onPress={() => setOpened({ dialog: 'request', slot })}
                label={`Set owner and date: ${slot.need}`}
              >
                Set owner and date
              </Button>
            )}
            {of === 'run' && (
              <Button small onPress={() => setOpened({ dialog: 'attach', slot })} label={`Attach record: ${slot.need}`}>
                Attach record
              </Button>
            )}
          </SlotLine>
        ))}
      </ul>
      {opened?.dialog === 'request' && <RequestDialog slot={opened.slot} onClose={close} onDone={done} />}
      {opened?.dialog === 'attach' && (
        <AttachDialog
          controls={[{ framework: opened.slot.framework, control: opened.slot.control }]}
          need={opened.slot.need}
          about={opened.slot.need}
          onClose={close}
          onDone={done}
        />
      )}
    </>
  )
}

export function RecordList({ of, records }: { readonly of: Source; readonly records: readonly AttachmentView[] }) {
  if (records.length === 0) return null
  return (
    <ul className="records">
      {records.map((record) => (
        <RecordCard key={record.id} of={of} record={record} />
      ))}
    </ul>
  )
}

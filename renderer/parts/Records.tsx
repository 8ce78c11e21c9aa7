import { useState } from 'react'
import type { AssessmentView, ControlRow } from '../../schemas/ipc-results.ts'
import type { FrameworkName, Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { otherRecords, recordsLine, slotsOf } from '../control-tree.ts'
import { useKept } from '../kept.ts'
import { outdated, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Ask } from './Ask.tsx'
import { AttachDialog } from './AttachDialog.tsx'
import { RecordList, Slots } from './Slots.tsx'

export interface RecordsProps {
  readonly of: Source
  readonly view: AssessmentView
  readonly framework: FrameworkName
  readonly control: ControlRow
}

/** The records that a control needs from people: which are there, who brings the others by when, and which are late. */
export function Records({ of, view, framework, control }: RecordsProps) {
  const { runs } = useStore()
  const register = useKept(useAnswer('register.get', { of }, runs), of)
  const [attaches, setAttaches] = useState(false)
  return (
    <Ask answer={register}>
      {(said) => {
        const slots = slotsOf(framework, control, said, view.asOf)
        const others = otherRecords(framework, control, said)
        return (
          <>
            {slots.length > 0 && <h3>{recordsLine(control.assessed?.records ?? null, slots)}</h3>}
            <Slots of={of} slots={slots} />
            {others.length > 0 && <h3>Attached to the control as a whole</h3>}
            <RecordList of={of} records={others} />
            {of === 'run' && (
              <p>
                <Button small kind="quiet" onPress={() => setAttaches(true)}>
                  Attach another record
                </Button>
              </p>
            )}
            {attaches && (
              <AttachDialog
                controls={[{ framework, control: control.key }]}
                need={null}
                about={`${control.id} ${control.title}`}
                onClose={() => setAttaches(false)}
                onDone={() => {
                  setAttaches(false)
                  outdated()
                }}
              />
            )}
          </>
        )
      }}
    </Ask>
  )
}

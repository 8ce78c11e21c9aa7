import { useState } from 'react'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { isHeld, type Slot, slotsOf } from '../control-tree.ts'
import { useKept } from '../kept.ts'
import { go, outdated, useStore } from '../store.ts'
import { plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Ask } from './Ask.tsx'
import { AttachDialog } from './AttachDialog.tsx'
import { SLOT_WORDS, SlotLine } from './SlotLine.tsx'

/** Records that auditors ask for beside this check: those of every control that the check is mapped to. */
export function UsualRecords({
  view,
  check,
  of,
}: {
  readonly view: AssessmentView
  readonly check: string
  readonly of: Source
}) {
  const { runs } = useStore()
  const register = useKept(useAnswer('register.get', { of }, runs), of)
  const [attached, setAttached] = useState<Slot | null>(null)
  const mapped = view.frameworks
    .filter(({ overlay }) => !overlay)
    .flatMap(({ id, controls }) =>
      controls
        .filter(({ supports, needsAlso }) => needsAlso.length > 0 && supports.some((one) => one.check === check))
        .map((control) => ({ framework: id, control })),
    )
  if (mapped.length === 0) return <p className="quiet">No mapped control lists a record for it.</p>
  return (
    <Ask answer={register}>
      {(said) => {
        const all = mapped.map(({ framework, control }) => ({
          framework,
          control,
          slots: slotsOf(framework, control, said, view.asOf),
        }))
        const slots = all.flatMap((one) => one.slots)
        const held = slots.filter(isHeld).length
        return (
          <>
            <Disclosure
              title="Auditors usually ask for these records, too"
              aside={`${held} of ${plural(slots.length, 'record')} held`}
            >
              <ul className="slots">
                {all.map((one) => (
                  <li key={`${one.framework} ${one.control.key}`}>
                    <p>
                      <Button
                        kind="link"
                        onPress={() => go({ screen: 'control', of, framework: one.framework, key: one.control.key })}
                      >
                        {one.control.id} {one.control.title}
                      </Button>
                    </p>
                    <ul>
                      {one.slots.map((slot) => (
                        <SlotLine key={slot.need} slot={slot}>
                          {of === 'run' && slot.is !== 'attached' && (
                            <Button small onPress={() => setAttached(slot)} label={`Attach it: ${slot.need}`}>
                              Attach it
                            </Button>
                          )}
                        </SlotLine>
                      ))}
                    </ul>
                  </li>
                ))}
              </ul>
            </Disclosure>
            {attached !== null && (
              <AttachDialog
                controls={[{ framework: attached.framework, control: attached.control }]}
                need={attached.need}
                about={`${attached.need} (${SLOT_WORDS[attached.is].word.toLowerCase()})`}
                onClose={() => setAttached(null)}
                onDone={() => {
                  setAttached(null)
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

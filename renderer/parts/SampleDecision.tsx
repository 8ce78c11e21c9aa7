import { useRef, useState } from 'react'
import type { Worksheet } from '../../schemas/ipc-packs.ts'
import { type WorkState, workStateWords } from '../../schemas/review-words.ts'
import { useAction } from '../actions.ts'
import { useSignal } from '../shortcuts.ts'
import { announce, useStore } from '../store.ts'
import { when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { TextArea } from '../ui/TextField.tsx'
import { DECISIONS, type SampleRow } from '../worksheet-model.ts'
import { FailureNote } from './Ask.tsx'

export interface SampleDecisionProps {
  readonly row: SampleRow
  readonly isLast: boolean
  readonly onSheet: (sheet: Worksheet) => void
  readonly onNext: () => void
}

/** The auditor’s decision and note on the sample that is shown. A decision is saved at once, a note with the next step. */
export function SampleDecision({ row, isLast, onSheet, onNext }: SampleDecisionProps) {
  const { settings } = useStore()
  const { node, check, state, at } = row
  const [note, setNote] = useState(row.note)
  const keep = useAction('review.note')
  const whole = useRef<HTMLDivElement>(null)
  const save = async (decision: WorkState): Promise<boolean> => {
    const sheet = await keep.run({ node, check, state: decision, note: note.trim() })
    if (sheet === null) return false
    onSheet(sheet)
    announce(`Saved: ${workStateWords[decision]}.`)
    return true
  }
  const saveAndNext = async (): Promise<void> => {
    const changed = note.trim() !== row.note
    if (changed && !(await save(state))) return
    if (!isLast) onNext()
  }
  const decide = (place: number) => (): void => {
    const decision = DECISIONS[place]
    if (decision !== undefined) void save(decision)
  }
  useSignal('decide-1', decide(0))
  useSignal('decide-2', decide(1))
  useSignal('decide-3', decide(2))
  useSignal('write-note', () => whole.current?.querySelector('textarea')?.focus())
  useSignal('save-and-next', () => void saveAndNext())
  return (
    <div className="sample-decision" ref={whole}>
      <RadioGroup
        label="Your decision"
        value={state === 'open' ? null : state}
        onChange={(decision) => void save(decision)}
        options={DECISIONS.map((id) => ({ id, title: workStateWords[id] }))}
      />
      <TextArea
        label="Note"
        description="Printed on the worksheet with your name and the time."
        rows={5}
        maxLength={4000}
        isRequired={false}
        value={note}
        onChange={setNote}
      />
      <Button kind="primary" busy={keep.busy} onPress={() => void saveAndNext()}>
        {isLast ? 'Save' : 'Save and next'}
      </Button>
      {keep.error !== null && <FailureNote error={keep.error} />}
      <p className="quiet">{at === null ? 'No decision yet.' : `Saved ${when(at)}.`}</p>
      <p className="quiet">
        {settings.singleKeys && 'Keys: 1, 2, 3 decide, N note, J next, K previous. '}Ctrl Enter saves and continues.
      </p>
    </div>
  )
}

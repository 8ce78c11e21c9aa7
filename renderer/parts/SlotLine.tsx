import type { ReactNode } from 'react'
import type { Slot } from '../control-tree.ts'
import { day, visible } from '../text.ts'
import { Shape } from './Mark.tsx'

export const SLOT_WORDS: Readonly<
  Record<Slot['is'], { readonly word: string; readonly mark: string; readonly tone: string }>
> = {
  attached: { word: 'Attached', mark: 'ring-tick', tone: 'met' },
  decided: { word: 'Decided', mark: 'ring-tick', tone: 'met' },
  unexamined: { word: 'Received, not examined', mark: 'dotted-ring', tone: 'not-tested' },
  requested: { word: 'Expected', mark: 'dotted-ring', tone: 'not-tested' },
  overdue: { word: 'Overdue', mark: 'square-cross', tone: 'not-met' },
  missing: { word: 'Missing', mark: 'dotted-ring', tone: 'not-tested' },
}

/** One record that no server can show: what it is, whether it is there, who is to bring it by when. */
export function SlotLine({
  slot,
  below,
  children,
}: {
  readonly slot: Slot
  readonly below?: ReactNode
  readonly children?: ReactNode
}) {
  const { word, mark, tone } = SLOT_WORDS[slot.is]
  return (
    <li className="slot">
      <span className="slot-need">
        {slot.need}
        {slot.inPlaceOf !== null && (
          <span className="note">
            In place of <span className="mono">{slot.inPlaceOf.check}</span>, which nodes cannot bear:{' '}
            {slot.inPlaceOf.why}
          </span>
        )}
      </span>
      <span className="slot-state">
        <span className={`status tone-${tone}`}>
          <Shape mark={mark} tone={tone} />
          <span>{word}</span>
        </span>
        {slot.is !== 'attached' && slot.request !== null && (
          <span className="note">
            {visible(slot.request.owner)}, due {day(slot.request.due)}
          </span>
        )}
      </span>
      <span className="slot-actions">{children}</span>
      {below}
    </li>
  )
}

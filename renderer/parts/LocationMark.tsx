import { type LocationWord, STATEMENT_SUPPORT, type StatementSupport, shownAs } from '../location-model.ts'
import { Shape } from './Mark.tsx'

/** A location result, as mark and label. */
export function LocationMark({ word, text }: { readonly word: LocationWord; readonly text?: string }) {
  const { label, mark, tone } = shownAs(word)
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{text ?? label}</span>
    </span>
  )
}

/** What one statement shows for one place or rule. */
export function StatementMark({ support }: { readonly support: StatementSupport }) {
  const { label, mark, tone } = STATEMENT_SUPPORT[support]
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{label}</span>
    </span>
  )
}

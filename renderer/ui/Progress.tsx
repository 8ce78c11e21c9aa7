import { Label, ProgressBar } from 'react-aria-components'

export interface ProgressProps {
  readonly label: string
  /** Out of `max`; null while there is no count. */
  readonly value: number | null
  readonly max?: number
  /** Shown and announced instead of a percentage: "23 of 40 nodes". */
  readonly words: string
  readonly showWords?: boolean
}

/** Progress in counts. */
export function Progress({ label, value, max = 100, words, showWords = true }: ProgressProps) {
  const share = value === null || max === 0 ? 0 : Math.min(1, value / max)
  return (
    <ProgressBar
      className="progress"
      value={value ?? 0}
      maxValue={Math.max(1, max)}
      isIndeterminate={value === null}
      valueLabel={words}
    >
      <span className="progress-words">
        <Label>{label}</Label>
        {showWords && <span className="number">{words}</span>}
      </span>
      <span className="progress-track" aria-hidden="true">
        <span className="progress-fill" style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </ProgressBar>
  )
}

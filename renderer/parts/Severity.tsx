import { type Severity, severityWords } from '../../schemas/conclusion-words.ts'

const RUNGS: Readonly<Record<Severity, number>> = { critical: 4, high: 3, medium: 2, low: 1, info: 0 }

/** Four rungs that grow to the right; those above the severity are outlines, so that the ladder is read without color. */
export const Ladder = ({ severity }: { readonly severity: Severity }) => (
  <svg className={`mark ladder severity-${severity}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    {[0, 1, 2, 3].map((rung) => (
      <rect
        key={rung}
        x={0.9 + rung * 3.8}
        y={11.2 - rung * 3.2}
        width="2.7"
        height={4 + rung * 3.2}
        fill={rung < RUNGS[severity] ? 'currentColor' : 'none'}
      />
    ))}
  </svg>
)

/** A severity as ladder and word. Never the mark of a verdict. */
export const SeverityMark = ({ severity }: { readonly severity: Severity }) => (
  <span className={`status severity-${severity}`}>
    <Ladder severity={severity} />
    <span>{severityWords[severity]}</span>
  </span>
)

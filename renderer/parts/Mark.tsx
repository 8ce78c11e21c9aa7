import type { ReactNode } from 'react'
import { type RowState, rowStateWords } from '../../schemas/conclusion-words.ts'
import type { CheckOutcome } from '../../schemas/verification.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'

// Each meaning has its own shape, so that it remains distinct in print, with color blindness and in forced colors. All use currentColor.
const SHAPES: Readonly<Record<string, ReactNode>> = {
  'ring-tick': (
    <>
      <circle cx="8" cy="8" r="6.6" fill="none" />
      <path d="M4.9 8.3 7.2 10.6 11.2 5.7" fill="none" />
    </>
  ),
  'square-cross': (
    <>
      <rect x="1.2" y="1.2" width="13.6" height="13.6" fill="currentColor" stroke="none" />
      <path className="cut" d="M5 5 11 11 M11 5 5 11" fill="none" />
    </>
  ),
  'diamond-question': (
    <>
      <path d="M8 .9 15.1 8 8 15.1 .9 8Z" fill="none" strokeDasharray="2.2 1.4" />
      <path d="M6.3 6.5a1.75 1.75 0 1 1 2.5 1.6c-.5.25-.8.55-.8 1.1" fill="none" />
      <circle cx="8" cy="11.2" r=".85" fill="currentColor" stroke="none" />
    </>
  ),
  bar: <path d="M3 8h10" fill="none" strokeWidth="2.4" />,
  'dotted-ring': (
    <circle cx="8" cy="8" r="6.4" fill="none" strokeDasharray=".2 2.68" strokeLinecap="round" strokeWidth="1.9" />
  ),
  ring: <circle cx="8" cy="8" r="5" fill="none" />,
  disc: <circle cx="8" cy="8" r="6" fill="currentColor" stroke="none" />,
  'disc-half': (
    <>
      <circle cx="8" cy="8" r="5.4" fill="none" />
      <path d="M8 2.6a5.4 5.4 0 0 0 0 10.8Z" fill="currentColor" stroke="none" />
    </>
  ),
  // A clock face for late runs.
  'disc-late': (
    <>
      <circle cx="8" cy="8" r="6" fill="none" />
      <path d="M8 4.4V8l2.6 1.8" fill="none" />
    </>
  ),
  speck: <circle cx="8" cy="8" r="1.1" fill="currentColor" stroke="none" />,
  dot: <circle cx="8" cy="8" r="3" fill="currentColor" stroke="none" />,
}

export function Shape({ mark, tone }: { readonly mark: string; readonly tone: string }) {
  return (
    <svg className={`mark tone-${tone}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {SHAPES[mark]}
    </svg>
  )
}

/** A verdict as mark and label. */
export function VerdictMark({ verdict }: { readonly verdict: Verdict }) {
  const { label, mark } = verdictWords[verdict]
  return <MarkedLine mark={mark} tone={verdict} label={label} />
}

interface MarkedLineProps {
  readonly mark: string
  readonly tone: string
  readonly label: string
}

/** A mark with its label. */
export const MarkedLine = ({ mark, tone, label }: MarkedLineProps) => (
  <span className={`status tone-${tone}`}>
    <Shape mark={mark} tone={tone} />
    <span>{label}</span>
  </span>
)

/** The tone of a conclusion. */
export const ROW_TONE: Readonly<Record<RowState, string>> = {
  deviations: 'not-satisfied',
  'unable-to-conclude': 'inconclusive',
  'documents-outstanding': 'not-tested',
  'addressable-decision': 'not-applicable',
  supported: 'satisfied',
  'not-applicable': 'not-applicable',
  'out-of-scope': 'not-applicable',
}

/** The state of a control: for counts, and where a decision or category election determines it. */
export function RowStateMark({ state }: { readonly state: RowState }) {
  const { label, mark } = rowStateWords[state]
  return <MarkedLine mark={mark} tone={ROW_TONE[state]} label={label} />
}

/** The result of one verification check. */
export function AnswerMark({ outcome }: { readonly outcome: CheckOutcome }) {
  const [mark, tone] =
    outcome === 'passed'
      ? ['ring-tick', 'satisfied']
      : outcome === 'failed'
        ? ['square-cross', 'not-satisfied']
        : ['diamond-question', 'inconclusive']
  return <Shape mark={mark} tone={tone} />
}

/** The legend below every matrix. */
export function Legend() {
  const shown: readonly Verdict[] = [
    'satisfied',
    'not-satisfied',
    'inconclusive',
    'not-tested',
    'not-applicable',
    'informational',
  ]
  return (
    <dl className="legend" aria-label="Legend">
      {shown.map((verdict) => (
        <div key={verdict}>
          <dt>
            <VerdictMark verdict={verdict} />
          </dt>
          <dd>{verdictWords[verdict].meaning}</dd>
        </div>
      ))}
    </dl>
  )
}

import type { ExplanationView } from '../../schemas/ipc-packs.ts'
import type { SignalView } from '../../schemas/ipc-results.ts'
import { day, visible } from '../text.ts'

export interface ExplanationsProps {
  readonly explanations: readonly ExplanationView[]
  readonly signals: readonly SignalView[]
}

/** Explanations of single facts by named people. They do not change any result. Nothing where there are none. */
export function Explanations({ explanations, signals }: ExplanationsProps) {
  if (explanations.length === 0) return null
  const titles = new Map(signals.map(({ id, title }) => [id, title]))
  return (
    <section aria-labelledby="explanations">
      <h2 id="explanations">
        Explanations <span className="number quiet">{explanations.length}</span>
      </h2>
      <p className="quiet">Not evaluated; explanations do not change a verdict.</p>
      <ul className="acceptances">
        {explanations.map((one) => (
          <li key={one.id} className="acceptance">
            <dl className="facts">
              <dt>Fact</dt>
              <dd>{titles.get(one.signal) ?? visible(one.signal)}</dd>
              <dt>Explanation</dt>
              <dd>{visible(one.text)}</dd>
              <dt>Explained by</dt>
              <dd>
                {visible(one.explainedBy)}, {visible(one.role)}, {day(one.explainedAt)}, until {day(one.expiresAt)}
              </dd>
              <dt>Document</dt>
              <dd>
                {visible(one.document.name)}, SHA-256 <span className="mono">{one.document.sha256}</span>
              </dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  )
}

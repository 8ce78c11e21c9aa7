import type { ProbeView } from '../../schemas/ipc.ts'
import type { Reason } from '../../schemas/types.ts'
import { visible } from '../text.ts'

export interface ReasonsProps {
  readonly reasons: readonly (Reason & { readonly check: string })[]
  readonly probes: readonly ProbeView[]
  readonly onEvidence: (capture: string) => void
}

const KINDS = [
  { says: 'for', title: 'For' },
  { says: 'against', title: 'Against' },
  { says: 'unclear', title: 'Unclear' },
] as const

/** The argument in three columns. Each reason opens the answers it rests on. */
export function Reasons({ reasons, probes, onEvidence }: ReasonsProps) {
  return (
    <div className="ledger">
      {KINDS.map(({ says, title }) => {
        const own = reasons.filter((reason) => reason.says === says)
        return (
          <section key={says} className={`column says-${says}`} aria-label={`${title}: ${own.length}`}>
            <h2>
              {title} <span className="number">{own.length}</span>
            </h2>
            {own.length === 0 && <p className="none">None found.</p>}
            <ul>
              {own.map((reason) => (
                <li key={`${reason.check} ${reason.probe} ${reason.text}`}>
                  <p>{visible(reason.text)}</p>
                  <p className="cites">
                    <span className="mono">{reason.check}</span>
                    {reason.probe !== null &&
                      reason.captures.map(({ command }) => (
                        <button
                          key={command}
                          type="button"
                          className="link"
                          onClick={() => onEvidence(`${reason.probe}/${command}`)}
                        >
                          Evidence: {probes.find(({ id }) => id === reason.probe)?.title ?? reason.probe}
                          {reason.captures.length > 1 ? ` (${command})` : ''}
                        </button>
                      ))}
                  </p>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

import type { ProbeView } from '../../schemas/ipc-views.ts'
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

interface Said {
  readonly text: string
  readonly probe: string | null
  readonly checks: readonly string[]
  readonly commands: readonly string[]
}

/** Reasons with the same words and the same probe are one, for all the checks that give them. */
function merged(reasons: ReasonsProps['reasons']): readonly Said[] {
  const all = new Map<string, Said>()
  for (const { text, probe, check, captures } of reasons) {
    const before = all.get(`${probe} ${text}`)
    all.set(`${probe} ${text}`, {
      text,
      probe,
      checks: [...new Set([...(before?.checks ?? []), check])],
      commands: [...new Set([...(before?.commands ?? []), ...captures.map(({ command }) => command)])],
    })
  }
  return [...all.values()]
}

/** The argument in three columns. Each reason opens the answers it rests on. */
export function Reasons({ reasons, probes, onEvidence }: ReasonsProps) {
  return (
    <div className="ledger">
      {KINDS.map(({ says, title }) => {
        const own = merged(reasons.filter((reason) => reason.says === says))
        return (
          <section key={says} className={`column says-${says}`} aria-label={`${title}: ${own.length}`}>
            <h2>
              {title} <span className="number">{own.length}</span>
            </h2>
            {own.length === 0 && <p className="none">None found.</p>}
            <ul>
              {own.map((said) => (
                <li key={`${said.probe} ${said.text}`}>
                  <p>{visible(said.text)}</p>
                  <p className="cites">
                    <span className="mono">{said.checks.join(', ')}</span>
                    <Cited
                      said={said}
                      title={probes.find(({ id }) => id === said.probe)?.title}
                      onEvidence={onEvidence}
                    />
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

interface CitedProps {
  readonly said: Said
  readonly title: string | undefined
  readonly onEvidence: (capture: string) => void
}

function Cited({ said: { probe, commands }, title, onEvidence }: CitedProps) {
  if (probe === null || commands.length === 0) return null
  const name = title ?? probe
  return (
    <span>
      {commands.map((command, index) => (
        <span key={command}>
          {index > 0 && ' · '}
          <button
            type="button"
            className="link"
            aria-label={`Evidence: ${name}${commands.length > 1 ? `, ${command}` : ''}`}
            onClick={() => onEvidence(`${probe}/${command}`)}
          >
            {index === 0 ? `Evidence: ${commands.length > 1 ? command : name}` : command}
          </button>
        </span>
      ))}
    </span>
  )
}

import type { EvidencePiece } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import type { Entry } from '../ledger.ts'
import { linesOf } from '../output-lines.ts'
import { go } from '../store.ts'
import { shellLine, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Ask } from './Ask.tsx'

export interface ProofProps {
  readonly capture: Entry['captures'][number]
  readonly of: Source
  readonly node: string
}

const MOST_LINES = 8
const LONGEST_LINE = 240

/** Evidence of one observation: parsed fact, its raw lines, and the digest of the whole capture. */
export function Proof({ capture, of, node }: ProofProps) {
  const answer = useAnswer('evidence.get', { of, node, capture: capture.key, stream: 'stdout', offset: 0 })
  return (
    <div className="proof">
      <Ask answer={answer}>{(piece) => <Lines piece={piece} sha256={capture.sha256} />}</Ask>
      <Button kind="link" onPress={() => go({ screen: 'evidence', of, node, capture: capture.key })}>
        Open {capture.key} in raw evidence
      </Button>
    </div>
  )
}

function Lines({ piece, sha256 }: { readonly piece: EvidencePiece; readonly sha256: string }) {
  const lines = linesOf(piece.text)
  const marked = piece.marked.length > 0
  const places = marked ? piece.marked : [...lines.keys()].slice(0, MOST_LINES)
  const shown = places.slice(0, MOST_LINES)
  return (
    <dl className="proof-steps">
      <dt>Fact</dt>
      <dd>
        {piece.reading.ok ? (
          <pre className="proof-text">{cut(visible(piece.reading.fact).split('\n'))}</pre>
        ) : (
          visible(piece.reading.reason)
        )}
      </dd>
      <dt>Raw</dt>
      <dd>
        <p className="mono source">$ {visible(shellLine(piece.capture.argv))}</p>
        {lines.length === 0 ? (
          <p className="quiet">No output.</p>
        ) : (
          <ol className="proof-lines" aria-label={marked ? 'Source lines' : 'First lines'}>
            {shown.map((line) => (
              <li key={line} value={line + 1}>
                <code>{short(lines[line] ?? '')}</code>
              </li>
            ))}
          </ol>
        )}
        {places.length > shown.length && <p className="note">and {places.length - shown.length} more lines</p>}
      </dd>
      <dt>Digest</dt>
      <dd>
        <span className="mono source">SHA-256 {sha256}</span>
        {piece.digestNow === sha256 ? (
          <span className="note">Recomputed for this view: identical.</span>
        ) : (
          <strong className="tone-not-satisfied">Recomputed for this view: different. Altered after collection.</strong>
        )}
      </dd>
    </dl>
  )
}

const short = (line: string): string => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)
const cut = (lines: readonly string[]): string =>
  [...lines.slice(0, MOST_LINES).map(short), ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n')

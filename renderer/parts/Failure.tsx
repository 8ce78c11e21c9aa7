import type { CallFailure } from '../../schemas/ipc.ts'
import { failureWords } from '../../schemas/words.ts'
import { visible } from '../text.ts'

/** An expected failure: what happened, what it means for the evidence, what to do next; the technical line folded away. */
export function FailureNote({ error }: { readonly error: CallFailure }) {
  const { title, meaning, next } = failureWords[error.code]
  return (
    <div className="failure" role="alert">
      <p className="failure-title">
        {title}
        {error.node === undefined ? '' : ` (${error.node})`}
      </p>
      <p>{meaning}</p>
      <p>{next}</p>
      <details>
        <summary>Technical detail</summary>
        <p className="mono">
          {error.code}: {visible(error.detail)}
        </p>
      </details>
    </div>
  )
}

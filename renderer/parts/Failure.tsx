import { failureWords } from '../../schemas/failure-words.ts'
import type { CallFailure } from '../../schemas/ipc.ts'
import { visible } from '../text.ts'
import { Notice } from '../ui/Notice.tsx'

/** An expected failure: what happened, what it means for the evidence, what to do next; the technical line folded away. */
export function FailureNote({ error }: { readonly error: CallFailure }) {
  const { title, meaning, next } = failureWords[error.code]
  return (
    <Notice
      kind="failure"
      interrupts
      title={error.node === undefined ? title : `${title} (${visible(error.node)})`}
      means={meaning}
      next={next}
      detail={`${error.code}: ${visible(error.detail)}`}
    />
  )
}

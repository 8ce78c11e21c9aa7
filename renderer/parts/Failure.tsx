import { failureWords } from '../../schemas/failure-words.ts'
import type { CallFailure } from '../../schemas/ipc.ts'
import { visible } from '../text.ts'
import { Notice } from '../ui/Notice.tsx'

/** An expected failure: what happened, the effect on the evidence, what to do; technical detail is folded. */
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

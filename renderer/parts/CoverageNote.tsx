import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { coverageLine } from '../coverage-model.ts'
import { useKept } from '../kept.ts'
import { go, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { FailureNote } from './Failure.tsx'

/** The population counts in one line; nothing without an engagement. */
export function CoverageNote({ of }: { readonly of: Source }) {
  const { runs, soFar } = useStore()
  const answer = useKept(useAnswer('coverage.get', { of }, `${runs} ${soFar}`), of)
  if (answer.state === 'failed') return <FailureNote error={answer.error} />
  if (answer.state === 'waiting' || answer.value === null) return null
  return (
    <p className="coverage-note number">
      {coverageLine(answer.value.coverage)}{' '}
      <Button kind="link" onPress={() => go({ screen: 'engagement', of, part: 'population' })}>
        Show population
      </Button>
    </p>
  )
}

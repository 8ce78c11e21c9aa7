import type { NodeRow } from '../../schemas/ipc-results.ts'
import { verdictWords } from '../../schemas/words.ts'
import { whyNotCollected } from '../model.ts'
import { stillToCome } from '../run-progress.ts'
import { useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Shape } from './Mark.tsx'

/** What can be done about a node without evidence. */
export interface Mend {
  readonly retry: (node: string) => void
  readonly edit: (node: string) => void
}

/** Why a node shows nothing, and what can be done about it; while its turn in a run is to come, only that. */
export function NotCollected({ node, mend }: { readonly node: NodeRow; readonly mend: Mend | null }) {
  const { progress } = useStore()
  const pending = mend === null ? null : stillToCome(progress, node.node)
  const why = visible(pending ?? whyNotCollected(node))
  return (
    <>
      <span className="status tone-not-tested" title={why}>
        <Shape mark={verdictWords['not-tested'].mark} tone="not-tested" />
        <span>
          {verdictWords['not-tested'].label}: {why}
        </span>
      </span>
      {mend !== null && pending === null && (
        <span className="mend">
          <Button small label={`Try ${node.node} again`} onPress={() => mend.retry(node.node)}>
            Try again
          </Button>
          <Button small label={`Edit address of ${node.node}`} onPress={() => mend.edit(node.node)}>
            Edit address
          </Button>
        </span>
      )}
    </>
  )
}

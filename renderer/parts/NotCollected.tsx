import type { NodeRow } from '../../schemas/ipc-results.ts'
import { verdictWords } from '../../schemas/words.ts'
import { whyNotCollected } from '../model.ts'
import { stillToCome } from '../run-progress.ts'
import { useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Shape } from './Mark.tsx'

/** Actions for a node without evidence. */
export interface Mend {
  readonly retry: (node: string) => void
  readonly edit: (node: string) => void
}

/** Why a node has no evidence, and the available actions; while it waits in a run, only that. */
export function NotCollected({ node, mend }: { readonly node: NodeRow; readonly mend: Mend | null }) {
  const { progress } = useStore()
  const pending = mend === null ? null : stillToCome(progress, node.node)
  const why = visible(pending ?? whyNotCollected(node))
  return (
    <>
      <span className="status tone-not-tested" title={why}>
        <Shape mark={verdictWords['not-tested'].mark} tone="not-tested" />
        <span>Not collected: {why}</span>
      </span>
      {mend !== null && pending === null && (
        <span className="mend">
          <Button small label={`Retry ${node.node}`} onPress={() => mend.retry(node.node)}>
            Retry
          </Button>
          <Button small label={`Edit address of ${node.node}`} onPress={() => mend.edit(node.node)}>
            Edit address
          </Button>
        </span>
      )}
    </>
  )
}

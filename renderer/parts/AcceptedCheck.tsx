import type { Source } from '../../schemas/ipc-views.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'

/** Expected conditions of checks by their identifiers. */
export type CheckTitles = ReadonlyMap<string, string>

export interface AcceptedCheckProps {
  readonly check: string
  readonly nodes: readonly string[]
  readonly of: Source
  readonly titles: CheckTitles
}

/** What is accepted: the condition that a check expects, which opens its results on these nodes, and its identifier. */
export function AcceptedCheck({ check, nodes, of, titles }: AcceptedCheckProps) {
  const title = titles.get(check)
  return (
    <>
      {title !== undefined && (
        <Button kind="link" onPress={() => go({ screen: 'check', of, check, nodes })}>
          {visible(title)}
        </Button>
      )}
      <span className="mono">{check}</span>
    </>
  )
}

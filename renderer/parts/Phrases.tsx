import type { Phrase } from '../../schemas/ipc-findings.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { routeOf } from '../finding-model.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'

/** A sentence in which every number opens the rows that it counts. */
export const Phrases = ({ of, phrases }: { readonly of: Source; readonly phrases: readonly Phrase[] }) => (
  <>
    {phrases.map(({ text, counts }, at) =>
      counts === null ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one sentence have no other name
        <span key={at}>{visible(text)}</span>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Button key={at} kind="link" onPress={() => go(routeOf(counts, of))}>
          {visible(text)}
        </Button>
      ),
    )}
  </>
)

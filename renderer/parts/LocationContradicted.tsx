import type { LocationRow } from '../../schemas/ipc-location.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { contradictedOf } from '../location-model.ts'
import { go } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'

/** More would push the table out of view; the table lists all of them first. */
const MOST = 3

/** Contradicted nodes and reasons, above everything else. */
export function LocationContradicted({ rows, of }: { readonly rows: readonly LocationRow[]; readonly of: Source }) {
  const found = contradictedOf(rows)
  return (
    <>
      {found.slice(0, MOST).map(({ node, why }) => (
        <Notice
          key={node}
          kind="failure"
          title={`Declared location of ${visible(node)} contradicted.`}
          means={visible(why)}
          actions={
            <Button kind="quiet" onPress={() => go({ screen: 'node', of, node })}>
              Recommendation for {visible(node)}
            </Button>
          }
        />
      ))}
      {found.length > MOST && <p className="note">And {plural(found.length - MOST, 'node')} more: see the table.</p>}
    </>
  )
}

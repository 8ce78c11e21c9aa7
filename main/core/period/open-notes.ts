import type { Deviation } from '../../../schemas/types.ts'
import { quote } from '../plain-text.ts'
import { plural } from '../report/wording.ts'
import { shortened } from '../run-chain/notes.ts'
import type { NodeRow } from './seen.ts'

/**
 * Deviations that stay open because nothing looks any more: of nodes that later runs do not declare, and of claims that later rules do not
 * have. One sentence for each node and each claim.
 */
export function openNotes(
  deviations: readonly Deviation[],
  {
    nodes,
    checks,
  }: { readonly nodes: readonly NodeRow[] /** Of the last run at hand. */; readonly checks: readonly string[] },
): readonly string[] {
  const open = deviations.filter((one) => one.open)
  const gone = nodes.filter(({ atEnd }) => !atEnd)
  const known = new Set(checks)
  const dropped = [...new Set(open.map(({ check }) => check))].filter((check) => !known.has(check))
  return [
    ...shortened(
      gone.flatMap(({ node, last }) => {
        const count = open.filter((one) => one.node === node).length
        return count === 0
          ? []
          : [
              `Node ${quote(node)} is in no run after ${quote(last.run)}. ${plural(count, 'deviation')} on it stayed open: no run shows a fix.`,
            ]
      }),
    ),
    ...shortened(
      dropped.map(
        (check) => `The last run has no claim ${quote(check)}. Deviations from it stayed open: no run shows a fix.`,
      ),
    ),
  ]
}

import type { Deviation } from '../../../schemas/types.ts'
import { plural } from '../phrases.ts'
import { quote } from '../plain-text.ts'
import { shortened } from '../run-chain/notes.ts'
import type { NodeRow } from './seen.ts'

/**
 * Deviations that stay open because they are no longer tested: nodes that later runs do not declare, and checks that later rules do not
 * contain. One sentence per node and check.
 */
export function openNotes(
  deviations: readonly Deviation[],
  {
    nodes,
    checks,
  }: { readonly nodes: readonly NodeRow[] /** Of the last run available. */; readonly checks: readonly string[] },
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
              `Node ${quote(node)} is in no run after ${quote(last.run)}. ${plural(count, 'deviation')} on it stayed open: no run shows remediation.`,
            ]
      }),
    ),
    ...shortened(
      dropped.map(
        (check) => `The last run has no check ${quote(check)}. Its deviations stayed open: no run shows remediation.`,
      ),
    ),
  ]
}

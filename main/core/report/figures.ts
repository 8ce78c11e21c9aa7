import type { Figure } from '../../../schemas/figure.ts'
import type { NodeAssessment } from '../../../schemas/types.ts'
import type { ReportInput } from './input.ts'
import { type Block, heading, text } from './model.ts'

/** In a larger report only nodes with a contradiction get pictures, so that a reader still finds them. */
export const MANY_NODES = 40

/** Whether a node's pictures stand in a report over so many nodes: a contradiction in what the pictures show decides. */
export const isPictured = ({ isolation, findings }: NodeAssessment, nodes: number): boolean =>
  nodes <= MANY_NODES ||
  (isolation?.contradictions.length ?? 0) > 0 ||
  findings.some(
    ({ property, verdict }) => verdict === 'not-met' && (property === 'isolation' || property === 'encryption-at-rest'),
  )

/** What the pictures in a node's isolation dossier are about; where it is stands in a dossier of its own. */
export const DOSSIER_KINDS: readonly Figure['kind'][] = ['isolation-families', 'block-stack', 'topology']

/** The pictures of one node that are of these kinds, where there are any. Whose dossier stands in the report is decided before. */
export function figureBlocks(
  { figures }: Pick<ReportInput, 'figures'>,
  node: NodeAssessment,
  kinds: readonly Figure['kind'][],
): readonly Block[] {
  const own = (figures?.get(node.node) ?? []).filter(({ kind }) => kinds.includes(kind))
  if (own.length === 0) return []
  return [heading(4, 'In pictures'), ...own.map((figure): Block => ({ kind: 'figure', figure }))]
}

/** Says which nodes have pictures, where not all have. */
export const picturesNote = ({ figures, assessment }: ReportInput): readonly Block[] =>
  (figures?.size ?? 0) === 0 || assessment.nodes.length <= MANY_NODES
    ? []
    : [
        text(
          `This report covers ${assessment.nodes.length} nodes. Pictures stand only at those with a contradiction in isolation or in encryption at rest.`,
        ),
      ]

const MAX_ALT = 1600

/** What a picture says, for those who hear it: its caption, then its table row by row, as far as that stays bearable. */
export function figureAlt({ title, caption, table }: Figure): string {
  const [, ...heads] = table.head
  const rows = table.rows.map(([name = '', ...cells]) => {
    const said = cells.flatMap((cell, index) => (cell === '' || cell === '·' ? [] : [`${heads[index] ?? ''} ${cell}`]))
    return `${name}: ${said.join(', ')}`
  })
  let alt = `${title}. ${caption}`
  for (const [index, row] of rows.entries()) {
    if (alt.length + row.length > MAX_ALT) return `${alt} And ${rows.length - index} more rows.`
    alt += ` ${row}.`
  }
  return alt
}

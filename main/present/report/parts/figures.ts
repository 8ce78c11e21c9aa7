import type { Figure } from '../../../../schemas/figure.ts'
import type { NodeAssessment } from '../../../../schemas/types.ts'
import { type Block, heading, text } from '../../../core/base/report-document.ts'
import type { ReportInput } from '../../input.ts'

/** In larger reports only nodes with a deviation or anomaly have figures, so that readers can find them. */
export const MANY_NODES = 40

/** Whether a node has figures in a report over this many nodes: decided by deviations and anomalies in what the figures show. */
export const isPictured = ({ isolation, results }: NodeAssessment, nodes: number): boolean =>
  nodes <= MANY_NODES ||
  (isolation?.anomalies.length ?? 0) > 0 ||
  results.some(
    ({ property, verdict }) =>
      verdict === 'not-satisfied' && (property === 'isolation' || property === 'encryption-at-rest'),
  )

/** Kinds of figures in a node’s isolation analysis; location has its own section. */
export const ANALYSIS_KINDS: readonly Figure['kind'][] = ['isolation-families', 'block-stack', 'topology']

/** Figures of one node of these kinds, if any. The caller decides which nodes are included. */
export function figureBlocks(
  { figures }: Pick<ReportInput, 'figures'>,
  node: NodeAssessment,
  kinds: readonly Figure['kind'][],
): readonly Block[] {
  const own = (figures?.get(node.node) ?? []).filter(({ kind }) => kinds.includes(kind))
  if (own.length === 0) return []
  return [heading(4, 'Figures'), ...own.map((figure): Block => ({ kind: 'figure', figure }))]
}

/** States which nodes have figures, where not all have. */
export const picturesNote = ({ figures, assessment }: ReportInput): readonly Block[] =>
  (figures?.size ?? 0) === 0 || assessment.nodes.length <= MANY_NODES
    ? []
    : [
        text(
          `This report covers ${assessment.nodes.length} nodes. Figures are included only for nodes with a deviation or anomaly in isolation or encryption at rest.`,
        ),
      ]

const MAX_ALT = 1600

/** Alternative text of a figure for screen readers: caption, then its table row by row, up to a limit. */
export function figureAlt({ title, caption, table }: Figure): string {
  const [, ...heads] = table.head
  const rows = table.rows.map(([name = '', ...cells]) => {
    const links = cells.flatMap((cell, index) => (cell === '' || cell === '·' ? [] : [`${heads[index] ?? ''} ${cell}`]))
    return `${name}: ${links.join(', ')}`
  })
  let alt = `${title}. ${caption}`
  for (const [index, row] of rows.entries()) {
    if (alt.length + row.length > MAX_ALT) return `${alt} And ${rows.length - index} more rows.`
    alt += ` ${row}.`
  }
  return alt
}

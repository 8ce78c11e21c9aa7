import type { NodeAssessment } from '../../../../schemas/types.ts'
import { dayCount, propertyWords, VERDICTS, verdictWords } from '../../../../schemas/words.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { type Block, type Cell, headedTable, type Line, list, quiet } from '../../../core/base/report-document.ts'
import { reached, severity } from '../../../core/conclusion/tally.ts'
import { compare } from '../../../core/recording/recording.ts'
import { acceptedCount } from '../acceptance-section.ts'
import type { Matter } from '../parts/input.ts'
import { supportedShare, verdictMark } from '../parts/wording.ts'

/** Nodes with the worst verdict first, then by most deviations, then by fewest satisfied checks. */
export function byWorstNode({ assessment, tally }: Pick<Matter, 'assessment' | 'tally'>): readonly NodeAssessment[] {
  return assessment.nodes
    .map((node) => {
      const { worst, counts } = tally.onNode(node.node)
      return { node, weight: [severity(worst), -counts['not-satisfied'], counts.satisfied] }
    })
    .sort((a, b) => {
      const index = a.weight.findIndex((value, i) => value !== b.weight[i])
      return index === -1 ? compare(a.node.node, b.node.node) : (a.weight[index] ?? 0) - (b.weight[index] ?? 0)
    })
    .map(({ node }) => node)
}

/** Explains the counts in cells; printed wherever they occur. */
const SHARES =
  'Counts are checks satisfied out of the checks with a criterion that apply. The number after a plus sign counts informational and not applicable results.'

/** Node by property, worst node first: in the summary of a small fleet, otherwise in the results by node. */
export function nodeMatrixBlocks(matter: Matter): readonly Block[] {
  return [
    quiet(`The mark shows the worst verdict among the checks of a property. ${SHARES}`),
    ...(matter.register.riskAcceptances.length === 0
      ? []
      : [quiet('“Accepted” counts deviations with a risk acceptance in effect. Their verdict does not change.')]),
    nodeMatrix(matter),
    list(LEGEND),
  ]
}

const LEGEND: readonly Line[] = VERDICTS.map((verdict) => ({
  text: `${verdictWords[verdict].label}. ${verdictWords[verdict].meaning}`,
  mark: verdictMark(verdict),
}))

function nodeMatrix(matter: Matter): Block {
  const widths = matter.tally.properties.map((property) => {
    const { label } = propertyWords[property]
    // Room for two two-digit numbers and the longest word of the title; neither may break.
    const wide = matter.tally.checksOf(property).length > 9 || /\w{10}/.test(label)
    return [label, wide ? 12.5 : 11] as const
  })
  return headedTable({ Node: 19.5, ...Object.fromEntries(widths) }, byWorstNode(matter).map(nodeRow(matter)))
}

const nodeRow =
  (matter: Matter) =>
  (node: NodeAssessment): readonly Cell[] => [
    nameCell(matter, node),
    ...matter.tally.properties.map((property): Cell => {
      const { tally } = matter
      const cell = tally.cell(node.node, property)
      return [
        { text: supportedShare(cell), mark: verdictMark(cell.worst), means: verdictWords[cell.worst].label },
        ...acceptedCount(
          matter,
          tally.checksOf(property).map(({ id }) => [node.node, id]),
        ),
      ]
    }),
  ]

/** Demo data is marked on every page, so nodes need no synthetic note there. */
function nameCell({ assessment }: Matter, node: NodeAssessment): Cell {
  const notes: Line[] = []
  if (!reached(node)) notes.push({ text: 'not collected', style: 'quiet' })
  else if (node.status === 'partial') notes.push({ text: 'partially collected', style: 'quiet' })
  if (node.stale) notes.push({ text: `${dayCount(node.ageDays ?? '?')} old: stale, not counted`, style: 'quiet' })
  if (node.synthetic !== null && !assessment.demo) notes.push({ text: 'synthetic recording', style: 'quiet' })
  return [{ text: plain(node.node, 80), style: 'strong' }, ...notes]
}

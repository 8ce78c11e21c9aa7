import type { NodeAssessment } from '../../../schemas/types.ts'
import { propertyWords, VERDICTS, verdictWords } from '../../../schemas/words.ts'
import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { joined, reached, severity } from '../tally.ts'
import { acceptedCount } from './exceptions.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, type Line, quiet } from './model.ts'
import { plural, share, supportedShare, verdictMark } from './wording.ts'

/** Nodes with the worst answers first, then those with most contradictions, then those with least support. */
export function byWorstNode({ assessment, tally }: Pick<Matter, 'assessment' | 'tally'>): readonly NodeAssessment[] {
  return assessment.nodes
    .map((node) => {
      const { worst, counts } = tally.onNode(node.node)
      return { node, weight: [severity(worst), -counts['not-met'], counts.met] }
    })
    .sort((a, b) => {
      const index = a.weight.findIndex((value, i) => value !== b.weight[i])
      return index === -1 ? compare(a.node.node, b.node.node) : (a.weight[index] ?? 0) - (b.weight[index] ?? 0)
    })
    .map(({ node }) => node)
}

/** Stands wherever cells have such counts. */
export const SHARES =
  'A count says how many checks are supported, out of those that can be decided; after a plus sign stand those that only record a fact or do not apply.'

/** Node by property, worst node first: for the summary where nodes are few, else for the results by node. */
export function nodeMatrixBlocks(matter: Matter): readonly Block[] {
  return [
    quiet(`A mark shows the worst answer among the checks of a property. ${SHARES}`),
    ...(matter.register.exceptions.length === 0
      ? []
      : [quiet('“Accepted” counts contradictions that a person accepts until a date. They stay contradicted.')]),
    nodeMatrix(matter, byWorstNode(matter)),
    { kind: 'list', items: LEGEND },
  ]
}

const LEGEND: readonly Line[] = VERDICTS.map((verdict) => ({
  text: `${verdictWords[verdict].label}. ${verdictWords[verdict].meaning}`,
  mark: verdictMark(verdict),
}))

/** Wide enough that no word of the title is broken. */
export const headed = (title: string): { readonly title: string; readonly width: number } => ({
  title,
  width: Math.max(11, ...title.split(' ').map((word) => word.length + 1)),
})

/** A row for each of the given nodes; without nodes, one with the totals over all. */
export function nodeMatrix(matter: Matter, nodes: readonly NodeAssessment[] | null): Block {
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Node', width: 19.5 },
      ...matter.tally.properties.map((property) => {
        const { label } = propertyWords[property]
        // Room for two numbers of two digits, and for the longest words above them: neither may break.
        const wide = matter.tally.checksOf(property).length > 9 || /\w{10}/.test(label)
        return { title: label, width: wide ? 12.5 : 11 }
      }),
    ],
    rows: nodes === null ? [totals(matter)] : nodes.map(nodeRow(matter)),
  }
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

/** On demo data every page says that it is made up. */
function nameCell({ assessment }: Matter, node: NodeAssessment): Cell {
  const notes: Line[] = []
  if (!reached(node)) notes.push({ text: 'no evidence', style: 'quiet' })
  else if (node.status === 'partial') notes.push({ text: 'collected in part', style: 'quiet' })
  if (node.stale) notes.push({ text: `${node.ageDays ?? '?'} days old: supports nothing`, style: 'quiet' })
  if (node.synthetic !== null && !assessment.demo) notes.push({ text: 'made up or edited', style: 'quiet' })
  return [{ text: plain(node.node, 80), style: 'strong' }, ...notes]
}

/** Every check of a property on every node, by verdict. */
const totals = ({ assessment, tally }: Matter): readonly Cell[] => [
  [{ text: `All ${plural(assessment.nodes.length, 'declared node')}`, style: 'strong' }],
  ...tally.properties.map((property): Cell => {
    const cell = joined(assessment.nodes.map(({ node }) => tally.cell(node, property)))
    const shown = VERDICTS.filter((verdict) => verdict === 'met' || cell.counts[verdict] > 0)
    return shown.map((verdict) => ({
      text: share(cell, verdict),
      mark: verdictMark(verdict),
      means: verdictWords[verdict].label,
    }))
  }),
]

import type { NodeAssessment } from '../../../schemas/types.ts'
import { type Property, propertyWords, VERDICTS, type Verdict, verdictWords } from '../../../schemas/words.ts'
import type { Check } from '../check.ts'
import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { acceptedBriefly, acceptedCount } from './exceptions.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, quiet, type Section, text } from './model.ts'
import { loosened } from './profile.ts'
import { reached, severity, summarize } from './tally.ts'
import { names, of, plural, verdictMark } from './wording.ts'

const TOP = 6
/** So many nodes fit on the page beside the totals. */
const ONE_PAGE = 10

/** The reader's page: totals with their denominators, what is contradicted, and node by property. */
export function summary(matter: Matter): Section {
  const { assessment } = matter
  const gaps = contradicted(matter)
  const long = assessment.nodes.length > ONE_PAGE
  const marks: Block = {
    kind: 'list',
    items: VERDICTS.map((verdict) => ({ text: legend(verdict), mark: verdictMark(verdict) })),
  }
  const byNode: readonly Block[] = [
    heading(3, 'Node by property', true),
    quiet(
      'A mark shows the worst answer among the checks of a property. The count says how many of those checks are supported.',
    ),
    ...(matter.register.exceptions.length === 0
      ? []
      : [quiet('“Accepted” counts contradictions that a person accepts until a date. They stay contradicted.')]),
    matrix(matter, [
      ...[...assessment.nodes].sort(worstNodeFirst(matter)).map(nodeRow(matter)),
      ...(long ? [] : [totals(matter)]),
    ]),
    ...(long ? [] : [marks]),
  ]
  const largest: readonly Block[] = [
    heading(3, gaps.length > TOP ? `Largest gaps (${TOP} of ${gaps.length}; all are in section 4)` : 'Gaps'),
    gaps.length === 0 ? text('No check is contradicted on any node.') : gapTable(matter, gaps.slice(0, TOP)),
  ]
  // The first page has to tell a reader where things stand: a long table of nodes would push that away.
  const ordered = long ? [matrix(matter, [totals(matter)], 14), marks, ...largest, ...byNode] : [...byNode, ...largest]
  return {
    id: 'summary',
    title: 'Summary',
    blocks: [text(opening(matter, gaps.length)), ...loosened(matter), ...ordered],
  }
}

const legend = (verdict: Verdict): string => `${verdictWords[verdict].label}. ${verdictWords[verdict].meaning}`

function opening({ assessment, catalog }: Matter, gaps: number): string {
  const { nodes } = assessment
  const contradictions = nodes.filter(({ findings }) => findings.some(({ verdict }) => verdict === 'not-met')).length
  return [
    `${of(nodes.filter(reached).length, nodes.length)} declared nodes answered.`,
    `The catalog has ${plural(catalog.checks.length, 'check')}.`,
    `${of(gaps, catalog.checks.length)} checks are contradicted on at least one node;`,
    `${of(contradictions, nodes.length)} nodes have at least one contradiction.`,
    'What was not collected or not decided counts as missing and is never counted as support.',
  ].join(' ')
}

function worstNodeFirst({ tally }: Matter): (a: NodeAssessment, b: NodeAssessment) => number {
  const weight = (node: NodeAssessment): readonly number[] => {
    const cells = tally.properties.map((property) => tally.cell(node.node, property))
    return [
      Math.min(...cells.map(({ worst }) => severity(worst))),
      -cells.reduce((sum, { counts }) => sum + counts['not-met'], 0),
      cells.reduce((sum, { counts }) => sum + counts.met, 0),
    ]
  }
  return (a, b) => {
    const left = weight(a)
    const right = weight(b)
    const index = left.findIndex((value, i) => value !== right[i])
    return index === -1 ? compare(a.node, b.node) : (left[index] ?? 0) - (right[index] ?? 0)
  }
}

/** Wide enough that no word of the title is broken. */
const headed = (title: string): { readonly title: string; readonly width: number } => ({
  title,
  width: Math.max(10, ...title.split(' ').map((word) => word.length + 1)),
})

function matrix({ tally }: Matter, rows: readonly (readonly Cell[])[], nameWidth = 20): Block {
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Node', width: nameWidth },
      ...tally.properties.map((property) => headed(propertyWords[property].label)),
    ],
    rows,
  }
}

const nodeRow =
  (matter: Matter) =>
  (node: NodeAssessment): readonly Cell[] => [
    nameCell(node),
    ...matter.tally.properties.map((property): Cell => {
      const { tally } = matter
      const { worst, counts, total } = tally.cell(node.node, property)
      return [
        { text: of(counts.met, total), mark: verdictMark(worst), means: verdictWords[worst].label },
        ...acceptedCount(
          matter,
          tally.checksOf(property).map(({ id }) => [node.node, id]),
        ),
      ]
    }),
  ]

function nameCell(node: NodeAssessment): Cell {
  const notes: Line[] = []
  if (!reached(node)) notes.push({ text: 'no evidence', style: 'quiet' })
  else if (node.status === 'partial') notes.push({ text: 'collected in part', style: 'quiet' })
  if (node.stale) notes.push({ text: `${node.ageDays ?? '?'} days old: supports nothing`, style: 'quiet' })
  if (node.synthetic !== null) notes.push({ text: 'made up or edited', style: 'quiet' })
  return [{ text: plain(node.node, 80), style: 'strong' }, ...notes]
}

/** Every check on every node, by verdict: all of them add up to the denominator. */
function totals({ assessment, tally }: Matter): readonly Cell[] {
  const cell = (property: Property): Cell => {
    const checks = tally.checksOf(property)
    const { counts, total } = summarize(
      assessment.nodes.flatMap(({ node }) => checks.map(({ id }) => tally.verdict(node, id))),
    )
    const shown = VERDICTS.filter((verdict) => verdict === 'met' || counts[verdict] > 0)
    return shown.map((verdict) => ({
      text: of(counts[verdict], total),
      mark: verdictMark(verdict),
      means: verdictWords[verdict].label,
    }))
  }
  return [
    [
      { text: `All ${plural(assessment.nodes.length, 'declared node')}`, style: 'strong' },
      { text: 'each check on each node', style: 'quiet' },
    ],
    ...tally.properties.map(cell),
  ]
}

export interface Contradiction {
  readonly check: Check
  readonly nodes: readonly string[]
}

/** Checks that are contradicted somewhere, on most nodes first. */
export function contradicted({ assessment, catalog, tally }: Matter): readonly Contradiction[] {
  return catalog.checks
    .map((check) => ({
      check,
      nodes: assessment.nodes.map(({ node }) => node).filter((node) => tally.verdict(node, check.id) === 'not-met'),
    }))
    .filter(({ nodes }) => nodes.length > 0)
    .sort((a, b) => b.nodes.length - a.nodes.length || compare(a.check.id, b.check.id))
}

function gapTable(matter: Matter, gaps: readonly Contradiction[]): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'Contradicted claim', width: 50 },
      { title: 'Nodes', width: 12 },
      { title: 'Which', width: 38 },
    ],
    rows: gaps.map(({ check, nodes }) => [
      [{ text: check.claim }],
      [{ text: of(nodes.length, matter.assessment.nodes.length), mark: 'square-cross' }],
      [
        { text: names(nodes, 6) },
        ...acceptedBriefly(
          matter,
          nodes.map((node) => [node, check.id]),
        ),
      ],
    ]),
  }
}

import { roleWords } from '../../../../schemas/conclusion-words.ts'
import type { CaptureRef, ControlAssessment, ControlCheck, Observation } from '../../../../schemas/types.ts'
import { PROPERTIES, propertyWords, type Verdict, verdictWords } from '../../../../schemas/words.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { alike } from '../../../core/base/grouping.ts'
import { names, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  plainCell,
  quiet,
  type Section,
  table,
} from '../../../core/base/report-document.ts'
import { reached, severity } from '../../../core/conclusion/tally.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { Check } from '../../../core/rules/check.ts'
import type { Control, Framework } from '../../../core/rules/framework.ts'
import type { Matter } from '../parts/input.ts'
import { brief, CODES, countLines, ELSEWHERE, reasonLine, verdictLine, worstFirst } from '../parts/wording.ts'
import { factBlock } from '../scope/boundary.ts'
import { resultCell } from './control-detail.ts'

/** Distinct sets of observations printed per check; the others are counted. */
const MOST_GROUPS = 6
/** Nodes of a set that are named, and how many of them are printed with the captures they cite. */
const MOST_NAMED = 6
const MOST_CITED = 2
const MOST_REASONS = 8
const MOST_ANSWERS = 10

/** Verdicts that need review. */
const OPEN: readonly Verdict[] = ['not-satisfied', 'not-tested', 'inconclusive']

/** Nodes with the same verdict of a check and the same observations. */
export interface OpenGroup {
  readonly verdict: Verdict
  readonly nodes: readonly OpenNode[]
}

interface OpenNode {
  readonly node: string
  readonly verdict: Verdict
  readonly reasons: readonly Observation[]
}

/** By check: nodes not satisfied, not tested or inconclusive, worst first, grouped by equal observations. Computed once per check, however many controls map it. */
export function openGroups({
  assessment,
  tally,
}: Pick<Matter, 'assessment' | 'tally'>): (check: string) => readonly OpenGroup[] {
  const known = new Map<string, readonly OpenGroup[]>()
  const groupsOf = (check: string): readonly OpenGroup[] => {
    const open = assessment.nodes.flatMap((one): readonly OpenNode[] => {
      const { node } = one
      // A node that was not collected is listed once, on the front page.
      if (!reached(one)) return []
      const verdict = tally.verdict(node, check)
      const reasons = tally.result(node, check)?.observations ?? []
      return OPEN.includes(verdict) ? [{ node, verdict, reasons }] : []
    })
    return [...alike(open, keyOf)]
      .map((nodes): OpenGroup => ({ verdict: nodes[0]?.verdict ?? 'not-tested', nodes }))
      .sort(
        (a, b) =>
          severity(a.verdict) - severity(b.verdict) || b.nodes.length - a.nodes.length || compare(first(a), first(b)),
      )
  }
  return (check) => {
    const groups = known.get(check) ?? groupsOf(check)
    known.set(check, groups)
    return groups
  }
}

const first = ({ nodes }: OpenGroup): string => nodes[0]?.node ?? ''
const keyOf = ({ verdict, reasons }: OpenNode): string =>
  [verdict, ...reasons.map(({ direction, text: words }) => `${direction} ${words}`)].join('\n')

/** One check at one control, in one table row: expected condition, coverage, role with its reason, and result. */
export function checkRow(
  matter: Matter,
  framework: Framework,
  control: Control,
  count: ControlCheck,
  check: Check | undefined,
): readonly Cell[] {
  const mapped = control.mappings.find((one) => one.check === count.check)
  return [
    [
      ...(check === undefined ? [] : [{ text: plain(check.expected, 400) }]),
      { text: plain(count.check, 100), style: 'quiet' },
    ],
    [
      { text: plain(mapped?.shows ?? '', 600) },
      {
        text: `${roleWords[count.role].label}.${mapped?.why === undefined ? '' : ` ${plain(mapped.why, 600)}`}`,
        style: 'quiet',
      },
    ],
    resultCell(matter, framework, count),
  ]
}

/** Each check mapped to these controls, once, by property, so that a check of thirty controls is not printed thirty times. */
export function checkPages(
  matter: Matter,
  groups: (check: string) => readonly OpenGroup[],
  controls: readonly ControlAssessment[],
): readonly Section[] {
  const used = new Set(controls.flatMap(({ checks }) => checks.map(({ check }) => check)))
  return PROPERTIES.flatMap((property): readonly Section[] => {
    const own = matter.catalog.checks.filter((check) => check.property === property && used.has(check.id))
    return own.length === 0
      ? []
      : [
          {
            id: `checks ${property}`,
            title: `Checks: ${propertyWords[property].label}`,
            part: 'Check details',
            blocks: [quiet(CODES), ...own.flatMap((check) => checkBlocks(matter, check, groups(check.id)))],
          },
        ]
  })
}

/** One check, printed once in the binder: expected condition, limitations, counts, and nodes to review with observations and captures. */
function checkBlocks(
  matter: Matter,
  { id, expected, limitations }: Check,
  groups: readonly OpenGroup[],
): readonly Block[] {
  return [
    heading(3, plain(expected, 400), true),
    factBlock([
      { label: 'Check', value: plainCell(plain(id, 100)) },
      { label: 'Limitations', value: plainCell(limitations) },
      { label: 'Results', value: countLines(matter.tally.overNodes(id)) },
    ]),
    ...(groups.length === 0 ? [] : openBlocks(groups)),
  ]
}

function openBlocks(groups: readonly OpenGroup[]): readonly Block[] {
  const shown = groups.slice(0, MOST_GROUPS)
  const left = groups.slice(MOST_GROUPS)
  const leftNodes = left.reduce((sum, { nodes }) => sum + nodes.length, 0)
  return [
    table(
      { Nodes: 32, 'Observations and captures': 68 },
      shown.map((group): readonly Cell[] => [nodeCell(group), whyCell(group)]),
    ),
    ...(left.length === 0
      ? []
      : [
          quiet(
            `And ${plural(leftNodes, 'node')} for ${plural(left.length, 'other set')} of observations. ${ELSEWHERE}`,
          ),
        ]),
  ]
}

const nodeCell = ({ verdict, nodes }: OpenGroup): Cell => [
  verdictLine(verdict),
  ...(nodes.length === 1 ? [] : [{ text: plural(nodes.length, 'node'), style: 'strong' } as const]),
  {
    text: names(
      nodes.map(({ node }) => node),
      MOST_NAMED,
    ),
  },
]

function whyCell({ nodes }: OpenGroup): Cell {
  const [one] = nodes
  if (one === undefined) return []
  const reasons = worstFirst(one.reasons)
  const left = reasons.length - MOST_REASONS
  const cited = nodes.filter((node) => node.reasons.some(({ captures }) => captures.length > 0))
  const uncited = cited.length - MOST_CITED
  return [
    ...(reasons.length === 0 ? [{ text: verdictWords['not-tested'].meaning }] : []),
    ...reasons.slice(0, MOST_REASONS).map((reason) => reasonLine({ ...reason, captures: [] })),
    ...(left > 0 ? [{ text: `And ${plural(left, 'more observation')}.`, style: 'quiet' } as const] : []),
    ...cited.slice(0, MOST_CITED).flatMap((node) => answerLines(node, nodes.length > 1)),
    ...(uncited > 0
      ? [{ text: `For the captures of ${plural(uncited, 'other node')}, see evidence.csv.`, style: 'quiet' } as const]
      : []),
  ]
}

/** Captures of one node that the observations cite: each command with the beginning of its digest. */
function answerLines({ node, reasons }: OpenNode, named: boolean): readonly Line[] {
  const all = new Map(
    reasons.flatMap(({ probe, captures }) =>
      captures.map((capture) => [questionOf(probe, capture), capture.sha256] as const),
    ),
  )
  const answers = [...all].slice(0, MOST_ANSWERS)
  const left = all.size - answers.length
  const shown = answers.map(([question, digest]) => `${question} ${digest === EMPTY ? '(empty)' : brief(digest)}`)
  const more = left > 0 ? ` and ${left} more` : ''
  return answers.length === 0
    ? []
    : [{ text: `${named ? `Captures of ${plain(node, 80)}` : 'Captures'}: ${shown.join(', ')}${more}`, style: 'quiet' }]
}

const EMPTY = sha256('')

const questionOf = (probe: string | null, { command }: CaptureRef): string =>
  plain(probe === null ? command : `${probe}/${command}`, 200)

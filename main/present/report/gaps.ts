import { type FailureCode, failureWords } from '../../../schemas/failure-words.ts'
import type { CheckResult, NodeAssessment, Observation } from '../../../schemas/types.ts'
import { propertyWords } from '../../../schemas/words.ts'
import { conditionFound } from '../../core/catalog.ts'
import type { Check } from '../../core/check.ts'
import { alike } from '../../core/grouping.ts'
import { names, of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  plainCell,
  quiet,
  type Section,
  text,
} from '../../core/report-document.ts'
import { reached } from '../../core/tally.ts'
import { acceptance } from './exceptions.ts'
import type { Matter } from './input.ts'
import { type Contradiction, contradicted, noGap } from './summary.ts'
import { titles } from './titles.ts'
import {
  between,
  CODES,
  ELSEWHERE,
  observedBriefly,
  reasonLine,
  sharedReasonLine,
  verdictLine,
  worstFirst,
} from './wording.ts'

/** Distinct sets of observations shown per check; the others are counted. */
const MOST_GROUPS = 30
/** Observations shown per result. */
const MOST_REASONS = 20
/** Observations shown per inconclusive result. */
const MOST_OPEN = 5

/** All findings: deviating nodes grouped by equal observations, with those observations and the captures they cite. */
export function gapSection(matter: Matter): Section {
  const gaps = contradicted(matter)
  const total = gaps.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const byName = new Map(matter.assessment.nodes.map((node) => [node.node, node]))
  return {
    id: 'gaps',
    title: titles.gaps,
    blocks: [
      text(
        total === 0
          ? noGap(matter)
          : `${plural(gaps.length, 'check')} ${gaps.length === 1 ? 'is' : 'are'} not satisfied, with ${plural(total, 'deviation')} in total. Findings are ordered by property, isolation first, and within a property by the number of deviating nodes. Nodes with the same observations are grouped.`,
      ),
      ...(total === 0 ? [] : [quiet(CODES)]),
      ...gaps.flatMap((gap) => gapBlocks(matter, gap, byName)),
    ],
  }
}

interface Gap {
  readonly node: NodeAssessment
  readonly reasons: readonly Observation[]
  readonly accepted: readonly Line[]
}

function gapBlocks(
  matter: Matter,
  { check, nodes }: Contradiction,
  byName: ReadonlyMap<string, NodeAssessment>,
): readonly Block[] {
  const gaps = nodes.flatMap((name): readonly Gap[] => {
    const node = byName.get(name)
    const reasons = matter.tally.result(name, check.id)?.observations ?? []
    return node === undefined ? [] : [{ node, reasons, accepted: acceptance(matter, name, check.id) }]
  })
  const groups = alike(gaps, ({ node, reasons, accepted }) =>
    [saidIn(reasons), node.synthetic === null ? '' : 'synthetic', ...accepted.map((line) => line.text)].join('\n'),
  )
  const shown = [...groups].sort((a, b) => b.length - a.length).slice(0, MOST_GROUPS)
  const left = groups.length - shown.length
  return [
    heading(3, conditionFound(matter.catalog, check), true),
    quiet(`Expected: ${check.expected}`),
    quiet(`${propertyWords[check.property].label}. Check ${check.id}. ${testedWords(matter, check.id, nodes.length)}.`),
    {
      kind: 'table',
      columns: [
        { title: 'Nodes', width: 26 },
        { title: 'Evidence', width: 74 },
      ],
      rows: shown.map((group) => [whichCell(group), why(group[0]?.reasons ?? [], group.length > 1)]),
    },
    ...(left === 0
      ? []
      : [
          text(
            `And ${plural(nodes.length - shown.flat().length, 'node')} with ${left} other sets of observations. ${ELSEWHERE}`,
          ),
        ]),
  ]
}

/** Deviations out of the nodes tested, and how many were not tested. */
function testedWords({ assessment, tally }: Matter, check: string, deviations: number): string {
  const tested = tally.testedOn(check)
  const untested = assessment.nodes.length - tested
  return `Deviations on ${of(deviations, tested)} nodes tested${untested === 0 ? '' : `; ${untested} not tested`}`
}

/** Direction and text of observations, without the digests they cite. */
const saidIn = (reasons: readonly Observation[]): string =>
  reasons.map(({ direction, text: words }) => `${direction} ${words}`).join('\n')

function whichCell(group: readonly Gap[]): Cell {
  const [first] = group
  if (first === undefined) return []
  const one = group.length === 1
  return [
    { text: one ? plain(first.node.node, 80) : plural(group.length, 'node'), style: 'strong' },
    ...(one ? [] : [{ text: names(group.map(({ node }) => node.node)) }]),
    { text: one ? observedBriefly(first.node) : observedTogether(group.map(({ node }) => node)), style: 'quiet' },
    ...(first.node.synthetic === null ? [] : [{ text: 'Synthetic recording', style: 'quiet' } as const]),
    ...first.accepted,
  ]
}

/** Collection time of several nodes: one time, or the first and the last. */
function observedTogether(nodes: readonly NodeAssessment[]): string {
  const moments = nodes.flatMap(({ observedAt }) => observedAt ?? []).sort()
  const [first] = moments
  return first === undefined ? '' : between(first, moments.at(-1) ?? first)
}

/** Observations, worst first, up to a limit. */
function why(reasons: readonly Observation[], several: boolean, most = MOST_REASONS): Cell {
  if (reasons.length === 0) return plainCell('No observation was recorded.')
  const ordered = worstFirst(reasons)
  const left = ordered.length - most
  return [
    ...ordered.slice(0, most).map(several ? sharedReasonLine : reasonLine),
    ...(left > 0 ? [{ text: `And ${plural(left, 'more observation')}.`, style: 'quiet' } as const] : []),
  ]
}

/** Results not tested or inconclusive, with the reason: nodes not collected first, then checks grouped by equal observations. */
export function undecidedSection(matter: Matter): Section {
  const silent = alike(
    matter.assessment.nodes.filter((node) => !reached(node)),
    ({ failure }) => (failure === null ? '' : `${failure.code}\n${failure.detail}`),
  )
  const groups = undecided(matter)
  const blocks: Block[] = [
    text(
      'No result in this section counts as satisfied. It lists the evidence that was not obtained or does not decide.',
    ),
    heading(3, 'Nodes not collected', true),
    silent.length === 0
      ? text('None. All declared nodes were collected.')
      : {
          kind: 'table',
          columns: [
            { title: 'Nodes', width: 24 },
            { title: 'Cause', width: 38 },
            { title: 'Recommended action', width: 38 },
          ],
          rows: silent.slice(0, MOST_GROUPS).map(silentRow),
        },
    ...(silent.length > MOST_GROUPS ? [text(`And ${silent.length - MOST_GROUPS} more rows. ${ELSEWHERE}`)] : []),
    heading(3, 'Inconclusive or untested checks on collected nodes', true),
    groups.length === 0
      ? text('None. Every check has a conclusive result on every collected node.')
      : {
          kind: 'table',
          columns: [
            { title: 'Expected condition', width: 34 },
            { title: 'Nodes', width: 22 },
            { title: 'Reason', width: 44 },
          ],
          rows: groups,
        },
  ]
  return { id: 'undecided', title: titles.undecided, blocks }
}

function silentRow(nodes: readonly NodeAssessment[]): readonly Cell[] {
  const failure = nodes[0]?.failure ?? null
  const words = failure === null ? undefined : failureWords[failure.code as FailureCode]
  const detail = failure === null ? '' : plain(failure.detail)
  return [
    [
      ...(nodes.length > 1 ? [{ text: plural(nodes.length, 'node'), style: 'strong' } as const] : []),
      { text: names(nodes.map(({ node }) => node)), ...(nodes.length > 1 ? {} : { style: 'strong' as const }) },
    ],
    [
      { text: words?.title ?? 'No recording exists for this declared node' },
      ...(detail === '' ? [] : [{ text: detail, style: 'quiet' } as const]),
      { text: words?.meaning ?? 'All its checks count as not tested.' },
    ],
    plainCell(words?.next ?? 'Collect from it, or exclude it from the declared population with a rationale.'),
  ]
}

interface Undecided {
  readonly node: string
  readonly finding: CheckResult
}

function undecided(matter: Matter): readonly (readonly Cell[])[] {
  const { assessment, catalog, tally } = matter
  const answered = assessment.nodes.filter(reached).map(({ node }) => node)
  return catalog.checks.flatMap((check) => {
    const open = answered.flatMap((node): readonly Undecided[] => {
      const finding = tally.result(node, check.id) ?? notEvaluated(check)
      return finding.verdict === 'inconclusive' || finding.verdict === 'not-tested' ? [{ node, finding }] : []
    })
    const groups = alike(open, ({ finding }) => `${finding.verdict}\n${saidIn(finding.observations)}`)
    const shown = [...groups].sort((a, b) => b.length - a.length).slice(0, MOST_GROUPS)
    const left = open.length - shown.flat().length
    return [
      ...shown.map((group) => undecidedRow(check, group, assessment.nodes.length)),
      ...(left === 0
        ? []
        : [[plainCell(check.id), plainCell(`${left} more`), plainCell(`Other reasons. ${ELSEWHERE}`)]]),
    ]
  })
}

function undecidedRow(check: Check, group: readonly Undecided[], population: number): readonly Cell[] {
  const { verdict, observations } = group[0]?.finding ?? notEvaluated(check)
  // A supporting observation does not explain why the result is inconclusive.
  const open = observations.filter(({ direction }) => direction !== 'supports')
  return [
    [{ text: check.expected }, { text: check.id, style: 'quiet' }],
    [verdictLine(verdict), { text: `${of(group.length, population)}: ${names(group.map(({ node }) => node))}` }],
    why((open.length === 0 ? observations : open).map(withoutPath), group.length > 1, MOST_OPEN),
  ]
}

/** Device paths are in the figures, the findings and assessment.json; this section prints only what is missing. */
const withoutPath = (reason: Observation): Observation => ({
  ...reason,
  text: reason.text.replace(/ Path: [^\n]*$/, ''),
})

const notEvaluated = (check: Check): CheckResult => ({
  check: check.id,
  property: check.property,
  verdict: 'not-tested',
  observations: [],
})

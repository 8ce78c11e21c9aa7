import { riskAreaWords } from '../../../../schemas/conclusion-words.ts'
import { type FailureCode, failureWords } from '../../../../schemas/failure-words.ts'
import type { CheckResult, NodeAssessment, Observation } from '../../../../schemas/types.ts'
import { alike } from '../../../core/base/grouping.ts'
import { names, of, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { reached } from '../../../core/conclusion/tally.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import type { Check } from '../../../core/rules/check.ts'
import { acceptance } from '../acceptance-section.ts'
import { noFinding, severityMark } from '../page-one.ts'
import type { Matter } from '../parts/input.ts'
import { deviatingOf, testedWords } from '../parts/refused.ts'
import {
  between,
  CODES,
  ELSEWHERE,
  observedBriefly,
  reasonLine,
  sharedReasonLine,
  titles,
  verdictLine,
  worstFirst,
} from '../parts/wording.ts'

/** Distinct sets of observations shown per check; the others are counted. */
const MOST_GROUPS = 30
/** Observations shown per result. */
const MOST_REASONS = 20
/** Observations shown per inconclusive result. */
const MOST_OPEN = 5

/** The evidence of every finding: deviating nodes grouped by equal observations, with those observations and the captures they cite. */
export function gapSection(matter: Matter): Section {
  const { findings, informational } = matter.shown
  const all = [...findings, ...informational]
  const byName = new Map(matter.assessment.nodes.map((node) => [node.node, node]))
  return {
    id: 'gaps',
    title: titles.gaps,
    blocks: [
      text(
        all.length === 0
          ? noFinding(matter)
          : 'Findings are in the order of the report. Nodes with the same observations are grouped.',
      ),
      ...(all.length === 0 ? [] : [quiet(CODES)]),
      ...all.flatMap((finding) => gapBlocks(matter, finding, byName)),
    ],
  }
}

interface Gap {
  readonly subject: string
  /** Null for a row of the provider inventory. */
  readonly node: NodeAssessment | null
  readonly reasons: readonly Observation[]
  readonly accepted: readonly Line[]
}

function gapBlocks(matter: Matter, finding: Finding, byName: ReadonlyMap<string, NodeAssessment>): readonly Block[] {
  const { check, deviations, untested, title, criterion, reference } = finding
  const gaps = deviations.map(
    ({ subject, observations }): Gap => ({
      subject,
      node: byName.get(subject) ?? null,
      reasons: observations,
      accepted: acceptance(matter, subject, check),
    }),
  )
  const groups = alike(gaps, ({ node, reasons, accepted }) =>
    [
      textsIn(reasons),
      node === null || node.synthetic === null ? '' : 'synthetic',
      ...accepted.map((line) => line.text),
    ].join('\n'),
  )
  const shown = [...groups].sort((a, b) => b.length - a.length).slice(0, MOST_GROUPS)
  const left = groups.length - shown.length
  const counts = `Deviations on ${deviatingOf(finding)}${testedWords(finding, finding.what === 'inventory' ? 'rows' : 'nodes')}${untested.length === 0 ? '' : `; ${untested.length} not tested`}`
  return [
    {
      kind: 'heading',
      level: 3,
      text: `${reference}  ${title}`,
      bookmark: true,
      anchor: reference,
      mark: severityMark(finding.severity.level),
    },
    quiet(`Expected: ${criterion.expected}`),
    quiet(`${riskAreaWords[finding.riskArea]}. Check ${check}. ${counts}.`),
    table(
      { [finding.what === 'inventory' ? 'Rows' : 'Nodes']: 26, Evidence: 74 },
      shown.map((group) => [whichCell(group), why(group[0]?.reasons ?? [], group.length > 1)]),
    ),
    ...(left === 0
      ? []
      : [
          text(
            `And ${plural(deviations.length - shown.flat().length, 'node')} with ${left} other sets of observations. ${ELSEWHERE}`,
          ),
        ]),
  ]
}

/** Direction and text of observations, without the digests they cite. */
const textsIn = (reasons: readonly Observation[]): string =>
  reasons.map(({ direction, text: words }) => `${direction} ${words}`).join('\n')

function whichCell(group: readonly Gap[]): Cell {
  const [first] = group
  if (first === undefined) return []
  const one = group.length === 1
  const nodes = group.flatMap(({ node }) => node ?? [])
  const when = one ? (first.node === null ? '' : observedBriefly(first.node)) : observedTogether(nodes)
  return [
    {
      text: one ? plain(first.subject, 120) : plural(group.length, first.node === null ? 'row' : 'node'),
      style: 'strong',
    },
    ...(one ? [] : [{ text: names(group.map(({ subject }) => subject)) }]),
    ...(when === '' ? [] : [{ text: when, style: 'quiet' } as const]),
    ...(first.node === null || first.node.synthetic === null
      ? []
      : [{ text: 'Synthetic recording', style: 'quiet' } as const]),
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
export function inconclusiveSection(matter: Matter): Section {
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
      : table({ Nodes: 24, Cause: 38, 'Recommended action': 38 }, silent.slice(0, MOST_GROUPS).map(silentRow)),
    ...(silent.length > MOST_GROUPS ? [text(`And ${silent.length - MOST_GROUPS} more rows. ${ELSEWHERE}`)] : []),
    heading(3, 'Inconclusive or untested checks on collected nodes', true),
    groups.length === 0
      ? text('None. Every check has a conclusive result on every collected node.')
      : table({ Nodes: 24, Reason: 76 }, groups),
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
    const groups = alike(open, ({ finding }) => `${finding.verdict}\n${textsIn(finding.observations)}`)
    const shown = [...groups].sort((a, b) => b.length - a.length).slice(0, MOST_GROUPS)
    if (shown.length === 0) return []
    const left = open.length - shown.flat().length
    return [
      [
        [
          { text: check.expected, style: 'strong' },
          { text: check.id, style: 'quiet' },
        ],
      ],
      ...shown.map((group) => undecidedRow(check, group, assessment.nodes.length)),
      ...(left === 0 ? [] : [[plainCell(`${left} more`), plainCell(`Other reasons. ${ELSEWHERE}`)]]),
    ]
  })
}

function undecidedRow(check: Check, group: readonly Undecided[], population: number): readonly Cell[] {
  const { verdict, observations } = group[0]?.finding ?? notEvaluated(check)
  // A supporting observation does not explain why the result is inconclusive.
  const open = observations.filter(({ direction }) => direction !== 'supports')
  return [
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

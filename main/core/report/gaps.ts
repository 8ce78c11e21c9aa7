import { type FailureCode, failureWords } from '../../../schemas/failure-words.ts'
import type { Finding, NodeAssessment, Reason } from '../../../schemas/types.ts'
import { propertyWords } from '../../../schemas/words.ts'
import type { Check } from '../check.ts'
import { plain } from '../plain-text.ts'
import { reached } from '../tally.ts'
import { acceptance } from './exceptions.ts'
import { alike } from './grouping.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, plainCell, quiet, type Section, text } from './model.ts'
import { type Contradiction, contradicted, noGap } from './summary.ts'
import { titles } from './titles.ts'
import {
  between,
  CODES,
  ELSEWHERE,
  names,
  observedBriefly,
  of,
  plural,
  reasonLine,
  sharedReasonLine,
  verdictLine,
  worstFirst,
} from './wording.ts'

/** So many different sets of reasons are shown of one check; the others are counted. */
const MOST_GROUPS = 30
/** Reasons of one finding that are shown. */
const MOST_REASONS = 20
/** Of a claim that is not decided. */
const MOST_OPEN = 5

/** Every contradicted claim: nodes with the same reasons together, with those reasons and the answers they rest on. */
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
          : `${plural(gaps.length, 'claim')} ${gaps.length === 1 ? 'is' : 'are'} contradicted, in ${plural(total, 'finding')}. They stand by subject, isolation first, then encryption and so on as in the tables; of each subject, the most widespread first. Nodes that contradict a claim for the same reasons stand together.`,
      ),
      ...(total === 0 ? [] : [quiet(CODES)]),
      ...gaps.flatMap((gap) => gapBlocks(matter, gap, byName)),
    ],
  }
}

interface Gap {
  readonly node: NodeAssessment
  readonly reasons: readonly Reason[]
  readonly accepted: readonly Line[]
}

function gapBlocks(
  matter: Matter,
  { check, nodes }: Contradiction,
  byName: ReadonlyMap<string, NodeAssessment>,
): readonly Block[] {
  const gaps = nodes.flatMap((name): readonly Gap[] => {
    const node = byName.get(name)
    const reasons = matter.tally.finding(name, check.id)?.reasons ?? []
    return node === undefined ? [] : [{ node, reasons, accepted: acceptance(matter, name, check.id) }]
  })
  const groups = alike(gaps, ({ node, reasons, accepted }) =>
    [saidIn(reasons), node.synthetic === null ? '' : 'synthetic', ...accepted.map((line) => line.text)].join('\n'),
  )
  const shown = [...groups].sort((a, b) => b.length - a.length).slice(0, MOST_GROUPS)
  const left = groups.length - shown.length
  return [
    // A claim alone, in large letters, would read as if it held.
    heading(3, `Contradicted: ${check.claim}`, true),
    quiet(`${propertyWords[check.property].label}. Check ${check.id}. ${testedWords(matter, check.id, nodes.length)}.`),
    {
      kind: 'table',
      columns: [
        { title: 'Nodes', width: 26 },
        { title: 'What was observed', width: 74 },
      ],
      rows: shown.map((group) => [whichCell(group), why(group[0]?.reasons ?? [], group.length > 1)]),
    },
    ...(left === 0
      ? []
      : [
          text(
            `And ${plural(nodes.length - shown.flat().length, 'node')} with ${left} other sets of reasons. ${ELSEWHERE}`,
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

/** What reasons say, apart from the digests of what they rest on. */
const saidIn = (reasons: readonly Reason[]): string =>
  reasons.map(({ says, text: words }) => `${says} ${words}`).join('\n')

function whichCell(group: readonly Gap[]): Cell {
  const [first] = group
  if (first === undefined) return []
  const one = group.length === 1
  return [
    { text: one ? plain(first.node.node, 80) : plural(group.length, 'node'), style: 'strong' },
    ...(one ? [] : [{ text: names(group.map(({ node }) => node.node)) }]),
    { text: one ? observedBriefly(first.node) : observedTogether(group.map(({ node }) => node)), style: 'quiet' },
    ...(first.node.synthetic === null ? [] : [{ text: 'Made up or edited recording', style: 'quiet' } as const]),
    ...first.accepted,
  ]
}

/** When several nodes were observed: the one moment, or the first and the last. */
function observedTogether(nodes: readonly NodeAssessment[]): string {
  const moments = nodes.flatMap(({ observedAt }) => observedAt ?? []).sort()
  const [first] = moments
  return first === undefined ? '' : between(first, moments.at(-1) ?? first)
}

/** Worst first, as many as a reader goes through. */
function why(reasons: readonly Reason[], several: boolean, most = MOST_REASONS): Cell {
  if (reasons.length === 0) return plainCell('Nothing more was recorded.')
  const ordered = worstFirst(reasons)
  const left = ordered.length - most
  return [
    ...ordered.slice(0, most).map(several ? sharedReasonLine : reasonLine),
    ...(left > 0 ? [{ text: `And ${plural(left, 'reason')} more.`, style: 'quiet' } as const] : []),
  ]
}

/** What was not tested or not decided, and why: nodes without evidence first, then checks with equal reasons taken together. */
export function undecidedSection(matter: Matter): Section {
  const silent = alike(
    matter.assessment.nodes.filter((node) => !reached(node)),
    ({ failure }) => (failure === null ? '' : `${failure.code}\n${failure.detail}`),
  )
  const groups = undecided(matter)
  const blocks: Block[] = [
    text('Nothing in this section counts as support. It says what would have to be collected to decide more.'),
    heading(3, 'Nodes without evidence', true),
    silent.length === 0
      ? text('None: every declared node answered.')
      : {
          kind: 'table',
          columns: [
            { title: 'Nodes', width: 24 },
            { title: 'What happened', width: 38 },
            { title: 'What to do', width: 38 },
          ],
          rows: silent.slice(0, MOST_GROUPS).map(silentRow),
        },
    ...(silent.length > MOST_GROUPS ? [text(`And ${silent.length - MOST_GROUPS} more rows. ${ELSEWHERE}`)] : []),
    heading(3, 'Checks without a decision on nodes that answered', true),
    groups.length === 0
      ? text('None: every check was decided on every node that answered.')
      : {
          kind: 'table',
          columns: [
            { title: 'Claim', width: 34 },
            { title: 'Nodes', width: 22 },
            { title: 'Why it is not decided', width: 44 },
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
      { text: words?.title ?? 'There is no recording of this declared node' },
      ...(detail === '' ? [] : [{ text: detail, style: 'quiet' } as const]),
      { text: words?.meaning ?? 'It counts as not collected.' },
    ],
    plainCell(words?.next ?? 'Collect from it, or take it off the declared list with a reason.'),
  ]
}

interface Undecided {
  readonly node: string
  readonly finding: Finding
}

function undecided(matter: Matter): readonly (readonly Cell[])[] {
  const { assessment, catalog, tally } = matter
  const answered = assessment.nodes.filter(reached).map(({ node }) => node)
  return catalog.checks.flatMap((check) => {
    const open = answered.flatMap((node): readonly Undecided[] => {
      const finding = tally.finding(node, check.id) ?? notEvaluated(check)
      return finding.verdict === 'inconclusive' || finding.verdict === 'not-tested' ? [{ node, finding }] : []
    })
    const groups = alike(open, ({ finding }) => `${finding.verdict}\n${saidIn(finding.reasons)}`)
    const shown = [...groups].sort((a, b) => b.length - a.length).slice(0, MOST_GROUPS)
    const left = open.length - shown.flat().length
    return [
      ...shown.map((group) => undecidedRow(check, group, assessment.nodes.length)),
      ...(left === 0
        ? []
        : [[plainCell(check.id), plainCell(`${left} more`), plainCell(`For other reasons. ${ELSEWHERE}`)]]),
    ]
  })
}

function undecidedRow(check: Check, group: readonly Undecided[], population: number): readonly Cell[] {
  const { verdict, reasons } = group[0]?.finding ?? notEvaluated(check)
  // What speaks for a claim does not say why it stays open.
  const open = reasons.filter(({ says }) => says !== 'for')
  return [
    [{ text: check.claim }, { text: check.id, style: 'quiet' }],
    [verdictLine(verdict), { text: `${of(group.length, population)}: ${names(group.map(({ node }) => node))}` }],
    why((open.length === 0 ? reasons : open).map(withoutPath), group.length > 1, MOST_OPEN),
  ]
}

/** The way to a drive stands in pictures, in the gaps and in assessment.json; here only what is missing. */
const withoutPath = (reason: Reason): Reason => ({ ...reason, text: reason.text.replace(/ Path: [^\n]*$/, '') })

const notEvaluated = (check: Check): Finding => ({
  check: check.id,
  property: check.property,
  verdict: 'not-tested',
  reasons: [],
})

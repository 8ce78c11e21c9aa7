import { ROW_STATES, rowStateWords } from '../../../schemas/conclusion-words.ts'
import { PROPERTIES, VERDICTS, verdictWords } from '../../../schemas/words.ts'
import { conditionFound } from '../../core/catalog.ts'
import type { Check } from '../../core/check.ts'
import { names, of, plural } from '../../core/phrases.ts'
import { compare } from '../../core/recording.ts'
import { explanationsOf } from '../../core/register/explanations.ts'
import { standingOf } from '../../core/register.ts'
import { type Block, type Cell, heading, type Line, quiet, type Section, text } from '../../core/report-document.ts'
import { joined, reached } from '../../core/tally.ts'
import { acceptedBriefly } from './exceptions.ts'
import type { Matter } from './input.ts'
import { isolationSentences } from './isolation.ts'
import { chosenFrameworks, shortName } from './items.ts'
import { locationSentence } from './location.ts'
import { byWorstNode, headed, nodeMatrix, SHARES } from './node-matrix.ts'
import { documentCounts } from './outstanding.ts'
import { answeredLine, nodeWords, populationLine } from './population.ts'
import { loosened } from './profile.ts'
import { see, titles } from './titles.ts'
import { day, share, stateMark, verdictMark } from './wording.ts'

/** Findings shown on the page; all are listed in their own section. */
const TOP = 5
/** Rows of frameworks and nodes that fit on the page; further nodes are listed under “Results by node”. */
const ON_PAGE = 11

/** Summary page: conclusions by framework with denominators, findings, outstanding evidence, and what expires soon. */
export function summary(matter: Matter): Section {
  const { assessment } = matter
  const gaps = contradicted(matter)
  const moved = loosened(matter)
  const fits = moved.length === 0 && assessment.scope.frameworks.length + assessment.nodes.length <= ON_PAGE
  return {
    id: 'summary',
    title: titles.summary,
    blocks: [
      text(opening(matter, gaps.length)),
      ...moved,
      heading(3, 'Conclusions by framework'),
      frameworkTable(matter),
      heading(3, 'Check results'),
      ...(assessment.nodes.length === 0
        ? [text('No nodes declared.')]
        : [
            verdictTable(matter),
            nodeMatrix(matter, fits ? byWorstNode(matter) : null),
            ...(fits ? [quiet(SHARES)] : []),
          ]),
      heading(3, gapHeading(gaps.length, TOP, `all findings: see ${see('gaps')}`)),
      gaps.length === 0 ? text(noGap(matter)) : gapTable(matter, leading(gaps, TOP)),
      heading(3, 'Outstanding evidence'),
      { kind: 'list', items: due(matter) },
    ],
  }
}

function opening(matter: Matter, gaps: number): string {
  const { nodes } = matter.assessment
  const { checks } = matter.catalog
  const contradictions = nodes.filter(({ node }) => matter.tally.onNode(node).counts['not-satisfied'] > 0).length
  const population = populationLine(matter)
  const places = locationSentence(nodes)
  return [
    `${answeredLine(matter)}.`,
    ...(population === null ? [] : [`Population: ${population}.`]),
    ...(places === null ? [] : [places]),
    ...isolationSentences(nodes),
    `${of(gaps, checks.length)} checks are not satisfied on at least one node; ${of(contradictions, nodes.length)} nodes have at least one deviation.`,
    'Results that are not tested or inconclusive never count as satisfied.',
  ].join(' ')
}

/** Controls of each framework by state; each line adds up to its denominator. Supported controls with server tests are counted separately. */
function frameworkTable(matter: Matter): Block {
  const { current, overlays } = chosenFrameworks(matter)
  const states = ROW_STATES.filter((state) => matter.assessment.controls.some((item) => item.state === state))
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [{ title: 'Framework', width: 18 }, ...states.map((state) => headed(rowStateWords[state].label))],
    rows: [...current, ...overlays].map(({ id, proposed }) => {
      const items = matter.assessment.controls.filter(({ framework }) => framework === id)
      return [
        [
          { text: shortName(id), style: 'strong' },
          ...(proposed ? [{ text: 'proposed, not in effect', style: 'quiet' } as const] : []),
        ],
        ...states.map((state): Cell => {
          const found = items.filter((item) => item.state === state)
          if (found.length === 0) return [{ text: of(0, items.length), style: 'quiet' }]
          const tested = found.filter(({ checks }) => checks.some(({ decides }) => decides)).length
          return [
            { text: of(found.length, items.length), mark: stateMark(state), means: rowStateWords[state].label },
            ...(state === 'supported' ? [{ text: `${tested} with server tests`, style: 'quiet' } as const] : []),
          ]
        }),
      ]
    }),
  }
}

/** All check results (checks × nodes) by verdict, in one row. */
function verdictTable({ assessment, catalog, tally }: Matter): Block {
  const all = joined(assessment.nodes.map(({ node }) => tally.onNode(node)))
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Check results (checks × nodes)', width: 18 },
      ...VERDICTS.map((verdict) => headed(verdictWords[verdict].label)),
    ],
    rows: [
      [
        [
          {
            text: `${plural(catalog.checks.length, 'check')} on ${plural(assessment.nodes.length, 'node')}`,
            style: 'strong',
          },
        ],
        ...VERDICTS.map(
          (verdict): Cell => [
            { text: share(all, verdict), mark: verdictMark(verdict), means: verdictWords[verdict].label },
          ],
        ),
      ],
    ],
  }
}

const SOON_DAYS = 60
const DAY_MS = 86_400_000

/** Outstanding evidence and upcoming expiries, one line each. */
function due(matter: Matter): readonly Line[] {
  const { assessment, register } = matter
  const { nodes, asOf } = assessment
  const silent = nodes.filter((node) => !reached(node)).map(({ node }) => node)
  const open = nodes.filter(reached).reduce((sum, { node }) => {
    const { counts } = matter.tally.onNode(node)
    return sum + counts.inconclusive + counts['not-tested']
  }, 0)
  const standing = register.riskAcceptances.filter((entry) => standingOf(entry, asOf) === 'in-force')
  const soon = standing
    .filter(({ expiresAt }) => Date.parse(expiresAt) - Date.parse(asOf) <= SOON_DAYS * DAY_MS)
    .sort((a, b) => compare(a.expiresAt, b.expiresAt))
  const ended = register.riskAcceptances.filter((entry) => standingOf(entry, asOf) === 'expired')
  const { needed, held, overdue } = documentCounts(matter)
  return [
    {
      text:
        silent.length + open === 0 && nodes.length > 0
          ? 'All nodes were collected; no result is not tested or inconclusive.'
          : `${of(silent.length, nodes.length)} ${nodeWords(assessment)} not collected${silent.length === 0 ? '' : `: ${names(silent, 4)}`}; ${plural(open, 'result')} on collected nodes not tested or inconclusive: see ${see('undecided')}.`,
      mark: silent.length + open === 0 && nodes.length > 0 ? 'dot' : 'dotted-ring',
    },
    {
      text: exceptionLine(standing.length, soon, ended.length),
      mark: ended.length === 0 ? 'dot' : 'square-cross',
    },
    {
      text: `${of(needed - held, needed)} required documents are outstanding; ${plural(overdue, 'request')} overdue.`,
      mark: overdue > 0 ? 'square-cross' : needed > held ? 'dotted-ring' : 'dot',
    },
    ...explainedLine(matter),
  ]
}

/** How many isolation signals have an explanation in the register; no line where none has. */
function explainedLine({ register, assessment: { asOf } }: Matter): readonly Line[] {
  const standing = explanationsOf(register).filter((entry) => standingOf(entry, asOf) === 'in-force')
  return standing.length === 0
    ? []
    : [
        {
          text: `${plural(standing.length, 'explanation')} of single signals by named people, printed under ${see('isolation')}; ${standing.length === 1 ? 'it does' : 'they do'} not change any verdict.`,
          mark: 'dot',
        },
      ]
}

/** How many risk acceptances are in effect, which of them expire soon, and how many have expired. */
function exceptionLine(
  standing: number,
  soon: readonly { readonly check: string; readonly expiresAt: string }[],
  ended: number,
): string {
  if (standing + ended === 0) return 'No risk acceptances.'
  const which = names(
    soon.map(({ check, expiresAt }) => `${check} on ${day(expiresAt)}`),
    3,
  )
  const ending = soon.length === 0 ? '' : `, ${soon.length} expiring within ${SOON_DAYS} days: ${which}`
  const again = ended === 0 ? '' : ' and without effect'
  return `${plural(standing, 'risk acceptance')} in effect${ending}; ${ended} expired${again}.`
}

export interface Contradiction {
  readonly check: Check
  readonly nodes: readonly string[]
}

/**
 * Checks that are not satisfied on at least one node. By property first, in catalog order: a server that is not dedicated, or data
 * stored unencrypted, is not outweighed by the number of nodes that lack a setting. Then by number of nodes, then in catalog order.
 */
export function contradicted({ catalog, tally }: Pick<Matter, 'catalog' | 'tally'>): readonly Contradiction[] {
  return catalog.checks
    .map((check) => ({
      check,
      nodes: tally.contradictedOn(check.id),
    }))
    .filter(({ nodes }) => nodes.length > 0)
    .sort((a, b) => subject(a) - subject(b) || b.nodes.length - a.nodes.length)
}

const subject = ({ check }: Contradiction): number => PROPERTIES.indexOf(check.property)

/** The first `most` findings: the most widespread of each property, then the remaining ones in order. */
export function leading(gaps: readonly Contradiction[], most: number): readonly Contradiction[] {
  const firsts = gaps.filter((gap, index) => index === gaps.findIndex((other) => subject(other) === subject(gap)))
  const chosen = new Set([...firsts.slice(0, most), ...gaps.filter((gap) => !firsts.includes(gap))].slice(0, most))
  return gaps.filter((gap) => chosen.has(gap))
}

/** Heading of the findings: how many of how many are shown, and how they were selected. */
export const gapHeading = (all: number, shown: number, where: string): string =>
  all > shown ? `Findings (${of(shown, all)} shown, one per property first; ${where})` : 'Findings'

/** Printed where there is no finding. Without any collected node, the absence of deviations is not a result. */
export const noGap = ({ assessment }: Matter): string =>
  assessment.nodes.some(reached)
    ? 'No deviations noted on the nodes tested.'
    : 'No node was collected, so no check was tested.'

function gapTable(matter: Matter, gaps: readonly Contradiction[]): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'Condition found', width: 53 },
      { title: 'Deviations / tested', width: 11 },
      { title: 'Nodes', width: 36 },
    ],
    rows: gaps.map(({ check, nodes }) => [
      [{ text: conditionFound(matter.catalog, check) }],
      [{ text: of(nodes.length, matter.tally.testedOn(check.id)), mark: 'square-cross' }],
      [
        { text: names(nodes, 2) },
        ...acceptedBriefly(
          matter,
          nodes.map((node) => [node, check.id]),
        ),
      ],
    ]),
  }
}

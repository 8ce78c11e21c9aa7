import { ROW_STATES, rowStateWords } from '../../../schemas/conclusion-words.ts'
import { PROPERTIES, VERDICTS, verdictWords } from '../../../schemas/words.ts'
import type { Check } from '../check.ts'
import { compare } from '../recording.ts'
import { explanationsOf } from '../register/explanations.ts'
import { standingOf } from '../register.ts'
import { joined, reached } from '../tally.ts'
import { acceptedBriefly } from './exceptions.ts'
import type { Matter } from './input.ts'
import { isolationSentences } from './isolation.ts'
import { chosenFrameworks, shortName } from './items.ts'
import { locationSentence } from './location.ts'
import { type Block, type Cell, heading, type Line, quiet, type Section, text } from './model.ts'
import { byWorstNode, headed, nodeMatrix, SHARES } from './node-matrix.ts'
import { documentCounts } from './outstanding.ts'
import { answeredLine, nodeWords, populationLine } from './population.ts'
import { loosened } from './profile.ts'
import { see, titles } from './titles.ts'
import { day, names, of, plural, share, stateMark, verdictMark } from './wording.ts'

/** So many gaps stand on the page; the others are a part of their own. */
const TOP = 5
/** So many rows of frameworks and nodes fit on the page; more nodes stand under “Results by node”. */
const ON_PAGE = 11

/** The reader's page: where every framework stands, with its denominators, what is contradicted, and what is missing or ends soon. */
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
      heading(3, 'Controls by framework'),
      frameworkTable(matter),
      heading(3, 'Checks on nodes'),
      ...(assessment.nodes.length === 0
        ? [text('No node was declared.')]
        : [
            verdictTable(matter),
            nodeMatrix(matter, fits ? byWorstNode(matter) : null),
            ...(fits ? [quiet(SHARES)] : []),
          ]),
      heading(3, gapHeading(gaps.length, TOP, `all are under ${see('gaps')}`)),
      gaps.length === 0 ? text(noGap(matter)) : gapTable(matter, leading(gaps, TOP)),
      heading(3, 'Missing, and due'),
      { kind: 'list', items: due(matter) },
    ],
  }
}

function opening(matter: Matter, gaps: number): string {
  const { nodes } = matter.assessment
  const { checks } = matter.catalog
  const contradictions = nodes.filter(({ node }) => matter.tally.onNode(node).counts['not-met'] > 0).length
  const population = populationLine(matter)
  const places = locationSentence(nodes)
  return [
    `${answeredLine(matter)}.`,
    ...(population === null ? [] : [`Population: ${population}.`]),
    ...(places === null ? [] : [places]),
    ...isolationSentences(nodes),
    `${of(gaps, checks.length)} checks are contradicted on at least one node; ${of(contradictions, nodes.length)} nodes have at least one contradiction.`,
    'What was not collected or not decided is missing and never counts as support.',
  ].join(' ')
}

/** Frameworks by row state: every line adds up to its denominator. Supported ones without a server test are counted apart. */
function frameworkTable(matter: Matter): Block {
  const { current, overlays } = chosenFrameworks(matter)
  const states = ROW_STATES.filter((state) => matter.assessment.controls.some((item) => item.state === state))
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [{ title: 'Framework', width: 18 }, ...states.map((state) => headed(rowStateWords[state].label))],
    rows: [...current, ...overlays].map(({ id, overlay }) => {
      const items = matter.assessment.controls.filter(({ framework }) => framework === id)
      return [
        [
          { text: shortName(id), style: 'strong' },
          ...(overlay ? [{ text: 'proposed, not in force', style: 'quiet' } as const] : []),
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

/** Every check on every node by verdict, in one row. */
function verdictTable({ assessment, catalog, tally }: Matter): Block {
  const all = joined(assessment.nodes.map(({ node }) => tally.onNode(node)))
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Each check on each node', width: 18 },
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

/** What is missing, and what people have to look at soon, one line each. */
function due(matter: Matter): readonly Line[] {
  const { assessment, register } = matter
  const { nodes, asOf } = assessment
  const silent = nodes.filter((node) => !reached(node)).map(({ node }) => node)
  const open = nodes.filter(reached).reduce((sum, { node }) => {
    const { counts } = matter.tally.onNode(node)
    return sum + counts.inconclusive + counts['not-tested']
  }, 0)
  const standing = register.exceptions.filter((entry) => standingOf(entry, asOf) === 'in-force')
  const soon = standing
    .filter(({ expiresAt }) => Date.parse(expiresAt) - Date.parse(asOf) <= SOON_DAYS * DAY_MS)
    .sort((a, b) => compare(a.expiresAt, b.expiresAt))
  const ended = register.exceptions.filter((entry) => standingOf(entry, asOf) === 'expired')
  const { needed, held, overdue } = documentCounts(matter)
  return [
    {
      text:
        silent.length + open === 0 && nodes.length > 0
          ? 'Every node answered, and no answer is missing or undecided.'
          : `${of(silent.length, nodes.length)} ${nodeWords(assessment)} without evidence${silent.length === 0 ? '' : `: ${names(silent, 4)}`}; ${plural(open, 'undecided or uncollected answer')} on nodes that answered, under ${see('undecided')}.`,
      mark: silent.length + open === 0 && nodes.length > 0 ? 'dot' : 'dotted-ring',
    },
    {
      text: exceptionLine(standing.length, soon, ended.length),
      mark: ended.length === 0 ? 'dot' : 'square-cross',
    },
    {
      text: `${of(needed - held, needed)} documents that controls need are outstanding; ${plural(overdue, 'request')} overdue.`,
      mark: overdue > 0 ? 'square-cross' : needed > held ? 'dotted-ring' : 'dot',
    },
    ...explainedLine(matter),
  ]
}

/** How many readings of the isolation argument people explain; nothing where nobody does. */
function explainedLine({ register, assessment: { asOf } }: Matter): readonly Line[] {
  const standing = explanationsOf(register).filter((entry) => standingOf(entry, asOf) === 'in-force')
  return standing.length === 0
    ? []
    : [
        {
          text: `${plural(standing.length, 'explanation')} of single readings by named people, beside the answers under ${see('isolation')}; no verdict follows ${standing.length === 1 ? 'it' : 'them'}.`,
          mark: 'dot',
        },
      ]
}

/** How many exceptions are in force, which of them end soon, and how many have ended. */
function exceptionLine(
  standing: number,
  soon: readonly { readonly check: string; readonly expiresAt: string }[],
  ended: number,
): string {
  if (standing + ended === 0) return 'No exception is in force, and none has ended.'
  const which = names(
    soon.map(({ check, expiresAt }) => `${check} on ${day(expiresAt)}`),
    3,
  )
  const ending = soon.length === 0 ? '' : `, ${soon.length} ending within ${SOON_DAYS} days: ${which}`
  const again = ended === 0 ? '' : `: what ${ended === 1 ? 'it' : 'they'} accepted counts as a gap again`
  return `${plural(standing, 'exception')} in force${ending}; ${ended} ended${again}.`
}

export interface Contradiction {
  readonly check: Check
  readonly nodes: readonly string[]
}

/**
 * Checks that are contradicted somewhere. By subject first, in the order of everything here: a server that is no machine of one's own, or data
 * that lies open on a drive, is not outweighed by how many nodes lack a setting. Then those on most nodes, then as the catalog lists them.
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

/** So many of them for who has a minute: the most widespread of each subject, then what else comes first. */
export function leading(gaps: readonly Contradiction[], most: number): readonly Contradiction[] {
  const firsts = gaps.filter((gap, index) => index === gaps.findIndex((other) => subject(other) === subject(gap)))
  const chosen = new Set([...firsts.slice(0, most), ...gaps.filter((gap) => !firsts.includes(gap))].slice(0, most))
  return gaps.filter((gap) => chosen.has(gap))
}

/** What stands above them: how many of how many, and by what they were chosen. */
export const gapHeading = (all: number, shown: number, where: string): string =>
  all > shown ? `Gaps to look at first (${of(shown, all)}, one of each subject first; ${where})` : 'Gaps'

/** What stands in their place. Where nobody answered, nothing speaks for anything. */
export const noGap = ({ assessment }: Matter): string =>
  assessment.nodes.some(reached)
    ? 'No check is contradicted on any node that answered.'
    : 'No node answered, so nothing is contradicted and nothing is supported.'

function gapTable(matter: Matter, gaps: readonly Contradiction[]): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'Contradicted claim', width: 53 },
      { title: 'Of nodes tested', width: 11 },
      { title: 'Which', width: 36 },
    ],
    rows: gaps.map(({ check, nodes }) => [
      [{ text: check.claim }],
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

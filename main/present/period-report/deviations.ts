import type { Deviation } from '../../../schemas/types.ts'
import { PROPERTIES } from '../../../schemas/words.ts'
import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
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
import { checkOf, MOST_ROWS, moment, nodeCount, PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

/** Deviations over the population: counts, first found, remediated, open at period end, and inconclusive in between. */
export function deviationSection(input: PeriodReportInput): Section {
  const { deviations } = input.period
  const nodes = nodeCount(input)
  const checks = input.catalog.checks.length
  const pairs = new Set(deviations.map(({ node, check }) => `${node} ${check}`)).size
  const open = deviations.filter((one) => one.open)
  const undecided = open.filter((one) => isUndecided(input, one)).length
  return {
    id: 'deviations',
    title: PERIOD_TITLES.deviations,
    blocks: [
      text(
        `The population is ${plural(nodes, 'node')} and ${plural(checks, 'check')}. ${plural(deviations.length, 'deviation')} in total, on ${plural(pairs, 'combination')} of node and check; a deviation can recur after remediation. ${of(deviations.length - open.length, deviations.length)} were remediated within the period. ${of(open.length, deviations.length)} are open at period end, of which ${undecided} because later runs were inconclusive.`,
      ),
      quiet(
        'A deviation found in the first run of the period may be older. Found and remediated are the times of the runs; the change occurred between that run and the one before. A risk acceptance does not remove a deviation.',
      ),
      heading(3, 'By check', true),
      ...(deviations.length === 0
        ? [
            text(
              'No deviations noted on the nodes tested in any run of the period. Not tested: operation between runs.',
            ),
          ]
        : [byClaim(input), heading(3, 'Found after the first run, or remediated', true), ...each(input)]),
    ],
  }
}

/** Open, but the last run that tested it was inconclusive. */
const isUndecided = ({ period }: PeriodReportInput, { lastSeen, unknown }: Deviation): boolean =>
  unknown > 0 && lastSeen.run !== period.runs.findLast(({ catalog }) => catalog !== null)?.run

interface Claim {
  readonly id: string
  readonly all: readonly Deviation[]
}

/** By property in catalog order, then by number of nodes. */
function claimsOf(input: PeriodReportInput): readonly Claim[] {
  const byCheck = new Map<string, Deviation[]>()
  for (const one of input.period.deviations) {
    const known = byCheck.get(one.check)
    if (known === undefined) byCheck.set(one.check, [one])
    else known.push(one)
  }
  const place = (id: string): number => {
    const property = checkOf(input, id)?.property
    return property === undefined ? PROPERTIES.length : PROPERTIES.indexOf(property)
  }
  return [...byCheck]
    .map(([id, all]) => ({ id, all }))
    .sort((a, b) => place(a.id) - place(b.id) || nodesOf(b).size - nodesOf(a).size || compare(a.id, b.id))
}

const nodesOf = ({ all }: Claim): ReadonlySet<string> => new Set(all.map(({ node }) => node))

function byClaim(input: PeriodReportInput): Block {
  const nodes = nodeCount(input)
  return {
    kind: 'table',
    columns: [
      { title: 'Expected condition', width: 42 },
      { title: 'Deviations / nodes', width: 13 },
      { title: 'First found, last seen (UTC)', width: 20 },
      { title: 'Remediated', width: 12 },
      { title: 'Open at period end', width: 13 },
    ],
    rows: claimsOf(input).map((claim) => {
      const { all } = claim
      const first = all.map(({ found }) => found.at).sort(compare)[0] ?? ''
      const last =
        all
          .map(({ lastSeen }) => lastSeen.at)
          .sort(compare)
          .at(-1) ?? ''
      const open = all.filter((one) => one.open).length
      return [
        claimCell(input, claim.id),
        [{ text: of(nodesOf(claim).size, nodes), mark: 'square-cross' }],
        [{ text: moment(first) }, { text: `to ${moment(last)}` }],
        plainCell(of(all.length - open, all.length)),
        [open === 0 ? { text: of(0, all.length) } : { text: of(open, all.length), style: 'strong' }],
      ]
    }),
  }
}

const claimCell = (input: PeriodReportInput, id: string): Cell => {
  const check = checkOf(input, id)
  return check === undefined
    ? [{ text: plain(id, 80) }, { text: 'Not in the catalog of this report.', style: 'quiet' }]
    : [{ text: check.expected }, { text: id, style: 'quiet' }]
}

/** Deviations found or remediated within the period, one by one; those open throughout are in the counts above. */
function each(input: PeriodReportInput): readonly Block[] {
  const { deviations, runs } = input.period
  const first = runs.find(({ catalog }) => catalog !== null)?.run
  const moved = deviations
    .filter(({ found, fixed }) => found.run !== first || fixed !== null)
    .sort((a, b) => compare(a.found.at, b.found.at) || compare(a.node, b.node) || compare(a.check, b.check))
  const left = deviations.length - moved.length
  return [
    ...(moved.length === 0
      ? [text('None.')]
      : [
          {
            kind: 'table',
            rowHeaders: true,
            columns: [
              { title: 'Node', width: 14 },
              { title: 'Expected condition', width: 36 },
              { title: 'Found (UTC)', width: 17 },
              { title: 'Last seen (UTC)', width: 17 },
              { title: 'Remediated (UTC)', width: 16 },
            ],
            rows: moved
              .slice(0, MOST_ROWS)
              .map((one): readonly Cell[] => [
                [{ text: plain(one.node, 80), style: 'strong' }],
                claimCell(input, one.check),
                [{ text: moment(one.found.at) }],
                [{ text: moment(one.lastSeen.at) }, ...seenLines(one)],
                [one.fixed === null ? { text: 'open', style: 'strong' } : { text: moment(one.fixed.at) }],
              ]),
          } as const,
        ]),
    ...(moved.length > MOST_ROWS
      ? [quiet(`And ${moved.length - MOST_ROWS} more, in data/period.json in the pack, under “deviations”.`)]
      : []),
    ...(left > 0
      ? [
          text(
            `${plural(left, 'deviation')} existed in the first run without remediation in any later run: counted above by check, and listed in data/period.json in the pack. For limitations, see ${seePart('limits')}.`,
          ),
        ]
      : []),
  ]
}

const seenLines = ({ runs, unknown }: Deviation): readonly Line[] => [
  { text: `in ${plural(runs, 'run')}`, style: 'quiet' },
  ...(unknown > 0 ? [{ text: `${plural(unknown, 'run')} inconclusive`, style: 'quiet' } as const] : []),
]

import type { Deviation, HardwareChange, PeriodChange } from '../../../schemas/types.ts'
import { PROPERTIES } from '../../../schemas/words.ts'
import { alike } from '../../core/base/grouping.ts'
import { names, of, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  monoCell,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import { compare } from '../../core/recording/recording.ts'
import { brief, moment } from '../report/parts/wording.ts'
import {
  checkOf,
  entryWords,
  MOST_ROWS,
  nodeCount,
  PERIOD_TITLES,
  type PeriodReportInput,
  restBlock,
  restIn,
  seePart,
} from './lists.ts'

const MOST_ONES = 60

/** Three separate lists, as counts and by subject; hardware changes; and the baseline. */
export function changeSection(input: PeriodReportInput): Section {
  const { changes, hardwareChanges } = input.period
  return {
    id: 'changes',
    title: PERIOD_TITLES.changes,
    blocks: [
      text(
        'Each run is compared with the one before it. Values that change on an unmodified host, such as uptime or counters, are defined for each probe and excluded.',
      ),
      headedTable({ List: 26, Changes: 12, Meaning: 62 }, [
        countRow('Evidence', changes.evidence, 'Evidence from a node differs from the previous run.'),
        countRow('Rules', changes.rules, 'The rules engine, catalog, a probe, a check or a threshold changed.'),
        countRow('Scope', changes.scope, 'Declarations changed: a node was added, removed or modified.'),
      ]),
      ...listBlocks(input, 'evidence', 'Evidence'),
      ...listBlocks(input, 'rules', 'Rules'),
      ...listBlocks(input, 'scope', 'Scope'),
      heading(3, 'Hardware and host key changes', true),
      ...(hardwareChanges.length === 0
        ? [text('No component with a serial number or fixed address, and no host key, was added, removed or moved.')]
        : moveBlocks(hardwareChanges)),
      heading(3, 'Baseline', true),
      text(baselineWords(input)),
    ],
  }
}

const countRow = (list: string, count: number, means: string): readonly Cell[] => [
  [{ text: list, style: 'strong' }],
  plainCell(String(count)),
  plainCell(means),
]

/** Changes that occurred together on a node between two runs, grouped over all nodes and runs with the same combination. */
interface Together {
  readonly subjects: readonly string[]
  readonly all: readonly PeriodChange[]
  /** Number of nodes and steps. */
  readonly times: number
}

/** The rarest first, then by time: daily changes rarely need review. */
function together(changes: readonly PeriodChange[]): readonly Together[] {
  const steps = alike(changes, ({ node, to }) => `${to.run} ${node ?? ''}`)
  const subjectsOf = (step: readonly PeriodChange[]): readonly string[] =>
    [...new Set(step.map(({ subject }) => subject))].sort((a, b) => rank(a) - rank(b) || compare(a, b))
  return alike(steps, (step) => subjectsOf(step).join(' '))
    .map((same) => ({ subjects: subjectsOf(same[0] ?? []), all: same.flat(), times: same.length }))
    .sort((a, b) => a.times - b.times || compare(a.all[0]?.to.at ?? '', b.all[0]?.to.at ?? ''))
}

/** Facts of the collection itself precede probes. */
const FIRST: readonly string[] = ['host-key', 'status', 'address']
const rank = (subject: string): number => (FIRST.includes(subject) ? FIRST.indexOf(subject) : FIRST.length)

function listBlocks(input: PeriodReportInput, list: PeriodChange['list'], title: string): readonly Block[] {
  const found = together(input.changes.filter((one) => one.list === list))
  if (found.length === 0) return []
  const left = found.slice(MOST_ONES).reduce((sum, { all }) => sum + all.length, 0)
  return [
    heading(3, title, true),
    quiet(
      'Changes that occurred together between two consecutive runs, the rarest first. “From” and “To” are the runs that enclose the first and the last occurrence.',
    ),
    headedTable(
      { Changes: 36, Times: 8, Nodes: 22, 'From (UTC)': 17, 'To (UTC)': 17 },
      found.slice(0, MOST_ONES).map((one) => togetherRow(input, one)),
    ),
    ...restIn(input, 'changes', left),
  ]
}

const MOST_NAMED = 6

function togetherRow(input: PeriodReportInput, { subjects, all, times }: Together): readonly Cell[] {
  const nodes = [...new Set(all.flatMap(({ node }) => (node === null ? [] : [node])))].sort(compare)
  const [first, last] = [all[0], all.at(-1)]
  const isStated = all.length === 1 && first !== undefined && (first.before !== null || first.after !== null)
  return [
    [
      { text: names(subjects, MOST_NAMED) },
      ...(isStated
        ? [{ text: `${shortened(first.before)} → ${shortened(first.after)}`, style: 'quiet' } as const]
        : []),
    ],
    plainCell(String(times)),
    nodes.length === 0 ? plainCell('none') : [{ text: `${of(nodes.length, nodeCount(input))}: ${names(nodes, 3)}` }],
    plainCell(moment(first?.from.at ?? '')),
    plainCell(moment(last?.to.at ?? '')),
  ]
}

/** Digests are abbreviated, because two full digests would fill the cell. */
const shortened = (value: string | null): string =>
  plain(value ?? 'none').replace(/[0-9a-f]{64}/g, (digest) => brief(digest))

/** Moves between nodes first. */
function moveBlocks(moves: readonly HardwareChange[]): readonly Block[] {
  const weight = ({ from, to }: HardwareChange): number => (from !== null && to !== null ? 0 : 1)
  const sorted = [...moves].sort(
    (a, b) => weight(a) - weight(b) || compare(a.after.at, b.after.at) || compare(a.value, b.value),
  )
  const between = moves.filter((one) => weight(one) === 0).length
  return [
    text(
      `${of(between, moves.length)} moved between nodes; the others were added or removed. A renamed machine is listed here, as is a replaced component.`,
    ),
    table(
      { Component: 21, 'Serial number, address or key': 27, From: 17, To: 17, 'Between (UTC)': 18 },
      sorted
        .slice(0, MOST_ONES)
        .map(({ kind, part, value, from, to, before, after }) => [
          [{ text: plain(kind, 40) }, ...(part === kind ? [] : [{ text: plain(part, 100), style: 'quiet' } as const])],
          monoCell(plain(value, 100)),
          from === null ? [{ text: 'not seen before', style: 'quiet' }] : [{ text: plain(from, 80), style: 'strong' }],
          to === null ? [{ text: 'not seen since', style: 'quiet' }] : [{ text: plain(to, 80), style: 'strong' }],
          [{ text: moment(before.at) }, { text: moment(after.at) }],
        ]),
    ),
    ...restBlock(moves.length - MOST_ONES, 'hardwareChanges'),
  ]
}

function baselineWords({ period }: PeriodReportInput): string {
  const { baseline } = period
  return baseline === null
    ? `No baseline is set. Consecutive runs of the period were compared.`
    : `Run ${plain(baseline.run, 100)} was set as the baseline, in ${entryWords(baseline.entry)}. Reason: ${plain(baseline.why.replace(/\s+/g, ' '), 1000)}`
}

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
        `The population is ${plural(nodes, 'node')} and ${plural(checks, 'check')}. ${plural(deviations.length, 'deviation')} in total, on ${plural(pairs, 'combination')} of node and check; a deviation can recur after remediation. ${of(deviations.length - open.length, deviations.length)} ${deviations.length - open.length === 1 ? 'was' : 'were'} remediated within the period. ${of(open.length, deviations.length)} ${open.length === 1 ? 'is' : 'are'} open at period end, of which ${undecided} because later runs were inconclusive.`,
      ),
      quiet(
        'A deviation found in the first run of the period may be older. Found and remediated are the times of the runs; the change occurred between that run and the one before. A risk acceptance does not remove a deviation.',
      ),
      heading(3, 'By check', true),
      ...(deviations.length === 0
        ? [
            text(
              `${input.period.runs.some(({ answered }) => answered > 0) ? 'No deviations noted on the nodes tested in any run of the period' : 'No node was tested in any run of the period, so no deviation could be noted'}. Not tested: operation between runs.`,
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
  const place = (id: string): number => {
    const property = checkOf(input, id)?.property
    return property === undefined ? PROPERTIES.length : PROPERTIES.indexOf(property)
  }
  return alike(input.period.deviations, ({ check }) => check)
    .map((all) => ({ id: all[0]?.check ?? '', all }))
    .sort((a, b) => place(a.id) - place(b.id) || nodesOf(b).size - nodesOf(a).size || compare(a.id, b.id))
}

const nodesOf = ({ all }: Claim): ReadonlySet<string> => new Set(all.map(({ node }) => node))

function byClaim(input: PeriodReportInput): Block {
  const nodes = nodeCount(input)
  return table(
    {
      'Expected condition': 40,
      'Deviating / declared nodes': 15,
      'First found, last seen (UTC)': 20,
      Remediated: 12,
      'Open at period end': 13,
    },
    claimsOf(input).map((claim) => {
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
  )
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
          headedTable(
            { Node: 14, 'Expected condition': 36, 'Found (UTC)': 17, 'Last seen (UTC)': 17, 'Remediated (UTC)': 16 },
            moved
              .slice(0, MOST_ROWS)
              .map((one): readonly Cell[] => [
                [{ text: plain(one.node, 80), style: 'strong' }],
                claimCell(input, one.check),
                [{ text: moment(one.found.at) }],
                [{ text: moment(one.lastSeen.at) }, ...seenLines(one)],
                [one.fixed === null ? { text: 'open', style: 'strong' } : { text: moment(one.fixed.at) }],
              ]),
          ),
        ]),
    ...restBlock(moved.length - MOST_ROWS, 'deviations'),
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

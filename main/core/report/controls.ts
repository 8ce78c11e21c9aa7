import type { ControlAssessment, ControlCheck } from '../../../schemas/types.ts'
import { CONTROL_STATES, controlStateWords } from '../../../schemas/words.ts'
import type { Check } from '../check.ts'
import type { Control, EvidenceClass, Framework } from '../framework.ts'
import { acceptedBriefly } from './exceptions.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, plainCell, quiet, type Section, text } from './model.ts'
import { notFromNodesBlocks } from './not-from-nodes.ts'
import { recordLines } from './records.ts'
import { names, of, stateLine, stateMark } from './wording.ts'

const CLASS: Readonly<Record<EvidenceClass, string>> = {
  automatable: 'The deciding fact can be read on the nodes; a person fixes the scope and records the decision.',
  partial: 'Node evidence supports a part; the records listed are needed besides.',
  manual: 'No server can show this. It rests on policies, contracts, records or decisions of people.',
  'out-of-scope': 'Outside what this tool can observe; listed so that the framework is shown whole.',
}
const STATUS: Readonly<Record<string, string>> = {
  'in-force': 'In force.',
  'in-use': 'In use.',
  'proposed-not-in-force': 'Proposed, not in force.',
}

interface Row {
  readonly control: Control
  readonly result: ControlAssessment
}

/** One framework: how many items stand where, every item in one table, then each item in full. */
export function controlSection(matter: Matter, framework: Framework): Section {
  const results = new Map(
    matter.assessment.controls
      .filter(({ framework: id }) => id === framework.id)
      .map((result) => [result.control, result]),
  )
  const rows = framework.controls.flatMap((control): readonly Row[] => {
    const result = results.get(control.key)
    return result === undefined ? [] : [{ control, result }]
  })
  const checks = new Map(matter.catalog.checks.map((check) => [check.id, check]))
  return {
    id: `controls-${framework.id}`,
    title: `Controls: ${framework.title}`,
    blocks: [
      ...(framework.overlay ? [OVERLAY] : []),
      text(
        `${STATUS[framework.status] ?? ''} ${framework.version}. Titles and summaries are in our words and are not legal advice. A state says what the evidence in this report supports; whether an item is satisfied is decided by the people responsible and their auditor.`.trim(),
      ),
      heading(3, 'Where the items stand'),
      stateTable(rows),
      heading(3, `All items (${rows.length})`, true),
      overview(rows, new Set(matter.catalog.notFromNodes.map(({ id }) => id))),
      heading(3, 'Each item in full', true),
      ...rows.flatMap((row) => detail(matter, row, checks)),
    ],
  }
}

const OVERLAY: Block = {
  kind: 'banner',
  title: 'Proposed rule, not in force',
  text: 'This section reads the same evidence against a proposal. Nothing in it is an obligation, and nothing in it changes the other sections.',
}

function stateTable(rows: readonly Row[]): Block {
  const used = CONTROL_STATES.map((state) => ({
    state,
    count: rows.filter(({ result }) => result.state === state).length,
  })).filter(({ count }) => count > 0)
  return {
    kind: 'table',
    columns: [
      { title: 'State', width: 30 },
      { title: 'Items', width: 12 },
      { title: 'Meaning', width: 58 },
    ],
    rows: used.map(({ state, count }) => [
      [stateLine(state)],
      plainCell(of(count, rows.length)),
      plainCell(controlStateWords[state].meaning),
    ]),
  }
}

function overview(rows: readonly Row[], notFromNodes: ReadonlySet<string>): Block {
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Item', width: 36 },
      { title: 'State', width: 20 },
      { title: 'Node part', width: 18 },
      { title: 'Check results on nodes', width: 26 },
    ],
    rows: rows.map(({ control, result }) => [
      [{ text: control.id, style: 'strong' }, { text: control.title }],
      [stateLine(result.state)],
      result.nodePart === null ? plainCell('None') : [stateLine(result.nodePart)],
      plainCell(counts(control, result, notFromNodes)),
    ]),
  }
}

/** Counts over all mapped checks and nodes, or why there are none. */
function counts(control: Control, { checks, nodePart }: ControlAssessment, notFromNodes: ReadonlySet<string>): string {
  if (control.evidenceClass === 'manual') return 'Nobody can automate this; it rests on records.'
  if (control.evidenceClass === 'out-of-scope') return 'Not observable on a server.'
  if (checks.length === 0) return 'No check is mapped.'
  const sum = (pick: (check: ControlCheck) => number): number => checks.reduce((total, check) => total + pick(check), 0)
  const all = sum(({ population }) => population)
  const parts = [
    `${of(
      sum(({ met }) => met),
      all,
    )} supported`,
    ...counted(
      'contradicted',
      sum(({ notMet }) => notMet),
    ),
    ...counted(
      'not decided',
      sum(({ inconclusive }) => inconclusive),
    ),
    ...counted(
      'not collected',
      sum(({ notTested }) => notTested),
    ),
    ...counted(
      'not applicable',
      sum(({ notApplicable }) => notApplicable),
    ),
    ...counted(
      'recorded only',
      sum(({ informational }) => informational),
    ),
  ]
  const unbuilt = checks.filter(({ built }) => !built)
  const beyond = unbuilt.filter(({ check }) => notFromNodes.has(check)).length
  const absent = [
    ...(beyond === 0 ? [] : [`; ${of(beyond, checks.length)} checks that nodes cannot bear`]),
    ...(beyond === unbuilt.length
      ? []
      : [`; ${of(unbuilt.length - beyond, checks.length)} checks not in this catalog`]),
  ]
  return `${nodePart === null ? 'Background only: ' : ''}${parts.join(', ')}${absent.join('')}`
}

const counted = (word: string, count: number): readonly string[] => (count === 0 ? [] : [`${count} ${word}`])

function detail(matter: Matter, { control, result }: Row, checks: ReadonlyMap<string, Check>): readonly Block[] {
  const blocks: Block[] = [
    heading(4, `${control.id} ${control.title}`),
    {
      kind: 'text',
      line: {
        text: `${controlStateWords[result.state].label}. ${kind(control)}. ${CLASS[control.evidenceClass]}`,
        mark: stateMark(result.state),
      },
    },
    text(control.summary),
  ]
  const built = result.checks.filter((count) => count.built)
  if (built.length > 0)
    blocks.push({
      kind: 'table',
      columns: [
        { title: 'Check', width: 33 },
        { title: 'Why it bears on this item', width: 34 },
        { title: 'Observed', width: 33 },
      ],
      rows: built.map((count) => [
        checkCell(count.check, checks.get(count.check)),
        plainCell(shows(control, count.check)),
        resultCell(matter, count),
      ]),
    })
  blocks.push(...notFromNodesBlocks(matter, control, result))
  const beyond = new Set(matter.catalog.notFromNodes.map(({ id }) => id))
  const unbuilt = result.checks.filter(({ built, check }) => !built && !beyond.has(check))
  if (unbuilt.length > 0)
    blocks.push(
      quiet(
        `Not in this catalog version, so not collected on any node: ${unbuilt.map(({ check }) => check).join(', ')}.`,
      ),
    )
  blocks.push(quiet(`Not shown: ${control.notShown}`))
  return [...blocks, ...recordLines(matter, control, result)]
}

const kind = ({ level, kind: words }: Control): string => {
  const sentence = level === words ? words : `${level} ${words}`
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

const checkCell = (id: string, check: Check | undefined): Cell =>
  check === undefined ? plainCell(id) : [{ text: check.claim }, { text: id, style: 'quiet' }]

const shows = ({ supports }: Control, id: string): string => supports.find(({ check }) => check === id)?.shows ?? ''

function resultCell(matter: Matter, count: ControlCheck): Cell {
  const { assessment, tally } = matter
  const n = count.population
  const contradictedOn = assessment.nodes
    .map(({ node }) => node)
    .filter((node) => tally.verdict(node, count.check) === 'not-met')
  const lines: readonly (Line & { readonly n: number })[] = [
    { n: count.notMet, text: `${of(count.notMet, n)} contradicted: ${names(contradictedOn, 5)}`, mark: 'square-cross' },
    { n: count.inconclusive, text: `${of(count.inconclusive, n)} not enough evidence`, mark: 'diamond-question' },
    { n: count.notTested, text: `${of(count.notTested, n)} not collected`, mark: 'dotted-ring' },
    { n: count.met, text: `${of(count.met, n)} supported`, mark: 'ring-tick' },
    { n: count.notApplicable, text: `${of(count.notApplicable, n)} does not apply`, mark: 'bar' },
    { n: count.informational, text: `${of(count.informational, n)} recorded`, mark: 'dot' },
  ]
  return lines
    .filter(({ n: some }) => some > 0)
    .flatMap(({ text: words, mark }) => [
      { text: words, ...(mark && { mark }) },
      ...(mark === 'square-cross'
        ? acceptedBriefly(
            matter,
            contradictedOn.map((node) => [node, count.check]),
          )
        : []),
    ])
}

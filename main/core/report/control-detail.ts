import type { ControlAssessment, ControlCheck, Decision } from '../../../schemas/types.ts'
import { controlStateWords, decisionWords } from '../../../schemas/words.ts'
import type { Control, EvidenceClass, Framework } from '../framework.ts'
import { oneLine, plain } from '../plain-text.ts'
import { decidedFor, decisionsOf } from '../register/decisions.ts'
import { countedCheck } from '../tally.ts'
import { acceptedBriefly } from './exceptions.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, quiet, text } from './model.ts'
import { notFromNodesBlocks } from './not-from-nodes.ts'
import { recordLines } from './records.ts'
import { countLines, day, names, of, stateMark } from './wording.ts'

export interface Row {
  readonly control: Control
  readonly result: ControlAssessment
}

const CLASS: Readonly<Record<EvidenceClass, string>> = {
  automatable: 'the deciding fact can be read on the nodes; a person fixes the scope and records the decision',
  partial: 'node evidence supports a part; the records listed are needed besides',
  manual: 'no server can show this; it rests on policies, contracts, records or decisions of people',
  'out-of-scope': 'outside what this tool can observe; listed so that the framework is shown whole',
}

/** One item in full: where it stands, its checks with n of N, what people decided, what is not shown and what else is needed. */
export function controlDetail(matter: Matter, framework: Framework, { control, result }: Row): readonly Block[] {
  const built = result.checks.filter((check) => check.built)
  return [
    heading(4, plain(`${control.id} ${control.title}`, 400)),
    { kind: 'text', line: standing(control, result) },
    text(plain(control.summary, 2000)),
    ...(built.length === 0 ? [] : [checkTable(matter, framework, control, built)]),
    ...notFromNodesBlocks(matter, control, result),
    ...unbuilt(matter, result).map(quiet),
    ...decisionLines(matter, control, result).map(quiet),
    quiet(`Not shown: ${plain(control.notShown, 2000)}`),
    ...recordLines(matter, control, result),
  ]
}

/** State, node part, records held of those needed, level, class and who is responsible. */
function standing(control: Control, { state, nodePart, records }: ControlAssessment): Line {
  const node = nodePart === null ? 'Node part: none' : `Node part: ${controlStateWords[nodePart].label.toLowerCase()}`
  return {
    text: `${controlStateWords[state].label}. ${node}. Records held: ${of(records.held, records.needed)}. ${kindOf(control)}, ${control.evidenceClass}: ${CLASS[control.evidenceClass]}. Responsible: ${responsible(control)}.`,
    mark: stateMark(state),
  }
}

/** `addressable` and `specification` as “Addressable specification”. */
function kindOf({ level, kind }: Control): string {
  const sentence = plain(level === kind ? kind : `${level} ${kind}`, 120)
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

const responsible = ({ responsibility }: Control): string =>
  responsibility.length === 0 ? 'not said' : plain(responsibility.join(', '), 300)

const checkTable = (
  matter: Matter,
  framework: Framework,
  control: Control,
  checks: readonly ControlCheck[],
): Block => ({
  kind: 'table',
  columns: [
    { title: 'What a check shows here', width: 56 },
    { title: 'Observed', width: 44 },
  ],
  rows: checks.map((check): readonly Cell[] => [
    [{ text: plain(showsOf(control, check.check), 600) }, { text: check.check, style: 'quiet' }],
    resultCell(matter, framework, check),
  ]),
})

const showsOf = ({ supports }: Control, id: string): string => supports.find(({ check }) => check === id)?.shows ?? ''

/** Counts n of N; beside contradictions the nodes, and how many of them somebody accepts. */
function resultCell(matter: Matter, { id }: Framework, count: ControlCheck): Cell {
  const on = matter.tally.contradictedOn(count.check)
  // SOC 2 speaks of deviations over a population.
  const word = id !== 'soc2' ? '' : count.notMet === 1 ? ', a deviation' : ', deviations'
  const lines = countLines(countedCheck(count))
  const missing = lines.filter(({ mark }) => mark === 'dotted-ring' || mark === 'diamond-question')
  const others = lines.filter((line) => line.mark !== 'square-cross' && !missing.includes(line))
  return [...lines.filter(({ mark }) => mark === 'square-cross'), ...inOne(missing), ...inOne(others)].flatMap(
    (line): readonly Line[] =>
      line.mark !== 'square-cross'
        ? [line]
        : [
            { ...line, text: `${line.text}${word}: ${names(on, 5)}` },
            ...acceptedBriefly(
              matter,
              on.map((node) => [node, count.check]),
            ),
          ],
  )
}

/** Several counts as one line, under the mark of the first. */
const inOne = ([first, ...rest]: readonly Line[]): readonly Line[] =>
  first === undefined ? [] : [{ ...first, text: [first, ...rest].map((line) => line.text).join(', ') }]

/** Mapped checks that this catalog does not have. */
function unbuilt({ catalog }: Matter, { checks }: ControlAssessment): readonly string[] {
  const beyond = new Set(catalog.notFromNodes.map(({ id }) => id))
  const missing = checks
    .filter(({ built, check }) => !built && !beyond.has(check))
    .map(({ check }) => plain(check, 100))
  return missing.length === 0
    ? []
    : [`Not in this catalog version, so not collected on any node: ${missing.join(', ')}.`]
}

/** The approved reason why an item does not apply, and the decision on an addressable specification (45 CFR 164.306(d)(3)) or that there is none. */
export function decisionLines(
  { register, assessment }: Matter,
  control: Control,
  { framework, rationale }: ControlAssessment,
): readonly string[] {
  const approved = decisionsOf(register).find(({ id }) => id === rationale)
  if (approved !== undefined) return [`Approved reason why this does not apply: ${said(approved)}`]
  if (control.level !== 'addressable') return []
  const [latest] = decidedFor(register, { framework, control: control.key }, assessment.asOf)
  return [
    latest === undefined
      ? 'Addressable decision: none in force.'
      : `Addressable decision: ${decisionWords[latest.decision]}. ${said(latest)}`,
  ]
}

const said = ({ reason, approvedBy, approverRole, expiresAt }: Decision): string =>
  `${oneLine(reason, 400)} Approved by ${oneLine(approvedBy, 80)}, ${oneLine(approverRole, 80)}, until ${day(expiresAt)}.`

/** The lines of blocks, for a cell. */
const linesOf = (blocks: readonly Block[]): readonly Line[] =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.line] : block.kind === 'list' ? block.items : []))

/** An item that rests on people alone, as one row: what it asks, and which records are there. */
export const withoutNodes = (matter: Matter, { control, result }: Row): readonly Cell[] => [
  [
    { text: plain(`${control.id} ${control.title}`, 400), style: 'strong' },
    { text: plain(control.summary, 2000) },
    { text: `${kindOf(control)}, ${control.evidenceClass}. Responsible: ${responsible(control)}.`, style: 'quiet' },
  ],
  [
    { text: controlStateWords[result.state].label, mark: stateMark(result.state) },
    { text: `Records held: ${of(result.records.held, result.records.needed)}` },
  ],
  [
    ...linesOf(recordLines(matter, control, result)),
    ...decisionLines(matter, control, result).map((words): Line => ({ text: words, style: 'quiet' })),
    ...linesOf(notFromNodesBlocks(matter, control, result)).map((line): Line => ({ ...line, style: 'quiet' })),
    { text: `Not shown: ${plain(control.notShown, 2000)}`, style: 'quiet' },
  ],
]

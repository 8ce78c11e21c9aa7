import {
  checkLine,
  documentStateWords,
  observationLine,
  ROW_STATES,
  type RowState,
  roleWords,
  rowStateWords,
  serverStateWords,
} from '../../../../schemas/conclusion-words.ts'
import type { ControlAssessment, ControlCheck, ControlDecision } from '../../../../schemas/types.ts'
import { decisionWords } from '../../../../schemas/words.ts'
import { names, of, oneLine, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  type MarkName,
  plainCell,
  quiet,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { decidedFor, decisionsOf } from '../../../core/register/decisions.ts'
import type { Control, EvidenceType, Framework } from '../../../core/rules/framework.ts'
import { isAllAccepted, isObservation, partsTable } from '../../formats/row-counts.ts'
import { acceptedBriefly } from '../acceptance-section.ts'
import type { Matter } from '../parts/input.ts'
import { day, documentMarked, serverMarked, stateLine } from '../parts/wording.ts'
import { documentLines } from '../records.ts'

export interface ControlRow {
  readonly control: Control
  readonly result: ControlAssessment
}

/** The controls of a framework with their conclusions, in the order of the framework. */
export function controlRowsOf(
  { assessment }: Pick<Matter, 'assessment'>,
  { id, controls }: Framework,
): readonly ControlRow[] {
  const results = new Map(
    assessment.controls.filter(({ framework }) => framework === id).map((one) => [one.control, one]),
  )
  return controls.flatMap((control): readonly ControlRow[] => {
    const result = results.get(control.key)
    return result === undefined ? [] : [{ control, result }]
  })
}

const CLASS: Readonly<Record<EvidenceType, string>> = {
  technical: 'server evidence can decide; a person defines the scope and records the decision',
  mixed: 'servers cover one part; documents cover the rest',
  documentary: 'documents only: policies, contracts, records and management decisions',
  'out-of-scope': 'outside what this tool examines; listed so that the framework is complete',
}

/** One control in full: both parts, checks by role with counts, decisions, coverage limits and required documents. */
export function controlDetail(matter: Matter, framework: Framework, { control, result }: ControlRow): readonly Block[] {
  return [
    heading(4, plain(`${control.id} ${control.title}`, 400)),
    ...statusBlocks(control, result),
    text(plain(control.summary, 2000)),
    ...checkTables(matter, framework, control, result),
    ...unbuilt(result).map(quiet),
    ...decisionLines(matter, control, result).map(quiet),
    quiet(`Not covered: ${plain(control.notCovered, 2000)}`),
    ...documentLines(matter, control, result),
  ]
}

/** Server part and document part, each with its own mark; then level, evidence type and responsible parties. */
const statusBlocks = (control: Control, { server, documents }: ControlAssessment): readonly Block[] => [
  list([prefixed('Servers', serverMarked(server)), documentMarked(documents)]),
  quiet(
    `${kindOf(control)}, ${control.evidenceType}: ${CLASS[control.evidenceType]}. Responsible: ${responsible(control)}.`,
  ),
]

const prefixed = (label: string, line: Line): Line => ({ ...line, text: `${label}: ${line.text}` })

/** `addressable` and `specification` as “Addressable specification”. */
function kindOf({ level, kind }: Control): string {
  const sentence = plain(level === kind ? kind : `${level} ${kind}`, 120)
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

const responsible = ({ responsibility }: Control): string =>
  responsibility.length === 0 ? 'not stated' : plain(responsibility.join(', '), 300)

/**
 * Checks by role: deciding checks, then observations (supporting checks that are not satisfied on a node), then supporting and
 * context checks in one line each.
 */
function checkTables(
  matter: Matter,
  framework: Framework,
  control: Control,
  { checks }: ControlAssessment,
): readonly Block[] {
  const deciding = checks.filter(({ decides }) => decides)
  const observed = checks.filter(isObservation)
  const others = checks.filter((one) => !one.decides && !isObservation(one) && one.source !== 'document')
  return [
    ...(deciding.length === 0
      ? []
      : [
          table(
            { 'Deciding checks': 50, Result: 50 },
            deciding.map((check): readonly Cell[] => [
              [
                { text: plain(showsOf(control, check.check), 600) },
                { text: `${check.check}, ${roleWords[check.role].label.toLowerCase()}`, style: 'quiet' },
              ],
              resultCell(matter, framework, check),
            ]),
          ),
        ]),
    ...(observed.length === 0
      ? []
      : [
          text('Observations. These do not change the conclusion on this control:'),
          list(
            observed.map((check) => ({
              text: `${check.check}: ${observationLine(check)}, on ${names(matter.tally.contradictedOn(check.check), 5)}`,
            })),
          ),
        ]),
    ...(others.length === 0
      ? []
      : [
          quiet(
            `Other mapped checks, not deciding: ${others.map((one) => `${one.check} (${one.informational > 0 ? checkLine(one) : observationLine(one)})`).join('; ')}.`,
          ),
        ]),
  ]
}

const showsOf = ({ mappings }: Control, id: string): string => mappings.find(({ check }) => check === id)?.shows ?? ''

/** Counts out of the nodes tested; for deviations also the nodes, and how many are risk-accepted. */
export function resultCell(matter: Matter, { id }: Pick<Framework, 'id'>, count: ControlCheck): Cell {
  const on = count.notSatisfied === 0 ? [] : matter.tally.contradictedOn(count.check)
  const mark =
    count.notSatisfied > 0
      ? 'square-cross'
      : count.inconclusive + count.notTested > 0
        ? 'diamond-question'
        : count.satisfied > 0
          ? 'ring-tick'
          : 'dot'
  return [
    { text: checkLine(count), mark },
    ...(on.length === 0 ? [] : [{ text: `${id === 'soc2' ? 'Deviations' : 'Not satisfied'} on ${names(on, 5)}` }]),
    ...(count.notRetested === 0
      ? []
      : [{ text: `${plural(count.notRetested, 'deviation')} not retested since`, style: 'quiet' } as const]),
    ...acceptedBriefly(
      matter,
      on.map((node) => [node, count.check]),
    ),
  ]
}

/** Mapped checks that are missing from this catalog. */
export function unbuilt({ checks }: ControlAssessment): readonly string[] {
  const missing = checks
    .filter(({ built, source }) => !built && source === 'server')
    .map(({ check }) => plain(check, 100))
  return missing.length === 0 ? [] : [`Not in this catalog version, so not tested on any node: ${missing.join(', ')}.`]
}

/** The approved rationale for non-applicability, and the decision on an addressable specification (45 CFR 164.306(d)(3)) or its absence. */
export function decisionLines(
  { register, assessment }: Matter,
  control: Control,
  { framework, rationale }: ControlAssessment,
): readonly string[] {
  const approved = decisionsOf(register).find(({ id }) => id === rationale)
  if (approved !== undefined) return [`Approved rationale for non-applicability: ${approval(approved)}`]
  if (control.level !== 'addressable') return []
  const [latest] = decidedFor(register, { framework, control: control.key }, assessment.asOf)
  return [
    latest === undefined
      ? 'Addressable decision: none in effect.'
      : `Addressable decision: ${decisionWords[latest.decision]}. ${approval(latest)}`,
  ]
}

const approval = ({ reason, approvedBy, approverRole, expiresAt }: ControlDecision): string =>
  `${oneLine(reason, 400)} Approved by ${oneLine(approvedBy, 80)}, ${oneLine(approverRole, 80)}, until ${day(expiresAt)}.`

/** Lines of text and list blocks, for use in a table cell. */
const linesOf = (blocks: readonly Block[]): readonly Line[] =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.line] : block.kind === 'list' ? block.items : []))

/** A control based on documents only, as one table row: its requirement and its documents. */
export const withoutNodes = (matter: Matter, { control, result }: ControlRow): readonly Cell[] => [
  [
    { text: plain(`${control.id} ${control.title}`, 400), style: 'strong' },
    { text: plain(control.summary, 2000) },
    { text: `${kindOf(control)}, ${control.evidenceType}. Responsible: ${responsible(control)}.`, style: 'quiet' },
  ],
  [
    ...(result.state === 'out-of-scope'
      ? [stateLine(result.state)]
      : [documentMarked(result.documents), ...linesOf(documentLines(matter, control, result))]),
    ...decisionLines(matter, control, result).map((words): Line => ({ text: words, style: 'quiet' })),
    { text: `Not covered: ${plain(control.notCovered, 2000)}`, style: 'quiet' },
    ...relatedChecks(result),
  ],
]

/** Checks on servers that are listed as context, in one line. */
function relatedChecks({ checks }: ControlAssessment): readonly Line[] {
  const related = checks.filter(({ source, population }) => source !== 'document' && population > 0)
  if (related.length === 0) return []
  const counts = related.map((check) => `${check.check} (${checkLine(check)})`)
  return [{ text: `Checks: ${counts.join('; ')}.`, style: 'quiet' }]
}

/** Whether a check decides the control, from servers or from what the tool itself produces. */
export const isTested = ({ checks }: ControlAssessment): boolean => checks.some(({ decides }) => decides)

/** Controls by server part and document part. Every control in scope is counted in exactly one cell. */
export function partsBlock(rows: readonly ControlAssessment[]): Block {
  const { documents, lines } = partsTable(rows)
  return headedTable(
    { 'Server part': 28, ...Object.fromEntries(documents.map((state) => [documentStateWords[state].label, 18])) },
    lines.map(({ server, counts }) => [
      [{ text: serverStateWords[server].label, style: 'strong', mark: serverStateWords[server].mark as MarkName }],
      ...counts.map((count) => plainCell(String(count))),
    ]),
  )
}

/** Controls by state, with the meaning of each state that occurs. */
export function stateBlock(rows: readonly ControlAssessment[]): Block {
  const used = ROW_STATES.map((state) => ({ state, items: rows.filter((row) => row.state === state) })).filter(
    ({ items }) => items.length > 0,
  )
  return table(
    { State: 30, Controls: 20, Meaning: 50 },
    used.map(({ state, items }) => [
      [stateLine(state)],
      [{ text: of(items.length, rows.length) }, ...apart(state, items)],
      plainCell(rowStateWords[state].meaning),
    ]),
  )
}

/** Of the supported controls, those with server tests; of those with deviations, those where every deviation is risk-accepted. */
function apart(state: RowState, rows: readonly ControlAssessment[]): Cell {
  if (state === 'supported')
    return [{ text: `${plural(rows.filter(isTested).length, 'control')} with server tests`, style: 'quiet' }]
  if (state !== 'deviations') return []
  const accepted = rows.filter(isAllAccepted)
  return accepted.length === 0
    ? []
    : [{ text: `${accepted.length} with every deviation risk-accepted`, style: 'quiet' }]
}

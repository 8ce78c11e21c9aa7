import { documentLine, ROW_STATES, rowStateWords } from '../../../../schemas/conclusion-words.ts'
import type { ControlAssessment, ControlCheck } from '../../../../schemas/types.ts'
import { PROPERTIES, propertyWords } from '../../../../schemas/words.ts'
import { names, of, oneLine, outOf, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  type MarkName,
  quiet,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import type { Check } from '../../../core/rules/check.ts'
import type { Control, Framework } from '../../../core/rules/framework.ts'
import { isObservation } from '../../formats/row-counts.ts'
import { byCheck, findingByCheck } from '../../presentation.ts'
import { controlAnchor, statusText } from '../findings.ts'
import { ownerText } from '../page-one.ts'
import type { Matter } from '../parts/input.ts'
import { refusedNodes } from '../parts/refused.ts'
import {
  chosenFrameworks,
  countLines,
  documentMarked,
  nodeWords,
  see,
  shortName,
  stateMark,
  titles,
  when,
} from '../parts/wording.ts'
import { type ControlRow, controlRowsOf, isTested } from './control-detail.ts'

/** Deviating nodes that a result names. */
const MOST_NAMED = 5

/** The controls of a framework that are in scope, with their conclusions, in the order of the framework. */
export const controlsInScope = (matter: Pick<Matter, 'assessment'>, framework: Framework): readonly ControlRow[] =>
  controlRowsOf(matter, framework).filter(({ result }) => result.state !== 'out-of-scope')

/**
 * One framework in the form of section IV of a SOC 2 report: for each control, the tests performed and their results, for checks that decide it; then
 * observations of supporting checks; then the controls that documents alone decide. A result names its finding, which lists the nodes.
 */
export function testSection(matter: Matter, framework: Framework): Section {
  const rows = controlsInScope(matter, framework)
  const tested = rows.filter(({ result }) => isTested(result))
  const documentary = rows.filter(({ result }) => !isTested(result))
  return {
    id: `tests-${framework.id}`,
    title: `${shortName(framework.id)}: tests of controls and results`,
    runningTitle: `${shortName(framework.id)}: tests and results`,
    flows: true,
    blocks: [
      text(testIntro(matter, rows)),
      ...(tested.length === 0 ? [] : [testTable(matter, framework, tested)]),
      ...(documentary.length === 0
        ? []
        : [
            heading(3, `Controls that documents decide (${of(documentary.length, rows.length)})`, true),
            quiet(
              `No check of a server decides these controls. Counted are documents that were inspected, out of those needed; ${see('requests')} lists them.`,
            ),
            documentTable(framework, documentary),
          ]),
    ],
  }
}

/** “deviations noted 3, supported 1”: controls in scope by state, without states that none has. */
export const stateCounts = (results: readonly Pick<ControlAssessment, 'state'>[]): string =>
  ROW_STATES.filter((state) => state !== 'out-of-scope')
    .map((state) => ({ state, count: results.filter((one) => one.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${rowStateWords[state].label.toLowerCase()} ${count}`)
    .join(', ')

/** Counts of states, in the words of the conclusions; and what the population of every test is. */
export function testIntro({ assessment, shown }: Matter, rows: readonly ControlRow[]): string {
  const { declared, tested, untested } = shown.figures
  const others = rows.filter(
    ({ result: { checks, server } }) =>
      checks.some((one) => one.decides && one.source === 'server') && server.population !== declared,
  )
  const [first] = others
  const untestedNodes =
    untested === 0
      ? ''
      : `; ${untested} ${untested === 1 ? 'was' : 'were'} not tested, which limits every conclusion${first === undefined ? '' : ' on them'}`
  const apart =
    first === undefined
      ? ''
      : ` Controls on ePHI test the ${plural(first.result.server.population, 'node')} that ${first.result.server.population === 1 ? 'holds or carries' : 'hold or carry'} it by declaration: ${names(
          others.map(({ control }) => control.id),
          MOST_ITEMS,
        )}.`
  return `${plural(rows.length, 'control')} in scope: ${stateCounts(rows.map(({ result }) => result))}. As of ${when(assessment.asOf)}. The population of each test is the ${declared} ${nodeWords(assessment)}, of which ${tested} ${tested === 1 ? 'was' : 'were'} tested${untestedNodes}.${apart} Only checks that decide a control are listed as tests. Mappings are interpretations of this tool or of management; HHS and the AICPA do not endorse them.`
}

function testTable(matter: Matter, framework: Framework, rows: readonly ControlRow[]): Block {
  const severities = byCheck(matter.catalog.severities)
  const findings = findingByCheck(matter.shown)
  const shown = new Map<string, string>()
  return table(
    { 'Test performed': 48, 'Result of test': 52 },
    rows.flatMap(({ control, result }): readonly (readonly Cell[])[] => [
      [headOf(framework, control, result)],
      ...listedTests(result).map((check): readonly Cell[] => {
        const earlier = shown.get(check.check)
        if (earlier === undefined) shown.set(check.check, control.id)
        const severity = severities.get(check.check)
        const cell = resultCell(check, findings.get(check.check), matter.shown.figures.untested)
        return earlier === undefined
          ? [[{ text: severity?.procedure ?? SOURCES[check.source] }], cell]
          : [[{ text: `As for ${earlier}: ${severity?.satisfied ?? SOURCES[check.source]}` }], cell.slice(0, 1)]
      }),
      ...observationRow(result, findings),
    ]),
  )
}

/** The tests of a control that are listed: those that decide it, and those that only verification of the pack makes. */
export const listedTests = ({ checks }: Pick<ControlAssessment, 'checks'>): readonly ControlCheck[] =>
  checks.filter(
    ({ decides, source, role }) => decides || (source === 'pack' && (role === 'required' || role === 'counter')),
  )

/** The source of a result, for checks without a procedure on servers. */
export const SOURCES: Readonly<Record<ControlCheck['source'], string>> = {
  server: 'Tested on each node.',
  pack: 'No test of a node: the sealed pack contains the record.',
  runs: 'Compared the runs of the period in the run chain.',
  population: 'Compared the provider inventory with the declared population, row by row.',
  document: 'Answered by a document.',
}

const headOf = (framework: Framework, { id, title, level }: Control, result: ControlAssessment): Cell => [
  {
    text: `${plain(id, 40)} ${oneLine(title, 160)}${levelMark(level)}: ${stateText(result)}`,
    style: 'strong',
    mark: stateMark(result.state),
    anchor: controlAnchor({ framework: framework.id, control: result.control }),
  },
]

/** A specification that is addressable is marked; the others are required. */
const levelMark = (level: Control['level']): string => (level === 'addressable' ? ' (addressable)' : '')

/** State and document part in one line; a state that is the document part alone is stated once. */
function stateText({ state, documents }: ControlAssessment): string {
  const held = documentLine(documents).toLowerCase()
  return state === 'documents-outstanding' ? held : `${rowStateWords[state].label.toLowerCase()}; ${held}`
}

/** One test: its result, and what was found of it on a node that was refused before login and therefore not tested. */
export function resultCell(check: ControlCheck, finding: Finding | undefined, untested: number): Cell {
  const cell = testedCell(check, finding, untested)
  const refused = finding === undefined ? [] : refusedNodes(finding)
  const [first, ...others] = cell
  if (finding === undefined || first === undefined || refused.length === 0) return cell
  const words = `Another host key was shown by ${names(refused, MOST_NAMED)}, not tested.`
  const link: Line = { text: finding.reference, link: finding.reference, showsPage: true }
  return [{ ...first, text: `${first.text} ${words}` }, ...(others.length === 0 ? [link] : others)]
}

/** What is compared once, and not on each node, by the source of its result. */
const ONCE: Partial<Readonly<Record<ControlCheck['source'], string>>> = {
  population: 'every row is reconciled',
  runs: 'the run chain covers the period',
}

/** Deviations out of the nodes tested, or no deviations where the whole population was tested; else what is open. */
function testedCell(check: ControlCheck, finding: Finding | undefined, untested: number): Cell {
  const {
    notSatisfied,
    tested,
    population,
    satisfied,
    inconclusive,
    notTested,
    informational,
    notApplicable,
    answeredByDocument,
  } = check
  const apart = [
    ...(inconclusive === 0 ? [] : [`${inconclusive} inconclusive`]),
    ...(notApplicable === 0 ? [] : [`${notApplicable} not applicable`]),
  ]
  const answered = answeredByDocument === 0 ? [] : [`${answeredByDocument} answered by a document`]
  // Nodes without any result are stated once, above the table.
  const open = [
    ...apart,
    ...(notTested === 0 || notTested === untested ? [] : [`${notTested} not tested`]),
    ...answered,
  ]
  if (notSatisfied > answeredByDocument && finding !== undefined) {
    // A node outside of the scope of the control deviates in the finding, and not here.
    const all = finding.deviations.flatMap(({ subject, isRefused }) => (isRefused === true ? [] : [subject]))
    const named = all.length === notSatisfied ? `: ${names(all, MOST_NAMED)}` : ''
    const more = finding.severity.level === 'info' ? '' : `, ${statusText(finding).toLowerCase()}`
    return [
      result('square-cross', `Deviations noted: ${outOf(notSatisfied, tested, 'node')} tested${named}.`, open),
      { text: finding.reference, link: finding.reference, showsPage: true },
      ...(finding.response?.owner == null
        ? []
        : [{ text: `Response: ${ownerText(finding)}${more}`, style: 'quiet' } as const]),
    ]
  }
  if (finding?.what === 'inventory')
    return [
      result(
        'diamond-question',
        `Unable to conclude: ${plural(finding.deviations.length, 'row')} of the provider inventory unreconciled.`,
        [],
      ),
      { text: finding.reference, link: finding.reference, showsPage: true },
    ]
  if (check.source === 'population' && satisfied + answeredByDocument === 0)
    return [result('diamond-question', 'Unable to conclude: no current provider inventory was compared.', [])]
  // The report is written before its pack can be verified.
  if (check.source === 'pack') return [result('dot', 'Not tested by this report: verify the pack.', [])]
  if (population === 0) return [result('bar', 'Not applicable: no node in scope.', [])]
  if (inconclusive + notTested === 0 && satisfied + informational > 0)
    return [
      result(
        'ring-tick',
        `No deviations noted: ${(check.built ? undefined : ONCE[check.source]) ?? `${outOf(satisfied + informational, population, 'node')} tested`}.`,
        open,
      ),
    ]
  if (inconclusive + notTested === 0 && notApplicable > 0)
    return [result('bar', `Not applicable on ${outOf(notApplicable, population, 'node')}, as observed.`, [])]
  if (tested === 0)
    return [
      result(
        'dotted-ring',
        population === 1
          ? 'Not tested: the node was not reached.'
          : `Not tested: none of ${population} nodes was reached.`,
        [],
      ),
    ]
  const missing = `${of(notTested, population)} not tested`
  if (inconclusive === 0 && satisfied + informational > 0)
    return [
      result(
        'diamond-question',
        `Scope limitation: no deviations noted on ${outOf(satisfied + informational, tested, 'node')} tested; ${missing}.`,
        [...apart, ...answered],
      ),
    ]
  if (notApplicable === tested)
    return [
      result(
        'diamond-question',
        `Scope limitation: not applicable on ${outOf(tested, tested, 'node')} tested, as observed; ${missing}.`,
        answered,
      ),
    ]
  return [
    result(
      'diamond-question',
      `Unable to conclude: ${outOf(satisfied + informational, tested, 'node')} satisfied.`,
      open,
    ),
  ]
}

const result = (mark: MarkName, words: string, open: readonly string[]): Line => ({
  mark,
  text: open.length === 0 ? words : `${words} ${open.join(', ')}.`,
})

/** Supporting checks that are not satisfied: they change no conclusion. */
function observationRow(
  { checks }: ControlAssessment,
  findings: ReadonlyMap<string, Finding>,
): readonly (readonly Cell[])[] {
  const noted = checks.filter((one) => isObservation(one)).flatMap(({ check }) => findings.get(check) ?? [])
  if (noted.length === 0) return []
  const references = noted.map(({ reference }) => reference)
  return [
    [
      [{ text: 'Other observations, which do not change the result', style: 'quiet' }],
      [
        {
          text: names(references, 12),
          style: 'quiet',
          ...(references[0] === undefined ? {} : { link: references[0] }),
        },
      ],
    ],
  ]
}

/** Documents held out of those needed, and how many were inspected and do not support. */
const heldText = ({ held, needed, deviations }: ControlAssessment['documents']): string =>
  `${of(held, needed)}${deviations.length === 0 ? '' : `, ${plural(deviations.length, 'deviation')}`}`

/** Two controls side by side, in reading order from left to right. */
function documentTable(framework: Framework, rows: readonly ControlRow[]): Block {
  const cells = rows.map(({ control, result: { control: key, documents, state } }): readonly Cell[] => [
    [
      {
        text: `${plain(control.id, 40)} ${oneLine(control.title, 100)}${levelMark(control.level)}`,
        anchor: controlAnchor({ framework: framework.id, control: key }),
      },
    ],
    [
      state === 'not-applicable'
        ? { text: 'Not applicable', mark: stateMark(state) }
        : { ...documentMarked(documents), text: heldText(documents) },
    ],
  ])
  return {
    kind: 'table',
    columns: [
      { title: 'Control', width: 36 },
      { title: 'Documents', width: 14 },
      { title: 'Control', width: 36 },
      { title: 'Documents', width: 14 },
    ],
    rows: cells.flatMap((left, at) => (at % 2 === 0 ? [[...left, ...(cells[at + 1] ?? [[], []])]] : [])),
  }
}

/** Controls of one framework named per check. */
const MOST_ITEMS = 8

/** Every check once: expected condition, limitations, results over the nodes, and mapped controls. */
export function checkSection(matter: Matter): Section {
  const items = itemsByCheck(matter)
  return {
    id: 'checks',
    title: titles.checks,
    blocks: [
      text(
        'Controls refer to checks by ID. A satisfied check shows its expected condition and nothing more; its limitations are printed below the condition. Each count is over all declared nodes.',
      ),
      ...PROPERTIES.flatMap((property): readonly Block[] => {
        const checks = matter.tally.checksOf(property)
        return checks.length === 0
          ? []
          : [heading(3, propertyWords[property].label, true), checkTable(matter, checks, items)]
      }),
    ],
  }
}

const checkTable = (matter: Matter, checks: readonly Check[], items: ReadonlyMap<string, readonly string[]>): Block =>
  table(
    { Check: 21, 'Expected condition and limitations': 59, Results: 20 },
    checks.map((check): readonly Cell[] => [
      [
        { text: check.id, style: 'strong' },
        ...(items.get(check.id) ?? []).map((words) => ({ text: words, style: 'quiet' as const })),
      ],
      [{ text: check.expected }, { text: check.limitations, style: 'quiet' }],
      countLines(matter.tally.overNodes(check.id)),
    ]),
  )

/** By check: one line per framework with the controls it is mapped to. */
function itemsByCheck(matter: Matter): ReadonlyMap<string, readonly string[]> {
  const { current, overlays } = chosenFrameworks(matter)
  const found = new Map<string, string[]>()
  for (const { id, controls } of [...current, ...overlays]) {
    const ids = new Map<string, string[]>()
    for (const control of controls)
      for (const { check } of control.mappings) ids.set(check, [...(ids.get(check) ?? []), control.id])
    for (const [check, items] of ids)
      found.set(check, [...(found.get(check) ?? []), `${shortName(id)} ${names(items, MOST_ITEMS)}`])
  }
  return found
}

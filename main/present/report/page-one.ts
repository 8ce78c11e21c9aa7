import { severityWords } from '../../../schemas/conclusion-words.ts'
import type { Engagement } from '../../../schemas/types.ts'
import { of, oneLine, outOf, plural } from '../../core/base/plain-text.ts'
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
} from '../../core/base/report-document.ts'
import { reached } from '../../core/conclusion/tally.ts'
import type { Finding, FoundDeviation } from '../../core/finding/finding.ts'
import type { NextAction, NotSeen } from '../presentation.ts'
import type { Matter } from './parts/input.ts'
import { deviatingOf, refusedLines, testedWords } from './parts/refused.ts'
import { short, titleName } from './parts/short.ts'
import {
  asExamined,
  chosenFrameworks,
  collectedBetween,
  day,
  isOfCustomer,
  nodeWords,
  rightsUsed,
  shortName,
  titles,
  when,
} from './parts/wording.ts'
import { dayOf, type FactRows } from './scope/boundary.ts'
import { relaxed } from './scope/method.ts'
import { sameMachineNote } from './scope/population.ts'

/**
 * Page 1: what was examined, three sentences of conclusion, the most severe findings in words of the condition, what is satisfied, what was not
 * seen, and what to do next. An officer who reads nothing else has the most severe findings.
 */
export function pageOne(matter: Matter): Section {
  const { assessment, shown } = matter
  const { engagement, fleet } = assessment.scope
  const blocks = ({ proofs, findings, actions, isBrief = false, sentence = 420 }: Detail): readonly Block[] => [
    {
      kind: 'title',
      over: '',
      text: isBrief ? short(engagement?.entity ?? fleet, 32) : titleName(engagement?.entity ?? fleet),
      under: short(
        engagement?.boundary.system ?? 'Engagement not defined: no entity, system, period or boundary.',
        isBrief ? 76 : 160,
      ),
    },
    ...reservations(matter),
    { kind: 'facts', isPaired: true, rows: facts(matter, isBrief) },
    heading(3, 'Conclusion'),
    text(shown.conclusion.map((one) => short(one, sentence)).join(' ')),
    heading(3, 'Most severe findings'),
    ...(shown.findings.length === 0 ? [text(noFinding(matter))] : leadingBlocks(matter, findings, proofs)),
    seenTable(matter),
    heading(3, actionsTitle(shown.actions.length, actions)),
    actionTable(shown.actions.slice(0, actions)),
  ]
  return {
    id: 'summary',
    title: titles.summary,
    blocks: blocks(WHOLE),
    shorter: LESS.map(blocks),
  }
}

/** How much is printed on the page; what is left out is in the sections behind it. */
interface Detail {
  readonly proofs: number
  readonly findings: number
  readonly actions: number
  /** Without boundary and provider, which “Scope and boundary” has, and the names of organization and system on one line each. */
  readonly isBrief?: boolean
  /** Width of each sentence of the conclusion at the most. */
  readonly sentence?: number
}

const WHOLE: Detail = { proofs: 7, findings: 7, actions: 8 }
const LESS: readonly Detail[] = [
  { proofs: 7, findings: 7, actions: 6 },
  { proofs: 4, findings: 7, actions: 6 },
  { proofs: 2, findings: 7, actions: 5 },
  { proofs: 0, findings: 7, actions: 6 },
  { proofs: 0, findings: 7, actions: 5 },
  { proofs: 0, findings: 7, actions: 4 },
  { proofs: 0, findings: 7, actions: 3 },
  { proofs: 0, findings: 7, actions: 2 },
  { proofs: 0, findings: 6, actions: 2 },
  { proofs: 0, findings: 5, actions: 2 },
  { proofs: 0, findings: 4, actions: 2 },
  { proofs: 0, findings: 4, actions: 1 },
  { proofs: 0, findings: 3, actions: 1 },
  { proofs: 0, findings: 2, actions: 1 },
  { proofs: 0, findings: 1, actions: 1 },
  { proofs: 0, findings: 1, actions: 1, isBrief: true },
  { proofs: 0, findings: 1, actions: 1, isBrief: true, sentence: 240 },
]

/** Printed where there is no finding. Without any collected node, the absence of deviations is not a result. */
export const noFinding = ({ assessment }: Pick<Matter, 'assessment'>): string =>
  assessment.nodes.some(reached)
    ? 'No deviations noted on the nodes tested.'
    : 'No node was collected, so no check was tested.'

/** What limits every conclusion of the page: demo data, synthetic recordings, relaxed thresholds. */
function reservations(matter: Matter): readonly Block[] {
  const { demo, assessment } = matter
  const made = assessment.nodes.filter(({ synthetic }) => synthetic !== null).length
  return [
    // Every running head carries the mark of demo data.
    ...(demo
      ? []
      : made > 0
        ? [
            {
              kind: 'banner',
              title: 'Contains synthetic recordings',
              text: `${outOf(made, assessment.nodes.length, 'node')} ${made === 1 ? 'has a recording that was' : 'have recordings that were'} not captured unmodified from a real node.`,
            } as const,
          ]
        : []),
    ...relaxed(matter),
  ]
}

function facts(matter: Matter, isBrief: boolean): FactRows {
  const { assessment, shown, catalog, generatedFor } = matter
  const { engagement } = assessment.scope
  const { figures } = shown
  const { inventory } = figures
  const { current } = chosenFrameworks({ assessment, catalog })
  const basis = engagement?.reportingBasis
  const asOf = when(assessment.asOf)
  return [
    {
      label: 'Basis',
      value: cell(
        basis?.kind === 'period'
          ? `Period ${dayOf(basis.from)} to ${dayOf(basis.to)}; one collection in it, as of ${asOf}`
          : `Point in time, as of ${asOf}`,
      ),
    },
    {
      label: 'Criteria',
      value: cell(
        current.length === 0
          ? 'No framework in effect chosen'
          : short(
              current
                .map(
                  (one) => `${asExamined(shortName(one.id))}${isOfCustomer(matter, one) ? ' (customer mapping)' : ''}`,
                )
                .join(', '),
              isBrief ? 60 : 120,
            ),
      ),
    },
    {
      label: 'Population',
      value: cell(
        `${figures.declared} ${nodeWords(assessment).replace(/ nodes?$/, '')}: ${figures.tested} tested, ${figures.untested} not tested${sameMachineNote(assessment)}`,
      ),
    },
    {
      label: 'Inventory',
      value: cell(
        inventory === null
          ? 'No provider inventory compared'
          : `${plural(inventory.rows, 'row')}: ${inventory.matched} matched, ${inventory.excluded} excluded, ${inventory.unreconciled} unreconciled`,
      ),
    },
    { label: 'Collected', value: cell(short(collectedBetween(matter.recordings), 80)) },
    { label: 'Rights', value: cell(rightsUsed(assessment.nodes) || 'No node was collected') },
    ...(isBrief ? [] : scopeFacts(engagement)),
    ...(generatedFor === undefined ? [] : [{ label: 'Prepared for', value: cell(short(generatedFor, 60)) }]),
  ]
}

const cell = (words: string): Cell => [{ text: words }]

/** Declared sites and providers. */
function scopeFacts(engagement: Engagement | undefined): FactRows {
  const sites = engagement?.boundary.sites ?? []
  const providers = (engagement?.subserviceOrganizations ?? []).map(
    ({ name, method }) => `${short(name, 40)}, ${method}`,
  )
  return [
    { label: 'Boundary', value: cell(sites.length === 0 ? 'No site declared' : short(sites.join(', '), 60)) },
    { label: 'Provider', value: cell(providers.length === 0 ? 'None declared' : short(providers.join('; '), 60)) },
  ]
}

/** Title of the column with the page of each finding. */
export const PAGE = 'Page'

function leadingBlocks(matter: Matter, most: number, proofs: number): readonly Block[] {
  const { findings, figures } = matter.shown
  const leading = matter.shown.leading.slice(0, most)
  const severe = findings.filter((one) => isSevere(one) && !leading.includes(one)).length
  const { inEffect, expired } = figures.acceptances
  return [
    {
      kind: 'table',
      columns: [
        { title: 'Severity', width: 12 },
        { title: 'Condition found', width: 59 },
        { title: 'Of tested', width: 10 },
        { title: 'Owner, due', width: 13 },
        { title: PAGE, width: 6, align: 'right' },
      ],
      rows: leading.map((finding, at): readonly Cell[] => [
        [severityLine(finding)],
        [
          { text: short(finding.condition, 110), style: 'strong' },
          ...(at < proofs ? [{ text: short(proof(finding), LONGEST_PROOF), style: 'quiet' } as const] : []),
          ...refusedLines(finding),
        ],
        [{ text: countText(finding) }],
        [{ text: short(ownerText(finding), 40) }],
        [{ text: '', link: finding.reference, showsPage: true }],
      ]),
    },
    {
      kind: 'text',
      line: {
        text: `One finding of each risk area first. Further critical and high findings: ${severe}. Risk acceptances: ${inEffect} in effect, ${expired} expired.`,
        style: 'quiet',
      },
    },
  ]
}

export const isSevere = ({ severity }: Finding): boolean => severity.level === 'critical' || severity.level === 'high'

export const severityMark = (level: Finding['severity']['level']): MarkName => `severity-${level}`
export const severityLine = ({ severity: { level } }: Finding): Line => ({
  text: severityWords[level],
  mark: severityMark(level),
  ...(level === 'critical' ? { style: 'strong' as const } : {}),
})

/** Deviations out of what was tested, below a heading that states so; refusedLines() is printed next to it. */
export const countText = (finding: Finding): string =>
  finding.what === 'inventory' ? `${deviatingOf(finding)}\u00a0rows` : deviatingOf(finding)

/** The same where no heading states it. */
export const countWords = (finding: Finding): string =>
  finding.what === 'inventory' ? countText(finding) : `${deviatingOf(finding)}${testedWords(finding)}`

export const ownerText = ({ response }: Finding): string =>
  response?.owner == null
    ? 'Not assigned'
    : `${oneLine(response.owner, 60)}${response.due === null ? '' : `, ${day(response.due)}`}`

/** Observations shown below a condition, of one node: the first that contradict the expected condition. */
export function proof({ deviations }: Finding): string {
  const contradicting = ({ observations }: FoundDeviation): readonly string[] =>
    observations.flatMap(({ direction, text: words }) => (direction === 'contradicts' ? [words] : []))
  return [...deviations]
    .sort((a, b) => contradicting(b).length - contradicting(a).length)
    .slice(0, 1)
    .map(
      (one) =>
        `${deviations.length === 1 ? '' : `${one.subject}: `}${oneLine(contradicting(one).slice(0, 2).join(' '), 400)}`,
    )
    .join(' ')
}

/** In units of width. */
const LONGEST_PROOF = 110

const SEEN_MARKS: Readonly<Record<NotSeen['is'], MarkName>> = {
  'not-tested': 'dotted-ring',
  inconclusive: 'diamond-question',
  limit: 'dotted-ring',
}

/** What is satisfied next to what was not seen. A part of the nodes is no tick: another part may deviate. */
function seenTable({ shown: { inOrder, notSeen } }: Matter): Block {
  return table({ Satisfied: 50, 'Not seen': 50 }, [
    [
      inOrder.length === 0
        ? [{ text: 'Nothing was shown to be satisfied.' }]
        : inOrder.map(
            ({ text: words, part, whole }): Line => ({
              text: `${words}: ${of(part, whole)}`,
              mark: part === whole ? 'ring-tick' : 'dot',
            }),
          ),
      notSeen.map(({ text: words, is }): Line => ({ text: short(words, 90), mark: SEEN_MARKS[is] })),
    ],
  ])
}

/** A reader must not take the first actions for all of them. */
const actionsTitle = (all: number, most: number): string =>
  all > most ? `Next actions (the first ${most} of ${all})` : 'Next actions'

const actionTable = (actions: readonly NextAction[]): Block =>
  actions.length === 0
    ? quiet('None.')
    : table(
        { Action: 60, Closes: 14, Owner: 14, Due: 12 },
        actions.map(({ text: words, findings, owner, due }, at): readonly Cell[] => [
          [{ text: short(`${at + 1}. ${words}`, 130) }],
          findings.map(({ reference }) => ({ text: reference, link: reference })),
          [{ text: owner === null ? 'Not assigned' : short(owner, 30) }],
          [{ text: due === null ? '–' : day(due) }],
        ]),
      )

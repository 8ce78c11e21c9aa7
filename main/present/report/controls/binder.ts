import { levelWords, rowMeaning, rowStateWords } from '../../../../schemas/conclusion-words.ts'
import type { ControlAssessment, EvidenceDocument, RiskAcceptance } from '../../../../schemas/types.ts'
import { statusWords } from '../../../../schemas/words.ts'
import { names, of, oneLine, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  list,
  monoCell,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { reached } from '../../../core/conclusion/tally.ts'
import { PATHS } from '../../../core/pack/pack-files.ts'
import { compare } from '../../../core/recording/recording.ts'
import { attachmentPath } from '../../../core/register/attachments.ts'
import { levelOf } from '../../../core/register/documents.ts'
import { statusOf } from '../../../core/register/register.ts'
import type { Check } from '../../../core/rules/check.ts'
import type { Control, Framework } from '../../../core/rules/framework.ts'
import { matterOf, paperOf, type ReportDocument, type ReportInput } from '../../report.ts'
import { lasts, signerCell } from '../cover.ts'
import type { Matter } from '../parts/input.ts'
import { chosenFrameworks, day, documentMarked, serverMarked, shortName, stateLine, when } from '../parts/wording.ts'
import { documentsOf } from '../records.ts'
import { factBlock } from '../scope/boundary.ts'
import { askedWords } from '../scope/outstanding.ts'
import { checkPages, checkRow, type OpenGroup, openGroups } from './binder-checks.ts'
import { type ControlRow, controlRowsOf, decisionLines, unbuilt } from './control-detail.ts'

/** Lookups shared by the pages of all controls. */
interface Shelf {
  readonly matter: Matter
  readonly checks: ReadonlyMap<string, Check>
  readonly groups: (check: string) => readonly OpenGroup[]
  readonly acceptances: ReadonlyMap<string, readonly RiskAcceptance[]>
}

/**
 * The report by control, for filing with the documents: requirement, both parts, checks with roles and counts,
 * documents on file and outstanding, decisions and risk acceptances. Then controls not in scope as a list, and each check once with
 * its limitations and the nodes to review, with their observations and captures.
 */
export function buildBinder(input: ReportInput): ReportDocument {
  const matter = matterOf(input)
  const { assessment, evidenceDigest } = input
  const shelf: Shelf = {
    matter,
    checks: new Map(matter.catalog.checks.map((check) => [check.id, check])),
    groups: openGroups(matter),
    acceptances: exceptionsByCheck(matter),
  }
  const { current, overlays } = chosenFrameworks(matter)
  const rows = [...current, ...overlays].map((framework) => ({ framework, rows: controlRowsOf(matter, framework) }))
  const fleet = plain(assessment.scope.fleet, 60)
  return {
    title: `Evidence by control: ${fleet}`,
    language: 'en',
    subject: `Evidence digest ${evidenceDigest}`,
    producer: input.producer,
    demo: input.demo,
    paper: paperOf(assessment.scope),
    runningHead: `${fleet}, pack ${plain(input.packName, 60)}`,
    runningFoot: `Evidence ${evidenceDigest.slice(0, 16)}, as of ${when(assessment.asOf)}`,
    sections: [
      front(matter),
      ...rows.flatMap(({ framework, rows: own }) =>
        own.filter(({ result }) => result.state !== 'out-of-scope').map((row) => controlPages(shelf, framework, row)),
      ),
      outOfScope(rows),
      ...checkPages(
        matter,
        shelf.groups,
        rows.flatMap(({ rows: own }) => own.map(({ result }) => result)),
      ),
    ],
  }
}

function front(matter: Matter): Section {
  const { assessment, signer, packName, evidenceDigest, demo } = matter
  const { engagement, fleet } = assessment.scope
  return {
    id: 'cover',
    title: 'Report information',
    blocks: [
      {
        kind: 'title',
        over: 'Evidence by control',
        text: oneLine(engagement?.entity ?? fleet, 80),
        under: `Evidence for each control, as of ${when(assessment.asOf)}`,
      },
      ...(demo ? [DEMO] : []),
      text(
        `A conclusion states what the evidence supports. Management and its auditor decide whether a control is satisfied. Titles and summaries are worded by this tool. For limitations, method, population and results by node, see the report (${PATHS.report} in the evidence pack); evidence.csv next to the pack lists every capture. A check mapped to several controls is listed at each control with its counts, and once at the end, by property, with its limitations, the nodes to review, their observations and captures.`,
      ),
      factBlock([
        { label: 'Fleet', value: plainCell(plain(fleet, 200)) },
        { label: 'Evidence pack', value: plainCell(plain(packName)) },
        { label: 'Evidence digest', value: monoCell(evidenceDigest) },
        { label: 'Signer', value: signerCell(signer).slice(0, 2) },
      ]),
      ...silentNodes(matter),
      heading(3, 'Contents'),
      { kind: 'contents' },
    ],
  }
}

/** Printed once for all controls: nodes not collected count as not tested in every check. */
function silentNodes({ assessment }: Matter): readonly Block[] {
  const silent = assessment.nodes.filter((node) => !reached(node)).map(({ node }) => node)
  return silent.length === 0
    ? []
    : [
        text(
          `${plural(silent.length, 'declared node')} ${silent.length === 1 ? 'was' : 'were'} not collected and ${silent.length === 1 ? 'counts' : 'count'} as not tested in every check: ${names(silent)}. For the reasons, see the report.`,
        ),
      ]
}

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'Produced from the built-in demo fleet. It does not describe any real server and must not be used as evidence.',
}

function controlPages(shelf: Shelf, framework: Framework, row: ControlRow): Section {
  const { matter, checks } = shelf
  const { control, result } = row
  const counted = result.checks.filter(({ source }) => source !== 'document')
  return {
    id: `${framework.id} ${control.key}`,
    title: `${shortName(framework.id)} ${plain(`${control.id} ${control.title}`, 300)}`,
    part: plain(framework.title, 200),
    blocks: [
      ...(framework.proposed ? [OVERLAY] : []),
      text(plain(control.summary, 2000)),
      statusBlock(row),
      ...(counted.length === 0
        ? []
        : [
            table(
              { Check: 42, Coverage: 28, Result: 30 },
              counted.map((count) => checkRow(matter, framework, control, count, checks.get(count.check))),
            ),
          ]),
      ...unbuilt(result).map(quiet),
      ...exceptionBlocks(matter, shelf.acceptances, result),
      heading(3, 'Documents'),
      ...documentBlocks(matter, control, result),
      ...decisionLines(matter, control, result).map(text),
      heading(3, 'Not covered'),
      text(plain(control.notCovered, 2000)),
    ],
  }
}

const OVERLAY: Block = {
  kind: 'banner',
  title: 'Proposed rule, not in effect',
  text: 'These pages evaluate the same evidence against a proposed rule. They state no obligation.',
}

function statusBlock({ control, result }: ControlRow): Block {
  const { state, server, documents } = result
  const { level, kind } = control
  return factBlock([
    {
      label: 'Level',
      value: plainCell(plain(`${level === kind ? kind : `${level} ${kind}`}, ${control.evidenceType}`)),
    },
    { label: 'Servers', value: [serverMarked(server)] },
    { label: 'Documents', value: [documentMarked(documents)] },
    { label: 'State', value: [stateLine(state), { text: rowMeaning(state, server.state), style: 'quiet' }] },
    { label: 'Responsible', value: plainCell(plain(control.responsibility.join(', '), 300)) },
  ])
}

type Shown = readonly { readonly framework: Framework; readonly rows: readonly ControlRow[] }[]

/** Controls not in scope: categories not elected, and controls that this tool does not examine. */
function outOfScope(all: Shown): Section {
  const out = all.flatMap(({ framework, rows }) =>
    rows.filter(({ result }) => result.state === 'out-of-scope').map(({ control }) => ({ framework, control })),
  )
  const counts = all.map(({ framework: { id }, rows }) => {
    const own = rows.filter(({ result }) => result.state === 'out-of-scope').length
    return `${shortName(id)}: ${of(own, rows.length)} ${id === 'soc2' ? 'criteria' : 'controls'}.`
  })
  return {
    id: 'out-of-scope',
    title: rowStateWords['out-of-scope'].label,
    blocks: [
      text([...counts, rowStateWords['out-of-scope'].meaning].join(' ')),
      ...(out.length === 0
        ? []
        : [
            list(
              out.map(({ framework, control }) => ({
                text: `${shortName(framework.id)} ${plain(`${control.id} ${control.title}`, 300)}`,
              })),
            ),
          ]),
    ],
  }
}

/** Risk acceptances printed at one control; the others are counted. */
const MOST_EXCEPTIONS = 20

/** Risk acceptances by check, the earliest expiry first. */
function exceptionsByCheck({ register }: Matter): ReadonlyMap<string, readonly RiskAcceptance[]> {
  const found = new Map<string, RiskAcceptance[]>()
  for (const entry of [...register.riskAcceptances].sort(
    (a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.id, b.id),
  ))
    found.set(entry.check, [...(found.get(entry.check) ?? []), entry])
  return found
}

/** Risk acceptances for the checks of this control. */
function exceptionBlocks(
  matter: Matter,
  exceptions: ReadonlyMap<string, readonly RiskAcceptance[]>,
  { checks }: ControlAssessment,
): readonly Block[] {
  const all = checks.flatMap(({ check }) => exceptions.get(check) ?? [])
  if (all.length === 0) return []
  const left = all.length - MOST_EXCEPTIONS
  return [
    heading(3, 'Risk acceptances'),
    table(
      { 'Check and nodes': 34, Status: 26, 'Reason and compensating control': 40 },
      all.slice(0, MOST_EXCEPTIONS).map((entry): readonly Cell[] => [
        [
          { text: plain(entry.check, 100), style: 'strong' },
          { text: `${of(entry.nodes.length, matter.assessment.nodes.length)} nodes: ${names(entry.nodes, 5)}` },
        ],
        [
          { text: lasts(statusOf(entry, matter.assessment.asOf), entry.expiresAt) },
          { text: `Approved by ${oneLine(entry.approvedBy, 80)}, owner ${oneLine(entry.owner, 80)}`, style: 'quiet' },
        ],
        [{ text: oneLine(entry.reason, 600) }, { text: oneLine(entry.compensatingControl, 600), style: 'quiet' }],
      ]),
    ),
    ...(left > 0 ? [quiet(`And ${plural(left, 'more risk acceptance')}, in the report.`)] : []),
  ]
}

/** Documents of this control: on file with level, inspection and digest, and outstanding with owner and due date. */
function documentBlocks(matter: Matter, control: Control, item: ControlAssessment): readonly Block[] {
  const rows = documentsOf(matter, control, item).map((status): readonly Cell[] => {
    const { document, attached, conclusion, isOpen } = status
    const mark = conclusion === 'does-not-support' ? 'square-cross' : isOpen ? 'dotted-ring' : 'ring-tick'
    return [
      [
        { text: `${document.request === null ? '' : `${document.request.id} `}${oneLine(document.title, 500)}`, mark },
        ...document.needs.map((need) => ({ text: oneLine(need, 500), style: 'quiet' as const })),
      ],
      [
        {
          text: isOpen
            ? `Outstanding: ${askedWords(status)}.`
            : conclusion === 'does-not-support'
              ? 'Inspected; does not support the control.'
              : document.mandatory
                ? 'On file.'
                : 'Optional: supports, not required.',
        },
        ...attached.flatMap((entry) => attachedLines(entry, matter.assessment.asOf)),
      ],
    ]
  })
  return rows.length === 0 ? [text('No documents required.')] : [table({ Document: 42, Status: 58 }, rows)]
}

const attachedLines = (entry: EvidenceDocument, asOf: string): Cell => [
  {
    text: `${oneLine(entry.name, 200)}: ${levelWords[levelOf(entry)].label.toLowerCase()}${entry.inspection === undefined ? '' : ` by ${oneLine(entry.inspection.by, 200)} on ${day(entry.inspection.at)}`}; ${statusWords[statusOf(entry, asOf)].toLowerCase()}; ${entry.validUntil === null ? 'no expiry stated' : `valid until the end of ${day(entry.validUntil)}`}.`,
  },
  { text: entry.sha256, style: 'mono' },
  ...(entry.withdrawn === null ? [{ text: attachmentPath(entry), style: 'quiet' } as const] : []),
]

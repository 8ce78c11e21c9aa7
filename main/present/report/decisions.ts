import type { ControlDecision } from '../../../schemas/types.ts'
import { decisionWords, statusWords } from '../../../schemas/words.ts'
import { alike } from '../../core/base/grouping.ts'
import { names, of, oneLine, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  plainCell,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { compare } from '../../core/recording/recording.ts'
import { decidedFor, decisionsOf } from '../../core/register/decisions.ts'
import type { EntryStatus } from '../../core/register/register.ts'
import { findingByCheck } from '../presentation.ts'
import { lasts, peopleRows, withdrawal } from './cover.ts'
import type { Matter } from './parts/input.ts'
import { chosenFrameworks, day, itemName, stateLine, titles, when } from './parts/wording.ts'
import { byStatus, factBlock, furtherEntries, MOST_ENTRIES, typed } from './scope/boundary.ts'
import { askedWords, documentCounts, failingWords, type OutstandingRequest } from './scope/outstanding.ts'

/** Documented decisions on controls, and the controls that lack a decision. */
export function decisionSection(matter: Matter): Section {
  const { register, assessment } = matter
  const ordered = [...decisionsOf(register)].sort(
    (a, b) => compare(rowKey(a), rowKey(b)) || compare(a.decidedAt, b.decidedAt) || compare(a.id, b.id),
  )
  const groups = byStatus(ordered, assessment.asOf)
  return {
    id: 'decisions',
    title: titles.decisions,
    blocks: [
      text(
        'Management decisions on addressable specifications (45 CFR 164.306(d)(3)) and rationales for non-applicability. They are valid until a date and change no verdict. The rationales were not evaluated.',
      ),
      ...(groups.length === 0 ? [text('No control decisions.')] : []),
      ...groups.flatMap(({ status, entries }): readonly Block[] => [
        heading(3, `${statusWords[status]} (${entries.length})`, true),
        ...(status === 'expired' ? [text('Expired decisions have no effect until renewed.')] : []),
        ...entries.slice(0, MOST_ENTRIES).flatMap((entry) => entryBlocks(matter, entry, status)),
        ...furtherEntries(entries.length),
      ]),
      ...addressable(matter),
      ...unreasoned(matter),
    ],
  }
}

const rowKey = ({ framework, control }: ControlDecision): string => `${framework}\n${control}`

function entryBlocks({ catalog }: Matter, entry: ControlDecision, status: EntryStatus): readonly Block[] {
  const { decision, factors, alternativeMeasure, riskAnalysis, withdrawn } = entry
  const optional = (label: string, words: string | null) => (words === null ? [] : [{ label, value: typed(words) }])
  return [
    heading(4, itemName(catalog, entry)),
    factBlock([
      { label: 'Decision', value: [{ text: decisionWords[decision], style: 'strong' }] },
      { label: 'Status', value: plainCell(lasts(status, entry.expiresAt)) },
      { label: 'Reason', value: typed(entry.reason, 4000) },
      ...optional('Factors considered', factors),
      ...optional('Equivalent alternative measure', alternativeMeasure),
      ...optional('Risk analysis', riskAnalysis),
      { label: 'Owner', value: plainCell(oneLine(entry.owner, 200)) },
      ...peopleRows(entry),
      { label: 'Decided', value: plainCell(when(entry.decidedAt)) },
      ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
    ]),
  ]
}

/** Addressable specifications without a decision. Addressable is not optional (45 CFR 164.306(d)(3)). */
function addressable(matter: Matter): readonly Block[] {
  const { register, assessment } = matter
  const rows = chosenFrameworks(matter).current.flatMap(({ id: framework, controls }) =>
    controls.filter(({ level }) => level === 'addressable').map(({ key: control }) => ({ framework, control })),
  )
  if (rows.length === 0) return []
  const open = rows.filter((row) => decidedFor(register, row, assessment.asOf).length === 0)
  return [
    heading(3, 'Addressable specifications without a decision', true),
    text(
      open.length === 0
        ? `None: each of the ${plural(rows.length, 'addressable specification')} has a decision in effect.`
        : `${of(open.length, rows.length)} have none in effect. Addressable is not optional. It requires an assessment, then implementation, or a documented reason and an equivalent alternative measure where reasonable and appropriate.`,
    ),
    ...(open.length === 0 ? [] : [rowTable(matter, open)]),
  ]
}

/** Controls not applicable by observation on servers, without an approved rationale for non-applicability. */
function unreasoned(matter: Matter): readonly Block[] {
  const { current } = chosenFrameworks(matter)
  const chosen = new Set(current.map(({ id }) => id))
  const open = matter.assessment.controls.filter(
    ({ framework, server, rationale }) =>
      chosen.has(framework) && server.state === 'not-applicable' && rationale === null,
  )
  return open.length === 0
    ? []
    : [
        heading(3, 'Controls not applicable by observation, without an approved rationale', true),
        text(
          'The evidence shows that no required check applies to these servers. The control remains in scope and is concluded from its documents.',
        ),
        rowTable(matter, open),
      ]
}

function rowTable(matter: Matter, rows: readonly { readonly framework: string; readonly control: string }[]): Block {
  const states = new Map(
    matter.assessment.controls.map(({ framework, control, state }) => [`${framework}\n${control}`, state]),
  )
  return table(
    { Control: 64, 'Current state': 36 },
    rows.map((row) => {
      const state = states.get(`${row.framework}\n${row.control}`)
      return [
        plainCell(itemName(matter.catalog, row)),
        state === undefined ? plainCell('Not evaluated') : [stateLine(state)],
      ]
    }),
  )
}

/**
 * Documents that do not support, and those that are outstanding, each once however many controls need it; and risk acceptances, expired ones
 * first.
 */
export function requestSection(matter: Matter): Section {
  const { outstanding, failing, needed, overdue } = documentCounts(matter)
  return {
    id: 'requests',
    title: titles.requests,
    flows: true,
    blocks: [
      text(
        `${of(outstanding.length, needed)} required documents are outstanding, ${overdue} of them overdue. One document answers its request in every control that needs it. A document counts when a named person inspected it and recorded a conclusion; inquiry and receipt alone do not (AT-C 205).`,
      ),
      ...(failing.length === 0
        ? []
        : [
            text(`${failing.length} ${failingWords(failing.length)}, which is a deviation of each.`),
            documentGroups(failing),
          ]),
      ...(outstanding.length === 0 ? [] : [documentGroups(outstanding)]),
      heading(3, 'Risk acceptances', true),
      acceptances(matter),
    ],
  }
}

type Outstanding = readonly OutstandingRequest[]

/** One table in groups of the same status: what is overdue first, what has no owner last. */
function documentGroups(outstanding: Outstanding): Block {
  const urgency = ([first]: Outstanding): string => {
    const asked = first?.status.request ?? null
    return asked === null ? '2' : `${first?.status.overdue === true ? 0 : 1} ${asked.due}`
  }
  const groups = [...alike(outstanding, ({ status }) => askedWords(status))].sort((some, others) =>
    compare(urgency(some), urgency(others)),
  )
  return headedTable(
    { Request: 12, Document: 76, Controls: 12 },
    groups.flatMap((group): readonly (readonly Cell[])[] => [
      [[{ text: `${sentence(group)} (${group.length})`, style: 'strong' }]],
      ...byRequest(group).map(({ id, status, controls }): readonly Cell[] => [
        [{ text: id ?? '–' }],
        [{ text: oneLine(status.document.title, 240) }],
        [{ text: String(controls.length) }],
      ]),
    ]),
  )
}

const byRequest = (group: Outstanding): Outstanding => [...group].sort((a, b) => compare(a.id ?? '', b.id ?? ''))

const sentence = ([first]: Outstanding): string => {
  const words = first === undefined ? '' : askedWords(first.status)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** The finding that an acceptance covers; its check alone where that does not deviate now. */
const findingLines = (finding: Finding | undefined, check: string): readonly Line[] =>
  finding === undefined
    ? [{ text: plain(check, 100) }]
    : [{ text: finding.title }, { text: finding.reference, link: finding.reference, showsPage: true }]

/** Acceptances of the register by status. They change no verdict; the annex has each in full. */
function acceptances({ register, assessment, tally, shown }: Matter): Block {
  const found = findingByCheck(shown)
  const entries = byStatus(register.riskAcceptances, assessment.asOf).flatMap(({ status, entries: own }) =>
    own.map((entry) => ({ status, entry })),
  )
  if (entries.length === 0) return text('None.')
  return table(
    { 'Finding or check': 28, Nodes: 26, Status: 22, 'Approved by, reason': 24 },
    entries.map(({ status, entry: { check, nodes, expiresAt, approvedBy, reason } }): readonly Cell[] => {
      const open = nodes.filter((node) => tally.verdict(node, check) === 'not-satisfied').length
      return [
        findingLines(found.get(check), check),
        [{ text: names(nodes, 4) }, { text: `Deviations now on ${of(open, nodes.length)}`, style: 'quiet' }],
        [
          {
            text: `${statusWords[status]}: ${status === 'expired' ? 'ended' : 'until'} ${day(expiresAt)}`,
            mark: status === 'expired' ? 'square-cross' : 'dot',
          },
        ],
        [{ text: oneLine(approvedBy, 80) }, { text: oneLine(reason, 160), style: 'quiet' }],
      ]
    }),
  )
}

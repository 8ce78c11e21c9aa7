import { findingStatusWords } from '../../schemas/conclusion-words.ts'
import { auditorStatusWords, decisionWords, durationWords } from '../../schemas/words.ts'
import { plain } from '../core/base/plain-text.ts'
import { isOnePerson } from '../core/register/register.ts'
import type { Catalog } from '../core/rules/catalog.ts'
import type { EntryContent, SealingContent, SignedList, StatedEntry } from '../core/team/sealing-content.ts'

const TITLES: Readonly<Record<SignedList, string>> = {
  riskAcceptances: 'Risk acceptance',
  acceptanceRequests: 'Request for a risk acceptance',
  decisions: 'Control decision',
  responses: 'Management response to a finding',
  auditorRequests: 'Statement about a request of an auditor',
}

/** Every member of an entry, in the order in which it is shown. */
const LABELS: Readonly<Record<string, string>> = {
  check: 'Check',
  framework: 'Framework',
  control: 'Control',
  reference: 'Request',
  title: 'Title',
  request: 'Evidence request',
  nodes: 'Nodes',
  run: 'Run',
  decision: 'Decision',
  status: 'Status',
  reason: 'Reason',
  compensatingControl: 'Compensating control',
  factors: 'Factors',
  alternativeMeasure: 'Alternative measure',
  riskAnalysis: 'Risk analysis',
  cause: 'Cause',
  plan: 'Plan',
  comment: 'Comment',
  owner: 'Owner',
  due: 'Due',
  requestedBy: 'Requested by',
  approvedBy: 'Approved by',
  approverRole: 'Role of the approver',
  statedBy: 'Stated by',
  requestedAt: 'Requested at',
  acceptedAt: 'Accepted at',
  decidedAt: 'Decided at',
  statedAt: 'Stated at',
  expiresAt: 'Expires at',
  id: 'ID',
}
/** Not part of what is signed. */
const UNSIGNED = new Set(['withdrawn', 'signatures', 'resolved'])

const ROLES = {
  requester: 'the person who requests it',
  approver: 'the person who approves it',
  respondent: 'the person who states it',
} as const

const wordsOf = (name: string, list: SignedList): Readonly<Record<string, string>> =>
  name === 'decision' ? decisionWords : list === 'responses' ? findingStatusWords : auditorStatusWords

/**
 * Everything that a signature would cover, in words, with one label and value per line. Null where an entry has a member that would not be
 * shown, so that nothing is signed that a person cannot read.
 */
export const sealingLines = (content: SealingContent, catalog: Pick<Catalog, 'checks'>): readonly string[] | null =>
  content.kind === 'register-entry' ? registerLines(content, catalog) : chainLines(content.entry)

function chainLines(entry: StatedEntry): readonly string[] {
  const value = (text: string): string => plain(text, Math.max(text.length, 200))
  const stated = [line('Reason', value(entry.why)), line('Time stated', entry.at), line('Signer', entry.signer)]
  const fleet = line('Fleet', value(entry.fleet))
  switch (entry.kind) {
    case 'baseline':
      return ['Baseline: the run that later runs are compared with', fleet, line('Run', value(entry.run)), ...stated]
    case 'gap':
      return [
        'Missed run: a run that was due and did not take place',
        fleet,
        ...(entry.schedule === undefined ? [] : [line('Schedule', entry.schedule)]),
        line('Due', entry.due),
        ...stated,
      ]
    case 'plan':
      return [
        entry.cadence === null
          ? 'End of a schedule: no further run is due'
          : 'Schedule: the times at which a run is due, from this entry on',
        fleet,
        line('Schedule', entry.schedule),
        line('Runs are due', entry.cadence === null ? 'no longer' : value(entry.cadence)),
        line(
          'In time if sealed',
          `within ${entry.withinMinutes} minutes (${durationWords(entry.withinMinutes)}) after a run was due`,
        ),
        line('From', entry.from),
        ...stated,
      ]
  }
}

function registerLines(content: EntryContent, { checks }: Pick<Catalog, 'checks'>): readonly string[] | null {
  const { list, entry, role, at } = content
  const members = Object.entries(entry).filter(([name, value]) => !UNSIGNED.has(name) && value !== undefined)
  if (members.some(([name]) => LABELS[name] === undefined)) return null
  const values = new Map(members)
  const shown = Object.keys(LABELS).flatMap((name) =>
    values.has(name) ? [line(LABELS[name] ?? '', valueText(name, values.get(name), list))] : [],
  )
  const expected = 'check' in entry ? checks.find(({ id }) => id === entry.check)?.expected : undefined
  return [
    TITLES[list],
    ...(expected === undefined ? [] : [line('Expected condition', expected)]),
    ...shown,
    ...disclosed(content),
    line('You sign as', ROLES[role]),
    line('Time stated', at),
  ]
}

const disclosed = ({ entry }: EntryContent): readonly string[] =>
  'approvedBy' in entry && isOnePerson(entry) ? ['  The same person requests and approves it.'] : []

const line = (label: string, value: string): string => `  ${`${label}:`.padEnd(22)}${value}`

function valueText(name: string, value: unknown, list: SignedList): string {
  if (value === null) return 'none'
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  const word = name === 'decision' || name === 'status' ? wordsOf(name, list)[text] : undefined
  return plain(word ?? text, Math.max(text.length, 200))
}

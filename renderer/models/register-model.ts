import { categoryWords, checkLine } from '../../schemas/conclusion-words.ts'
import type {
  AcceptanceRequestView,
  DecisionView,
  EntryStatus,
  RegisterView,
  RiskAcceptanceView,
} from '../../schemas/ipc-register.ts'
import type { ControlRow } from '../../schemas/ipc-results.ts'
import type { ControlDecision, EntrySignature } from '../../schemas/types.ts'
import { day, plural, visible } from './text.ts'

/** Expired acceptances come first: their deviations are no longer accepted. */
export const STANDINGS: readonly EntryStatus[] = ['expired', 'in-force', 'not-begun', 'withdrawn']
export type Shown = EntryStatus | 'pending' | 'all'

export const pendingWords: Readonly<Record<AcceptanceRequestView['status'], string>> = {
  open: 'Pending approval',
  lapsed: 'Expired without a decision',
  approved: 'Approved',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
}

/** Whether the searchable text of an entry contains what is wanted. */
const isMatch = (
  entry: { readonly check: string; readonly owner: string; readonly reason: string; readonly nodes: readonly string[] },
  more: readonly string[],
  wanted: string,
): boolean => [entry.check, entry.owner, entry.reason, ...entry.nodes, ...more].join(' ').toLowerCase().includes(wanted)

/** Matching risk acceptances and requests. An approved request is listed as the acceptance it became. */
export function acceptancesShown(
  { riskAcceptances, acceptanceRequests }: Pick<RegisterView, 'riskAcceptances' | 'acceptanceRequests'>,
  text: string,
  shown: Shown,
  /** Expected conditions of checks. People search for these words, not for identifiers. */
  titles: ReadonlyMap<string, string> = new Map(),
): {
  readonly pending: readonly AcceptanceRequestView[]
  readonly groups: readonly { readonly status: EntryStatus; readonly entries: readonly RiskAcceptanceView[] }[]
  readonly count: number
  readonly total: number
} {
  const wanted = text.trim().toLowerCase()
  const asked = acceptanceRequests.filter(({ status }) => status !== 'approved')
  const found = riskAcceptances.filter(
    (one) =>
      (shown === 'all' || one.status === shown) && isMatch(one, [one.approvedBy, titles.get(one.check) ?? ''], wanted),
  )
  const waiting = asked.filter(
    (one) =>
      (shown === 'all' || shown === 'pending') && isMatch(one, [one.requestedBy, titles.get(one.check) ?? ''], wanted),
  )
  const groups = STANDINGS.map((status) => ({
    status,
    entries: found.filter((one) => one.status === status).sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)),
  })).filter(({ entries }) => entries.length > 0)
  const open = ({ status }: AcceptanceRequestView): number => (status === 'open' ? 0 : 1)
  return {
    pending: [...waiting].sort((a, b) => open(a) - open(b) || (a.expiresAt < b.expiresAt ? -1 : 1)),
    groups,
    count: found.length + waiting.length,
    total: riskAcceptances.length + asked.length,
  }
}

/** Decisions about one control, latest first. */
export const decisionsFor = (
  { decisions }: Pick<RegisterView, 'decisions'>,
  framework: string,
  control: string,
): readonly DecisionView[] =>
  decisions
    .filter((one) => one.framework === framework && one.control === control)
    .sort((a, b) => (a.decidedAt < b.decidedAt ? 1 : -1))

/** Possible decisions about a control: for an addressable specification all of 45 CFR 164.306(d)(3), otherwise only that it does not apply. */
export const decisionChoices = ({ level }: Pick<ControlRow, 'level'>): readonly ControlDecision['decision'][] =>
  level === 'addressable'
    ? ['implemented', 'equivalent-alternative', 'not-implemented', 'not-applicable']
    : ['not-applicable']

/** Who has not signed a risk acceptance or decision yet. */
export const rolesToSign = (signatures: readonly EntrySignature[]): readonly EntrySignature['role'][] =>
  (['approver', 'requester'] as const).filter((role) => !signatures.some((one) => one.role === role))

/** The signers of an entry. A typed name is not evidence of approval. */
export function signedLine(signatures: readonly EntrySignature[] = []): string {
  const by = SIGNERS.flatMap(([role, words]) => (signatures.some((one) => one.role === role) ? [words] : []))
  return by.length === 0 ? 'Not digitally signed.' : `Digitally signed by ${by.join(' and by ')}.`
}

const SIGNERS: readonly (readonly [EntrySignature['role'], string])[] = [
  ['requester', 'requester'],
  ['approver', 'approver'],
  ['respondent', 'person who states it'],
]

/**
 * The basis of a conclusion in sentences: the deciding checks on servers, the deciding documents, results answered by a document, and the
 * decision that the control does not apply. Empty for a control without a conclusion in this run.
 */
export function stateReasons(
  control: Pick<ControlRow, 'assessed' | 'category'>,
  { decisions }: Pick<RegisterView, 'decisions'>,
): readonly string[] {
  const { assessed, category } = control
  if (assessed === null) return []
  if (assessed.state === 'out-of-scope')
    return [
      category === null || category === 'security'
        ? 'Outside the scope of this tool.'
        : `The engagement does not include the category ${categoryWords[category] ?? category}.`,
    ]
  return [...serverReasons(assessed), ...documentReasons(assessed), ...rationaleReasons(assessed, decisions)]
}

type Assessed = NonNullable<ControlRow['assessed']>

function serverReasons({ server, checks }: Assessed): readonly string[] {
  const deciding = checks.filter(({ decides }) => decides)
  const lines = (wanted: (check: Assessed['checks'][number]) => boolean): readonly string[] =>
    deciding.filter(wanted).map((one) => `${one.check}: ${checkLine(one)}.`)
  const untested = server.population - server.tested
  const answered = deciding.reduce((sum, one) => sum + one.answeredByDocument, 0)
  const reasons = (): readonly string[] => {
    switch (server.state) {
      case 'deviations':
        return lines(({ notSatisfied }) => notSatisfied > 0)
      case 'unable-to-conclude':
        return lines(({ inconclusive, tested }) => inconclusive > 0 || tested < server.tested)
      case 'scope-limitation':
        return [
          `${plural(untested, 'node')} of ${server.population} not reached. Collect evidence from them to conclude.`,
        ]
      case 'not-tested':
        return ['No node in scope was reached.']
      case 'no-deviations':
        return [`${plural(deciding.length, 'deciding check')} without deviations.`]
      case 'not-applicable':
        return ['Evidence shows that no required check applies on any node.']
      case 'no-server-test':
        return deciding.length === 0
          ? ['No required check tests this control on servers.']
          : [
              `${plural(deciding.length, 'counter check')} without deviations. No required check tests this control on servers.`,
            ]
    }
  }
  return [
    ...reasons(),
    ...(answered === 0
      ? []
      : [`${plural(answered, 'result')} answered by an inspected document. The observed results are unchanged.`]),
  ]
}

function documentReasons({ documents: { state, needed, held, outstanding, deviations } }: Assessed): readonly string[] {
  if (state === 'none-needed') return ['No documents required.']
  return [
    `Required documents on file: ${held} of ${needed}.`,
    ...(outstanding.length === 0
      ? []
      : [`Outstanding: ${outstanding.map(({ request, title }) => visible(request ?? title)).join(', ')}.`]),
    ...(deviations.length === 0
      ? []
      : [`Inspected, does not support the control: ${deviations.map(visible).join(', ')}.`]),
  ]
}

function rationaleReasons({ rationale }: Assessed, decisions: readonly DecisionView[]): readonly string[] {
  if (rationale === null) return []
  const by = decisions.find(({ id }) => id === rationale)
  return [
    by === undefined
      ? 'Approved decision: the control does not apply.'
      : `Approved decision that the control does not apply, by ${visible(by.approvedBy)}, ${visible(by.approverRole)}, until ${day(by.expiresAt)}: ${visible(by.reason)}`,
  ]
}

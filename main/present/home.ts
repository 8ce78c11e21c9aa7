import { SEVERITIES, severityWords } from '../../schemas/conclusion-words.ts'
import { type EngagementState, engagementStateWords, isDeclared } from '../../schemas/engagement-words.ts'
import type { CountedRows, HomeStep, HomeView, NextStep, Phrase } from '../../schemas/ipc-findings.ts'
import type { RequestCounts } from '../../schemas/ipc-portal.ts'
import type { Assessment } from '../../schemas/types.ts'
import { dayCount } from '../../schemas/words.ts'
import { daysBetween } from '../core/base/days.ts'
import { of, plain, plural } from '../core/base/plain-text.ts'
import { reached } from '../core/conclusion/tally.ts'
import type { Finding } from '../core/finding/finding.ts'
import type { SigningPlace } from '../core/ports/identities.ts'
import { type DueRuns, missingRuns, phrase, requestNotices } from './home-notices.ts'
import { type HomeMatter, resultsOf, total } from './home-results.ts'
import type { Figures, Presentation } from './presentation.ts'

/** Facts that the first screen shows in addition to results: the fleet, a running collection, and what is set up. */
export interface HomeFacts {
  readonly fleet: string | null
  /** Nodes of the fleet file that are collected from. */
  readonly nodes: number
  /** A collection in progress, with how many of its nodes are finished. */
  readonly running: { readonly finished: number; readonly all: number } | null
  readonly engagement: EngagementState
  /** First day of fieldwork, as declared: YYYY-MM-DD. */
  readonly fieldwork: string | null
  /** Whose signing identities there are; `demo-key`: demo data is sealed with a key that is discarded. */
  readonly signing: SigningPlace | 'demo-key'
  readonly hasIdentity: boolean
  readonly dueRuns: DueRuns
  /** Null where auditors request nothing here: outside a team server, and for a person who answers none. */
  readonly requests: RequestCounts | null
}

/** The first screen. Pure: the same input gives the same view. */
export function homeOf(facts: HomeFacts, matter: HomeMatter | null): HomeView {
  const next = nextStep(facts, matter?.shown.figures ?? null)
  return {
    fleet: facts.fleet,
    entity: matter?.assessment.scope.engagement?.entity ?? null,
    run: matter?.run ?? null,
    asOf: matter?.assessment.asOf ?? null,
    title: titleOf(facts, matter?.shown ?? null),
    lead:
      matter === null
        ? [phrase(BEFORE_ANY_RUN[facts.nodes === 0 ? 'import' : 'collect'])]
        : leadOf(matter, facts.fieldwork),
    next,
    notices: [...requestNotices(facts.requests), ...missingRuns(facts.dueRuns)],
    steps: matter === null ? [] : stepsOf(facts, matter.shown.figures, matter.assessment, next),
    results: matter === null ? null : resultsOf(matter),
    isDemoOffered: matter === null && facts.fleet === null && facts.engagement === 'none',
  }
}

const BEFORE_ANY_RUN = {
  import: 'Import your servers, confirm their host keys, then collect.',
  collect: 'Collect evidence from your servers. A server whose host key is not confirmed is refused before login.',
} as const

const findings = (part: Partial<Extract<CountedRows, { rows: 'findings' }>> = {}): CountedRows => ({
  rows: 'findings',
  severity: null,
  node: null,
  owner: null,
  ...part,
})

/** How bad it is, in one sentence: the first that applies. */
function titleOf({ running }: HomeFacts, shown: Presentation | null): string {
  if (running !== null) return `Collection in progress: ${of(running.finished, running.all)} nodes finished`
  if (shown === null) return 'No evidence yet'
  const { figures } = shown
  const { critical, high } = figures.findings
  if (critical > 0) {
    const on = nodesOf(shown.findings.filter(({ severity }) => severity.level === 'critical')).size
    const where = on === 0 ? 'in the provider inventory' : `on ${of(on, figures.declared)} nodes`
    return `${plural(critical, 'critical finding')} ${where}`
  }
  if (high > 0) return `No critical findings; ${high} high`
  const all = total(figures.findings)
  if (all > 0) return `${plural(all, 'finding')}, none critical or high`
  const untested = figures.untested === 0 ? '' : `, ${figures.untested} not tested`
  return figures.tested === 0
    ? `None of ${plural(figures.declared, 'node')} was tested`
    : `No deviations noted on ${of(figures.tested, figures.declared)} nodes${untested}`
}

/** The nodes that deviate in any of these findings. */
const nodesOf = (all: readonly Finding[]): ReadonlySet<string> =>
  new Set(all.flatMap(({ what, deviations }) => (what === 'nodes' ? deviations.map(({ subject }) => subject) : [])))

function leadOf({ shown, assessment }: HomeMatter, fieldwork: string | null): readonly Phrase[] {
  const { figures } = shown
  const tested = new Set(assessment.nodes.filter(reached).map(({ node }) => node))
  // A node that shows another host key is refused before the login: it deviates without having been tested.
  const refused = [...nodesOf(shown.findings)].filter((node) => !tested.has(node)).length
  const levels = SEVERITIES.flatMap((level) =>
    figures.findings[level] === 0
      ? []
      : [phrase(`${figures.findings[level]} ${severityWords[level].toLowerCase()}`, findings({ severity: level }))],
  )
  return [
    phrase(plural(total(figures.findings), 'finding'), findings()),
    phrase(figures.tested === 1 ? ' on ' : ' on the '),
    phrase(`${plural(figures.tested, 'node')} tested`, { rows: 'nodes', state: 'tested' }),
    ...(refused === 0 ? [] : [phrase(`${figures.inventory === null ? ' and' : ','} on ${refused} not tested`)]),
    ...(figures.inventory === null
      ? []
      : [phrase(' and in the '), phrase('provider inventory', { rows: 'population' })]),
    ...(levels.length === 0 ? [] : [phrase(': '), ...separated(levels)]),
    phrase('. '),
    ...untilFieldwork(figures.documents, fieldwork === null ? null : daysUntil(fieldwork, assessment.asOf)),
  ]
}

/** Calendar days in UTC from the evaluation until a day; null for an invalid one. */
function daysUntil(day: string, asOf: string): number | null {
  const days = daysBetween(asOf, `${day}T00:00:00.000Z`)
  return Number.isNaN(days) ? null : days
}

/** Outstanding documents, with the days until fieldwork where its first day is declared. */
function untilFieldwork({ needed, held }: Figures['documents'], days: number | null): readonly Phrase[] {
  const outstanding = needed - held
  const counts = { rows: 'documents', state: 'outstanding' } as const
  if (days !== null)
    return [
      phrase(fieldworkIn(days), { rows: 'fieldwork' }),
      ...(needed === 0
        ? []
        : [phrase(': '), phrase(outstanding === 0 ? 'no document' : plural(outstanding, 'document'), counts)]),
      phrase(needed === 0 ? '.' : ' outstanding.'),
    ]
  return needed === 0
    ? []
    : [
        phrase(`${of(outstanding, needed)} documents`, counts),
        phrase(` ${outstanding === 1 ? 'is' : 'are'} outstanding.`),
      ]
}

function fieldworkIn(days: number): string {
  if (days === 0) return 'Fieldwork starts today'
  return days > 0 ? `Fieldwork in ${dayCount(days)}` : `Fieldwork started ${dayCount(-days)} ago`
}

const separated = (parts: readonly Phrase[]): readonly Phrase[] =>
  parts.flatMap((part, at) => (at === 0 ? [part] : [phrase(', '), part]))

/** The one step that comes next, by the order in which an audit is prepared. */
function nextStep(facts: HomeFacts, figures: Figures | null): NextStep {
  const { nodes, running, engagement, fieldwork, hasIdentity, dueRuns, requests } = facts
  if (running !== null)
    return { is: 'view-collection', label: 'View collection', reason: 'A collection is in progress.' }
  if (figures === null)
    return nodes === 0
      ? { is: 'import', label: 'Import nodes', reason: 'No node is declared.' }
      : { is: 'collect', label: 'Collect evidence', reason: 'No evidence was collected.' }
  if (figures.tested === 0 && figures.declared > 0)
    return { is: 'collect', label: 'Collect evidence', reason: 'No node was tested in this run.' }
  const { owned, inventory, documents } = figures
  const unowned = owned.severe - owned.withOwner
  const unreconciled = inventory?.unreconciled ?? 0
  const missed = dueRuns.unexplained.length
  if (missed > 0)
    return {
      is: 'missed-runs',
      label: missed === 1 ? 'Record reason of missed run' : `Record reasons of ${missed} missed runs`,
      reason: `${plural(missed, 'scheduled run')} did not take place, and no reason is recorded.`,
    }
  if (requests !== null && requests.waiting > 0)
    return {
      is: 'requests',
      label: `Answer ${plural(requests.waiting, 'request')}`,
      reason: 'Auditors requested evidence on this server and await an answer.',
    }
  if (unowned > 0)
    return {
      is: 'assign',
      label: `Assign ${plural(unowned, 'finding')}`,
      reason:
        unowned === owned.severe
          ? `${plural(unowned, 'critical or high finding')} ${unowned === 1 ? 'has' : 'have'} no owner.`
          : `${of(unowned, owned.severe)} critical and high findings ${unowned === 1 ? 'has' : 'have'} no owner.`,
    }
  if (unreconciled > 0)
    return {
      is: 'reconcile',
      label: `Reconcile ${plural(unreconciled, 'row')}`,
      reason: `${of(unreconciled, inventory?.rows ?? 0)} rows of the provider inventory ${unreconciled === 1 ? 'is' : 'are'} unreconciled.`,
    }
  if (!isDeclared(engagement))
    return {
      is: 'engagement',
      label: 'Complete engagement',
      reason: 'Reports state entity, purpose and boundary from the engagement.',
    }
  if (fieldwork === null)
    return {
      is: 'audit-day',
      label: 'Set first day of fieldwork',
      reason: 'No first day of fieldwork is declared, so the days that are left are not stated.',
    }
  if (documents.unassigned > 0)
    return {
      is: 'assign-documents',
      label: `Assign ${plural(documents.unassigned, 'document')}`,
      reason: `${of(documents.unassigned, documents.needed)} required documents ${documents.unassigned === 1 ? 'is outstanding and has' : 'are outstanding and have'} no owner.`,
    }
  if (!hasIdentity && facts.signing !== 'demo-key') return SIGNING_STEPS[facts.signing]
  return { is: 'export', label: 'Export evidence pack…', reason: 'Every earlier step is complete.' }
}

const SIGNING_STEPS: Readonly<Record<SigningPlace, NextStep>> = {
  here: {
    is: 'identity',
    label: 'Create signing identity',
    reason: 'An evidence pack is signed in the name of your organization.',
  },
  sealers: {
    is: 'sealer',
    label: 'Connect the sealer',
    reason: 'No sealer is connected, so nothing can be signed. Its signer starts it on their own computer.',
  },
  'no-sealer': {
    is: 'sealer',
    label: 'Connect a sealer',
    reason:
      'No sealer is configured for this engagement, so nothing can be signed. The administrator of the server enters one.',
  },
}

const STEP_OF: Readonly<Record<NextStep['is'], HomeStep['id']>> = {
  import: 'collect',
  collect: 'collect',
  'view-collection': 'collect',
  'missed-runs': 'collect',
  requests: 'documents',
  assign: 'respond',
  reconcile: 'reconcile',
  engagement: 'reconcile',
  'audit-day': 'documents',
  'assign-documents': 'documents',
  identity: 'export',
  sealer: 'export',
  export: 'export',
}

function stepsOf(
  { engagement, hasIdentity, signing }: HomeFacts,
  { tested, untested, declared, owned, inventory, documents }: Figures,
  { reconciliation, nodes }: Assessment,
  next: NextStep,
): readonly HomeStep[] {
  const isPartial = nodes.some(({ status }) => status === 'partial')
  const unreconciled = inventory?.unreconciled ?? 0
  const outstanding = documents.needed - documents.held
  const step = (
    id: HomeStep['id'],
    title: string,
    isDone: boolean,
    ...lines: readonly (readonly Phrase[])[]
  ): HomeStep => ({
    id,
    title,
    state: isDone ? 'done' : id === 'collect' ? 'open' : 'to-do',
    current: STEP_OF[next.is] === id,
    lines,
  })
  const unowned = owned.severe - owned.withOwner
  return [
    step(
      'collect',
      'Collect',
      untested === 0 && !isPartial,
      [phrase(`${of(tested, declared)} nodes`, { rows: 'nodes', state: 'tested' })],
      untested === 0
        ? [phrase(isPartial ? 'some collected in part' : 'all tested')]
        : [phrase(`${untested} not tested`, { rows: 'nodes', state: 'not-tested' })],
    ),
    owned.severe === 0
      ? tested === 0
        ? step('respond', 'Respond', false, [phrase('No node tested')])
        : step('respond', 'Respond', true, [phrase('No critical or high findings')])
      : step(
          'respond',
          'Respond',
          unowned === 0,
          [
            phrase(String(owned.withOwner), findings({ severity: 'severe', owner: 'with' })),
            phrase(' of '),
            phrase(`${owned.severe} critical and high`, findings({ severity: 'severe' })),
          ],
          unowned === 0
            ? [phrase('have an owner')]
            : [
                phrase('have an owner; '),
                phrase(`${unowned} without`, findings({ severity: 'severe', owner: 'without' })),
              ],
        ),
    inventory === null
      ? step(
          'reconcile',
          'Reconcile',
          false,
          [phrase('No provider inventory')],
          [
            phrase(
              isDeclared(engagement) ? 'to reconcile with' : `and ${engagementStateWords[engagement].toLowerCase()}`,
            ),
          ],
        )
      : step(
          'reconcile',
          'Reconcile',
          unreconciled === 0 && isDeclared(engagement),
          [phrase(`${of(unreconciled, inventory.rows)} inventory rows`, { rows: 'population' })],
          [phrase(unreconciled === 0 ? 'all reconciled' : `open: ${openRows(reconciliation)}`)],
        ),
    step(
      'documents',
      'Documents',
      outstanding + documents.failing === 0,
      [
        phrase(`${of(documents.held - documents.failing, documents.needed)} complete`, {
          rows: 'documents',
          state: 'all',
        }),
      ],
      outstanding === 0
        ? [
            phrase(
              documents.failing === 0
                ? 'none outstanding'
                : `${documents.failing} ${documents.failing === 1 ? 'does' : 'do'} not support`,
            ),
          ]
        : [phrase(`${outstanding} outstanding`, { rows: 'documents', state: 'outstanding' })],
    ),
    step(
      'export',
      'Export',
      false,
      [phrase(engagementStateWords[engagement])],
      [phrase(signingLine(hasIdentity, signing))],
    ),
  ]
}

function signingLine(hasIdentity: boolean, signing: HomeFacts['signing']): string {
  if (signing === 'demo-key') return 'Sealed with a demo key'
  if (signing !== 'here') return hasIdentity ? 'Sealer connected' : 'No sealer connected'
  return hasIdentity ? 'Signing identity set up' : 'Signing identity not set up'
}

function openRows(reconciliation: Assessment['reconciliation']): string {
  const open = (reconciliation?.inventoryOnly ?? []).filter(({ excluded }) => excluded === null)
  const first = open[0]?.row.id ?? open[0]?.row.name ?? ''
  return `${plain(first, 24)}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`
}

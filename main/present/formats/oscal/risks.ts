import type { AcceptanceRequest, ManagementResponse, RiskAcceptance } from '../../../../schemas/types.ts'
import { statusWords, type Verdict } from '../../../../schemas/words.ts'
import { names as namesOf, oneLine } from '../../../core/base/plain-text.ts'
import type { Finding, FindingStatus, Remediated } from '../../../core/finding/finding.ts'
import type { CheckRemediation } from '../../../core/finding/work-order.ts'
import { isOnePerson, statusOf } from '../../../core/register/register.ts'
import { byCheck, remedyOf } from '../../presentation.ts'
import { criterionText, effectText, remedyText, statusText } from '../../report/findings.ts'
import { refusedNodes } from '../../report/parts/refused.ts'
import { type Closed, closedOf } from '../input.ts'
import { headOf, stepMarkdown } from '../work-order-document.ts'
import { isObserved, line, momentOf, type Names, NO_MOMENT, NS, prop, some } from './head.ts'

/** The risk status of OSCAL for each status of a finding. */
const STATUS: Readonly<Record<FindingStatus, string>> = {
  open: 'open',
  'in-progress': 'remediating',
  'ready-for-retest': 'remediating',
  disputed: 'investigating',
  'risk-accepted': 'deviation-approved',
  'acceptance-expired': 'open',
}

/**
 * One risk for each finding, and one for each finding that a run of the period confirms as closed. Risk acceptances, management responses and
 * remediation are in its log; none of them changes a finding.
 */
export function risksOf(names: Names): readonly unknown[] {
  const { shown, remediations } = names.input
  const remedies = byCheck(remediations)
  return [
    ...shown.findings.map((finding) => openRisk(names, finding, remedies.get(finding.check))),
    ...closedOf(shown).map((closed) => closedRisk(names, closed)),
  ]
}

function openRisk(names: Names, finding: Finding, remediation: CheckRemediation | undefined): unknown {
  const { check, severity, deviations, response } = finding
  const { register } = names.input
  const subjects = new Set(deviations.map(({ subject }) => subject))
  const refused = refusedNodes(finding).length
  const concerns = (entry: RiskAcceptance | AcceptanceRequest): boolean =>
    entry.check === check && entry.nodes.some((node) => subjects.has(node))
  const acceptances = register.riskAcceptances.filter(concerns)
  const requests = (register.acceptanceRequests ?? []).filter(concerns)
  const inForce = new Set(deviations.flatMap(({ accepted }) => accepted?.id ?? []))
  const status = STATUS[finding.status]
  const deadline = momentOf(response?.due ?? null)
  const facet = (name: string, value: string) => ({ name, system: NS, value })
  return {
    uuid: names.risk(check),
    title: line(finding.title),
    description: line(`${finding.condition}. Criterion: ${criterionText(finding)}`, LONGEST),
    statement: line(effectText(finding), LONGEST),
    props: [
      prop('reference', finding.reference),
      prop('check', check),
      prop('risk-area', finding.riskArea),
      prop('finding-status', finding.status),
      prop('overdue', finding.isOverdue ? 'yes' : 'no'),
      prop('deviations', deviations.length),
      prop('tested', finding.tested),
      ...(refused === 0 ? [] : [prop('refused-before-login', refused)]),
      prop('inconclusive', finding.inconclusive.length),
      prop('not-tested', finding.untested.length),
      ...(response?.owner == null ? [] : [prop('owner', response.owner)]),
    ],
    status: status === 'open' && requests.length > 0 ? 'deviation-requested' : status,
    origins: [names.origin],
    characterizations: [
      { origin: names.origin, facets: [facet('severity', severity.level), facet('severity-of-check', severity.base)] },
    ],
    ...some(
      'mitigating-factors',
      acceptances
        .filter(({ id }) => inForce.has(id))
        .map(({ id, compensatingControl }) => ({
          uuid: names.lasting('measure', id),
          description: line(compensatingControl),
        })),
    ),
    ...(deadline === null ? {} : { deadline }),
    remediations: [
      recommendation(names, finding, remediation),
      ...(response === null ? [] : [planned(names, finding, response)]),
    ],
    'risk-log': {
      entries: [
        {
          uuid: names.lasting('log', 'identified', check),
          title: 'Identified',
          description: line(`${statusText(finding)}. Last seen ${finding.lastSeen ?? 'not stated'}.`),
          start: momentOf(finding.firstSeen) ?? NO_MOMENT,
        },
        ...acceptances.map((entry) => acceptanceLog(names, entry, finding)),
        ...requests.map((entry) => requestLog(names, entry)),
        ...names.input.shown.remediated.filter((one) => one.check === check).map((one) => remediatedLog(names, one)),
      ],
    },
    ...some('related-observations', observedFor(names, check, subjects)),
  }
}

/** Room for a condition with its criterion, and for an effect. */
const LONGEST = 8000

function recommendation(names: Names, finding: Finding, remediation: CheckRemediation | undefined): unknown {
  const { check } = finding
  return {
    uuid: names.lasting('recommendation', check),
    lifecycle: 'recommendation',
    title: line(remedyOf(finding, remediation)),
    description: line(remedyText(finding, remediation), LONGEST),
    ...some(
      'tasks',
      (remediation?.steps ?? []).map((variant, index) => ({
        uuid: names.lasting('step', check, String(index)),
        type: 'action',
        title: line(headOf(variant)),
        description: stepMarkdown(variant).join('\n').trim(),
      })),
    ),
    ...(remediation === undefined ? {} : { remarks: `Side effects: ${remediation.sideEffects}` }),
  }
}

/** The management response: its plan, and its due day as a milestone. */
function planned(names: Names, { check, title }: Finding, response: ManagementResponse): unknown {
  const date = momentOf(response.due)
  return {
    uuid: names.lasting('response', check),
    lifecycle: 'planned',
    title: 'Management response',
    description: line(response.plan ?? 'Management states no plan.'),
    props: [
      prop('response', response.id),
      prop('response-status', response.status),
      prop('stated-by', response.statedBy),
      prop('stated-at', response.statedAt),
      prop('signatures', response.signatures?.length ?? 0),
      ...(response.owner === null ? [] : [prop('owner', response.owner)]),
    ],
    ...(date === null
      ? {}
      : {
          tasks: [
            {
              uuid: names.lasting('milestone', check),
              type: 'milestone',
              title: line(`Remediated: ${title}`),
              timing: { 'on-date': { date } },
            },
          ],
        }),
  }
}

function closedRisk(names: Names, { check, reference, title, steps }: Closed): unknown {
  const why = names.input.catalog.severities.find((one) => one.check === check)?.why
  return {
    uuid: names.risk(check),
    title: line(title),
    description: line(`Remediated in the period, as later runs confirm: ${title}`),
    statement: line(why ?? title),
    props: [prop('reference', reference), prop('check', check), prop('finding-status', 'remediated')],
    status: 'closed',
    origins: [names.origin],
    'risk-log': { entries: steps.map((one) => remediatedLog(names, one)) },
  }
}

const remediatedLog = (names: Names, { check, nodes, run, at }: Remediated): unknown => ({
  uuid: names.lasting('log', 'remediated', check, run),
  title: 'Remediated',
  description: line(`On ${namesOf(nodes, 200)}, confirmed by run ${run}.`, LONGEST),
  start: momentOf(at) ?? NO_MOMENT,
})

/** Observations of the deviating nodes; a row of an inventory, and a node that was refused before its login, have none. */
function observedFor(names: Names, check: string, subjects: ReadonlySet<string>) {
  const deviating: Verdict = 'not-satisfied'
  const uuids = names.input.assessment.nodes
    .filter(
      (node) =>
        subjects.has(node.node) &&
        node.results.some((one) => one.check === check && one.verdict === deviating && isObserved(one, node)),
    )
    .map(({ node }) => names.observation(check, deviating, node))
  return [...new Set(uuids)].map((uuid) => ({ 'observation-uuid': uuid }))
}

/** The acceptance of a risk on some of its nodes leaves the risk open. */
function acceptanceLog(names: Names, entry: RiskAcceptance, { status }: Finding): unknown {
  const { id, acceptedAt, expiresAt, withdrawn, approvedBy, nodes, owner, reason } = entry
  const entryStatus = statusOf(entry, names.input.assessment.asOf)
  const start = momentOf(acceptedAt) ?? NO_MOMENT
  const end = momentOf(expiresAt)
  const taken =
    withdrawn === null ? '' : ` Withdrawn ${withdrawn.at} by ${oneLine(withdrawn.by)}: ${oneLine(withdrawn.reason)}`
  return {
    uuid: names.lasting('log', 'acceptance', id),
    title: 'Risk accepted',
    description: line(
      `Approved by ${oneLine(approvedBy)} for ${namesOf(nodes, 200)}. ${statusWords[entryStatus]}. ${oneLine(reason)}${taken}`,
      LONGEST,
    ),
    props: [
      prop('risk-acceptance', id),
      prop('acceptance-status', entryStatus),
      prop('owner', owner),
      prop('nodes', nodes.length),
      prop('same-person', isOnePerson(entry) ? 'yes' : 'no'),
      prop('signatures', entry.signatures?.length ?? 0),
    ],
    start,
    ...(end !== null && end >= start ? { end } : {}),
    ...(entryStatus === 'in-force' && status === 'risk-accepted' ? { 'status-change': STATUS[status] } : {}),
  }
}

const requestLog = (names: Names, entry: AcceptanceRequest): unknown => ({
  uuid: names.lasting('log', 'request', entry.id),
  title: 'Risk acceptance requested',
  description: line(
    `Requested by ${oneLine(entry.requestedBy)} for ${namesOf(entry.nodes, 200)}; not approved, so without effect. ${oneLine(entry.reason)}`,
    LONGEST,
  ),
  props: [prop('risk-acceptance', entry.id), prop('acceptance-status', 'requested'), prop('owner', entry.owner)],
  start: momentOf(entry.requestedAt) ?? NO_MOMENT,
})

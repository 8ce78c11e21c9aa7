import type { AcceptanceRequest, RiskAcceptance } from '../../../../schemas/types.ts'
import { standingWords, type Verdict } from '../../../../schemas/words.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { isOnePerson, type Standing, standingOf } from '../../../core/register.ts'
import type { Names } from './naming.ts'
import { line, momentOf, prop, some, uuidOf } from './words.ts'

/** A risk acceptance in effect is an approved deviation until its deadline; an expired, withdrawn or not yet effective one leaves the risk open. */
const STATUS: Readonly<Record<Standing, string>> = {
  'in-force': 'deviation-approved',
  'not-begun': 'open',
  expired: 'open',
  withdrawn: 'open',
}

/** One risk per risk acceptance, approved or requested. It explains a finding and never changes one. */
export function risksOf(names: Names): readonly unknown[] {
  const { register, assessment } = names.input
  return [
    ...register.riskAcceptances.map((entry) => {
      const standing = standingOf(entry, assessment.asOf)
      return {
        ...riskOf(names, entry, STATUS[standing]),
        props: [
          ...propsOf(entry),
          prop('standing', standing),
          prop('approved-by', entry.approvedBy),
          prop('same-person', isOnePerson(entry) ? 'yes' : 'no'),
          prop('signatures', entry.signatures?.length ?? 0),
        ],
        'risk-log': { entries: logOf(entry, standing) },
      }
    }),
    ...(register.acceptanceRequests ?? []).map((entry) => ({
      ...riskOf(names, entry, 'deviation-requested'),
      props: [...propsOf(entry), prop('standing', 'requested')],
    })),
  ]
}

const propsOf = ({ id, check, owner, requestedBy, nodes }: RiskAcceptance | AcceptanceRequest) => [
  prop('risk-acceptance', id),
  prop('check', check),
  prop('owner', owner),
  prop('requested-by', requestedBy),
  prop('nodes', nodes.length),
]

function riskOf(names: Names, entry: RiskAcceptance | AcceptanceRequest, status: string) {
  const { catalog } = names.input
  const claim = catalog.checks.find(({ id }) => id === entry.check)?.expected ?? entry.check
  const deadline = momentOf(entry.expiresAt)
  return {
    uuid: names.risk(entry.id),
    title: line(`Risk acceptance: ${claim}`),
    description: line(`On ${entry.nodes.length} nodes: ${entry.nodes.join(', ')}`, 20_000),
    statement: line(entry.reason),
    status,
    'mitigating-factors': [
      { uuid: uuidOf(names.input.run, 'measure', entry.id), description: line(entry.compensatingControl) },
    ],
    ...(deadline === null ? {} : { deadline }),
    ...some('related-observations', observedFor(names, entry)),
  }
}

/** Observations that the risk acceptance covers: results not satisfied on its nodes. */
function observedFor(names: Names, { check, nodes }: RiskAcceptance | AcceptanceRequest) {
  const deviating: Verdict = 'not-satisfied'
  const named = new Set(nodes)
  const uuids = names.input.assessment.nodes
    .filter(({ node }) => named.has(node))
    .filter(({ results, observedAt }) =>
      results.some((one) => one.check === check && one.verdict === deviating && observedAt !== null),
    )
    .map(({ node }) => names.observation(check, deviating, node))
  return [...new Set(uuids)].map((uuid) => ({ 'observation-uuid': uuid }))
}

function logOf({ id, acceptedAt, expiresAt, withdrawn, approvedBy }: RiskAcceptance, standing: Standing) {
  const start = momentOf(acceptedAt) ?? '1970-01-01T00:00:00.000Z'
  const end = momentOf(expiresAt)
  const taken =
    withdrawn === null ? '' : ` Withdrawn ${withdrawn.at} by ${oneLine(withdrawn.by)}: ${oneLine(withdrawn.reason)}`
  return [
    {
      uuid: uuidOf('log', id),
      title: 'Risk accepted',
      description: line(`Approved by ${oneLine(approvedBy)}. ${standingWords[standing]}.${taken}`, 4000),
      start,
      ...(end !== null && end >= start ? { end } : {}),
      'status-change': STATUS[standing],
    },
  ]
}

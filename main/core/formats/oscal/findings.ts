import type { ControlAssessment, ControlCheck } from '../../../../schemas/types.ts'
import { controlStateWords, heldByRecords, VERDICTS, type Verdict } from '../../../../schemas/words.ts'
import { acceptancesOf } from '../../register.ts'
import { isObserved, type Names } from './naming.ts'
import { line, prop, some, uuidOf } from './words.ts'

/** What OSCAL says of a control's objective; null where there is no finding, only a remark. */
interface Status {
  readonly state: 'satisfied' | 'not-satisfied'
  readonly reason: 'pass' | 'fail' | 'other'
}

/**
 * A control state as OSCAL's objective status, by the result model of the crosswalk: what is contradicted is not satisfied (fail), also
 * where somebody accepts it; what is not decided is not satisfied (other); what was not collected, does not apply or is out of scope has
 * no finding. What rests on records alone is never a pass: nobody tested it.
 */
export function statusOf({ state, nodePart, checks }: ControlAssessment): Status | null {
  const observed = checks.some(({ population, notTested }) => population > notTested)
  switch (state) {
    case 'supported':
      return { state: 'satisfied', reason: nodePart === null ? 'other' : 'pass' }
    case 'supported-with-exceptions':
    case 'not-supported':
      return { state: 'not-satisfied', reason: 'fail' }
    case 'insufficient-evidence':
      return observed ? { state: 'not-satisfied', reason: 'other' } : null
    case 'manual-evidence-required':
      return nodePart === null || nodePart === 'not-applicable' ? null : { state: 'not-satisfied', reason: 'other' }
    case 'not-applicable':
    case 'out-of-scope':
      return null
  }
}

/** One finding for each control that has one, with the observations and the risks that bear on it. */
export function findingsOf(names: Names): readonly unknown[] {
  const observations = observationsByCheck(names)
  const risks = risksByCheck(names)
  return names.input.assessment.controls.flatMap((assessed) => {
    const status = statusOf(assessed)
    return status === null ? [] : [findingOf(names, assessed, status, { observations, risks })]
  })
}

type ByCheck = ReadonlyMap<string, readonly string[]>

function findingOf(
  names: Names,
  assessed: ControlAssessment,
  { state, reason }: Status,
  { observations, risks }: { readonly observations: ByCheck; readonly risks: ByCheck },
): unknown {
  const { framework, control, checks } = assessed
  const known = names.controlOf(framework, control)
  const token = names.control(framework, control)
  const title = line(`${known?.id ?? control} ${known?.title ?? ''}`)
  const of = (found: ByCheck): readonly string[] => [...new Set(checks.flatMap(({ check }) => found.get(check) ?? []))]
  return {
    uuid: uuidOf(names.input.run, 'finding', framework, control),
    title,
    description: line(`${controlStateWords[assessed.state].label}. ${meaningOf(assessed)}`),
    props: [
      prop('framework', framework),
      prop('control', control),
      prop('control-state', assessed.state),
      prop('node-part', assessed.nodePart ?? 'none'),
      prop('records-needed', assessed.records.needed),
      prop('records-held', assessed.records.held),
    ],
    target: {
      type: 'objective-id',
      'target-id': token,
      status: { state, reason, remarks: remarksOf(assessed) },
    },
    ...some(
      'related-observations',
      of(observations).map((uuid) => ({ 'observation-uuid': uuid })),
    ),
    ...some(
      'related-risks',
      of(risks).map((uuid) => ({ 'risk-uuid': uuid })),
    ),
    ...(known === undefined ? {} : { remarks: `What it does not show: ${known.notShown}` }),
  }
}

/** What the state says, without claiming checks where no node bears on the item. */
const meaningOf = ({ state, nodePart }: ControlAssessment): string =>
  state === 'supported' && nodePart === null ? heldByRecords : controlStateWords[state].meaning

/** The counts of each check, n of N over the declared nodes, and the records that are outstanding. */
function remarksOf({ checks, outstanding, nodePart }: ControlAssessment): string {
  return [
    ...(nodePart === null ? ['No evidence of a node bears this item; it rests on records from people.'] : []),
    ...checks.map(countsOf),
    ...(outstanding.length === 0 ? [] : [`Records outstanding: ${outstanding.join('; ')}.`]),
  ].join('\n')
}

function countsOf({ check, population, met, notMet, excepted, ...rest }: ControlCheck): string {
  const parts = [
    `supported on ${met} of ${population}`,
    ...(notMet > 0 ? [`contradicted on ${notMet}${excepted > 0 ? `, accepted on ${excepted} of them` : ''}`] : []),
    ...(rest.inconclusive > 0 ? [`not enough evidence on ${rest.inconclusive}`] : []),
    ...(rest.notTested > 0 ? [`not collected on ${rest.notTested}`] : []),
    ...(rest.notApplicable > 0 ? [`does not apply to ${rest.notApplicable}`] : []),
    ...(rest.informational > 0 ? [`recorded on ${rest.informational}`] : []),
  ]
  return `${check}: ${parts.join('; ')}.`
}

function observationsByCheck(names: Names): ByCheck {
  const found = new Map<string, Set<string>>()
  for (const node of names.input.assessment.nodes)
    for (const finding of node.findings) {
      if (!isObserved(finding, node)) continue
      const own = found.get(finding.check) ?? new Set<string>()
      own.add(names.observation(finding.check, finding.verdict, node.node))
      found.set(finding.check, own)
    }
  return new Map([...found].map(([check, uuids]) => [check, [...uuids]]))
}

/** Exceptions that are in force over a finding of a check. */
function risksByCheck(names: Names): ByCheck {
  const { assessment, register } = names.input
  const { inForce } = acceptancesOf(register.exceptions, assessment.asOf)
  const found = new Map<string, Set<string>>()
  for (const { node, findings } of assessment.nodes)
    for (const { check, verdict } of findings) {
      const exception = verdict === 'not-met' ? inForce(node, check) : null
      if (exception === null) continue
      const own = found.get(check) ?? new Set<string>()
      own.add(names.risk(exception.id))
      found.set(check, own)
    }
  return new Map([...found].map(([check, uuids]) => [check, [...uuids]]))
}

/** Counts of verdicts over all nodes, as properties. */
export function verdictProps(names: Names): readonly unknown[] {
  const counts = new Map<Verdict, number>(VERDICTS.map((verdict) => [verdict, 0]))
  for (const { findings } of names.input.assessment.nodes)
    for (const { verdict } of findings) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  return [...counts].map(([verdict, count]) => prop(`verdicts-${verdict}`, count))
}

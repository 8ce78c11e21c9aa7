import { RISK_AREAS, type RiskArea, SEVERITIES } from '../../../schemas/conclusion-words.ts'
import type {
  Assessment,
  EarlierRuns,
  ManagementResponse,
  NodeAssessment,
  Observation,
  Register,
  RiskAcceptance,
} from '../../../schemas/types.ts'
import { sha256 } from '../base/digest.ts'
import { names, plain, plural } from '../base/plain-text.ts'
import type { Tally } from '../conclusion/tally.ts'
import { POPULATION } from '../engagement/coverage.ts'
import { compare, type RecordingOutline } from '../recording/recording.ts'
import { type Acceptances, acceptancesOf } from '../register/register.ts'
import { currentResponses } from '../register/responses.ts'
import type { Catalog, CheckSeverity } from '../rules/catalog.ts'
import { type ThresholdValue, thresholdValues } from '../rules/profile.ts'
import { type FactHolds, factsOf, type RatedSeverity, rateSeverity } from './severity.ts'

/** What people do about a finding. A run alone closes one: a finding that a later run no longer has is remediated. */
export const FINDING_STATUSES = [
  'open',
  'in-progress',
  'ready-for-retest',
  'disputed',
  'risk-accepted',
  'acceptance-expired',
] as const
export type FindingStatus = (typeof FINDING_STATUSES)[number]

/** One node, or one row of the provider's inventory, that deviates. */
export interface FoundDeviation {
  /** Name of the node, or the row's id and name. */
  readonly subject: string
  readonly observedAt: string | null
  readonly observations: readonly Observation[]
  readonly accepted: RiskAcceptance | null
  /** Where none is in effect: the one that expired last. */
  readonly acceptanceExpired: RiskAcceptance | null
  readonly isStale: boolean
  /** The node was refused before login because of its host key, and therefore not tested. */
  readonly isRefused?: true
}

/** A control that a finding concerns: one that its check decides. */
export interface ConcernedControl {
  readonly framework: string
  readonly control: string
  /** Nothing else is open in the deciding checks of the control, so that closing this finding settles its server part. */
  readonly isSettled: boolean
}

/**
 * One finding: a check that is not satisfied, over the nodes that it concerns, as an auditor records it (AU-C 265, IIA standard 14.3:
 * condition, criterion, cause, effect, recommendation).
 */
export interface Finding {
  /** The same in every run of the fleet: derived from fleet and check. */
  readonly reference: string
  readonly check: string
  /** The condition found, without nodes. */
  readonly title: string
  /** The condition found, with the nodes. The one sentence for this finding in every output. */
  readonly condition: string
  readonly criterion: {
    readonly expected: string
    readonly thresholds: readonly ThresholdValue[]
    readonly source: string
  }
  readonly severity: RatedSeverity
  readonly riskArea: RiskArea
  /** What the condition can lead to, and what it concerns on these nodes. */
  readonly effect: readonly string[]
  /** As management states it; null where it does not. */
  readonly cause: string | null
  readonly what: 'nodes' | 'inventory'
  readonly deviations: readonly FoundDeviation[]
  /** Nodes or rows tested. A node that was refused before login is none of them: deviations are counted out of both. */
  readonly tested: number
  readonly inconclusive: readonly string[]
  /** Nodes without a result: a limitation of scope. */
  readonly untested: readonly string[]
  readonly controls: readonly ConcernedControl[]
  readonly firstSeen: string | null
  readonly lastSeen: string | null
  readonly response: ManagementResponse | null
  readonly status: FindingStatus
  /** The day by which it is due has passed at the evaluation date. */
  readonly isOverdue: boolean
}

/** A deviation of an earlier run that a later run does not have any more. */
export interface Remediated {
  readonly reference: string
  readonly check: string
  readonly title: string
  readonly nodes: readonly string[]
  /** The run that confirms it. */
  readonly run: string
  readonly at: string
}

interface FindingMatter {
  readonly assessment: Assessment
  readonly catalog: Catalog
  readonly register: Register
  readonly recordings: readonly Pick<RecordingOutline, 'recording'>[]
  readonly tally: Tally
  readonly earlier?: EarlierRuns | undefined
}

/** A reference that lasts over runs and new collections, so that a response and its history follow the finding. */
export const findingReference = (fleet: string, check: string): string =>
  `F-${sha256(`${fleet}\n${check}`).slice(0, 6).toUpperCase()}`

/** The check under which a failed comparison of the host key is found, although the node was not tested. */
export const HOST_IDENTITY = 'evidence.host-identity'
const OTHER_KEY: readonly string[] = ['ssh.host-key-changed', 'ssh.host-key-revoked']

/** The facts that severities of an assessment rest on. */
export function severityFacts({
  assessment: { nodes, scope, asOf },
  catalog,
  register,
  recordings,
}: Pick<FindingMatter, 'assessment' | 'catalog' | 'register' | 'recordings'>): FactHolds {
  return factsOf({
    nodes,
    recordings,
    engagement: scope.engagement,
    residency: scope.location?.residency ?? [],
    provider: scope.provider,
    register,
    requests: catalog.requests,
    asOf,
  })
}

/**
 * The findings of an assessment: by severity, then risk area, then the number of deviations, then check. A deviation that an inspected
 * document answers is a deviation still. Informational checks are listed apart by their severity.
 */
export function findingsOf(matter: FindingMatter): readonly Finding[] {
  const { assessment, catalog, register } = matter
  const { scope, asOf } = assessment
  const about: About = {
    ...matter,
    holds: severityFacts(matter),
    byName: new Map(assessment.nodes.map((node) => [node.node, node])),
    acceptances: acceptancesOf(register.riskAcceptances, asOf),
    responses: currentResponses(register, asOf),
    thresholds: thresholdValues(catalog.thresholds, scope.profile),
  }
  const rated = new Map(catalog.severities.map((severity) => [severity.check, severity]))
  return [...catalog.checks.map(({ id }) => rated.get(id) ?? unrated(catalog, id)), ...population(rated)]
    .flatMap((severity) => findingOf(about, severity) ?? [])
    .sort(
      (a, b) =>
        SEVERITIES.indexOf(a.severity.level) - SEVERITIES.indexOf(b.severity.level) ||
        RISK_AREAS.indexOf(a.riskArea) - RISK_AREAS.indexOf(b.riskArea) ||
        b.deviations.length - a.deviations.length ||
        compare(a.check, b.check),
    )
}

const population = (rated: ReadonlyMap<string, CheckSeverity>): readonly CheckSeverity[] => {
  const severity = rated.get(POPULATION)
  return severity === undefined ? [] : [severity]
}

/** A deviation is never left out because the catalog does not rate its check. */
const unrated = ({ checks }: Pick<Catalog, 'checks'>, check: string): CheckSeverity => {
  const expected = checks.find(({ id }) => id === check)?.expected ?? check
  return {
    check,
    riskArea: 'operations',
    severity: 'medium',
    why: 'The severity of this check is not rated.',
    raisesWhen: [],
    lowersWhen: [],
    finding: `Not satisfied: ${expected}`,
    satisfied: expected,
    procedure: 'Tested on each node.',
    source: '',
    remedy: 'both',
  }
}

interface About extends FindingMatter {
  readonly holds: FactHolds
  readonly byName: ReadonlyMap<string, NodeAssessment>
  readonly acceptances: Acceptances
  readonly responses: ReadonlyMap<string, ManagementResponse>
  readonly thresholds: ReadonlyMap<string, ThresholdValue>
}

function findingOf(about: About, severity: CheckSeverity): Finding | null {
  const { assessment, tally, holds, responses } = about
  const { check } = severity
  const found = check === POPULATION ? inventoryDeviations(about) : nodeDeviations(about, check)
  if (found.deviations.length === 0) return null
  const subjects = found.deviations.map(({ subject }) => subject)
  const verdicts = assessment.nodes.map(({ node }) => [node, tally.verdict(node, check)] as const)
  const isOnNodes = check !== POPULATION
  const inconclusive = verdicts.flatMap(([node, verdict]) => (isOnNodes && verdict === 'inconclusive' ? [node] : []))
  const untested = verdicts.flatMap(([node, verdict]) =>
    isOnNodes && verdict === 'not-tested' && !subjects.includes(node) ? [node] : [],
  )
  const response = responses.get(check) ?? null
  const title = found.title ?? severity.finding
  const expected = about.catalog.checks.find(({ id }) => id === check)?.expected ?? severity.satisfied
  return {
    reference: findingReference(assessment.scope.fleet, check),
    check,
    title,
    condition: conditionOf(title, found.deviations, check === NO_HYPERVISOR ? concealedIn(about) : new Set()),
    criterion: { expected, thresholds: thresholdsOf(about, check), source: severity.source },
    severity: rateSeverity(severity, isOnNodes ? subjects : [], holds),
    riskArea: severity.riskArea,
    effect: [severity.why, ...exposure(about, severity.riskArea, isOnNodes ? subjects : [])],
    cause: response?.cause ?? null,
    what: isOnNodes ? 'nodes' : 'inventory',
    deviations: found.deviations,
    tested: found.tested,
    inconclusive,
    untested,
    controls: controlsOf(about, check),
    ...seen(about, check, found.deviations),
    response,
    status: statusOf(found.deviations, response),
    isOverdue: response?.due != null && response.due < assessment.asOf,
  }
}

/** The deviation that is stated as an example: of a node that conceals the condition, before others. */
export function exampleOf(
  { check, deviations }: Pick<Finding, 'check' | 'deviations'>,
  assessment: Pick<Assessment, 'nodes'>,
): FoundDeviation | undefined {
  const concealed = check === NO_HYPERVISOR ? concealedIn({ assessment }) : new Set<string>()
  return deviations.find(({ subject }) => concealed.has(subject)) ?? deviations[0]
}

/** The title with the nodes by name, as far as a sentence holds them; those that conceal the condition first. */
function conditionOf(title: string, deviations: readonly FoundDeviation[], concealed: ReadonlySet<string>): string {
  const subjects = deviations.map(({ subject }) => subject)
  const hiding = subjects.filter((subject) => concealed.has(subject))
  if (subjects.length > MOST_NAMED)
    return `${title}: ${plural(subjects.length, 'node')}${hiding.length === 0 ? '' : `, concealed on ${hiding.length}`}`
  const shown = [
    ...hiding.map((subject) => `${subject} (conceals it)`),
    ...subjects.filter((subject) => !concealed.has(subject)),
  ]
  return `${title}: ${names(shown)}`
}

const MOST_NAMED = 3

/** The check whose condition a machine can hide, and the nodes that do. */
const NO_HYPERVISOR = 'tenancy.no-hypervisor'
const concealedIn = ({ assessment }: { readonly assessment: Pick<Assessment, 'nodes'> }): ReadonlySet<string> =>
  new Set(assessment.nodes.flatMap(({ node, isolation }) => (isolation?.concealed === true ? [node] : [])))

interface Deviating {
  readonly deviations: readonly FoundDeviation[]
  readonly tested: number
  /** Where the condition is another one than the check's own. */
  readonly title?: string
}

const OTHER_KEY_SHOWN = 'The host key differs from the one on record'

function nodeDeviations({ tally, byName, acceptances }: About, check: string): Deviating {
  const contradicted = tally.contradictedOn(check)
  // The key that a server shows is compared before the login, so that a node can deviate here without having been tested.
  const refused =
    check === HOST_IDENTITY
      ? [...byName.values()].flatMap(({ node, failure }) =>
          failure !== null && OTHER_KEY.includes(failure.code) && !contradicted.includes(node) ? [node] : [],
        )
      : []
  const deviationOn = (subject: string): FoundDeviation => {
    const node = byName.get(subject)
    const refusedFor: readonly Observation[] =
      refused.includes(subject) && node?.failure != null
        ? [{ direction: 'contradicts', text: plain(node.failure.detail, 400), probe: null, captures: [] }]
        : []
    return {
      subject,
      observedAt: node?.observedAt ?? null,
      observations: refusedFor.length > 0 ? refusedFor : (tally.result(subject, check)?.observations ?? []),
      accepted: acceptances.inForce(subject, check),
      acceptanceExpired: acceptances.ended(subject, check),
      isStale: node?.stale ?? false,
      // Evidence of an earlier attempt remains when the node later shows another key: then it was tested.
      ...(refusedFor.length > 0 && tally.verdict(subject, check) === 'not-tested' ? { isRefused: true as const } : {}),
    }
  }
  return {
    deviations: [...contradicted, ...refused].map(deviationOn),
    tested: tally.testedOn(check),
    ...(refused.length === 0 ? {} : { title: OTHER_KEY_SHOWN }),
  }
}

/** Rows of the provider's inventory that neither match a declared node nor are excluded with a reason. */
function inventoryDeviations({ assessment: { reconciliation, scope } }: About): Deviating {
  const open = (reconciliation?.inventoryOnly ?? []).filter(({ excluded }) => excluded === null)
  return {
    deviations: open.map(({ row }) => ({
      subject: plain([row.id, row.name].filter((part) => part !== null).join(' '), 120),
      observedAt: null,
      observations: [
        {
          direction: 'contradicts',
          text: `The provider inventory lists ${plain([row.id, row.name, row.serial, row.address].filter((part) => part !== null).join(', '), 300)}; no declared node matches it, and no exclusion is declared.`,
          probe: null,
          captures: [],
        },
      ],
      accepted: null,
      acceptanceExpired: null,
      isStale: false,
    })),
    tested: scope.engagement?.inventory?.rows.length ?? 0,
  }
}

const thresholdsOf = ({ catalog, thresholds }: About, check: string): readonly ThresholdValue[] =>
  (catalog.checks.find(({ id }) => id === check)?.thresholds ?? []).flatMap((id) => thresholds.get(id) ?? [])

/** What the deviating nodes hold or run, as far as the evidence or a declaration shows it. */
function exposure({ holds, assessment }: About, area: RiskArea, nodes: readonly string[]): readonly string[] {
  const isMapped = assessment.scope.engagement?.ephi.stores.some((store) => store.nodes.length > 0) === true
  const carrying = nodes.filter((node) => holds('ephi', node))
  const shared = !REACHED_BY_OTHERS.includes(area)
    ? []
    : nodes.filter((node) => OTHER_PARTIES.some((check) => holds(`not-satisfied ${check}`, node)))
  return [
    ...(carrying.length === 0
      ? []
      : [`${isMapped ? 'By the ePHI map, ePHI is' : 'ePHI is declared'} on ${names(carrying, 6)}.`]),
    ...(shared.length === 0 ? [] : [`Accounts that are not authorized are active on ${names(shared, 6)}.`]),
  ]
}

/** What another party on the node can reach through the condition. */
const REACHED_BY_OTHERS: readonly RiskArea[] = ['ephi-at-rest', 'privileged-access', 'execution-environment']
const OTHER_PARTIES: readonly string[] = ['tenancy.user-census', 'tenancy.gpu-processes']

/** Controls in scope that this check decides and that it keeps from being supported. A proposed rule has no controls that a finding concerns. */
const controlsOf = ({ assessment, catalog }: About, check: string): readonly ConcernedControl[] => {
  const proposed = new Set(catalog.frameworks.filter((one) => one.proposed).map(({ id }) => id))
  return assessment.controls.flatMap(({ framework, control, state, checks }) => {
    if (proposed.has(framework)) return []
    const own = checks.find((one) => one.check === check && one.decides)
    if (own === undefined || state === 'out-of-scope') return []
    const isOpen = own.notSatisfied > 0 || (check === POPULATION && own.inconclusive > 0)
    if (!isOpen) return []
    // Of its own check, the deviations alone are closed; an open row of the inventory counts as inconclusive.
    const isClosed = ({ check: id, notSatisfied, inconclusive, notTested }: (typeof checks)[number]): boolean =>
      (id === check || notSatisfied === 0) &&
      ((id === POPULATION && id === check) || inconclusive === 0) &&
      notTested === 0
    const isSettled = checks.every((one) => !one.decides || isClosed(one))
    return [{ framework, control, isSettled }]
  })
}

function seen(
  { earlier, assessment }: About,
  check: string,
  deviations: readonly FoundDeviation[],
): Pick<Finding, 'firstSeen' | 'lastSeen'> {
  const subjects = new Set(deviations.map(({ subject }) => subject))
  const before = (earlier?.deviations ?? []).flatMap((one) =>
    one.check === check && one.open && subjects.has(one.node) ? [one.found.at] : [],
  )
  const now = deviations.map(({ observedAt }) => observedAt ?? assessment.asOf)
  const times = [...before, ...now].sort(compare)
  return { firstSeen: times[0] ?? null, lastSeen: [...now].sort(compare).at(-1) ?? null }
}

function statusOf(deviations: readonly FoundDeviation[], response: ManagementResponse | null): FindingStatus {
  if (deviations.every(({ accepted }) => accepted !== null)) return 'risk-accepted'
  if (response !== null && response.status !== 'open') return response.status
  return deviations.some(({ acceptanceExpired }) => acceptanceExpired !== null) ? 'acceptance-expired' : 'open'
}

/** Deviations of earlier runs of the period that a later run shows satisfied or not applicable, by check. */
export function remediatedIn(
  { catalog, assessment }: Pick<FindingMatter, 'catalog' | 'assessment'>,
  earlier: EarlierRuns | undefined,
): readonly Remediated[] {
  const found = new Map<string, { check: string; nodes: Set<string>; run: string; at: string }>()
  for (const { check, node, fixed } of earlier?.deviations ?? []) {
    if (fixed === null) continue
    const key = `${check}\n${fixed.run}`
    const one = found.get(key) ?? { check, nodes: new Set<string>(), run: fixed.run, at: fixed.at }
    one.nodes.add(node)
    found.set(key, one)
  }
  const titles = new Map(catalog.severities.map(({ check, finding }) => [check, finding]))
  return [...found.values()]
    .map(({ check, nodes, run, at }) => ({
      reference: findingReference(assessment.scope.fleet, check),
      check,
      title: titles.get(check) ?? check,
      nodes: [...nodes].sort(compare),
      run,
      at,
    }))
    .sort((a, b) => compare(a.at, b.at) || compare(a.check, b.check))
}

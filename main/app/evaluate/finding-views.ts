import { findingStatusWords, LIMITS_CONTROLS, riskAreaWords, severityWords } from '../../../schemas/conclusion-words.ts'
import type {
  FindingEvidence,
  FindingRow,
  FindingsView,
  FindingView,
  ResponseView,
} from '../../../schemas/ipc-findings.ts'
import type { Source } from '../../../schemas/ipc-views.ts'
import type { Assessment, EarlierRuns, ManagementResponse, Register } from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { REMEDIATIONS, remediationOf } from '../../catalog/definition/remediation.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { oneLine, plain, plural, quote } from '../../core/base/plain-text.ts'
import { tally } from '../../core/conclusion/tally.ts'
import { POPULATION } from '../../core/engagement/coverage.ts'
import { type Finding, type FoundDeviation, findingReference } from '../../core/finding/finding.ts'
import type { CheckRemediation } from '../../core/finding/work-order.ts'
import type { RecordingOutline } from '../../core/recording/recording.ts'
import { currentResponses, responsesOf } from '../../core/register/responses.ts'
import { signaturesOf } from '../../core/register/signatures.ts'
import { type Catalog, catalogFor } from '../../core/rules/catalog.ts'
import { fixedBy, type HomeMatter } from '../../present/home-results.ts'
import { type Presentation, presentationOf, remedyOf } from '../../present/presentation.ts'
import { severityReasons, statusText } from '../../present/report/findings.ts'
import { deviatingOf, limitedControls, refusedNodes, testedWords } from '../../present/report/parts/refused.ts'

/** A shown assessment, and the sources of its findings. */
export interface FindingSource {
  readonly of: Source
  readonly run: string
  readonly assessment: Assessment
  /** With the frameworks of the scope. */
  readonly catalog: Catalog
  readonly register: Register
  readonly shown: Presentation
}

/** Number of nodes of one finding that are sent with their observations; the others are named only. */
const MOST_EVIDENCE = 50
const MOST_OBSERVATIONS = 20
const LONGEST_TEXT = 600

export const homeMatter = ({ run, assessment, shown, catalog }: FindingSource): HomeMatter => ({
  run,
  catalog,
  assessment,
  shown,
  remediations: REMEDIATIONS,
})

/** The findings as a list: one row for each check, however many nodes there are. With a node: those that deviate on it. */
export function findingsView(source: FindingSource, node: string | null): FindingsView {
  const { of, run, assessment, shown } = source
  const { figures, findings, informational } = shown
  const isShown = ({ deviations }: Finding): boolean =>
    node === null || deviations.some(({ subject }) => subject === node)
  const on = findings.flatMap(({ what, deviations }) =>
    what === 'nodes' ? deviations.map(({ subject }) => subject) : [],
  )
  return {
    of,
    run,
    asOf: assessment.asOf,
    declared: figures.declared,
    tested: figures.tested,
    counts: figures.findings,
    deviations: figures.deviations,
    deviatingNodes: new Set(on).size,
    rows: findings.filter(isShown).map((one) => rowOf(source, one)),
    informational: informational.filter(isShown).map((one) => rowOf(source, one)),
  }
}

function rowOf({ catalog }: Pick<FindingSource, 'catalog'>, finding: Finding): FindingRow {
  const { reference, check, severity, riskArea, title, condition, what, deviations, tested, controls, response } =
    finding
  return {
    reference,
    check,
    property: catalog.checks.find(({ id }) => id === check)?.property ?? null,
    severity: severity.level,
    riskArea,
    title,
    condition,
    what,
    deviations: deviations.length,
    tested,
    refused: refusedNodes(finding).length,
    inconclusive: finding.inconclusive.length,
    controls: controls.length,
    fixedBy: fixedBy(finding, remediationOf(check)),
    status: finding.status,
    statusText: statusText(finding),
    owner: response?.owner ?? null,
    due: response?.due?.slice(0, 10) ?? null,
    isOverdue: finding.isOverdue,
    response: response === null ? null : responseView(response),
  }
}

/** One finding in full, with the observations of its first nodes; null where the assessment has none of this reference. */
export function findingView(source: FindingSource, reference: string): FindingView | null {
  const { of, assessment, catalog, shown } = source
  // Informational ones are a list of their own, and in no count of findings.
  const all =
    [shown.findings, shown.informational].find((list) => list.some((one) => one.reference === reference)) ?? []
  const at = all.findIndex((one) => one.reference === reference)
  const finding = all[at]
  if (finding === undefined) return null
  const { check, criterion, deviations } = finding
  const remediation = remediationOf(check)
  const { verdict } = tally(assessment, catalog.checks)
  const nodesWith = (wanted: Verdict): readonly string[] =>
    finding.what === 'inventory'
      ? []
      : assessment.nodes.flatMap(({ node }) => (verdict(node, check) === wanted ? [node] : []))
  return {
    ...rowOf(source, finding),
    of,
    criterion: {
      expected: criterion.expected,
      thresholds: criterion.thresholds.map(({ threshold, shown: value }) => `${threshold.title}: ${value}`),
      source: criterion.source,
    },
    effect: finding.effect,
    cause: finding.cause,
    severityReasons: [...severityReasons(finding), ...notEvaluated(finding)],
    recommendation: {
      title: remedyOf(finding, remediation),
      variants: remediation?.steps ?? [],
      sideEffects: remediation?.sideEffects ?? '',
      source: remediation?.source ?? '',
    },
    limitations: catalog.checks.find(({ id }) => id === check)?.limitations ?? '',
    concerns: controlsOf(catalog, finding.controls),
    limits: controlsOf(catalog, limitedControls(source, finding)),
    evidence: deviations.slice(0, MOST_EVIDENCE).map(evidenceOf),
    furtherNodes: deviations.slice(MOST_EVIDENCE).map(({ subject }) => subject),
    satisfiedNodes: nodesWith('satisfied').length,
    inconclusiveNodes: finding.inconclusive,
    notApplicableNodes: nodesWith('not-applicable'),
    untestedNodes: finding.untested,
    alsoCloses: alsoCloses(shown.findings, finding),
    firstSeen: finding.firstSeen,
    lastSeen: finding.lastSeen,
    responses: responseViews(source, check),
    place: {
      at: at + 1,
      all: all.length,
      previous: all[at - 1]?.reference ?? null,
      next: all[at + 1]?.reference ?? null,
    },
  }
}

/** One sentence on all conditions of the severity that a person decides. */
function notEvaluated({ severity: { notEvaluated: conditions } }: Finding): readonly string[] {
  if (conditions.length === 0) return []
  const hold = conditions.length === 1 ? 'it holds' : 'they hold'
  return [`Not evaluated, as no evidence shows whether ${hold}: ${conditions.join('; ')}.`]
}

/** Controls with their titles, and with the other members of each. */
const controlsOf = <T extends ReturnType<typeof limitedControls>[number]>(
  { frameworks }: Catalog,
  controls: readonly T[],
) =>
  controls.flatMap(({ framework, control: key, ...rest }) => {
    const control = frameworks.find(({ id }) => id === framework)?.controls.find((one) => one.key === key)
    return control === undefined ? [] : [{ ...rest, framework, key, id: control.id, title: control.title }]
  })

const evidenceOf = ({ subject, observedAt, observations, accepted, isStale }: FoundDeviation): FindingEvidence => ({
  subject,
  observedAt,
  isStale,
  acceptedUntil: accepted?.expiresAt ?? null,
  observations: [...observations]
    .sort((a, b) => DIRECTIONS.indexOf(a.direction) - DIRECTIONS.indexOf(b.direction))
    .slice(0, MOST_OBSERVATIONS)
    .map(({ direction, text }) => ({ direction, text: oneLine(text, LONGEST_TEXT) })),
  furtherObservations: Math.max(observations.length - MOST_OBSERVATIONS, 0),
})
const DIRECTIONS = ['contradicts', 'unclear', 'supports']

function alsoCloses(all: readonly Finding[], { check, deviations }: Finding): FindingView['alsoCloses'] {
  const subjects = new Set(deviations.map(({ subject }) => subject))
  return (remediationOf(check)?.alsoSettles ?? []).flatMap((other) => {
    const found = all.find((one) => one.check === other)
    return found === undefined || !found.deviations.some(({ subject }) => subjects.has(subject))
      ? []
      : [{ reference: found.reference, condition: found.condition, severity: found.severity.level }]
  })
}

function responseViews({ register, assessment }: FindingSource, check: string): readonly ResponseView[] {
  const current = currentResponses(register, assessment.asOf).get(check)
  const earlier = responsesOf(register)
    .filter((one) => one.check === check && one !== current)
    .sort((a, b) => (a.statedAt < b.statedAt ? 1 : -1))
  return [...(current === undefined ? [] : [current]), ...earlier].map(responseView)
}

const responseView = (entry: ManagementResponse): ResponseView => ({
  id: entry.id,
  status: entry.status,
  owner: entry.owner,
  due: entry.due?.slice(0, 10) ?? null,
  plan: entry.plan,
  cause: entry.cause ?? null,
  statedBy: entry.statedBy,
  statedAt: entry.statedAt,
  withdrawnAt: entry.withdrawn?.at ?? null,
  isSigned: signaturesOf(entry).length > 0,
})

/** The nodes on which findings of these checks deviate, with the number of findings on each. */
export function deviatingNodes(
  { shown }: Pick<FindingSource, 'shown'>,
  checks: readonly string[],
): readonly { readonly node: string; readonly findings: number }[] {
  const counts = new Map<string, number>()
  for (const finding of [...shown.findings, ...shown.informational])
    if (finding.what === 'nodes' && checks.includes(finding.check))
      for (const { subject } of finding.deviations) counts.set(subject, (counts.get(subject) ?? 0) + 1)
  return [...counts].map(([node, count]) => ({ node, findings: count })).sort((a, b) => (a.node < b.node ? -1 : 1))
}

/** The sources of findings. */
export interface FindingSources {
  readonly assessment: Assessment
  /** Without the frameworks of the scope, which are added. */
  readonly catalog: Catalog
  /** The part in scope. */
  readonly register: Register
  readonly recordings: readonly Pick<RecordingOutline, 'recording'>[]
  readonly earlier?: EarlierRuns
}

/** The presentation of an assessment with its findings: the same for every command and file. */
export function shownOf({ catalog: ours, ...sources }: FindingSources): Presentation {
  const catalog = catalogFor(ours, sources.assessment.scope)
  return presentationOf({
    ...sources,
    // The presentation needs the declarations of each node, and no captures.
    recordings: sources.recordings.map(({ recording }) => ({ recording, captures: [] })),
    catalog,
    remediations: REMEDIATIONS,
    tally: tally(sources.assessment, catalog.checks),
  })
}

/** Checks that can have findings: those of the catalog, and the reconciliation of the population. */
export const findingChecks = ({ checks }: Pick<Catalog, 'checks'>): readonly string[] => [
  ...checks.map(({ id }) => id),
  POPULATION,
]

/** The check of a finding, named by its reference or by the check itself. Fails with input.refused. */
export function findingNamed(catalog: Pick<Catalog, 'checks'>, fleet: string, text: string): Outcome<string> {
  const wanted = text.trim()
  const found = findingChecks(catalog).find(
    (check) => check === wanted || findingReference(fleet, check) === wanted.toUpperCase(),
  )
  return found === undefined
    ? fail(
        'input.refused',
        `there is no finding or check ${quote(wanted)} of fleet ${quote(fleet)}; a reference belongs to the fleet file that “finding list” was given`,
      )
    : ok(found)
}

/** Who remedies a finding, and by when. */
export const ownerLine = ({ response, isOverdue }: Pick<Finding, 'response' | 'isOverdue'>): string =>
  `${response?.owner == null ? 'Owner not assigned' : `Owner: ${oneLine(response.owner, 100)}`}${
    response?.due == null ? '' : `, due ${response.due.slice(0, 10)}${isOverdue ? ' (overdue)' : ''}`
  }`

/** One finding in two lines, for lists. */
export const findingLines = (finding: Finding): readonly string[] => [
  `${finding.reference}  ${severityWords[finding.severity.level]}  ${finding.condition}`,
  `      Deviations: ${deviationsText(finding)}. ${statusText(finding)}. ${ownerLine(finding)}`,
]

/** “1 of 6 nodes tested”, “1 of 10 inventory rows”. */
const deviationsText = (finding: Finding): string =>
  `${deviatingOf(finding)}${finding.what === 'inventory' ? ' inventory rows' : testedWords(finding, 'nodes')}`

/** One finding in full, as plain text: deviations, criterion, severity, and management responses. */
export function findingText(
  finding: Finding,
  {
    remediation,
    history,
    limits,
  }: {
    readonly remediation: CheckRemediation | undefined
    readonly history: readonly ManagementResponse[]
    /** See limitedControls(). */
    readonly limits: ReturnType<typeof limitedControls>
  },
): readonly string[] {
  const { reference, severity, condition, check, criterion, effect, deviations, controls } = finding
  const thresholds = criterion.thresholds.map(({ threshold, shown }) => `${threshold.title}: ${shown}`)
  return [
    `${reference}  ${severityWords[severity.level]}: ${condition}`,
    `  Status: ${statusText(finding)}. ${ownerLine(finding)}`,
    `  Check: ${check} (${riskAreaWords[finding.riskArea]})`,
    `  Criterion: ${[criterion.expected, ...thresholds].join(' ')}${criterion.source === '' ? '' : ` Source: ${criterion.source}`}`,
    `  Deviations: ${deviationsText(finding)}`,
    ...deviations.flatMap(({ subject, observedAt, observations, accepted, isStale }) => [
      `    ${subject}${observedAt === null ? '' : `, ${observedAt}`}${isStale ? ', not retested since' : ''}${accepted === null ? '' : `, risk accepted until ${accepted.expiresAt.slice(0, 10)}`}`,
      ...observations
        .filter(({ direction }) => direction === 'contradicts')
        .map(({ text }) => `      ${oneLine(text, 500)}`),
    ]),
    ...listed('Inconclusive on', finding.inconclusive),
    ...listed('Not tested on', finding.untested),
    `  Effect: ${effect.join(' ')}`,
    `  Severity: ${severityWords[severity.base]} by its check`,
    ...severity.raised.map(
      ({ text, nodes }) => `    higher because ${text}: ${nodes.map((node) => plain(node)).join(', ')}`,
    ),
    ...severity.lowered.map(({ text }) => `    lower because ${text}`),
    ...severity.notEvaluated.map((text) => `    not evaluated: ${text}`),
    `  Recommendation: ${remedyOf(finding, remediation)}`,
    ...(controls.length === 0
      ? [
          limits.length === 0
            ? '  Decides no control in scope.'
            : `  ${LIMITS_CONTROLS} ${limits.map(({ control }) => control).join(', ')}`,
        ]
      : [`  Controls: ${controls.map(({ control }) => control).join(', ')}`]),
    ...(finding.firstSeen === null
      ? []
      : [`  First observed: ${finding.firstSeen}; last observed: ${finding.lastSeen}`]),
    ...(history.length === 0
      ? ['  No management response.']
      : [
          `  Management responses (${plural(history.length, 'entry', 'entries')}, the latest first):`,
          ...history.flatMap(responseLines),
        ]),
  ]
}

const listed = (title: string, nodes: readonly string[]): readonly string[] =>
  nodes.length === 0 ? [] : [`  ${title}: ${nodes.map((node) => plain(node)).join(', ')}`]

/** One response as lines of plain text, with whether it is signed. */
function responseLines(entry: ManagementResponse): readonly string[] {
  const { id, status, owner, due, plan, cause, statedBy, statedAt, withdrawn, signatures = [] } = entry
  return [
    `    ${id}  ${findingStatusWords[status]}${owner === null ? '' : `, owner ${oneLine(owner, 200)}`}${due === null ? '' : `, due ${due.slice(0, 10)}`}`,
    `      Stated by ${oneLine(statedBy, 200)} at ${statedAt}. ${signatures.length === 0 ? 'Not digitally signed.' : `Signed with key ${signatures[0]?.fingerprint}; “verify” checks it.`}`,
    ...(plan === null ? [] : [`      Plan: ${oneLine(plan)}`]),
    ...(cause === undefined ? [] : [`      Cause: ${oneLine(cause)}`]),
    ...(withdrawn === null
      ? []
      : [`      Withdrawn at ${withdrawn.at} by ${oneLine(withdrawn.by, 200)}: ${oneLine(withdrawn.reason)}`]),
  ]
}

import {
  documentLine,
  levelWords,
  observationLine,
  rowStateWords,
  serverLine,
} from '../../../../schemas/conclusion-words.ts'
import type {
  CheckResult,
  ControlAssessment,
  ControlCheck,
  NodeAssessment,
  OutstandingDocument,
} from '../../../../schemas/types.ts'
import { VERDICTS, type Verdict, verdictWords } from '../../../../schemas/words.ts'
import { alike } from '../../../core/base/grouping.ts'
import { FRESH_DAYS } from '../../../core/conclusion/assess.ts'
import { summarize } from '../../../core/conclusion/tally.ts'
import { nodeAssessmentPath } from '../../../core/pack/pack-files.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { Check } from '../../../core/rules/check.ts'
import { observationLines } from '../../report/parts/wording.ts'
import { resultText } from '../grids/controls.ts'
import { answerPath } from '../input.ts'
import { isObservation } from '../row-counts.ts'
import { isObserved, line, momentOf, type Names, prop, some } from './head.ts'

/** OSCAL objective status of a control; null where there is only a remark and no finding. */
interface Status {
  readonly state: 'satisfied' | 'not-satisfied'
  readonly reason: 'pass' | 'fail' | 'other'
}

/**
 * Whether a control was reviewed: at least one required or counter check was tested (conclusion model, section 1). A category that was not
 * elected, and a control with an approved decision that it does not apply, are not reviewed, whatever was tested on the nodes.
 */
export const isReviewed = ({ state, checks }: Pick<ControlAssessment, 'state' | 'checks'>): boolean =>
  state !== 'out-of-scope' && state !== 'not-applicable' && checks.some(({ decides, tested }) => decides && tested > 0)

/**
 * The objective status of a reviewed control; null where it has no finding.
 *
 * - A deviation in either part is not satisfied (fail), with or without a risk acceptance or an addressable decision: neither removes a
 *   deviation.
 * - No deviations in the server tests is satisfied: reason pass where the control is supported, and reason other where documents are outstanding,
 *   because then the server tests alone were concluded. The remarks of the finding print both parts.
 * - Everything else (unable to conclude, scope limitation, nothing tested, not applicable by observation, counter tests alone) has no finding:
 *   OSCAL has only two states, and an inconclusive control is in neither.
 */
export function statusOf(row: ControlAssessment): Status | null {
  const { state, server, documents } = row
  if (!isReviewed(row)) return null
  if (server.state === 'deviations' || documents.state === 'deviations')
    return { state: 'not-satisfied', reason: 'fail' }
  if (server.state !== 'no-deviations') return null
  return { state: 'satisfied', reason: state === 'supported' ? 'pass' : 'other' }
}

/** One finding per control that has one, with the observations and risks of its checks. */
export function findingsOf(names: Names): readonly unknown[] {
  const observations = observationsByCheck(names)
  const risks = new Map(names.input.shown.findings.map(({ check }) => [check, [names.risk(check)]]))
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
  const { framework, control, checks, server, documents } = assessed
  const known = names.controlOf(framework, control)
  const of = (found: ByCheck, some: readonly ControlCheck[]): readonly string[] => [
    ...new Set(some.flatMap(({ check }) => found.get(check) ?? [])),
  ]
  const deciding = checks.filter(({ decides }) => decides)
  return {
    uuid: names.lasting('finding', framework, control),
    title: line(`${known?.id ?? control} ${known?.title ?? ''}`),
    description: line(`Server part: ${serverLine(server)}. Document part: ${documentLine(documents)}.`),
    props: [
      prop('framework', framework),
      prop('control', control),
      prop('control-id', names.control(framework, control)),
      prop('row-state', assessed.state),
      prop('server-part', server.state),
      prop('nodes-in-scope', server.population),
      prop('nodes-tested', server.tested),
      prop('nodes-deviating', server.deviating),
      prop('document-part', documents.state),
      prop('documents-needed', documents.needed),
      prop('documents-held', documents.held),
    ],
    target: {
      type: 'objective-id',
      'target-id': names.objective(framework, control),
      status: { state, reason, remarks: remarksOf(assessed) },
    },
    ...some(
      'related-observations',
      of(observations, [...deciding, ...checks.filter(isObservation)]).map((uuid) => ({ 'observation-uuid': uuid })),
    ),
    ...some(
      'related-risks',
      of(risks, deciding).map((uuid) => ({ 'risk-uuid': uuid })),
    ),
    ...(known === undefined ? {} : { remarks: `Not covered: ${known.notCovered}` }),
  }
}

/** Both parts, the results of each deciding check, observations, and documents outstanding or not supporting. */
function remarksOf({ state, server, documents, checks }: ControlAssessment): string {
  const deciding = checks.filter(({ decides }) => decides)
  return [
    `Control state: ${rowStateWords[state].label}.`,
    `Server part: ${serverLine(server)}.`,
    `Document part: ${documentLine(documents)}.`,
    ...(documents.state === 'outstanding' && server.state === 'no-deviations'
      ? ['Satisfied refers to the server tests; documents of this control are outstanding.']
      : []),
    ...deciding.map((check) => `Test: ${resultText(check)}.`),
    ...deciding
      .filter(({ accepted }) => accepted > 0)
      .map(({ check, accepted }) => `Risk accepted: ${check} on ${accepted} nodes; the deviation remains.`),
    ...checks.filter(isObservation).map((check) => `Observation: ${check.check}: ${observationLine(check)}.`),
    ...documents.outstanding.map((one) => `Document outstanding: ${outstandingText(one)}.`),
    ...documents.deviations.map((one) => `Document inspected, does not support the control: ${line(one)}.`),
  ].join('\n')
}

const outstandingText = ({ request, title, level }: OutstandingDocument): string =>
  line(
    `${request === null ? '' : `${request} `}${title} (${level === null ? 'nothing on file' : levelWords[level].label.toLowerCase()})`,
  )

function observationsByCheck(names: Names): ByCheck {
  const found = new Map<string, Set<string>>()
  for (const node of names.input.assessment.nodes)
    for (const finding of node.results) {
      if (!isObserved(finding, node)) continue
      const own = found.get(finding.check) ?? new Set<string>()
      own.add(names.observation(finding.check, finding.verdict, node.node))
      found.set(finding.check, own)
    }
  return new Map([...found].map(([check, uuids]) => [check, [...uuids]]))
}

/** Counts of verdicts, as properties. */
export function verdictProps(results: readonly CheckResult[]): readonly unknown[] {
  const { counts } = summarize(results.map(({ verdict }) => verdict))
  return VERDICTS.map((verdict) => prop(`verdicts-${verdict}`, counts[verdict]))
}

interface Seen {
  readonly node: NodeAssessment
  readonly finding: CheckResult
}

/**
 * Observations: one per node and check with a verdict or, above MOST_NODES nodes, one per check and verdict with all its nodes as
 * subjects. Results that are not tested have none.
 */
export function observationsOf(
  names: Names,
  isWanted: (result: CheckResult) => boolean = () => true,
): readonly unknown[] {
  const { assessment, catalog } = names.input
  const checks = new Map(catalog.checks.map((check) => [check.id, check]))
  const seen = assessment.nodes.flatMap((node) =>
    node.results
      .filter((finding) => isObserved(finding, node) && isWanted(finding))
      .map((finding): Seen => ({ node, finding })),
  )
  if (!names.grouped) return seen.map((one) => single(names, checks.get(one.finding.check), one))
  const keyOf = ({ finding }: Seen): string => `${finding.check}\n${finding.verdict}`
  return alike(seen, keyOf)
    .flatMap(([first, ...others]) => (first === undefined ? [] : [{ first, all: [first, ...others] }]))
    .sort((a, b) => compare(keyOf(a.first), keyOf(b.first)))
    .map(({ first, all }) => grouped(names, checks.get(first.finding.check), first, all))
}

/** Assessment method (NIST SP 800-53A): examine for captures; also test where a probe of the check is a live test. */
export function methodsOf(check: Check | undefined): readonly string[] {
  const live = Object.values({ ...check?.requires, ...check?.optional }).some((probe) => probe.live === true)
  return live ? ['EXAMINE', 'TEST'] : ['EXAMINE']
}

function head(names: Names, check: Check | undefined, id: string, verdict: Verdict, uuid: string) {
  return {
    uuid,
    title: line(`${id}: ${verdictWords[verdict].label}`),
    description: line(check === undefined ? id : `${check.expected} Limitations: ${check.limitations}`),
    props: [prop('check', id), prop('verdict', verdict)],
    methods: methodsOf(check),
    types: ['control-objective'],
    origins: [names.origin],
  }
}

function single(names: Names, check: Check | undefined, { node, finding }: Seen): unknown {
  const collected = momentOf(node.observedAt) ?? names.input.assessment.asOf
  const cited = new Set(finding.observations.flatMap(({ captures }) => captures.map(({ sha256 }) => sha256)))
  return {
    ...head(names, check, finding.check, finding.verdict, names.observation(finding.check, finding.verdict, node.node)),
    subjects: [{ 'subject-uuid': names.node(node.node), type: 'inventory-item' }],
    ...some(
      'relevant-evidence',
      [...cited].sort(compare).map((digest) => ({
        href: answerPath(node.node, digest),
        description: 'Capture as stored in the pack',
        props: [prop('sha256', digest)],
      })),
    ),
    collected,
    ...expiry(node.observedAt),
    ...remarks(finding),
  }
}

/** Collection times differ between nodes: a group has the time of its oldest evidence. */
function grouped(names: Names, known: Check | undefined, first: Seen, group: readonly Seen[]): unknown {
  const { check, verdict } = first.finding
  const [oldest] = group.map(({ node }) => momentOf(node.observedAt) ?? names.input.assessment.asOf).sort(compare)
  return {
    ...head(names, known, check, verdict, names.observation(check, verdict, '')),
    subjects: group.map(({ node }) => ({ 'subject-uuid': names.node(node.node), type: 'inventory-item' })),
    'relevant-evidence': [
      {
        href: 'data/nodes/',
        description: `Observations of each node, with the digests of captures, are in its assessment.json, for example ${nodeAssessmentPath(first.node.node)}.`,
      },
    ],
    collected: oldest ?? names.input.assessment.asOf,
    ...expiry(oldest ?? null),
    remarks: `${group.length} of ${names.input.assessment.nodes.length} nodes. The collection time is the earliest of them.`,
  }
}

function expiry(observedAt: string | null): { readonly expires?: string } {
  const expires = momentOf(observedAt, FRESH_DAYS)
  return expires === null ? {} : { expires }
}

function remarks({ observations }: CheckResult): { readonly remarks?: string } {
  const lines = observationLines(observations)
  return lines.length === 0 ? {} : { remarks: lines.join('\n') }
}

import { categoryWords, SEVERITIES, type Severity, severityWords } from '../../schemas/conclusion-words.ts'
import { type FailureCode, failureWords } from '../../schemas/failure-words.ts'
import type { NodeAssessment } from '../../schemas/types.ts'
import { names, of, plain, plural } from '../core/base/plain-text.ts'
import { reached, type Tally } from '../core/conclusion/tally.ts'
import { withMappedPaths } from '../core/engagement/ephi.ts'
import { type Finding, findingsOf, type Remediated, remediatedIn } from '../core/finding/finding.ts'
import type { CheckRemediation } from '../core/finding/work-order.ts'
import { NOTHING_SHARED, surplusNames } from '../core/recording/same-machine.ts'
import { type RowCounts, rowCounts } from './formats/row-counts.ts'
import type { ReportInput } from './input.ts'
import { chosenFrameworks, nodeWords, shortName } from './report/parts/wording.ts'
import { documentCounts, failingWords } from './report/scope/outstanding.ts'

/**
 * The content that every output shows of an assessment: findings sorted and selected, figures counted, sentences composed. It is computed
 * once, so that no two outputs state two numbers or two sentences for the same thing.
 */
export interface Presentation {
  /** Severity above informational, the most severe first. */
  readonly findings: readonly Finding[]
  /** Informational results that are not satisfied; they are listed separately and counted in no sum. */
  readonly informational: readonly Finding[]
  /** At most seven findings for a first page, one of each risk area before a second of any. */
  readonly leading: readonly Finding[]
  readonly remediated: readonly Remediated[]
  readonly figures: Figures
  readonly frameworks: readonly RowCounts[]
  /** One sentence each: tests and findings, effect on controls, and limits of the conclusion. */
  readonly conclusion: readonly [found: string, controls: string, limits: string]
  readonly inOrder: readonly Share[]
  readonly notSeen: readonly NotSeen[]
  readonly actions: readonly NextAction[]
}

/** Every figure of a first page, each with one rule. */
export interface Figures {
  readonly declared: number
  /** Declared nodes with at least one evaluated capture; several names of one machine count once. */
  readonly tested: number
  readonly untested: number
  readonly inventory: null | {
    readonly rows: number
    readonly matched: number
    readonly excluded: number
    readonly unreconciled: number
  }
  readonly findings: Readonly<Record<Severity, number>>
  /** Nodes and inventory rows that deviate, summed over the findings. */
  readonly deviations: number
  readonly documents: {
    readonly needed: number
    readonly held: number
    /** Inspected, and found not to support a control that requires it. */
    readonly failing: number
    readonly overdue: number
    /** Outstanding, and asked of no one. */
    readonly unassigned: number
  }
  /** Critical and high findings, and how many of them have an owner. */
  readonly owned: { readonly severe: number; readonly withOwner: number }
  readonly acceptances: { readonly inEffect: number; readonly expired: number }
}

/** n of N, with what it counts. */
export interface Share {
  readonly text: string
  readonly part: number
  readonly whole: number
  /** The check that was counted over nodes, and the nodes of the part; null where checks were counted. */
  readonly over: { readonly check: string; readonly nodes: readonly string[] } | null
}

export interface NotSeen {
  readonly text: string
  readonly is: 'not-tested' | 'inconclusive' | 'limit'
  /** The one node that it is about. */
  readonly node: string | null
}

export interface NextAction {
  readonly text: string
  /** The findings that it closes or settles; empty for documents and unreachable nodes. */
  readonly findings: readonly Finding[]
  readonly owner: string | null
  /** UTC, ISO 8601. */
  readonly due: string | null
}

export type PresentationInput = Pick<
  ReportInput,
  'assessment' | 'catalog' | 'register' | 'recordings' | 'earlier' | 'remediations'
> & { readonly tally: Tally }

/** At most this many findings on a first page. */
const MOST_LEADING = 7

/** Pure: the same input gives the same presentation. */
export function presentationOf(input: PresentationInput): Presentation {
  const all = findingsOf(input)
  const findings = all.filter(({ severity }) => severity.level !== 'info')
  const frameworks = rowCounts(input.assessment, input.catalog)
  const figures = figuresOf(input, findings)
  const leading = leadingOf(findings)
  return {
    findings,
    informational: all.filter(({ severity }) => severity.level === 'info'),
    leading,
    remediated: remediatedIn(input, input.earlier),
    figures,
    frameworks,
    conclusion: [
      foundSentence(figures, nodeWords(input.assessment)),
      controlsSentence(input, frameworks),
      limitsSentence(input, frameworks, figures),
    ],
    inOrder: inOrderOf(input),
    notSeen: notSeenOf(input),
    actions: actionsOf(input, leading, figures),
  }
}

/**
 * One finding of each risk area, the most severe first; then further findings in order. A finding whose deviations are all risk-accepted comes
 * after all others.
 */
export function leadingOf(findings: readonly Finding[]): readonly Finding[] {
  const isAccepted = ({ status }: Finding): boolean => status === 'risk-accepted'
  const ordered = [...findings.filter((one) => !isAccepted(one)), ...findings.filter(isAccepted)]
  const firsts = ordered.filter((one, at) => ordered.findIndex(({ riskArea }) => riskArea === one.riskArea) === at)
  const rest = ordered.filter((one) => !firsts.includes(one))
  const chosen = new Set([...firsts.slice(0, MOST_LEADING), ...rest].slice(0, MOST_LEADING))
  return ordered.filter((one) => chosen.has(one))
}

function figuresOf(input: PresentationInput, findings: readonly Finding[]): Figures {
  const { assessment } = input
  const { nodes, reconciliation, scope, shared = NOTHING_SHARED } = assessment
  const tested = nodes.filter(reached).length - surplusNames(shared)
  const severe = findings.filter(({ severity }) => severity.level === 'critical' || severity.level === 'high')
  const { needed, held, overdue, outstanding, failing } = documentCounts(input)
  const rows = scope.engagement?.inventory?.rows.length ?? 0
  const only = reconciliation?.inventoryOnly ?? []
  const excluded = only.filter((row) => row.excluded !== null).length
  const accepted = findings.flatMap(({ deviations }) => deviations)
  return {
    declared: nodes.length,
    tested,
    untested: nodes.length - tested,
    inventory:
      reconciliation === undefined || reconciliation.inventory === null
        ? null
        : { rows, matched: rows - only.length, excluded, unreconciled: only.length - excluded },
    findings: countedBySeverity(findings),
    deviations: findings.reduce((sum, { deviations }) => sum + deviations.length, 0),
    documents: {
      needed,
      held,
      failing: failing.length,
      overdue,
      unassigned: outstanding.filter(({ status }) => status.request === null).length,
    },
    owned: { severe: severe.length, withOwner: severe.filter(({ response }) => response?.owner != null).length },
    acceptances: {
      inEffect: new Set(accepted.flatMap((one) => one.accepted?.id ?? [])).size,
      expired: new Set(accepted.flatMap((one) => one.acceptanceExpired?.id ?? [])).size,
    },
  }
}

/** Items that refer to a check, by that check. */
export const byCheck = <T extends { readonly check: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((one) => [one.check, one]))

/** Every finding by its check, those of informational checks included. */
export const findingByCheck = ({
  findings,
  informational,
}: Pick<Presentation, 'findings' | 'informational'>): ReadonlyMap<string, Finding> =>
  byCheck([...findings, ...informational])

const countedBySeverity = (findings: readonly Finding[]): Figures['findings'] => {
  const count = (level: Severity): number => findings.filter(({ severity }) => severity.level === level).length
  return {
    critical: count('critical'),
    high: count('high'),
    medium: count('medium'),
    low: count('low'),
    info: count('info'),
  }
}

/** “2 critical, 3 high”; levels without a finding are left out. */
export const severityCounts = (counts: Figures['findings']): string =>
  listed(
    SEVERITIES.flatMap((level) =>
      counts[level] === 0 ? [] : [`${counts[level]} ${severityWords[level].toLowerCase()}`],
    ),
  )

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

function foundSentence({ declared, tested, inventory, findings }: Figures, nodes: string): string {
  const all = SEVERITIES.reduce((sum, level) => sum + findings[level], 0)
  if (tested === 0 && all === 0)
    return declared === 1
      ? `The ${nodes} was not tested, and no finding was made.`
      : `None of ${declared} ${nodes} was tested, and no finding was made.`
  const lists = inventory === null ? '' : ' and of the provider inventory'
  const result = all === 0 ? 'no findings' : `${plural(all, 'finding')}: ${severityCounts(findings)}`
  return `Tests of ${of(tested, declared)} ${nodes}${lists} resulted in ${result}.`
}

/** Frameworks that are in effect, as sentences count them. */
const inEffect = ({ assessment, catalog }: PresentationInput, counts: readonly RowCounts[]): readonly RowCounts[] => {
  const { current } = chosenFrameworks({ assessment, catalog })
  return counts.filter(({ framework }) => current.includes(framework))
}

const countOf = ({ states }: RowCounts, wanted: string): number => states.find(([state]) => state === wanted)?.[1] ?? 0
/** Controls in scope. */
export const inScopeOf = (one: RowCounts): number => one.rows.length - countOf(one, 'out-of-scope')

/** “HIPAA controls”, “SOC 2 Security and Availability criteria”. */
function controlsName({ framework }: RowCounts, { assessment }: PresentationInput): string {
  const name = shortName(framework.id)
  if (framework.id !== 'soc2') return `${name} controls`
  const elected = ['security', ...(assessment.scope.engagement?.categories ?? [])]
  return `${name} criteria (${listed(elected.map((one) => categoryWords[one] ?? one))})`
}

/** “3 HIPAA controls”, “1 SOC 2 criterion”: supported controls of one framework. Counts of several are never added. */
function supportedOf(one: RowCounts): string {
  const count = countOf(one, 'supported')
  const noun = one.framework.id === 'soc2' ? plural(count, 'criterion', 'criteria') : plural(count, 'control')
  return noun.replace(' ', ` ${shortName(one.framework.id)} `)
}

function controlsSentence(input: PresentationInput, counts: readonly RowCounts[]): string {
  const chosen = inEffect(input, counts)
  if (chosen.length === 0) return 'No framework in effect was chosen, so that no control was concluded on.'
  const parts = chosen.map((one) => `${of(countOf(one, 'deviations'), inScopeOf(one))} ${controlsName(one, input)}`)
  const supported = chosen.filter((one) => countOf(one, 'supported') > 0)
  const tested = supported.some((one) => one.supportedByTests > 0)
  const alone = supported.length > 0 && !tested ? ', by documents alone' : ''
  const isOne = supported.length === 1 && supported[0] !== undefined && countOf(supported[0], 'supported') === 1
  const counted =
    supported.length === 0 ? 'no control is' : `${listed(supported.map(supportedOf))} ${isOne ? 'is' : 'are'}`
  // With a decision in place the specification is in no count of deviations, and its deviations remain.
  const decided = chosen.reduce((sum, one) => sum + countOf(one, 'addressable-decision'), 0)
  const apart =
    decided === 0 ? '' : `, and for ${plural(decided, 'addressable specification')} with a documented decision`
  return `Deviations were noted for ${listed(parts)}${apart}; ${counted} supported${alone}.`
}

function limitsSentence(
  input: PresentationInput,
  counts: readonly RowCounts[],
  { documents, untested }: Figures,
): string {
  const open = inEffect(input, counts).filter((one) => countOf(one, 'unable-to-conclude') > 0)
  const outstanding = documents.needed - documents.held
  const { failing } = documents
  if (open.length === 0 && outstanding === 0 && untested === 0 && failing === 0)
    return documents.needed === 0
      ? 'The whole population was tested, and no document is required.'
      : 'The whole population was tested, and all required documents were inspected.'
  const parts = [
    ...(open.length === 0
      ? []
      : [
          `for ${listed(open.map((one) => `${countOf(one, 'unable-to-conclude')} ${controlsName(one, input).replace(/ \(.*/, '')}`))} the evidence does not allow a conclusion`,
        ]),
    documents.needed === 0
      ? 'no document is required'
      : `${outstanding === 0 ? 'none' : outstanding} of ${documents.needed} required documents ${outstanding === 1 ? 'is' : 'are'} outstanding`,
    ...(failing === 0 ? [] : [`${failing} ${failingWords(failing)}`]),
  ]
  const sentence = parts.join(', and ')
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`
}

/** Checks that answer what a reader asks first; each line is left out where nothing is in order, or nothing was declared. */
function inOrderOf({ catalog, tally, assessment, recordings }: PresentationInput): readonly Share[] {
  const counts = catalog.checks.map(({ id }) => tally.overNodes(id).counts)
  const decided = counts.filter((one) => one.satisfied + one['not-satisfied'] > 0)
  const clean = decided.filter((one) => one['not-satisfied'] === 0)
  const satisfiedOn = (check: string): readonly string[] =>
    assessment.nodes.flatMap(({ node }) => (tally.verdict(node, check) === 'satisfied' ? [node] : []))
  const overTested = (text: string, check: string): Share => {
    const { satisfied, 'not-applicable': outside } = tally.overNodes(check).counts
    return {
      text,
      part: satisfied,
      whole: tally.testedOn(check) - outside,
      over: { check, nodes: satisfiedOn(check) },
    }
  }
  // Where no path is declared, the check tests other mounts: such a node shows nothing about a declared path.
  const ephi = assessment.scope.engagement?.ephi
  const tested = new Set(assessment.nodes.filter(reached).map(({ node }) => node))
  const carrying = recordings.filter(
    ({ recording }) =>
      tested.has(recording.node.name) && (withMappedPaths(recording.node, ephi).ephiPaths ?? []).length > 0,
  )
  const encrypted = carrying.filter(({ recording }) => tally.verdict(recording.node.name, EPHI_PATHS) === 'satisfied')
  const shares: readonly Share[] = [
    { text: 'Checks without a deviation, of those decided', part: clean.length, whole: decided.length, over: null },
    overTested('No sign of a hypervisor, of nodes tested', 'tenancy.no-hypervisor'),
    {
      text: 'Declared ePHI paths encrypted, of nodes tested with any',
      part: encrypted.length,
      whole: carrying.length,
      over: { check: EPHI_PATHS, nodes: encrypted.map(({ recording }) => recording.node.name) },
    },
    overTested('Location in committed area, of nodes tested', 'location.residency'),
  ]
  return assessment.nodes.some(reached) ? shares.filter(({ part }) => part > 0) : []
}

const EPHI_PATHS = 'encryption.at-rest.ephi-paths'

const MOST_NODES_NAMED = 3

function notSeenOf({ assessment, tally }: PresentationInput): readonly NotSeen[] {
  const silent = assessment.nodes.filter((node) => !reached(node))
  const limited = assessment.nodes.filter((node) => reached(node) && node.privilege === 'none')
  const rest = silent.length - MOST_NODES_NAMED
  return [
    ...silent.slice(0, MOST_NODES_NAMED).map(
      (node): NotSeen => ({
        is: 'not-tested',
        text: `${plain(node.node, 60)}: ${whyOf(node)}`,
        node: node.node,
      }),
    ),
    ...(rest > 0 ? [{ is: 'not-tested', text: `${plural(rest, 'more node')} not tested`, node: null } as const] : []),
    ...limited.slice(0, MOST_NODES_NAMED).map(
      ({ node }): NotSeen => ({
        is: 'inconclusive',
        text: `${plain(node, 60)}: no root rights, ${tally.onNode(node).counts.inconclusive} inconclusive`,
        node,
      }),
    ),
    ...(limited.length > MOST_NODES_NAMED
      ? [
          {
            is: 'inconclusive',
            text: `${plural(limited.length - MOST_NODES_NAMED, 'more node')} without administrator rights`,
            node: null,
          } as const,
        ]
      : []),
    // The adversary of isolation that costs least is named wherever isolation is reported.
    ...(assessment.nodes.some(({ isolation }) => isolation !== null)
      ? [
          {
            is: 'limit',
            text: 'An adversary with root in the system image can falsify isolation',
            node: null,
          } as const,
        ]
      : []),
    { is: 'limit', text: 'Operation between collections, premises, interviews', node: null },
  ]
}

/** Why a node was not tested, in a few words. */
export const whyOf = ({ failure }: Pick<NodeAssessment, 'failure'>): string =>
  failure === null ? 'no recording' : (failureWords[failure.code as FailureCode]?.title ?? plain(failure.code, 60))

/** The remedies of the leading findings in their order, then nodes that were not tested, then documents. */
function actionsOf(
  { assessment, remediations }: PresentationInput,
  leading: readonly Finding[],
  { documents }: Figures,
): readonly NextAction[] {
  const remedies = byCheck(remediations)
  const isForProvider = ({ check }: Finding): boolean => remedies.get(check)?.whoCanChange === 'provider'
  const provider = leading.filter(isForProvider)
  const own = leading.flatMap((finding): readonly NextAction[] => {
    if (isForProvider(finding))
      return finding === provider[0] ? [actionFor(`Write to the provider about ${subjectsOf(provider)}`, provider)] : []
    return [actionFor(`${remedyOf(finding, remedies.get(finding.check))}: ${subjectsOf([finding])}`, [finding])]
  })
  const silent = assessment.nodes.filter((node) => !reached(node)).map(({ node }) => node)
  const fixed = new Set(leading.flatMap(({ deviations }) => deviations.map(({ subject }) => subject)))
  const unreached = silent.filter((node) => !fixed.has(node))
  const outstanding = documents.needed - documents.held
  return [
    ...own,
    ...(unreached.length === 0 ? [] : [actionFor(`Restore access to ${names(unreached, 3)}, and collect again`, [])]),
    ...(documents.failing === 0
      ? []
      : [
          actionFor(
            `Resolve ${plural(documents.failing, 'document')} that ${documents.failing === 1 ? 'does' : 'do'} not support: see the list of requests`,
            [],
          ),
        ]),
    ...(outstanding === 0
      ? []
      : [actionFor(`Obtain ${plural(outstanding, 'document')}: see the list of requests`, [])]),
  ]
}

const subjectsOf = (findings: readonly Finding[]): string =>
  names([...new Set(findings.flatMap(({ deviations }) => deviations.map(({ subject }) => subject)))], 3)

/** The first step of a remediation, by its title. */
export const remedyOf = (finding: Finding, remediation: CheckRemediation | undefined): string =>
  finding.what === 'inventory'
    ? 'Declare the server, or exclude the row with a reason'
    : (remediation?.steps[0]?.title ?? 'Decide on the remedy')

const actionFor = (text: string, findings: readonly Finding[]): NextAction => {
  const owned = findings.find(({ response }) => response?.owner != null)?.response
  return { text, findings, owner: owned?.owner ?? null, due: owned?.due ?? null }
}

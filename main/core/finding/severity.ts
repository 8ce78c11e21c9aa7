import { SEVERITIES, type Severity } from '../../../schemas/conclusion-words.ts'
import type { Engagement, NodeAssessment, ProviderProfile, Register, ResidencyPolicy } from '../../../schemas/types.ts'
import { isPublic, parseAddress } from '../geo/addresses.ts'
import type { RecordingOutline } from '../recording/recording.ts'
import { attachmentsBy, REQUESTS, stateOf } from '../register/documents.ts'
import type { CheckSeverity, SeverityCondition } from '../rules/catalog.ts'
import type { EvidenceRequest } from '../rules/requests.ts'

/** The severity of one finding, and how it follows from the base severity of its check. Verdicts never depend on it. */
export interface RatedSeverity {
  readonly level: Severity
  readonly base: Severity
  /** Why a deviation from the check has its base severity. */
  readonly why: string
  /** Conditions that hold in the evidence, with the deviating nodes on which they hold. Any number of them is one step up. */
  readonly raised: readonly AppliedCondition[]
  /** Conditions that hold on every deviating node: one step down. */
  readonly lowered: readonly AppliedCondition[]
  /** Conditions that no collected evidence shows; a person decides whether they hold. */
  readonly notEvaluated: readonly string[]
}

interface AppliedCondition {
  readonly text: string
  readonly nodes: readonly string[]
}

/** Whether a fact of a severity condition holds on a node (its grammar: `SeverityCondition`). */
export type FactHolds = (fact: string, node: string) => boolean

/** Rates a finding on its deviating nodes. Without any node, such as an unreconciled row of an inventory, the base severity applies. */
export function rateSeverity(severity: CheckSeverity, deviating: readonly string[], holds: FactHolds): RatedSeverity {
  const applied = (conditions: readonly SeverityCondition[]): readonly AppliedCondition[] =>
    conditions.flatMap(({ text, facts }) => {
      const nodes = facts.length === 0 ? [] : deviating.filter((node) => facts.every((fact) => holds(fact, node)))
      return nodes.length === 0 ? [] : [{ text, nodes }]
    })
  const raised = applied(severity.raisesWhen)
  const lowered = applied(severity.lowersWhen).filter(({ nodes }) => nodes.length === deviating.length)
  const steps = (raised.length > 0 ? 1 : 0) - (lowered.length > 0 ? 1 : 0)
  return {
    level: stepped(severity.severity, steps),
    base: severity.severity,
    why: severity.why,
    raised,
    lowered,
    notEvaluated: [...severity.raisesWhen, ...severity.lowersWhen].flatMap(({ text, facts }) =>
      facts.length === 0 ? [text] : [],
    ),
  }
}

/** A severity some steps up; never above critical or below informational. */
function stepped(severity: Severity, steps: number): Severity {
  const at = SEVERITIES.indexOf(severity) - steps
  return SEVERITIES[Math.min(Math.max(at, 0), SEVERITIES.length - 1)] ?? severity
}

/** What facts are read from. */
interface FactMatter {
  readonly nodes: readonly NodeAssessment[]
  readonly recordings: readonly Pick<RecordingOutline, 'recording'>[]
  readonly engagement: Engagement | undefined
  readonly residency: readonly ResidencyPolicy[]
  readonly provider: ProviderProfile | undefined
  readonly register: Register
  readonly requests: readonly EvidenceRequest[]
  /** UTC, ISO 8601. */
  readonly asOf: string
}

/** Reads facts of severity conditions from an assessment. An unknown fact holds nowhere. */
export function factsOf(matter: FactMatter): FactHolds {
  const { nodes, recordings, engagement, residency, provider, register, requests, asOf } = matter
  const verdicts = new Map(
    nodes.map(({ node, results }) => [node, new Map(results.map(({ check, verdict }) => [check, verdict]))]),
  )
  const declared = new Map(recordings.map(({ recording: { node } }) => [node.name, node]))
  const stored = new Set((engagement?.ephi.stores ?? []).flatMap((store) => store.nodes))
  const attached = attachmentsBy(register, asOf, engagement?.reportingBasis ?? null)
  const inspected = new Map(
    requests.map(({ id, minimum }) => [id, stateOf(attached(REQUESTS, id), minimum, asOf).conclusion === 'supports']),
  )
  const claimedOn = (check: string, node: string): boolean =>
    (provider?.claims ?? []).some(
      ({ tests, nodes: of }) =>
        (of === undefined || of.includes(node)) && tests.some((test) => 'check' in test && test.check === check),
    )
  return (fact, node) => {
    const [kind = '', about = ''] = fact.split(' ')
    switch (kind) {
      case 'ephi':
        // The data map names the nodes; without one, a path of the fleet file can be declared for all of them.
        return stored.size > 0 ? stored.has(node) : (declared.get(node)?.ephiPaths ?? []).length > 0
      case 'public-address':
        return isPublicAddress(declared.get(node)?.address)
      case 'residency':
        return residency.some((policy) => policy.nodes === undefined || policy.nodes.includes(node))
      case 'not-satisfied':
        return verdicts.get(node)?.get(about) === 'not-satisfied'
      case 'satisfied':
        return verdicts.get(node)?.get(about) === 'satisfied'
      case 'inspected':
        return inspected.get(about) === true
      case 'claimed':
        return claimedOn(about, node)
      default:
        return false
    }
  }
}

/** Whether the fleet file addresses the node by a public IP address. A host name shows neither, since nothing is resolved here. */
function isPublicAddress(address: string | undefined): boolean {
  const parsed = address === undefined ? null : parseAddress(address)
  return parsed !== null && isPublic(parsed)
}

import { SEVERITIES } from '../../schemas/conclusion-words.ts'
import type {
  DeviationCount,
  FixedBy,
  FrameworkCounts,
  HomeResults,
  InOrder,
  LeadingFinding,
  NotSeenLine,
} from '../../schemas/ipc-findings.ts'
import { remedyOf } from '../../schemas/node-remedies.ts'
import type { Assessment } from '../../schemas/types.ts'
import { plural } from '../core/base/plain-text.ts'
import type { Finding } from '../core/finding/finding.ts'
import type { CheckRemediation } from '../core/finding/work-order.ts'
import type { Catalog } from '../core/rules/catalog.ts'
import { relaxedThresholds } from '../core/rules/profile.ts'
import { byCheck, type Figures, inScopeOf, type NotSeen, type Presentation, type Share } from './presentation.ts'
import { isSevere, noFinding, proof } from './report/page-one.ts'

/** An assessment as presented, with what the first screen needs of it. */
export interface HomeMatter {
  readonly shown: Presentation
  readonly assessment: Assessment
  readonly run: string
  readonly remediations: readonly CheckRemediation[]
  readonly catalog: Pick<Catalog, 'thresholds'>
}

/** Findings, conclusions and limits of the results that are shown, for the first screen. */
export function resultsOf({ shown, assessment, remediations, catalog }: HomeMatter): HomeResults {
  const { leading, figures } = shown
  const lines = leadingOf(shown, remediations)
  return {
    openFindings: shown.findings.filter(({ status }) => status !== 'risk-accepted').length,
    findings: total(figures.findings),
    noFinding: noFinding({ assessment }),
    leading: lines,
    furtherSevere: figures.owned.severe - leading.filter(isSevere).length,
    leadingCloses: lines.reduce((sum, { closes }) => sum + closes, 0),
    deviations: figures.deviations,
    byNode: byNode(shown.findings),
    inOrder: shown.inOrder.map(inOrderLine),
    notSeen: shown.notSeen.map((line) => notSeenLine(line, assessment)),
    frameworks: frameworkCounts(shown),
    relaxedThresholds: relaxedThresholds(catalog.thresholds, assessment.scope.profile).length,
    sharedMachines: assessment.shared?.machines.length ?? 0,
  }
}

/** Controls of each framework by their state. */
export const frameworkCounts = ({ frameworks }: Pick<Presentation, 'frameworks'>): readonly FrameworkCounts[] =>
  frameworks.map((one) => ({
    id: one.framework.id,
    title: one.framework.title,
    inScope: inScopeOf(one),
    states: one.states,
  }))

/** Each deviation is counted for the first finding whose remediation closes it, so that the counts of the list can be added. */
function leadingOf(
  { leading, findings: all }: Presentation,
  remediations: readonly CheckRemediation[],
): readonly LeadingFinding[] {
  const remedies = byCheck(remediations)
  const found = byCheck(all)
  const counted = new Set<string>()
  return leading.map((finding) => {
    const remediation = remedies.get(finding.check)
    const subjects = new Set(finding.deviations.map(({ subject }) => subject))
    const settled = [finding, ...(remediation?.alsoSettles ?? []).flatMap((check) => found.get(check) ?? [])]
    const before = counted.size
    for (const { check, deviations } of settled)
      for (const { subject } of deviations) if (subjects.has(subject)) counted.add(`${check}\n${subject}`)
    return {
      reference: finding.reference,
      severity: finding.severity.level,
      condition: finding.condition,
      proof: proof(finding),
      closes: counted.size - before,
      controls: finding.controls.length,
      fixedBy: fixedBy(finding, remediation),
    }
  })
}

/** Who can change the subject of a finding. A row of the provider inventory is declared or excluded by the customer. */
export const fixedBy = ({ what }: Pick<Finding, 'what'>, remediation: CheckRemediation | undefined): FixedBy =>
  what === 'inventory' ? 'tenant' : (remediation?.whoCanChange ?? 'both')

const MOST_NODES = 7

/** Deviations by node, the most first; the counts sum to the deviations. */
function byNode(all: readonly Finding[]): readonly DeviationCount[] {
  const counts = new Map<string, number>()
  let inInventory = 0
  for (const { what, deviations } of all)
    for (const { subject } of deviations)
      if (what === 'inventory') inInventory += 1
      else counts.set(subject, (counts.get(subject) ?? 0) + 1)
  const sorted = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const further = sorted.slice(MOST_NODES)
  return [
    ...sorted.slice(0, MOST_NODES).map(([name, count]): DeviationCount => ({ of: 'node', name, count })),
    ...(further.length === 0
      ? []
      : [
          {
            of: 'other-nodes',
            name: plural(further.length, 'other node'),
            count: further.reduce((sum, [, count]) => sum + count, 0),
          } as const,
        ]),
    ...(inInventory === 0 ? [] : [{ of: 'inventory', name: 'Provider inventory', count: inInventory } as const]),
  ]
}

const inOrderLine = ({ text, part, whole, over }: Share): InOrder => ({
  text,
  part,
  whole,
  counts: over === null ? { rows: 'checks', state: 'in-order' } : { rows: 'check', ...over },
})

function notSeenLine({ text, is, node }: NotSeen, { nodes }: Assessment): NotSeenLine {
  const failure = nodes.find((one) => one.node === node)?.failure?.code ?? ''
  const action = node === null ? null : is === 'inconclusive' ? 'edit-node' : remedyOf(failure)
  return { text, is, node, action }
}

export const total = (counts: Figures['findings']): number => SEVERITIES.reduce((sum, level) => sum + counts[level], 0)

import type { ControlAssessment, ControlCheck, Finding } from '../../schemas/types.ts'
import type { ControlState, Verdict } from '../../schemas/words.ts'
import type { Catalog } from './catalog.ts'
import type { Control, Framework } from './framework.ts'

/** As much of a node's assessment as controls rest on. */
export interface NodeVerdicts {
  readonly node: string
  readonly findings: readonly Pick<Finding, 'check' | 'verdict'>[]
}

/**
 * Control states from findings, by the result model: failing beats missing beats manual beats supported; silence never supports.
 * A mapped check that the catalog does not have counts as not tested on every node. Checks mapped as background (`nodeEvidence`
 * context or none) are shown and decide nothing. Overlay frameworks are rolled up apart and never touch a current result.
 */
export function rollUp(
  catalog: Catalog,
  frameworks: readonly string[],
  nodes: readonly NodeVerdicts[],
): ControlAssessment[] {
  const built = new Set(catalog.checks.map((check) => check.id))
  const verdicts = new Map(
    nodes.flatMap((node) => node.findings.map((found) => [`${node.node} ${found.check}`, found.verdict] as const)),
  )
  const counted = new Map<string, ControlCheck>()
  const count = (check: string): ControlCheck => {
    const found = counted.get(check) ?? tally(check, built.has(check), nodes, verdicts)
    counted.set(check, found)
    return found
  }
  return catalog.frameworks
    .filter((framework) => frameworks.includes(framework.id))
    .flatMap((framework) =>
      framework.controls.map((control) =>
        controlState(
          framework,
          control,
          control.supports.map(({ check }) => count(check)),
        ),
      ),
    )
}

function tally(
  check: string,
  built: boolean,
  nodes: readonly NodeVerdicts[],
  verdicts: ReadonlyMap<string, Verdict>,
): ControlCheck {
  const of = (verdict: Verdict): number =>
    nodes.filter(({ node }) => (built ? verdicts.get(`${node} ${check}`) : 'not-tested') === verdict).length
  const counts = {
    met: of('met'),
    notMet: of('not-met'),
    inconclusive: of('inconclusive'),
    notApplicable: of('not-applicable'),
    informational: of('informational'),
  }
  const answered = counts.met + counts.notMet + counts.inconclusive + counts.notApplicable + counts.informational
  return { check, built, population: nodes.length, ...counts, notTested: nodes.length - answered }
}

function controlState(framework: Framework, control: Control, checks: ControlCheck[]): ControlAssessment {
  const nodePart = statePart(control, checks)
  const outstanding = [...control.needsAlso]
  return {
    framework: framework.id,
    control: control.key,
    state: overall(control, nodePart, outstanding),
    nodePart,
    checks,
    outstanding,
  }
}

/** The state of the part node evidence can bear, or null where it bears none. */
function statePart(control: Control, checks: readonly ControlCheck[]): ControlState | null {
  const bearsWeight = control.nodeEvidence === 'primary' || control.nodeEvidence === 'supporting'
  if (
    !bearsWeight ||
    checks.length === 0 ||
    control.evidenceClass === 'out-of-scope' ||
    control.evidenceClass === 'manual'
  )
    return null
  if (checks.some(({ notMet }) => notMet > 0)) return 'not-supported'
  if (checks.some(({ population, inconclusive, notTested }) => population === 0 || inconclusive + notTested > 0))
    return 'insufficient-evidence'
  // What only records a fact neither supports nor contradicts; without one deciding answer nothing is supported.
  const deciding = checks.filter(({ met, notApplicable }) => met + notApplicable > 0)
  if (deciding.length === 0) return 'insufficient-evidence'
  return deciding.every(({ met }) => met === 0) ? 'not-applicable' : 'supported'
}

function overall(control: Control, nodePart: ControlState | null, outstanding: readonly string[]): ControlState {
  if (control.evidenceClass === 'out-of-scope') return 'out-of-scope'
  if (nodePart === null) return 'manual-evidence-required'
  if (nodePart === 'not-supported' || nodePart === 'insufficient-evidence') return nodePart
  return outstanding.length > 0 ? 'manual-evidence-required' : nodePart
}

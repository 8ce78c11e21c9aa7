import type { ControlAssessment, ControlCheck, Finding, Machine, Register } from '../../schemas/types.ts'
import type { ControlState, Verdict } from '../../schemas/words.ts'
import type { Catalog } from './catalog.ts'
import type { Control, Framework } from './framework.ts'
import { notApplicableFor } from './register/decisions.ts'
import { outstandingOf } from './register/requests.ts'
import { byRow, type RowRegister } from './register/rows.ts'
import { type Acceptances, acceptancesOf } from './register.ts'

/** As much of a node's assessment as controls, and the comparison of lists, rest on. */
export interface NodeVerdicts {
  readonly node: string
  readonly findings: readonly Pick<Finding, 'check' | 'verdict'>[]
  readonly machine?: Machine
}

/** What control states rest on besides verdicts. */
export interface RollUpMatter {
  /** As far as it concerns the scope. */
  readonly register: Register
  /** UTC, ISO 8601. */
  readonly asOf: string
  /**
   * Rows of the provider's inventory that nobody accounts for, and names that are a machine which already counts under another name: with
   * one, the population is not covered.
   */
  readonly uncovered: number
}

/**
 * Control states by the result model (rules of the crosswalk). Failing beats missing beats manual beats excepted beats supported; silence
 * never supports, and nothing is averaged: every check keeps its counts n of N.
 *
 * - A mapped check that the catalog does not have counts as not tested on every node, and a row that nodes should bear and no check is
 *   mapped to lacks evidence. Checks mapped as background (`nodeEvidence` context or none) are shown and decide nothing.
 * - An exception in force takes a contradiction out of the failing ones, and only then; an undecided finding stays missing. Where nothing
 *   at all is met there is nothing to make an exception from, and the control stays failing.
 * - Records from people count while they are attached, in force and were looked at.
 * - A node to which a check does not apply, by positive evidence, neither supports nor holds up. Where that is so of everything, the row
 *   counts as not tested until a named person approved why it does not apply; a contradiction outweighs such an approval, accepted or not.
 * - Overlay frameworks are rolled up apart and never touch a current result.
 */
export function rollUp(
  catalog: Catalog,
  frameworks: readonly string[],
  nodes: readonly NodeVerdicts[],
  { register, asOf, uncovered }: RollUpMatter,
): ControlAssessment[] {
  const count = counter(catalog, nodes, acceptancesOf(register.exceptions, asOf))
  const about = byRow(register)
  return catalog.frameworks
    .filter((framework) => frameworks.includes(framework.id))
    .flatMap((framework) =>
      framework.controls.map((control) =>
        controlState(
          framework,
          control,
          control.supports.map(({ check }) => count(check)),
          { about, asOf, uncovered },
        ),
      ),
    )
}

/** Counts of a check over all nodes, made once however many rows it is mapped to. */
function counter(
  catalog: Catalog,
  nodes: readonly NodeVerdicts[],
  { inForce }: Acceptances,
): (check: string) => ControlCheck {
  const built = new Set(catalog.checks.map((check) => check.id))
  const verdicts = nodes.map(({ node, findings }) => ({
    node,
    of: new Map(findings.map(({ check, verdict }) => [check, verdict])),
  }))
  const counted = new Map<string, ControlCheck>()
  return (check) => {
    const known = counted.get(check)
    if (known !== undefined) return known
    const counts: Record<Verdict, number> = { ...NONE }
    let excepted = 0
    for (const { node, of } of verdicts) {
      const verdict = (built.has(check) ? of.get(check) : undefined) ?? 'not-tested'
      counts[verdict] += 1
      if (verdict === 'not-met' && inForce(node, check) !== null) excepted += 1
    }
    const tallied: ControlCheck = {
      check,
      built: built.has(check),
      population: nodes.length,
      met: counts.met,
      notMet: counts['not-met'],
      inconclusive: counts.inconclusive,
      notApplicable: counts['not-applicable'],
      informational: counts.informational,
      notTested: counts['not-tested'],
      excepted,
    }
    counted.set(check, tallied)
    return tallied
  }
}

const NONE: Readonly<Record<Verdict, number>> = {
  met: 0,
  'not-met': 0,
  inconclusive: 0,
  'not-applicable': 0,
  'not-tested': 0,
  informational: 0,
}

function controlState(
  { id: framework }: Framework,
  control: Control,
  checks: ControlCheck[],
  { about, asOf, uncovered }: Pick<RollUpMatter, 'asOf' | 'uncovered'> & { readonly about: RowRegister },
): ControlAssessment {
  const row = { framework, control: control.key }
  const said = about(row)
  const nodePart = statePart(control, checks, uncovered)
  const { outstanding, held } = outstandingOf(said, { ...row, needs: control.needsAlso }, asOf)
  const rationale = notApplicableFor(said, row, asOf)?.id ?? null
  // What is contradicted on a node applies there, whether or not somebody accepts it.
  const contradicted = nodePart !== null && checks.some(({ notMet }) => notMet > 0)
  return {
    framework,
    control: control.key,
    state: overall(control, nodePart, { outstanding, rationale: contradicted ? null : rationale }),
    nodePart,
    checks,
    outstanding:
      nodePart === 'not-applicable' && rationale === null ? [...outstanding, RATIONALE_NEEDED] : [...outstanding],
    records: { needed: control.needsAlso.length, held },
    rationale,
  }
}

/** Evidence that a row does not apply is not yet the written and approved reason that takes it out. */
export const RATIONALE_NEEDED = 'Approved reason why this does not apply'

/** The state of the part node evidence can bear, or null where it bears none. */
function statePart(control: Control, checks: readonly ControlCheck[], uncovered: number): ControlState | null {
  const { evidenceClass, nodeEvidence } = control
  const bearsWeight = nodeEvidence === 'primary' || nodeEvidence === 'supporting'
  if (!bearsWeight || evidenceClass === 'out-of-scope' || evidenceClass === 'manual') return null
  const met = checks.some((check) => check.met > 0)
  if (checks.some(({ notMet, excepted }) => notMet > (met ? excepted : 0))) return 'not-supported'
  if (uncovered > 0) return 'insufficient-evidence'
  if (checks.some(({ population, inconclusive, notTested }) => population === 0 || inconclusive + notTested > 0))
    return 'insufficient-evidence'
  if (checks.some(({ excepted }) => excepted > 0)) return 'supported-with-exceptions'
  // What only records a fact neither supports nor contradicts; without one deciding answer nothing is supported.
  if (!checks.some((check) => check.met + check.notApplicable > 0)) return 'insufficient-evidence'
  return met ? 'supported' : 'not-applicable'
}

function overall(
  control: Control,
  nodePart: ControlState | null,
  { outstanding, rationale }: { readonly outstanding: readonly string[]; readonly rationale: string | null },
): ControlState {
  if (control.evidenceClass === 'out-of-scope') return 'out-of-scope'
  if (nodePart === 'not-supported') return nodePart
  if (rationale !== null) return 'not-applicable'
  // Without a reason and an approver, “not applicable” counts as not tested.
  if (nodePart === 'insufficient-evidence' || nodePart === 'not-applicable') return 'insufficient-evidence'
  if (outstanding.length > 0) return 'manual-evidence-required'
  return nodePart ?? (control.needsAlso.length > 0 ? 'supported' : 'manual-evidence-required')
}

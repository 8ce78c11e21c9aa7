import { of } from '../../../core/base/plain-text.ts'
import type { Line } from '../../../core/base/report-document.ts'
import type { ConcernedControl, Finding } from '../../../core/finding/finding.ts'
import type { ReportInput } from '../../input.ts'
import { chosenFrameworks } from './wording.ts'

/**
 * Nodes that showed another host key than the one on record. The key is compared before the login, so that such a node has a finding and no
 * test: the check counts it as not tested in every control that it decides.
 */

export const refusedNodes = ({ deviations }: Pick<Finding, 'deviations'>): readonly string[] =>
  deviations.flatMap(({ subject, isRefused }) => (isRefused === true ? [subject] : []))

type Counted = Pick<Finding, 'deviations' | 'tested'>

/** What the deviations of a finding are counted out of: what was tested, and the nodes that were refused. */
export const deviatingOf = (finding: Counted): string =>
  of(finding.deviations.length, finding.tested + refusedNodes(finding).length)

/** The words behind that number: “ nodes tested”, or “ nodes: 6 tested, 1 refused before login”. */
export function testedWords(finding: Counted, noun = ''): string {
  const refused = refusedNodes(finding).length
  const words = noun === '' ? '' : ` ${noun}`
  return refused === 0 ? `${words} tested` : `${words}: ${finding.tested} tested, ${refused} refused before login`
}

/** What stands below the condition where a narrow column has the number alone: “Of 7: 6 tested, 1 refused before login.” */
export function refusedLines(finding: Counted): readonly Line[] {
  const refused = refusedNodes(finding).length
  return refused === 0 ? [] : [{ text: `Of ${finding.tested + refused}${testedWords(finding)}.`, style: 'quiet' }]
}

/** Controls in scope, of frameworks in effect, that the check decides and in which these nodes are missing; empty for every other finding. */
export function limitedControls(
  input: Pick<ReportInput, 'assessment' | 'catalog'>,
  finding: Finding,
): readonly Pick<ConcernedControl, 'framework' | 'control'>[] {
  if (refusedNodes(finding).length === 0) return []
  const current: readonly string[] = chosenFrameworks(input).current.map(({ id }) => id)
  return input.assessment.controls
    .filter(
      ({ framework, state, checks }) =>
        current.includes(framework) &&
        state !== 'out-of-scope' &&
        checks.some(({ check, decides }) => check === finding.check && decides),
    )
    .map(({ framework, control }) => ({ framework, control }))
}

import type { RiskAcceptance } from '../../../schemas/types.ts'
import { of } from '../../core/phrases.ts'
import { oneLine } from '../../core/plain-text.ts'
import type { Line } from '../../core/report-document.ts'
import type { Matter } from './input.ts'
import { see } from './titles.ts'
import { day } from './wording.ts'

/** Note on a deviation whose risk is or was accepted; the verdict is unchanged. */
export function acceptance({ accepted }: Matter, node: string, check: string): readonly Line[] {
  const inForce = accepted.inForce(node, check)
  if (inForce !== null) return [{ text: `Risk accepted until ${whose(inForce)}` }]
  const ended = accepted.ended(node, check)
  return ended === null ? [] : [{ text: `Risk acceptance expired on ${whose(ended)}` }]
}

const whose = ({ expiresAt, approvedBy }: RiskAcceptance): string =>
  `${day(expiresAt)}, approved by ${oneLine(approvedBy, 80)}`

type Findings = readonly (readonly [node: string, check: string])[]

/** How many of these deviations are risk-accepted; no line where none is. */
export function acceptedCount(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  return found.length === 0 ? [] : [{ text: `${found.length} accepted`, style: 'quiet' }]
}

/** As acceptedCount(), with expiry and approver where a single acceptance covers all. */
export function acceptedBriefly(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  const [first] = found
  if (first === undefined) return []
  const same = found.every((entry) => entry === first)
  const rest = same ? ` until ${whose(first)}` : `; see ${see('acceptances')}`
  return [{ text: `Risk accepted on ${of(found.length, findings.length)}${rest}`, style: 'quiet' }]
}

const acceptedAmong = ({ tally, accepted }: Matter, findings: Findings): readonly RiskAcceptance[] =>
  findings.flatMap(([node, check]) =>
    tally.verdict(node, check) === 'not-satisfied' ? (accepted.inForce(node, check) ?? []) : [],
  )

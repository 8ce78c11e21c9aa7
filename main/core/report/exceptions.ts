import type { Exception } from '../../../schemas/types.ts'
import { oneLine } from '../plain-text.ts'
import type { Matter } from './input.ts'
import type { Line } from './model.ts'
import { see } from './titles.ts'
import { day, of } from './wording.ts'

/** What stands beside a contradicted finding that somebody accepts or accepted; the finding itself stays as it is. */
export function acceptance({ accepted }: Matter, node: string, check: string): readonly Line[] {
  const inForce = accepted.inForce(node, check)
  if (inForce !== null) return [{ text: `Accepted until ${whose(inForce)}` }]
  const ended = accepted.ended(node, check)
  return ended === null ? [] : [{ text: `Was accepted until ${whose(ended)}; that has ended` }]
}

const whose = ({ expiresAt, approvedBy }: Exception): string => `${day(expiresAt)} by ${oneLine(approvedBy, 80)}`

type Findings = readonly (readonly [node: string, check: string])[]

/** How many contradicted findings among these somebody accepts; nothing where nobody does. */
export function acceptedCount(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  return found.length === 0 ? [] : [{ text: `${found.length} accepted`, style: 'quiet' }]
}

/** As acceptedCount(), and until when and by whom where one acceptance covers them. */
export function acceptedBriefly(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  const [first] = found
  if (first === undefined) return []
  const same = found.every((entry) => entry === first)
  const rest = same ? ` until ${whose(first)}` : `; see ${see('exceptions')}`
  return [{ text: `${of(found.length, findings.length)} accepted${rest}`, style: 'quiet' }]
}

const acceptedAmong = ({ tally, accepted }: Matter, findings: Findings): readonly Exception[] =>
  findings.flatMap(([node, check]) =>
    tally.verdict(node, check) === 'not-met' ? (accepted.inForce(node, check) ?? []) : [],
  )

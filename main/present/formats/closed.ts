import type { Remediated } from '../../core/finding/finding.ts'
import type { Presentation } from '../presentation.ts'

/** A finding of an earlier run of the period that no node has any more, with the runs that confirm it. */
export interface Closed {
  readonly reference: string
  readonly check: string
  readonly title: string
  /** In order of time; at least one. */
  readonly steps: readonly Remediated[]
}

/** Findings that are closed. One that is remediated on some nodes and found on others stays open. */
export function closedOf({ findings, informational, remediated }: Presentation): readonly Closed[] {
  const open = new Set([...findings, ...informational].map(({ reference }) => reference))
  const found = new Map<string, Remediated[]>()
  for (const one of remediated) {
    if (open.has(one.reference)) continue
    const steps = found.get(one.reference) ?? []
    steps.push(one)
    found.set(one.reference, steps)
  }
  return [...found.values()].flatMap((steps) => {
    const [first] = steps
    return first === undefined ? [] : [{ reference: first.reference, check: first.check, title: first.title, steps }]
  })
}

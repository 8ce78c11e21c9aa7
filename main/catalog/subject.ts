import type { Check } from '../core/check.ts'
import type { Probe } from '../core/probe.ts'

/**
 * One subject of the catalog, in a folder of its own: its probes and its checks. A check may read probes of other subjects; a
 * probe belongs to one.
 */
export interface Subject {
  /** The folder's name. */
  readonly id: string
  /** A noun phrase, as a heading over its checks. */
  readonly title: string
  readonly probes: readonly Probe<unknown>[]
  readonly checks: readonly Check[]
}

/** Gives a subject its type. `subjects.ts` lists every subject; a test fails on a folder that is not listed. */
export const defineSubject = (subject: Subject): Subject => subject

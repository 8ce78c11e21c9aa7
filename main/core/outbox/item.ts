import type { Severity } from '../../../schemas/conclusion-words.ts'
import { sha256 } from '../base/digest.ts'

/** Period in which the evidence of an item was collected, UTC, ISO 8601. */
export interface EvidenceDates {
  readonly from: string
  readonly to: string
}

/**
 * The source of an item. Items leave the control of the owner of the evidence: they contain titles, states, names of nodes, dates and digests,
 * and never observations, captures, addresses or names of people.
 */
export interface ItemSource {
  readonly schema: 'barewitness.item/1'
  /** Name of the sender in the configuration of integrations. It is part of every key. */
  readonly sender: string
  readonly fleet: string
  readonly run: string
  readonly pack: { readonly name: string; readonly sha256: string }
  /** Evaluation date, UTC, ISO 8601. */
  readonly asOf: string
  readonly demo: boolean
}

interface Keyed {
  /** The key of the same finding or pack is equal in every run, so that a receiver updates its record. */
  readonly key: string
  /** Null where no date is known. */
  readonly evidence: EvidenceDates | null
}

/**
 * Outcome of a finding in a pack. `none`: the check is satisfied or not applicable on every node. `undetermined`: no deviation, but a node is
 * inconclusive or was not tested. Both are sent only where an earlier pack had the finding.
 */
export type FindingOutcome = 'deviations' | 'none' | 'undetermined'

/** One finding: a check that is not satisfied, with the nodes concerned. */
export interface FindingItem extends ItemSource, Keyed {
  readonly kind: 'finding'
  readonly outcome: FindingOutcome
  readonly reference: string
  readonly check: string
  readonly title: string
  readonly severity: Severity
  /** Status in words. */
  readonly status: string
  readonly expected: string
  readonly controls: readonly string[]
  /** Nodes that deviate; empty where rows of the provider inventory deviate. */
  readonly nodes: readonly string[]
  readonly what: 'nodes' | 'inventory'
  readonly deviations: number
  readonly tested: number
  /** Deviating nodes that were refused before login and are therefore not among those tested; absent where there are none. */
  readonly refused?: number
  readonly inconclusive: readonly string[]
  readonly notTested: readonly string[]
  /** Day by which it is due, YYYY-MM-DD. */
  readonly due: string | null
}

/** One pack: its results as counts, and outstanding documents. */
export interface PackItem extends ItemSource, Keyed {
  readonly kind: 'pack'
  readonly nodes: { readonly declared: number; readonly tested: number }
  readonly findings: Readonly<Record<Severity, number>>
  readonly leading: readonly { readonly reference: string; readonly title: string; readonly severity: Severity }[]
  /** Check results over all nodes. */
  readonly results: {
    readonly satisfied: number
    readonly notSatisfied: number
    readonly inconclusive: number
    readonly notTested: number
    readonly other: number
  }
  readonly documents: {
    readonly needed: number
    readonly outstanding: number
    readonly overdue: number
    readonly titles: readonly string[]
  }
}

export type OutboxItem = FindingItem | PackItem

/** A key of 35 characters without spaces: fit for a label, a correlation ID and a file name. */
export const outboxKey = (sender: string, fleet: string, ...parts: readonly string[]): string =>
  `bw-${sha256([sender, fleet, ...parts].join('\n')).slice(0, 32)}`

export const OUTBOX_KEY = /^bw-[0-9a-f]{32}$/

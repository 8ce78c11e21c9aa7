import type { Figure } from './figure.ts'
import type { Source } from './ipc-views.ts'
import type { Location, LocationResult, NodeAssessment } from './types.ts'

/** Plain data that the engine answers the window with: where the nodes of a run or a pack are said to be. Reasons come node by node. */
export interface LocationView {
  readonly of: Source
  readonly asOf: string
  readonly demo: boolean
  readonly rows: readonly LocationRow[]
  /** All nodes on one map; none where no place is declared, and while a run goes on. */
  readonly figures: readonly Figure[]
}

/** One declared node. */
export interface LocationRow {
  readonly node: string
  readonly status: NodeAssessment['status']
  readonly failure: NodeAssessment['failure']
  readonly stale: boolean
  /** Where it is said to be; null where nobody declared a place, and where nothing was collected. */
  readonly claim: Location['claim']
  /** The declared place first, then each policy that is for this node. */
  readonly results: readonly LocationRowResult[]
  /** Policies that are for this node and have no answer, because it was not collected: they stay in every count. */
  readonly withoutResult: readonly string[]
  /** The narrowest reach of all vantages; null where no time bounds it. */
  readonly narrowest: { readonly km: number; readonly vantage: string } | null
}

export interface LocationRowResult extends Pick<LocationResult, 'of' | 'title' | 'result'> {
  /** Why, where it is contradicted: that must not take a second look. */
  readonly why: string | null
}

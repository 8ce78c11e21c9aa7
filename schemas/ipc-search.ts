import type { FrameworkName, Source } from './ipc-views.ts'
import type { Property } from './words.ts'

/** Plain data about what the search of the window finds besides screens, nodes and actions. */
export interface SearchMethods {
  /** Everything that has a reference in the run or pack that is shown; empty without one. */
  'search.index': { in: { readonly of: Source }; out: readonly SearchEntry[] }
}

export const SEARCH_GROUPS = ['Findings', 'Checks', 'Controls', 'Evidence requests', 'Documents'] as const

export interface SearchEntry {
  readonly group: (typeof SEARCH_GROUPS)[number]
  /** What people cite: F-20BF8C, a check id, 164.312(a)(1), ER-03, or the name of a document. */
  readonly reference: string
  readonly title: string
  readonly to: SearchPlace
}

/** `result`: a check on one node, one that deviates where there is one. */
export type SearchPlace =
  | { readonly is: 'result'; readonly node: string; readonly property: Property; readonly check: string }
  | { readonly is: 'finding'; readonly reference: string }
  | { readonly is: 'population' }
  | { readonly is: 'control'; readonly framework: FrameworkName; readonly key: string }
  | { readonly is: 'documents'; readonly find: string }

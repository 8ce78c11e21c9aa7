export const TERM_GROUPS = [
  'Results and conclusions',
  'Evidence',
  'Frameworks, documents and decisions',
  'Scope',
  'Isolation and location',
  'Packs, verification and history',
] as const
export type TermGroup = (typeof TERM_GROUPS)[number]

export interface Term {
  readonly term: string
  readonly group: TermGroup
  readonly definition: string
  /** Where the term comes from: a standard, a regulation, common usage, or this project. */
  readonly source: string
  /** Words and phrases that must not be used for it, whole words in any case. */
  readonly avoid: readonly string[]
}

/** A term as the list of its group holds it. */
export type TermOfGroup = Omit<Term, 'group'>

/** What node evidence can decide of a control: see the legend in each framework's data. */
export type EvidenceClass = 'automatable' | 'partial' | 'manual' | 'out-of-scope'

/** One of the catalog's frameworks, or the customer's own. */
export type FrameworkId = string

/** "This check shows this part of that control." Checks that the catalog does not have yet count as not tested. */
export interface Support {
  readonly check: string
  readonly shows: string
}

/** One row of a framework, in our words; the citation points at the text. */
export interface Control {
  /** Unique within the framework. */
  readonly key: string
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly kind: string
  readonly level: string
  readonly group: string
  readonly parent: string | null
  readonly evidenceClass: EvidenceClass
  readonly nodeEvidence: 'primary' | 'supporting' | 'context' | 'none'
  readonly supports: readonly Support[]
  /** What node evidence for this control does not show. Never empty. */
  readonly notShown: string
  /** Records a reviewer needs besides. */
  readonly needsAlso: readonly string[]
  readonly responsibility: readonly string[]
  readonly refs: Readonly<Record<string, readonly string[]>>
}

export interface Framework {
  readonly id: FrameworkId
  readonly title: string
  readonly version: string
  readonly status: string
  /** Proposed rules are an overlay: shown apart, never part of a current result, off by default. */
  readonly overlay: boolean
  readonly source: readonly string[]
  readonly notes: readonly string[]
  readonly controls: readonly Control[]
}

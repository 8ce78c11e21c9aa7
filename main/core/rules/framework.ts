import type { ControlRole } from '../../../schemas/conclusion-words.ts'

/** How far node evidence can decide a control; see the legend in each framework’s data. */
export type EvidenceType = 'technical' | 'mixed' | 'documentary' | 'out-of-scope'

/** A framework of the catalog, or one of the customer’s own. */
export type FrameworkId = string

/** How a check counts for one control, and why. Checks that the catalog does not have count as not tested. */
export interface ControlMapping {
  readonly check: string
  readonly shows: string
  /** Absent in a mapping whose author assigned no roles; the check then decides. */
  readonly role?: ControlRole
  /** The reason for the role. */
  readonly why?: string
}

/** One control of a framework, in our own words; the citation refers to the text. */
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
  readonly evidenceType: EvidenceType
  readonly nodeEvidence: 'primary' | 'supporting' | 'context' | 'none'
  readonly mappings: readonly ControlMapping[]
  /** What node evidence for this control does not show; never empty. */
  readonly notCovered: string
  /** Documents that an auditor needs besides node evidence. */
  readonly documentsRequired: readonly string[]
  /**
   * For each of `documentsRequired`, the ids of the evidence requests that cover it. One without an entry needs a
   * document of its own.
   */
  readonly requests?: Readonly<Record<string, readonly string[]>>
  /**
   * Trust services category (AICPA TSP section 100). Controls without one, or with `security`, are always in scope.
   */
  readonly category?: string
  /** `ephi`: once the data map was inspected, only nodes that store or transmit ePHI are tested. */
  readonly scope?: 'ephi'
  readonly responsibility: readonly string[]
  readonly refs: Readonly<Record<string, readonly string[]>>
}

export interface Framework {
  readonly id: FrameworkId
  readonly title: string
  readonly version: string
  readonly status: string
  /** Proposed rules are an overlay: shown separately, never part of a current result, off by default. */
  readonly proposed: boolean
  readonly source: readonly string[]
  readonly notes: readonly string[]
  readonly controls: readonly Control[]
}

/**
 * Whether a control is part of the examination; categories other than security are elective (AICPA TSP section 100).
 */
export const isElected = ({ category }: Pick<Control, 'category'>, elected: readonly string[]): boolean =>
  category === undefined || category === 'security' || elected.includes(category)

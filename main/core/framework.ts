import type { ControlRole } from '../../schemas/conclusion-words.ts'

/** What node evidence can decide of a control: see the legend in each framework's data. */
export type EvidenceType = 'technical' | 'mixed' | 'documentary' | 'out-of-scope'

/** One of the catalog's frameworks, or the customer's own. */
export type FrameworkId = string

/** How a check counts for one control, and why. Checks that the catalog does not have count as not tested. */
export interface ControlMapping {
  readonly check: string
  readonly shows: string
  /** Without one, the check decides: a mapping that its author left without roles. */
  readonly role?: ControlRole
  /** The reason for the role. */
  readonly why?: string
}

/** One control of a framework, in our words; the citation points at the text. */
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
  /** What node evidence for this control does not show. Never empty. */
  readonly notCovered: string
  /** Documents that a reviewer needs in addition. */
  readonly documentsRequired: readonly string[]
  /** For each of `documentsRequired`: ids of the evidence requests that answer it. One without an entry is answered by a document of its own. */
  readonly requests?: Readonly<Record<string, readonly string[]>>
  /** Trust services category (AICPA TSP section 100); without one, or `security`, the control is always in scope. */
  readonly category?: string
  /** `ephi`: once the data map was inspected, only nodes that hold or carry ePHI are tested. */
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

/** Whether a control belongs to the examination: categories other than security are elective (AICPA TSP section 100). */
export const isElected = ({ category }: Pick<Control, 'category'>, elected: readonly string[]): boolean =>
  category === undefined || category === 'security' || elected.includes(category)

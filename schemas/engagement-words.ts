import type { EngagementSection } from './ipc-engagement.ts'
import type { Engagement } from './types.ts'
import type { Word } from './words.ts'

/** Labels of what is declared before an audit, the same on every screen. Marks as in words.ts: shape and word, never color alone. */

/** How far an engagement is declared; `incomplete`: begun, and in no use yet. */
export const ENGAGEMENT_STATES = ['none', 'incomplete', 'draft', 'final'] as const
export type EngagementState = (typeof ENGAGEMENT_STATES)[number]
export const engagementStateWords: Readonly<Record<EngagementState, string>> = {
  none: 'No engagement declared',
  incomplete: 'Engagement incomplete',
  draft: 'Engagement declared as draft',
  final: 'Engagement declared as final',
}

export const engagementSectionWords: Readonly<Record<EngagementSection, Word>> = {
  who: { label: 'Entity and purpose', meaning: 'Entity, intended readers and purpose of the evidence.' },
  boundary: { label: 'Boundary', meaning: 'System description, location and exclusions.' },
  responsibilities: {
    label: 'Responsibilities',
    meaning: 'Division of responsibilities by area, as in the contract with the provider.',
  },
  subservice: {
    label: 'Subservice organizations',
    meaning: 'Organizations whose controls are needed in addition to your own, such as the data center.',
  },
  'user-entity': {
    label: 'Complementary user entity controls',
    meaning: 'Controls that a provider’s report expects of its customers, and the node evidence that applies.',
  },
  ephi: { label: 'ePHI map', meaning: 'Where ePHI is stored on the nodes, and where it is transmitted.' },
  population: {
    label: 'Declared population',
    meaning: 'Every node meant to be covered, and the source of that list.',
  },
  'sign-off': {
    label: 'Sign-off',
    meaning: 'Persons who collected, reviewed and approved. Auditors sign their own report.',
  },
}

export const subserviceMethodWords = {
  'carve-out': {
    label: 'Carve-out method',
    meaning: 'Its controls are excluded here; its own report covers them.',
  },
  inclusive: { label: 'Inclusive method', meaning: 'Its controls are examined here as well.' },
} as const

export const signOffWords = {
  collector: 'Collected the evidence',
  reviewer: 'Reviewed it',
  approver: 'Approved it',
  'qualified-person': 'Qualified person',
} as const

export const inventoryKindWords = {
  'portal-export': 'Export from the provider’s portal',
  invoice: 'Invoice',
  order: 'Order',
} as const

export const COVERAGE_STATES = [
  'unreconciled',
  'not-in-fleet',
  'not-collected',
  'not-declared',
  'not-in-inventory',
  'excluded',
  'not-compared',
  'reconciled',
] as const
export type CoverageState = (typeof COVERAGE_STATES)[number]

/** Reconciliation of a node or of a row of the provider inventory, worst first in COVERAGE_STATES. */
export const coverageWords: Readonly<Record<CoverageState, Word & { readonly mark: string; readonly tone: string }>> = {
  unreconciled: {
    label: 'Unreconciled',
    meaning:
      'In the provider inventory; no node matches. Affected controls cannot be concluded while an asset is unreconciled.',
    mark: 'square-cross',
    tone: 'not-satisfied',
  },
  'not-in-fleet': {
    label: 'Not in fleet file',
    meaning: 'Declared, but never collected from.',
    mark: 'square-cross',
    tone: 'not-satisfied',
  },
  'not-collected': {
    label: 'Not collected',
    meaning: 'In the fleet file, but not collected in this run.',
    mark: 'dotted-ring',
    tone: 'not-tested',
  },
  'not-declared': {
    label: 'Not declared',
    meaning: 'Collected, but not in the declared population.',
    mark: 'diamond-question',
    tone: 'inconclusive',
  },
  'not-in-inventory': {
    label: 'Not in provider inventory',
    meaning: 'Collected, but no row of the provider inventory matches.',
    mark: 'diamond-question',
    tone: 'inconclusive',
  },
  excluded: {
    label: 'Excluded, with rationale',
    meaning: 'In the provider inventory; a named person documented why it is not part of this population.',
    mark: 'bar',
    tone: 'not-applicable',
  },
  'not-compared': {
    label: 'Declared and collected',
    meaning: 'Declared, in the fleet file and collected. There is no provider inventory to reconcile it with.',
    mark: 'ring',
    tone: 'not-tested',
  },
  reconciled: {
    label: 'Reconciled',
    meaning: 'Declared, in the fleet file, in the provider inventory and collected.',
    mark: 'ring-tick',
    tone: 'satisfied',
  },
}

/** How a node was matched with the provider inventory. */
export const matchedByWords = {
  serial: 'by serial number',
  address: 'by address',
  name: 'by name',
} as const

/** How far an engagement is declared. `isBegun`: a form of it is stored that is not complete. */
export const engagementState = (engagement: Pick<Engagement, 'status'> | null, isBegun: boolean): EngagementState =>
  engagement?.status ?? (isBegun ? 'incomplete' : 'none')

/** Whether results and reports use an engagement in this state. */
export const isDeclared = (state: EngagementState): boolean => state === 'draft' || state === 'final'

import type { EngagementSection } from './ipc-engagement.ts'
import type { Word } from './words.ts'

/** Names of what people declare before an audit, the same on every screen. Marks as in words.ts: shape and word, never color alone. */

export const engagementSectionWords: Readonly<Record<EngagementSection, Word>> = {
  who: { label: 'Who and why', meaning: 'Whose system this is, who reads the evidence, and what for.' },
  boundary: { label: 'Boundary', meaning: 'What the system is, where it stands, and what is left out.' },
  responsibilities: {
    label: 'Responsibilities',
    meaning: 'Who does what, area by area, as your contract with the provider splits it.',
  },
  subservice: {
    label: 'Subservice organizations',
    meaning: 'Organizations whose controls are needed beside your own, such as the data center.',
  },
  'user-entity': {
    label: 'User-entity controls',
    meaning: 'What a provider’s report expects of its customers, and where node evidence bears on it.',
  },
  ephi: { label: 'ePHI map', meaning: 'Where ePHI is kept on the nodes, and which ways it takes.' },
  population: {
    label: 'Declared nodes',
    meaning: 'Every node that is meant to be covered, and where that list comes from.',
  },
  'sign-off': { label: 'Sign-off', meaning: 'Who collected, reviewed and approved. Nobody signs for the auditor.' },
}

export const subserviceMethodWords = {
  'carve-out': {
    label: 'Carved out',
    meaning: 'Its controls are left out here; its own report speaks of them.',
  },
  inclusive: { label: 'Included', meaning: 'Its controls are examined here as well.' },
} as const

export const signOffWords = {
  collector: 'Collected the evidence',
  reviewer: 'Reviewed it',
  approver: 'Approved it',
  'qualified-person': 'Qualified person',
} as const

export const inventoryKindWords = {
  'portal-export': 'Export of the provider’s portal',
  invoice: 'Invoice',
  order: 'Order',
} as const

export const COVERAGE_STATES = [
  'unaccounted',
  'not-enrolled',
  'not-answered',
  'not-declared',
  'not-listed',
  'left-out',
  'covered',
] as const
export type CoverageState = (typeof COVERAGE_STATES)[number]

/** How a node or a row of the provider's list stands, worst first in COVERAGE_STATES. */
export const coverageWords: Readonly<Record<CoverageState, Word & { readonly mark: string; readonly tone: string }>> = {
  unaccounted: {
    label: 'Unaccounted for',
    meaning:
      'The provider lists it, and no node here fits. While one stands, no control is supported by evidence of nodes.',
    mark: 'square-cross',
    tone: 'not-satisfied',
  },
  'not-enrolled': {
    label: 'Not enrolled',
    meaning: 'It is declared, and no evidence is ever collected from it.',
    mark: 'square-cross',
    tone: 'not-satisfied',
  },
  'not-answered': {
    label: 'Did not answer',
    meaning: 'It is enrolled, and gave no answer in this run.',
    mark: 'dotted-ring',
    tone: 'not-tested',
  },
  'not-declared': {
    label: 'Not declared',
    meaning: 'Evidence was collected from it, and the declared list does not name it.',
    mark: 'diamond-question',
    tone: 'inconclusive',
  },
  'not-listed': {
    label: 'Not in the provider’s list',
    meaning: 'It answered, and no row of the provider’s list fits it.',
    mark: 'diamond-question',
    tone: 'inconclusive',
  },
  'left-out': {
    label: 'Left out, with a reason',
    meaning: 'The provider lists it, and somebody said why it is no node of this population.',
    mark: 'bar',
    tone: 'not-applicable',
  },
  covered: {
    label: 'In every list',
    meaning: 'Declared, enrolled and answered.',
    mark: 'ring-tick',
    tone: 'satisfied',
  },
}

/** How a node was found in the provider's list. */
export const matchedByWords = {
  serial: 'by serial number',
  address: 'by address',
  name: 'by name',
} as const

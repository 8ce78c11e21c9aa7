import type { RiskArea } from '../../schemas/conclusion-words.ts'

/**
 * Data of views: the same results and documents in the order in which a reader of one framework asks for them. A view concludes nothing, adds no
 * verdict, and names its sources.
 */

/** Where the wording of a view comes from, by clause or section. */
export interface ViewSource {
  readonly title: string
  readonly status: 'in-force' | 'guidance' | 'voluntary'
  readonly sources: readonly string[]
  /** What the view does not show. */
  readonly notShown: string
}

/** Classes of threat sources (NIST SP 800-30 r1, table D-2). */
export type ThreatSource = 'adversarial' | 'accidental' | 'structural' | 'environmental'

/** What can happen where findings of one risk area are open. */
export interface Threat {
  readonly riskArea: RiskArea
  readonly threat: string
  readonly sources: readonly ThreatSource[]
}

/** One element that a risk analysis has (guidance of OCR of 14 July 2010, nine elements). */
export interface RiskElement {
  readonly id: string
  readonly title: string
  /** The steps of NIST SP 800-66 r2, section 3.2, that it corresponds to. */
  readonly step: string
  /** What people add. */
  readonly people: string
  readonly requests: readonly string[]
}

export interface RiskAnalysisView extends ViewSource {
  readonly elements: readonly RiskElement[]
  readonly threats: readonly Threat[]
}

/** One clause that an agreement with a business associate has, or one fact of the relation. */
export interface AgreementRow {
  /** The section that asks for it. */
  readonly clause: string
  readonly title: string
  readonly summary: string
  /** Checks whose results a reader compares with the clause. */
  readonly checks: readonly string[]
  readonly requests: readonly string[]
}

export interface AgreementView extends ViewSource {
  readonly relation: readonly AgreementRow[]
  readonly clauses: readonly AgreementRow[]
}

/** An index by sections; each control of the framework is found under its own section. */
export interface ProtocolView extends ViewSource {
  readonly framework: string
}

/** One practice of a voluntary framework, and the checks that relate to it. */
export interface Practice {
  readonly id: string
  readonly title: string
  readonly checks: readonly string[]
  readonly requests: readonly string[]
}

export interface PracticesView extends ViewSource {
  readonly practices: readonly Practice[]
}

export interface HipaaViews {
  readonly riskAnalysis: RiskAnalysisView
  readonly agreement: AgreementView
  readonly protocol: ProtocolView
  readonly practices: PracticesView
}

/** What a reader asks about each carrier of data. */
export const CARRIER_QUESTIONS = ['location', 'access', 'encryption', 'copies', 'handover'] as const
export type CarrierQuestion = (typeof CARRIER_QUESTIONS)[number]

/** A place where an AI workload holds data, whether or not a person declared it. */
export interface Carrier {
  readonly id: string
  readonly title: string
  readonly where: string
  readonly risk: string
  /** Checks whose results answer each question in part; none where no server shows it. */
  readonly answers: Readonly<Record<CarrierQuestion, readonly string[]>>
  readonly requests: readonly string[]
}

export interface CarriersView extends ViewSource {
  readonly rows: readonly Carrier[]
}

/** Rows of another framework by id and our own title, with the checks that relate to them. */
export interface FrameworkView extends ViewSource {
  readonly id: string
  readonly rows: readonly Practice[]
}

export interface AiViews {
  readonly carriers: CarriersView
  readonly frameworks: readonly FrameworkView[]
}
